"""Matrices as coloured tables: one, and several beside each other."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .picture import Picture, in_sentences, label_cells, new_picture
from .words import describe

SEQUENTIAL, DIVERGING = "Blues", "PuOr_r"  # colour-blind safe; darker is larger (in size)
FRAME = "#c2570c"  # around what a picture points at
YES, ZERO = "✓", "·"
MOST_DIGITS = 400  # cells: a larger matrix has no digits
LONGEST_LEVEL = 0.68  # inches: a column's label that is longer stands upright
WIDEST = 13.0  # inches: a wider row of maps is drawn denser, so that its digits stay readable where it is shrunk
WIDEST_DENSE = 12.0  # and one that is wider even then stands in more than one line


def heatmap(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str | None = None,
    column_axis: str | None = None,
    vmax: float | None = None,
    signed: bool | None = None,
    digits: int = 2,
    outlined: ArrayLike | None = None,
    zero: str | None = None,
    description: str | None = None,
) -> Picture:
    """Draw one matrix with its numbers in the cells.

    Parameters
    ----------
    values : (n_rows, n_columns) array_like
        Bool is drawn as a mask (a tick = may attend, a dot = may not), -inf as
        forbidden, 0 as a dot; what tick and dot are is said under the picture.
    rows, columns : sequence of str
        Labels: tokens, or dimensions.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are. Default: query and key.
    vmax : float, optional
        The value of the darkest colour. Default: the largest; the range is
        symmetric about 0 where `signed`, and begins at 0 otherwise.
    signed : bool, optional
        Use two hues around 0. Default: where a value is below 0.
    digits : int, optional
        Decimals shown.
    outlined : (n_rows, n_columns) array_like of bool, optional
        Cells to point at: a line is drawn around each connected group of them.
    zero : str, optional
        What the dot of a zero stands for. Default: 0.
    description : str, optional
        The picture in words. Default: made from the values.

    Raises
    ------
    ValueError
        If the labels do not fit the matrix.
    """
    return heatmaps(
        {title: values},
        rows,
        columns,
        title="",
        row_axis=row_axis,
        column_axis=column_axis,
        vmax=vmax,
        signed=signed,
        digits=digits,
        outlined=outlined,
        zero=zero,
        description=description,
    )


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
    digits: int = 2,
    share_range: bool = False,
    outlined: ArrayLike | None = None,
    zero: str | None = None,
    description: str | None = None,
) -> Picture:
    """Draw several matrices side by side, one panel for each name; in more than one line where they are too wide.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like
        Title of each panel, and its matrix.
    rows, columns : sequence of str, or mapping of panel to sequence of str
        Labels; a mapping where they differ. `row_axis` and `column_axis` likewise.
    title : str
        What to see in the whole picture.
    share_range : bool, optional
        Give all panels one range of colours, so that they compare; a bar shows it, once, unless all are masks.
    outlined : (n_rows, n_columns) array_like of bool, optional
        Cells to point at, the same in every panel.

    Other parameters and errors are as in `heatmap`.
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

    beside = max(0.0, max(map(widest, row_labels.values())) - 0.8) + 0.7 * with_bar  # inches
    n_lines, widths, margin = _lines_of_maps([*column_labels.values()], beside)
    per_line = len(widths)
    names = []
    for i, name in enumerate(arrays):
        for_labels = 1.1 if not margin else widest(row_labels[name]) + 0.3 if isinstance(rows, Mapping) else 0.1
        names.append(wrapped(name, widths[i % per_line] - for_labels))  # a title stands over the middle of its cells
    most_rows = max(map(len, row_labels.values()))
    line_height = 0.42 * most_rows + 1.5 if n_lines == 1 else 0.3 * most_rows + 1.0
    line_height = max(1.9, line_height) + max(map(_room_above, column_labels.values()))
    height = n_lines * (line_height + LINE * (lines_of(names) - 1))
    with new_picture(sum(widths) + margin + beside, height, title, _legend([*arrays.values()], zero)) as picture:
        grid = picture.add_gridspec(n_lines, per_line, width_ratios=widths)
        for i, (name, array) in enumerate(arrays.items()):
            axes = picture.add_subplot(grid[divmod(i, per_line)])
            _draw_matrix(axes, array, colour_range(finite[name], vmax, signed), digits)
            has_row_names = i % per_line == 0 or isinstance(rows, Mapping)  # else the first of its line has them
            _check_labels(array, row_labels[name], column_labels[name])
            shown_rows = row_labels[name] if has_row_names else [""] * len(row_labels[name])
            label_cells(axes, shown_rows, column_labels[name], upright=stands_upright(column_labels[name]))
            if outlined is not None:
                outline(axes, outlined)
            axes.set_title(names[i], fontsize=11, pad=8)
            axes.set_ylabel(wrapped(_of(row_axis, name), line_height - 0.8, 10) if has_row_names else "")
            axes.set_xlabel(wrapped(_of(column_axis, name), widths[i % per_line], 10))
        if with_bar:
            show_scale(picture, axes.images[0])
    sentences = (
        describe(array, row_labels[name], column_labels[name], name=name, digits=digits)
        for name, array in arrays.items()
    )
    picture.description = description or in_sentences(title, sentences)
    return picture


