"""Many small maps: a grid with a number each, and one map over time, at one scale."""

from collections.abc import Sequence

import numpy as np
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from .._numbers import number_text
from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .maps import SEQUENTIAL, colour_range, colours_of, in_lines, outline, show_scale, stands_upright
from .picture import Picture, in_sentences, label_cells, new_picture
from .words import describe

MARK = "#c2410c"
CELL, WIDEST = 0.2, 12.3  # inches: a cell of a map, the picture
FOR_SCALE = 0.8  # inches


def thumbnails(
    maps: ArrayLike,
    values: ArrayLike,
    *,
    title: str,
    chosen: tuple[int, int] | None = None,
    mark: tuple[int, int] | None = None,
) -> Picture:
    """Draw the attention maps of all heads, small, each with its number under it; a row of them is a layer.

    Parameters
    ----------
    maps : (n_layers, n_heads, n, n) array_like
        Weights, 0 to 1: one colour range for all.
    values : (n_layers, n_heads) array_like
        The number of each map.
    title : str
        What to see.
    chosen : (layer, head), optional
        A map to frame.
    mark : (query, key), optional
        A cell to frame in every map, half a cell away from it: its colour stays in sight.

    Raises
    ------
    ValueError
        If there is not one number for each map.
    """
    arrays, numbers = np.asarray(maps, float), np.asarray(values, float)
    if arrays.ndim != 4 or arrays.shape[:2] != numbers.shape:
        raise ValueError(f"maps has shape {arrays.shape} but values has shape {numbers.shape}")
    (n_layers, n_heads), n = numbers.shape, arrays.shape[-1]
    wide, high = 1.14, 1.42  # room for one map, whose side is 1, with its number
    width = max(2.4, 0.72 * wide * n_heads + 0.7)
    heading = wrapped(title, width - 0.5)
    with new_picture(width, 0.72 * high * n_layers + 0.9 + LINE * (lines_of([heading]) - 1)) as picture:
        axes = picture.add_subplot()
        for i, j in np.ndindex(n_layers, n_heads):
            left, top = j * wide, i * high
            axes.imshow(arrays[i, j], cmap=SEQUENTIAL, vmin=0, vmax=1, extent=(left, left + 1, top + 1, top))
            colour, line = ("#0b57d0", 3) if (i, j) == chosen else ("#9a9a9a", 0.6)
            axes.add_patch(Rectangle((left, top), 1, 1, fill=False, edgecolor=colour, linewidth=line))
            if mark is not None:
                corner = left + (mark[1] - 0.5) / n, top + (mark[0] - 0.5) / n
                axes.add_patch(Rectangle(corner, 2 / n, 2 / n, fill=False, edgecolor=MARK, linewidth=1))
            axes.text(left + 0.5, top + 1.2, number_text(float(numbers[i, j])), ha="center", va="center", fontsize=9)
        label_cells(axes, [str(i) for i in range(n_layers)], [str(j) for j in range(n_heads)])
        axes.set(xticks=wide * np.arange(n_heads) + 0.5, yticks=high * np.arange(n_layers) + 0.5)
        axes.set(xlim=(-0.1, n_heads * wide), ylim=(n_layers * high, -0.1), xlabel=_("head"), ylabel=_("layer"))
        axes.xaxis.set_label_position("top")
        axes.set_title(heading, fontsize=11)
    layers = [_("layer {n}").format(n=i) for i in range(n_layers)]
    heads = [_("head {n}").format(n=j) for j in range(n_heads)]
    picture.description = in_sentences(title, [describe(numbers, layers, heads)])
    return picture


def map_series(
    maps: ArrayLike,
    names: Sequence[str],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    mark: tuple[int, int] | None = None,
    vmax: float | None = None,
) -> Picture:
    """Draw one map at several times, small, side by side, at one scale of colours that is shown once.

    Parameters
    ----------
    maps : (n_times, n_queries, n_keys) array_like
        Without digits: what is seen is how the pattern comes.
    names : sequence of str
        What stands over each map, as "step 200".
    rows, columns : sequence of str
        The queries and the keys. Rows are named once in each line of maps.
    title : str
        What to see.
    mark : (query, key), optional
        A cell to frame in every map; its numbers are said in the description.
    vmax : float, optional
        The value of the darkest colour. Default: the largest of all maps.

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
    wanted = (len(names), len(rows), len(columns))
    if array.shape != wanted:
        raise ValueError(f"maps has shape {array.shape} but names, rows and columns need {wanted}")
    low, high = colour_range(array, vmax)
    upright = stands_upright(columns, max(1.2 / len(columns), CELL))
    size = max(1.2, CELL * len(columns)) + 0.15  # inches, of a map
    for_rows = widest(rows) + 0.4
    n_lines, per_line = in_lines(len(names), max(1, int((WIDEST - for_rows - FOR_SCALE) / size)))
    over = [wrapped(name, size) for name in names]
    line_height = (
        max(1.0, CELL * len(rows)) + (widest(columns) if upright else LINE) + LINE * (lines_of(over) + 1) + 0.1
    )
    with new_picture(for_rows + size * per_line + FOR_SCALE, n_lines * line_height + 0.2, title) as picture:
        grid = picture.add_gridspec(n_lines, per_line)
        for i, name in enumerate(over):
            is_first = i % per_line == 0  # of its line
            axes = picture.add_subplot(grid[divmod(i, per_line)])
            image = axes.imshow(array[i], cmap=colours_of(low), vmin=low, vmax=high, aspect="auto")
            label_cells(axes, rows if is_first else [""] * len(rows), columns, upright)
            axes.spines[:].set(visible=True, color="#bbbbbb")
            if mark is not None:
                cells = np.zeros(array.shape[1:], bool)
                cells[mark] = True
                outline(axes, cells)
            axes.set_title(name, fontsize=11)
            axes.set_xlabel(_("key"))
            axes.set_ylabel(_("query") if is_first else "")
        show_scale(picture, image)
    sentences = [describe(array[i], rows, columns, name=names[i]) for i in sorted({0, len(names) - 1})]
    if mark is not None:
        values = [
            _("{value} at {name}").format(value=number_text(value), name=name)
            for value, name in zip(array[:, *mark].tolist(), names)
        ]
        framed = _("The framed cell, {row} and {column}: {values}.")
        sentences.append(framed.format(row=rows[mark[0]], column=columns[mark[1]], values=", ".join(values)))
    picture.description = in_sentences(title, sentences)
    return picture
