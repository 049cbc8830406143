"""Diagnosis by running an answer again: what any right attention keeps is asked of a learner's own function.

Where no known mistake and no rule says what is wrong, the answer is given made-up queries, keys and values, once as
they are and once changed in a way that must not matter. What moves all the same names the mistake.
"""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..masks import causal_mask
from ..mistakes.properties import BROKEN, OF_ATTENTION, SEED, made_up_rows
from .describe import number
from .exercise import Arguments, Exercise, Finding, Function, direct
from .rules_by_argument import broken_relation, without_say
from .rules_of_weights import Given, Met, made_up
from .runner import NotTried, Returned, run_cases
from .sources import text_of

Array = NDArray[Any]
#: Findings that say little: what a property says goes before them.
VAGUE = (
    *("another_divisor", "slices_missing", "another_count"),
    *("shares_do_not_sum", "nearly", "nan_found", "inf_found", "wrong_in_place"),
    *("right_in_place", "right_where", "row_factor", "column_factor", "shuffled", "accepts_everything"),
    *("refuses_everything", "refuses_every_right", "refuses_right", "lets_through"),
    *("fewer_axes", "more_axes", "sizes_exchanged", "factor_each", "power", "some_rows_do_not_sum"),
)

#: What every attention without a mask keeps.
KEPT = ("row sums", "key order", "one query", "shift", "values")


class Keeps(NamedTuple):
    """What an exercise's right answer keeps, and how it is given queries, keys and values.

    `arguments` takes Q, K, V (n, d) and a mask or None, and returns the arguments with which the function attends
    from these queries to these keys; `answer` takes what it returned, and gives the output, (n, d_v).
    """

    names: tuple[str, ...]
    arguments: Callable[[Array, Array, Array, Array | None], Arguments]
    answer: Callable[[Array], Array] = lambda output: output
    causal: bool = False  # whether the function is given a causal mask
    square: bool = False  # whether there must be as many keys as queries


class _CannotSay(Exception):
    """The answer raised, or returned what is no output."""


def broken_property(exercise: Exercise, function: Function, time_limit: float, seed: int = SEED) -> Finding | None:
    """Name the first property that an answer does not keep; None where it keeps all, or cannot be asked."""
    if exercise.may_return_none:
        return _without_verdict(exercise, function, time_limit)
    return broken_relation(exercise, function, time_limit, seed) or _property_not_kept(
        exercise, function, time_limit, seed
    )


def silent_or_scaled(exercise: Exercise, function: Function, time_limit: float, seed: int = SEED) -> Finding | None:
    """Say of what the divisor is made, or which argument has no say; None where neither can be told."""
    return divisor_by_running(exercise, function, time_limit, seed) or without_say(exercise, function, time_limit, seed)


def divisor_by_running(exercise: Exercise, function: Function, time_limit: float, seed: int = SEED) -> Finding | None:
    """Say of what the divisor of the scores is made, by running with values that show the weights."""
    keeps = exercise.keeps
    if keeps is None:
        return None
    rng = np.random.default_rng(seed)
    givens, cases = [], []
    for n_queries, n_keys, d_k, more in ((2, 6, 4, 1), (4, 3, 7, 4), (7, 5, 2, 6), (3, 8, 5, 3), (5, 4, 11, 5)):
        n = n_keys if keeps.square else n_queries
        Q, K = rng.standard_normal((n, d_k)), rng.standard_normal((n_keys, d_k))
        V = np.eye(n_keys, n_keys + more)
        mask = causal_mask(n, n_keys) if keeps.causal else None
        givens.append(Given(Q @ K.T, d_k, V, mask))
        cases.append(keeps.arguments(Q, K, V, mask))
    met = []
    for given, outcome in zip(givens, run_cases(exercise, function, cases, time_limit)):
        if not isinstance(outcome, Returned) or outcome.parts[0].dtype.kind != "f":
            return None
        output = keeps.answer(outcome.parts[0])
        if (
            given.V is None
            or output.shape != (given.scores.shape[0], given.V.shape[-1])
            or not np.isfinite(output).all()
        ):
            return None
        weights = output[:, : given.scores.shape[1]]
        if output[:, given.scores.shape[1] :].any():
            return None
        met.append(Met(weights, given))
    return made_up(met) if len(met) == len(givens) else None


