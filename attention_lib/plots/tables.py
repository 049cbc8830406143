"""Tables whose cells are kinds, not numbers: a letter and a colour for each."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .maps import stands_upright
from .picture import Picture, in_sentences, label_cells, new_picture

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
    row_axis: str,
    column_axis: str,
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
    title, row_axis, column_axis : str
        What to see, and what rows and columns are.
    """
    arrays = {name: np.asarray(kinds) for name, kinds in panels.items()}
    used = np.unique(np.concatenate([array.ravel() for array in arrays.values()])).tolist()
    key = " \u00a0\u00a0".join(f"{symbols[kind]}\u00a0\u00a0{names[kind]}" for kind in used)
    widths = [CELL * array.shape[1] + 0.6 for array in arrays.values()]
    over = [wrapped(name, width) for name, width in zip(arrays, widths)]
    upright = any(stands_upright(labels, CELL) for labels in columns.values())
    above = max(map(widest, columns.values())) if upright else LINE
    height = ROW * len(rows) + 1.1 + above + LINE * lines_of(over)
    with new_picture(sum(widths) + widest(rows) + 0.5, height, title, key) as picture:
        grid = picture.add_gridspec(1, len(arrays), width_ratios=widths, wspace=0.08)
        for i, (name, array) in enumerate(arrays.items()):
            axes = picture.add_subplot(grid[i])
            _draw_cells(axes, array, symbols, colours)
            label_cells(axes, rows if i == 0 else [""] * len(rows), columns[name], upright)
            axes.set_title(over[i], fontsize=11, pad=8)
            axes.set_ylabel(wrapped(row_axis, height - 1, 10) if i == 0 else "")
            axes.set_xlabel(wrapped(column_axis, widths[i], 10))
    sentences = []
    for name, array in arrays.items():
        counts = (_("{n} {name}").format(n=int((array == kind).sum()), name=names[kind]) for kind in used)
        sentences.append(_("{name}: {counts}.").format(name=name, counts=", ".join(counts)))
    picture.description = in_sentences(title, sentences)
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
    title, row_axis, column_axis : str
        What to see, and what rows and columns are.
    mark : str
        What a cross says, as "catches it".
    """
    yes = np.asarray(marks, dtype=bool)
    cell = 0.8  # inches
    over = [wrapped(label, cell, 9) for label in columns]
    below = _("{axis} \u00a0\u00a0(x = {mark})").format(axis=column_axis, mark=mark)
    below = wrapped(below, cell * len(columns), 10)
    height = 0.3 * len(rows) + 0.9 + LINE * (lines_of(over) + lines_of([below]) - 1)
    with new_picture(widest(rows) + 0.7 + cell * len(columns), height, title) as picture:
        axes = picture.add_subplot()
        _draw_cells(axes, yes.astype(int), ["", "x"], ["#f2f2f2", "#56b4e9"])
        label_cells(axes, rows, over)
        axes.set(ylabel=wrapped(row_axis, height - 1, 10), xlabel=below)
    sentences = []
    for row, line in zip(rows, yes):
        crossed = [" ".join(column.split()) for column, is_crossed in zip(columns, line) if is_crossed]
        sentences.append(_("{row}: {columns}.").format(row=row, columns=", ".join(crossed) or _("none")))
    picture.description = in_sentences(title, sentences)
    return picture


def _draw_cells(axes: Axes, kinds: np.ndarray, symbols: Sequence[str], colours: Sequence[str]) -> None:
    """Draw a grid of coloured cells, white lines between, the letter of its kind in each."""
    axes.imshow(kinds, cmap=ListedColormap(list(colours)), vmin=-0.5, vmax=len(colours) - 0.5, aspect="auto")
    for (row, column), kind in np.ndenumerate(kinds):
        if symbols[kind]:
            axes.text(column, row, symbols[kind], ha="center", va="center", fontsize=10)
    axes.set_xticks(np.arange(kinds.shape[1] - 1) + 0.5, minor=True)
    axes.set_yticks(np.arange(kinds.shape[0] - 1) + 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
