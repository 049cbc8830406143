"""Tables whose cells are kinds, not numbers: a letter and a colour for each."""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .picture import Picture, in_sentences, label_cells, new_picture

CELL, WIDEST_CELL, ROW = 0.55, 0.8, 0.3  # inches


def categories(
    kinds: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    names: Sequence[str],
    symbols: Sequence[str],
    colours: Sequence[str],
    title: str,
    row_axis: str,
    column_axis: str,
) -> Picture:
    """Draw a matrix whose cells are kinds; the description counts them.

    Parameters
    ----------
    kinds : (n_rows, n_columns) array_like of int
    rows, columns : sequence of str
        Labels; a column's may have several lines.
    names, symbols, colours : sequence of str
        Word, letter and colour of each kind. A kind without a letter is not named under the picture.
    title, row_axis, column_axis : str
        What to see, and what rows and columns are.
    """
    array = np.asarray(kinds)
    used = np.unique(array).tolist()
    key = " \u00a0\u00a0".join(f"{symbols[kind]}\u00a0\u00a0{names[kind]}" for kind in used if symbols[kind])
    cell = min(WIDEST_CELL, max(CELL, widest(columns) + 0.1))
    upright = widest(columns) > cell
    width = cell * len(columns)
    above = widest(columns) if upright else LINE * lines_of(columns)
    height = ROW * len(rows) + above + 0.6
    with new_picture(max(2.0, width) + widest(rows) + 0.7, height, title, key) as picture:
        axes = picture.add_subplot()
        colour_map = ListedColormap(list(colours))
        axes.imshow(array, cmap=colour_map, vmin=-0.5, vmax=len(colours) - 0.5, aspect="auto")
        for (row, column), kind in np.ndenumerate(array):
            if symbols[kind]:
                axes.text(column, row, symbols[kind], ha="center", va="center", fontsize=10)
        axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        label_cells(axes, rows, columns, upright)
        axes.set(ylabel=wrapped(row_axis, height - 0.6, 10), xlabel=wrapped(column_axis, width, 10))
    counts = (_("{n} {name}").format(n=int((array == kind).sum()), name=names[kind]) for kind in used)
    picture.description = in_sentences(title, [", ".join(counts) + "."])
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
    """Draw a table of yes and no, (n_rows, n_columns): a cross and a darker cell for yes.

    `mark` is what a cross says, as "catches it". Everything else is as in `categories`. The description names the
    columns that each row has a cross in.
    """
    yes = np.asarray(marks, dtype=bool)
    picture = categories(
        yes.astype(int),
        rows,
        columns,
        names=["", mark],
        symbols=["", "x"],
        colours=["#f2f2f2", "#56b4e9"],
        title=title,
        row_axis=row_axis,
        column_axis=column_axis,
    )
    sentences = []
    for row, line in zip(rows, yes):
        crossed = [" ".join(column.split()) for column, is_crossed in zip(columns, line) if is_crossed]
        sentences.append(_("{row}: {columns}.").format(row=row, columns=", ".join(crossed) or _("none")))
    picture.description = in_sentences(title, sentences)
    return picture
