"""The explorer: first its plain model, then its controls, without a browser."""

import asyncio
import itertools
import math
import re
import time
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest

from attention_lib import load_example, self_attention
from attention_lib.examples.explorer_starts import Goal, from_words, starts
from attention_lib.examples.made_up_words import STEP, inputs_from_words
from attention_lib.labs.explorer import (
    FOLLOW_AFTER,
    FOLLOW_EVERY,
    HIGH,
    LABELS,
    LOW,
    MESSAGES,
    MOST_TOKENS,
    PRESETS,
    STEPS,
    Explorer,
    ExplorerModel,
)
from attention_lib.labs.explorer_words import Room, goal_line
from attention_lib.view.follow import Written
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID
from attention_lib.view.typed import MESSAGES as WORDS


def same_trace(a, b):
    return all(np.array_equal(x, y) for (_, x), (_, y) in zip(a.steps(), b.steps()))


# The model


def test_it_starts_as_the_worked_example():
    assert same_trace(ExplorerModel().trace, load_example("bae_hungry").trace())


@pytest.mark.parametrize("panel", ["W_Q", "W_K", "W_V"])
def test_an_edit_reaches_exactly_what_it_should(panel):
    model = ExplorerModel()
    start = model.trace
    model.edit(panel, 1, 2, 0.75)
    state = model.state.inputs
    assert getattr(state, panel)[1, 2] == 0.75
    assert same_trace(model.trace, self_attention(state.X, state.W_Q, state.W_K, state.W_V))
    moved = {name for name, array in model.trace.steps() if not np.allclose(array, getattr(start, name))}
    map_steps = {"scores", "scaled_scores", "masked_scores", "weights", "output"}
    assert moved == {"W_Q": {"Q"} | map_steps, "W_K": {"K"} | map_steps, "W_V": {"V", "output"}}[panel]


def test_values_are_held_to_their_range():
    model = ExplorerModel()
    model.edit("W_Q", 0, 0, 99)
    assert model.state.inputs.W_Q[0, 0] == HIGH


def test_undo_takes_back_one_gesture_at_a_time_and_ends():
    model = ExplorerModel()
    for value in (0.6, 0.7, 0.8):
        model.edit("W_Q", 0, 0, value, gesture="drag 1")
    model.edit("W_Q", 0, 0, 0.9, gesture="drag 2")
    assert model.undo()
    assert model.state.inputs.W_Q[0, 0] == 0.8
    assert model.undo()
    assert same_trace(model.trace, ExplorerModel().trace)
    assert not model.undo()


def test_the_same_gesture_after_an_undo_can_be_undone_again():
    model = ExplorerModel()
    model.edit("W_Q", 0, 0, 0.6, gesture="drag")
    model.undo()
    model.edit("W_Q", 0, 0, 0.7, gesture="drag")
    assert model.undo()
    assert model.state.inputs.W_Q[0, 0] == 0.5


def test_reset_and_other_sentences_lose_nothing():
    model = ExplorerModel()
    model.edit("W_K", 0, 0, 2.0)
    model.reset()
    assert same_trace(model.trace, ExplorerModel().trace)
    model.load(from_words(["a", "b", "c"]))
    model.edit("W_V", 0, 0, 1.0)
    for _ in range(3):
        model.undo()
    assert model.state.inputs.W_K[0, 0] == 2.0
    model.reset()  # to the start of this sentence, not of the other
    assert model.state.inputs.tokens == load_example("bae_hungry").tokens


def test_the_past_is_the_state_before_the_last_gesture_and_any_step_ends_it():
    model = ExplorerModel()
    assert not model.look_back(True)
    model.edit("W_Q", 0, 0, 1.0)
    assert model.look_back(True)
    assert model.state.inputs.W_Q[0, 0] == 0.5
    model.edit("W_Q", 1, 1, 1.0)  # an edit of what is, not of what was
    assert not model.looks_back
    assert model.state.inputs.W_Q[0, 0] == 1.0
    model.look_back(True)
    assert model.undo()
    assert (model.state.inputs.W_Q[0, 0], model.state.inputs.W_Q[1, 1]) == (1.0, ExplorerModel().state.inputs.W_Q[1, 1])
    model.load(from_words(["another", "sentence"]))
    assert not model.look_back(True)  # other tokens: nothing to compare


