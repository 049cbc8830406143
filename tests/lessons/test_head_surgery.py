"""The head surgery lab: what a word receives, how the goal is reached, and what the page is told."""

import numpy as np
import pytest
from lab_hands import edit, select

from attention_lib import MultiHeadAttention
from attention_lib.lessons.multi_head_attention.head_surgery import (
    EXAMPLE,
    SENTENCES,
    HeadSurgeryLab,
    SurgeryState,
    goal,
)


def barked() -> HeadSurgeryLab:
    lab = HeadSurgeryLab()
    lab._starts.value = "made"
    return lab


def switch(lab: HeadSurgeryLab, head: int, on: int) -> None:
    edit(lab, f"switch {head}", 0, 0, on)


@pytest.mark.parametrize("name", SENTENCES)
def test_with_all_heads_on_the_word_receives_the_output_of_the_layer(name: str) -> None:
    X, row = EXAMPLE.sentences[name].X, EXAMPLE.sentences[name].row
    layer = MultiHeadAttention(EXAMPLE.W_Q, EXAMPLE.W_K, EXAMPLE.W_V, EXAMPLE.W_O, n_heads=4)
    state = SurgeryState(name, row)
    assert np.allclose(state.gifts().sum(axis=0), layer(X).output[row])


def test_a_guess_comes_first_is_answered_by_the_switch_and_can_be_skipped() -> None:
    lab = HeadSurgeryLab()
    shown = [answer.layout.display for answer in lab.answers]
    assert shown == [""] * 3 and lab.goal.text.startswith("How many bars will change without head 1? Guess")
    lab.answers[1].click()
    assert lab.answers[0].layout.display == "none" and lab.goal.text == "Your guess is “one”. Now switch off head 1."
    switch(lab, 1, 0)
    assert lab.goal.text == "✗ Not “one”: head 1 passes on animal, which is 0 here. And the others?"
    lab._starts.value = "made"
    lab.answers[2].click()
    switch(lab, 1, 0)
    assert lab.goal.text.startswith("Right: company goes, and the two animals no longer cancel.")
    lab.start_again()
    switch(lab, 2, 0)
    assert lab.answers[0].layout.display == "none" and lab.goal.text.startswith("No bar has changed.")


@pytest.mark.parametrize("name", SENTENCES)
def test_what_the_answers_say_of_head_1_holds_for_every_word(name: str) -> None:
    sentence = EXAMPLE.sentences[name]
    for row, word in enumerate(sentence.tokens):
        animal, _doer, company = abs(SurgeryState(name, row).gifts()[1, [3, 6, 7]]).round(2)
        assert (animal, company) == ((0.49, 0.98) if word == "barked" else (0, 0))
    assert sentence.query == "barked" or not sentence.X[:, 3].any()


def test_the_goal_is_to_switch_off_just_what_the_word_can_do_without() -> None:
    lab = barked()
    switch(lab, 1, 0)
    assert lab.goal.text.startswith("“barked” needs head 1: a bar has changed.")
    assert lab.view["learned"].round(2).tolist() == [[0.49], [0.98], [0]]  # animal, doer, company
    assert lab.view._captions["head 1"] == "reads man\u00a00.98\nbrings animal\u00a0−0.49, company\u00a0−0.98"
    switch(lab, 1, 1)
    assert lab.view._captions["head 1"] == "reads man\u00a00.98"
    for head in (2, 3):
        switch(lab, head, 0)
    assert goal(lab.state) == (True, "Goal reached: “barked” can do without heads 2, 3. Try another sentence.")
    switch(lab, 0, 0)
    assert not goal(lab.state)[0], "one too many"
    select(lab, "head 0", 1)
    assert lab.goal.text == "“dog” receives nothing from any head. Click another word." and lab.state.off == ()
    assert lab.view["learned"].tolist() == [[0], [0], [0]], "the bars of its sentence"
    assert lab.view.selected is None, "the marked row says which word is followed"
    lab._bound[0].widget.value = "miniature_eiffel_tower"
    assert lab.state == SurgeryState("miniature_eiffel_tower", 2)
    assert goal(SurgeryState("miniature_eiffel_tower", 2, off=(0, 1)))[0]
