"""How far a mask reaches through several layers, and the mask workbench: its panels, its four tasks, its starts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from lab_hands import edit

from attention_lib import causal_mask, self_attention, sliding_window_mask
from attention_lib.lessons.masking.mask_workbench import DEAD, FLIPPED, LATER, LAYERS, MaskWorkbench
from attention_lib.lessons.masking.reach import layers_needed


def walk(mask, start, n_layers):
    """The tokens that `start` has heard of: step from token to token, once a layer."""
    here = {start}
    for _ in range(n_layers):
        here = {key for token in here for key in range(len(mask)) if mask[token][key]}
    return here


@given(arrays(bool, st.integers(1, 5).map(lambda n: (n, n))), st.integers(1, 4))
def test_layers_needed_is_the_first_layer_that_reaches(mask, n_layers):
    needed = layers_needed(mask, n_layers)
    for row, column in np.ndindex(mask.shape):
        reached = [layer for layer in range(1, n_layers + 1) if column in walk(mask, row, layer)]
        assert needed[row, column] == (reached[0] if reached else 0)


TOKENS = ["the", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]
N = len(TOKENS)
X = np.random.default_rng(0).integers(-2, 3, (N, 4))
W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 4, 4)).round(1)


@pytest.fixture
def lab():
    return MaskWorkbench(TOKENS, X, W_Q, W_K, W_V)


def click(lab, row, column):
    edit(lab, "mask", row, column, not lab.view["mask"][row, column])


def test_the_weights_are_those_of_the_library_under_any_mask(lab):
    rng = np.random.default_rng(2)
    for _ in range(20):
        click(lab, *map(int, rng.integers(0, N, 2)))
        trace = self_attention(X, W_Q, W_K, W_V, lab.state.mask)
        np.testing.assert_array_equal(lab.view["weights"], trace.weights)
    assert list(lab.view.panels) == ["mask", "weights"]


def test_a_guess_is_answered_by_the_click_and_can_be_skipped(lab):
    assert lab.state.task == LATER and [answer.layout.display for answer in lab.answers] == [""] * 3
    before = lab.view["weights"]
    lab.answers[2].click()
    assert lab.goal.text == "Your guess is “its column”. Now click an × in the mask."
    click(lab, 2, 3)
    changed = (lab.view["weights"] != before)[:, :4]
    assert changed[2].all() and not np.delete(changed, 2, axis=0).any()
    assert lab.goal.text == "✗ Not “its column”: its whole row, because each row has a softmax of its own."
    assert lab.next.layout.display == "" and "is-reached" not in lab.goal._dom_classes
    lab.start_again()
    lab.answers[1].click()
    click(lab, 2, 3)
    assert lab.goal.text.startswith("Right: its whole row") and "is-reached" in lab.goal._dom_classes
    lab.start_again()
    click(lab, 2, 3)
    assert lab.goal.text.startswith("Answer: its whole row") and lab.answers[0].layout.display == "none"
    assert lab.view._highlight["weights"] == [[2, None]]


@pytest.mark.parametrize(("task", "names"), [(FLIPPED, ["the first", "the last", "every one"]), (LAYERS, [""] * 3)])
def test_each_task_has_guesses_of_its_own(lab, task, names):
    lab.answers[0].click()
    lab.task.value = task
    assert [answer.description for answer in lab.answers] == names and lab.state.guess is None


def test_task_2_is_reached_by_flipping_and_kills_the_last_row(lab):
    lab.task.value = FLIPPED
    assert lab.goal.text.endswith("Guess, then flip all.") and lab.flip.layout.display == ""
    click(lab, 0, 0)
    assert not lab.goal.text.startswith("Answer"), "another dead row is not what was asked for"
    lab.undo()
    lab.flip.click()
    assert lab.goal.text.startswith("Answer: “forest” was allowed to read every word")
    assert (lab.view["weights"][7] == 0).all() and lab.view._highlight["weights"] == [[7, None]]
    lab.flip.click()
    assert not lab.goal.text.startswith("Answer")


def test_task_3_needs_four_layers_or_one_click(lab):
    lab.task.value = LAYERS
    np.testing.assert_array_equal(lab.state.mask, sliding_window_mask(N, left=2))
    for layers in ("2", "3", "4"):
        lab.layers.box.value = layers
        needed = layers_needed(lab.state.mask, int(layers))
        np.testing.assert_array_equal(lab.view["layers needed"], np.where(needed, needed, -np.inf))
        assert lab.goal.text.startswith("Answer: after 4 layers, “forest” has heard of it.") == (layers == "4")
    lab._starts.value = "sink"
    assert lab.goal.text.startswith("Answer: one layer is enough") and lab.view["layers needed"][7, 0] == 1


def test_task_4_says_what_others_do(lab):
    lab.task.value = DEAD
    lab.answers[0].click()
    assert lab.goal.text == "Your guess is “all 0”. Now switch off every ✓ of a row."
    click(lab, 0, 0)
    assert lab.goal.text == "Right: 0 here, and NaN by default in PyTorch's MultiheadAttention."
    assert lab.next.layout.display == "none", "it is the last task"


def test_the_starts_are_the_masks_that_they_name(lab):
    causal, window, keys = causal_mask(N), sliding_window_mask(N, left=2), np.arange(N)
    masks = {
        "causal": causal,
        "sink": causal & (window | (keys == 0)),
        "dead": causal & (keys >= 2),
    }
    for name, mask in masks.items():
        lab._starts.value = name
        np.testing.assert_array_equal(lab.view["mask"], mask)
    assert list(lab.presets) == list(masks)
