"""The moving point: where 배 goes, what is said of it, and what is drawn."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.labs import moving_point
from attention_lib.labs.moving_point import (
    MOST_TOKENS,
    PRESETS,
    SPOKES,
    MovingModel,
    MovingPoint,
    MovingState,
    bars,
    plane,
)
from attention_lib.plots import points

WORDS = load_meanings()


def model_of(text, projected=False):
    return MovingModel(MovingState(text, projected))


@pytest.mark.parametrize("projected", [False, True])
@pytest.mark.parametrize("meaning", range(3))
def test_the_point_goes_where_the_neighbour_leads(meaning, projected):
    model = model_of(PRESETS[("pear", "belly", "ship")[meaning]], projected)
    assert np.argmax(model.end) == meaning
    assert model.end[meaning] > 3 * np.delete(model.end, meaning).max()


def test_without_projections_the_library_is_given_the_three_readable_columns():
    model = model_of("배 를 타고")
    X = np.array([[1, 1, 1], [0, 0, 0], [0, 0, 3]])
    assert np.array_equal(model.trace.output, scaled_dot_product_attention(X, X, X).output)
    assert np.array_equal(model.weights, model.trace.weights[0])


def test_three_words_alike_stand_at_one_point_and_it_says_so():
    for projected in (False, True):
        model = model_of(PRESETS["three"], projected)
        assert len(model.asking) == 3
        assert np.ptp(model.trace.output[model.asking], axis=0).max() < 1e-12
        assert "All 3 stand at the same point" in model.said()


@pytest.mark.parametrize("text", ["배", "배 배", "어제 배 가", "고파서 배 깎아서 타고"])
def test_a_point_that_stays_in_the_middle_is_not_said_to_move(text):
    model = model_of(text)
    assert np.allclose(model.end @ SPOKES, 0, atol=0.01) and model.said().startswith("배 stays in the middle: pear ")
    assert "moves from" in model_of("배 가 고파서").said()


def test_a_sentence_is_kept_where_another_is_refused():
    model = MovingModel(MovingState())
    before = model.state
    for text in ("", "배 unknown", " ".join(["배"] * (MOST_TOKENS + 1))):
        with pytest.raises(ValueError, match=r"sentence|words"):
            model.say(text)
        assert model.state == before and not model.undo()
    model.say("배 를  타고")
    assert model.state.text == "배 를 타고" and model.undo() and model.state == before


def buttons(widget):
    own = {widget.description: widget} if hasattr(widget, "click") else {}
    for child in getattr(widget, "children", ()):
        own |= buttons(child)
    return own


def test_by_hand():
    lab = MovingPoint()
    found = buttons(lab)
    assert {f"{word} {gloss}" for word, gloss in WORDS.glosses.items()} <= found.keys()
    found["new sentence"].click()
    found["타고 riding"].click()
    assert lab.model.state.text == lab._sentence.value == "배 타고"
    assert "ship 2.00" in lab._words.value
    lab._sentence.value = "배 boat"
    assert "“boat”" in lab._message.value and lab._sentence.value == "배 boat"  # to be mended
    assert lab.model.state.text == "배 타고"
    found[PRESETS["pear"]].click()
    assert "boat" not in lab._sentence.value + lab._message.value
    found["undo"].click()
    assert lab.model.state.text == "배 타고"
    lab._sentence.value = "타고"
    assert "no 배" in lab._words.value and lab._bars.value == ""


def test_the_projections_can_be_left_out_where_they_are_offered():
    lab = MovingPoint("ship", projected=True)
    assert "ship 2.65" in lab._words.value and lab._numbers.layout.display == ""
    lab._numbers.value = False
    assert "ship 1.70" in lab._words.value
    assert MovingPoint()._numbers.layout.display == "none"


def test_the_live_plane_is_that_of_the_still_picture():
    assert np.allclose(moving_point.SPOKES, points._directions(3))


def test_the_drawing_says_what_it_shows_and_escapes_words(monkeypatch):
    model = model_of(PRESETS["belly"])
    assert model.said() in plane(model) and model.taken() in bars(model)
    assert re.findall(r">(0\.\d\d)<", bars(model)) == [f"{weight:.2f}" for weight in model.weights]
    monkeypatch.setattr(model, "tokens", tuple(word if word == WORDS.word else "<b>" for word in model.tokens))
    monkeypatch.setattr(moving_point, "WORDS", replace(WORDS, glosses=WORDS.glosses | {"<b>": "<i>"}))
    for drawn in (plane(model), bars(model)):
        assert "&lt;b&gt;" in drawn and "<b>" not in drawn and "<i>" not in drawn
    assert "&lt;i&gt;" in bars(model)


def test_the_still_picture_shows_the_same_move():
    lab = MovingPoint("ship")
    assert "배 moves from pear 1.00, belly 1.00, ship 1.00 to pear 0.42, belly 0.42, ship 1.70" in (
        lab.still_figure().description
    )
    assert repr(lab).startswith("The moving point. 어제 배 를 타고: 배 moves")


def test_twelve_words_have_their_bars_beside_the_picture() -> None:
    model = model_of("배 " + "타고 " * 11)
    assert _height(bars(model)) <= _height(plane(model))


@pytest.mark.parametrize(("text", "anchor"), [("배 를 타고", "start"), ("배 를 깎아서", "end"), ("배 배 배", "end")])
def test_the_name_of_the_dot_stands_off_the_spokes(text: str, anchor: str) -> None:
    """Above the dot, on the side that its spoke leaves free."""
    drawn = plane(model_of(text))
    dot = r'class="after" cx="[\d.]+" cy="([\d.]+)" r="7"/>'
    found = re.search(dot + r'<text class="" x="[\d.]+" y="([\d.]+)" text-anchor="(\w+)"', drawn)
    assert found and float(found[2]) < float(found[1]) and found[3] == anchor


def _height(drawing: str) -> float:
    found = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', drawing)
    assert found
    return float(found[1])
