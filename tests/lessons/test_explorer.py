"""The explorer: its numbers are those of attention_lib, its goals can be reached, and odd input is refused."""

import numpy as np
import pytest
from lab_hands import edit, select

from attention_lib import self_attention
from attention_lib.examples.made_up_words import LARGEST, STEP
from attention_lib.lessons import Explorer
from attention_lib.lessons.self_attention.explorer import with_number, with_values, with_words
from attention_lib.lessons.self_attention.explorer_starts import ExplorerState, starts

PRESETS = list(Explorer().presets)


@pytest.mark.parametrize("name", PRESETS)
def test_every_step_is_that_of_attention_lib(name):
    lab = Explorer(name)
    assert not {"W_V", "V", "output row"} & set(lab.view.panels), "at first it shows how the weights come about"
    lab.act(lambda state: with_values(state, True))
    edit(lab, "W_K", 0, 1, 0.35)
    select(lab, "X", 1)
    X, W_Q, W_K, W_V = (lab.view[panel] for panel in ("X", "W_Q", "W_K", "W_V"))
    trace = self_attention(X, W_Q, W_K, W_V)
    shown = {"query": trace.Q[[1]], "K": trace.K, "V": trace.V, "output row": trace.output[[1]]}
    shown |= {"score": trace.scores[[1]].T, "scaled score": trace.scaled_scores[[1]].T, "weight": trace.weights[[1]].T}
    for panel, values in shown.items():
        assert np.array_equal(lab.view[panel], values), panel
    assert lab.view._highlight["X"] == [[1, None]]
    assert lab.view.panels["query"].title.startswith("query of ")


def test_the_goal_asks_for_all_three_sentences_and_each_has_its_bar_whichever_is_shown():
    def bars():
        return [f"{weight:.3f}" for weight in lab.view["three"][:, 0]]

    lab = Explorer("plain")
    assert "all three sentences. Change" in lab.goal.text and bars() == ["0.323"] * 3
    edit(lab, "W_Q", 3, 1, 1.0)  # 배 asks for body: good beside 고파서 alone
    assert bars() == ["0.586", "0.240", "0.240"]
    select(lab, "three", 2)
    assert lab.state.text == "어제 배 를 타고" and lab.view["W_Q"][3, 1] == 1 and bars() == ["0.586", "0.240", "0.240"]
    edit(lab, "W_Q", 3, 1, 0.0)
    edit(lab, "W_Q", 3, 3, -3.0)
    assert lab.goal.text == "Goal reached in all three sentences. Choose another word, or press More."
    lab.sentence.value = "배 배"
    assert "three" not in lab.view.panels, "no goal is asked of other words"
    for words in ("어제 배 를 타고", "어제 배 를 깎아서", "어제 배 가 고파서"):
        state = with_words(starts()["three_matrices"][1], words)
        weight = state.inputs.trace().weights[1, 3]
        assert state.is_reached and round(weight, 3) == 0.87


def test_eight_single_numbers_reach_the_goal():
    """The lesson names them: each keeps 배 from answering itself."""
    values = np.arange(-LARGEST, LARGEST + STEP / 2, 5 * STEP)
    start = starts()["plain"][1]
    found = set()
    for panel, i, j in ((panel, i, j) for panel in ("W_Q", "W_K") for i in range(4) for j in range(4)):
        at = ExplorerState(start.inputs, start.goal, (panel, i, j))
        if any(with_number(at, value).is_reached for value in values):
            found.add((panel, i, j))
    assert found == {("W_Q", i, 3) for i in range(4)} | {("W_K", 3, j) for j in range(4)}


@pytest.mark.parametrize(("name", "most"), [("plain", 1), ("paper", 1), ("bae", 7)])
def test_every_goal_can_be_reached(name, most):
    """By changing one number after the other, each time the best one."""
    state = starts()[name][1]
    cells = [(panel, i, j) for panel in ("W_Q", "W_K") for i in range(4) for j in range(4)]
    for _ in range(most):
        at_cells = [ExplorerState(state.inputs, state.goal, cell) for cell in cells]
        tried = [with_number(at, value) for at in at_cells for value in (-LARGEST, 0.0, LARGEST)]
        state = max(tried, key=lambda one: min(one.goal_weights().values()))
    assert state.is_reached


def test_the_slider_sets_the_chosen_number():
    lab = Explorer("plain")
    select(lab, "W_K", 3, 1)
    slider = lab.number_slider
    assert (slider.label, slider.value) == ("W_K, from open, to body", 0.0)
    slider.slider.value = slider.step_of(-0.5)
    assert lab.state.number == lab.view["W_K"][3, 1] == -0.5
    assert [with_number(lab.state, value).number for value in (9.0, -9.0, np.inf)] == [3.0, -3.0, 3.0]
    lab.act(lambda state: with_values(state, True))
    edit(lab, "W_V", 0, 2, 1.25)
    assert (slider.label, slider.box.value) == ("W_V, from food, to sea", "1.25")
    lab.act(lambda state: with_values(state, False))
    assert slider.label == "W_Q, from food, to food", "what is out of sight is not under the slider"
    lab.act(lambda state: with_words(with_values(state, True), "배 를 타고"))
    assert lab.view["W_V"][0, 2] == 1.25, "the matrix is as it was, and other words leave it in sight"


def test_own_words_are_words_whatever_they_are():
    lab = Explorer("plain")
    lab.sentence.value = "<b>x</b> 🍐 internationalism internationalist 배 배"
    assert lab.state.goal is None and len(set(lab.view.panels["X"].rows)) == 6
    assert "<b>" not in lab.goal.value.removeprefix("<b>")
    lab.sentence.value = "배 를 peeling"
    assert lab.state.goal is None and not np.array_equal(lab.view["X"][0], starts()["plain"][1].inputs.X[1])
    lab.sentence.value = "a b c d e f g h i j k l m"
    assert "up to 12" in lab.message.text
    lab.sentence.value = "배 가 고파서 치킨을"
    assert lab.goal.text.startswith("What does 배 look at?") and lab.state.goal is None
    lab.sentence.value = "어제 배 를 타고"
    assert lab.state.goal == (1, 3)
    lab.sentence.value = "배 배 배"
    assert lab.goal.text.startswith("What does 배 (0) look at? Now most at 배 (0), 배 (1), 배 (2): 0.333.")


def test_the_picture_moves_when_another_word_is_followed_and_at_no_other_choice():
    lab = Explorer("plain")
    select(lab, "X", 3)
    assert lab.view._moves
    select(lab, "W_K", 2, 1)
    assert not lab.view._moves
    select(lab, "weight", 0)
    edit(lab, "W_K", 2, 1, 1.35)
    assert not lab.view._moves, "what the hand drags follows it"


def test_a_word_that_is_followed_stays_under_undo_of_a_number_and_a_frame_never_points_elsewhere():
    lab = Explorer("plain")
    select(lab, "K", 3)
    assert lab.state.inputs.query == 3 and tuple(lab.view.selected) == ("K", 3, None)
    assert not lab.view._highlight["weight"] and "follows 고파서. The goal above is still about 배" in lab.line.text
    select(lab, "score", 1, 0)
    assert lab.state.inputs.query == 1 and lab.view._highlight["weight"] == [[3, None]] and not lab.line.text
    lab._starts.value = "bae"
    assert lab.view.selected is None and lab.state.goal == (2, 4)
