"""Answers in float32: what float32 cannot hold is not asked of them. Nor is `x /= 2` on an array of int."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .exercise import Arguments, Case, Exercise, Function
from .runner import Outcome, Raised, Returned, run_cases

CANNOT_CAST = "Cannot cast ufunc"  # words of numpy
LARGEST = 1e18  # two numbers up to this have a product that float32 holds


def answers(
    exercise: Exercise, function: Function, cases: Sequence[Case], expected: Sequence[Outcome], time_limit: float
) -> list[Outcome]:
    """Return what a function makes of the cases; what is needed, where one meets numbers that are not asked of it."""
    found = run_cases(exercise, function, [case.arguments for case in cases], time_limit)
    lenient = [
        case.hard and (will_not_cast(outcome) or (is_single(outcome) and beyond_single(case)))
        for case, outcome in zip(cases, found)
    ]
    return [needed if lets else outcome for lets, outcome, needed in zip(lenient, found, expected)]


def will_not_cast(outcome: Outcome) -> bool:
    """Whether numpy refused to write floats into an array of int: loudly, where others cut them off in silence."""
    return isinstance(outcome, Raised) and CANNOT_CAST in outcome.text


def has_ints(arguments: Arguments, usual: Arguments) -> bool:
    """Whether arrays of int stand where floats usually do."""
    pairs = [pair for pair in zip(arguments, usual) if all(isinstance(each, np.ndarray) for each in pair)]
    return any((a.dtype.kind, b.dtype.kind) == ("i", "f") for a, b in pairs)


def is_single(outcome: Outcome) -> bool:
    """Whether an answer was given in float32."""
    return isinstance(outcome, Returned) and all(part.dtype == np.float32 for part in outcome.parts)


def beyond_single(case: Case) -> bool:
    """Whether an argument of a case, or a product of two, is larger than float32 can hold."""
    return any(_largest(argument) > LARGEST for argument in case.arguments)


def _largest(argument: Any) -> float:
    is_array = isinstance(argument, np.ndarray) and argument.dtype.kind == "f" and argument.size
    return float(np.abs(argument).max()) if is_array else 0.0
