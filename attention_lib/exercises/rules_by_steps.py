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
from .compare import close, first_differs
from .exercise import Finding, Rule, Seen

LEAST = 2  # wrong numbers that must be met
MOST = 3  # slips at once
CASES_KEPT = 128

TABLES: dict[str, tuple[Mapping[str, Any], Callable[..., Any]]] = {}  # mistake -> steps, play


def by_steps(mistake: str, steps: Mapping[str, Any], play: Callable[..., Any]) -> Rule:
    """Return the rule that names the steps that differ.

    `steps` has, for each step, its ways by their words; the right way stands first. `play` takes one way for each
    step, by name, and the arguments of a case by position; it returns the first part of the answer, or a tuple of all.
    """
    TABLES[mistake] = steps, play
    names = list(steps)
    words = {name: list(steps[name]) for name in names}
    every = product(*(range(len(steps[name])) for name in names))
    ways = sorted(
        (choice for choice in every if sum(map(bool, choice)) <= MOST), key=lambda choice: sum(map(bool, choice))
    )

    kept: dict[tuple[int, ...], tuple[Any, dict[tuple[int, ...], Any]]] = {}  # ids of arguments -> them, what was made

    def made_of(choice: tuple[int, ...], one: Seen) -> Any:
        """Return what a combination makes of a case: the same for every answer, so it is kept."""
        key = tuple(map(id, one.arguments.values()))
        if key not in kept and len(kept) >= CASES_KEPT:
            kept.clear()
        _, made = kept.setdefault(key, (tuple(one.arguments.values()), {}))  # held, so that an id stays its own
        if choice not in made:
            chosen = {name: steps[name][words[name][i]] for name, i in zip(names, choice)}
            made[choice] = _made(play, chosen, one)
        return made[choice]

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
        for choice in ways[1:]:
            if all(_gives(made_of(choice, one), one) for one in wrong):
                in_wrong = in_wrong or choice
                if all(_gives(made_of(choice, one), one) for one in right):
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


def _entries_off(one: Seen) -> int:
    """Count the numbers that are wrong, those that are nan left aside."""
    return sum(
        int((~close(found, needed) & np.isfinite(found)).sum()) if found.shape == needed.shape else 0
        for found, needed in zip(one.found, one.needed)
    )


def _made(play: Callable[..., Any], chosen: Mapping[str, Any], one: Seen) -> list[NDArray[Any]] | None:
    """Return the parts of what one way for each step makes of a case; None where it makes nothing."""
    try:
        made = play(*one.arguments.values(), **chosen)
        return [np.asarray(part).astype(float) for part in (made if isinstance(made, tuple) else (made,))]
    except (ValueError, IndexError, ZeroDivisionError, TypeError):
        return None


def _gives(made: list[NDArray[Any]] | None, one: Seen) -> bool:
    return made is not None and all(_agrees(part, had.astype(float)) for part, had in zip(made, one.found))


def _agrees(made: NDArray[Any], had: NDArray[Any]) -> bool:
    """Whether the same numbers came; where nan did, 0 in its place is the same: a row without a key."""
    if made.shape != had.shape or first_differs(made, had):
        return False
    return bool((close(made, had) | (np.isnan(had) & (made == 0))).all())
