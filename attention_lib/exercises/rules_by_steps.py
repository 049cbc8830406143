"""Diagnosis by steps: an exercise taken apart into steps, each with the ways in which it is met.

All combinations are played, those nearest to the right one first. One that gives the answer in every case says what
was calculated; where there is none, one that gives it in every wrong case. Only the steps that differ are said.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..mistakes.said_of_steps import LEADS, STEP_LINES
from .compare import close, differs_at_a_glance
from .exercise import Arguments, Finding, Rule, Seen
from .kept import OfCases

LEAST = 2  # wrong numbers that must be met
MOST = 3  # slips at once

TABLES: dict[str, tuple[Mapping[str, Any], Callable[..., Any]]] = {}  # mistake -> steps, play


def by_steps(mistake: str, steps: Mapping[str, Any], play: Callable[..., Any]) -> Rule:
    """Return the rule that names the steps that differ.

    `steps` has, for each step, its ways by their words; the right way stands first. `play` takes one way for each
    step, by name, and the arguments of a case by position; it returns the answer, a tuple where it has several parts.
    """
    TABLES[mistake] = steps, play
    names = list(steps)
    words = {name: list(steps[name]) for name in names}
    every = product(*(range(len(steps[name])) for name in names))
    ways = sorted(
        (choice for choice in every if sum(map(bool, choice)) <= MOST), key=lambda choice: sum(map(bool, choice))
    )

    def made_of(arguments: Arguments) -> "_Played":
        return _Played(lambda choice: _made(play, {n: steps[n][words[n][i]] for n, i in zip(names, choice)}, arguments))

    played = OfCases(made_of)  # the same for every answer

    def rule(seen: Sequence[Seen]) -> Finding | None:
        told = [one for one in seen if one.found and one.found[0].shape == one.needed[0].shape]
        wrong = [one for one in told if not one.right and np.isfinite(one.found[0]).any()]
        if sum(map(_entries_off, wrong)) < LEAST:
            return None
        wrong.sort(key=lambda one: -one.found[0].size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "mean of empty slice" and the like
            return _nearest(wrong, [one for one in told if one.right], len(told) == len(seen))

    def _nearest(wrong: Sequence[Seen], right: Sequence[Seen], all_told: bool) -> Finding | None:
        """Return the nearest choice that gives every case; else the nearest that gives those that are wrong."""
        in_wrong = None
        of_wrong, of_right = ([(played(tuple(one.arguments.values())), one) for one in seen] for seen in (wrong, right))
        for choice in ways[1:]:
            if all(_gives(made[choice], one) for made, one in of_wrong):
                in_wrong = in_wrong or choice
                if all(_gives(made[choice], one) for made, one in of_right):
                    return _said(choice, "every" if all_told else "wrong")
        return _said(in_wrong, "wrong") if in_wrong else None

    def _said(choice: Sequence[int], lead: str) -> Finding:
        lines = [
            STEP_LINES[mistake][name].format(way=words[name][i], right=words[name][0])
            for name, i in zip(names, choice)
            if i
        ]
        return Finding(mistake, {"lead": LEADS[lead], "steps": " ".join(lines)})

    return rule


class _Played(dict[tuple[int, ...], Any]):
    """What each combination makes of a case, played when it is first asked for."""

    def __init__(self, play: Callable[[tuple[int, ...]], Any]) -> None:
        super().__init__()
        self._play = play

    def __missing__(self, choice: tuple[int, ...]) -> Any:
        self[choice] = self._play(choice)
        return self[choice]


def _entries_off(one: Seen) -> int:
    """Count the numbers that are wrong, those that are nan left aside."""
    return sum(
        int((~close(found, needed) & np.isfinite(found)).sum()) if found.shape == needed.shape else 0
        for found, needed in zip(one.found, one.needed)
    )


def _made(play: Callable[..., Any], chosen: Mapping[str, Any], arguments: Arguments) -> list[NDArray[Any]] | None:
    """Return the parts of what one way for each step makes of a case; None where it makes nothing."""
    try:
        made = play(*arguments, **chosen)
        return [np.asarray(part).astype(float) for part in (made if isinstance(made, tuple) else (made,))]
    except (ValueError, IndexError, ZeroDivisionError, TypeError):
        return None


def _gives(made: list[NDArray[Any]] | None, one: Seen) -> bool:
    return made is not None and len(made) == len(one.found) and all(map(_agrees, made, one.found))


def _agrees(made: NDArray[Any], had: NDArray[Any]) -> bool:
    """Whether the same numbers came; where nan did, 0 in its place is the same: a row without a key."""
    if made.shape != had.shape or differs_at_a_glance(made, had):
        return False
    had = had.astype(float)
    return bool((close(made, had) | (np.isnan(had) & (made == 0))).all())
