"""The head surgery lab: what the operation leaves, how the goal is reached, and what the page is told."""

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from attention_lib import MultiHeadAttention, _kept
from attention_lib.lessons.multi_head_attention.head_surgery import (
    EXAMPLE,
    SENTENCES,
    HeadSurgeryLab,
    SurgeryState,
    goal,
    listed,
)
from attention_lib.lessons.multi_head_attention.made_up_heads import operate

PRESETS = HeadSurgeryLab().presets
counter = count(1)


def play(lab: HeadSurgeryLab, do: str, panel: str, row: int = 0, column: int | None = 0, **more: Any) -> str:
    """Play the message that a browser sends; return the refusal, if it is one."""
    cell = {"do": do, "view": "v", "n": next(counter), "panel": panel, "row": row, "column": column}
    lab.view._receive(lab.view, cell | {"gesture": f"v-{cell['n']}"} | more, [])
    return str(lab.view.last_error or "")


def switch(lab: HeadSurgeryLab, head: int, on: int) -> None:
    assert play(lab, "edit", f"switch {head}", value=on) == ""


@pytest.mark.parametrize("name", SENTENCES)
def test_with_all_heads_on_the_word_learns_the_output_of_the_layer(name: str) -> None:
    X, row = EXAMPLE.sentences[name].X, EXAMPLE.sentences[name].row
    layer = MultiHeadAttention(EXAMPLE.W_Q, EXAMPLE.W_K, EXAMPLE.W_V, EXAMPLE.W_O, n_heads=4)
    state = SurgeryState(name, row)
    assert np.allclose(state.learned(), layer(X).output[row])
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


def test_presets_say_what_the_run_sheet_says() -> None:
    learned = {name: listed(state.learned()) for name, (_label, state) in PRESETS.items()}
    assert learned["made"] == learned["idle"] == "doer 0.98, company −0.98"
    assert learned["one_off"] == "doer 0.98" and learned["averaged"] == "nothing"
    assert learned["needed"] == "asks 0.17, size −2.00"


def test_heads_tried_that_an_older_version_saved_are_passed_over(monkeypatch: Any, tmp_path: Any) -> None:
    monkeypatch.setenv("ATTENTION_PROGRESS", str(tmp_path))
    monkeypatch.setattr(_kept, "_in_a_kernel", lambda: True)
    _kept.save_state("HeadSurgeryLab", replace(SurgeryState(), off=(1,), tried=((5, 1), (5, 2))))
    lab = HeadSurgeryLab()
    lab._offer.children[1].click()
    assert lab.state.off == (1,) and lab.goal.text.endswith("Switch one off.")
    switch(lab, 1, 1)
    switch(lab, 2, 0)
    assert lab.state.heads_tried() == [2] and "1 of 4 tried alone" in lab.goal.text


def test_each_head_off_alone_reaches_the_goal() -> None:
    lab = HeadSurgeryLab()
    switch(lab, 1, 0)
    assert lab.goal.text.endswith("1 of 4 tried alone. Still to try: heads 0, 2, 3.")
    assert lab.view["learned"].round(2).tolist() == [
        [0.98],
        [0],
    ]
    assert lab.view._captions["head 1"] == "reads man 0.98\nwhen on: company −0.98"
    switch(lab, 0, 0)
    assert "only one at a time" in lab.goal.text and lab.state.heads_tried() == [1], "two are off"
    switch(lab, 1, 1)
    for before, head in ((0, 2), (2, 3)):
        switch(lab, before, 1)
        switch(lab, head, 0)
    assert lab.goal.text.startswith("Goal reached: “barked” can do without heads 2, 3.")
    play(lab, "select", "head 0", row=1, column=None)
    assert "“dog”" in lab.goal.text and "1 of 4" in lab.goal.text
    lab.start_again()
    assert lab.goal.text == "Which heads can “barked” do without? Switch one off."
    assert goal(PRESETS["averaged"][1]).endswith("Switch one off.")


def test_what_was_tried_in_a_sentence_is_remembered_there() -> None:
    lab = HeadSurgeryLab()
    sentence = lab._bound[0].widget
    switch(lab, 1, 0)
    sentence.value = "miniature_eiffel_tower"
    assert lab.state.heads_tried() == [] and lab.goal.text.endswith("Switch one off.")
    sentence.value = "dog_barked"
    assert lab.state.heads_tried() == [1] and not lab.state.off
    lab.act(lambda state: replace(state, averaged=True))
    assert lab.state.heads_tried() == [], "with averaged heads it is another layer"


@pytest.mark.parametrize("control", ["sentence", "preset"])
def test_a_frame_goes_with_the_word_that_it_was_around(control: str) -> None:
    lab = HeadSurgeryLab()
    play(lab, "select", "head 0", row=1, column=2)
    assert lab.view.selected is not None
    if control == "sentence":
        lab._bound[0].widget.value = "miniature_eiffel_tower"
    else:
        lab._starts.value = "needed"
    assert lab.view.selected is None


@pytest.mark.parametrize("preset", PRESETS)
def test_the_chain_gives_what_python_gives(preset: str) -> None:
    lab = HeadSurgeryLab()
    lab.change(PRESETS[preset][1])
    chain, given = lab.chain(lab.state)
    known = {name: lab.view[name].astype(float) for name in lab.view.panels} | given
    expected = known.pop("learned")
    steps = {"times": np.multiply, "add": np.add}
    for result, operation, *operands in chain:
        known[result] = steps[operation](*(known[str(name)] for name in operands))
    assert np.allclose(known["learned"], expected)
