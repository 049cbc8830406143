"""The decode timer: a guess, a measurement that is a step, and words that come at the measured speed."""

import re

import pytest

from attention_lib.examples.timing import Timing
from attention_lib.lessons.kv_cache import decode_timer
from attention_lib.lessons.kv_cache.decode_timer import LONGEST, DecodeTimer, TimerState, race_of

WAYS = {"slow": lambda n: n, "fast": lambda n: n}
STORED = Timing((1, 4), {"a": (1.0, 1.0), "b": (0.1, 0.01)}, "a slow machine")
CURVE = re.compile(r"<g class='way-(\w+)' style='--seconds: ([\d.]+)s.*?<polyline points='([^']*)'")


@pytest.fixture
def lab(monkeypatch):
    timed = {n: ({"slow": 0.1 * n, "fast": 4e-3}, 7) for n in STORED.lengths}
    monkeypatch.setattr(decode_timer, "time_steps", lambda steps, n, budget: timed[n])
    return DecodeTimer(WAYS, STORED)


def test_the_answer_is_hidden_until_it_is_measured_and_a_measurement_is_a_step(lab):
    assert lab.goal.text == "How many times as fast is the next word with a cache? Guess, then measure."
    assert [kind for kind, *_ in CURVE.findall(lab.race.value)] == ["slow", "guess"] and " writes" not in lab.race.value
    lab.guess.box.value = "37"
    lab.measure_button.click()
    assert lab.goal.text == "After 4 words, a cache makes the next one about 100 times as fast, not 37."
    assert lab.source.text == "Measured on this machine, the best of 7 rounds after 4 words."
    assert "400 ms for the next one" in lab.race.value and ">4 ms for the next one" in lab.race.value
    assert "way-fast" in lab.race.value and lab.guess.layout.display == "none" and not lab.message.text
    before = lab.race.value
    lab.write_button.click()
    assert " writes" in before and lab.race.value != before, "markup that is new starts its animations anew"
    lab.undo()
    lab.undo()
    assert lab.goal.text.startswith("How many") and lab.guess.layout.display == "" and "a slow" in lab.source.text


@pytest.mark.parametrize(("typed", "is_right"), [("49", False), ("50", True), ("200", True), ("201", False)])
def test_a_guess_within_a_factor_of_two_is_right(lab, typed, is_right):
    lab.guess.box.value = typed
    lab._behind.children[0].click()  # the stored times
    assert lab.goal.text.startswith("Goal reached") == is_right and "a slow machine" in lab.source.text


def test_a_factor_far_from_the_stored_one_is_doubted_and_reaches_no_goal(lab, monkeypatch):
    monkeypatch.setattr(decode_timer, "time_steps", lambda steps, n, budget: ({"slow": 4.0, "fast": 1e-3}, 1))
    lab.guess.box.value = "4000"
    lab.measure_button.click()
    assert lab.goal.text == "About 4,000 times as fast here, and 100 in the stored times. Was this machine busy?"
    assert "is-reached" not in lab.goal._dom_classes


def test_each_curve_is_as_high_as_a_word_takes_and_grows_as_fast_as_the_words_came():
    state, ways = TimerState(5, ((0.1, 0.3), (0.1, 0.1)), is_shown=True, race=1), ["<b>slow", "fast"]
    slow, guess, fast = CURVE.findall(race_of(state, (10, 30), ways))
    assert slow == ("slow", "5.0000", "33.33,66.67 100.00,0.00") and fast == (
        "fast",
        "3.0000",
        "33.33,66.67 100.00,66.67",
    )
    assert guess[2] == "80.00,80.00 100.00,80.00"
    longer = race_of(TimerState(5, ((1.0, 3.0), (0.1, 0.1)), is_shown=True, race=1), (10, 30), ways)
    assert CURVE.findall(longer)[0][1] == f"{LONGEST:.4f}" and "drawn 8.3 times as fast" in longer
    assert "<b>slow" not in longer and "&lt;b&gt;slow" in longer
