"""What the labs share: the way back, what is typed, the small controls and their keys, without a browser."""

import asyncio
import re
from dataclasses import dataclass, replace
from functools import partial
from types import SimpleNamespace

import ipywidgets
import lab_hands
import numpy as np
import pytest

from attention_lib import lessons
from attention_lib._words import Refusal
from attention_lib.checks import predict
from attention_lib.examples.made_up_words import seeded
from attention_lib.live import controls, keys
from attention_lib.live import lab as lab_module
from attention_lib.live.controls import NumberSlider, Sentence, choice, toggle
from attention_lib.live.lab import Lab
from attention_lib.live.panel import Panel, labels_of
from attention_lib.live.player import Player
from attention_lib.live.typed import read_number, read_words


@pytest.mark.parametrize("words", [["y" * 15, "y" * 16], ["배" * 9, "배" * 10], ["extraordinary"] * 12, ["a", "a"]])
def test_labels_of_words_that_read_alike_differ_where_they_are_cut_too(words):
    labels = labels_of(words)
    assert len(set(labels)) == len(words)
    assert all(sum(1 if letter > "\u1100" else 0.6 for letter in label) <= 6.5 for label in labels)
    assert labels_of(["배" * 15, "cat", "extraordinary"]) == ["배" * 5 + "…", "cat", "extraordi…"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "Type a sentence first: words with spaces between them."),
        (" \n", "Type a sentence first: words with spaces between them."),
        ("a " * 13, "That is 13 words; this lab shows up to 12. Please take a shorter sentence."),
    ],
)
def test_no_words_and_too_many_are_a_sentence(text, answer):
    with pytest.raises(ValueError, match=re.escape(answer)):
        read_words(text)


def test_equal_words_get_equal_numbers():
    assert seeded("배").random() == seeded("배").random() != seeded("가").random()
    assert round(seeded("배").random(), 6) == 0.557882, "and so they do in another kernel"


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "Type a number; x stays 1."),
        ("nan", "“nan” is not a number; x stays 1."),
        ("much", "“much” is not a number; x stays 1."),
        ("1.5", "1.5 is not a whole number; x stays 1."),
    ],
)
def test_what_is_no_such_number_is_a_sentence(text, answer):
    with pytest.raises(ValueError, match=re.escape(answer)):
        read_number(text, "x", "1", digits=0)


def typed(number, value, box=None):
    """Play the message that a browser sends; return what is sent back for the box."""
    sent, box = [], box or number.box
    box.send_state = lambda key=None: sent.append((key, box.value))
    box._handle_msg({"content": {"data": {"method": "update", "state": {"value": value}}}, "buffers": []})
    return sent


def slider_of(label, value, stops, on_change=lambda value, gesture: None, **options):
    return NumberSlider(label, value, stops, on_change, Sentence(), **options)


def layers(value=3):
    heard = []
    return slider_of("layers", value, range(1, 9), lambda value, gesture: heard.append((value, gesture))), heard


@pytest.mark.parametrize(("text", "kept"), [("20", 8), ("-3", 1), ("1,000", 8)])
def test_a_number_outside_becomes_the_nearest_and_the_reader_is_told(text, kept):
    number, heard = layers()
    assert ("value", str(kept)) in typed(number, text)  # the box in the browser goes back to what counts
    assert heard == [(kept, None)] and number.value == kept
    assert number.said.value == f"layers can be 1 to 8: {text} became {kept}."


def test_a_number_set_by_the_lab_is_not_heard_and_clears_the_sentence():
    number, heard = layers()
    typed(number, "9")
    assert number.said.value
    number.show(2)
    assert heard == [(8, None)] and (number.value, number.box.value) == (2, "2") and number.said.value == ""
    exact = slider_of("x", 0.5, np.linspace(0, 1, 11), lambda value, gesture: heard.append((value, gesture)), digits=2)
    exact.show(0.1234)  # the box writes 0.12
    assert len(heard) == 1 and (exact.value, exact.box.value) == (0.1234, "0.12")


