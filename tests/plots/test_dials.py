"""Dials: where their hands point, what is marked between them, and what is said of them."""

import numpy as np
import pytest
from matplotlib.patches import Arc

from attention_lib import plots

TWO_FACES = [[[(0, 2), (2, 0)], [(0, -1), (1, 0)]]]  # one row of two dials, each with two hands
WORDS = {"title": "T", "names": ["q", "k"]}


def tips(axes):
    return [tuple(line.get_xydata()[-1].tolist()) for line in axes.lines if line.get_linestyle() != "None"]


def test_hands_point_where_they_should_and_the_longest_reaches_the_rim():
    faces = plots.dials(TWO_FACES, ["a", "b"], **WORDS).axes
    assert [tips(face) for face in faces] == [[(0, 1), (1, 0)], [(0, -0.5), (0.5, 0)]]
    assert [face.get_title() for face in faces] == ["a", "b"]
    styles = [line.get_linestyle() for line in faces[0].lines if line.get_linestyle() != "None"]
    assert len(set(styles)) == 2  # told apart without colour


@pytest.mark.parametrize(
    ("first", "second", "angle", "ends"),
    [(5, 3, "2.00", 5), (105, 103, "2.00", 105), (27, 3, "1.13", 3), (3.2, -3.2, "0.12", 3.2)],
)
def test_the_angle_between_two_hands_is_the_shorter_one(first, second, angle, ends):
    """An arc leads counterclockwise from one hand to the other, `ends` being the one it leads to."""
    hands = [[[(np.cos(a), np.sin(a)) for a in (first, second)]]]
    (face,) = plots.dials(hands, ["a"], **WORDS, apart=True).axes
    assert face.get_xlabel() == f"{angle} radians apart"
    (arc,) = [patch for patch in face.patches if isinstance(patch, Arc)]
    assert arc.theta2 - arc.theta1 == pytest.approx(np.rad2deg(float(angle)), abs=0.5)
    assert np.cos(np.deg2rad(arc.theta2) - ends) == pytest.approx(1)


def test_rows_and_columns_are_named_once_and_every_hand_is_said():
    hands = np.array([[(0, 1)], [(1, 0)], [(0, -1)], [(-1, 0)]]).reshape(2, 2, 1, 2)
    picture = plots.dials(hands, ["a", "b"], ["one", "two"], title="T")
    assert [face.get_title() for face in picture.axes] == ["a", "b", "", ""]
    assert [face.get_ylabel() for face in picture.axes] == ["one", "", "two", ""]
    assert picture.description.startswith("T. one, a: the hand points to (0.00, 1.00). one, b: the hand points to (1.")
    assert picture.description.endswith("two, b: the hand points to (−1.00, 0.00).")


@pytest.mark.parametrize("second", [(1, 0), (0.99, -0.13), (0.95, 0.3), (0, 0)])
def test_names_do_not_cover_each_other(second):
    picture = plots.dials([[[(1, 0), second]]], ["a"], **WORDS)
    plots.png(picture)
    one, other = [text.get_window_extent() for text in picture.axes[0].texts]
    assert not one.overlaps(other)
