"""Does an answer loop over rows, seen by running it: how many steps Python takes as the input grows."""

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from .exercise import Exercise, Function
from .runner import Returned, run_cases

NUMPY = str(Path(np.__file__).parent)
SIZES = (3, 6, 9)
HALF = 0.5  # steps for each row, or pair of rows, that count as a loop: one step is far more


def loops_taken(exercise: Exercise, function: Function) -> int | None:
    """Return 0, 1 or 2: how many loops over the growing size a function takes, hidden ones as in `map` too.

    A loop over a fixed number of things, as three projections, is none. None
    where the function does not get through.
    """
    if exercise.grown is None:
        return None
    counts: list[int] = []
    outcomes = run_cases(exercise, _counting(function, counts), [exercise.grown(n) for n in SIZES], time_limit=2)
    if len(counts) < len(SIZES) or not all(isinstance(outcome, Returned) for outcome in outcomes):
        return None
    first, second, third = counts  # a + b n + c n^2 at n = 3, 6, 9
    if (third - 2 * second + first) / 18 > HALF:
        return 2
    return int((third - first) / 6 > HALF)


def _counting(function: Function, counts: list[int]) -> Function:
    """Return the function, made to append how many steps Python takes in it."""

    def counted(*arguments: Any) -> Any:
        steps = 0

        def trace(frame: FrameType, event: str, argument: Any) -> Callable[..., Any]:
            nonlocal steps
            if frame.f_code.co_filename.startswith(NUMPY):
                return trace  # np.split, say, steps through the heads by itself
            frame.f_trace_opcodes = True
            steps += 1
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            return function(*arguments)
        finally:
            sys.settrace(before)
            counts.append(steps)

    return counted