def test_what_changes_nothing_is_no_step():
    model = ExplorerModel()
    model.edit("W_Q", 0, 0, 0.5)
    model.reset()
    model.start_from("bae")
    assert not model.undo()


def test_the_goal_line_counts():
    assert ExplorerModel().goal_text() == (
        "Goal: make 배 give 고파서 at least 0.5. Now 0.122, number 7 of 8; the largest is 배, 0.131."
    )
    assert (
        ExplorerModel("plain")
        .goal_text()
        .startswith("Goal: make 배 give 고파서 at least 0.5. Now 0.323, number 2 of 4")
    )
    assert ExplorerModel("one_number").goal_text() == "Goal reached: 배 gives 고파서 0.586."
    assert ExplorerModel("three_matrices").goal_text() == "Goal reached: 배 gives 고파서 0.870."
    assert ExplorerModel("slow").goal_text() == "slow attends most to wins, 0.260."


def test_one_number_reaches_the_goal_and_fails_the_other_sentences():
    """Notebook 01 lets the reader find out."""
    model = ExplorerModel("plain")
    model.edit("W_Q", 3, 1, 1.0)
    assert same_trace(model.trace, starts()["one_number"].inputs.trace())
    for text in ("어제 배 를 타고", "어제 배 를 깎아서"):
        model.say(text)
        assert model.state.inputs.W_Q[3, 1] == 1.0  # the matrices stay
        assert "Goal: make 배 give" in model.goal_text() and "at least 0.5. Now 0.240" in model.goal_text()


def test_three_matrices_serve_all_three_sentences():
    model = ExplorerModel("three_matrices")
    for text in ("어제 배 를 타고", "어제 배 를 깎아서", "어제 배 가 고파서"):
        model.say(text)
        assert "0.870" in model.goal_text() and model.goal_text().startswith("Goal reached")


def reached_by_edits(name, most):
    """Edit one number after the other, each time the best one; say whether so many reach the goal."""
    model = ExplorerModel(name)
    cells = [(panel, i, j) for panel in ("W_Q", "W_K") for i in range(4) for j in range(4)]
    for _ in range(most):
        tried, past = {}, len(model._past)
        for cell in cells:
            for value in (LOW, LOW / 2, 0.0, HIGH / 2, HIGH):
                model.edit(*cell, value)
                tried[*cell, value] = model.trace.weights[model.state.goal]
                if len(model._past) > past:  # what changes nothing is no step
                    model.undo()
        model.edit(*max(tried, key=tried.get))
    return model.goal_text().startswith("Goal reached")


@pytest.mark.parametrize(("name", "most"), [("plain", 1), ("paper", 1), ("creature", 1), ("bae", 7)])
def test_every_goal_can_be_reached(name, most):
    assert reached_by_edits(name, most)


def test_words_with_readable_numbers_keep_them_only_among_themselves():
    model = ExplorerModel("plain")
    model.edit("W_K", 0, 0, -1.0)
    model.say("배 boat")
    assert model.state.goal is None and model.state.inputs.W_K[0, 0] != -1.0
    model.say("배 를 타고")
    assert np.array_equal(model.state.inputs.W_K, np.eye(4)) and model.state.goal == (0, 2)
    model.say("타고 배")
    assert model.state.goal is None  # nothing comes after 배


