"""Panel: one named matrix of a MatrixView, and what the browser is told of it."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._words import _

MAX_SIDE = 32  # rows or columns that are still told apart on a screen
WHOLE = 6.4  # em: a label that is no longer is never cut, upright above a column either
WIDE_FROM, WIDE, NARROW = "\u1100", 1.0, 0.6  # em: a letter of Hangul and beyond, and one of the others
LOOKS = ("row_axis", "column_axis", "kind", "symbols", "limit", "digits", "dense", "bars")
MANNERS = ("editable", "low", "high", "step")
ARROW = "→"  # between panels

Kind = Literal["weights", "signed", "mask"]


@dataclass(frozen=True, eq=False)
class Panel:
    """One named matrix of a MatrixView: its values, labels and manners.

    Parameters
    ----------
    values : (n_rows, n_columns) array_like
        Numbers; -inf is shown as forbidden. Bool for a mask.
    rows, columns : sequence of str, optional
        Labels: tokens, or dimensions; what a word means may follow on a second line. Default: 0, 1, 2, ...
    kind : {"signed", "weights", "mask"}
        "weights" has one hue from 0 up; "signed" two hues around 0; a mask shows its `symbols`.
    title : str, optional
        What readers call it: shown above, and read out. Default: its name.
    row_axis, column_axis : str
        What rows and columns are.
    limit : float, optional
        End of the fixed range of colours: 0 to `limit` for weights (default 1),
        -`limit` to `limit` for signed (default: the largest size at the start, or of what can be set, rounded up).
    digits : int
        Decimals shown.
    editable : bool
        Whether cells change by dragging, keys, typing (a mask: by a click).
    low, high, step : float
        Range and step of an editable cell.
    symbols : (str, str)
        What a mask shows for False and for True.
    caption : str
        Words under the panel.
    dense : bool
        Small cells without digits, as beyond 20 rows or columns: an overview beside a panel that has them.
    bars : bool
        A number is a bar as long as it is large, and not a colour. One below 0 has another colour.
    marks : sequence of (row, column), optional
        Cells that the text speaks of, or whole rows where the column is None.

    Raises
    ------
    ValueError
        If the values are no matrix of at most 32 x 32, or the labels do not fit it.

    Examples
    --------
    >>> Panel([[0.5, -1.5]], rows=["배"], columns=["0", "1"]).limit
    2.0
    """

    values: ArrayLike
    rows: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    kind: Kind = "signed"
    title: str | None = None
    row_axis: str = field(default_factory=lambda: _("query"))
    column_axis: str = field(default_factory=lambda: _("key"))
    limit: float | None = None
    digits: int = 2
    editable: bool = False
    low: float = -2.0
    high: float = 2.0
    step: float = 0.05
    symbols: tuple[str, str] = ("×", "✓")
    caption: str = ""
    dense: bool = False
    bars: bool = False
    marks: Sequence[tuple[int, int | None]] = ()
    array: NDArray[np.float64] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        array = np.array(self.values, dtype=np.float64)  # a copy: nobody else writes to it
        if array.ndim != 2 or array.size == 0 or max(array.shape) > MAX_SIDE:
            raise ValueError(f"values has shape {array.shape}; a panel needs 1 to {MAX_SIDE} rows and columns")
        for name, side in [("rows", 0), ("columns", 1)]:
            labels = getattr(self, name)
            labels = list(map(str, range(array.shape[side]) if labels is None else labels))
            if len(labels) != array.shape[side]:
                raise ValueError(f"{name} has {len(labels)} labels; values has {array.shape[side]} {name}")
            object.__setattr__(self, name, labels)
        if self.limit is None:
            ends = [self.low, self.high] if self.editable else []
            largest = round_limit(np.append(array, ends))
            object.__setattr__(self, "limit", largest if self.kind == "signed" else 1.0)
        object.__setattr__(self, "array", array)

    def shown(self) -> NDArray[Any]:
        """Return a copy of the values; of a mask as bool."""
        return self.array.astype(bool if self.kind == "mask" else np.float64)


def round_limit(values: NDArray[np.float64]) -> float:
    """Return the least of 1, 2, 5, 10, 20, ... (or 0.5, 0.2, ...) that no size exceeds; 1 for no number at all."""
    sizes = np.abs(values[np.isfinite(values)])
    largest = float(sizes.max()) if sizes.size else 0.0
    if largest == 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(largest))
    return next((step * power for step in (1.0, 2.0, 5.0) if step * power >= largest * (1 - 1e-9)), 10 * power)


def spec_of(name: str, panel: Panel) -> dict[str, Any]:
    """Return what the browser needs to build a panel."""
    return {
        "name": name,
        "title": panel.title or name,  # the name is its identity, for chains and messages
        "rows": list(panel.rows or []),
        "columns": list(panel.columns or []),
        **{key: getattr(panel, key) for key in LOOKS + MANNERS},
    }


def arranged(panels: Mapping[str, Panel], arrangement: Sequence[Any] | None) -> list[Any]:
    """Return which panels are side by side, line by line; without an arrangement, all in one line.

    A line is a list of panels; a list within it is a column of panels, a list in that again a line, and so on. Between
    the panels there may be arrows.

    Raises
    ------
    ValueError
        If there is no panel, or if not every one is named once.
    """
    if not panels:
        raise ValueError("panels is empty; a MatrixView needs at least one panel")
    lines = list(arrangement) if arrangement else [list(panels)]
    named = [name for name in _names_in(lines) if name != ARROW]
    if sorted(named) != sorted(panels):
        raise ValueError(f"arrangement names {', '.join(named)}; it needs {', '.join(panels)}, each once")
    return lines


def _names_in(items: Sequence[Any]) -> list[str]:
    return [name for item in items for name in ([item] if isinstance(item, str) else _names_in(item))]


def labels_of(words: Sequence[str], width: float = WHOLE) -> list[str]:
    """Return a label for each word: long ones shortened, and those that would read alike with their place behind.

    Examples
    --------
    >>> labels_of(["the", "internationalism", "the", "internationalist"])
    ['the (0)', 'inter… (1)', 'the (2)', 'inter… (3)']
    >>> labels_of(["somewhere", "somewhat"], 4.2)
    ['s… (0)', 's… (1)']
    """
    cuts = [shortened(word, width) for word in words]
    places = [f" ({i})" if cuts.count(cut) > 1 else "" for i, cut in enumerate(cuts)]
    return [shortened(word, width - _width(place)) + place for word, place in zip(words, places)]


def shortened(word: str, width: float = WHOLE) -> str:
    """Return a word, or as much of it as so many em hold with "…".

    Examples
    --------
    >>> shortened("cat"), shortened("internationalism")
    ('cat', 'internati…')
    """
    if _width(word) <= width:
        return word
    length = next(n for n in range(len(word), -1, -1) if _width(word[:n] + "…") <= width)
    return word[:length] + "…"


def _width(text: str) -> float:
    """How wide the page takes a label to be, in em: see `labelWidth` in attention_lib/live/js/page.js."""
    return sum(WIDE if letter > WIDE_FROM else NARROW for letter in text)
