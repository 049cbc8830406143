"""Diagnosis by steps: an exercise taken apart into steps, each with the ways in which it is met.

All combinations are played, those nearest to the right one first. The one that gives the answer in every wrong case
says, step by step, what was calculated.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .compare import close
from .exercise import Finding, Rule, Seen

LEAST = 2  # wrong numbers that must be met
MOST = 3  # slips at once

TABLES: dict[str, tuple[Mapping[str, Any], Callable[..., Any]]] = {}  # mistake -> steps, play


def by_steps(mistake: str, steps: Mapping[str, Any], play: Callable[..., Any]) -> Rule:
    """Return the rule that names the ways of all steps.

    `steps` has, for each step, its ways by their words; the right way stands first. `play` takes one way for each
    step, by name, and the arguments of a case by position.
    """
    TABLES[mistake] = steps, play
    names = list(steps)
    every = product(*(range(len(steps[name])) for name in names))
    ways = sorted(
        (choice for choice in every if sum(map(bool, choice)) <= MOST), key=lambda choice: sum(map(bool, choice))
    )

    def rule(seen: Sequence[Seen]) -> Finding | None:
        wrong = [one for one in seen if not one.right and one.found and one.found[0].shape == one.needed[0].shape]
        wrong = [one for one in wrong if np.isfinite(one.found[0]).all()]
        entries = sum(int((~close(one.found[0], one.needed[0])).sum()) for one in wrong)
        if entries < LEAST:
            return None
        wrong.sort(key=lambda one: -one.found[0].size)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # "mean of empty slice" and the like
            return _first_that_gives(wrong)

    def _first_that_gives(wrong: Sequence[Seen]) -> Finding | None:
        for choice in ways[1:]:
            words = {name: list(steps[name])[i] for name, i in zip(names, choice)}
            chosen = {name: steps[name][word] for name, word in words.items()}
            if all(_gives(play, chosen, one) for one in wrong):
                return Finding(mistake, words)
        return None

    return rule


def _gives(play: Callable[..., Any], chosen: Mapping[str, Any], one: Seen) -> bool:
    try:
        made = np.asarray(play(*one.arguments.values(), **chosen))
    except (ValueError, IndexError, ZeroDivisionError, TypeError):
        return False
    return made.shape == one.found[0].shape and bool(close(made.astype(float), one.found[0].astype(float)).all())
