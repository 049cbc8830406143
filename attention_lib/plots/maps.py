"""Matrices as coloured tables: one, several beside each other, and grids of small ones."""

import math
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike, NDArray

from .lettering import wrapped
from .picture import Picture, as_sentence, hangul_fonts, new_picture
from .words import describe, number_text

SEQUENTIAL, DIVERGING = "Blues", "PuOr_r"  # colour-blind safe; darker is larger (in size)
WIDEST = 13.0  # inches: a wider row of maps is drawn denser, so that its digits stay readable where it is shrunk
WIDEST_DENSE = 12.0  # and one that is wider even then stands in more than one line


def heatmap(
    values: ArrayLike,
    rows: Sequence[str],
    columns: Sequence[str],
    *,
    title: str,
    row_axis: str = "query",
    column_axis: str = "key",
    vmin: float | None = None,
    vmax: float | None = None,
    signed: bool | None = None,
    digits: int = 2,
    description: str | None = None,
) -> Picture:
    """Draw one matrix with its numbers in the cells.

    Parameters
    ----------
    values : (n_rows, n_columns) array_like
        Bool is drawn as a mask (1 = may attend), -inf as forbidden.
    rows, columns : sequence of str
        Labels: tokens, or dimensions.
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are.
    vmin, vmax : float, optional
        Range of the colours. Default: 0 to the largest value, or symmetric
        about 0 where `signed`.
    signed : bool, optional
        Use two hues around 0. Default: where a value is below 0.
    digits : int, optional
        Decimals shown.
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
        description=description,
    )


def heatmaps(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Sequence[str] | Mapping[str, Sequence[str]],
    *,
    title: str,
    row_axis: str = "query",
    column_axis: str | Mapping[str, str] = "key",
    vmin: float | None = None,
    vmax: float | None = None,
    signed: bool | None = None,
    digits: int = 2,
    share_range: bool = False,
    description: str | None = None,
) -> Picture:
    """Draw several matrices side by side, one panel for each name; in more than one line where they are too wide.

    Parameters
    ----------
    panels : mapping of str to (n_rows, n_columns) array_like
        Title of each panel, and its matrix.
    rows : sequence of str
        Labels of the rows, shared.
    columns : sequence of str, or mapping of panel to sequence of str
        Labels of the columns; a mapping where they differ. `column_axis` likewise.
    title : str
        What to see in the whole picture.
    share_range : bool, optional
        Give all panels one range of colours, so that they compare.

    Other parameters are as in `heatmap`.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If the labels do not fit a matrix.
    """
    arrays = {name: np.asarray(values) for name, values in panels.items()}
    shown = [array[np.isfinite(array)] for array in arrays.values()]
    if share_range:
        everything = np.concatenate([values.astype(float) for values in shown])
        shown = [everything] * len(shown)
    column_labels = {name: list(columns[name] if isinstance(columns, Mapping) else columns) for name in arrays}
    n_lines, widths, margin = _lines_of_maps(list(column_labels.values()))
    per_line, width = len(widths), sum(widths) + margin
    title_lines = wrapped(title, width)
    name_lines = [wrapped(name, widths[i % per_line] - 0.5 * (not margin)) for i, name in enumerate(arrays)]
    line_height = 0.42 * len(rows) + 1.5 if n_lines == 1 else 0.3 * len(rows) + 1.0
    height = n_lines * (max(1.9, line_height) + 0.2 * max(lines.count("\n") for lines in name_lines))
    height += 0.2 * title_lines.count("\n")
    with hangul_fonts():
        picture = new_picture((width, height))
        grid = picture.add_gridspec(n_lines, per_line, width_ratios=widths)
        for i, (name, array) in enumerate(arrays.items()):
            is_first = i % per_line == 0  # of its line
            axes = picture.add_subplot(grid[divmod(i, per_line)])
            low, high = colour_range(shown[i], vmin, vmax, signed)
            axis_name = column_axis[name] if isinstance(column_axis, Mapping) else column_axis
            _draw_matrix(axes, array, list(rows), column_labels[name], low, high, digits)
            axes.set_title(name_lines[i], fontsize=11, pad=8)
            axes.set_ylabel(row_axis if is_first else "")
            axes.set_xlabel(axis_name)
            if not is_first:
                axes.set_yticklabels([])
        if title:
            picture.suptitle(title_lines, fontsize=12)
    picture.description = description or " ".join(
        filter(
            None,
            [
                as_sentence(title),
                *(describe(a, list(rows), column_labels[n], name=n, digits=digits) for n, a in arrays.items()),
            ],
        )
    )
    return picture


def thumbnails(
    maps: ArrayLike,
    values: ArrayLike,
    *,
    title: str,
    row_axis: str = "layer",
    column_axis: str = "head",
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
        What rows and columns of the grid are.
    chosen : (row, column), optional
        A map to frame.
    mark : (query, key), optional
        A cell to frame in every map.
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
    (n_rows, n_columns), n = numbers.shape, arrays.shape[-1]
    wide, high = 1.14, 1.42  # room for one map, whose side is 1, with its number
    with hangul_fonts():
        size = (0.72 * wide * n_columns + 0.7, 0.72 * high * n_rows + 0.9)
        picture = new_picture(size)
        axes = picture.add_subplot()
        for i, j in np.ndindex(n_rows, n_columns):
            left, top, is_chosen = j * wide, i * high, (i, j) == chosen
            axes.imshow(arrays[i, j], cmap=SEQUENTIAL, vmin=0, vmax=1, extent=(left, left + 1, top + 1, top))
            axes.add_patch(_frame(left, top, 1, "#0b57d0" if is_chosen else "#9a9a9a", 3 if is_chosen else 0.6))
            if len(mark):
                axes.add_patch(_frame(left + mark[1] / n, top + mark[0] / n, 1 / n, "#c2410c", 1))
            axes.text(left + 0.5, top + 1.2, number_text(float(numbers[i, j])), ha="center", va="center", fontsize=9)
        axes.set_xlim(-0.1, n_columns * wide)
        axes.set_ylim(n_rows * high, -0.1)
        axes.set_xticks(wide * np.arange(n_columns) + 0.5, list(map(str, range(n_columns))), fontsize=9)
        axes.set_yticks(high * np.arange(n_rows) + 0.5, list(map(str, range(n_rows))), fontsize=9)
        axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set_xlabel(column_axis)
        axes.xaxis.set_label_position("top")
        axes.set_ylabel(row_axis)
        axes.set_title(wrapped(title, size[0]), fontsize=11)
    labels = [f"{row_axis} {i}" for i in range(n_rows)], [f"{column_axis} {j}" for j in range(n_columns)]
    picture.description = description or f"{as_sentence(title)} {describe(numbers, *labels)}"
    return picture


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
    many = array.size > 400
    for i, j in np.ndindex(array.shape):
        if not finite[i, j]:
            axes.add_patch(_forbidden_patch(i, j))
        if many:
            continue
        value = array[i, j]
        text = str(int(value)) if array.dtype.kind in "bui" else number_text(float(value), digits)
        colour = text_colour(colours(scale(value))) if finite[i, j] else "black"
        axes.text(j, i, text, ha="center", va="center", fontsize=9, color=colour)
    axes.set_xticks(
        range(len(columns)), columns, fontsize=9, rotation=90 if max(map(len, columns), default=0) > 8 else 0
    )
    axes.set_yticks(range(len(rows)), rows, fontsize=9)
    axes.tick_params(length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
    axes.spines[:].set_visible(False)


def _forbidden_patch(i: int, j: int) -> Rectangle:
    return Rectangle((j - 0.5, i - 0.5), 1, 1, facecolor="white", edgecolor="#999999", hatch="////", linewidth=0)


def _lines_of_maps(column_labels: Sequence[Sequence[str]]) -> tuple[int, list[float], float]:
    """Return the number of lines, the width of each map in a line, and the room for row labels not in these widths.

    A row of maps up to `WIDEST` has wide cells, and room for row labels in each width.
    """
    loose = [max(2.2, 0.62 * len(labels) + 1.2) for labels in column_labels]
    if sum(loose) <= WIDEST or len(loose) == 1:
        return 1, loose, 0.0
    cell = min(0.62, max(0.5, *(_inches(label) for labels in column_labels for label in labels)))
    dense = [max(1.4, cell * len(labels)) + 0.1 for labels in column_labels]
    room_for_labels = 1.0
    per_line = math.ceil(len(dense) / math.ceil((sum(dense) + room_for_labels) / WIDEST_DENSE))
    widths = [max(dense[i::per_line]) for i in range(per_line)]
    return math.ceil(len(dense) / per_line), widths, room_for_labels


def _inches(label: str) -> float:
    """Return about how wide a label of the axes is, with a gap; a Hangul syllable is as wide as two letters."""
    return 0.06 + sum(0.125 if unicodedata.east_asian_width(letter) == "W" else 0.075 for letter in label)


def _frame(left: float, top: float, side: float, colour: str, width: float) -> Rectangle:
    return Rectangle((left, top), side, side, fill=False, edgecolor=colour, linewidth=width)