def test_the_arithmetic_is_that_of_the_chosen_row_and_key():
    model = ExplorerModel()
    model.choose(query=2, key=4)
    texts = []
    for model.step in range(len(STEPS)):
        texts.append(model.arithmetic())
    trace = model.trace
    assert f"= {trace.Q[2, 0]:.2f}<br>" in texts[0]
    assert texts[1].endswith(f"≈ {trace.scores[2, 4]:.3f}")
    assert texts[2].endswith(f"≈ {trace.scaled_scores[2, 4]:.3f}")
    assert texts[3].endswith(f"≈ {trace.weights[2, 4]:.3f}")
    assert f"≈ {trace.output[2, 0]:.3f}<br>" in texts[4]
    assert "0.36·0.13 + 0.25·0.17 + 0.23·0.13 + 0.26·0.22 ≈ 0.176" in texts[1]


@pytest.mark.parametrize("name", PRESETS)
def test_equal_is_written_where_what_is_written_is_equal(name):
    """Calculated with the decimals as they stand there; "≈" only where a number has more of them."""
    model, signs = ExplorerModel(name), []
    n, trace, inputs = len(model.tokens), model.trace, model.state.inputs
    for query, key, column in itertools.product(range(n), range(n), range(trace.Q.shape[1])):
        model.choose(query, key)
        model.column = column
        i, j, c = query, key, column
        used = {
            0: (inputs.X[i], inputs.W_Q[:, c], trace.Q[i, c]),
            1: (trace.Q[i], trace.K[j], trace.scores[i, j]),
            2: (trace.scores[i, j], trace.scaled_scores[i, j]),
            4: (trace.weights[i], trace.V[:, c], trace.output[i, c]),
        }
        for model.step, numbers in used.items():
            calculation = model.arithmetic().split("<br>")[1].replace("−", "-")
            left, sign, right = re.fullmatch(r"(.+) ([=≈]) (.+)", calculation).groups()
            exact = np.allclose(np.hstack(numbers), np.round(np.hstack(numbers), 3), rtol=0, atol=1e-9)
            assert sign == ("=" if exact else "≈"), calculation
            assert sign == "≈" or decimal(left) == decimal(right), calculation
            signs.append(sign)
    assert set(signs) <= {"=", "≈"} and "≈" in signs


def decimal(text):
    """What a sum of products, or a quotient, of written numbers is."""
    if " / " in text:
        return Decimal(text.split(" / ")[0]) / Decimal(text.split(" / ")[1])
    factors = ([Decimal(number) for number in product.split("·")] for product in text.split(" + "))
    return sum((math.prod(pair) for pair in factors), Decimal(0))


def test_code_gives_the_numbers_shown():
    model = ExplorerModel("paper")
    model.edit("W_Q", 3, 1, -0.15)
    scope = {}
    exec(model.code(), scope)
    assert same_trace(scope["trace"], model.trace)
    assert tuple(scope["tokens"]) == model.state.inputs.tokens


def test_no_zero_of_words_of_ones_own_has_a_minus():
    for word in "abcdefghijklmnopqrstuvwxyz":
        inputs = inputs_from_words([word, "dog"])
        assert not any((np.signbit(array) & (array == 0)).any() for array in inputs.arrays().values()), word


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_loads(name):
    state = starts()[name].inputs
    assert state.trace().weights.shape == (len(state.tokens),) * 2
    for W in (state.W_Q, state.W_K, state.W_V):
        assert np.abs(W).max() <= HIGH


@pytest.mark.parametrize(("name", "example"), [("cat", "cat_sat"), ("kv", "kv_cache_three_tokens")])
def test_examples_without_embeddings_keep_their_own_q_k_and_v(name, example):
    trace, inputs = starts()[name].inputs.trace(), load_example(example).inputs
    assert all(np.array_equal(getattr(trace, key), inputs[key]) for key in "QKV")


def test_own_sentence_depends_on_the_words_alone():
    one, other = from_words(["pear", "of", "pear"]).inputs, from_words(["pear"]).inputs
    assert np.array_equal(one.X[0], one.X[2])
    assert np.array_equal(one.X[0], other.X[0])
    assert not np.array_equal(one.X[0], one.X[1])


