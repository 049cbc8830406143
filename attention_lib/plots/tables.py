"""Tables of yes and no: a cross and a darker cell for yes."""

from collections.abc import Sequence

import numpy as np
from matplotlib.colors import ListedColormap
from numpy.typing import ArrayLike

from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .picture import Picture, in_sentences, label_cells, new_picture

CELL, WIDEST_CELL, ROW = 0.55, 0.8, 0.3  # inches
NO, YES = "#f2f2f2", "#56b4e9"


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
    """Draw a table of yes and no; the description names the columns that each row has a cross in.

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
    cell = min(WIDEST_CELL, max(CELL, widest(columns) + 0.1))
    upright = widest(columns) > cell
    width = cell * len(columns)
    above = widest(columns) if upright else LINE * lines_of(columns)
    height = ROW * len(rows) + above + 0.6
    key = f"x\u00a0\u00a0{mark}" if yes.any() else ""
    with new_picture(max(2.0, width) + widest(rows) + 0.7, height, title, key) as picture:
        axes = picture.add_subplot()
        axes.imshow(yes, cmap=ListedColormap([NO, YES]), vmin=0, vmax=1, aspect="auto")
        for row, column in np.argwhere(yes):
            axes.text(column, row, "x", ha="center", va="center", fontsize=10)
        axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        label_cells(axes, rows, columns, upright)
        axes.set(ylabel=wrapped(row_axis, height - 0.6, 10), xlabel=wrapped(column_axis, width, 10))
    sentences = []
    for label, line in zip(rows, yes):
        crossed = [" ".join(column.split()) for column, is_crossed in zip(columns, line) if is_crossed]
        sentences.append(_("{row}: {columns}.").format(row=label, columns=", ".join(crossed) or _("none")))
    picture.description = in_sentences(title, sentences)
    return picture
