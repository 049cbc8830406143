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
from .kept import for_the_last
from .rules_of_factors import made_of

Array = NDArray[Any]
NEAR = 1e-5
LEAST = 2  # cases that tell


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

    @for_the_last
    def met(seen: Sequence[Seen]) -> list[Met]:
        """Return the wrong cases whose weights can be found again; [] where that is one of several."""
        cases, untold = [], 0
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
                untold += 1
                continue
            cases.append(Met(weights, parts))
        return cases if len(cases) >= LEAST or not untold else []

    def apply(rule: Callable[[list[Met]], Finding | None]) -> Rule:
        def applied(seen: Sequence[Seen]) -> Finding | None:
            cases = met(seen)
            return rule(cases) if cases else None

        return applied

    return tuple(map(apply, (sums, leaks, best_alone, unread, another_divisor, in_proportion)))


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
    if all(case.given.allowed is not None for case in cases):
        if all(np.allclose(case.weights, after_the_mask(case), atol=NEAR) for case in cases):
            return Finding("mask_after_softmax")
        kept = shares_kept(cases)
        if kept is not None:
            return Finding("pads_keep_share", {"sum": number(kept)})
        if all(in_rows(case) for case in cases):
            first = weights[0].sum(axis=-1)
            return Finding("rows_in_proportion", {"sum": number(first[~np.isclose(first, 1, atol=NEAR)].flat[0])})
    if all(np.allclose(case.weights.sum(axis=-1) * case.given.d_k**0.5, 1, atol=NEAR) for case in cases):
        return Finding("after_softmax")
    for mistake, axes in (
        ("softmax_over_queries", (-2,)),
        ("softmax_over_everything", (-2, -1)),
        ("softmax_over_heads", (0,)),
    ):
        if mistake == "softmax_over_heads" and any(w.ndim < 3 for w in weights):
            continue
        if all(np.allclose(w.sum(axis=axes), 1, atol=NEAR) for w in weights) and not all(map(has_rows_of_0, weights)):
            return Finding(mistake)
    if any((w < -NEAR).any() for w in weights):
        return None  # no shares at all: the sums say nothing
    first = weights[0].sum(axis=-1)
    wrong = first[~np.isclose(first, 1, atol=NEAR)]
    return Finding("rows_do_not_sum", {"sum": number(wrong[0])}) if len(wrong) else Finding("some_rows_do_not_sum")


def right_weights(given: Given, allowed: Any) -> Array:
    """Return the softmax of the scaled scores, with these keys allowed."""
    return np.asarray(softmax(np.where(allowed, given.scores / given.d_k**0.5, -np.inf)))


def after_the_mask(case: Met) -> Array:
    """Return the weights of all keys, with 0 for forbidden ones."""
    return right_weights(case.given, True) * case.given.allowed


def in_rows(case: Met) -> bool:
    """Whether each row is the right one times a number of its own, which is not 1 in all rows."""
    totals = case.weights.sum(axis=-1, keepdims=True)
    right = right_weights(case.given, case.given.allowed)
    return np.allclose(case.weights, right * totals, atol=NEAR) and not np.allclose(totals, 1, atol=NEAR)


def has_rows_of_0(weights: Array) -> bool:
    """Whether each row sums to 0 or to 1: then rows became 0, and nothing else is wrong with the sums."""
    return bool(np.isclose(weights.sum(axis=-1)[..., None], [0, 1], atol=NEAR).any(axis=-1).all())


def shares_kept(cases: list[Met]) -> float | None:
    """Return a row's sum below 1, where just the rows with forbidden keys sum to less, with 0 at these; else None."""
    short: list[float] = []
    for weights, given in cases:
        if given.allowed is None:
            return None
        allowed = np.broadcast_to(given.allowed, weights.shape)
        full, along = allowed.all(axis=-1), weights.sum(axis=-1)
        if (np.abs(weights[~allowed]) > NEAR).any() or (weights < -NEAR).any() or (along[~full] > 1 - NEAR).any():
            return None
        if not np.allclose(along[full], 1, atol=NEAR):
            return None
        short += along[~full].tolist()
    return short[0] if short else None