@pytest.mark.parametrize("text", ["", "   ", "\n\t"])
def test_an_empty_sentence_is_refused_in_words(text):
    with pytest.raises(ValueError, match=WORDS["no words"]):
        ExplorerModel().say(text)


def test_a_long_sentence_is_refused_with_its_length():
    with pytest.raises(ValueError, match=f"200 tokens; this lab shows up to {MOST_TOKENS}"):
        ExplorerModel().say("word " * 200)


def test_emoji_and_very_long_words_are_tokens_like_others():
    model = ExplorerModel()
    model.say("🍐 👩‍👩‍👧‍👦 " + "x" * 500)
    assert model.tokens[2] == "x" * 500
    assert "x" * 13 + "…" in model.arithmetic() + model.row_chart() and "x" * 15 not in model.row_chart()


def test_long_words_that_begin_alike_are_different_words_and_told_apart():
    lab = Explorer("plain")
    lab._sentence.value = "internationalism internationalist internationalism"
    X = lab.model.state.inputs.X
    assert np.array_equal(X[0], X[2]) and not np.array_equal(X[0], X[1])
    rows = lab.view.panels["weights"].rows
    assert len(set(rows)) == 3 and all(len(row) <= 14 for row in rows)
    assert lab._sentence.value == "internationalism internationalist internationalism"


@pytest.mark.parametrize("text", ["배 배 배", "배 배", "어제 배 가", "배 타고 타고"])
def test_no_goal_is_set_that_no_numbers_reach(text):
    model = ExplorerModel("plain")
    model.say(text)
    assert model.state.goal is None


# The controls


@pytest.fixture
def explorer(monkeypatch):
    """An explorer without a kernel: words and slider follow at once, also where a browser's driver runs a loop."""

    def no_loop():
        raise RuntimeError("no running event loop")

    monkeypatch.setattr(asyncio, "get_running_loop", no_loop)
    return Explorer()


def press(explorer, label):
    explorer.buttons[label].click()


def drag(explorer, value, gesture="g", row=0, column=0, panel="W_Q", n=1):
    content = {"do": "edit", "view": "t", "n": n, "gesture": gesture, "panel": panel, "row": row, "column": column}
    explorer.view._receive(explorer.view, {**content, "value": value}, [])


def click(explorer, panel, row, column=None):
    content = {"do": "select", "view": "t", "n": 1, "panel": panel, "row": row, "column": column}
    explorer.view._receive(explorer.view, content, [])


def steps(value):
    """The slider's position for a value: it counts whole steps."""
    return round((value - LOW) / STEP)


def shown_equals_model(explorer):
    trace, state = explorer.model.trace, explorer.model.state.inputs
    pairs = {"Q": trace.Q, "K": trace.K, "V": trace.V, "scores": trace.scores, "scaled scores": trace.scaled_scores}
    pairs |= {"weights": trace.weights, "output": trace.output, "X": state.X, "W_Q": state.W_Q}
    return all(np.array_equal(explorer.view[name], array) for name, array in pairs.items())


def test_an_edit_in_the_grid_moves_every_panel_and_the_slider(explorer):
    drag(explorer, 1.25, row=2, column=3)
    assert explorer.model.state.inputs.W_Q[2, 3] == 1.25
    assert shown_equals_model(explorer)
    assert explorer._value.box.value == "1.25"
    assert explorer._value.slider.value == steps(1.25)
    assert explorer._value.label == "W_Q, from 2, to 3"


def test_the_slider_edits_the_selected_cell(explorer):
    click(explorer, "W_K", 1, 2)
    assert float(explorer._value.box.value) == load_example("bae_hungry").inputs["W_K"][1, 2]
    explorer._value.slider.value = steps(-0.5)
    assert explorer.model.state.inputs.W_K[1, 2] == float(explorer._value.box.value) == -0.5
    explorer._value.box.value = "0.75"
    assert explorer.model.state.inputs.W_K[1, 2] == 0.75
    assert explorer._value.slider.value == steps(0.75)
    assert shown_equals_model(explorer)


