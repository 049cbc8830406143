"""Where the turning lab begins: a query and a key, their positions, and how fast their pairs turn."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class TwoTokens:
    query: int  # positions before both are moved
    key: int
    speeds: tuple[float, ...]  # by how many radians a position each pair is turned
    rows: tuple[tuple[float, ...], tuple[float, ...]]  # query and key before they are turned, two numbers a pair
    goal: str  # the start, which says what there is to do
    both: int = 0  # how far both are moved
    divided: int = 1  # what each position is divided by before it turns a pair

    def turns(self) -> tuple[float, ...]:
        """Return by how many radians a position turns each pair."""
        return tuple(speed / self.divided for speed in self.speeds)


SPEEDS = (1.0, 0.32, 0.1, 0.03)  # 100 to the −i/4, rounded to what a slider of 0.01 can show
PAIR = (1.0, 0.0)
#: A query that was turned back by one position beforehand: it fits the key one position earlier best.
TURNED_BACK = tuple(np.round([part for speed in SPEEDS for part in (np.cos(speed), -np.sin(speed))], 2).tolist())
STATES = {
    "one": TwoTokens(query=5, key=3, speeds=(1.0,), rows=(PAIR, PAIR), goal="one"),
    "again": TwoTokens(query=0, key=0, speeds=(1.0,), rows=(PAIR, PAIR), goal="again"),
    "four": TwoTokens(query=25, key=0, speeds=SPEEDS, rows=(PAIR * 4, PAIR * 4), goal="four"),
    "back": TwoTokens(query=9, key=3, speeds=SPEEDS, rows=(TURNED_BACK, PAIR * 4), goal="back"),
}
