"""Lines that follow the numbers: each is written once, for Python with numbers, for the page with places to fill in.

A lab writes its line with a reader: `Written` reads the numbers and gives text, `Places` gives a mark for each
place and keeps what is to be read there. The page fills the marks in the frame in which the numbers change, with
the same functions (`attention_lib/view/js/reader.js`); a test holds the two to the same text, and what Python
says when it comes stands.
"""

import inspect
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._numbers import GUARD, number_text

SHORT = 3  # decimals of a number in a calculation; zeros at its end are left out
SHARE = 4  # decimals of a bar's length
SHOWN = 0.005  # smaller numbers read 0.00
TIE = 1e-9  # numbers this close are called equal: their last bits differ from machine to machine
MARK = re.compile("\x02(\\d+)\x03")

Row = int | tuple[str, int] | None  # ("edited", i): the row of the last edit, before there is one row i
At = tuple[str, Row, int | None]  # panel, row, column; None: all of them
Number = tuple[Any, ...]  # a function of `Numbers`, and what it is given
When = tuple[tuple[Number, float | None, float | None], ...]  # each number lies between two; None: no bound
Case = tuple[When, str]  # the conditions, none for "else", and the text where they hold


def at_least(number: Number, low: float) -> When:
    """Return the condition that a number is so large."""
    return ((number, low, None),)


class Numbers:
    """Reads numbers off matrices: of what text says, and what conditions hang on."""

    def __init__(self, matrices: Mapping[str, NDArray[Any]]) -> None:
        self.matrices = matrices

    def largest(self, panel: str, row: Row, columns: Sequence[int] | None) -> float:
        """Return the largest of some cells of a row."""
        line = self._line((panel, row, None))
        return float(line.max() if columns is None else line[list(columns)].max())

    def lead(self, panel: str, row: Row, columns: Sequence[int]) -> float:
        """Return by how much the largest of some cells of a row exceeds all others; these are at least 0."""
        line = self._line((panel, row, None))
        return self.largest(panel, row, columns) - float(np.delete(line, list(columns)).max(initial=0))

    def lowest(self, panel: str) -> float:
        """Return the smallest cell."""
        return float(self.matrices[panel].min())

    def highest(self, panel: str) -> float:
        """Return the largest cell."""
        return float(self.matrices[panel].max())

    def alike(self, panel: str, digits: int) -> int:
        """Return 1 where all cells read alike with so many decimals, else 0."""
        return int(number_text(self.lowest(panel), digits) == number_text(self.highest(panel), digits))

    def count(self, pick: str, at: At) -> int:
        """Return how many are picked: see `PICKS`."""
        return int(self._picked(pick, at).sum())

    def apart(self, one: At, other: At) -> float:
        """Return by how much two lines differ where they differ most."""
        return float(np.abs(self._line(one) - self._line(other)).max())

    def least(self, *numbers: Number) -> float:
        """Return the smallest of some numbers."""
        return min(map(self._number, numbers))

    def told(self, number: Number, digits: int) -> float:
        """Return a number as it reads with so many decimals."""
        return float(number_text(self._number(number), digits).replace("−", "-"))

    def rounding(self, *lines: At) -> float:
        """Return by how much the numbers of some lines, or cells, differ from what a calculation writes at most."""
        numbers = np.concatenate([np.ravel(self._line(line)) for line in lines]).tolist()
        return max(abs(float(_short(number).replace("−", "-")) - number) for number in numbers)

    def changed(self, *before: tuple[str, Sequence[Sequence[float]]]) -> int:
        """Return how many cells of some panels differ from what they were."""
        return sum(int((np.abs(self.matrices[panel] - np.array(was)) > TIE).sum()) for panel, was in before)

    def held(self, *conditions: When) -> int:
        """Return how many of some conditions hold."""
        return sum(map(self.holds, conditions))

    def holds(self, when: When) -> bool:
        """Whether all these numbers lie where they should."""
        return all(
            (low is None or settled(self._number(number)) >= low)
            and (high is None or settled(self._number(number)) <= high)
            for number, low, high in when
        )

    def _number(self, number: Number) -> float:
        name, *where = number
        found: float = getattr(self, name)(*where)
        return found

    def _picked(self, pick: str, at: At) -> NDArray[np.bool_]:
        return PICKS[pick](self._line(at))

    def _line(self, at: At) -> NDArray[Any]:
        panel, row, column = at
        row = row[1] if isinstance(row, tuple) else row
        line: NDArray[Any] = self.matrices[panel][slice(None) if row is None else row]
        return line if column is None else line[..., column]


#: What of a line is meant; of a whole matrix, which rows or columns.
PICKS = {
    "on": lambda line: line != 0,
    "off": lambda line: line == 0,
    "top": lambda line: line > line.max() - TIE,
    "shown": lambda line: settled(np.abs(line)) >= SHOWN,
    "empty rows": lambda matrix: ~(matrix != 0).any(axis=1),
    "empty columns": lambda matrix: ~(matrix != 0).any(axis=0),
}