def test_a_number_that_a_lab_exchanges_for_another_is_told_as_that():
    number = slider_of("layers", 3, range(1, 9), lambda value, gesture: number.show(2))
    typed(number, "9")
    assert number.said.value == "layers: 9 became 2."


def test_one_move_of_the_slider_is_one_gesture_and_a_typed_number_none(monkeypatch):
    number, heard = layers()
    number.slider.value = 4
    number.slider.value = 5
    typed(number, "2")
    number.slider.value = 6
    (one, first), (two, second), (_, none), (_, third) = heard
    assert (one, two) == (5, 6) and first == second != third and first is not None and none is None
    later = controls.time.monotonic() + 1.1 * controls.SLIDER_PAUSE
    monkeypatch.setattr(controls.time, "monotonic", lambda: later)
    number.slider.value = 7
    assert heard[-1][1] != third, "after a pause it is another move"


def test_a_number_can_be_named_anew():
    number, _ = layers()
    typed(number, "much")
    number.name("depth")
    assert number.said.value == "" and number.slider.description == number.box.tooltip == "depth"


def test_a_sentence_is_text_and_never_markup():
    sentence = Sentence("name")
    sentence.say("<b>x</b> & y")
    assert sentence.value == "&lt;b&gt;x&lt;/b&gt; &amp; y" and "name" in sentence._dom_classes
    sentence.say("a", "<i>")
    assert sentence.value == "a<br>&lt;i&gt;"


@dataclass(frozen=True)
class Two:
    """The state of a lab in small: an even number and its name."""

    number: int = 2
    name: str = "two"


def named(state, name):
    if len(name) > 5 or not name.strip():
        raise Refusal("too long.")
    return replace(state, name=name)


class Small(Lab):
    """A lab in small: a number and its half; an odd number is refused."""

    def panels(self, state):
        if state.number % 2:
            raise Refusal("odd.")
        return {"half": Panel([[state.number / 2]], limit=100.0)}

    def controls(self):
        self.slider = self.number("number", range(101), "number")
        self.box = self.words("name", "a word", "name", named)
        return [self.slider, self.box]

    def tell(self, state):
        self.goal.say(f"Now {state.number}.")


def test_more_opens_and_closes():
    lab = Small(Two())
    for is_open in (True, False):
        lab._more.value = is_open
        assert (lab._behind.layout.display != "none") == is_open


def test_a_refused_step_is_a_sentence_and_nothing_has_happened():
    lab = Small(Two())
    lab.slider.box.value = "7"
    assert lab.state == Two() and lab.view["half"] == 1 and lab.slider.value == 2
    assert lab.message.text == "odd. The picture stays as it was."
    lab.slider.box.value = "8"
    assert lab.state.number == 8 and lab.view["half"] == 4 and lab.message.text == ""
    assert lab.goal.text == "Now 8."
    lab.slider.box.value = "200"
    assert lab.state.number == 100 and lab.message.text == "number can be 0 to 100: 200 became 100."
    lab.slider.box.value = "much"
    assert lab.state.number == 100 and lab.message.text == "“much” is not a number; number stays 100."
    with pytest.raises(ValueError, match="invalid literal"):  # a mistake of ours is no refusal
        lab.act(lambda state: int("a mistake"))


def test_words_that_are_refused_stay_in_their_box_and_the_page_is_told_nothing_else():
    """What the page has said itself ipywidgets does not tell it: a box that is emptied in between stays empty there."""
    lab = Small(Two())
    assert typed(lab, "far too long", lab.box) == [] and lab.box.value == "far too long"
    assert lab.state.name == "two" and lab.message.text == "too long. The picture stays as it was."
    lab.slider.box.value = "8"
    assert lab.box.value == "two"
    assert ("value", "two") in typed(lab, " ", lab.box), "nothing to mend"