def _of(value: Any, panel: str) -> Any:
    """Return what belongs to one panel: its own value, or the one that all share."""
    return value[panel] if isinstance(value, Mapping) else value


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


def colours_of(low: float) -> str:
    """Return the name of the colours for a range that begins here."""
    return DIVERGING if low < 0 else SEQUENTIAL


def show_scale(picture: Picture, image: AxesImage) -> None:
    """Draw the scale of colours that all maps share, once, to their right."""
    bar = picture.colorbar(image, ax=list(picture.axes), shrink=0.8, aspect=25, pad=0.01)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.ax.tick_params(labelsize=9)


def outline(axes: Axes, cells: ArrayLike) -> None:
    """Draw a line wherever a cell that is pointed at meets one that is not, or the edge."""
    inside = np.pad(np.asarray(cells, bool), 1)
    edges = [((j - 1.5, i - 0.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[1:] != inside[:-1])] + [
        ((j - 0.5, i - 1.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[:, 1:] != inside[:, :-1])
    ]
    axes.add_collection(LineCollection(edges, colors=FRAME, linewidths=2.5, capstyle="projecting", clip_on=False))


def stands_upright(columns: Sequence[str], room: float = LONGEST_LEVEL) -> bool:
    return widest(columns) > room


def _room_above(columns: Sequence[str]) -> float:
    return widest(columns) if stands_upright(columns) else 0.0  # inches


def _dots(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which cells are drawn as a dot: zeros of a matrix that has its digits written."""
    return (array == 0) & (array.size <= MOST_DIGITS)


def _legend(arrays: Sequence[NDArray[Any]], zero: str | None) -> str:
    """Say what ticks and dots stand for, where there are any."""
    sentences = []
    if any(array.dtype == bool and array.size <= MOST_DIGITS for array in arrays):
        sentences.append(_("{yes} may attend, {zero} may not").format(yes=YES, zero=ZERO))
    if any(array.dtype != bool and _dots(array).any() for array in arrays):
        sentences.append(_("{zero} stands for {meaning}").format(zero=ZERO, meaning="0" if zero is None else zero))
    return "   ".join(sentences)


def _check_labels(array: NDArray[Any], rows: Sequence[str], columns: Sequence[str]) -> None:
    if array.shape != (len(rows), len(columns)):
        raise ValueError(
            f"the matrix has shape {array.shape} but there are {len(rows)} row and {len(columns)} column labels"
        )


def _draw_matrix(axes: Axes, array: NDArray[Any], limits: tuple[float, float], digits: int) -> None:
    colours, scale = colormaps[colours_of(limits[0])], Normalize(*limits)
    finite, dots = np.isfinite(array), _dots(array)
    axes.imshow(np.where(finite, array, limits[0]).astype(float), cmap=colours, norm=scale, aspect="auto")
    for i, j in np.argwhere(~finite):
        look: dict[str, Any] = {"facecolor": "white", "edgecolor": "#999999", "hatch": "////", "linewidth": 0}
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1, 1, **look))
    if array.size > MOST_DIGITS:
        return
    for (i, j), value in np.ndenumerate(array):
        text = ZERO if dots[i, j] else _digits(value, array.dtype.kind, digits)
        colour = text_colour(colours(scale(value))) if finite[i, j] else "black"
        number = axes.text(j, i, text, ha="center", va="center", fontsize=9, color=colour)
        number.set_in_layout(False)  # it stands in its cell: the layout need not measure it


def _digits(value: Any, kind: str, digits: int) -> str:
    if kind == "b":
        return YES
    return str(int(value)) if kind in "ui" else number_text(float(value), digits)


def _lines_of_maps(column_labels: Sequence[Sequence[str]], beside: float) -> tuple[int, list[float], float]:
    """Return the number of lines, the width of each map in a line, and the room for row labels not in these widths.

    `beside` inches are taken by long labels of rows and by the scale.
    A row of maps up to `WIDEST` has wide cells, and room for row labels in each width.
    """
    loose = [max(2.2, 0.62 * len(labels) + 1.2) for labels in column_labels]
    if sum(loose) + beside <= WIDEST or len(loose) == 1:
        return 1, loose, 0.0
    cell = min(0.62, max(0.5, *(0.1 + widest(labels) for labels in column_labels)))
    dense = [max(1.4, cell * len(labels)) + 0.1 for labels in column_labels]
    room_for_labels = 1.0
    fitting = max(1, int((WIDEST_DENSE - room_for_labels - beside) / max(dense)))
    n_lines, per_line = in_lines(len(dense), fitting)
    return n_lines, [max(dense[i::per_line]) for i in range(per_line)], room_for_labels


def in_lines(n: int, fitting: int) -> tuple[int, int]:
    """Share so many maps out evenly: return the number of lines, and how many stand in a line."""
    n_lines = math.ceil(n / fitting)
    return n_lines, math.ceil(n / n_lines)
