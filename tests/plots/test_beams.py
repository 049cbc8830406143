"""Beams: which are drawn, how thick, how they are told apart, and what is said of the weak ones."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb

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
