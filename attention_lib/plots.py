"""Still pictures: arrays and traces in, matplotlib figures out.

Every picture says in its title what to see, names its axes, reads in black and
white, and carries a description in words. Nothing here knows of widgets, and
importing it changes no global setting of matplotlib.
"""

import functools
import html
import io
import math
import textwrap
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib import colormaps, font_manager
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import Figure
from numpy.typing import ArrayLike, NDArray

FONT_FILE = Path(__file__).with_name("fonts") / "AttentionHangul-Regular.ttf"
FONTS = ["DejaVu Sans", "Attention Hangul"]  # Latin and symbols first, Hangul by fallback
SEQUENTIAL, DIVERGING = "Blues", "PuOr_r"  # colour-blind safe; darker is larger (in size)
LINE_STYLES = ["-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1))]
MARKERS = ["o", "s", "^", "D", "x"]
COLOURS = ["#0b3c6f", "#c2570c", "#3d7a3d", "#7a3d7a", "#555555"]
WIDEST = 13.0  # inches: a wider row of maps is drawn denser, so that its digits stay readable where it is shrunk
WIDEST_DENSE = 12.0  # and one that is wider even then stands in more than one line
TIE = 1e-9  # weights this close are called equal: their last bits differ from machine to machine
HATCHES = ["", "///", "...", "xxx", "---"]
MESSAGES = {"words": "In words", "start": "As first drawn, in words"}


class Picture(Figure):
    """A figure with a description in words, shown as one image with the words folded under it.

    The words are alt text too. But JupyterLab drops an output's alt text, and
    so does nbconvert's page in Lab's style: only a second output reaches everyone.

    Attributes
    ----------
    description : str
        What the picture shows; stored as its text/plain, as alt text and folded under it.
    """

    description: str = ""

    def _ipython_display_(self) -> None:
        data, metadata = self._repr_mimebundle_()
        show(data, metadata, in_words(self.description, MESSAGES["words"]))

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = {"image/png": png(self), "text/plain": self.description}
        return bundle, {"image/png": {"alt": self.description}}


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
    title_lines = _wrapped(title, width)
    name_lines = [_wrapped(name, widths[i % per_line] - 0.5 * (not margin)) for i, name in enumerate(arrays)]
    line_height = 0.42 * len(rows) + 1.5 if n_lines == 1 else 0.3 * len(rows) + 1.0
    height = n_lines * (max(1.9, line_height) + 0.2 * max(lines.count("\n") for lines in name_lines))
    height += 0.2 * title_lines.count("\n")
    with _fonts():
        picture = _picture((width, height))
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
                _sentence(title),
                *(describe(a, list(rows), column_labels[n], name=n, digits=digits) for n, a in arrays.items()),
            ],
        )
    )
    return picture


