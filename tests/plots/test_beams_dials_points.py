"""Beams, dials and points: where they are drawn, how they are told apart, and what is said of them."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.patches import Arc

from attention_lib import plots
from attention_lib.plots.beam import PALEST

WEIGHTS = np.array([[0.7, 0.26, 0.04], [0.02, 0.03, 0.95], [0.4, 0.6, 0.0]])
BELOW, ABOVE = ["ate", "the", "chicken"], ["먹었다", "나는", "치킨을"]


def drawn(picture):
    lines = [line for line in picture.axes[0].lines if line.get_gid()]
    return {tuple(map(int, line.get_gid().split())): line for line in lines}


def places(picture):
    return {text.get_text().split("\n")[0]: text.xy[0] for text in picture.axes[0].texts}


def test_each_beam_joins_its_words_as_thick_as_its_weight():
    picture = plots.beams(WEIGHTS, BELOW, ABOVE, title="t")
    beams = drawn(picture)
    assert set(beams) == {(0, 0), (0, 1), (1, 2), (2, 0), (2, 1)}
    at = places(picture)
    for (query, key), line in beams.items():
        (x0, y0), (x1, y1) = line.get_xydata()[[0, -1]]
        assert x0 == pytest.approx(at[BELOW[query]], abs=0.25) and y0 < y1
        assert x1 == pytest.approx(at[ABOVE[key]], abs=0.25)
        assert line.get_linewidth() == pytest.approx(0.9 + 7.1 * WEIGHTS[query, key])


def test_beams_of_two_queries_differ_and_the_first_eight_in_colour_alone():
    beams = drawn(plots.beams(np.full((10, 10), 0.1), list("abcdefghij"), list("abcdefghij"), title="t"))
    looks = {}
    for (query, _), line in beams.items():
        looks.setdefault(query, set()).add((line.get_color(), str(line._dash_pattern[1])))
    assert all(len(look) == 1 for look in looks.values())  # one query, one look
    assert len({frozenset(look) for look in looks.values()}) == 10
    first_eight = [next(iter(looks[i])) for i in range(8)]
    assert len({colour for colour, _ in first_eight}) == 8 and {dash for _, dash in first_eight} == {"None"}


def test_a_weaker_beam_is_paler_and_still_to_be_seen():
    beams = drawn(plots.beams(WEIGHTS, BELOW, ABOVE, title="t"))
    assert np.less(to_rgb(beams[0, 0].get_color()), to_rgb(beams[0, 1].get_color())).all()
    equal = drawn(plots.beams(np.full((8, 4), 0.25), list("abcdefgh"), list("abcd"), title="t"))
    strong = np.array([to_rgb(equal[i, 0].get_color()) for i in range(8)])  # (n_queries, 3)
    palest = 1 - (1 - strong) * PALEST  # (n_queries, 3)
    linear = np.where(palest <= 0.04045, palest / 12.92, ((palest + 0.055) / 1.055) ** 2.4)
    assert (1.05 / (linear @ [0.2126, 0.7152, 0.0722] + 0.05) > 2).all()  # contrast with white


def test_weak_beams_do_not_vanish_without_a_word():
    picture = plots.beams(WEIGHTS, BELOW, ABOVE, title="t")
    caption = "Not drawn: weights below 0.05 (3 of 9; the largest is 0.04)."
    assert picture.get_supxlabel().replace("\n", " ") == caption
    assert picture.description == (
        "t. ate reads 먹었다 0.70, 나는 0.26. the reads 치킨을 0.95. chicken reads 나는 0.60, 먹었다 0.40. " + caption
    )
    every = plots.beams(WEIGHTS, BELOW, ABOVE, title="t", least=0.01)
    assert every.get_supxlabel() == "Every weight is drawn."  # a weight of 0 is none
    of_changes = plots.beams(WEIGHTS, BELOW, ABOVE, title="t", caption="how far it moves")
    assert of_changes.get_supxlabel() == "how far it moves" == of_changes.description[-16:]
    none = plots.beams(np.full((1, 3), 1 / 3), ["a"], ABOVE, title="t", least=0.5)
    assert "a reads no word with 0.50 or more." in none.description


def test_one_query_shows_every_weight_several_show_their_largest():
    words = [text.get_text() for text in plots.beams(WEIGHTS, BELOW, title="t", chosen=[0]).axes[0].texts]
    assert words == ["ate\n0.70", "the\n0.26", "chicken\n0.04"]
    words = [text.get_text() for text in plots.beams(WEIGHTS, BELOW, ABOVE, title="t").axes[0].texts]
    assert words == ["ate\n0.70", "the\n0.95", "chicken\n0.60", "queries", *ABOVE, "keys"]


def test_words_that_do_not_fit_the_weights_are_refused():
    with pytest.raises(ValueError, match="shape \\(3, 3\\) but there are 2 queries, 2 keys"):
        plots.beams(WEIGHTS, ["a", "b"], title="t")


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
