"""The turning lab without a browser: its model, then its controls."""

import re
from typing import Any

import numpy as np
import pytest

from attention_lib import rotary_positions
from attention_lib.examples.turning_starts import SPEEDS, STATES
from attention_lib.labs.turning_lab import (
    FARTHEST,
    FASTEST,
    LARGEST,
    MESSAGES,
    PRESETS,
    TurningLab,
    TurningModel,
    picture,
    turn,
)
from attention_lib.view.dials import HAND, REACH, WIDE
from attention_lib.view.lab import CHANGED

# -- the model ------------------------------------------------------------------------------------


def test_it_turns_as_the_library_does() -> None:
    rows, base = np.random.default_rng(0).standard_normal((5, 8)), 50.0
    angles = np.arange(5)[:, None] * base ** (-np.arange(0, 8, 2) / 8)
    np.testing.assert_allclose(turn(rows, angles), rotary_positions(rows, base=base))


@pytest.mark.parametrize("name", PRESETS)
def test_moving_both_leaves_the_score_and_moving_one_does_not(name: str) -> None:
    model = TurningModel(name)
    first, turned = model.score, model.turned.copy()
    model.move(both=47)
    assert model.score == pytest.approx(first, abs=1e-9)
    assert not np.allclose(model.turned, turned)
    model.move(key=model.state.key + 1)
    assert abs(model.score - first) > 1e-3


@pytest.mark.parametrize("name", PRESETS)
def test_the_curve_goes_through_the_score_at_every_distance(name: str) -> None:
    model = TurningModel(name)
    model.edit("rows", 1, 1, 0.7)
    curve = model.scores_at(np.arange(-FARTHEST, FARTHEST + 1))
    for query, key in ((0, 0), (50, 0), (0, 50), (7, 11)):
        model.move(query=query, key=key)
        assert model.score == pytest.approx(curve[FARTHEST + query - key])
        assert model.by_pair.sum() == pytest.approx(model.score)


def test_goals_open_and_reached() -> None:
    model = TurningModel("one")
    assert [goal.reached for goal in model.goals()] == [False, False]
    model.move(both=20)
    assert [goal.reached for goal in model.goals()] == [True, False]
    model.move(query=6)
    assert [goal.reached for goal in model.goals()] == [True, True]
    model.start_from("again")
    reached = []
    for query in range(FARTHEST + 1):
        model.move(query=query)
        reached += [query] if model.goals()[0].reached else []
    assert reached == [19, 25, 44]  # as notebook 10 says
    for name, best in {"four": 0, "back": 1}.items():
        model.start_from(name)
        assert not model.goals()[0].reached
        model.move(query=model.state.key + best)
        assert model.goals()[0].reached


def test_no_goal_is_reached_where_a_start_begins_or_after_undo() -> None:
    for name in PRESETS:
        model = TurningModel(name)
        assert not any(goal.reached for goal in model.goals())
        model.move(both=30)
        model.undo()
        assert not any(goal.reached for goal in model.goals())


def test_the_goals_are_those_of_the_start_also_after_other_changes() -> None:
    model = TurningModel()
    model.start_from("back")
    model.edit("speeds", 0, 3, 0.5)
    assert len(model.goals()) == 1
    model.undo()
    model.undo()
    assert len(model.goals()) == 2


def test_with_one_pair_distances_below_ten_that_score_below_minus_nine_tenths() -> None:
    scores = TurningModel("one").scores_at(np.arange(10))
    assert np.flatnonzero(scores < -0.9).tolist() == [3, 9]


def test_the_query_that_looks_back_was_turned_back_by_one_position() -> None:
    query = np.array(STATES["back"].rows[0]).reshape(-1, 2)
    np.testing.assert_allclose(query, [(np.cos(s), -np.sin(s)) for s in SPEEDS], atol=0.005)


def test_edits_are_whole_positions_in_range_and_speeds_and_rows_are_clipped() -> None:
    model = TurningModel()
    model.edit("moves", 0, 0, 7.6)
    model.edit("moves", 1, 0, 999)
    model.edit("moves", 2, 0, -5)
    assert (model.state.query, model.state.key, model.state.both) == (8, FARTHEST, 0)
    model.edit("speeds", 0, 0, 99)
    model.edit("rows", 1, 1, -99)
    assert (model.state.speeds, model.state.rows[1]) == ((FASTEST,), (1.0, -LARGEST))
    assert np.isfinite(model.score)


def test_rows_of_zeros_have_no_score_and_reach_no_goal() -> None:
    model = TurningModel()
    model.edit("rows", 0, 0, 0)
    assert model.score == 0
    assert not any(goal.reached for goal in model.goals())


