"""Matrices as coloured tables: one, or several beside each other."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .._words import _
from .lettering import LINE, TITLE, lines_of, widest, wrapped
from .picture import Picture, in_sentences, label_cells, new_picture
from .words import describe

SEQUENTIAL, DIVERGING = "Blues", "PuOr_r"  # colour-blind safe; darker is larger (in size)
FRAME = "#c2570c"  # around what a picture points at
YES, ZERO = "✓", "·"
MOST_DIGITS = 400  # cells: a larger matrix has no digits
LONGEST_LEVEL = 0.68  # inches: a column's label that is longer stands upright
CELL, DENSE, SMALL = 0.62, 0.5, 0.2  # inches: a cell, the least where many maps share a line, one without digits
NAME = 11  # points: over one of several maps
LOW = 0.3  # inches: a row of a list
BETWEEN = 0.15  # inches beside a map
WIDEST = 13.0  # inches of a picture: its digits stay readable where a page shrinks it
FOR_SCALE = 0.8  # inches


def heatmap(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], *, title: str, **options: Any) -> Picture:
    """Draw one matrix with its numbers in the cells.

    Parameters
    ----------
    values : (n_rows, n_columns) array_like
        Bool is drawn as a mask (a tick = may attend, a dot = may not), -inf as
        forbidden, 0 as a dot, or as a number beside -inf: a score of 0 forbids
        nothing. What tick and dot are is said under the picture.
    rows, columns : sequence of str
        Labels: tokens, or dimensions.
    title : str
        What to see.
    **options
        Those of `heatmaps`.
    """
    return heatmaps({title: values}, rows, columns, title="", **options)


def heatmaps(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str | None = None,
    column_axis: str | None = None,
    vmax: float | None = None,
    signed: bool | None = None,
    digits: int | None = 2,
    share_range: bool = False,
    outlined: ArrayLike | None = None,
    zero: str | None = None,
    yes: str | None = None,
    description: str | None = None,
) -> Picture:
    """Draw several matrices side by side, one panel for each name; in more than one line where they are too wide.

    All have the same rows and columns; labels that do not fit a matrix raise ValueError.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like
        Title of each panel, and its matrix, drawn as in `heatmap`.
    rows, columns : sequence of str
        Labels of every panel.
    title : str
        What to see in the whole picture.
    row_axis, column_axis : str, optional
        What rows and columns are. Default: query and key.
    vmax : float, optional
        The value of the darkest colour. Default: the largest; the range is
        symmetric about 0 where `signed`, and begins at 0 otherwise.
    signed : bool, optional
        Use two hues around 0. Default: where a value is below 0.
    digits : int, optional
        Decimals shown. None: small maps without any, as for one map at several times.
    share_range : bool, optional
        Give all panels one range of colours, so that they compare; a bar shows it, once, unless all are masks.
    outlined : (n_rows, n_columns) array_like of bool, optional
        Cells to point at: a line is drawn around each connected group of them, in every panel. A single cell is
        also followed in words, from panel to panel.
    zero : str, optional
        What the dot of a zero stands for. Default: 0.
    yes : str, optional
        What a tick stands for. Default: that a query may attend to a key. With it rows are low, as in a list, and the
        description names the columns in which each row has a tick.
    description : str, optional
        The picture in words. Default: made from the values.
    """
    arrays = {name: np.asarray(values) for name, values in panels.items()}
    rows, columns = list(rows), list(columns)
    row_axis = _("query") if row_axis is None else row_axis
    column_axis = _("key") if column_axis is None else column_axis
    finite = {name: array[np.isfinite(array)].astype(float) for name, array in arrays.items()}
    if share_range:
        finite = dict.fromkeys(arrays, np.concatenate([*finite.values()]))
    with_bar = share_range and len(arrays) > 1 and any(array.dtype != bool for array in arrays.values())
    plan = _plan([*arrays], rows, columns, WIDEST - FOR_SCALE * with_bar, digits is None, yes is not None)
    legend = "" if digits is None else _legend([*arrays.values()], zero, yes)
    with new_picture(plan.width + FOR_SCALE * with_bar, plan.height, title, legend) as picture:
        grid = picture.add_gridspec(plan.n_lines, plan.per_line)
        for i, (name, array) in enumerate(arrays.items()):
            if array.shape != (n := (len(rows), len(columns))):
                raise ValueError(
                    f"the matrix has shape {array.shape} but there are {n[0]} row and {n[1]} column labels"
                )
            line, place = divmod(i, plan.per_line)
            axes = picture.add_subplot(grid[line, place])
            _draw_matrix(axes, array, colour_range(finite[name], vmax, signed), digits)
            is_first = place == 0  # of its line: it alone names the rows
            label_cells(axes, rows if is_first else [""] * len(rows), columns, upright=plan.upright)
            if outlined is not None:
                outline(axes, outlined)
            axes.set_title(plan.names[i], fontsize=plan.points, pad=8, loc="left")
            axes.set_ylabel(wrapped(row_axis, plan.height / plan.n_lines - 0.8, 10) if is_first else "")
            axes.set_xlabel(wrapped(column_axis, plan.size, 10))
        if with_bar:  # to the right of all maps
            bar = picture.colorbar(axes.images[0], ax=list(picture.axes), shrink=0.8, aspect=25, pad=0.01)
            bar.outline.set_visible(False)  # type: ignore[operator]
            bar.ax.tick_params(labelsize=9)
    names = list(arrays) if digits is not None else [*arrays][:: max(1, len(arrays) - 1)]  # else the first and the last
    sentences = [describe(arrays[name], rows, columns, name=name, digits=digits or 2) for name in names]
    if yes is not None:
        sentences = [_ticks_in_words(name, arrays[name], rows, columns) for name in names]
    if outlined is not None and np.count_nonzero(outlined) == 1 and len(arrays) > 1:
        sentences.append(_cell_in_words(arrays, np.argwhere(outlined)[0].tolist(), rows, columns))
    picture.description = description or in_sentences(title, sentences)
    return picture


def _cell_in_words(
    arrays: Mapping[str, NDArray[Any]], cell: Sequence[int], rows: Sequence[str], columns: Sequence[str]
) -> str:
    i, j = cell
    values = [
        _("{value} at {name}").format(value=number_text(array[i, j]), name=name) for name, array in arrays.items()
    ]
    sentence = _("The framed cell, {row} and {column}: {values}.")
    return sentence.format(row=rows[i], column=columns[j], values=", ".join(values))


def _ticks_in_words(name: str, array: NDArray[Any], rows: Sequence[str], columns: Sequence[str]) -> str:
    sentences = []
    for label, line in zip(rows, array):
        ticked = [" ".join(column.split()) for column, is_ticked in zip(columns, line) if is_ticked]
        sentences.append(_("{row}: {columns}.").format(row=label, columns=", ".join(ticked) or _("none")))
    return in_sentences(name, sentences)


def colour_range(values: ArrayLike, vmax: float | None = None, signed: bool | None = None) -> tuple[float, float]:
    """Return the range of colours: symmetric about 0 where signed, else from 0 up."""
    array = np.asarray(values, float)
    if signed is None:
        signed = bool(array.min(initial=0) < 0)
    high = float(np.abs(array).max(initial=0)) or 1.0 if vmax is None else vmax
    return (-high if signed else 0.0), high


def text_colour(rgba: Sequence[float]) -> str:
    """Black or white, whichever contrasts more with the background (WCAG 2 relative luminance)."""
    channels = np.asarray(rgba[:3], float)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "white"


def outline(axes: Axes, cells: ArrayLike) -> None:
    """Draw a line wherever a cell that is pointed at meets one that is not, or the edge."""
    inside = np.pad(np.asarray(cells, bool), 1)
    edges = [((j - 1.5, i - 0.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[1:] != inside[:-1])] + [
        ((j - 0.5, i - 1.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[:, 1:] != inside[:, :-1])
    ]
    axes.add_collection(LineCollection(edges, colors=FRAME, linewidths=2.5, capstyle="projecting", clip_on=False))


class _Plan(NamedTuple):
    """Where the maps of a picture stand, in inches."""

    size: float  # the width of a map
    per_line: int
    n_lines: int
    width: float
    height: float
    names: list[str]  # over the maps, broken to their widths
    points: int  # of these names
    upright: bool  # whether the names of columns are


def _plan(
    panels: Sequence[str], rows: Sequence[str], columns: Sequence[str], widest_picture: float, small: bool, low: bool
) -> _Plan:
    """Share the maps out evenly over as few lines as their columns allow."""
    longest_label, for_row_names = widest(columns), widest(rows) + 0.5
    room = widest_picture - for_row_names - 0.2
    cell, row, least = (SMALL, SMALL, 1.2) if small else (CELL, 0.42, 1.6)
    if not small and len(panels) * (CELL * len(columns) + BETWEEN) > room:
        cell, row = min(CELL, max(DENSE, longest_label + 0.1)), 0.36
    row = LOW if low else row
    size = max(least, cell * len(columns))
    n_lines = math.ceil(len(panels) / max(1, int(room / (size + BETWEEN))))
    per_line = math.ceil(len(panels) / n_lines)
    points = NAME if len(panels) > 1 else TITLE
    names = [wrapped(name, size, points) for name in panels]
    upright = longest_label > (size / len(columns) if small else LONGEST_LEVEL)
    for_columns = longest_label if upright else LINE * lines_of(columns)
    line = max(1.0, row * len(rows)) + for_columns + LINE * (lines_of(names) + 1) + 0.25
    width = for_row_names + (size + BETWEEN) * per_line + 0.2
    return _Plan(size, per_line, n_lines, width, line * n_lines, names, points, upright)


def _legend(arrays: Sequence[NDArray[Any]], zero: str | None, yes: str | None) -> str:
    """Say what ticks and dots stand for, where there are any."""
    arrays = [array for array in arrays if array.size <= MOST_DIGITS]
    sentences = []
    if yes is not None:
        sentences.append(f"{YES}\u00a0\u00a0{yes}")
    elif any(array.dtype == bool for array in arrays):
        sentences.append(_("{yes} may attend, {zero} may not").format(yes=YES, zero=ZERO))
    if any(array.dtype != bool and (array == 0).any() and np.isfinite(array).all() for array in arrays):
        sentences.append(_("{zero} stands for {meaning}").format(zero=ZERO, meaning="0" if zero is None else zero))
    return "   ".join(sentences)


def _draw_matrix(axes: Axes, array: NDArray[Any], limits: tuple[float, float], digits: int | None) -> None:
    colours, scale = colormaps[DIVERGING if limits[0] < 0 else SEQUENTIAL], Normalize(*limits)
    finite = np.isfinite(array)
    axes.imshow(np.where(finite, array, limits[0]).astype(float), cmap=colours, norm=scale, aspect="auto")
    for i, j in np.argwhere(~finite):
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": "#999999", "hatch": "////", "linewidth": 0}
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **look))
    if digits is None or array.size > MOST_DIGITS:
        return
    for (i, j), value in np.ndenumerate(array):
        colour = text_colour(colours(scale(value))) if finite[i, j] else "black"
        written = _digits(value, digits) if finite.all() or value else number_text(0.0, digits)
        number = axes.text(j, i, written, ha="center", va="center", fontsize=9, color=colour)
        number.set_in_layout(False)  # it stands in its cell: the layout need not measure it


def _digits(value: Any, digits: int) -> str:
    if value == 0:
        return ZERO
    if value.dtype.kind == "b":
        return YES
    return str(value) if value.dtype.kind in "ui" else number_text(float(value), digits)
