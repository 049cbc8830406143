"""Dials: pairs of numbers as hands, side by side, and beside a curve."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .lettering import LINE, lines_of, widest, wrapped
from .picture import COLOURS, GREY, LINE_STYLES, Picture, as_sentence, hangul_fonts, name_axes, new_picture

MESSAGES = {
    "apart": "{angle} radians apart",
    "place": "{row}, {column}",
    "face": "{face}: {hands}.",
    "comma": ", ",
    "hand": "{name} points to ({right}, {up})",
    "nameless": "the hand points to ({right}, {up})",
    "here": "At {x}: {y}.",
}
FACE, SMALL = (2.3, 1.9), (1.65, 1.4)  # inches across and down: a dial with named hands, one whose hand has no name
REACH, SMALL_REACH = 1.45, 1.1  # to the edge of a dial's plane, in lengths of the longest hand
OUT, NEAR = 0.22, 0.3  # from a tip to its name, and between two tips whose names would cover each other
ARC = 0.32  # radius of the arc between two hands
LETTERS_OF_ROWS = 9  # letters to an inch
CURVE = 6.4  # inches

Array = NDArray[np.float64]


def dials(
    hands: ArrayLike,
    columns: Sequence[str],
    rows: Sequence[str] = ("",),
    *,
    title: str,
    names: Sequence[str] = ("",),
    apart: bool = False,
    description: str | None = None,
) -> Picture:
    """Draw a grid of dials, each with its hands; all hands of a picture are on one scale.

    Parameters
    ----------
    hands : (n_rows, n_columns, n_hands, 2) array_like
        How far each hand reaches to the right and upwards; the longest reaches the rim.
    columns, rows : sequence of str
        Above the columns of dials, and before the rows.
    title : str
        What to see.
    names : sequence of str, optional
        One a hand, at its tip.
    apart : bool, optional
        Mark the angle from the first hand to the second, with its size in radians.
    description : str, optional
        The picture in words. Default: title, and where each hand points.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If the hands do not fit the names of rows, columns and hands.

    Examples
    --------
    >>> hours = [[[(0, 1)], [(1, 0)]]]  # one row of two dials, each with one hand
    >>> dials(hours, ["noon", "three"], title="Two hours").description
    'Two hours. noon: the hand points to (0.00, 1.00). three: the hand points to (1.00, 0.00).'
    """
    grid = _checked(hands, (len(rows), len(columns), len(names)))  # (n_rows, n_columns, n_hands, 2)
    across, down = FACE if any(names) else SMALL
    before = widest(rows) / LETTERS_OF_ROWS  # inches
    heads = [wrapped(column, across, 10) for column in columns]
    width = across * len(columns) + before + 0.3
    heading = wrapped(title, width, 12)
    height = (down + 0.25 * apart) * len(rows) + LINE * (lines_of(heads) + lines_of([heading])) + 0.6
    with hangul_fonts():
        picture = new_picture((width, height))
        picture.suptitle(heading, fontsize=12)
        planes = picture.subplots(len(rows), len(columns), squeeze=False)  # (n_rows, n_columns)
        for plane, face in zip(planes.ravel(), _scaled(grid).reshape(-1, len(names), 2)):
            _draw(plane, face, names, apart)
        for plane, head in zip(planes[0], heads):
            plane.set_title(head, fontsize=10)
        for plane, row in zip(planes[:, 0], rows):
            plane.set_ylabel(row, fontsize=11, rotation=0, ha="right", va="center")
    said = _said(grid.reshape(-1, len(names), 2), _places(rows, columns), names)
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def dials_and_curve(
    hands: ArrayLike,
    columns: Sequence[str],
    curve: tuple[ArrayLike, ArrayLike],
    here: tuple[float, float],
    *,
    title: str,
    curve_title: str,
    x_label: str,
    y_label: str,
    names: Sequence[str] = ("",),
    description: str | None = None,
) -> Picture:
    """Draw dials, the angle between the hands of each, and beside them a curve with a large point on it.

    Parameters
    ----------
    hands : (n_dials, n_hands, 2) array_like
        As in `dials`.
    columns : sequence of str
        Above each dial.
    curve : (x, y), each (n,) array_like
    here : (x, y)
        The point that belongs to the dials.
    title, curve_title, x_label, y_label : str
        What to see, in all and on the curve; what its axes are.
    names : sequence of str, optional
        One a hand, at its tip.
    description : str, optional
        The picture in words. Default: title, where each hand points, and the point on the curve.

    Returns
    -------
    Picture

    Raises
    ------
    ValueError
        If the hands do not fit the names of dials and hands.

    Examples
    --------
    >>> picture = dials_and_curve([[(0, 1), (1, 0)]], ["pair 0"], ([0, 1], [1, 0.5]), (1, 0.5), names=["q", "k"],
    ...                           title="Two hands", curve_title="Score", x_label="distance", y_label="score")
    >>> picture.description
    'Two hands. pair 0: q points to (0.00, 1.00), k points to (1.00, 0.00). At 1: 0.50.'
    """
    faces = _checked(hands, (len(columns), len(names)))  # (n_dials, n_hands, 2)
    n_across = math.ceil(len(columns) ** 0.5)
    n_down = -(-len(columns) // n_across)
    across, down = FACE
    width = across * n_across + CURVE
    heading, head = wrapped(title, width, 12), wrapped(curve_title, CURVE)
    with hangul_fonts():
        picture = new_picture((width, max(3.0, (down + 0.7) * n_down) + LINE * lines_of([heading]) + 0.3))
        picture.suptitle(heading, fontsize=12)
        left, right = picture.subfigures(1, 2, squeeze=False, width_ratios=[across * n_across, CURVE])[0]
        planes = left.subplots(n_down, n_across, squeeze=False).ravel()
        for plane, face, column in zip(planes, _scaled(faces), columns):
            _draw(plane, face, names, apart=True)
            plane.set_title(wrapped(column, across, 10), fontsize=10)
        for plane in planes[len(columns) :]:
            plane.set_axis_off()
        axes = right.subplots()
        axes.plot(*curve, ".-", color=COLOURS[0], linewidth=0.8, markersize=5)
        axes.plot(*here, "o", color=COLOURS[1], markersize=10)
        name_axes(axes, "", wrapped(x_label, CURVE - 0.8, 10), y_label)
        axes.set_title(head, fontsize=11)
    x, y = here
    said = [*_said(faces, columns, names), MESSAGES["here"].format(x=number_text(x, 0), y=number_text(y))]
    picture.description = description or " ".join([as_sentence(title), *said])
    return picture


def _checked(hands: ArrayLike, named: tuple[int, ...]) -> Array:
    array = np.asarray(hands, float)
    if array.shape != (*named, 2):
        raise ValueError(f"hands have shape {array.shape}, and their names ask for {(*named, 2)}")
    return array


def _scaled(hands: Array) -> Array:
    """Let the longest hand of a picture reach the rim."""
    return hands / (float(np.linalg.norm(hands, axis=-1).max(initial=0.0)) or 1.0)


def _draw(plane: Axes, hands: Array, names: Sequence[str], apart: bool) -> None:
    """Draw the rim, the hands with their names, (n_hands, 2), and the angle between the first two."""
    reach = REACH if any(names) else SMALL_REACH
    plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
    plane.spines[:].set_visible(False)
    plane.add_patch(Circle((0, 0), 1, fill=False, color="#9a9a9a", linewidth=1))
    for i, (hand, name) in enumerate(zip(hands.tolist(), names)):
        colour, style = COLOURS[i % len(COLOURS)], LINE_STYLES[i % len(LINE_STYLES)]
        plane.plot([0, hand[0]], [0, hand[1]], style, color=colour, linewidth=2.5)
        plane.plot(*hand, "o", color=colour, markersize=7)
        is_near = any(math.dist(hand, other) < NEAR for other in hands[:i].tolist())  # then its name stands inside
        out = 1 + (-OUT if is_near else OUT) / max(math.hypot(*hand), OUT)
        plane.text(hand[0] * out, hand[1] * out, name, color=colour, fontsize=11, ha="center", va="center")
    plane.plot(0, 0, "o", color=GREY, markersize=4)
    if apart:
        first, turn = _angle(hands)
        ends = np.rad2deg(sorted([first, first + turn]))
        plane.add_patch(Arc((0, 0), 2 * ARC, 2 * ARC, theta1=ends[0], theta2=ends[1], color=GREY, linewidth=1.5))
        plane.set_xlabel(MESSAGES["apart"].format(angle=number_text(abs(turn))), fontsize=10)


def _angle(hands: Array) -> tuple[float, float]:
    """Return the direction of the first hand, and the shorter turn from it to the second, in radians."""
    first, second = np.arctan2(hands[:2, 1], hands[:2, 0]).tolist()
    return first, math.remainder(second - first, 2 * math.pi)


def _places(rows: Sequence[str], columns: Sequence[str]) -> list[str]:
    return [MESSAGES["place"].format(row=row, column=column) if row else column for row in rows for column in columns]


def _said(faces: Array, places: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    for face, place in zip(faces, places):
        told: list[Any] = [
            MESSAGES["hand" if name else "nameless"].format(name=name, right=number_text(x), up=number_text(y))
            for name, (x, y) in zip(names, face.tolist())
        ]
        yield MESSAGES["face"].format(face=place, hands=MESSAGES["comma"].join(told))
