"""Words as points in a plane: where attention moves them, and arrows from any start."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .lettering import LINE, Label, lines_of, place_labels, wrapped
from .picture import COLOURS, GREY, MARKERS, Picture, as_sentence, hangul_fonts, name_axes, new_picture

MESSAGES = {
    "key": "○\u00a0{before} \u00a0\u00a0\u00a0●\u00a0{after}",
    "before": "before",
    "after": "after",
    "moves": "{name} moves from {start} to {end}",
    "stays": "{name} stands at {start}",
    "value": "{axis} {value}",
    "comma": ", ",
    "stop": "; ",
    "panel": "{panel}: {moves}.",
    "alone": "{moves}.",
    "arrow": "{label}: from ({x0}, {y0}) to ({x1}, {y1}).",
}
PANEL = 3.5  # inches, one of several planes
SAME_PLACE = 1e-9  # points this close carry one label
SHORT = 0.06  # of the plane's height: so short a move has one label, at its end

Move = tuple[ArrayLike, ArrayLike | None]


def moved_points(
    panels: Mapping[str, Mapping[str, Move]],
    axes: Sequence[str],
    *,
    title: str,
    before: str | None = None,
    after: str | None = None,
    reach: float | None = None,
    description: str | None = None,
) -> Picture:
    """Draw words as points, and arrows from where they were to where attention moves them.

    Two axes of meaning are the two directions of the plane. More are spokes
    at equal angles: a word stands at the sum of its steps along them, so equal
    parts of all lie in the middle. Panels share one scale.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (before, after)
        For each sentence its words, and for each word its numbers on the axes
        before and after, each (n_axes,) array_like. `None` as after: a word
        that stands still. Words at one place are written together.
    axes : sequence of str
        What each number is: two or more names.
    title : str
        What to see.
    before, after : str, optional
        What a hollow and a full point mean. Default: before and after.
    reach : float, optional
        How far the axes reach, so that pictures compare. Default: past the farthest point.
    description : str, optional
        The picture in words. Default: title, and every move in numbers.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If there are fewer than two axes, or a point has not one number for each.

    Examples
    --------
    Beside 고파서 (hungry) the point of 배 moves to *belly*, beside 타고 (riding) to *ship*:

    >>> sentences = {
    ...     "배가 고파서": {"배": ([1, 1, 1], [0, 2.6, 0]), "고파서": ([0, 3, 0], None)},
    ...     "배를 타고": {"배": ([1, 1, 1], [0, 0, 2.6]), "타고": ([0, 0, 3], None)},
    ... }
    >>> picture = moved_points(sentences, ["pear", "belly", "ship"], title="배 moves")
    >>> print(picture.description.split("; ")[0])
    배 moves. 배가 고파서: 배 moves from pear 1.00, belly 1.00, ship 1.00 to pear 0.00, belly 2.60, ship 0.00
    """
    meaning = MESSAGES["before"] if before is None else before, MESSAGES["after"] if after is None else after
    spokes = _directions(len(axes))  # (n_axes, 2)
    moves = {
        panel: [(name, *_both(move, len(axes))) for name, move in words.items()] for panel, words in panels.items()
    }
    everywhere = np.array([point for panel in moves.values() for _, *ends in panel for point in ends]) @ spokes
    reach = reach or 1.15 * (float(np.linalg.norm(everywhere, axis=1).max(initial=0.0)) or 1.0)
    frame = _frame(np.vstack([everywhere, spokes * reach, [[0, 0]]]))
    n_columns = min(len(panels), 3)
    n_lines = math.ceil(len(panels) / n_columns)
    side = PANEL if n_columns > 1 else 4.6  # inches
    shape = float(np.divide(*(frame[1] - frame[0])[::-1]))  # height of a panel in widths
    heading, width = wrapped(title, side * n_columns, 12), side * n_columns + 0.3
    names = {panel: wrapped(panel, side) for panel in panels}
    room = 0.3 + 0.2 * max(name.count("\n") for name in names.values()) + 0.4 * (len(axes) == 2)
    key = wrapped(MESSAGES["key"].format(before=meaning[0], after=meaning[1]), width, 10)
    with hangul_fonts():
        picture = new_picture((width, (side * shape + room) * n_lines + 0.7 + 0.2 * heading.count("\n")))
        picture.suptitle(heading, fontsize=12)
        picture.supxlabel(key, fontsize=10)
        drawn = []
        for i, (panel, words) in enumerate(moves.items()):
            plane = picture.add_subplot(n_lines, n_columns, i + 1)
            plane.set_title(names[panel], fontsize=11)
            labels, busy = _draw_axes(plane, axes, spokes * reach, frame)
            more_labels, more_busy = _draw_moves(plane, words, spokes)
            drawn.append((plane, more_labels + labels, np.vstack(busy + more_busy)))
        place_labels(picture, drawn)
    picture.description = description or " ".join([as_sentence(title), *_said(moves, axes)])
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
    """Draw arrows in a plane, each from a start along a step, with its label at the tip, towards the middle.

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
    with hangul_fonts():
        picture = new_picture((6.0, 3.8 + LINE * lines_of([wrapped(title, 5.4)])))
        axes = picture.add_subplot()
        look: dict[str, Any] = {"arrowstyle": "->", "linewidth": 2, "shrinkA": 0, "shrinkB": 0}
        low, high = np.minimum(starts, tips).min(axis=0), np.maximum(starts, tips).max(axis=0)
        for i, (start, tip, label) in enumerate(zip(starts, tips, labels, strict=True)):
            colour = COLOURS[i % len(COLOURS)]
            axes.annotate("", tip, start, arrowprops={**look, "color": colour})
            axes.plot(*tip, "o", color=colour, markersize=4)
            side, shift = ("right", -6) if tip[0] > (low[0] + high[0]) / 2 else ("left", 6)  # where there is room
            axes.annotate(label, tip, (shift, 6), textcoords="offset points", fontsize=10, color=colour, ha=side)
        axes.plot(*starts.T, "s", color="black", markersize=5)
        margin = 0.2 * np.maximum(high - low, 1)
        axes.set_xlim(low[0] - margin[0], high[0] + 2 * margin[0])
        axes.set_ylim(low[1] - margin[1], high[1] + margin[1])
        name_axes(axes, title, x_label, y_label)
    numbers = [
        dict(zip(("x0", "y0", "x1", "y1"), map(number_text, (*start, *tip)))) for start, tip in zip(starts, tips)
    ]
    ends = (MESSAGES["arrow"].format(label=label, **ends) for label, ends in zip(labels, numbers))
    picture.description = description or " ".join([as_sentence(title), *ends])
    return picture


