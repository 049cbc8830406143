"""Diagnosis of a softmax by the rows in which it fails: which number was subtracted before exp, if any.

Each way of keeping exp in range fails in rows of its own kind: where scores are large, far below 0, far below those
of another row, or far below a forbidden one. The way whose rows are just those that are wrong is named.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .compare import close
from .exercise import Arguments, Finding, Rule, Seen
from .kept import OfCases

Array = NDArray[Any]
FILLS = (-20.0, -50.0, *(-(10.0**power) for power in range(2, 16)))
WITH_NUMBERS = ("finite_fill",)  # nan is none of their making
ONLY_ALONE = ("mean_subtracted", "smallest_subtracted", "place_subtracted", "undivided_largest")
A_LITTLE = 1e-9  # what some add to a divisor, against 0 / 0
LARGE = 700.0  # exp of more than 709 is inf, of less than -745 it is 0


class Scores(NamedTuple):
    """What goes into the softmax, along the last axis; `allowed` is None where nothing is masked.

    `undivided` is what the scores were before a division, where the exercise asks for one.
    """

    scores: Array
    allowed: Array | None = None
    undivided: Array | None = None


def shares(scores: Array, shift: Any, little: float = 0.0) -> Array:
    """Return exp(scores - shift) divided by the sum, with nan where that comes; `little` is added to the sum."""
    exps = np.exp(scores - shift)
    return np.asarray(exps / (exps.sum(axis=-1, keepdims=True) + little))


def hidden_after_exp(scores: Array, allowed: Array, shift: Any) -> Array:
    """Return the shares where the mask is multiplied with the exps: inf * 0 is nan."""
    exps = np.exp(scores - shift) * allowed
    return np.asarray(exps / exps.sum(axis=-1, keepdims=True))


def ways(given: Scores) -> dict[str, list[Array]]:
    """Return what each way of keeping exp in range makes of masked scores."""
    scores = given.scores
    masked = scores if given.allowed is None else np.where(given.allowed, scores, -np.inf)
    own = masked.max(axis=-1, keepdims=True)
    finite = np.where(np.isfinite(masked), masked, 0)
    made = {
        "softmax_not_stable": [shares(masked, 0.0), shares(masked, -np.where(np.isfinite(own), own, 0))],
        "largest_of_everything": [
            shares(masked, x.max(), little) for x in (masked, scores) for little in (0, A_LITTLE)
        ],
        "exps_vanish": [
            shares(masked, np.maximum(own, 0)),
            shares(masked, np.abs(finite).max(axis=-1, keepdims=True)),
            shares(masked, np.abs(scores).max(axis=-1, keepdims=True)),
        ],
        "clipped": [
            shares(np.where(np.isfinite(masked), cut, -np.inf), 0.0)
            for limit in (20, 50, 80, 88, 100, 500, 700, 709)
            for cut in (np.clip(scores, -limit, limit), np.minimum(scores, limit))
        ],
    }
    if given.allowed is not None:
        made["largest_before_mask"] = [shares(masked, scores.max(axis=-1, keepdims=True))]
        made["finite_fill"] = [
            shares(filled, filled.max(axis=-1, keepdims=True))
            for filled in (np.where(given.allowed, scores, fill) for fill in FILLS)
        ]
        of_allowed = np.where(given.allowed, scores, 0).max(axis=-1, keepdims=True)
        made["inf_times_zero"] = [
            hidden_after_exp(scores, given.allowed, shift)
            for shift in (0.0, np.where(np.isfinite(own), own, 0), of_allowed)
        ]
    made["mean_subtracted"] = [shares(masked, x.mean(axis=-1, keepdims=True)) for x in (scores, finite)]
    made["smallest_subtracted"] = [shares(masked, x.min(axis=-1, keepdims=True)) for x in (scores, finite)]
    made["place_subtracted"] = [shares(masked, masked.argmax(axis=-1)[..., None])]
    if given.undivided is not None:
        large = given.undivided if given.allowed is None else np.where(given.allowed, given.undivided, -np.inf)
        made["undivided_largest"] = [shares(masked, x.max(axis=-1, keepdims=True)) for x in (large, given.undivided)]
    return made


def range_rule(given: Callable[..., Scores], turned: Callable[..., Array] = lambda x, *arguments: x) -> Rule:
    """Return the rule for an exercise in which a softmax must bear all numbers.

    `given` takes the arguments; `turned` an answer and the arguments, and puts the rows of the softmax last but one.
    """

    def look(arguments: Arguments) -> "_Failing":
        return failing_rows(given(*arguments))

    of_case = OfCases(look)  # the same for every answer

    def rule(seen: Sequence[Seen]) -> Finding | None:
        if any(not one.found or one.found[0].shape != one.needed[0].shape for one in seen):
            return None
        observed, made, large = [], [], []
        for one in seen:
            arguments = tuple(one.arguments.values())
            found, needed = (turned(x, *arguments) for x in (one.found[0], one.needed[0]))
            case = of_case(arguments)
            observed.append((~close(found, needed)).any(axis=-1) & case.alive)
            made.append(case.by_mistake)
            whole = np.isfinite(found).all(axis=-1) & (np.abs(found).max(axis=-1) > 0)
            large.append(bool((case.high & observed[-1] & whole).any()))
        if not any(wrong.any() for wrong in observed):
            return None
        possible = []
        for mistake in made[0]:
            if any(large) and mistake == "softmax_not_stable":
                continue  # finite numbers came of large scores: exp did not overflow
            if mistake in WITH_NUMBERS and not all(one.right or np.isfinite(one.found[0]).all() for one in seen):
                continue
            for i in range(len(made[0][mistake])):
                if all(np.array_equal(rows[mistake][i], wrong) for rows, wrong in zip(made, observed)):
                    possible.append(mistake)
                    break
        if not possible or (len(possible) > 1 and possible[0] in ONLY_ALONE):
            return None
        return Finding(possible[0])

    return rule


class _Failing(NamedTuple):
    """Of a case: the rows that have keys, those with large scores, and those in which each way fails."""

    alive: Array
    high: Array
    by_mistake: dict[str, list[Array]]


def failing_rows(given: Scores) -> _Failing:
    """Return the rows in which each way of keeping exp in range fails."""
    allowed = np.ones(given.scores.shape, dtype=bool) if given.allowed is None else given.allowed
    alive, right = np.asarray(allowed.any(axis=-1)), right_shares(given)
    high = np.asarray(np.where(allowed, given.scores, -np.inf).max(axis=-1) > LARGE)

    def fails(way: Array) -> Array:
        return np.asarray((~close(way, right)).any(axis=-1) & alive)

    return _Failing(alive, high, {mistake: list(map(fails, made)) for mistake, made in ways(given).items()})


def right_shares(given: Scores) -> Array:
    """Return the softmax of the masked scores; a row without keys is nan."""
    masked = given.scores if given.allowed is None else np.where(given.allowed, given.scores, -np.inf)
    return shares(masked, masked.max(axis=-1, keepdims=True))
