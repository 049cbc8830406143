"""The head browser: its numbers are those of the stored model, its goal, and what it refuses."""

import re

import numpy as np
import pytest
from lab_hands import select

from attention_lib.examples.measures import arriving_share, offset_share
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.trained_attention import head_browser
from attention_lib.lessons.trained_attention.head_browser import HeadBrowser, HeadState, answers

PRESETS = HeadBrowser().presets


@pytest.fixture
def lab():
    return HeadBrowser()


def open_head(lab, layer, head):
    """Play the message that the page sends when the reader opens a small map."""
    state = {"_hand": ["press", 6 * int(head) + int(layer), f"press {layer}.{head}"]}
    lab.small._handle_msg({"content": {"data": {"method": "update", "state": state}}, "buffers": []})


@pytest.mark.parametrize("arriving", [False, True])
def test_each_measure_asks_for_the_head_that_has_most_of_it(lab, arriving):
    trace = load_sentence("paper").trace
    maps = arriving_share(trace.weights, trace.V) if arriving else trace.weights
    size = "weight × value length" if arriving else "weight"
    expected = {
        "previous": offset_share(maps, -1),
        "next": offset_share(maps, 1),
        "cls": maps[:, :, 1:, 0].mean(-1),
    }
    menu, switch = (control.widget for control in lab._bound if control.field in ("measure", "arriving"))
    switch.value = arriving
    np.testing.assert_allclose(lab.view["map"], maps[4, 4], rtol=1e-6)
    for measure, what in head_browser.measures().items():
        menu.value = measure
        np.testing.assert_allclose(lab.state.measured(), expected[measure], rtol=1e-5, err_msg=measure)
        assert lab.goal.text == f"Click the small map with the most {size} {what}."
        open_head(lab, *np.unravel_index(expected[measure].argmax(), (6, 12)))
        assert lab.goal.text.startswith(f"Yes: no head has more {size} {what} than head ")


def test_a_small_map_opens_and_the_goal_asks_for_the_test_sentences(lab):
    assert lab.goal.text.endswith("all 6 nouns below.")
    assert [button.description.split()[1] for button in lab.tests] == list("✓✓✗✗✗✗")
    open_head(lab, 3, 1)
    np.testing.assert_array_equal(lab.view["map"], load_sentence("paper").trace.weights[3, 1])
    assert lab.goal.text.startswith("Goal reached: in head 3.1") and all(
        "✓" in button.description for button in lab.tests
    )
    six = [load_sentence(name) for name in ("paper", *sentence_names("beforehand"))]
    for layer, head in np.ndindex(6, 12):
        firsts = [s.head(layer, head).weights[s.query, 1:-1].argmax() + 1 == s.key for s in six]
        assert [most == noun for most, noun in answers(HeadState(layer=layer, head=head))] == firsts
    lab.undo()
    assert f"data-press='{4 * 6 + 4}'" in re.findall("<button[^>]*aria-pressed='true'", lab.small._markup)[0]


def test_a_frame_goes_with_the_sentence_that_it_was_in(lab):
    select(lab, "map", 1, 3)
    assert (lab.state.query, lab.state.key) == (1, 3)
    select(lab, "map", 4)
    assert lab.view.selected == ("map", 4, None), "the row that was clicked"
    lab._bound[0].widget.value = "trophy_small"
    assert lab.view.selected is None
