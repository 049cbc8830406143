"""Words as points in a plane, and where attention moves them."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .._words import _
from .lettering import LINE, lines_of, wrapped
from .picture import GREY, Picture, in_sentences, look, new_picture

PANELS = (4.6, 4.2, 3.0)  # inches: the side of a plane that stands alone, in two or in three columns
SAME_PLACE = 1e-9  # points this close carry one label
SHORT = 0.06  # of the plane's height: so short a move has one label, at its end

Move = tuple[ArrayLike, ArrayLike | None]
Array = NDArray[np.float64]


def moved_points(
    panels: Mapping[str, Mapping[str, Move]],
    axes: Sequence[str],
    *,
    title: str,
) -> Picture:
    """Draw words as points, and arrows from where they were to where attention moves them.

    The axes of meaning are spokes at equal angles: a word stands at the sum of
    its steps along them, so equal parts of all lie in the middle. Panels share
    one scale. ValueError if a point has not one number for each axis.

    Parameters
    ----------
    panels : mapping of str to mapping of str to (before, after)
        For each sentence its words, and for each word its numbers on the axes
        before and after, each (n_axes,) array_like. `None` as after: a word
        that stands still. Words at one place are written together.
    axes : sequence of str
        What each number is: three or more names.
    title : str
        What to see.

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
    spokes = _directions(len(axes))  # (n_axes, 2)
    moves = {
        panel: {word: _both_ends(move, len(axes)) for word, move in words.items()} for panel, words in panels.items()
    }  # for each word (2, n_axes)
    ends = np.concatenate([move for words in moves.values() for move in words.values()]) @ spokes
    reach = 1.15 * (float(np.linalg.norm(ends, axis=1).max()) or 1.0)  # past the farthest point
    frame = _frame(np.vstack([ends, spokes * reach, [[0, 0]]]))  # (2, 2)
    width, height = (frame[1] - frame[0]).tolist()
    n_columns = min(len(panels), 3)
    n_lines = math.ceil(len(panels) / n_columns)
    side = PANELS[n_columns - 1]
    names = [wrapped(panel, side) for panel in panels]
    room = 0.1 + LINE * lines_of(names)
    key = _("○\u00a0before \u00a0\u00a0\u00a0●\u00a0after")
    with new_picture(side * n_columns + 0.3, (side * height / width + room) * n_lines + 0.3, title, key) as picture:
        for i, words in enumerate(moves.values()):
            plane = picture.add_subplot(n_lines, n_columns, i + 1)
            plane.set_title(names[i], fontsize=11)
            plane.set(xlim=frame[:, 0], ylim=frame[:, 1], aspect="equal")
            _draw_spokes(plane, axes, spokes * reach)
            _draw_moves(plane, {word: move @ spokes for word, move in words.items()})
    picture.description = in_sentences(title, (_moves_in_words(panel, words, axes) for panel, words in moves.items()))
    return picture


def _both_ends(move: Move, n_axes: int) -> Array:
    before, after = move
    ends = [np.asarray(before, float), np.asarray(before if after is None else after, float)]
    for point in ends:
        if point.shape != (n_axes,):
            raise ValueError(f"a point has shape {point.shape} but there are {n_axes} axes: it needs ({n_axes},)")
    return np.stack(ends)  # (2, n_axes)


def _directions(n_axes: int) -> Array:
    """Return where one step along each axis leads: n spokes, the second of three upwards."""
    angles = np.deg2rad(210 - 360 / n_axes * np.arange(n_axes))
    return np.round(np.stack([np.cos(angles), np.sin(angles)], axis=1), 12)  # (n_axes, 2)


def _frame(points: Array) -> Array:
    """Return the lower left and the upper right corner of a plane that holds all points, with room for labels."""
    low, high = points.min(axis=0), points.max(axis=0)
    margin = 0.2 * (high - low).max()
    return np.stack([low - margin, high + margin])  # (2, 2)


def _draw_spokes(plane: Axes, names: Sequence[str], spokes: Array) -> None:
    """Draw the axes of meaning from the middle, each with its name behind its end."""
    plane.set_axis_off()
    for (x, y), name in zip(spokes, names):
        plane.plot([0, x], [0, y], color="#9a9a9a", linewidth=1.2, zorder=0)
        behind = 6 * x / math.hypot(x, y), math.copysign(12, y)  # points: below or above, so that planes keep apart
        style: dict[str, Any] = dict(textcoords="offset points", in_layout=False, ha="center", va="center")
        plane.annotate(name, (x, y), behind, color=GREY, fontsize=11, fontstyle="italic", **style)


def _draw_moves(plane: Axes, words: Mapping[str, Array]) -> None:
    """Draw points and arrows, (2, 2) for each word, and write the words beside them, once for each place."""
    names: dict[tuple[float, float], list[str]] = {}
    colours: dict[tuple[float, float], str] = {}
    for i, (name, (start, end)) in enumerate(words.items()):
        colour, _line, marker, _hatch = look(i)
        places = [end]
        if np.abs(end - start).max() >= SAME_PLACE:
            plane.plot(*start, marker, color=colour, markerfacecolor="white", markersize=7)
            style: dict[str, Any] = {"arrowstyle": "-|>", "color": colour, "linewidth": 1.8, "shrinkA": 4, "shrinkB": 4}
            plane.annotate("", tuple(end), tuple(start), arrowprops=style)
            if np.linalg.norm(end - start) >= SHORT * np.ptp(plane.get_ylim()):
                places = [start, end]
        plane.plot(*end, marker, color=colour, markersize=7)
        for place in map(_rounded, places):
            names.setdefault(place, []).append(name)
            colours.setdefault(place, colour)
    for (x, y), here in names.items():
        side = -1 if x < 0 else 1  # away from the middle, and above
        style = dict(textcoords="offset points", in_layout=False, ha="right" if x < 0 else "left")
        plane.annotate(", ".join(here), (x, y), (8 * side, 3), color=colours[x, y], fontsize=11, **style)


def _rounded(point: Array) -> tuple[float, float]:
    x, y = (np.round(point, 9) + 0.0).tolist()
    return x, y


def _moves_in_words(panel: str, words: Mapping[str, Array], axes: Sequence[str]) -> str:
    moves = []
    for name, (before, after) in words.items():
        start, end = (
            ", ".join(f"{axis} {number_text(value)}" for axis, value in zip(axes, point)) for point in (before, after)
        )
        stays = np.array_equal(before, after)
        sentence = _("{name} stands at {start}") if stays else _("{name} moves from {start} to {end}")
        moves.append(sentence.format(name=name, start=start, end=end))
    sentence = _("{panel}: {moves}.") if panel else _("{moves}.")
    return sentence.format(panel=panel, moves="; ".join(moves))
