"""Diagnosis by the right answer to another question: what comes of the solution where one argument is changed.

An answer that is wrong in every case as the solution would be with a transposed mask, or with one more repeat, says
what was done to that argument.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import same
from .exercise import Arguments, Exercise, Finding
from .runner import Outcome, Raised, Returned, run_trusted

Array = NDArray[Any]
LEAST = 2  # wrong cases that must be met

#: What is done to an argument, in words that end "`K` is ...".
CHANGES = {
    "transposed": "taken with its last two axes exchanged",
    "reversed": "taken backwards along axis {axis}",
    "moved on": "moved on by one place along axis {axis}",
    "moved back": "moved back by one place along axis {axis}",
    "without last": "taken without its last place along axis {axis}",
    "without first": "taken without its first place along axis {axis}",
    "first for all": "replaced by its first place along axis {axis}, for all",
    "last for all": "replaced by its last place along axis {axis}, for all",
    "mean for all": "replaced by its mean along axis {axis}, for all",
    "all": "True only where all along axis {axis} are True",
    "any": "True where any along axis {axis} is True",
    "first at zero": "0 in its first place along axis {axis}",
    "last at zero": "0 in its last place along axis {axis}",
    "sorted": "sorted along axis {axis}",
    "negative": "multiplied by -1",
    "size alone": "taken without its signs",
    "squared": "squared",
    "whole": "cut to whole numbers",
    "turned round": "turned round, True for False",
    "all allowed": "True everywhere",
    "one larger": "one larger",
    "one smaller": "one smaller",
    "doubled": "doubled",
    "halved": "halved",
    "root": "replaced by its root",
    "inverse": "replaced by 1 over it",
    "zero": "0",
    "one": "1",
    "at least 1": "never below 1",
    "at most 1": "never above 1",
}


def changed_arrays(x: Array) -> Iterator[tuple[str, int, Array]]:
    """Give an array changed in each way, with the way and the axis."""
    if x.ndim >= 2:
        yield "transposed", 0, x.swapaxes(-1, -2)
    for axis in range(x.ndim):
        if x.shape[axis] < 2:
            continue
        first, last = (np.take(x, [place], axis=axis) for place in (0, -1))
        yield "reversed", axis, np.flip(x, axis)
        yield "moved on", axis, np.roll(x, 1, axis)
        yield "moved back", axis, np.roll(x, -1, axis)
        yield "without last", axis, np.delete(x, -1, axis)
        yield "without first", axis, np.delete(x, 0, axis)
        yield "first for all", axis, np.broadcast_to(first, x.shape)
        yield "last for all", axis, np.broadcast_to(last, x.shape)
        if x.dtype == bool:
            yield "all", axis, np.broadcast_to(x.all(axis=axis, keepdims=True), x.shape)
            yield "any", axis, np.broadcast_to(x.any(axis=axis, keepdims=True), x.shape)
        else:
            yield "mean for all", axis, np.broadcast_to(x.mean(axis=axis, keepdims=True), x.shape)
            yield "sorted", axis, np.sort(x, axis=axis)
            for way, place in (("first at zero", 0), ("last at zero", -1)):
                emptied = np.moveaxis(x.copy(), axis, 0)
                emptied[place] = 0
                yield way, axis, np.moveaxis(emptied, 0, axis)
    if x.dtype == bool:
        yield "turned round", 0, ~x
        yield "all allowed", 0, np.ones_like(x)
    elif x.dtype.kind == "f":
        yield from (("negative", 0, -x), ("size alone", 0, np.abs(x)), ("squared", 0, x**2), ("whole", 0, np.trunc(x)))
        yield from (("doubled", 0, x * 2), ("halved", 0, x / 2))


def changed_numbers(x: float) -> Iterator[tuple[str, int, Any]]:
    """Give a number changed in each way."""
    yield from (("one larger", 0, x + 1), ("one smaller", 0, x - 1), ("doubled", 0, 2 * x), ("negative", 0, -x))
    yield from (("zero", 0, 0 * x), ("one", 0, 0 * x + 1), ("squared", 0, x**2))
    if isinstance(x, int):
        yield "halved", 0, x // 2
    elif x > 0:
        yield from (("halved", 0, x / 2), ("root", 0, x**0.5), ("inverse", 0, 1 / x))
        yield from (("at least 1", 0, max(x, 1.0)), ("at most 1", 0, min(x, 1.0)))


def changed(arguments: Arguments, names: Sequence[str]) -> dict[tuple[str, str, int], Arguments]:
    """Return the arguments with one of them changed, by its name, the way and the axis; or two exchanged."""
    made: dict[tuple[str, str, int], Arguments] = {}
    for i, (name, value) in enumerate(zip(names, arguments)):
        ways: Callable[[Any], Iterator[tuple[str, int, Any]]] | None = None
        if isinstance(value, np.ndarray):
            ways = changed_arrays
        elif isinstance(value, int | float) and not isinstance(value, bool):
            ways = changed_numbers
        for way, axis, other in ways(value) if ways else ():
            made[name, way, axis] = (*arguments[:i], other, *arguments[i + 1 :])
    for i, first in enumerate(names):
        for j in range(i + 1, len(names)):
            if isinstance(arguments[i], np.ndarray) and isinstance(arguments[j], np.ndarray):
                exchanged = list(arguments)
                exchanged[i], exchanged[j] = exchanged[j], exchanged[i]
                made[first, names[j], -1] = tuple(exchanged)
    return made


def _is_finite(outcome: Outcome) -> bool:
    return isinstance(outcome, Returned) and all(np.isfinite(part).all() for part in outcome.parts)


class _Once:
    """What the solution makes of other arguments; found when it is first asked for."""

    def __init__(self, exercise: Exercise, arguments: Arguments) -> None:
        self.exercise, self.arguments = exercise, arguments
        self.outcome: Outcome | None = None

    def __call__(self) -> Outcome:
        if self.outcome is None:
            self.outcome = run_trusted(self.exercise, self.exercise.reference(), [self.arguments])[0]
        return self.outcome


Key = tuple[str, str, int]
CASES_KEPT = 64
_kept: dict[tuple[str, int], tuple[Arguments, dict[Key, _Once]]] = {}


def other_answers(exercise: Exercise, arguments: Arguments) -> dict[Key, _Once]:
    """Return, for each change of an argument, the solution's answer: the same whoever asks, so it is kept."""
    key = exercise.name, id(arguments)
    if key not in _kept:
        if len(_kept) >= CASES_KEPT:
            _kept.clear()
        others = changed(arguments, exercise.argument_names())
        _kept[key] = arguments, {name: _Once(exercise, other) for name, other in others.items()}  # held: its id
    return _kept[key][1]


def another_question(
    exercise: Exercise, cases: Sequence[Arguments], found: Sequence[Outcome], needed: Sequence[Outcome]
) -> Finding | None:
    """Name the change of one argument with which the solution gives the answer, in every case that is wrong."""
    wrong = [i for i, (a, b) in enumerate(zip(found, needed)) if not same(a, b)]
    told = [i for i in wrong if _is_finite(found[i])]
    if len(told) < LEAST or any(not isinstance(found[i], Returned | Raised) for i in wrong):
        return None
    possible: set[tuple[str, str, int]] | None = None
    for i in sorted(told, key=lambda i: sum(np.size(value) for value in cases[i]))[::-1]:
        others = other_answers(exercise, cases[i])
        kept = set(others) if possible is None else possible & set(others)
        possible = {key for key in kept if same(others[key](), found[i])}
        if not possible:
            return None
    name, way, axis = sorted(possible or ())[0]
    if axis < 0:
        return Finding("arguments_exchanged", {"first": name, "second": way})
    return Finding("another_question", {"name": name, "change": CHANGES[way].format(axis=axis)})
