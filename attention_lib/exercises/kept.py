"""What is the same for every answer, or is asked by many rules, is worked out once and kept."""

import functools
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .exercise import Arguments

Asked = TypeVar("Asked")
Made = TypeVar("Made")
CASES_KEPT = 128


class OfCases(Generic[Made]):
    """One thing for each case, made of its arguments when it is first asked for.

    A case is known by its very arguments. They are held, so that an id stays their own.
    """

    def __init__(self, make: Callable[[Arguments], Made], most: int = CASES_KEPT) -> None:
        self._make, self._most = make, most
        self._kept: dict[tuple[int, ...], tuple[Arguments, Made]] = {}

    def __call__(self, arguments: Arguments) -> Made:
        key = tuple(map(id, arguments))
        if key not in self._kept:
            if len(self._kept) >= self._most:
                self._kept.clear()
            self._kept[key] = arguments, self._make(arguments)
        return self._kept[key][1]


def for_the_last(work: Callable[[Asked], Made]) -> Callable[[Asked], Made]:
    """Keep what a function made of the last thing that it was asked: rules look at the same cases one by one."""
    kept: list[Any] = []

    @functools.wraps(work)
    def once(asked: Asked) -> Made:
        if not kept or kept[0] is not asked:
            kept[:] = asked, work(asked)
        made: Made = kept[1]
        return made

    return once
