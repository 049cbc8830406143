"""Curves and bars."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import StrMethodFormatter
from numpy.typing import ArrayLike, NDArray

from .._words import _
from .lettering import LINE, TITLE, lines_of, widest, wrapped
from .picture import Picture, in_sentences, look, name_axes, new_picture

MOST_TICKS = 10
WIDEST_BARS = 11.0  # inches
CHART_HEIGHT = 2.8  # inches of the axes, roughly
MARK = "#444444"
WIDEST_NAME = 1.7  # inches beside a curve
WIDEST_LABEL = 1.6  # inches under a bar: a longer label is broken
WRITTEN_OUT = "{x:,.10g}"  # 0.1 and 1,000, no powers


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
    marked: Mapping[str, float] | None = None,
    uprights: Sequence[float] = (),
) -> Picture:
    """Draw curves that differ in dash and marker as well as in colour.

    The description says the first and last value of each curve. Where a value is
    nan, nothing is drawn.
    Where there is more than one, each has its name beside its end.

    Parameters
    ----------
    x : (n,) array_like
    curves : mapping of str to (n,) array_like
        Name, and heights.
    title, x_label, y_label : str
        What to see; what the axes are, with units.
    log_x, log_y : bool, optional
        Logarithmic axes. Where all `x` are powers of two, the axis carries them.
    x_ticks, y_ticks : sequence of float, optional
        The numbers that an axis carries: those that the text uses.
    y_low : float, optional
        Where the y axis begins, as 0.
    marked : mapping of str to float, optional
        Heights to compare with, each a dashed line with its name.
    uprights : sequence of float, optional
        Places on the x axis that the text speaks of, each with a thin line up.

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
    heights = {name: np.asarray(y, float) for name, y in curves.items()}
    names = {name: wrapped(name, WIDEST_NAME, 10) for name in [*heights, *marked]}
    height = max(CHART_HEIGHT, 1.1 * LINE * sum(lines_of([name]) for name in names.values()))
    with _new_chart(8.4, height + 0.8, title) as picture:
        axes = picture.add_subplot()
        for i, y in enumerate(heights.values()):
            colour, line, marker, _hatch = look(i)
            every = max(1, len(x) // 12)
            axes.plot(x, y, color=colour, linestyle=line, marker=marker, markersize=4, markevery=every)
        axes.set(xscale="log" if log_x else "linear", yscale="log" if log_y else "linear")
        if log_y:
            axes.yaxis.set_major_formatter(StrMethodFormatter(WRITTEN_OUT))
        _set_ticks(axes.xaxis, _powers_of_two(x) if log_x and x_ticks is None else x_ticks)
        _set_ticks(axes.yaxis, y_ticks)
        axes.set_ylim(bottom=y_low)
        _draw_marks(axes, marked)
        for place in uprights:
            axes.axvline(place, color="0.6", linewidth=0.8, zorder=0)
        name_axes(axes, title, x_label, y_label)
        lasts = {name: np.flatnonzero(np.isfinite(y))[-1] for name, y in heights.items()}
        ends = {name: (float(x[last]), float(heights[name][last])) for name, last in lasts.items()}
        ends |= {name: (axes.get_xlim()[1], value) for name, value in marked.items()}
        colours = [*(look(i).colour for i in range(len(heights))), *[MARK] * len(marked)]
        if len(ends) > 1:
            _name_ends(axes, ends, colours, names, height)
    sentences = []
    for name, y in heights.items():
        start, *_between, end = np.flatnonzero(np.isfinite(y)).tolist()
        values = {"first": f"{y[start]:.3g}", "start": f"{x[start]:g}", "last": f"{y[end]:.3g}", "end": f"{x[end]:g}"}
        sentences.append(_("{name}: {first} at {start}, {last} at {end}.").format(name=name, **values))
    picture.description = in_sentences(title, [*sentences, *_marks_in_words(marked)])
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
) -> Picture:
    """Draw bars, one group of them for each label; groups differ in hatching too. The description says every value.

    Parameters
    ----------
    labels : sequence of str
        Under the bars: tokens, say.
    groups, title, x_label, y_label, marked
        As `curves` and the others in `lines`.
    digits : int, optional
        Decimals shown above the bars, or in them where a height is marked.
    """
    marked, n_groups = marked or {}, len(groups)
    numbers = {name: [f"{height:.{digits}f}" for height in np.asarray(group)] for name, group in groups.items()}
    for_label = min(widest(labels, 10) + 0.15, WIDEST_LABEL)
    for_numbers = (max(map(widest, numbers.values())) + 0.05) * n_groups / 0.8
    slot = max(0.8, 0.4 * n_groups, for_label, for_numbers)  # inches for each label
    upright = slot * len(labels) > WIDEST_BARS  # numbers over bars
    if upright:
        slot = max(0.35 * n_groups, for_label)
    under = [wrapped(label, slot, 10) for label in labels]
    names = [*groups, *marked]
    beside = (min(widest(names, 10), WIDEST_NAME) + 0.75) * (len(names) > 1)
    width = max(6.4, slot * len(labels) + 1.0 + beside)
    with _new_chart(width, 3.4 + LINE * (lines_of(under) - 1), title) as picture:
        axes = picture.add_subplot()
        width = 0.8 / n_groups
        number_style: dict[str, Any] = {"padding": 2}
        if marked:  # above a bar a number may hide the line
            box = {"facecolor": "white", "edgecolor": "none", "pad": 0.6}
            number_style = {"label_type": "center", "bbox": box, "zorder": 5}
        for i, (name, group) in enumerate(groups.items()):
            place = np.arange(len(labels)) + (i - (n_groups - 1) / 2) * width
            style = {"color": look(i).colour, "edgecolor": "white", "hatch": look(i).hatch}
            drawn = axes.bar(place, np.asarray(group), width, label=name, **style)
            axes.bar_label(drawn, numbers[name], fontsize=9, rotation=90 if upright else 0, **number_style)
        axes.set_xticks(np.arange(len(labels)), under)
        axes.margins(y=0.35 if upright else 0.15)
        _draw_marks(axes, marked)
        name_axes(axes, title, x_label, y_label)
        _add_legend(picture, axes, names)
    sentences = []
    for name in groups:
        values = (f"{label} {number}".replace("\n", " ") for label, number in zip(labels, numbers[name]))
        sentences.append(_("{name}: {values}.").format(name=name, values=", ".join(values)))
    picture.description = in_sentences(title, [*sentences, *_marks_in_words(marked)])
    return picture