@pytest.mark.parametrize("typed", ["", "abc", "배", "nan", "."])
def test_what_is_no_number_for_the_cell_gets_a_sentence_beside_the_box(explorer, typed):
    click(explorer, "W_K", 1, 2)
    before = explorer._value.box.value
    explorer._value.box.value = typed
    assert explorer._value.said.value.endswith(f"W_K, from 1, to 2 stays {before}.")
    assert explorer._value.box.value == before
    assert explorer.model.state.inputs.W_K[1, 2] == float(before)
    assert shown_equals_model(explorer)
    explorer._value.box.value = "−0,5"
    assert explorer._value.said.value == ""
    assert explorer.model.state.inputs.W_K[1, 2] == -0.5


@pytest.mark.parametrize("typed", ["4", "1e9", "1,000", "inf"])
def test_a_number_out_of_range_becomes_the_nearest(explorer, typed):
    click(explorer, "W_Q", 2, 2)
    explorer._value.box.value = typed
    explorer._follow_now()  # what follows a little later leaves the sentence alone
    assert explorer._value.said.value == f"W_Q, from 2, to 2 can be −3 to 3: {typed} became 3."
    assert explorer._value.box.value == "3"
    assert explorer.model.state.inputs.W_Q[2, 2] == 3
    press(explorer, "undo")
    assert explorer._value.said.value == ""


def test_selecting_a_cell_changes_nothing(explorer):
    before = explorer.model.state.inputs
    click(explorer, "W_V", 3, 3)
    click(explorer, "weights", 1, 6)
    assert explorer.model.trace.weights is not None
    assert np.array_equal(explorer.model.state.inputs.W_V, before.W_V)
    assert not explorer.model.undo()
    assert (explorer.model.query, explorer.model.key) == (1, 6)


def test_clicking_rows_chooses_query_and_key(explorer):
    click(explorer, "Q", 5)
    click(explorer, "K", 7)
    assert (explorer.model.query, explorer.model.key) == (5, 7)


def test_a_drag_of_the_slider_is_one_undo(explorer):
    click(explorer, "W_Q", 2, 2)
    for value in (0.6, 0.7, 0.8):
        explorer._value.slider.value = steps(value)
    press(explorer, "undo")
    assert explorer.model.state.inputs.W_Q[2, 2] == ExplorerModel().state.inputs.W_Q[2, 2]
    press(explorer, "undo")
    assert explorer._message.value == SAID["nothing to undo"]


def test_own_sentence_and_a_bad_one(explorer):
    explorer._sentence.value = "나는 너를 본다"
    assert explorer.model.state.inputs.tokens == ("나는", "너를", "본다")
    assert explorer.view["weights"].shape == (3, 3)
    shown = explorer.view["weights"]
    explorer._sentence.value = "a " * 200
    assert "200 tokens" in explorer._message.value
    assert np.array_equal(explorer.view["weights"], shown)


def test_presets_and_undo_across_sentences(explorer):
    drag(explorer, 2.0)
    explorer._preset.value = "slow"
    assert explorer.view["weights"].shape == (6, 6)
    press(explorer, "undo")
    assert explorer.model.state.inputs.W_Q[0, 0] == 2.0
    assert explorer.view["weights"].shape == (8, 8)
    assert shown_equals_model(explorer)


def test_show_before_and_back(explorer):
    explorer._before.value = True
    assert explorer._message.value == MESSAGES["no_before"]
    assert not explorer._before.value
    drag(explorer, 2.0)
    explorer._before.value = True
    assert explorer.view["W_Q"][0, 0] == 0.5
    explorer._before.value = False
    assert shown_equals_model(explorer)
    explorer._before.value = True
    drag(explorer, 1.0, gesture="next")  # an edit leaves the comparison
    assert not explorer._before.value
    assert shown_equals_model(explorer)


