"""Words as points that move: where they stand, and what is said of them."""

import numpy as np
import pytest

from attention_lib import plots

AXES = ["pear", "belly", "ship"]
SENTENCES = {
    "배 가 고파서": {"배": ([1, 1, 1], [0.043, 2.653, 0.043]), "고파서": ([0, 3, 0], None)},
    "배 를 깎아서": {"배": ([1, 1, 1], [2.653, 0.043, 0.043])},
    "배 를 타고": {"배": ([1, 1, 1], [0.043, 0.043, 2.653])},
}


def markers(axes):
    """The points of a plane by how they look: hollow or full."""
    drawn = [line for line in axes.lines if line.get_marker() != "None"]
    hollow = [line for line in drawn if line.get_markerfacecolor() == "white"]
    full = [line for line in drawn if line not in hollow]
    return [np.array([line.get_xydata()[0] for line in lines]).reshape(-1, 2) for lines in (hollow, full)]


def test_words_move_from_the_middle_along_their_spoke():
    picture = plots.moved_points(SENTENCES, AXES, title="t")
    assert [axes.get_title() for axes in picture.axes] == list(SENTENCES)
    for axes, place in zip(picture.axes, [(0, 2.61), (-2.2603, -1.305), (2.2603, -1.305)]):
        hollow, full = markers(axes)
        assert hollow == pytest.approx(np.zeros((1, 2)), abs=1e-9)
        assert full[0] == pytest.approx(np.array(place), abs=1e-3)
        (arrow,) = [text.arrow_patch for text in axes.texts if getattr(text, "arrow_patch", None)]
        assert arrow.get_linewidth() > 1
    assert markers(picture.axes[0])[1][1] == pytest.approx(np.array([0, 3]))  # the cue stands still, full


def test_every_place_is_named_once_and_every_move_said():
    words = {"배 1": ([1, 1, 1], [1, 0, 0]), "배 2": ([1, 1, 1], [1, 0, 0])}
    picture = plots.moved_points({"": words}, AXES, title="Two alike")
    named = [text.get_text() for text in picture.axes[0].texts if text.get_text()]
    assert sorted(named) == sorted([*AXES, "배 1, 배 2", "배 1, 배 2"])
    assert picture.description.startswith("Two alike. 배 1 moves from pear 1.00, belly 1.00, ship 1.00 to pear 1.00,")
    still = plots.moved_points({"p": {"w": ([0, 1, 0], None)}}, AXES, title="t")
    assert still.description == "t. p: w stands at pear 0.00, belly 1.00, ship 0.00."


def test_a_short_move_has_one_label():
    move = {"배": ([1, 1, 1], [1, 1, 0.9]), "고파서": ([0, 3, 0], None)}
    (axes,) = plots.moved_points({"": move}, AXES, title="t").axes
    assert [text.get_text() for text in axes.texts].count("배") == 1
    hollow, full = markers(axes)
    assert len(hollow) == 1 and len(full) == 2  # both its points are drawn