class Written(Numbers):
    """Reads places of matrices as text.

    Examples
    --------
    >>> read = Written({"weights": np.array([[0.25, 0.75]])})
    >>> read.number("weights", 0, 1, 3), read.most("weights", 0, 2), read.rank("weights", 0, 0)
    ('0.750', '0.75', '2')
    >>> read.products(("weights", 0, None), ("weights", 0, None))
    '0.25·0.25 + 0.75·0.75'
    >>> read.listed("on", ("weights", 0, None), ["a", "b"], "{name} {value}", values=("weights", 0, None), falling=True)
    'b 0.75, a 0.25'
    """

    def number(self, panel: str, row: int, column: int, digits: int) -> str:
        """Return a cell with so many decimals."""
        return number_text(self.matrices[panel][row, column], digits)

    def value(self, number: Number, digits: int) -> str:
        """Return any number with so many decimals."""
        return number_text(self._number(number), digits)

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

    def most(self, panel: str, row: int, digits: int) -> str:
        """Return the largest cell of a row."""
        return number_text(self.matrices[panel][row].max(), digits)

    def rank(self, panel: str, row: int, column: int) -> str:
        """Return 1 for the largest cell of a row, and so on."""
        line = settled(self.matrices[panel][row])
        return str(1 + int((line > line[column]).sum()))

    def named(self, row: Row, names: Sequence[str]) -> str:
        """Return the name of a row."""
        return names[row[1] if isinstance(row, tuple) else row or 0]

    def of_least(self, names: Sequence[str], *numbers: Number) -> str:
        """Return the name that belongs to the smallest of some numbers; of equal ones the first."""
        return names[int(np.argmin(settled([self._number(number) for number in numbers])))]

    def listed(
        self,
        pick: str,
        at: At,
        names: Sequence[str],
        part: str = "{name}",
        between: str = ", ",
        values: At | None = None,
        falling: bool = False,
    ) -> str:
        """Name what is picked, each with its value where `part` has a place for one, the largest first if `falling`."""
        picked = np.flatnonzero(self._picked(pick, at))
        line = np.zeros(len(names)) if values is None else self._line(values)
        if falling:
            picked = picked[np.argsort(-settled(line[picked]), kind="stable")]
        return between.join(part.format(name=names[k], value=number_text(line[k])) for k in picked.tolist())

    def choose(self, *cases: Case) -> str:
        """Return the first text whose conditions hold; "" where none does."""
        return next((text for when, text in cases if self.holds(when)), "")


class Longest(Written):
    """Reads numbers as `Written` does, but of texts to choose from it takes the longest: so much room it needs."""

    def choose(self, *cases: Case) -> str:
        """Return the longest text, whatever holds."""
        return max((text for _, text in cases), key=len)


FUNCTIONS = tuple(name for name in vars(Written) if not name.startswith("_"))
SIGNATURES = {name: inspect.signature(getattr(Written, name)) for name in FUNCTIONS}
NUMBERS = tuple(name for name in vars(Numbers) if not name.startswith("_") and name != "holds")


def _in_full(name: str, where: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, ...]:
    """Return what a function of `Written` is given, its defaults too, which the page does not know."""
    given = SIGNATURES[name].bind(None, *where, **named)
    given.apply_defaults()
    return given.args[1:]


class Places:
    """Gives a mark for each place, and keeps what is to be read there: the functions of `Written`.

    Examples
    --------
    >>> read = Places()
    >>> as_sent(read, {"goal": f"Now {read.number('weights', 0, 1, 3)}."})["lines"], read.places
    ({'goal': ['Now ', 0, '.']}, [['number', 'weights', 0, 1, 3]])
    """

    def __init__(self) -> None:
        self.places: list[list[Any]] = []

    def __getattr__(self, name: str) -> Any:
        if name not in FUNCTIONS:
            raise AttributeError(name)
        return lambda *where, **named: self._mark([name, *map(_plain, _in_full(name, where, named))])

    def choose(self, *cases: Case) -> str:
        """As in `Written`; the texts may have places of their own."""
        return self._mark(["choose", *([_plain(when), _parts(text)] for when, text in cases)])

    def _mark(self, place: list[Any]) -> str:
        self.places.append(place)
        return f"\x02{len(self.places) - 1}\x03"


def as_sent(
    read: Places,
    lines: Mapping[str, str],
    captions: Mapping[str, str] | None = None,
    marks: Mapping[str, tuple[str, At]] | None = None,
) -> dict[str, Any]:
    """Return lines as the page reads them.

    Parameters
    ----------
    read : Places
        What wrote them.
    lines : mapping of str to str
        By the class of where they stand.
    captions : mapping of str to str, optional
        By panel: what is said under it after an edit, until Python says it.
    marks : mapping of str to (pick, at), optional
        By panel: the rows that are marked after an edit, until Python marks them.
    """
    return {
        "lines": {where: _parts(line) for where, line in lines.items()},
        "captions": {panel: _parts(line) for panel, line in (captions or {}).items()},
        "marks": {panel: _plain(rows) for panel, rows in (marks or {}).items()},
        "places": read.places,
    }


def settled(values: Any) -> Any:
    """Return numbers without the last bits, which hang on the order in which a processor adds."""
    return np.round(values, SHORT + GUARD)


def _plain(part: Any) -> Any:
    """Return lists in place of tuples, at any depth."""
    return [_plain(inner) for inner in part] if isinstance(part, (tuple, list)) else part


def _parts(line: str) -> list[str | int]:
    """Split a line into words and the numbers of its places."""
    return [int(part) if k % 2 else part for k, part in enumerate(MARK.split(line))]


def _short(value: float) -> str:
    text = number_text(value, SHORT)
    return text.rstrip("0").rstrip(".") if "." in text else text
