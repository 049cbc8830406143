"""Lines that follow the numbers: each is written once, for Python with numbers, for the page with places to fill in.

A lab writes its line with a reader: `Written` reads the numbers and gives text, `Places` gives a mark for each
place and keeps what is to be read there. The page fills the marks in the frame in which the numbers change, with
the same functions (`attention_lib/view/js/lines.js`); a test holds the two to the same text, and what Python
says when it comes stands.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import GUARD, number_text

SHORT = 3  # decimals of a number in a calculation; zeros at its end are left out
SHARE = 4  # decimals of a bar's length
MARK = re.compile("\x02(\\d+)\x03")

At = tuple[str, int | None, int | None]  # panel, row, column; None: all of them
Case = tuple[tuple[str, int, int, float] | None, str]  # (panel, row, column, at least), or None for "else"; the line


class Written:
    """Reads places of matrices as text.

    Examples
    --------
    >>> read = Written({"weights": np.array([[0.25, 0.75]])})
    >>> read.number("weights", 0, 1, 3), read.top("weights", 0, ["a", "b"]), read.rank("weights", 0, 0)
    ('0.750', 'b', '2')
    >>> read.products(("weights", 0, None), ("weights", 0, None))
    '0.25·0.25 + 0.75·0.75'
    """

    def __init__(self, matrices: Mapping[str, NDArray[Any]]) -> None:
        self.matrices = matrices

    def number(self, panel: str, row: int, column: int, digits: int) -> str:
        """Return a cell with so many decimals."""
        return number_text(self.matrices[panel][row, column], digits)

    def short(self, panel: str, row: int, column: int) -> str:
        """Return a cell as a calculation has it."""
        return _short(self.matrices[panel][row, column])

    def exp(self, panel: str, row: int, column: int) -> str:
        """Return e to the power of a cell."""
        return _short(np.exp(self.matrices[panel][row, column]))

    def exps(self, panel: str, row: int) -> str:
        """Return the sum of e to the power of each cell of a row."""
        return _short(np.exp(self.matrices[panel][row]).sum())

    def row(self, panel: str, row: int) -> str:
        """Return a row in brackets."""
        return f"[{', '.join(map(_short, self.matrices[panel][row]))}]"

    def products(self, one: At, other: At) -> str:
        """Return a sum of products, entry by entry."""
        return " + ".join(f"{_short(a)}·{_short(b)}" for a, b in zip(self._line(one), self._line(other)))

    def share(self, panel: str, row: int, column: int) -> str:
        """Return how large a cell is beside the largest of its row."""
        line = self.matrices[panel][row]
        return number_text(line[column] / (line.max() or 1.0), SHARE)

    def top(self, panel: str, row: int, names: Sequence[str]) -> str:
        """Return the name of the largest cell of a row; of equal ones the first."""
        return names[int(np.argmax(settled(self.matrices[panel][row])))]

    def most(self, panel: str, row: int, digits: int) -> str:
        """Return the largest cell of a row."""
        return number_text(self.matrices[panel][row].max(), digits)

    def rank(self, panel: str, row: int, column: int) -> str:
        """Return 1 for the largest cell of a row, and so on."""
        line = settled(self.matrices[panel][row])
        return str(1 + int((line > line[column]).sum()))

    def _line(self, at: At) -> NDArray[Any]:
        panel, row, column = at
        line: NDArray[Any] = self.matrices[panel][slice(None) if row is None else row]
        return line if column is None else line[..., column]


FUNCTIONS = tuple(name for name in vars(Written) if not name.startswith("_"))


class Places:
    """Gives a mark for each place, and keeps what is to be read there: the functions of `Written`.

    Examples
    --------
    >>> read = Places()
    >>> as_sent(read, {"goal": [(None, f"Now {read.number('weights', 0, 1, 3)}.")]})
    {'lines': {'goal': [[None, ['Now ', 0, '.']]]}, 'places': [['number', 'weights', 0, 1, 3]]}
    """

    def __init__(self) -> None:
        self.places: list[list[Any]] = []

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return lambda *where: self._mark([name, *where])

    def _mark(self, place: list[Any]) -> str:
        self.places.append([list(part) if isinstance(part, tuple) else part for part in place])
        return f"\x02{len(self.places) - 1}\x03"


def as_sent(read: Places, lines: Mapping[str, Sequence[Case]]) -> dict[str, Any]:
    """Return lines, by where they stand, as the page reads them."""
    return {
        "lines": {where: [[_plain(when), _parts(line)] for when, line in cases] for where, cases in lines.items()},
        "places": read.places,
    }


def chosen(cases: Sequence[Case], matrices: Mapping[str, NDArray[Any]]) -> str:
    """Return the first line whose condition holds."""
    for when, line in cases:
        if when is None or settled(matrices[when[0]][when[1], when[2]]) >= when[3]:
            return line
    return ""


def settled(values: Any) -> Any:
    """Return numbers without the last bits, which hang on the order in which a processor adds."""
    return np.round(values, SHORT + GUARD)


def _plain(when: tuple[str, int, int, float] | None) -> list[Any] | None:
    return None if when is None else list(when)


def _parts(line: str) -> list[str | int]:
    """Split a line into words and the numbers of its places."""
    return [int(part) if k % 2 else part for k, part in enumerate(MARK.split(line))]


def _short(value: float) -> str:
    text = number_text(value, SHORT)
    return text.rstrip("0").rstrip(".") if "." in text else text
