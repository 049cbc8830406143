"""The turning lab: its numbers against the library, its goals, its drawing, and what a learner may type."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import rotary_positions
from attention_lib.lessons.positions import dials
from attention_lib.lessons.positions.turning_lab import (
    DISTANCES,
    FARTHEST,
    SPEEDS,
    STATES,
    TurningLab,
    goal_of,
    matrices_of,
    moved,
    scores_at,
    turn,
)


def test_it_turns_as_the_library_does():
    rows, base = np.random.default_rng(0).standard_normal((5, 8)), 50.0
    angles = np.arange(5)[:, None] * base ** (-np.arange(0, 8, 2) / 8)
    np.testing.assert_allclose(turn(rows, angles), rotary_positions(rows, base=base))


@pytest.mark.parametrize("name", STATES)
def test_the_score_depends_on_the_distance_alone_and_is_on_the_curve(name):
    query_row, _ = STATES[name].rows
    start = replace(STATES[name], rows=(query_row, query_row[::-1]))  # neither begins at an angle of 0
    for both, query, key in ((47, start.query, start.key), (0, 50, 0), (3, 0, 50), (0, 7, 11)):
        state = moved(moved(moved(start, "both", both), "query", query), "key", key)
        assert matrices_of(state)["score"][0, 0] == pytest.approx(scores_at(state, [query - key])[0])
    assert not np.allclose(matrices_of(moved(start, "both", 47))["turned"], matrices_of(start)["turned"])


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
    assert lab.view["moves"].ravel().tolist() == [5, 3, 24] and "It did not" in lab.goal.text
    for value in (5, 6, 9, 999):  # the first as the page tells that a hand is held
        lab.drawing._hand = ["query", value, "drag 1"]
    assert lab.state.query == FARTHEST and lab.view["score"][0, 0] == pytest.approx(np.cos(47))
    assert (lab.both.value, lab.query.value) == (24, FARTHEST), "the slider of both stays in sight"
    lab.undo()
    assert (lab.state.query, lab.state.both) == (5, 24)
    lab.undo()
    assert lab.state.both == 0 and lab.next.layout.display == "none"
    lab.both.box.value = "999"
    assert lab.state.both == FARTHEST
    assert 'aria-label="&lt;i&gt; &quot;"' in dials._svg((0, 0, 1, 1), '<i> "', []), "what is read out is no markup"
