"""Curves, bars, histograms."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter
from numpy.typing import ArrayLike, NDArray

from .lettering import LETTER, LINE, lines_of, widest, wrapped
from .picture import COLOURS, HATCHES, LINE_STYLES, MARKERS, Picture, as_sentence, hangul_fonts, name_axes, new_picture

MESSAGES = {
    "curve": "{name}: {first} at {start}, {last} at {end}.",
    "slope": "The slope at {x} is {slope}.",
    "tangent": "slope {slope}",
    "bars": "{name}: {values}.",
    "bar": "{label} {value}",
    "comma": ", ",
    "histogram": "{name}: mean {mean}, standard deviation {deviation}.",
    "density": "share per unit",
    "marked": "Marked: {name}, at {value}.",
}
WIDE_LEGEND = 26  # letters of a name, and
LONG_LEGEND = 5  # names: what is more stands under the picture
MOST_TICKS = 10
MARK = "#444444"
TANGENT = 0.04  # half of its width, in widths of the axis
WIDEST_BARS = 11.0  # inches
WIDEST_LABEL = 1.6  # inches under a bar: a longer label is broken


def lines(
    x: ArrayLike,
    curves: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    log_x: bool = False,
    log_y: bool = False,
    x_ticks: Sequence[float] | None = None,
    y_ticks: Sequence[float] | None = None,
    y_low: float | None = None,
    spread: Mapping[str, ArrayLike] | None = None,
    marked: Mapping[str, float] | None = None,
    uprights: Sequence[float] = (),
    tangents: Sequence[tuple[float, float, float]] = (),
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
        Logarithmic axes. Where all `x` are powers of two, the axis carries them.
    x_ticks, y_ticks : sequence of float, optional
        The numbers that an axis carries: those that the text uses.
    y_low : float, optional
        Where the y axis begins, as 0.
    spread : mapping of str to (n,) array_like, optional
        Half-length of an error bar for the curves named.
    marked : mapping of str to float, optional
        Heights to compare with, each a dashed line with its name.
    uprights : sequence of float, optional
        Places on the x axis that the text speaks of, each with a thin line up.
    tangents : sequence of (x, y, slope), optional
        Points at which a short line shows how steep a curve is, with its slope in numbers.
    description : str, optional
        The picture in words. Default: first and last value of each curve, and the slopes.

    Returns
    -------
    Picture
        Its legend names the curves in the order in which they end, the highest first.

    Examples
    --------
    >>> tokens = [16, 64, 256, 1024, 4096]
    >>> costs = {"all rows": [n * n for n in tokens], "one row": tokens}
    >>> picture = lines(tokens, costs, title="One row is enough", x_label="tokens", y_label="products",
    ...                 log_x=True, log_y=True, y_ticks=[16, 4096, 16_777_216])
    >>> [label.get_text() for label in picture.axes[0].get_xticklabels()]
    ['16', '64', '256', '1,024', '4,096']
    """
    x, marked = np.asarray(x), marked or {}
    with hangul_fonts():
        picture = _new_chart(6.4, 3.8, title, [*curves, *marked], under=bool(marked))
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
        if log_x and x_ticks is None:
            x_ticks = _powers_of_two(x)
        axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
        if log_y:
            axes.yaxis.set_major_formatter(FuncFormatter(_written_out))  # 0.1 and 10, no powers
        _set_ticks(axes.xaxis, x_ticks)
        _set_ticks(axes.yaxis, y_ticks)
        axes.set_ylim(bottom=y_low)
        _mark(axes.axhline, marked)
        for place in uprights:
            axes.axvline(place, color="0.6", linewidth=0.8, zorder=0)
        _draw_tangents(axes, tangents, float(np.ptp(x)))
        name_axes(axes, title, x_label, y_label)
        highest_first = [*sorted(curves, key=lambda name: -_last(curves[name])), *marked]
        _add_legend(picture, axes, highest_first, under=bool(marked))  # or it may lie on a line to be read off
    ends = (
        MESSAGES["curve"].format(name=n, first=f"{y[0]:.3g}", start=f"{x[0]:g}", last=f"{y[-1]:.3g}", end=f"{x[-1]:g}")
        for n, y in ((name, np.asarray(y)) for name, y in curves.items())
    )
    slopes = (MESSAGES["slope"].format(slope=f"{slope:.4f}", x=f"{at:g}") for at, _, slope in tangents)
    said = [*ends, *slopes, *_said_of_marks(marked)]
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def bars(
    labels: Sequence[str],
    groups: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    y_label: str,
    digits: int = 2,
    marked: Mapping[str, float] | None = None,
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
        Decimals shown above the bars, or in them where a height is marked.
    marked : mapping of str to float, optional
        Heights to compare with, each a dashed line with its name.
    description : str, optional
        The picture in words. Default: every value.

    Returns
    -------
    Picture
    """
    width, marked = 0.8 / len(groups), marked or {}
    numbers = [f"{value:.{digits}f}" for heights in groups.values() for value in np.asarray(heights, float).ravel()]
    label = min(LETTER * widest(labels) + 0.15, WIDEST_LABEL)
    number = LETTER * widest(numbers) * len(groups) / 0.8
    slot = max(0.8 * max(1.0, len(groups) / 2), label, number)  # inches for each label
    upright = slot * len(labels) > WIDEST_BARS  # numbers over bars
    if upright:
        slot = max(0.35 * len(groups), label)
    inches = max(4.0, slot * len(labels) + 1.0)
    under = [wrapped(label, slot, 10) for label in labels]
    with hangul_fonts():
        picture = _new_chart(inches, 3.4 + LINE * (lines_of(under) - 1), title, [*groups, *marked], under=True)
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
            look = _inside() if marked else {"padding": 2}  # above a bar a number may hide the line
            axes.bar_label(drawn, fmt=f"%.{digits}f", fontsize=9, rotation=90 if upright else 0, **look)
        axes.set_xticks(np.arange(len(labels)), under)
        axes.margins(y=0.35 if upright else 0.15)
        _mark(axes.axhline, marked)
        name_axes(axes, title, x_label, y_label)
        _add_legend(picture, axes, [*groups, *marked], under=True)
    said = [*_said_of_bars(labels, groups, digits), *_said_of_marks(marked)]
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def _inside() -> dict[str, Any]:
    """How numbers stand in the middle of their bars."""
    return {"label_type": "center", "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 0.6}, "zorder": 5}


def histogram(
    samples: Mapping[str, ArrayLike],
    *,
    title: str,
    x_label: str,
    bins: ArrayLike | int = 40,
    marked: Mapping[str, float] | None = None,
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
    marked : mapping of str to float, optional
        Numbers on the x axis to compare with, each a dashed line with its name.
    description : str, optional
        The picture in words. Default: mean and standard deviation of each.

    Returns
    -------
    Picture
    """
    marked = marked or {}
    arrays = {name: np.asarray(values, float).ravel() for name, values in samples.items()}
    edges = np.histogram_bin_edges(np.concatenate(list(arrays.values())), bins).tolist()
    with hangul_fonts():
        picture = _new_chart(6.4, 3.4, title, [*arrays, *marked])
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
        _mark(axes.axvline, marked)
        name_axes(axes, title, x_label, MESSAGES["density"])
        _add_legend(picture, axes, [*arrays, *marked])
    said = (
        MESSAGES["histogram"].format(name=name, mean=f"{v.mean():.2f}", deviation=f"{v.std():.2f}")
        for name, v in arrays.items()
    )
    picture.description = description or " ".join([as_sentence(title), *said, *_said_of_marks(marked)])
    return picture


def _mark(draw: Callable[..., Any], marked: Mapping[str, float]) -> None:
    """Draw what is to be compared with: `draw` is the axes' line across or upright."""
    for name, value in marked.items():
        draw(value, color=MARK, linestyle=(0, (6, 3)), linewidth=1.4, label=name)


def _said_of_marks(marked: Mapping[str, float]) -> Iterator[str]:
    for name, value in marked.items():
        yield MESSAGES["marked"].format(name=name, value=f"{value:.3g}")


def _draw_tangents(axes: Axes, tangents: Sequence[tuple[float, float, float]], width: float) -> None:
    """Draw a short line through each point, as steep as said, with its slope beside it."""
    for x, y, slope in tangents:
        reach = np.array([-TANGENT, TANGENT]) * width
        axes.plot(x + reach, y + slope * reach, color=COLOURS[1], linewidth=2.5, zorder=3)
        axes.plot(x, y, MARKERS[1], color=COLOURS[1], markersize=6, zorder=4)
        said = MESSAGES["tangent"].format(slope=f"{slope:.4f}")
        axes.annotate(said, (x, y), (10, -14), textcoords="offset points", fontsize=10, color=COLOURS[1])


def _new_chart(width: float, height: float, title: str, names: Sequence[str], under: bool = False) -> Picture:
    """Return a picture with room for the lines of its title and for a legend that stands under it."""
    room = LINE * (lines_of([wrapped(title, width - 0.6)]) - 1)
    if _stands_under(names, under):
        room += LINE * lines_of(["\n".join(wrapped(name, width - 1, 10) for name in names)]) + 0.2
    return new_picture((width, height + room))


def _stands_under(names: Sequence[str], under: bool = False) -> bool:
    return len(names) > 1 and (under or len(names) > LONG_LEGEND or widest(names) > WIDE_LEGEND)


def _add_legend(picture: Picture, axes: Axes, order: Sequence[str], under: bool = False) -> None:
    """Name what is drawn, in this order; one thing alone needs no name. Bars fill their axes: theirs stands under."""
    if len(order) < 2:
        return
    drawn, names = axes.get_legend_handles_labels()
    handles = [drawn[names.index(name)] for name in order]
    shown = [wrapped(name, picture.get_figwidth() - 1, 10) for name in order]
    if _stands_under(order, under):
        picture.legend(handles, shown, frameon=False, loc="outside lower center", fontsize=10)
    else:
        axes.legend(handles, shown, framealpha=1, edgecolor="none", fontsize=10)


def _set_ticks(axis: Axis, ticks: Sequence[float] | None) -> None:
    """Let an axis carry these numbers and no others."""
    if ticks is not None:
        axis.set_ticks(list(ticks), [_written_out(tick) for tick in ticks])
        axis.set_ticks([], minor=True)


def _written_out(tick: float, place: int | None = None) -> str:
    return f"{tick:,.10g}"


def _powers_of_two(x: NDArray[Any]) -> list[float] | None:
    """Return the values as ticks, at most `MOST_TICKS`, if all are powers of two."""
    if x.size < 2 or (x <= 0).any() or (np.log2(x) % 1).any():
        return None
    values = np.unique(x)
    every = -(-values.size // MOST_TICKS)
    return values[::-1][::every][::-1].tolist()  # the last is among them


def _last(heights: ArrayLike) -> float:
    finite = [height for height in np.asarray(heights, float).tolist() if np.isfinite(height)]
    return finite[-1] if finite else -np.inf


def _said_of_bars(labels: Sequence[str], groups: Mapping[str, ArrayLike], digits: int) -> Iterator[str]:
    for name, heights in groups.items():
        told = (
            MESSAGES["bar"].format(label=label.replace("\n", " "), value=f"{value:.{digits}f}")
            for label, value in zip(labels, np.asarray(heights))
        )
        yield MESSAGES["bars"].format(name=name, values=MESSAGES["comma"].join(told))
