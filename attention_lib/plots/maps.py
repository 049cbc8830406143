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
from .lettering import LETTER, LINE, lines_of, widest, wrapped
from .picture import Picture, as_sentence, hangul_fonts, new_picture
from .words import describe

MESSAGES = {
    "query": "query",
    "key": "key",
    "zero": "·",
    "quiet": "{zero} stands for {said}",
    "0": "0",
    "yes": "✓",
    "mask": "{yes} may attend, {zero} may not",
    "and": "   ",
}

SEQUENTIAL, DIVERGING = "Blues", "PuOr_r"  # colour-blind safe; darker is larger (in size)
FRAME = "#c2570c"  # around what a picture points at
MOST_DIGITS = 400  # cells: a larger matrix has no digits
LONGEST_LEVEL = 8  # letters of a column's label: longer ones stand upright
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
    vmin: float | None = None,
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
    vmin, vmax : float, optional
        Range of the colours. Default: 0 to the largest value, or symmetric
        about 0 where `signed`.
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

    Returns
    -------
    Picture

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
        vmin=vmin,
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
    vmin: float | None = None,
    vmax: float | Mapping[str, float] | None = None,
    signed: bool | Mapping[str, bool] | None = None,
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
        Labels; a mapping where they differ. `row_axis`, `column_axis`, `vmax` and `signed` likewise.
    title : str
        What to see in the whole picture.
    share_range : bool, optional
        Give all panels one range of colours, so that they compare; a bar shows it, once, unless all are masks.
    outlined : (n_rows, n_columns) array_like of bool, optional
        Cells to point at, the same in every panel.

    Other parameters are as in `heatmap`.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If the labels do not fit a matrix.
    """
    row_axis = MESSAGES["query"] if row_axis is None else row_axis
    column_axis = MESSAGES["key"] if column_axis is None else column_axis
    arrays = {name: np.asarray(values) for name, values in panels.items()}
    shown = [array[np.isfinite(array)] for array in arrays.values()]
    if share_range:
        everything = np.concatenate([values.astype(float) for values in shown])
        shown = [everything] * len(shown)
    row_labels = {name: list(_of(rows, name)) for name in arrays}
    column_labels = {name: list(_of(columns, name)) for name in arrays}
    most_rows = max(map(len, row_labels.values()))
    with_bar = share_range and len(arrays) > 1 and not all(array.dtype == bool for array in arrays.values())
    more = max(map(_more_for_rows, row_labels.values())) + 0.7 * with_bar  # inches
    n_lines, widths, margin = _lines_of_maps(list(column_labels.values()), more)
    per_line, width = len(widths), sum(widths) + margin + more
    legend = _legend(list(arrays.values()), zero)
    title_lines = wrapped(title, width, 12)
    name_lines = [wrapped(name, widths[i % per_line] - 0.5 * (not margin)) for i, name in enumerate(arrays)]
    line_height = 0.42 * most_rows + 1.5 if n_lines == 1 else 0.3 * most_rows + 1.0
    line_height = max(1.9, line_height) + max(_more_for_columns(labels) for labels in column_labels.values())
    height = n_lines * (line_height + LINE * (lines_of(name_lines) - 1))
    height += LINE * (lines_of([title_lines]) - 1 + bool(legend))
    with hangul_fonts():
        picture = new_picture((width, height))
        grid = picture.add_gridspec(n_lines, per_line, width_ratios=widths)
        for i, (name, array) in enumerate(arrays.items()):
            names_rows = i % per_line == 0 or isinstance(rows, Mapping)  # else the first of its line does
            axes = picture.add_subplot(grid[divmod(i, per_line)])
            low, high = colour_range(shown[i], vmin, _of(vmax, name), _of(signed, name))
            _draw_matrix(axes, array, row_labels[name], column_labels[name], low, high, digits)
            if outlined is not None:
                _outline(axes, np.asarray(outlined, bool))
            axes.set_title(name_lines[i], fontsize=11, pad=8)
            axes.set_ylabel(wrapped(_of(row_axis, name), line_height - 0.8, 10) if names_rows else "")
            axes.set_xlabel(wrapped(_of(column_axis, name), widths[i % per_line], 10))
            if not names_rows:
                axes.set_yticklabels([])
        if title:
            picture.suptitle(title_lines, fontsize=12)
        if legend:
            picture.supxlabel(legend, fontsize=9)
        if with_bar:
            show_scale(picture, picture.axes[0].images[0], list(picture.axes))
    picture.description = description or " ".join(
        filter(
            None,
            [
                as_sentence(title),
                *(describe(a, row_labels[n], column_labels[n], name=n, digits=digits) for n, a in arrays.items()),
            ],
        )
    )
    return picture


def _of(given: Any, panel: str) -> Any:
    """Return what is given for one panel, or for all alike."""
    return given[panel] if isinstance(given, Mapping) else given


def colour_range(
    values: ArrayLike, vmin: float | None = None, vmax: float | None = None, signed: bool | None = None
) -> tuple[float, float]:
    """Return the range of colours: symmetric about 0 where signed, else from 0 up."""
    array = np.asarray(values, float)
    if signed is None:
        signed = bool(array.size and array.min() < 0)
    largest = float(np.abs(array).max()) if array.size else 1.0
    high = vmax if vmax is not None else (largest or 1.0)
    low = vmin if vmin is not None else (-high if signed else 0.0)
    return low, max(high, low + 1e-12)


def text_colour(rgba: Sequence[float]) -> str:
    """Black or white, whichever contrasts more with the background (WCAG 2 relative luminance)."""
    channels = np.asarray(rgba[:3], float)
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return "black" if (luminance + 0.05) ** 2 > 0.05 * 1.05 else "white"


def show_scale(picture: Picture, image: AxesImage, beside: Sequence[Axes]) -> None:
    """Draw the scale of colours that all maps share, once, to their right."""
    bar = picture.colorbar(image, ax=list(beside), shrink=0.8, aspect=25, pad=0.01)
    bar.outline.set_visible(False)  # type: ignore[operator]
    bar.ax.tick_params(labelsize=9)


def _quiet(array: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which cells are drawn as a dot: zeros of a matrix that has its digits written."""
    return np.zeros(array.shape, dtype=bool) if array.size > MOST_DIGITS else array == 0


