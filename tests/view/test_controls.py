"""What the labs share: the way back, what is typed, and the small controls, without a browser."""

import re
from typing import ClassVar

import pytest

from attention_lib.examples.made_up_words import seeded
from attention_lib.view import controls
from attention_lib.view.controls import (
    MESSAGES,
    MOST_UNDOS,
    CodeBox,
    History,
    Lab,
    Reversible,
    Sentence,
    SliderGesture,
    WholeNumber,
    choice,
    make_buttons,
    read_number,
    read_words,
    sentence_box,
)

# -- the way back -------------------------------------------------------------------------------------


def test_a_gesture_is_taken_back_whole_and_ends_with_the_way_back():
    past = History()
    for state in range(3):
        past.keep(state, gesture="drag")
    past.keep(3, gesture="next drag")
    assert past.back() == 3 and past.back() == 0 and past.back() is None
    past.keep(4, gesture="next drag")
    assert len(past) == 1  # though it bears the name of a gesture that was taken back


def test_what_changes_nothing_is_no_step():
    model = Reversible(0)
    model.reset()
    assert not model.undo()
    model._go(1)
    model._go(1)
    assert model.undo() and model.state == 0 and not model.undo()


def test_changes_without_a_gesture_are_steps_of_their_own():
    past = History()
    past.keep(0)
    past.keep(1)
    assert past.back() == 1 and past.back() == 0


def test_the_way_back_has_an_end_and_forgets_the_oldest_first():
    past = History()
    for state in range(MOST_UNDOS + 5):
        past.keep(state)
    assert len(past) == MOST_UNDOS
    assert [past.back() for _ in range(MOST_UNDOS + 1)][-2:] == [5, None]


class Even(Reversible[int]):
    """A plain model of a lab in small: an even number, and its half."""

    presets: ClassVar = {"nothing": 0, "ten": 10, "ten again": 10}

    def _show(self, state):
        if state % 2:
            raise ValueError("odd")
        super()._show(state)
        self.half = state // 2


def test_a_model_goes_to_presets_and_back_with_all_that_follows():
    model = Even(4)
    assert (model.state, model.half, model.preset) == (4, 2, None)
    model.start_from("ten")
    assert (model.state, model.half, model.preset) == (10, 5, "ten")
    model._go(12)
    assert model.preset is None
    assert model.undo() and (model.state, model.half, model.preset) == (10, 5, "ten")
    assert model.undo() and (model.state, model.half) == (4, 2)
    assert not model.undo() and (model.state, model.half) == (4, 2)


def test_a_model_goes_back_to_its_first_state_and_that_is_taken_back_too():
    model = Even(4)
    model._go(0)
    model._go(6)
    model.reset()
    assert (model.state, model.half) == (4, 2)
    assert model.undo() and model.state == 6
    assert model.undo() and (model.state, model.preset) == (0, "nothing")
    model._go(8)
    assert model.undo() and model.state == 0  # what counts as false is a state too


def test_one_gesture_of_a_model_is_one_step_and_a_preset_another():
    model = Even(4)
    for number in (6, 8, 12):
        model._go(number, gesture="drag")
    model.start_from("ten")
    assert model.undo() and model.state == 12
    assert model.undo() and model.state == 4
    assert not model.undo()


def test_what_a_model_refuses_has_not_happened():
    model = Even(4)
    model._go(6)
    with pytest.raises(ValueError, match="odd"):
        model._go(7)
    assert (model.state, model.half) == (6, 3)
    assert model.undo() and model.state == 4 and not model.undo()


def test_two_models_share_no_way_back():
    one, other = Even(4), Even(4)
    one._go(6)
    assert not other.undo() and other.state == 4


def test_a_slider_begins_a_new_move_after_a_pause_or_an_end(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(controls.time, "monotonic", lambda: now[0])
    slider = SliderGesture()
    first = slider.now()
    now[0] += controls.SLIDER_PAUSE / 2
    assert slider.now() == first
    now[0] += controls.SLIDER_PAUSE * 1.1
    second = slider.now()
    assert second != first
    slider.end()
    assert slider.now() not in (first, second)


# -- what is typed ------------------------------------------------------------------------------------


def test_words_are_split_and_long_ones_shortened():
    assert read_words("  a   bb ", most=2) == ("a", "bb")
    assert read_words("x" * 14 + " " + "y" * 15, most=2) == ("x" * 14, "y" * 13 + "…")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", MESSAGES["no words"]),
        (" \n", MESSAGES["no words"]),
        ("a b c", "That is 3 tokens; this lab shows up to 2. Please take a shorter sentence."),
    ],
)
def test_no_words_and_too_many_are_a_sentence(text, answer):
    with pytest.raises(ValueError, match=re.escape(answer)):
        read_words(text, most=2)


def test_equal_words_get_equal_numbers():
    assert seeded("배").random() == seeded("배").random() != seeded("가").random()


