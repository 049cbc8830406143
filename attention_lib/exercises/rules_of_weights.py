"""Diagnosis of attention by its steps: the weights that an answer stands for, and what their sums and ratios say.

Where an answer is an output, its weights are found again through V, as long as V has at least as many columns as
rows. What the invariants of `mistakes.invariants` ask of a recipe is asked of an answer here.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..attention import softmax
from .compare import close
from .describe import number
from .exercise import Finding, Rule, Seen

Array = NDArray[Any]
NEAR = 1e-5


class Given(NamedTuple):
    """What an exercise hands over, in the words of attention; V is None where the answer is the weights."""

    scores: Array  # (..., n_queries, n_keys), not scaled
    d_k: float
    V: Array | None = None
    allowed: Array | None = None
    what: str = "√d_k"  # the divisor that is asked for, in words


class Met(NamedTuple):
    """One wrong case: the weights that the answer stands for, beside what was given."""

    weights: Array
    given: Given


def weights_rules(given: Callable[..., Given], undo: Callable[..., Array] | None = None) -> tuple[Rule, ...]:
    """Return the rules for an exercise whose answer is weights, or an output made with them.

    `given` takes the arguments of the exercise; `undo` the answer and the arguments, and returns what was there
    before the last step (before W_O, say).
    """

    def met(seen: Sequence[Seen]) -> list[Met]:
        """Return the wrong cases; [] where the weights of one cannot be found again."""
        cases = []
        for one in seen:
            if one.right:
                continue
            if not one.found or one.found[0].shape != one.needed[0].shape or one.found[0].dtype.kind != "f":
                return []
            if not np.isfinite(one.found[0]).all():
                return []
            arguments = tuple(one.arguments.values())
            parts = given(*arguments)
            answer = undo(one.found[0], *arguments) if undo else one.found[0]
            weights = implied_weights(answer, parts.V)
            if weights is None or weights.shape != parts.scores.shape or not np.isfinite(weights).all():
                return []
            cases.append(Met(weights, parts))
        return cases

    def apply(rule: Callable[[list[Met]], Finding | None]) -> Rule:
        def applied(seen: Sequence[Seen]) -> Finding | None:
            cases = met(seen)
            return rule(cases) if cases else None

        return applied

    return tuple(map(apply, (sums, leaks, unread, another_divisor, in_proportion)))


def implied_weights(output: Array, V: Array | None) -> Array | None:
    """Return the weights that give this output; None where V does not tell."""
    if V is None:
        return output
    if V.shape[-2] > V.shape[-1] or np.linalg.cond(V).max() > 1e4:
        return None
    weights = output @ np.linalg.pinv(V)
    return weights if np.allclose(weights @ V, output, atol=1e-6) else None


def sums(cases: list[Met]) -> Finding | None:
    """See what sums to 1 where each row must."""
    weights = [case.weights for case in cases]
    if all(np.allclose(w.sum(axis=-1), 1, atol=NEAR) for w in weights):
        return None
    if all(np.allclose(case.weights.sum(axis=-1) * case.given.d_k**0.5, 1, atol=NEAR) for case in cases):
        return Finding("after_softmax")
    for mistake, axes in (
        ("softmax_over_queries", (-2,)),
        ("softmax_over_everything", (-2, -1)),
        ("softmax_over_heads", (0,)),
    ):
        if mistake == "softmax_over_heads" and any(w.ndim < 3 for w in weights):
            continue
        if all(np.allclose(w.sum(axis=axes), 1, atol=NEAR) for w in weights):
            return Finding(mistake)
    if any((w < -NEAR).any() for w in weights):
        return None  # no shares at all: the sums say nothing
    first = weights[0].sum(axis=-1)
    wrong = first[~np.isclose(first, 1, atol=NEAR)]
    return Finding("rows_do_not_sum", {"sum": number(wrong[0])}) if len(wrong) else Finding("some_rows_do_not_sum")


def leaks(cases: list[Met]) -> Finding | None:
    """See weight on a forbidden key."""
    largest = []
    for case in cases:
        allowed = case.given.allowed
        if allowed is None:
            return None
        largest.append(np.abs(np.where(allowed, 0, case.weights)).max(initial=0))
    return Finding("mask_leaks", {"weight": number(largest[0])}) if all(size > NEAR for size in largest) else None


def unread(cases: list[Met]) -> Finding | None:
    """See weight 0 on keys that are allowed and that the right softmax reads."""
    future = []
    for case in cases:
        scores, allowed = case.given.scores / case.given.d_k**0.5, case.given.allowed
        masked = scores if allowed is None else np.where(allowed, scores, -np.inf)
        skipped = (softmax(masked) > NEAR) & (np.abs(case.weights) < 1e-12)
        if not skipped.any() or (case.weights.max(axis=-1) > 1 - 1e-12).all():
            return None  # the second: the largest takes everything
        future.append(not (skipped & (np.tri(*skipped.shape[-2:]) == 1)).any())
    return Finding("causal_not_asked_for" if all(future) else "allowed_keys_unread")


def another_divisor(cases: list[Met]) -> Finding | None:
    """See the softmax of scores divided by another number than the root of d_k."""
    divisors = [divisor_of(case) for case in cases]
    if any(divisor is None for divisor in divisors):
        return None
    root = cases[0].given.d_k ** 0.5
    if all(divisor and np.isclose(divisor, case.given.d_k**0.5, rtol=1e-3) for divisor, case in zip(divisors, cases)):
        return None  # the divisor is the right one, so something else is wrong
    values = {"divisor": number(divisors[0]), "root": number(root), "what": cases[0].given.what}
    if all(divisor is not None and divisor < 0 for divisor in divisors):
        return Finding("divisor_negative", values)
    return Finding("another_divisor", values)


def divisor_of(case: Met) -> float | None:
    """Return the number by which the scores were divided, as the weights tell; None where they tell none."""
    weights, scores = case.weights, case.given.scores
    use = weights > 1e-9
    if case.given.allowed is not None:
        use = use & case.given.allowed
    if (weights < -NEAR).any() or use.sum(axis=-1).max(initial=0) < 2:
        return None
    logs = np.log(np.where(use, weights, 1))
    count = np.maximum(use.sum(axis=-1, keepdims=True), 1)
    centred = [np.where(use, x - np.where(use, x, 0).sum(axis=-1, keepdims=True) / count, 0) for x in (logs, scores)]
    slope = (centred[0] * centred[1]).sum() / max((centred[1] ** 2).sum(), 1e-300)
    unlike = use != (weights > -np.inf if case.given.allowed is None else case.given.allowed)
    if (unlike & (softmax(np.where(unlike | use, scores, -np.inf) * slope) > NEAR)).any():
        return None  # a weight is 0 that no divisor makes 0
    if abs(slope) < 1e-6 or not np.allclose(centred[0], slope * centred[1], atol=1e-4, rtol=1e-3):
        return None
    return float(1 / slope)


def in_proportion(cases: list[Met]) -> Finding | None:
    """See weights that are the same for every key, or for every query."""
    weights = [case.weights for case in cases]
    if all(w.shape[-1] > 1 and close(w, np.full_like(w, 1 / w.shape[-1])).all() for w in weights):
        return Finding("weights_flat")
    if all(w.shape[-2] > 1 and close(w, np.broadcast_to(w[..., :1, :], w.shape)).all() for w in weights):
        return Finding("weights_same_for_all_queries")
    return None