def test_the_past_is_shown_whole_and_the_button_goes_with_it(explorer):
    before = (explorer._goal.said.value, explorer._arithmetic.value, explorer._row.value)
    click(explorer, "W_Q", 0, 0)
    explorer._value.box.value = "-2"
    after = (explorer._goal.said.value, explorer._arithmetic.value, explorer._row.value)
    assert all(now != past for now, past in zip(after, before))
    explorer._before.value = True
    assert (explorer._goal.said.value, explorer._arithmetic.value, explorer._row.value) == before
    assert explorer._value.box.value == "0.5" and explorer._message.value == MESSAGES["before"]
    for back in ("undo", "reset"):
        explorer._before.value = True
        press(explorer, back)
        assert not explorer._before.value


def test_a_preset_that_is_changed_is_no_preset(explorer):
    assert explorer._preset.value == "bae"
    click(explorer, "weights", 1, 2)  # only looking
    assert explorer._preset.value == "bae"
    drag(explorer, 1.0)
    assert explorer._preset.value == CHANGED
    press(explorer, "undo")
    assert explorer._preset.value == "bae"


def test_it_opens_with_no_number_chosen(explorer):
    """Else a number that reaches the goal may lie under the slider."""
    assert explorer.view.selected is None
    assert explorer._value.slider.disabled and explorer._value.label == LABELS["no cell"]
    before = explorer.model.state
    explorer._value.slider.value = 3
    assert explorer.model.state is before
    click(explorer, "W_K", 1, 1)
    assert not explorer._value.slider.disabled


def test_a_flat_map_opens_stretched_and_a_wide_one_does_not(explorer):
    assert explorer.view._stretched == ["weights"]
    assert Explorer("cat").view._stretched == []


def test_a_map_stretched_for_being_narrow_goes_back_where_it_is_wide_again(explorer):
    explorer._preset.value = "plain"
    assert explorer.view._stretched == []
    explorer._preset.value = "bae"
    assert explorer.view._stretched == ["weights"]
    explorer._sentence.value = "어제 배 가 고파서"
    assert explorer.view._stretched == []
    press(explorer, "undo")
    assert explorer.view._stretched == ["weights"]
    explorer._preset.value = "one_number"  # other numbers of the words that were typed
    assert explorer.view._stretched == []


@pytest.mark.parametrize(("starts", "on"), [(("plain", "bae", "one_number"), True), (("bae", "plain", "bae"), False)])
def test_colours_that_the_reader_has_set_stay(starts, on):
    lab = Explorer(starts[0])
    lab.view._receive(None, {"do": "stretch", "panel": "weights", "on": on}, None)
    for start in starts[1:]:
        lab._preset.value = start
        assert lab.view._stretched == ["weights"] * on, start


def test_the_box_of_own_words_never_differs_from_the_words_shown(explorer):
    explorer._sentence.value = "  나는   너를 본다 "
    assert explorer._sentence.value == "나는 너를 본다"
    drag(explorer, 1.0)
    assert explorer._sentence.value == "나는 너를 본다"
    explorer._preset.value = "slow"
    assert explorer._sentence.value == ""
    press(explorer, "undo")
    assert explorer._sentence.value == "나는 너를 본다"
    explorer._sentence.value = "a " * 200  # refused: it stands there until the next act
    click(explorer, "weights", 0, 1)
    assert explorer._sentence.value == "나는 너를 본다"


def test_the_slider_says_the_names_that_the_matrix_shows():
    lab = Explorer("plain")
    click(lab, "W_Q", 3, 1)
    assert lab._value.label == "W_Q, from asks, to body"


