"""The decode timer: a guess, a measurement that is a step, and words that come at the measured speed."""

import re

import pytest

from attention_lib.examples.timing import Timing, stored_timing
from attention_lib.lessons.kv_cache import decode_timer
from attention_lib.lessons.kv_cache.decode_timer import BOTH, MOST_WORDS, DecodeTimer, TimerState, race_of

WAYS = {"slow": lambda n: n, "fast": lambda n: n}
STORED = Timing((1, 4), {"a": (1.0, 1.0), "b": (0.1, 0.01)}, "a slow machine")
LANE = re.compile(r"class='lane-(\w+)( writes)?' style='--share: ([\d.]+); --seconds: ([\d.]+)s; --words: (\d+)'")


@pytest.fixture
def lab(monkeypatch):
    monkeypatch.setattr(decode_timer, "time_steps", lambda steps, n: ({"slow": 0.1 * n, "fast": 1e-3 * n}, 7))
    return DecodeTimer(WAYS, STORED)


def test_the_answer_is_hidden_until_it_is_measured_and_a_measurement_is_a_step(lab):
    assert lab.goal.text == "By what factor does a cache speed up the next word after 4 words? Guess, then measure."
    assert "slow" in lab.race.value and "fast</span>" not in lab.race.value.replace("as fast", "")
    lab.guess.box.value = "37"
    lab.measure_button.click()
    assert lab.goal.text == "After 4 words, a cache makes the next one 100 times as fast. You guessed 37."
    wanted = "The next word after 4 words, on this machine: 400 ms without a cache and 4 ms with one"
    assert lab.source.text.startswith(wanted)
    assert "lane-fast" in lab.race.value and lab.guess.layout.display == "none" and not lab.message.text
    lab.undo()
    assert lab.goal.text.startswith("By what") and lab.guess.layout.display == "" and "a slow" in lab.source.text


@pytest.mark.parametrize(("typed", "is_right"), [("49", False), ("50", True), ("200", True), ("201", False)])
def test_a_guess_within_a_factor_of_two_is_right(lab, typed, is_right):
    lab.guess.box.value = typed
    lab._behind.children[0].click()  # the stored times
    assert lab.goal.text.startswith("Goal reached") == is_right and "a slow machine" in lab.source.text


def test_words_come_at_the_speed_that_was_measured_and_a_bar_is_as_long_as_the_wait():
    ways = ["<b>slow", "fast"]
    asked = race_of(TimerState(5, (1e-1, 1e-3)), ways)
    race = race_of(TimerState(5, (1e-1, 1e-3), is_shown=True, writes=BOTH), ways)
    slow, guess = ("1.00000", "4.0000", "40"), ("guess", "", "0.20000", "0.8000", "40")
    assert LANE.findall(asked) == [("slow", "", *slow), guess], "nothing writes before it is measured"
    assert LANE.findall(race) == [("slow", " writes", *slow), guess, ("fast", " writes", "0.01000", "0.0400", "40")]
    assert "<b>slow" not in race and "&lt;b&gt;slow" in race
    assert LANE.findall(race_of(TimerState(2, (1e-5, 1e-6)), ways))[0][-1] == str(MOST_WORDS)


def test_each_way_writes_when_it_is_asked_to(lab):
    lab.measure_button.click()
    for button, written in zip(lab.writers, (["slow"], ["fast"])):
        before = lab.race.value
        button.click()
        assert [lane for lane, writes, *_ in LANE.findall(lab.race.value) if writes] == written
        button.click()
        assert lab.race.value != before, "markup that is new starts its animations anew"


def test_the_stored_picture_shows_both_ways():
    assert f"at {stored_timing().lengths[-1]}" in DecodeTimer(WAYS).still_figure().description