def _legend(arrays: Sequence[NDArray[Any]], zero: str | None) -> str:
    """Say what ticks and dots stand for, where there are any."""
    masks = [array for array in arrays if array.dtype == bool and array.size <= MOST_DIGITS]
    numbers = [array for array in arrays if array.dtype != bool]
    said = [MESSAGES["mask"].format(yes=MESSAGES["yes"], zero=MESSAGES["zero"])] * bool(masks)
    if any(_quiet(array).any() for array in numbers):
        said.append(MESSAGES["quiet"].format(zero=MESSAGES["zero"], said=MESSAGES["0"] if zero is None else zero))
    return MESSAGES["and"].join(said)


def _outline(axes: Axes, cells: NDArray[np.bool_]) -> None:
    """Draw a line wherever a cell that is pointed at meets one that is not, or the edge."""
    inside = np.pad(cells, 1)
    edges = [((j - 1.5, i - 0.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[1:] != inside[:-1])] + [
        ((j - 0.5, i - 1.5), (j - 0.5, i - 0.5)) for i, j in np.argwhere(inside[:, 1:] != inside[:, :-1])
    ]
    axes.add_collection(LineCollection(edges, colors=FRAME, linewidths=2.5, capstyle="projecting", clip_on=False))


def _more_for_rows(labels: Sequence[str]) -> float:
    return max(0.0, LETTER * widest(labels) - 0.8)  # inches, beyond the room that every map has


def _more_for_columns(labels: Sequence[str]) -> float:
    return LETTER * widest(labels) if widest(labels) > LONGEST_LEVEL else 0.0  # inches


def _draw_matrix(
    axes: Axes, array: NDArray[Any], rows: list[str], columns: list[str], low: float, high: float, digits: int
) -> None:
    if array.shape != (len(rows), len(columns)):
        raise ValueError(
            f"the matrix has shape {array.shape} but there are {len(rows)} row and {len(columns)} column labels"
        )
    colours = colormaps[DIVERGING if low < 0 else SEQUENTIAL]
    scale = Normalize(low, high)
    finite = np.isfinite(array)
    axes.imshow(np.where(finite, array, low).astype(float), cmap=colours, norm=scale, aspect="auto")
    many, quiet = array.size > MOST_DIGITS, _quiet(array)
    for i, j in np.ndindex(array.shape):
        if not finite[i, j]:
            axes.add_patch(_forbidden_patch(i, j))
        if many:
            continue
        value = array[i, j]
        text = MESSAGES["zero"] if quiet[i, j] else _digits(array, value, digits)
        colour = text_colour(colours(scale(value))) if finite[i, j] else "black"
        written = axes.text(j, i, text, ha="center", va="center", fontsize=9, color=colour)
        written.set_in_layout(False)  # it stands in its cell: the layout need not measure it
    axes.set_xticks(range(len(columns)), columns, fontsize=9, rotation=90 if widest(columns) > LONGEST_LEVEL else 0)
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)


def _digits(array: NDArray[Any], value: Any, digits: int) -> str:
    if array.dtype == bool:
        return MESSAGES["yes"]
    return str(int(value)) if array.dtype.kind in "ui" else number_text(float(value), digits)


def _forbidden_patch(i: int, j: int) -> Rectangle:
    return Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="white", edgecolor="#999999", hatch="////", linewidth=0)


def _lines_of_maps(column_labels: Sequence[Sequence[str]], more: float) -> tuple[int, list[float], float]:
    """Return the number of lines, the width of each map in a line, and the room for row labels not in these widths.

    `more` inches are taken by long labels of rows and by the scale.
    A row of maps up to `WIDEST` has wide cells, and room for row labels in each width.
    """
    loose = [max(2.2, 0.62 * len(labels) + 1.2) for labels in column_labels]
    if sum(loose) + more <= WIDEST or len(loose) == 1:
        return 1, loose, 0.0
    cell = min(0.62, max(0.5, *(0.06 + 0.9 * LETTER * widest(labels) for labels in column_labels)))
    dense = [max(1.4, cell * len(labels)) + 0.1 for labels in column_labels]
    room_for_labels = 1.0
    fitting = max(1, int((WIDEST_DENSE - room_for_labels - more) / max(dense)))
    per_line = math.ceil(len(dense) / math.ceil(len(dense) / fitting))
    widths = [max(dense[i::per_line]) for i in range(per_line)]
    return math.ceil(len(dense) / per_line), widths, room_for_labels
