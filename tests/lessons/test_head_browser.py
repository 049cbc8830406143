"""The head browser: its numbers are those of the stored model, its goal, and what it refuses."""

import re

import numpy as np
import pytest
from lab_hands import select

from attention_lib import MultiHeadAttention
from attention_lib.examples.measures import arriving_share, offset_share
from attention_lib.examples.minilm import EncoderTrace
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.trained_attention import head_browser
from attention_lib.lessons.trained_attention.head_browser import MOST_TOKENS, HeadBrowser, HeadState, answers

PRESETS = HeadBrowser().presets


class FakeModel:
    def run(self, text):
        tokens = ("[CLS]", *text.split(), "[SEP]")
        rng = np.random.default_rng(0)
        X = rng.standard_normal((len(tokens), 384)).astype(np.float32)
        W = (rng.standard_normal((4, 384, 384)) / 20).astype(np.float32)
        return EncoderTrace(tokens, tuple(MultiHeadAttention(*W, n_heads=12)(X) for _ in range(6)), np.stack([X] * 7))


@pytest.fixture
def lab():
    return HeadBrowser()


@pytest.fixture
def with_model(monkeypatch):
    """The lab as it is where the model is installed."""
    monkeypatch.setattr(head_browser, "weights_folder", lambda: "here")
    monkeypatch.setattr(head_browser, "model", FakeModel)
    head_browser.of_model.cache_clear()
    yield HeadBrowser()
    head_browser.of_model.cache_clear()


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
    assert lab.goal.text.endswith("all 5 nouns below.")
    assert [button.description.split()[1] for button in lab.tests] == list("✓✗✗✗✗")
    open_head(lab, 3, 1)
    np.testing.assert_array_equal(lab.view["map"], load_sentence("paper").trace.weights[3, 1])
    assert lab.goal.text.startswith("Goal reached: in head 3.1") and all(
        "✓" in button.description for button in lab.tests
    )
    five = [load_sentence(name) for name in sentence_names("beforehand")]
    for layer, head in np.ndindex(6, 12):
        firsts = [s.head(layer, head).weights[s.query, 1:-1].argmax() + 1 == s.key for s in five]
        assert [most == noun for most, noun in answers(HeadState(layer=layer, head=head))] == firsts
    lab.undo()
    assert f"data-press='{4 * 6 + 4}'" in re.findall("<button[^>]*aria-pressed='true'", lab.small._markup)[0]


def test_a_frame_goes_with_the_sentence_that_it_was_in(lab):
    select(lab, "map", 4)
    assert lab.view.selected == ("map", 4, None), "the row that was clicked"
    lab._bound[0].widget.value = "trophy_small"
    assert lab.view.selected is None


def test_an_own_sentence_is_read_or_refused(with_model):
    lab = with_model
    own = next(control.widget for control in lab._bound if control.widget.description == "your own sentence")
    own.value = "a cat <b>"
    assert lab.view.panels["map"].columns == ["[CLS]", "a", "cat", "<b>", "[SEP]"] and lab.state.sentence == ""
    for text, query in {"dogs say that it sleeps .": 4, "a dog sleeps !": 3}.items():  # “it”, or else the last word
        own.value = text
        assert (lab.state.query, lab.state.key, lab.answers.layout.display) == (query, query, "none")
        assert lab.goal.text == "Click a cell of the large map to choose two words."
        select(lab, "map", query, 2)
        assert f"of “{lab.state.names[query]}” on “{lab.state.names[2]}”" in lab.goal.text
    before = lab.state
    for text in (" ", "word " * 100, "a " * (MOST_TOKENS - 1), "밥을 먹었다"):
        own.value = text
        assert lab.message.text and lab.state is before
    own.value = "a " * (MOST_TOKENS - 2)
    assert lab.view["map"].shape == (MOST_TOKENS, MOST_TOKENS)
