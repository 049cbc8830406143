"""Where the turning lab begins: a query and a key, their positions, and how fast their pairs turn."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TwoTokens:
    """What is set in the lab.

    Attributes
    ----------
    query, key : int
        Positions before both are moved.
    both : int
        How far both are moved.
    speeds : tuple of float
        By how many radians a position each pair is turned.
    rows : tuple of two tuples
        The query and the key before they are turned, two numbers a pair.
    goal : str
        The start, which says what there is to do.
    """

    query: int
    key: int
    speeds: tuple[float, ...]
    rows: tuple[tuple[float, ...], tuple[float, ...]]
    goal: str
    both: int = 0


def _pairs(n: int, *numbers: float) -> tuple[float, ...]:
    return tuple(numbers) * n


SPEEDS = (1.0, 0.32, 0.1, 0.03)  # 100 to the −i/4, rounded to what a slider of 0.01 can show
ONE = ((1.0, 0.0), (1.0, 0.0))
FOUR = (_pairs(4, 1.0, 0.0), _pairs(4, 1.0, 0.0))


def _one_further(speeds: tuple[float, ...]) -> tuple[float, ...]:
    """A query that was turned back by one position beforehand: it fits the key one position earlier best."""
    return tuple(np.round([part for s in speeds for part in (np.cos(s), -np.sin(s))], 2).tolist())


STATES = {
    "one": TwoTokens(query=5, key=3, speeds=(1.0,), rows=ONE, goal="one"),
    "again": TwoTokens(query=0, key=0, speeds=(1.0,), rows=ONE, goal="again"),
    "four": TwoTokens(query=25, key=0, speeds=SPEEDS, rows=FOUR, goal="four"),
    "back": TwoTokens(query=9, key=3, speeds=SPEEDS, rows=(_one_further(SPEEDS), FOUR[1]), goal="back"),
}