@pytest.mark.parametrize(("kept", "offered"), [(Two(8), True), (Two(7), False), (Two(), False)])
def test_only_a_state_that_can_be_shown_and_is_another_is_offered(monkeypatch, kept, offered):
    monkeypatch.setattr(lab_module, "load_state", lambda name, example: kept)
    lab = Small(Two())
    assert (lab._offer.layout.display != "none") is offered and lab.goal.text == "Now 2."
    lab.look(Two(6))
    assert (lab._offer.layout.display != "none") is offered, "a look changes nothing that is kept"
    lab.change(Two(4))
    for _ in range(2):
        lab.undo()
    assert (lab.state == kept) is offered, "Undo leads back to it"


def test_one_gesture_is_one_step_and_the_way_back_has_an_end(monkeypatch):
    monkeypatch.setattr(lab_module, "MOST_UNDOS", 3)
    lab = Small(Two(0))
    for number in (2, 4, 6):
        lab.change(Two(number), gesture="drag")
    lab.undo()
    assert lab.state.number == 0
    for number in range(2, 12, 2):
        lab.change(Two(number))
    for _ in range(5):
        lab.undo()
    assert lab.state.number == 4, "the oldest are forgotten first"
    assert not lab.change(Two(4)), "what changes nothing is no step"
    lab.look(Two(6))
    lab.redo()
    assert lab.state.number == 6, "looking is no step"


def test_a_slider_of_steps_says_its_number():
    number = slider_of("d_k", 64, np.geomspace(1, 512, 10))
    assert number.slider.tooltip == "d_k: 64" and number.slider.value != 64
    number.slider.value = 0
    assert number.slider.tooltip == "d_k: 1"
    number.box.value = "100"
    assert number.slider.tooltip == "d_k: 100"
    number.name("d_v")
    assert number.slider.tooltip == "d_v: 100"


def test_no_menu_box_slider_or_switch_is_without_a_tooltip():
    """Without one, the page shows "null"."""
    number, _heard = layers()
    others = choice("head", {}), Small(Two()).box, toggle("before")
    for control in (number.slider, number.box, *others):
        assert control.tooltip


def test_who_stops_a_player_in_its_own_step_has_stopped_it(monkeypatch):
    waiting, steps = [], []

    def later(seconds, call):
        waiting.append(call)
        return SimpleNamespace(cancel=waiting.clear)

    def step():
        steps.append(len(steps))
        if len(steps) in (2, 3):
            player.button.click()
        return 0.0

    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=later))
    player = Player("play", step)
    player.button.click()
    waiting.pop()()
    assert (len(steps), waiting, player.plays, player.button.description) == (2, [], False, "play")
    player.button.click()  # stopped at once
    assert (len(steps), waiting, player.plays) == (3, [], False)


@pytest.mark.parametrize("value", [-0.0, -0.00001, 0.00001])
def test_no_box_says_minus_nothing(value: float) -> None:
    assert slider_of("x", 0, range(-3, 4), digits=4).text_of(value) == "0"


MADE = {name: partial(lab_hands.opened, name) for name in lessons.LABS}
MADE["prediction"] = partial(predict.predict, "01.scores_shape", answer="pairs")
MADE["progress"] = predict.progress


def test_the_language_is_read_when_a_box_is_made(monkeypatch):
    monkeypatch.setattr(keys, "_", lambda sentence: "ko" if sentence == "en" else "답하세요")
    made = keys.Keys()
    assert made._lang == "ko" and set(made._words.values()) == {"답하세요"}


@pytest.mark.parametrize("name", MADE)
def test_it_keeps_its_keys_and_has_a_line_for_a_lost_kernel(name):
    box = MADE[name]()
    assert isinstance(box, ipywidgets.Box)
    assert "attention-keys" in box._dom_classes
    assert isinstance(box.children[-1], keys.Keys)
    line = box.children[0]
    assert "attention-gone" in line._dom_classes
    assert "display: none" in line.value and "The kernel that this belongs to is gone" in line.value