@pytest.mark.parametrize("name", PRESETS)
def test_the_arithmetic_follows_the_column_that_is_chosen(name):
    lab = Explorer(name)
    trace, i = lab.model.trace, lab.model.query
    assert trace.Q.shape[1] == trace.V.shape[1], "one column of both is chosen"
    for step, (panel, column, result) in enumerate([("W_Q", 1, trace.Q), *[("weights", 2, None)] * 3, ("V", 1, None)]):
        lab.model.step = step
        click(lab, panel, i if panel == "weights" else 0, column)
        if result is not None:
            assert f"column {(lab.model.columns or '0123')[1]} of W_Q" in lab._arithmetic.value
            assert f" = {Written({'Q': result}).short('Q', i, 1)}<br>" in lab._arithmetic.value
    assert f" ≈ {Written({'': trace.output}).short('', i, 1)}<br>" in lab._arithmetic.value
    click(lab, "output", i, 0)
    assert f"column {(lab.model.columns or '0123')[0]} of V" in lab._arithmetic.value
    click(lab, "X", i, 1)
    assert lab.model.column == 0, "a column of X is no column of Q"
    click(lab, "output", i)
    assert lab.model.column == 0, "a row has none"
    click(lab, "W_K", 0, trace.Q.shape[1] - 1)
    lab._sentence.value = "other words"
    assert lab.model.column == trace.Q.shape[1] - 1, "as the number under the slider"
    lab._preset.value = "kv"  # of two columns
    assert lab.model.column == (1 if name == "kv" else 0)


def test_show_before_outlines_what_the_change_moved_however_soon_it_is_pressed():
    lab = Explorer("plain")
    click(lab, "W_Q", 0, 1)
    lab._value.box.value = "1"
    now = {name: lab.view[name] for name in lab.view.panels}
    ends = np.cumsum([values.size for values in now.values()])
    for pressed in (True, False):
        lab._before.value = pressed
        if pressed:
            differ = now["weights"].round(3) != lab.view["weights"].round(3)
        cells = dict(zip(now, np.split(np.frombuffer(lab.view._changed, np.uint8), ends[:-1]), strict=True))
        assert cells["weights"].tolist() == differ.ravel().tolist() and differ.any()
        assert cells["W_Q"].sum() == 1 and not cells["X"].any()


def test_what_is_said_of_the_matrices_of_an_own_sentence_is_true():
    lab = Explorer("one_number")
    had = lab.model.state.inputs.W_Q
    lab._sentence.value = "어제 배 를 타고"
    assert lab._message.value == MESSAGES["kept"] and np.array_equal(lab.model.state.inputs.W_Q, had)
    lab._sentence.value = "어제 배 을 타고"
    assert lab._message.value == MESSAGES["own"]
    lab._sentence.value = "어제 배 를 타고"
    assert lab._message.value == MESSAGES["anew"]
    inputs = lab.model.state.inputs
    assert all(np.array_equal(matrix @ inputs.X.T, inputs.X.T) for matrix in (inputs.W_Q, inputs.W_K, inputs.W_V))


def test_words_that_occur_twice_are_told_apart_in_every_line():
    lab = Explorer()
    lab._sentence.value = "the cat the"
    click(lab, "weights", 2, 0)
    assert lab._goal.said.value.startswith("<b>the (2) attends")
    assert lab.view.panels["weights"].rows == ["the (0)", "cat", "the (2)"]
    assert "what the (2) takes" in lab._row.value and "query of <b>the (2)</b>" in lab._arithmetic.value


