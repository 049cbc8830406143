"""The head surgery lab: what the operation leaves, how the goal is reached, and what the page is told."""

from dataclasses import replace

import numpy as np
import pytest
from lab_hands import edit, select

from attention_lib import MultiHeadAttention
from attention_lib.lessons.multi_head_attention.head_surgery import (
    EXAMPLE,
    SENTENCES,
    HeadSurgeryLab,
    SurgeryState,
    averaged,
    goal,
    under_bars,
)
from attention_lib.lessons.multi_head_attention.made_up_heads import operate

PRESETS = HeadSurgeryLab().presets


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
    assert np.allclose(state.operated()[1].sum(axis=0), layer(X).output[row])
    assert np.allclose(state.gifts().sum(axis=0), layer(X).output[row])


def test_the_operation_takes_contributions_and_shares_maps() -> None:
    rng = np.random.default_rng(0)
    trace = MultiHeadAttention(*rng.normal(size=(4, 8, 8)), n_heads=4)(rng.normal(size=(5, 8)))
    weights, contributions = operate(trace, off=(1,))
    assert np.array_equal(weights, trace.heads.weights) and not contributions[1].any()
    assert np.allclose(contributions.sum(axis=0), trace.output - trace.contributions[1])
    weights, contributions = operate(trace, averaged=(0, 2))
    mean = trace.heads.weights[[0, 2]].mean(axis=0)  # (n, n)
    assert np.allclose(weights[[0, 2]], mean) and np.array_equal(weights[1], trace.heads.weights[1])
    assert np.allclose(contributions[2], mean @ trace.heads.V[2] @ trace.W_O[4:6])


def test_each_head_that_was_off_counts_alone_or_with_others() -> None:
    lab = barked()
    switch(lab, 1, 0)
    assert lab.goal.text.endswith("Still to switch off: 0, 2, 3.")
    assert lab.view["learned"].round(2).tolist() == [[0.49], [0.98], [0]]  # animal, doer, company
    assert lab.view._captions["head 1"] == "reads man 0.98\nbrings animal, company"
    for head in (0, 2, 3):
        assert "brings" not in lab.view._captions[f"head {head}"]
        switch(lab, head, 0)
    brought = [lab.view._captions[f"head {head}"].split("\n")[1] for head in range(4)]
    assert brought == ["brings animal, doer", "brings animal, company", "brings nothing", "brings nothing"]
    for head in (0, 1, 2):
        switch(lab, head, 1)
    assert lab.goal.text.startswith("Goal reached: “barked” can do without heads 2, 3.")
    select(lab, "head 0", 1)
    assert lab.goal.text == "“dog” receives nothing from any head. Click another word." and lab.state.tried == (3,)
    assert lab.view["learned"].round(2).tolist() == [[0], [0], [0]], "the rows of what its sentence is about"
    lab.start_again()
    assert lab.goal.text == "Which heads can “barked” do without? Switch off each head."
    assert goal(PRESETS["averaged"][1])[1].endswith("Switch off each head.")
    tower = SurgeryState("miniature_eiffel_tower", 2, tried=(0, 1, 2, 3))
    assert goal(tower)[1].startswith("Goal reached: “Tower” can do without heads 0, 1.")


def test_in_another_sentence_or_layer_everything_is_still_to_try() -> None:
    lab = barked()
    switch(lab, 1, 0)
    assert averaged(lab.state, True).tried == (1,) and averaged(replace(lab.state, off=()), True).tried == ()
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


def test_no_zero_under_the_bars_has_a_minus() -> None:
    assert under_bars(PRESETS["averaged"][1], [6, 7]).startswith("With all heads on: doer 0.00, company 0.00.")


def test_averaging_that_changes_nothing_says_so() -> None:
    lab = HeadSurgeryLab()
    for name, is_same in (("dog_barked", False), ("miniature_eiffel_tower", True)):
        lab.change(averaged(SurgeryState(name, EXAMPLE.sentences[name].row), True))
        gifts = [replace(lab.state, averaged=on).gifts().sum(axis=0) for on in (False, True)]
        assert np.allclose(*gifts) == is_same == ("changes nothing" in lab.view.panels["learned"].title)
