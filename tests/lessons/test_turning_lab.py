"""The turning lab: its numbers against the library, its goals, its drawing."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import rotary_positions
from attention_lib.lessons.positions import dials
from attention_lib.lessons.positions.turning_lab import (
    DISTANCES,
    FARTHEST,
    NEAR,
    SPEEDS,
    STATES,
    TurningLab,
    goal_of,
    moved,
    picture,
    score_of,
    scores_at,
)


@pytest.mark.parametrize(("query", "key", "both"), [(4, 1, 0), (1, 4, 3)])
def test_it_turns_as_the_library_does(query, key, both):
    q, k = np.random.default_rng(0).standard_normal((2, 1, 8))
    speeds, rows = tuple(50.0 ** (-np.arange(0, 8, 2) / 8)), (tuple(q[0]), tuple(k[0]))
    state = replace(STATES["one"], query=query, key=key, both=both, speeds=speeds, rows=rows)
    turned = [rotary_positions(row, start=at + both, base=50)[0] for row, at in ((q, query), (k, key))]
    assert score_of(state) == pytest.approx(turned[0] @ turned[1])


def test_goals_are_open_at_the_start_and_reached():
    assert not any(goal_of(state)[0] for state in STATES.values())
    state = moved(STATES["one"], "both", 20)
    assert goal_of(state) == (
        False,
        "It did not. Now move the query alone, until the score is −0.90 or less. Now: −0.42.",
    )
    assert goal_of(moved(state, "query", 6))[0] and not goal_of(moved(STATES["one"], "query", 6))[0]
    reached = [n for n in range(FARTHEST + 1) if goal_of(moved(STATES["again"], "query", n))[0]]
    assert reached == [19, 25, 44], "as notebook 10 says"
    for name, best in {"four": 0, "back": 1}.items():
        reached = [n for n in range(FARTHEST + 1) if goal_of(moved(STATES[name], "query", n))[0]]
        assert reached == [STATES[name].key + best]


def test_what_notebook_10_says_of_the_starts():
    assert np.flatnonzero(scores_at(STATES["one"])[DISTANCES.tolist().index(0) :][:10] < -0.9).tolist() == [3, 9]
    query = np.array(STATES["back"].rows[0]).reshape(-1, 2)
    np.testing.assert_allclose(query, [(np.cos(s), -np.sin(s)) for s in SPEEDS], atol=0.005)


def test_sliders_and_hands_set_one_number_and_a_drag_is_one_step():
    lab = TurningLab()
    lab.both.box.value = "24"
    assert (lab.state.query, lab.state.key, lab.state.both) == (5, 3, 24) and "It did not" in lab.goal.text
    for value in (5, 6, 9, 999):  # the first as the page tells that a hand is held
        lab.drawing._hand = ["query", value, "drag 1"]
    assert lab.state.query == FARTHEST and score_of(lab.state) == pytest.approx(np.cos(47))
    assert (lab.both.value, lab.query.value) == (24, FARTHEST), "the slider of both stays in sight"
    lab.undo()
    for value, query, key in ((NEAR + 2, 5, 3), (2 * NEAR, 15, 3), (NEAR - 7, 0, 7)):  # from the curve's left end
        lab.drawing._hand = ["distance", value, "drag 2"]
        assert (lab.state.query, lab.state.key) == (query, key), "the key gives way where the query cannot"
    lab.undo()
    assert (lab.state.query, lab.state.both) == (5, 24)
    lab.undo()
    assert lab.state.both == 0 and lab.next.layout.visibility == "hidden"
    lab.both.box.value = "999"
    assert lab.state.both == FARTHEST
    lab.key.box.value = "30"
    assert (lab.state.query, lab.state.key) == (5, 30), "a negative distance needs no hand to be dragged"


def test_the_curve_has_a_dot_at_each_whole_distance():
    assert picture(STATES["one"]).count('class="whole"') == 2 * NEAR + 1
    assert picture(STATES["four"]).count('class="whole"') == 2 * FARTHEST + 1


def test_what_is_read_out_is_no_markup():
    assert 'aria-label="&lt;i&gt; &quot;"' in dials._svg((0, 0, 1, 1), '<i> "', [])