@pytest.mark.parametrize(
    ("weights", "goal", "none"),
    [
        ([0.5, 0.3, 0.2, 0.0], "number 2 of 4; the largest is a, 0.500.", "a attends most to a, 0.500."),
        (
            [0.4, 0.2, 0.4, 0.0],
            "number 3 of 4; the largest are a, c, 0.400 each.",
            "a attends most to a, c, 0.400 each.",
        ),
        (
            [0.3, 0.3, 0.3, 0.1],
            "number 1 of 4; 3 words share the largest, 0.300.",
            "a attends most to 3 words alike, 0.300 each.",
        ),
        ([0.25] * 4, "number 1 of 4; all 4 are alike.", "a attends to all 4 words alike, 0.250 each."),
    ],
)
def test_all_words_that_share_the_largest_weight_are_said(weights, goal, none):
    names = ["a", "b", "c", "d"]
    shown = {"weights": np.array([weights])}
    for end, said in ((Goal(0, 1), goal), (None, none)):
        model = SimpleNamespace(state=SimpleNamespace(goal=end), query=0)
        line = goal_line(model, Written(shown), names)
        assert line.endswith(said)
        assert len(goal_line(model, Room(shown), names)) >= len(line)
        last_bits = {"weights": shown["weights"] * (1 + np.array([[0, 1, -1, 2]]) * 1e-16)}
        assert goal_line(model, Written(last_bits), names) == line


def test_the_chosen_row_stands_as_bars(explorer):
    click(explorer, "weights", 2, 4)
    weights = explorer.model.trace.weights[2]
    widths = [float(width) for width in re.findall(r"--long: ([\d.]+)'", explorer._row.value)]
    assert np.allclose(widths, weights / weights.max(), atol=1e-4)
    assert "<span class='strong'>고파서</span>" in explorer._row.value


def test_code_is_shown_when_asked_and_follows(explorer):
    explorer._code.switch.value = True
    drag(explorer, 1.5)
    assert explorer._code.area.value == explorer.model.code()


def test_a_tag_in_a_sentence_stays_text(explorer):
    explorer._sentence.value = "<b>x</b> <script>y</script>"
    assert "<script>" not in explorer._goal.said.value
    for explorer.model.step in range(len(STEPS)):
        explorer._refresh()
        assert "<script>" not in explorer._arithmetic.value
        assert "<b>x</b>" not in explorer._arithmetic.value


def test_a_hundred_fast_edits_keep_one_picture_and_every_undo(explorer):
    for n in range(100):
        drag(explorer, n / 50, gesture=f"g{n}", n=n)
    assert shown_equals_model(explorer)
    for _ in range(100):
        assert explorer.model.undo()
    assert not explorer.model.undo()


def test_it_has_a_still_picture_and_says_what_it_shows(explorer):
    data, metadata = explorer._repr_mimebundle_()
    assert data["text/plain"] == (
        "Explorer. Goal: make 배 give 고파서 at least 0.5. Now 0.122, number 7 of 8; the largest is 배, 0.131."
    )
    assert data["image/png"]
    assert "배 attends most to 배, 0.131" in metadata["image/png"]["alt"]


def test_in_a_drag_words_and_slider_follow_after_the_picture_and_not_at_every_step(explorer, monkeypatch):
    waiting = []
    loop = SimpleNamespace(call_later=lambda seconds, call: waiting.append((seconds, call)))
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: loop)
    clock = SimpleNamespace(now=time.monotonic() + 10)
    monkeypatch.setattr(time, "monotonic", lambda: clock.now)
    drag(explorer, 0.5)
    drag(explorer, 0.6, n=2)
    assert [seconds for seconds, _ in waiting] == [FOLLOW_AFTER]  # one for both
    assert explorer._value.box.value != "0.6"
    waiting.pop()[1]()
    assert explorer._value.box.value == "0.6"
    clock.now += 0.02
    drag(explorer, 0.7, n=3)
    assert waiting[0][0] == pytest.approx(FOLLOW_EVERY - 0.02)


@pytest.mark.parametrize("preset", PRESETS)
def test_the_goal_has_its_room_before_and_after_it_is_reached(preset: str) -> None:
    lab = Explorer(preset)
    lab._follow_now()
    room = lab._goal.room.value
    assert len(room) >= len(lab._goal.said.value)
    if lab.model.state.goal is not None:
        assert "Goal: make" in room, "the longer of both"