def _property_not_kept(exercise: Exercise, function: Function, time_limit: float, seed: int) -> Finding | None:
    """Name the first property of every attention that an answer does not keep."""
    keeps = exercise.keeps
    if keeps is None:
        return None
    end = time.monotonic() + time_limit

    def attend(Q: Array, K: Array, V: Array, mask: Array | None) -> Array:
        left = end - time.monotonic()
        outcomes = run_cases(exercise, function, [keeps.arguments(Q, K, V, mask)], left) if left > 0 else []
        if not outcomes or not isinstance(outcomes[0], Returned):
            raise _CannotSay
        output = keeps.answer(outcomes[0].parts[0])
        if output.shape != (len(Q), V.shape[1]) or output.dtype.kind != "f":
            raise _CannotSay
        return output

    for name in keeps.names:
        try:
            moved = OF_ATTENTION[name](attend, *_given(keeps, seed))
        except (_CannotSay, ValueError, IndexError):
            continue  # another property may say more
        if moved > BROKEN:
            return Finding("breaks_" + name.replace(" ", "_"), {"moved": number(np.float64(moved))})
    return None


def _without_verdict(exercise: Exercise, function: Function, time_limit: float) -> Finding | None:
    """See a test that lets everything through since it returns None, and holds no assert."""
    if "assert" in text_of(function):
        return None
    asked = replace(exercise, play=direct, may_return_none=False)
    outcomes = run_cases(asked, function, exercise.cases(np.random.default_rng(SEED)), time_limit)
    return Finding("no_verdict") if any(isinstance(outcome, NotTried) for outcome in outcomes) else None


def _given(keeps: Keeps, seed: int = SEED) -> tuple[Array, Array, Array, Array | None]:
    """Return queries, keys, values and a mask: three queries of five tokens, or five."""
    Q, K, V = made_up_rows(seed)
    Q = Q if keeps.square else Q[-3:]
    return Q, K, V, causal_mask(len(Q), len(K)) if keeps.causal else None


def side_by_side(Q: Array, K: Array, V: Array) -> tuple[Array, Array, Array, Array, Array]:
    """Return X, context, W_Q, W_K and W_V of which Q, K and V come."""
    d_k, d_v = K.shape[1], V.shape[1]
    X = np.hstack([Q, np.zeros((len(Q), d_k + d_v))])  # (n_queries, 2 * d_k + d_v)
    context = np.hstack([np.zeros((len(K), d_k)), K, V])  # (n_keys, 2 * d_k + d_v)
    cut = np.eye(2 * d_k + d_v)
    return X, context, cut[:, :d_k], cut[:, d_k : 2 * d_k], cut[:, 2 * d_k :]


def of_one_sentence(Q: Array, K: Array, V: Array, mask: Array | None) -> Arguments:
    """Return X, W_Q, W_K and W_V of which Q, K and V come; as many queries as keys."""
    X, context, *projections = side_by_side(Q, K, V)
    return X + context, *projections


def of_two_sentences(Q: Array, K: Array, V: Array, mask: Array | None) -> Arguments:
    """Return X, context, W_Q, W_K and W_V of which Q, K and V come."""
    return side_by_side(Q, K, V)


def as_one_head(Q: Array, K: Array, V: Array, mask: Array | None) -> Arguments:
    """Return the arguments of a layer with one head, whose W_O is the identity."""
    return *of_one_sentence(Q, K, V, mask), np.eye(V.shape[1]), 1


def plain(Q: Array, K: Array, V: Array, mask: Array | None) -> Arguments:
    """Return Q, K and V themselves."""
    return Q, K, V


def with_mask(Q: Array, K: Array, V: Array, mask: Array | None) -> Arguments:
    """Return Q, K, V and the mask, which allows everything where there is none."""
    return Q, K, V, np.ones((len(Q), len(K)), dtype=bool) if mask is None else mask