def test_one_move_of_a_slider_is_one_undo_and_reset_leads_back() -> None:
    model = TurningModel()
    for both in (1, 2, 3):
        model.move(("slider", 1), both=both)
    model.move(("slider", 1), query=9)  # another slider at once
    assert model.undo() and (model.state.both, model.state.query) == (3, 5)
    assert model.undo() and model.state.both == 0
    assert not model.undo()
    model.start_from("four")
    model.move(query=0)
    model.reset()
    assert model.state == STATES["four"]


@pytest.mark.parametrize("name", PRESETS)
def test_code_gives_the_score_shown(name: str) -> None:
    model = TurningModel(name)
    model.move(both=31)
    scope: dict[str, Any] = {}
    exec(model.code(), scope)
    assert scope["score"] == pytest.approx(model.score)


# -- the controls -----------------------------------------------------------------------------------


def test_sliders_and_cells_say_one_thing() -> None:
    lab = TurningLab()
    lab.sliders["both"].box.value = "40"
    assert lab.view["moves"].ravel().tolist() == [5, 3, 40]
    content = {
        "do": "edit",
        "view": "v",
        "n": 1,
        "gesture": "v-1",
        "panel": "moves",
        "row": 1,
        "column": 0,
        "value": 4.0,
    }
    lab.view._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    assert lab.view.last_error is None
    assert lab.sliders["key"].box.value == "4"
    assert lab.view["score"][0, 0] == pytest.approx(np.cos(1))
    assert "☑" in lab._goal.value
    lab.buttons["undo"].click()
    assert lab.sliders["key"].box.value == "3"


def test_another_start_has_other_panels_and_the_menu_follows_what_is_shown() -> None:
    lab = TurningLab()
    assert "“move both by” first" in lab._hint.value
    lab._preset.value = "four"
    assert "“query at”" in lab._hint.value
    assert lab.view["turned"].shape == (2, 8)
    assert lab._picture.value.count("<svg") == 6  # four dials, the curve, and the curve for a phone
    lab.sliders["query"].box.value = "24"
    assert lab._preset.value == CHANGED
    lab.buttons["undo"].click()
    assert lab._preset.value == "four"


def test_what_is_typed_beside_the_range_gets_a_sentence() -> None:
    lab = TurningLab()
    lab.sliders["query"].box.value = "99"
    assert lab.sliders["query"].said.value == "query at can be 0 to 50: 99 became 50."
    lab.sliders["query"].box.value = "far"
    assert "“far” is not a number" in lab.sliders["query"].said.value and lab.model.state.query == 50


def test_the_picture_is_said_in_words_and_still() -> None:
    lab = TurningLab("back")
    assert "Query at 9, key at 3: distance 6, score 2.12." in picture(lab.model)
    assert lab.still_text() == MESSAGES["still text"].format(state=lab.model.said())


@pytest.mark.parametrize("name", PRESETS)
def test_the_still_picture_has_a_dial_for_each_pair_and_every_distance(name: str) -> None:
    lab = TurningLab(name)
    *faces, axes = lab.still_figure().axes
    assert [face.get_title() for face in faces] == [f"pair {i}" for i in range(len(lab.model.by_pair))]
    for i, face in enumerate(faces):
        tips = np.array([line.get_xydata()[-1] for line in face.lines if line.get_linestyle() != "None"])  # (2, 2)
        hands = lab.model.turned.reshape(2, -1, 2)[:, i]
        np.testing.assert_allclose(tips / np.linalg.norm(tips[1]), hands / np.linalg.norm(hands[1]), atol=1e-9)
    curve, here = axes.lines
    x, y = curve.get_data()
    assert (x[0], x[-1]) == (-FARTHEST, FARTHEST)
    np.testing.assert_allclose(y, lab.model.scores_at(x))
    assert here.get_xydata().ravel() == pytest.approx([lab.model.distance, lab.model.score])


def test_the_names_of_the_hands_stand_outside_the_dial_and_apart() -> None:
    model = TurningModel("again")
    for query in range(FARTHEST + 1):
        model.move(query=query)
        places = re.findall(r'<text class="" x="([\d.]+)" y="([\d.]+)"[^>]*>[qk]</text>', picture(model))
        middles = np.array(places, float) - [WIDE / 2, 15 + REACH + 4]  # (2, 2), from the middle of the dial
        assert np.linalg.norm(middles, axis=1).min() > HAND + 8
        assert np.linalg.norm(middles[0] - middles[1]) > 13