@pytest.mark.parametrize(("text", "value"), [("0.5", 0.5), (" −1,25 ", -1.25), ("1e0", 1.0)])
def test_numbers_are_read_as_people_type_them(text, value):
    assert read_number(text, -2, 2, digits=2) == value


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", MESSAGES["empty"]),
        ("nan", "“nan” is not a number"),
        ("much", "“much” is not a number"),
        ("9", "The number must lie between -2 and 2"),
        ("inf", "The number must lie between -2 and 2"),
    ],
)
def test_what_is_no_such_number_is_a_sentence(text, answer):
    with pytest.raises(ValueError, match=re.escape(answer)):
        read_number(text, -2, 2, digits=2)


def test_a_whole_number_is_asked_for():
    with pytest.raises(ValueError, match=r"1\.5 is not a whole number"):
        read_number("1.5", 0, 8, digits=0)


# -- the controls -------------------------------------------------------------------------------------


def typed(number, value):
    """Play the message that a browser sends; return what is sent back for the box."""
    sent = []
    number.box.send_state = lambda key=None: sent.append((key, number.box.value))
    number.box._handle_msg({"content": {"data": {"method": "update", "state": {"value": value}}}, "buffers": []})
    return sent


def test_a_number_in_its_range_is_passed_on_without_a_word():
    heard = []
    number = WholeNumber(3, 1, 8, "layers", heard.append)
    typed(number, 5)
    assert heard == [5] and number.value == number.box.value == 5 and number.said.value == ""


@pytest.mark.parametrize(("value", "kept"), [(20, 8), (-3, 1), (10**12, 8)])
def test_a_number_outside_becomes_the_nearest_and_the_reader_is_told(value, kept):
    heard = []
    number = WholeNumber(3, 1, 8, "layers", heard.append)
    assert ("value", kept) in typed(number, value)  # the box in the browser goes back to what counts
    assert heard == [kept] and number.value == number.box.value == kept
    assert number.said.value == f"layers can be 1 to 8: {value} became {kept}."


def test_outside_again_is_told_again_and_changes_nothing():
    heard = []
    number = WholeNumber(8, 1, 8, "layers", heard.append)
    assert ("value", 8) in typed(number, 9)
    assert heard == [] and number.said.value == "layers can be 1 to 8: 9 became 8."


def test_a_number_set_by_the_lab_is_not_heard_and_clears_the_sentence():
    heard = []
    number = WholeNumber(3, 1, 8, "layers", heard.append)
    typed(number, 9)
    number.show(8)
    assert number.said.value  # the same number: the lab showed it because of what was typed
    number.show(2)
    assert heard == [8] and number.value == number.box.value == 2 and number.said.value == ""


def test_a_sentence_is_text_and_never_markup():
    sentence = Sentence("name")
    sentence.say("<b>x</b> & y")
    assert sentence.value == "&lt;b&gt;x&lt;/b&gt; &amp; y" and "name" in sentence._dom_classes
    sentence.say("a", "<i>", strong=True)
    assert sentence.value == '<b><div style="line-height: 1.5">a<br>&lt;i&gt;</div></b>'
    sentence.say("", strong=True)
    assert sentence.value == ""


def test_code_is_written_while_it_is_shown():
    lines, asked = ["one"], []
    box = CodeBox("code", lambda: asked.append(1) or lines[0])
    box.refresh()
    assert not asked and box.area.layout.display == "none"
    box.switch.value = True
    assert box.area.value == "one" and box.area.layout.display == ""
    lines[0] = "two"
    box.refresh()
    assert box.area.value == "two"
    box.switch.value = False
    assert box.area.layout.display == "none"


class Small(Lab):
    def __init__(self):
        self.heard = []
        self.box = sentence_box("label", "placeholder")
        super().__init__([self.box])
        self.box.observe(lambda change: None if self._busy else self.heard.append(change.new), "value")

    def still_text(self):
        return "Small lab"


def test_a_lab_does_not_hear_itself():
    lab = Small()
    lab._set(lab.box, "by Python")
    lab.box.value = "by the reader"
    with lab._quietly():
        lab._set(lab.box, "inside")
        lab.box.value = "still inside"
    assert lab.heard == ["by the reader"] and repr(lab) == "Small lab"


def test_a_lab_hears_again_after_an_error():
    lab = Small()
    with pytest.raises(ZeroDivisionError), lab._quietly():
        raise ZeroDivisionError
    lab.box.value = "x"
    assert lab.heard == ["x"]


def test_choices_and_buttons_bear_their_words():
    dropdown = choice("start from", {"a": "the first", "b": "the second"}, width="9em")
    assert dropdown.value is None and dropdown.options == (("the first", "a"), ("the second", "b"))
    buttons = make_buttons({"undo": "take back", "reset": "from the start", "x": ""}, "undo", "reset")
    assert [(name, button.description) for name, button in buttons.items()] == [
        ("undo", "take back"),
        ("reset", "from the start"),
    ]
