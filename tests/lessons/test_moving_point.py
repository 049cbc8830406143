"""The moving point: where 배 goes, what is said of it, and what is drawn."""

import re

import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.lessons.self_attention.moving_point import (
    SPOKES,
    MovingPoint,
    MovingState,
    end_of,
    move_sentence,
    plane,
    weights_html,
    weights_of,
)

WORDS = load_meanings()


def buttons(widget):
    own = {widget.description: widget} if hasattr(widget, "click") else {}
    for child in getattr(widget, "children", ()):
        own |= buttons(child)
    return own


def test_without_projections_attention_is_given_the_three_readable_columns():
    X = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 3]])
    trace = scaled_dot_product_attention(X, X, X)
    state = MovingState("배 를 타고")
    assert np.array_equal(end_of(state), trace.output[0])
    assert re.findall(r">(0\.\d\d)<", weights_html(state)) == [f"{weight:.2f}" for weight in trace.weights[0]]
    ropes = re.findall(r'class="rope".*?stroke-width="([\d.]+)"', plane(state))
    assert [float(width) for width in ropes] == [round(26 * trace.weights[0, 2], 1)], "as thick as the weight"


@pytest.mark.parametrize("text", ["배", "배 배", "어제 배 가", "고파서 배 깎아서 타고"])
def test_a_point_that_stays_in_the_middle_is_not_said_to_move(text):
    state = MovingState(text)
    assert np.allclose(end_of(state) @ SPOKES, 0, atol=0.01)
    assert move_sentence(state).startswith("배 stays in the middle: pear ")


def test_by_hand():
    lab = MovingPoint()
    found = buttons(lab)
    assert lab.goal.text.endswith("Now: pear 0.42, belly 1.70, ship 0.42.")
    assert {f"{word} {gloss}" for word, gloss in WORDS.glosses.items()} <= found.keys()
    found["New sentence"].click()
    found["타고 riding"].click()
    assert lab.state.text == "배 타고" and "ship 2.00" in lab.goal.text
    found[WORDS.sentences["pear"]].click()
    found["Undo"].click()
    assert lab.state.text == "배 타고" and not lab.message.text
    for _ in range(12):
        found["배 pear, belly or ship"].click()
    assert len(lab.state.tokens) == 12 and "That is 13 words" in lab.message.text
    assert {button.disabled for button in lab.adders} == {True}
    found["Undo"].click()
    assert {button.disabled for button in lab.adders} == {False}


def test_a_press_on_a_word_takes_it_out_and_the_last_one_stays():
    lab = MovingPoint("어제 배 타고 배")
    for place, left in ((0, "배 타고 배"), (9, "배 타고 배"), (2, "배 타고"), (1, "배"), (0, "배")):
        lab.bars._hand = ["press", place, f"press {left} {place}"]
        assert lab.state.text == left
    assert "Add another one first" in lab.message.text


def test_a_sentence_to_start_from_may_lack_the_word_but_not_hold_an_unknown_one():
    lab = MovingPoint("타고")
    assert lab.goal.text.endswith("Add it. ") and 'class="goes"' not in lab.plane.value
    assert "타고 = riding" in lab.bars._markup, "it can be taken out"
    for text in ("", "배 boat", "배 " * 100, "1e400 nan"):
        with pytest.raises(ValueError, match=r"Type a sentence|numbers here|up to 12"):
            MovingPoint(text)


@pytest.mark.parametrize("name", ["belly", "pear", "ship"])
def test_the_first_picture_of_the_readme_shows_what_its_description_says(name):
    assert weights_of(MovingState(WORDS.sentences[name])).round(2).tolist() == [0.08, 0.42, 0.08, 0.42]
