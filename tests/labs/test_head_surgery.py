"""The head surgery lab: what the operation leaves, how the goal is reached, and what the page is told."""

from itertools import count
from typing import Any

import numpy as np
import pytest

from attention_lib import MultiHeadAttention
from attention_lib.labs.head_surgery import CUTS, EXAMPLE, SENTENCES, HeadSurgeryLab, SurgeryState, goal, summary
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
@pytest.mark.parametrize("n_heads", CUTS)
def test_with_all_heads_on_the_word_learns_the_output_of_the_layer(name: str, n_heads: int) -> None:
    X, row = EXAMPLE.sentences[name].X, EXAMPLE.sentences[name].row
    layer = MultiHeadAttention(EXAMPLE.W_Q, EXAMPLE.W_K, EXAMPLE.W_V, EXAMPLE.W_O, n_heads)
    state = SurgeryState(name, row, n_heads)
    assert np.allclose(state.operated().delta, layer(X).output)
    assert np.allclose(state.gifts().sum(axis=0), layer(X).output[row])


def test_the_operation_takes_contributions_and_shares_maps() -> None:
    rng = np.random.default_rng(0)
    trace = MultiHeadAttention(*rng.normal(size=(4, 8, 8)), n_heads=4)(rng.normal(size=(5, 8)))
    off = operate(trace, trace.W_O, off=(1,))
    assert np.allclose(off.delta, trace.output - trace.contributions[1]) and not off.contributions[1].any()
    shared = operate(trace, trace.W_O, averaged=(0, 2))
    mean = trace.heads.weights[[0, 2]].mean(axis=0)  # (n, n)
    assert np.allclose(shared.weights[[0, 2]], mean) and np.array_equal(shared.weights[1], trace.heads.weights[1])
    assert np.allclose(shared.contributions[2], mean @ trace.heads.V[2] @ trace.W_O[4:6])


def test_presets_say_what_the_run_sheet_says() -> None:
    said = {name: summary(state) for name, (_label, state) in PRESETS.items()}
    assert said["made"] == said["idle"] == "“barked” learns: doer 0.98, company −0.98."
    assert said["one_off"] == "“barked” learns: doer 0.98." and said["averaged"] == "“barked” learns: nothing."
    assert said["needed"] == "“Tower” learns: asks 0.17, size −2.00."


def test_each_head_off_alone_reaches_the_goal() -> None:
    lab = HeadSurgeryLab()
    switch(lab, 1, 0)
    assert lab.goal.text.endswith("1 of 4 tried, one at a time.") and lab.view["learned"].round(2).tolist() == [
        [0.98],
        [0],
    ]
    assert lab.view._captions["head 1"] == "reads man 0.98\ngives company −0.98"
    switch(lab, 0, 0)
    assert "only one at a time" in lab.goal.text and lab.state.tried == ((5, 1),), "two are off"
    switch(lab, 1, 1)
    for before, head in ((0, 2), (2, 3)):
        switch(lab, before, 1)
        switch(lab, head, 0)
    assert lab.goal.text.startswith("Goal reached: “barked” can do without heads 2, 3.")
    play(lab, "select", "head 0", row=1, column=None)
    assert "“dog”" in lab.goal.text and "1 of 4" in lab.goal.text
    lab.start_again()
    assert lab.goal.text == "Which heads can “barked” do without? Switch one off."
    assert goal(PRESETS["wide"][1]).endswith("Switch one off.")


@pytest.mark.parametrize("is_open", [False, True])
@pytest.mark.parametrize("preset", PRESETS)
def test_the_chain_gives_what_python_gives(preset: str, is_open: bool) -> None:
    lab = HeadSurgeryLab()
    lab._more.value = is_open
    lab.change(PRESETS[preset][1])
    chain, given = lab.chain(lab.state)
    known = {name: lab.view[name].astype(float) for name in lab.view.panels} | {
        k: np.array(v) for k, v in given.items()
    }
    steps = {"times": np.multiply, "add": np.add, "matmul": np.matmul, "transpose": np.transpose}
    for result, operation, operands in chain:
        known[result] = steps[operation](*(known[str(name)] for name in operands))
    assert np.allclose(known["learned"], lab.view["learned"]) and lab.view["learned"].shape[0] == (
        8 if is_open else len(given["shown"])
    )


def test_a_number_of_W_O_follows_cell_slider_and_refuses_what_is_none() -> None:
    lab = HeadSurgeryLab()
    lab._more.value = True
    assert play(lab, "select", "W_O", 2, 7) == "" and lab.weight.label == "W_O, head 1 · 0, company"
    lab.weight.box.value = "-0.5"
    assert lab.view["W_O"][2, 7] == -0.5 and lab.view["learned"][7, -1] == pytest.approx(0.49, abs=0.01)
    for text in ("", "1e400", "nan", "배", "word " * 100):
        lab.weight.box.value = text
        assert lab.weight.said.text and lab.state.W_O[2, 7] in (-0.5, 2.0), text
    before = lab.state
    assert "not a number" in play(lab, "edit", "W_O", 0, 0, value=float("nan")) and lab.state is before
    assert EXAMPLE.W_O[2, 7] == 1, "the example stays as it is"