def leaks(cases: list[Met]) -> Finding | None:
    """See weight on a forbidden key."""
    largest = []
    for case in cases:
        allowed = case.given.allowed
        if allowed is None:
            return None
        largest.append(np.abs(np.where(allowed, 0, case.weights)).max(initial=0))
    return Finding("mask_leaks", {"weight": number(largest[0])}) if all(size > NEAR for size in largest) else None


def best_alone(cases: list[Met]) -> Finding | None:
    """See weight 1 on the key with the largest score, and 0 elsewhere."""
    for case in cases:
        scores, allowed = case.given.scores, case.given.allowed
        masked = scores if allowed is None else np.where(allowed, scores, -np.inf)
        if not np.allclose(case.weights, masked == masked.max(axis=-1, keepdims=True), atol=NEAR):
            return None
    several = any(case.weights.shape[-1] > 1 for case in cases)
    return Finding("winner_takes_all") if several else None


def unread(cases: list[Met]) -> Finding | None:
    """See weight 0 on keys that are allowed and that the right softmax reads."""
    future = []
    if any((case.weights < -NEAR).any() or not np.allclose(case.weights.sum(axis=-1), 1) for case in cases):
        return None  # no shares: a 0 among them says nothing
    for case in cases:
        scores, allowed = case.given.scores / case.given.d_k**0.5, case.given.allowed
        masked = scores if allowed is None else np.where(allowed, scores, -np.inf)
        skipped = (softmax(masked) > NEAR) & (np.abs(case.weights) < 1e-12)
        if not skipped.any() or (case.weights.max(axis=-1) > 1 - 1e-12).all():
            return None  # the second: the largest takes everything
        if not np.allclose(case.weights, softmax(np.where(skipped, -np.inf, masked)), atol=NEAR):
            return None  # the others are no shares of their scores either: a score far below says it as well
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


def made_up(cases: list[Met]) -> Finding | None:
    """Say of what the divisor is made, from cases whose sizes all differ; None where that cannot be told."""
    divisors = [divisor_of(case) for case in cases]
    known = [float(divisor) for divisor in divisors if divisor]
    if len(known) < len(cases):
        return None
    d_k = [float(case.given.d_k) for case in cases]
    if np.allclose(known, np.sqrt(d_k), rtol=1e-3):
        return None
    shown = next(i for i, divisor in enumerate(known) if not np.isclose(divisor, d_k[i] ** 0.5, rtol=1e-3))
    values: dict[str, Any] = {
        "divisor": number(known[shown]),
        "root": number(d_k[shown] ** 0.5),
        "what": cases[0].given.what,
    }
    values |= {"n_keys": cases[shown].weights.shape[-1], "d_k": int(d_k[shown])}
    if np.allclose(known, known[0], rtol=1e-3):
        one = np.isclose(known[0], 1)  # the root of a size that is 1 here, of the heads say
        return None if one else Finding("divisor_constant", values)
    made = made_of(known, [sizes_met(case) for case in cases])
    return Finding("divisor_made_of", values | {"made": made}) if made else None


def sizes_met(case: Met) -> dict[str, float]:
    """Return the sizes of which a divisor may be made, as they are called."""
    n_queries, n_keys = case.weights.shape[-2:]
    d_k = case.given.d_k
    sizes = {"d_k": d_k, "n_keys": n_keys, "n_queries": n_queries, "(d_k + 1)": d_k + 1, "(d_k - 1)": d_k - 1}
    if case.given.V is not None:
        sizes["d_v"] = case.given.V.shape[-1]
    sizes |= {"min(n_keys, d_k)": min(n_keys, d_k), "max(n_keys, d_k)": max(n_keys, d_k)}
    return {label: float(size) for label, size in sizes.items()}


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