def _name_ends(
    axes: Axes, ends: Mapping[str, tuple[float, float]], colours: Iterable[str], names: Mapping[str, str], height: float
) -> None:
    """Write the name of each curve beside its end, the highest first, where none covers another.

    Parameters
    ----------
    ends : mapping of str to (x, y)
    names : mapping of str to str
        The names, broken into lines.
    height : float
        Of the axes, in inches.
    """
    in_axes = axes.transData + axes.transAxes.inverted()
    placed = [(in_axes.transform(end)[1], name, end, colour) for (name, end), colour in zip(ends.items(), colours)]
    placed.sort(key=lambda one: -one[0])
    halves = [LINE * lines_of([names[name]]) / height / 2 for _middle, name, *_rest in placed]
    free = 1.0
    for i, (middle, name, end, colour) in enumerate(placed):
        middle = max(min(middle, free - halves[i]), halves[i] + 2 * sum(halves[i + 1 :]))
        free = middle - halves[i]
        line = {"arrowstyle": "-", "color": colour, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 3}
        axes.annotate("", end, (1.035, middle), textcoords="axes fraction", arrowprops=line)
        axes.text(1.04, middle, names[name], color=colour, fontsize=10, va="center", transform=axes.transAxes)


def _draw_marks(axes: Axes, marked: Mapping[str, float]) -> None:
    for name, value in marked.items():
        axes.axhline(value, color=MARK, linestyle=(0, (6, 3)), linewidth=1.4, label=name)


def _marks_in_words(marked: Mapping[str, float]) -> Iterable[str]:
    return (_("Marked: {name}, at {value:.3g}.").format(name=name, value=value) for name, value in marked.items())


def _new_chart(width: float, height: float, title: str) -> Any:
    """Give a picture with room for the lines of its title."""
    return new_picture(width, height + LINE * lines_of([wrapped(title, width - 1, TITLE)]))


def _add_legend(picture: Picture, axes: Axes, order: Sequence[str]) -> None:
    """Name what is drawn, in this order and to the right, where it covers nothing; one thing alone needs no name."""
    if len(order) > 1:
        handles, names = axes.get_legend_handles_labels()
        shown = [wrapped(name, WIDEST_NAME, 10) for name in order]
        handles = [handles[names.index(name)] for name in order]
        picture.legend(handles, shown, frameon=False, loc="outside right center", fontsize=10)


def _set_ticks(axis: Axis, ticks: Sequence[float] | None) -> None:
    """Let an axis carry these numbers and no others."""
    if ticks is not None:
        axis.set_ticks(list(ticks), [WRITTEN_OUT.format(x=tick).replace("-", "−") for tick in ticks])
        axis.set_ticks([], minor=True)


def _powers_of_two(x: NDArray[Any]) -> list[float] | None:
    """Return the values as ticks, at most `MOST_TICKS`, if all are powers of two."""
    if (x <= 0).any() or (np.log2(x) % 1).any():
        return None
    every = math.ceil(x.size / MOST_TICKS)
    return sorted(x.tolist()[::-1][::every])  # the last is among them
