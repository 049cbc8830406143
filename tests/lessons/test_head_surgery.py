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


def test_each_head_that_was_off_counts_alone_or_with_others() -> None:
    lab = barked()
    switch(lab, 1, 0)
    assert lab.goal.text.endswith("Still to switch off: 0, 2, 3.")
    assert lab.view["learned"].round(2).tolist() == [[0.49], [0.98], [0]]  # animal, doer, company
    assert lab.view._captions["head 1"] == "reads man\u00a00.98\nbrings animal\u00a0−0.49, company\u00a0−0.98"
    for head in (0, 2, 3):
        assert "brings" not in lab.view._captions[f"head {head}"]
        switch(lab, head, 0)
    brought = [lab.view._captions[f"head {head}"].split("\n")[1] for head in range(4)]
    assert brought == [
        "brings animal\u00a00.49, doer\u00a00.98",
        "brings animal\u00a0−0.49, company\u00a0−0.98",
        "brings nothing",
        "brings nothing",
    ]
    for head in (0, 1, 2):
        switch(lab, head, 1)
    assert lab.goal.text.startswith("Goal reached: “barked” can do without heads 2, 3.")
    select(lab, "head 0", 1)
    assert lab.goal.text == "“dog” receives nothing from any head. Click another word." and lab.state.tried == (3,)
    assert lab.view["learned"].round(2).tolist() == [[0], [0], [0]], "the rows of what its sentence is about"
    lab.start_again()
    assert lab.goal.text == "Which heads can “barked” do without? Switch off each head."
    tower = SurgeryState("miniature_eiffel_tower", 2, tried=(0, 1, 2, 3))
    assert goal(tower)[1].startswith("Goal reached: “Tower” can do without heads 0, 1.")


def test_in_another_sentence_everything_is_still_to_try() -> None:
    lab = barked()
    switch(lab, 1, 0)
    lab._bound[0].widget.value = "miniature_eiffel_tower"
    assert lab.state.tried == () and lab.goal.text.endswith("Switch off each head.")


@pytest.mark.parametrize("control", ["sentence", "preset"])
def test_a_frame_goes_with_the_word_that_it_was_around(control: str) -> None:
    lab = HeadSurgeryLab()
    select(lab, "head 0", 1, 2)
    assert lab.view.selected is not None
    if control == "sentence":
        lab._bound[0].widget.value = "dog_barked"
    else:
        lab._starts.value = "made"
    assert lab.view.selected is None
