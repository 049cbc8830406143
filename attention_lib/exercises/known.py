"""What is right in each case of an exercise, and the known mistakes whose outcomes an answer shares."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..mistakes.recipes import AND
from .compare import same
from .exercise import Arguments, Case, Exercise, Function
from .registry import EXERCISES
from .runner import Outcome, Returned, run_trusted

SEED = 2017
LEAST_AGREEING = 2  # wrong cases: one may be chance

_kept_outcomes: dict[tuple[str, int, int], Outcome] = {}


@dataclass(frozen=True)
class Known:
    """The cases of an exercise, and what is right in each."""

    cases: Sequence[Case]
    expected: Sequence[Outcome]


def arguments_of(cases: Sequence[Case]) -> list[Arguments]:
    """Return what the function is given in each case."""
    return [case.arguments for case in cases]


def right_outcomes(exercise: Exercise, cases: Sequence[Case]) -> list[Outcome]:
    """Return what the solution makes of the cases."""
    return run_trusted(exercise, exercise.reference(), arguments_of(cases))


@functools.cache
def known_outcomes(name: str) -> Known:
    """Return the cases of an exercise that are always the same, and what is right in each."""
    cases = EXERCISES[name].draw(np.random.default_rng(SEED))
    return Known(cases, right_outcomes(EXERCISES[name], cases))


def name_mistake(
    exercise: Exercise, cases: Sequence[Case], found: Sequence[Outcome], expected: Sequence[Outcome]
) -> str | None:
    """Return the known mistake that gives the same outcomes in all cases, or None.

    One mistake is tried before two at once. Where nothing but nan came, every mistake that gives the same is
    possible, so it is named only if there is no other; an error alone names nothing.
    """
    wrong = [outcome for outcome, right in zip(found, expected) if not same(outcome, right)]
    if not any(isinstance(outcome, Returned) for outcome in wrong):
        return None
    n_parts = len(exercise.parts) - exercise.counts
    if all(same(without_counts(a, n_parts), without_counts(b, n_parts)) for a, b in zip(found, expected)):
        n_parts = len(exercise.parts)  # only what is counted differs
    shows = any(map(has_numbers, wrong))
    possible: list[str] = []
    for i, (mistake, _) in enumerate(wrong_forms(exercise)):
        if mistake in possible or (AND in mistake and any(AND not in other for other in possible)):
            continue
        if all(
            same(without_counts(_of_wrong_form(exercise, i, case), n_parts), without_counts(outcome, n_parts))
            for case, outcome in zip(cases, found)
        ):
            possible.append(mistake)
            if shows and AND not in mistake:
                break
    if len(possible) < 2:
        return possible[0] if possible else None
    return in_all(possible) if shows else None


def in_all(pairs: Sequence[str]) -> str | None:
    """Return the mistake that all pairs hold, where several give the same: only that one is sure."""
    common = set.intersection(*(set(pair.split(AND)) for pair in pairs))
    return common.pop() if len(common) == 1 else None


@functools.cache
def wrong_forms(exercise: Exercise) -> list[tuple[str, Function]]:
    """Return (mistake, function), one mistake before two at once."""
    return sorted(exercise.wrong_forms(), key=lambda line: AND in line[0])


def _of_wrong_form(exercise: Exercise, i: int, case: Case) -> Outcome:
    """Return what a wrong form makes of a case; kept for the cases that are always the same."""
    key = exercise.name, i, id(case)
    if key in _kept_outcomes:
        return _kept_outcomes[key]
    outcome = run_trusted(exercise, wrong_forms(exercise)[i][1], [case.arguments])[0]
    if any(case is fixed for fixed in known_outcomes(exercise.name).cases):  # these live as long as the kernel
        _kept_outcomes[key] = outcome
    return outcome


def has_numbers(outcome: Outcome) -> bool:
    """Whether there is a number, and not nan alone."""
    return isinstance(outcome, Returned) and any(part.size and np.isfinite(part).any() for part in outcome.parts)


def name_in_wrong_cases(
    exercise: Exercise, cases: Sequence[Case], found: Sequence[Outcome], expected: Sequence[Outcome]
) -> str | None:
    """Return the one mistake with which an answer agrees wherever it is wrong and both have numbers, or None.

    Two such cases are needed. Elsewhere a branch of the answer's own may stand, or an edge which one of the two does
    not bear: an empty cache, a position that is not there.
    """
    n_parts = len(exercise.parts) - exercise.counts
    wrong = [
        (case, without_counts(outcome, n_parts))
        for case, outcome, right in zip(cases, found, expected)
        if has_numbers(outcome) and not same(without_counts(outcome, n_parts), without_counts(right, n_parts))
    ]
    possible = set()
    for i, (mistake, _) in enumerate(wrong_forms(exercise)):
        if AND in mistake or mistake in possible:
            continue
        formed = [without_counts(_of_wrong_form(exercise, i, case), n_parts) for case, _ in wrong]
        agreed = [same(form, outcome) for form, (_, outcome) in zip(formed, wrong) if has_numbers(form)]
        if len(agreed) >= LEAST_AGREEING and all(agreed):
            possible.add(mistake)
    return possible.pop() if len(possible) == 1 else None


def without_counts(outcome: Outcome, n_parts: int) -> Outcome:
    """Return an outcome without the parts that only count."""
    if not isinstance(outcome, Returned) or len(outcome.parts) <= n_parts:
        return outcome
    return replace(outcome, parts=outcome.parts[:n_parts])