def lines(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    spread: Mapping[str, ArrayLike] | None = None,
    description: str | None = None,
) -> Picture:
    """Draw curves that differ in dash and marker as well as in colour.

    Parameters
    ----------
    x : (n,) array_like
    curves : mapping of str to (n,) array_like
        Name in the legend, and heights.
    title, x_label, y_label : str
        What to see; what the axes are, with units.
    log_x, log_y : bool, optional
        Logarithmic axes.
    spread : mapping of str to (n,) array_like, optional
        Half-length of an error bar for the curves named.
    description : str, optional
        The picture in words. Default: first and last value of each curve.

    Returns
    -------
    Picture
    """
    x = np.asarray(x)
    with _fonts():
        picture = _picture((6.4, 3.8))
        axes = picture.add_subplot()
        for i, (name, y) in enumerate(curves.items()):
            look: dict[str, Any] = {
                "color": COLOURS[i % len(COLOURS)],
                "linestyle": LINE_STYLES[i % len(LINE_STYLES)],
                "marker": MARKERS[i % len(MARKERS)],
                "markersize": 4,
                "markevery": max(1, len(x) // 12),
                "label": name,
            }
            if spread is not None and name in spread:
                axes.errorbar(x, y, yerr=spread[name], capsize=3, **look)
            else:
                axes.plot(x, y, **look)
        axes.set_xscale("log" if log_x else "linear")
        axes.set_yscale("log" if log_y else "linear")
        _label(axes, title, x_label, y_label)
        if len(curves) > 1:
            axes.legend(frameon=False)
    ends = (
        f"{n}: {np.asarray(y)[0]:.3g} at {x[0]:g}, {np.asarray(y)[-1]:.3g} at {x[-1]:g}." for n, y in curves.items()
    )
    picture.description = description or " ".join([_sentence(title), *ends])
    return picture


def bars(
    labels: Sequence[str],
    groups: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    digits: int = 2,
    description: str | None = None,
) -> Picture:
    """Draw bars, one group of them for each label; groups differ in hatching too.

    Parameters
    ----------
    labels : sequence of str
        Under the bars: tokens, say.
    groups : mapping of str to (n,) array_like
        Name in the legend, and heights.
    title, x_label, y_label : str
        What to see; what the axes are, with units.
    digits : int, optional
        Decimals shown above the bars.
    description : str, optional
        The picture in words. Default: every value.

    Returns
    -------
    Picture
    """
    width = 0.8 / len(groups)
    inches = max(4.0, 0.8 * len(labels) * max(1.0, len(groups) / 2) + 1.0)
    title_lines = _wrapped(title, inches)
    with _fonts():
        picture = _picture((inches, 3.4 + 0.2 * title_lines.count("\n")))
        axes = picture.add_subplot()
        for i, (name, heights) in enumerate(groups.items()):
            place = np.arange(len(labels)) + (i - (len(groups) - 1) / 2) * width
            drawn = axes.bar(
                place,
                np.asarray(heights),
                width,
                label=name,
                color=COLOURS[i % len(COLOURS)],
                edgecolor="white",
                hatch=HATCHES[i % len(HATCHES)],
            )
            axes.bar_label(drawn, fmt=f"%.{digits}f", fontsize=8, padding=2)
        axes.set_xticks(np.arange(len(labels)), labels)
        axes.margins(y=0.15)
        _label(axes, title_lines, x_label, y_label)
        if len(groups) > 1:
            axes.legend(frameon=False)
    said = (
        f"{name}: "
        + ", ".join(f"{label} {value:.{digits}f}" for label, value in zip(labels, np.asarray(heights)))
        + "."
        for name, heights in groups.items()
    )
    picture.description = description or " ".join([_sentence(title), *said])
    return picture


def histogram(
    samples: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    bins: ArrayLike | int = 40,
    description: str | None = None,
) -> Picture:
    """Draw how samples spread: outlines that differ in dash, one for each name.

    Parameters
    ----------
    samples : mapping of str to array_like
        Name in the legend, and numbers.
    title, x_label : str
        What to see; what the numbers are, with units.
    bins : int or (n,) array_like, optional
        Number of bins over the whole range, or their edges.
    description : str, optional
        The picture in words. Default: mean and standard deviation of each.

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(values, float).ravel() for name, values in samples.items()}
    edges = np.histogram_bin_edges(np.concatenate(list(arrays.values())), bins).tolist()
    with _fonts():
        picture = _picture((6.4, 3.4))
        axes = picture.add_subplot()
        for i, (name, values) in enumerate(arrays.items()):
            axes.hist(
                values,
                edges,
                histtype="step",
                linewidth=1.8,
                density=True,
                label=name,
                color=COLOURS[i % len(COLOURS)],
                linestyle=LINE_STYLES[i % 4],
            )
        _label(axes, title, x_label, "share per unit")
        if len(arrays) > 1:
            axes.legend(frameon=False)
    said = (f"{name}: mean {v.mean():.2f}, standard deviation {v.std():.2f}." for name, v in arrays.items())
    picture.description = description or " ".join([_sentence(title), *said])
    return picture


def in_words(description: str, heading: str) -> str:
    """Return a description as HTML, folded under a heading that a mouse, a key or a screen reader opens."""
    marked = "display: list-item"  # nbviewer's style sheet would hide the triangle
    return f'<details><summary style="{marked}">{heading}</summary>{html.escape(description)}</details>'


def show(data: dict[str, Any], metadata: dict[str, Any], words: str) -> None:
    """Display a picture, and under it its words."""
    from IPython.display import display  # here, so that drawing needs no notebook

    display(data, metadata=metadata, raw=True)
    display({"text/html": words}, raw=True)


def png(figure: Figure) -> bytes:
    """Return the figure as PNG bytes, the same on every run."""
    with io.BytesIO() as file:
        figure.savefig(file, format="png", metadata={"Software": None})
        return file.getvalue()


def describe(values: ArrayLike, rows: Sequence[str], columns: Sequence[str], *, name: str = "", digits: int = 2) -> str:
    """Say in a sentence or two what a matrix shows.

    A mask: how many pairs are allowed. Rows that sum to 1 (an attention map):
    `describe_map`. Any other matrix: its largest and smallest value.
    """
    array = np.asarray(values)
    start = f"{name}: " if name else ""
    if array.dtype == bool:
        return f"{start}{int(array.sum())} of {array.size} pairs may attend."
    finite = np.isfinite(array)
    if not finite.any():
        return f"{start}every pair is forbidden."
    if is_attention_map(array):
        return start + describe_map(array, rows, columns, digits=digits)
    n_columns = array.shape[1]
    settled = np.round(array.astype(float), 9)  # of equal values the first, whatever the last bits say
    high = divmod(int(np.argmax(np.where(finite, settled, -np.inf))), n_columns)
    low = divmod(int(np.argmin(np.where(finite, settled, np.inf))), n_columns)
    forbidden = f" {int((~finite).sum())} of {array.size} are forbidden." if not finite.all() else ""
    return (
        f"{start}largest {array[high]:.{digits}f} at {rows[high[0]]}, {columns[high[1]]}; "
        f"smallest {array[low]:.{digits}f} at {rows[low[0]]}, {columns[low[1]]}.{forbidden}"
    )


def describe_map(weights: ArrayLike, queries: Sequence[str], keys: Sequence[str], *, digits: int = 2) -> str:
    """Say for each query which key it attends to most."""
    parts = []
    for query, row in zip(queries, np.asarray(weights, dtype=float), strict=True):
        largest = row.max(initial=0)
        top = [key for key, weight in zip(keys, row) if weight > largest - TIE]
        if largest == 0:
            parts.append(f"{query} attends to nothing")
        elif len(top) > 3:
            parts.append(f"{query} attends most to {len(top)} keys alike, {largest:.{digits}f}")
        else:
            parts.append(f"{query} attends most to {' and '.join(top)}, {largest:.{digits}f}")
    return "; ".join(parts) + "."


def is_attention_map(values: NDArray[Any]) -> bool:
    """True where no value is negative and every row sums to 1, or to 0 (a dead row)."""
    if values.size == 0 or not np.isfinite(values).all() or (values < 0).any():
        return False
    sums = values.sum(axis=-1)
    return bool(np.all(np.isclose(sums, 1, atol=1e-3) | (sums == 0)) and (sums > 0).any())


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


def number_text(value: float, digits: int = 2) -> str:
    """A cell's text: rounded, with a true minus sign; −∞ for a forbidden pair."""
    if np.isneginf(value):
        return "−∞"
    rounded = f"{value:.{digits}f}"
    return (rounded[1:] if float(rounded) == 0 and rounded[0] == "-" else rounded).replace("-", "−")


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


def _forbidden_patch(i: int, j: int) -> Any:
    from matplotlib.patches import Rectangle

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


def _label(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    axes.set_title(title, fontsize=11)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)


def _wrapped(title: str, inches: float) -> str:
    return textwrap.fill(title, max(14, int(10 * inches)))


def _sentence(title: str) -> str:
    return title if not title or title[-1] in ".?" else title + "."


def _picture(size: tuple[float, float]) -> Picture:
    picture = Picture(figsize=size, dpi=100, layout="constrained")
    FigureCanvasAgg(picture)  # no pyplot: nothing stays open
    return picture


@contextmanager
def _fonts() -> Iterator[None]:
    _add_hangul()
    with matplotlib.rc_context({"font.family": FONTS, "axes.unicode_minus": True}):
        yield


@functools.cache
def _add_hangul() -> None:
    font_manager.fontManager.addfont(FONT_FILE)


def alignment(
    weights: ArrayLike,
    queries: Sequence[str],
    keys: Sequence[str],
    *,
    title: str,
    least: float = 0.2,
    description: str | None = None,
) -> Picture:
    """Draw two sentences as two lines of words, with a stroke from each query to the keys it reads.

    Parameters
    ----------
    weights : (n_queries, n_keys) array_like
        An attention map. A stroke is as thick as its weight is large.
    queries, keys : sequence of str
        The sentence that asks, drawn below, and the one that is read, above.
    title : str
        What to see.
    least : float, optional
        The smallest weight that is drawn.
    description : str, optional
        The picture in words. Default: `describe_map`.

    Returns
    -------
    Picture
    """
    array = np.asarray(weights)
    across = {n: (np.arange(n) + 0.5) / n for n in array.shape}  # places of the words, 0 to 1
    with _fonts():
        picture = _picture((max(5.0, 1.1 * max(array.shape) + 0.8), 2.8))
        axes = picture.add_subplot()
        for i, j in np.argwhere(array >= least):
            ends = [across[array.shape[0]][i], across[array.shape[1]][j]]
            axes.plot(ends, [0.24, 0.86], color=COLOURS[0], linewidth=7 * array[i, j], solid_capstyle="round")
        below = [f"{query}\n{largest:.2f}" for query, largest in zip(queries, array.max(axis=1))]
        for words, height in [(keys, 0.93), (below, 0.1)]:
            for place, word in zip(across[len(words)], words):
                axes.text(place, height, word, ha="center", va="center", fontsize=11)
        axes.text(0, 0.93, "keys", ha="right", va="center", fontsize=9)
        axes.text(0, 0.1, "queries, with\nlargest weight", ha="right", va="center", fontsize=9)
        axes.set(xlim=(-0.15, 1), ylim=(0, 1), title=title)
        axes.title.set_fontsize(11)
        axes.set_axis_off()
    picture.description = description or f"{_sentence(title)} {describe_map(array, queries, keys)}"
    return picture


ENCODER_DECODER = (
    "Where queries, keys and values come from in an encoder-decoder. Left, from bottom to top, the encoder: "
    "source words, self-attention with Q, K and V from the source, feed-forward. Right, the decoder: target words "
    "so far, self-attention under a causal mask, cross-attention, feed-forward, the next word. One arrow joins the "
    "two sides: the encoder's result goes into the decoder's cross-attention as K and V, while Q comes up from the "
    "decoder itself."
)


def encoder_decoder(source: str, target: str, next_word: str) -> Picture:
    """Draw one layer of an encoder and of a decoder, and the one place where they meet.

    Parameters
    ----------
    source, target, next_word : str
        The sentence read, the words written so far, and the word to be found.

    Returns
    -------
    Picture

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 1; skip connections and norms are left out.
    """
    left, right = 0.25, 0.75
    encoder = [(0.06, source, ""), (0.28, "self-attention", "Q, K, V from the source"), (0.64, "feed-forward", "")]
    decoder = [
        (0.06, target, ""),
        (0.28, "self-attention, causal mask", "Q, K, V from the target"),
        (0.51, "cross-attention", "Q from the target, K and V from the source"),
        (0.74, "feed-forward", ""),
        (0.94, f"next word: {next_word}", ""),
    ]
    with _fonts():
        picture = _picture((8.4, 4.4))
        axes = picture.add_subplot()
        for x, blocks in [(left, encoder), (right, decoder)]:
            for y, name, detail in blocks:
                width = 2.5 if name == "cross-attention" else 1
                box = {"boxstyle": "round,pad=0.5", "edgecolor": COLOURS[0], "linewidth": width, "facecolor": "white"}
                axes.text(x, y, f"{name}\n{detail}".strip(), ha="center", va="center", fontsize=9, bbox=box)
            for (below, *_), (above, *_) in pairwise(blocks):
                _arrow(axes, (x, below + 0.055), (x, above - 0.065))
        axes.plot([left, left, 0.47], [0.695, 0.86, 0.86], color=COLOURS[0], linewidth=1.5)
        axes.plot([0.47, 0.47], [0.86, 0.51], color=COLOURS[0], linewidth=1.5)
        _arrow(axes, (0.47, 0.51), (0.575, 0.51))
        axes.text(0.46, 0.69, "K, V", ha="right", fontsize=11)
        axes.text(right + 0.012, 0.385, "Q", ha="left", fontsize=11)
        axes.text(left, 1.05, "encoder: reads the source once", ha="center", fontsize=10)
        axes.text(right, 1.05, "decoder: writes the target word by word", ha="center", fontsize=10)
        axes.set(xlim=(0, 1), ylim=(0, 1.1), title="The decoder's cross-attention is where the two sentences meet")
        axes.title.set_fontsize(11)
        axes.set_axis_off()
    picture.description = ENCODER_DECODER
    return picture


def _arrow(axes: Axes, start: tuple[float, float], end: tuple[float, float]) -> None:
    axes.annotate("", end, start, arrowprops={"arrowstyle": "-|>", "color": COLOURS[0], "linewidth": 1.5})


def categories(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str],
    columns: Mapping[str, Sequence[str]],
    *,
    names: Sequence[str],
    symbols: Sequence[str],
    colours: Sequence[str],
    title: str,
    row_axis: str = "query",
    column_axis: str = "key",
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
    title : str
        What to see.
    row_axis, column_axis : str, optional
        What rows and columns are.

    Returns
    -------
    Picture
    """
    arrays = {name: np.asarray(kinds) for name, kinds in panels.items()}
    widths = [0.55 * array.shape[1] + 1.2 for array in arrays.values()]
    with _fonts():
        picture = _picture((sum(widths), 0.42 * len(rows) + 1.9))
        grid = picture.add_gridspec(1, len(arrays), width_ratios=widths, wspace=0.08)
        for i, (name, array) in enumerate(arrays.items()):
            axes = picture.add_subplot(grid[i])
            axes.imshow(array, cmap=ListedColormap(list(colours)), vmin=-0.5, vmax=len(colours) - 0.5, aspect="auto")
            for row, column in np.ndindex(array.shape):
                axes.text(column, row, symbols[int(array[row, column])], ha="center", va="center", fontsize=10)
            axes.set_xticks(range(array.shape[1]), columns[name], fontsize=9)
            axes.set_yticks(range(len(rows)), rows if i == 0 else [""] * len(rows), fontsize=9)
            axes.set_xticks(np.arange(array.shape[1] - 1) + 0.5, minor=True)
            axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
            axes.grid(which="minor", color="white", linewidth=2)
            axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
            axes.spines[:].set_visible(False)
            axes.set_title(name, fontsize=11, pad=8)
            axes.set_ylabel(row_axis if i == 0 else "")
            axes.set_xlabel(column_axis if i else "")
        picture.suptitle(title, fontsize=12)
        used = sorted(set(np.concatenate([array.ravel() for array in arrays.values()]).tolist()))
        key = "   ".join(f"{symbols[kind]}  {names[kind]}" for kind in used)
        picture.supxlabel(key, fontsize=9)
    counts = (
        f"{name}: " + ", ".join(f"{int((array == kind).sum())} {names[kind]}" for kind in used) + "."
        for name, array in arrays.items()
    )
    picture.description = " ".join([_sentence(title), *counts])
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
    title : str
        What to see.
    row_axis, column_axis : str
        What rows and columns are.
    mark : str
        What a cross says, as "catches it".

    Returns
    -------
    Picture
    """
    yes = np.asarray(marks, dtype=bool)
    with _fonts():
        picture = _picture((0.085 * max(map(len, rows)) + 0.75 * len(columns) + 0.6, 0.3 * len(rows) + 1.6))
        axes = picture.add_subplot()
        axes.imshow(yes, cmap=ListedColormap(["#f2f2f2", "#56b4e9"]), vmin=0, vmax=1, aspect="auto")
        for row, column in np.argwhere(yes):
            axes.text(column, row, "x", ha="center", va="center", fontsize=10)
        axes.set_xticks(range(len(columns)), columns, fontsize=9)
        axes.set_yticks(range(len(rows)), rows, fontsize=9)
        axes.set_xticks(np.arange(len(columns) - 1) + 0.5, minor=True)
        axes.set_yticks(np.arange(len(rows) - 1) + 0.5, minor=True)
        axes.grid(which="minor", color="white", linewidth=2)
        axes.tick_params(which="both", length=0, top=False, bottom=False, labeltop=True, labelbottom=False)
        axes.spines[:].set_visible(False)
        axes.set(ylabel=row_axis, xlabel=f"{column_axis}   (x = {mark})")
        picture.suptitle(title, fontsize=12)
    crossed = (
        f"{row}: {', '.join(' '.join(column.split()) for column, crossed in zip(columns, line) if crossed) or 'none'}."
        for row, line in zip(rows, yes)
    )
    picture.description = " ".join([_sentence(title), *crossed])
    return picture


CHAIN = (
    "The chain of attention, left to right. X times W_Q, W_K and W_V gives Q, K and V (notebook 01). "
    "Q times K transposed gives the scores (01); divided by the square root of d_k, the scaled scores (02); "
    "with −∞ where the mask forbids, the masked scores (03); softmax of each row, the weights (01, 02). "
    "Weights times V gives the output (01). Where K and V come from another sequence it is cross-attention (04); "
    "several chains side by side, joined by W_O, are the heads (05); K and V kept from token to token are the "
    "cache (06)."
)


def chain() -> Picture:
    """Draw the whole calculation, X to output, with the notebook that treats each arrow.

    Returns
    -------
    Picture

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, figure 2, drawn from left to right.
    """
    top, middle, bottom = 0.82, 0.5, 0.18
    boxes = {
        "X": (0.04, middle),
        "Q": (0.2, top),
        "K": (0.2, middle),
        "V": (0.2, bottom),
        "scores": (0.36, 0.66),
        "scaled\nscores": (0.53, 0.66),
        "masked\nscores": (0.69, 0.66),
        "weights": (0.83, 0.66),
        "output": (0.93, bottom),
    }
    arrows = [
        ("X", "Q", "W_Q · 01"),
        ("X", "K", "W_K · 01"),
        ("X", "V", "W_V · 01"),
        ("Q", "scores", "01"),
        ("K", "scores", "Q @ K.T"),
        ("scores", "scaled\nscores", "÷ √d_k\n02"),
        ("scaled\nscores", "masked\nscores", "mask\n03"),
        ("masked\nscores", "weights", "softmax\n01, 02"),
        ("weights", "output", "@ V · 01"),
        ("V", "output", ""),
    ]
    with _fonts():
        picture = _picture((10.5, 3.4))
        axes = picture.add_subplot()
        for name, (x, y) in boxes.items():
            box = {"boxstyle": "round,pad=0.45", "edgecolor": COLOURS[0], "linewidth": 1.3, "facecolor": "white"}
            axes.text(x, y, name, ha="center", va="center", fontsize=10, bbox=box, zorder=3)
        for start, end, label in arrows:
            (x0, y0), (x1, y1) = boxes[start], boxes[end]
            steep = start == "weights"
            _arrow(
                axes,
                (x0 + 0.02, y0 - 0.09) if steep else (x0 + 0.03, y0),
                (x1, y1 + 0.09) if steep else (x1 - 0.04, y1),
            )
            level = (
                {"va": "bottom"}
                if y0 == y1
                else {"va": "center", "bbox": {"facecolor": "white", "linewidth": 0, "pad": 1}}
            )
            axes.text((x0 + x1) / 2, (y0 + y1) / 2 + 0.03 * (y0 == y1), label, ha="center", fontsize=8, **level)
        axes.text(0.17, bottom - 0.17, "K, V from another sequence: 04   K, V kept from token to token: 06", fontsize=8)
        axes.text(0.6, bottom - 0.17, "several such chains, joined by W_O: 05", fontsize=8)
        axes.set(xlim=(0, 1), ylim=(0, 1), title="From embeddings to output, and the notebook for each arrow")
        axes.title.set_fontsize(11)
        axes.set_axis_off()
    picture.description = CHAIN
    return picture


def arrows(
    starts: ArrayLike,
    steps: ArrayLike,
    labels: Sequence[str],
    *,
    title: str,
    x_label: str,
    y_label: str,
    description: str | None = None,
) -> Picture:
    """Draw arrows in a plane, each from a start along a step, with its label at the tip.

    Parameters
    ----------
    starts, steps : (n, 2) array_like
        Where each arrow begins, and how far it goes.
    labels : sequence of str
        One a tip.
    title, x_label, y_label : str
        What to see, and what the two axes are.
    description : str, optional
        Default: title, and where each arrow begins and ends.

    Returns
    -------
    Picture
    """
    starts, steps = np.asarray(starts, float), np.asarray(steps, float)  # (n, 2)
    tips = starts + steps
    with _fonts():
        picture = _picture((6.0, 4.0))
        axes = picture.add_subplot()
        for start, tip, label in zip(starts, tips, labels, strict=True):
            axes.annotate("", tip, start, arrowprops={"arrowstyle": "->", "linewidth": 2, "shrinkA": 0, "shrinkB": 0})
            axes.plot(*tip, "o", color="black", markersize=4)
            axes.annotate(label, tip, (6, 6), textcoords="offset points", fontsize=10)
        axes.plot(*starts.T, "s", color="black", markersize=5)
        low, high = np.minimum(starts, tips).min(axis=0), np.maximum(starts, tips).max(axis=0)
        margin = 0.2 * np.maximum(high - low, 1)
        axes.set_xlim(low[0] - margin[0], high[0] + 2 * margin[0])
        axes.set_ylim(low[1] - margin[1], high[1] + margin[1])
        _label(axes, _wrapped(title, 6.0), x_label, y_label)
    ends = (
        f"{label}: from ({number_text(start[0])}, {number_text(start[1])}) to "
        f"({number_text(tip[0])}, {number_text(tip[1])})."
        for label, start, tip in zip(labels, starts, tips)
    )
    picture.description = description or " ".join([_sentence(title), *ends])
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
    with _fonts():
        size = (0.72 * wide * n_columns + 0.7, 0.72 * high * n_rows + 0.9)
        picture = _picture(size)
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
        axes.set_title(_wrapped(title, size[0]), fontsize=11)
    labels = [f"{row_axis} {i}" for i in range(n_rows)], [f"{column_axis} {j}" for j in range(n_columns)]
    picture.description = description or f"{_sentence(title)} {describe(numbers, *labels)}"
    return picture


def _frame(left: float, top: float, side: float, colour: str, width: float) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((left, top), side, side, fill=False, edgecolor=colour, linewidth=width)
