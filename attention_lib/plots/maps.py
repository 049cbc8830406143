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
    rows: Sequence[str] | Mapping[str, Sequence[str]],
    columns: Sequence[str] | Mapping[str, Sequence[str]],
    *,
    title: str,
    row_axis: str | Mapping[str, str] | None = None,
    column_axis: str | Mapping[str, str] | None = None,
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

    Labels that do not fit a matrix raise ValueError.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like
        Title of each panel, and its matrix, drawn as in `heatmap`.
    rows, columns : sequence of str, or mapping of panel to sequence of str
        Labels; a mapping where they differ.
    title : str
        What to see in the whole picture.
    row_axis, column_axis : str, or mapping of panel to str, optional
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
    row_labels = {name: list(_of(rows, name)) for name in arrays}
    column_labels = {name: list(_of(columns, name)) for name in arrays}
    row_axis = _("query") if row_axis is None else row_axis
    column_axis = _("key") if column_axis is None else column_axis
    finite = {name: array[np.isfinite(array)].astype(float) for name, array in arrays.items()}
    if share_range:
        finite = dict.fromkeys(arrays, np.concatenate([*finite.values()]))
    with_bar = share_range and len(arrays) > 1 and any(array.dtype != bool for array in arrays.values())
    all_have_row_names = isinstance(rows, Mapping)  # otherwise the first map of each line has them
    widest_picture = WIDEST - FOR_SCALE * with_bar
    plan = _plan(row_labels, column_labels, widest_picture, digits is None, all_have_row_names, yes is not None)

    legend = "" if digits is None else _legend([*arrays.values()], zero, yes)
    with new_picture(plan.width + FOR_SCALE * with_bar, plan.height, title, legend) as picture:
        grid = picture.add_gridspec(plan.n_lines, len(plan.sizes), width_ratios=plan.sizes)
        for i, (name, array) in enumerate(arrays.items()):
            if array.shape != (n := (len(row_labels[name]), len(column_labels[name]))):
                raise ValueError(
                    f"the matrix has shape {array.shape} but there are {n[0]} row and {n[1]} column labels"
                )
            line, place = divmod(i, len(plan.sizes))
            axes = picture.add_subplot(grid[line, place])
            _draw_matrix(axes, array, colour_range(finite[name], vmax, signed), digits)
            has_row_names = all_have_row_names or place == 0
            shown_rows = row_labels[name] if has_row_names else [""] * len(row_labels[name])
            label_cells(axes, shown_rows, column_labels[name], upright=plan.upright)
            if outlined is not None:
                outline(axes, outlined)
            axes.set_title(plan.names[i], fontsize=NAME if len(arrays) > 1 else TITLE, pad=8, loc="left")
            axes.set_ylabel(wrapped(_of(row_axis, name), plan.height / plan.n_lines - 0.8, 10) if has_row_names else "")
            axes.set_xlabel(wrapped(_of(column_axis, name), plan.sizes[place], 10))
        if with_bar:  # to the right of all maps
            bar = picture.colorbar(axes.images[0], ax=list(picture.axes), shrink=0.8, aspect=25, pad=0.01)
            bar.outline.set_visible(False)  # type: ignore[operator]
            bar.ax.tick_params(labelsize=9)
    names = list(arrays) if digits is not None else [*arrays][:: max(1, len(arrays) - 1)]  # else the first and the last
    sentences = [
        describe(arrays[name], row_labels[name], column_labels[name], name=name, digits=digits or 2) for name in names
    ]
    if yes is not None:
        sentences = [_ticks_in_words(name, arrays[name], row_labels[name], column_labels[name]) for name in names]
    if outlined is not None and np.count_nonzero(outlined) == 1 and len(arrays) > 1:
        sentences.append(_cell_in_words(arrays, np.argwhere(outlined)[0].tolist(), row_labels, column_labels))
    picture.description = description or in_sentences(title, sentences)
    return picture


Labels = Mapping[str, list[str]]  # of each panel


def _cell_in_words(arrays: Mapping[str, NDArray[Any]], cell: Sequence[int], rows: Labels, columns: Labels) -> str:
    i, j = cell
    values = [
        _("{value} at {name}").format(value=number_text(array[i, j]), name=name) for name, array in arrays.items()
    ]
    first = next(iter(arrays))
    sentence = _("The framed cell, {row} and {column}: {values}.")
    return sentence.format(row=rows[first][i], column=columns[first][j], values=", ".join(values))


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

    sizes: list[float]  # the width of each map of a line
    n_lines: int
    width: float
    height: float
    names: list[str]  # over the maps, broken to their widths
    upright: bool  # whether the names of columns are


def _plan(
    rows: Labels, columns: Labels, widest_picture: float, small: bool, all_have_row_names: bool, low: bool
) -> _Plan:
    """Share the maps out evenly over as few lines as their columns allow."""
    most_rows, most_columns = max(map(len, rows.values())), max(map(len, columns.values()))
    longest_label = max(map(widest, columns.values()))
    for_row_names = max(map(widest, rows.values())) + 0.5
    first, each = (0.0, for_row_names) if all_have_row_names else (for_row_names, 0.15)  # inches beside cells
    room = widest_picture - first - 0.2
    cell, row, least = (SMALL, SMALL, 1.2) if small else (CELL, 0.42, 1.6)
    if not small and len(columns) * (CELL * most_columns + each) > room:
        cell, row = min(CELL, max(DENSE, longest_label + 0.1)), 0.36
    row = LOW if low else row
    fitting = max(1, int(room / (max(least, cell * most_columns) + each)))
    n_lines = math.ceil(len(columns) / fitting)
    per_line = math.ceil(len(columns) / n_lines)
    widths = [max(least, cell * len(labels)) for labels in columns.values()]
    sizes = [max(widths[place::per_line]) for place in range(per_line)]
    names = [wrapped(name, sizes[i % per_line], NAME if len(columns) > 1 else TITLE) for i, name in enumerate(columns)]
    upright = longest_label > (sizes[0] / most_columns if small else LONGEST_LEVEL)
    for_columns = longest_label if upright else LINE * max(map(lines_of, columns.values()))
    line = max(1.0, row * most_rows) + for_columns + LINE * (lines_of(names) + 1) + 0.25
    return _Plan(sizes, n_lines, first + sum(sizes) + each * per_line + 0.2, line * n_lines, names, upright)


def _of(value: Any, panel: str) -> Any:
    """Return what belongs to one panel: its own value, or the one that all share."""
    return value[panel] if isinstance(value, Mapping) else value


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
