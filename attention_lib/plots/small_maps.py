"""Many small maps: a grid with a number each, and one map over time, at one scale."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from .._numbers import number_text
from .lettering import LETTER, LINE, lines_of, widest, wrapped
from .maps import DIVERGING, SEQUENTIAL, colour_range, show_scale
from .picture import Picture, as_sentence, hangul_fonts, new_picture
from .words import describe

MESSAGES = {
    "layer": "layer",
    "head": "head",
    "query": "query",
    "key": "key",
    "place": "{axis} {n}",
    "framed": "The framed cell, {row} and {column}: {values}.",
    "at": "{value} at {name}",
    "comma": ", ",
}
MARK = "#c2410c"
CELL, WIDEST = 0.2, 12.3  # inches: a cell of a map, the picture
FOR_SCALE = 0.8  # inches


def thumbnails(
    maps: ArrayLike,
    values: ArrayLike,
    *,
    title: str,
    row_axis: str | None = None,
    column_axis: str | None = None,
    chosen: tuple[int, int] | None = None,
    mark: Sequence[int] = (),
    description: str | None = None,
) -> Picture:
    """Draw a grid of small attention maps, each with its number under it.

    Parameters
    ----------
    maps : (n_rows, n_columns, n, n) array_like
        Weights, 0 to 1: one colour range for all.
    values : (n_rows, n_columns) array_like
        The number of each map.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns of the grid are. Default: layer and head.
    chosen : (row, column), optional
        A map to frame.
    mark : (query, key), optional
        A cell to frame in every map, half a cell away from it: its colour stays in sight.
    description : str, optional
        Default: title, largest and smallest number.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there is not one number for each map.
    """
    arrays, numbers = np.asarray(maps, float), np.asarray(values, float)
    if arrays.ndim != 4 or arrays.shape[:2] != numbers.shape:
        raise ValueError(f"maps has shape {arrays.shape} but values has shape {numbers.shape}")
    row_axis = MESSAGES["layer"] if row_axis is None else row_axis
    column_axis = MESSAGES["head"] if column_axis is None else column_axis
    (n_rows, n_columns), n = numbers.shape, arrays.shape[-1]
    wide, high = 1.14, 1.42  # room for one map, whose side is 1, with its number
    size = (max(2.4, 0.72 * wide * n_columns + 0.7), 0.72 * high * n_rows + 0.9)
    heading = wrapped(title, size[0] - 0.5)
    extra = LINE * (lines_of([heading]) + lines_of([wrapped(column_axis, size[0], 10)]) - 2)
    with hangul_fonts():
        picture = new_picture((size[0], size[1] + extra))
        axes = picture.add_subplot()
        for i, j in np.ndindex(n_rows, n_columns):
            left, top, is_chosen = j * wide, i * high, (i, j) == chosen
            axes.imshow(arrays[i, j], cmap=SEQUENTIAL, vmin=0, vmax=1, extent=(left, left + 1, top + 1, top))
            axes.add_patch(_frame(left, top, 1, "#0b57d0" if is_chosen else "#9a9a9a", 3 if is_chosen else 0.6))
            if len(mark):
                axes.add_patch(_frame(left + (mark[1] - 0.5) / n, top + (mark[0] - 0.5) / n, 2 / n, MARK, 1))
            axes.text(left + 0.5, top + 1.2, number_text(float(numbers[i, j])), ha="center", va="center", fontsize=9)
        axes.set_xlim(-0.1, n_columns * wide)
        axes.set_ylim(n_rows * high, -0.1)
        axes.set_xticks(wide * np.arange(n_columns) + 0.5, list(map(str, range(n_columns))), fontsize=9)
        axes.set_yticks(high * np.arange(n_rows) + 0.5, list(map(str, range(n_rows))), fontsize=9)
        axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(wrapped(column_axis, size[0], 10))
        axes.xaxis.set_label_position("top")
        axes.set_ylabel(wrapped(row_axis, size[1] - 1, 10))
        axes.set_title(heading, fontsize=11)
    labels = [
        [MESSAGES["place"].format(axis=axis, n=i) for i in range(n)]
        for axis, n in [(row_axis, n_rows), (column_axis, n_columns)]
    ]
    picture.description = description or f"{as_sentence(title)} {describe(numbers, labels[0], labels[1])}"
    return picture


def map_series(
    maps: ArrayLike,
    names: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str | None = None,
    column_axis: str | None = None,
    mark: tuple[int, int] | None = None,
    vmax: float | None = None,
    description: str | None = None,
) -> Picture:
    """Draw one map at several times, small, side by side, at one scale of colours that is shown once.

    Parameters
    ----------
    maps : (n_times, n_rows, n_columns) array_like
        Without digits: what is seen is how the pattern comes.
    names : sequence of str
        What stands over each map, as "step 200".
    rows, columns : sequence of str
        Labels: tokens. Rows are named once in each line of maps.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are. Default: query and key.
    mark : (row, column), optional
        A cell to frame in every map; its numbers are said in the description.
    vmax : float, optional
        The value of the darkest colour. Default: the largest of all maps.
    description : str, optional
        The picture in words. Default: title, first map, last map, framed cell.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there is not one name for each map, or the labels do not fit.

    Examples
    --------
    >>> flat, sharp = np.full((2, 2), 0.5), np.eye(2)
    >>> picture = map_series([flat, sharp], ["step 0", "step 50"], ["배", "가"], ["배", "가"], title="It sharpens",
    ...                      mark=(0, 0))
    >>> picture.description.split(". ")[-1]
    'The framed cell, 배 and 배: 0.50 at step 0, 1.00 at step 50.'
    """
    array = np.asarray(maps, float)
    if array.shape != (len(names), len(rows), len(columns)):
        wanted = (len(names), len(rows), len(columns))
        raise ValueError(f"maps has shape {array.shape} but names, rows and columns need {wanted}")
    row_axis = MESSAGES["query"] if row_axis is None else row_axis
    column_axis = MESSAGES["key"] if column_axis is None else column_axis
    low, high = colour_range(array, None, vmax)
    upright = widest(columns) * LETTER > max(1.2 / len(columns), CELL)
    for_rows, for_columns = LETTER * widest(rows) + 0.4, LETTER * widest(columns) if upright else LINE
    size = max(1.2, CELL * len(columns)) + 0.15  # inches, of a map
    per_line = max(1, min(len(names), int((WIDEST - for_rows - FOR_SCALE) / size)))
    n_lines = math.ceil(len(names) / per_line)
    per_line = math.ceil(len(names) / n_lines)
    width = for_rows + size * per_line + FOR_SCALE
    heading = wrapped(title, width, 12)
    over = [wrapped(name, size) for name in names]
    line_height = max(1.0, CELL * len(rows)) + for_columns + LINE * (lines_of(over) + 1) + 0.1
    height = n_lines * line_height + LINE * lines_of([heading]) + 0.2
    with hangul_fonts():
        picture = new_picture((width, height))
        grid = picture.add_gridspec(n_lines, per_line)
        for i, name in enumerate(over):
            is_first = i % per_line == 0  # of its line
            axes = picture.add_subplot(grid[divmod(i, per_line)])
            image = axes.imshow(
                array[i], cmap=SEQUENTIAL if low >= 0 else DIVERGING, vmin=low, vmax=high, aspect="auto"
            )
            if mark is not None:
                axes.add_patch(_frame(mark[1] - 0.5, mark[0] - 0.5, 1, MARK, 2)).set_clip_on(False)
            axes.set_xticks(range(len(columns)), columns, fontsize=9, rotation=90 if upright else 0)
            axes.set_yticks(range(len(rows)), rows if is_first else [""] * len(rows), fontsize=9)
            axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
            axes.spines[:].set_color("#bbbbbb")
            axes.set_title(name, fontsize=11)
            axes.set_xlabel(wrapped(column_axis, size, 10), fontsize=10)
            axes.set_ylabel(wrapped(row_axis, line_height - 0.6, 10) if is_first else "", fontsize=10)
        picture.suptitle(heading, fontsize=12)
        show_scale(picture, image, list(picture.axes))
    said = [describe(array[i], rows, columns, name=names[i]) for i in sorted({0, len(names) - 1})]
    if mark is not None:
        said.append(_framed(array[:, mark[0], mark[1]], names, rows[mark[0]], columns[mark[1]]))
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def _framed(values: ArrayLike, names: Sequence[str], row: str, column: str) -> str:
    told = [MESSAGES["at"].format(value=number_text(v), name=n) for v, n in zip(np.asarray(values).tolist(), names)]
    return MESSAGES["framed"].format(row=row, column=column, values=MESSAGES["comma"].join(told))


def _frame(left: float, top: float, side: float, colour: str, width: float) -> Rectangle:
    return Rectangle((left, top), side, side, fill=False, edgecolor=colour, linewidth=width)
