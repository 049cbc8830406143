"""Dials: pairs of numbers as hands, side by side."""

import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle
from numpy.typing import ArrayLike, NDArray

from .._numbers import number_text
from .._words import _
from .lettering import LINE, lines_of, widest, wrapped
from .picture import GREY, Picture, in_sentences, look, new_picture

FACE, SMALL = (2.3, 1.9), (1.65, 1.4)  # inches across and down: a dial with named hands, one whose hand has no name
REACH, SMALL_REACH = 1.45, 1.1  # to the edge of a dial's plane, in lengths of the longest hand
OUT, NEAR = 0.22, 0.3  # from a tip to its name, and between two tips whose names would cover each other
ARC = 0.32  # radius of the arc between two hands

Array = NDArray[np.float64]


def dials(
    hands: ArrayLike,
    columns: Sequence[str],
    rows: Sequence[str] = ("",),
    *,
    title: str,
    names: Sequence[str] = ("",),
    apart: bool = False,
) -> Picture:
    """Draw a grid of dials, each with its hands; all hands of a picture are on one scale.

    Hands that do not fit the names of rows, columns and hands raise ValueError.

    Parameters
    ----------
    hands : (n_rows, n_columns, n_hands, 2) array_like
        How far each hand reaches to the right and upwards; the longest reaches the rim.
    columns, rows : sequence of str
        Above the columns of dials, and before the rows.
    title : str
        What to see.
    names : sequence of str, optional
        One for each hand, at its tip.
    apart : bool, optional
        Mark the angle from the first hand to the second, with its size in radians.

    Examples
    --------
    >>> hours = [[[(0, 1)], [(1, 0)]]]  # one row of two dials, each with one hand
    >>> dials(hours, ["noon", "three"], title="Two hours").description
    'Two hours. noon: the hand points to (0.00, 1.00). three: the hand points to (1.00, 0.00).'
    """
    grid, named = np.asarray(hands, float), (len(rows), len(columns), len(names), 2)
    if grid.shape != named:
        raise ValueError(f"hands have shape {grid.shape}, and their names ask for {named}")
    faces = grid.reshape(-1, len(names), 2)  # (n_dials, n_hands, 2)
    longest = float(np.linalg.norm(faces, axis=-1).max()) or 1.0  # it reaches the rim
    across, down = FACE if any(names) else SMALL
    heads = [wrapped(column, across, 10) for column in columns]
    height = (down + 0.35 * apart) * len(rows) + LINE * lines_of(heads) + 0.6
    with new_picture(across * len(columns) + widest(rows, 11) + 0.3, height, title) as picture:
        planes = picture.subplots(len(rows), len(columns), squeeze=False)  # (n_rows, n_columns)
        for plane, face in zip(planes.ravel().tolist(), faces / longest):
            _draw_face(plane, face, names, apart)
        for plane, head in zip(planes[0], heads):
            plane.set_title(head, fontsize=10)
        for plane, row in zip(planes[:, 0], rows):
            plane.set_ylabel(row, fontsize=11, rotation=0, ha="right", va="center")
    places = [f"{row}, {column}" if row else column for row in rows for column in columns]
    picture.description = in_sentences(title, _faces_in_words(faces, places, names))
    return picture


def _draw_face(plane: Axes, hands: Array, names: Sequence[str], apart: bool) -> None:
    """Draw the rim, the hands with their names, (n_hands, 2), and the angle between the first two."""
    reach = REACH if any(names) else SMALL_REACH
    plane.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xticks=[], yticks=[])
    plane.spines[:].set_visible(False)
    plane.add_patch(Circle((0, 0), 1, fill=False, color="#9a9a9a", linewidth=1))
    for i, (hand, name) in enumerate(zip(hands.tolist(), names)):
        colour, line, _marker, _hatch = look(i)
        plane.plot([0, hand[0]], [0, hand[1]], color=colour, linestyle=line, linewidth=2.5)
        plane.plot(*hand, "o", color=colour, markersize=7)
        is_near = any(math.dist(hand, other) < NEAR for other in hands[:i].tolist())  # then its name stands inside
        out = 1 + (-OUT if is_near else OUT) / max(math.hypot(*hand), OUT)
        plane.text(hand[0] * out, hand[1] * out, name, color=colour, fontsize=11, ha="center", va="center")
    plane.plot(0, 0, "o", color=GREY, markersize=4)
    if apart:
        first, second = np.arctan2(hands[:2, 1], hands[:2, 0]).tolist()
        turn = math.remainder(second - first, 2 * math.pi)  # the shorter one
        start, end = np.rad2deg(sorted([first, first + turn])).tolist()
        plane.add_patch(Arc((0, 0), 2 * ARC, 2 * ARC, theta1=start, theta2=end, color=GREY, linewidth=1.5))
        plane.set_xlabel(_("{angle} radians apart").format(angle=number_text(abs(turn))), fontsize=10)


def _faces_in_words(faces: Array, places: Sequence[str], names: Sequence[str]) -> list[str]:
    sentences = []
    for face, place in zip(faces.tolist(), places):
        hands = []
        for name, (x, y) in zip(names, face):
            sentence = _("{name} points to ({right}, {up})") if name else _("the hand points to ({right}, {up})")
            hands.append(sentence.format(name=name, right=number_text(x), up=number_text(y)))
        sentences.append(_("{face}: {hands}.").format(face=place, hands=", ".join(hands)))
    return sentences