def _both(move: Move, n_axes: int) -> tuple[NDArray[Any], NDArray[Any]]:
    start, end = (np.asarray(move[0] if point is None else point, float) for point in move)
    for point in (start, end):
        if point.shape != (n_axes,):
            raise ValueError(f"a point has shape {point.shape} but there are {n_axes} axes: it needs ({n_axes},)")
    return start, end


def _directions(n_axes: int) -> NDArray[Any]:
    """Return where one step along each axis leads: right and up; or n spokes, the second of three upwards."""
    if n_axes < 2:
        raise ValueError(f"a plane needs 2 axes or more, not {n_axes}")
    if n_axes == 2:
        return np.eye(2)
    angles = np.deg2rad(210 - 360 / n_axes * np.arange(n_axes))
    return np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 12)  # (n_axes, 2)


def _frame(points: NDArray[Any]) -> NDArray[Any]:
    """Return the lower left and the upper right corner of a plane that holds all points, with room for labels."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.14 * (high - low).max()
    return np.stack([low - margin, high + margin])  # (2, 2)


def _draw_axes(
    plane: Axes, names: Sequence[str], spokes: NDArray[Any], frame: NDArray[Any]
) -> tuple[list[Label], list[NDArray[Any]]]:
    """Draw the axes of meaning; return the labels of spokes and what lies under them."""
    plane.set(xlim=frame[:, 0], ylim=frame[:, 1], aspect="equal")
    if len(names) == 2:
        plane.set_xlabel(wrapped(names[0], PANEL, 10))
        plane.set_ylabel(wrapped(names[1], PANEL, 10))
        plane.spines[["top", "right"]].set_visible(False)
        plane.axhline(0, color="#cccccc", linewidth=0.8, zorder=0)
        plane.axvline(0, color="#cccccc", linewidth=0.8, zorder=0)
        return [], []
    plane.set_axis_off()
    for x, y in spokes:
        plane.plot([0, x], [0, y], color="#9a9a9a", linewidth=1.2, zorder=0)
    look = {"fontsize": 11, "color": GREY, "fontstyle": "italic"}
    labels = [(_rounded(spoke), name, look) for spoke, name in zip(spokes, names)]
    return labels, [np.linspace(0, 1, 20)[:, None] * spoke for spoke in spokes]


def _draw_moves(
    plane: Axes, words: Sequence[tuple[str, NDArray[Any], NDArray[Any]]], spokes: NDArray[Any]
) -> tuple[list[Label], list[NDArray[Any]]]:
    """Draw points and arrows; return their labels, one a place, and what lies under them."""
    placed: dict[tuple[float, float], list[tuple[str, dict[str, Any]]]] = {}
    busy = []
    for i, (name, before, after) in enumerate(words):
        start, end = before @ spokes, after @ spokes  # (2,)
        colour = COLOURS[i % len(COLOURS)]
        marker, stays = MARKERS[i % len(MARKERS)], bool(np.abs(end - start).max() < SAME_PLACE)
        look = {"fontsize": 11, "color": colour}
        if not stays:
            is_short = float(np.linalg.norm(end - start)) < SHORT * float(np.ptp(plane.get_ylim()))
            plane.plot(*start, marker, color=colour, markerfacecolor="white", markersize=7)
            style = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 4, "shrinkB": 4}
            plane.annotate("", tuple(end), tuple(start), arrowprops=style)
            if not is_short:
                placed.setdefault(_rounded(start), []).append((name, look))
        plane.plot(*end, marker, color=colour, markersize=7)
        placed.setdefault(_rounded(end), []).append((name, look))
        busy.append(start + np.linspace(0, 1, 20)[:, None] * (end - start))
    labels = [(place, MESSAGES["comma"].join(name for name, _ in told), told[0][1]) for place, told in placed.items()]
    return labels, busy


def _rounded(point: NDArray[Any]) -> tuple[float, float]:
    x, y = (np.round(point, 9) + 0.0).tolist()
    return x, y


def _said(moves: Mapping[str, Sequence[Any]], axes: Sequence[str]) -> list[str]:
    def where(point: NDArray[Any]) -> str:
        told = [MESSAGES["value"].format(axis=axis, value=number_text(v)) for axis, v in zip(axes, point.tolist())]
        return MESSAGES["comma"].join(told)

    def told(name: str, start: NDArray[Any], end: NDArray[Any]) -> str:
        kind = "stays" if np.array_equal(start, end) else "moves"
        return MESSAGES[kind].format(name=name, start=where(start), end=where(end))

    sentences = {panel: MESSAGES["stop"].join(told(*move) for move in words) for panel, words in moves.items()}
    return [
        MESSAGES["panel" if panel else "alone"].format(panel=panel, moves=said) for panel, said in sentences.items()
    ]
