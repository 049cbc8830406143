"""Tables whose cells are kinds, not numbers: a letter and a colour for each."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike, NDArray

from .lettering import LETTER, LINE, broken, letters, lines_of, widest, wrapped
from .picture import Picture, as_sentence, hangul_fonts, new_picture

MESSAGES = {
    "query": "query",
    "key": "key",
    "kind": "{symbol}\u00a0\u00a0{name}",
    "between_kinds": " \u00a0\u00a0",
    "counts": "{name}: {counts}.",
    "count": "{n} {name}",
    "comma": ", ",
    "cross": "x",
    "marked": "{axis} \u00a0\u00a0(x = {mark})",
    "crossed": "{row}: {columns}.",
    "none": "none",
}
CELL, ROW = 0.55, 0.42  # inches: width and height of a cell with a letter


def categories(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    names: Sequence[str],
    symbols: Sequence[str],
    colours: Sequence[str],
    title: str,
    row_axis: str | None = None,
    column_axis: str | None = None,
) -> Picture:
    """Draw matrices whose cells are kinds, not numbers: a letter and a colour for each.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like of int
        Title of each panel, and the kind of each cell.
    rows : sequence of str
        Labels of the rows, shared.
    columns : mapping of str to sequence of str
        Labels of the columns of each panel.
    names, symbols, colours : sequence of str
        Word, letter and colour of each kind.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are. Default: query and key.

    Returns
    -------
    Picture
    """
    row_axis = MESSAGES["query"] if row_axis is None else row_axis
    column_axis = MESSAGES["key"] if column_axis is None else column_axis
    arrays = {name: np.asarray(kinds) for name, kinds in panels.items()}
    widths = [CELL * array.shape[1] + 0.6 for array in arrays.values()]
    width = sum(widths) + _room_for_rows(rows, row_axis)
    used = sorted(set(np.concatenate([array.ravel() for array in arrays.values()]).tolist()))
    kinds = [MESSAGES["kind"].format(symbol=symbols[kind], name=names[kind]) for kind in used]
    heading, key = wrapped(title, width, 12), wrapped(MESSAGES["between_kinds"].join(kinds), width, 9)
    over = {name: wrapped(name, size) for name, size in zip(arrays, widths)}
    above = max(_room_for_columns(labels, CELL) for labels in columns.values())
    height = (
        ROW * len(rows) + 1.3 + above + LINE * (lines_of([heading]) + lines_of([key]) + lines_of([*over.values()]) - 3)
    )
    with hangul_fonts():
        picture = new_picture((width, height))
        grid = picture.add_gridspec(1, len(arrays), width_ratios=widths, wspace=0.08)
        for i, (name, array) in enumerate(arrays.items()):
            axes = picture.add_subplot(grid[i])
            letters_shown = np.asarray(symbols, dtype=object)[array]
            _draw_cells(axes, array, letters_shown, list(colours), rows if i == 0 else [""] * len(rows), columns[name])
            axes.set_title(over[name], fontsize=11, pad=8)
            axes.set_ylabel(wrapped(row_axis, height - 1, 10) if i == 0 else "")
            axes.set_xlabel(wrapped(column_axis, widths[i], 10) if i else "")
        picture.suptitle(heading, fontsize=12)
        picture.supxlabel(key, fontsize=9)
    picture.description = " ".join([as_sentence(title), *_counts(arrays, used, names)])
    return picture


def checklist(
    marks: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str,
    column_axis: str,
    mark: str,
) -> Picture:
    """Draw a table of yes and no: a cross and a darker cell for yes.

    Parameters
    ----------
    marks : (n_rows, n_columns) array_like of bool
    rows, columns : sequence of str
        Labels; a column's may have several lines.
    title : str
        What to see.
    row_axis, column_axis : str
        What rows and columns are.
    mark : str
        What a cross says, as "catches it".

    Returns
    -------
    Picture
    """
    yes = np.asarray(marks, dtype=bool)
    cell = 0.8  # inches
    over = [broken(label, cell / LETTER) for label in columns]
    width = _room_for_rows(rows, row_axis) + cell * len(columns) + 0.2
    heading = wrapped(title, width, 12)
    below = wrapped(MESSAGES["marked"].format(axis=column_axis, mark=mark), cell * len(columns), 10)
    height = 0.3 * len(rows) + 1.1 + LINE * (lines_of(over) + lines_of([heading]) + lines_of([below]) - 2)
    with hangul_fonts():
        picture = new_picture((width, height))
        axes = picture.add_subplot()
        crosses = np.where(yes, MESSAGES["cross"], "")
        _draw_cells(axes, yes.astype(int), crosses, ["#f2f2f2", "#56b4e9"], rows, over, upright=False)
        axes.set(ylabel=wrapped(row_axis, height - 1, 10), xlabel=below)
        picture.suptitle(heading, fontsize=12)
    picture.description = " ".join([as_sentence(title), *_crossed(yes, rows, columns)])
    return picture


def _draw_cells(
    axes: Axes,
    kinds: NDArray[Any],
    written: NDArray[Any],
    colours: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    upright: bool | None = None,
) -> None:
    """Draw one grid of coloured cells, white lines between, a letter in each, labels to the left and above."""
    axes.imshow(kinds, cmap=ListedColormap(list(colours)), vmin=-0.5, vmax=len(colours) - 0.5, aspect="auto")
    for (row, column), letter in np.ndenumerate(written):
        if letter:
            axes.text(column, row, letter, ha="center", va="center", fontsize=10)
    turned = _stand_upright(columns, CELL) if upright is None else upright
    axes.set_xticks(range(len(columns)), columns, fontsize=9, rotation=90 if turned else 0)
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)


def _stand_upright(labels: Sequence[str], cell: float) -> bool:
    return LETTER * widest(labels) > cell


def _room_for_columns(labels: Sequence[str], cell: float) -> float:
    return LETTER * widest(labels) if _stand_upright(labels, cell) else LINE * lines_of(labels)  # inches


def _room_for_rows(labels: Sequence[str], axis: str) -> float:
    return LETTER * widest(labels) + 0.3 + 0.2 * (letters(axis) > 0)  # inches


def _counts(arrays: Mapping[str, NDArray[Any]], used: Sequence[int], names: Sequence[str]) -> list[str]:
    sentences = []
    for name, array in arrays.items():
        told = [MESSAGES["count"].format(n=int((array == kind).sum()), name=names[kind]) for kind in used]
        sentences.append(MESSAGES["counts"].format(name=name, counts=MESSAGES["comma"].join(told)))
    return sentences


def _crossed(yes: NDArray[Any], rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    one_line = [" ".join(column.split()) for column in columns]
    sentences = []
    for row, line in zip(rows, yes):
        told = [column for column, crossed in zip(one_line, line) if crossed] or [MESSAGES["none"]]
        sentences.append(MESSAGES["crossed"].format(row=row, columns=MESSAGES["comma"].join(told)))
    return sentences
