"""The decode timer: a guess, a measurement that is a step, and steps that fail."""

import itertools
import re

import pytest

from attention_lib.examples.timing import Timing, stored_timing
from attention_lib.lessons.kv_cache import decode_timer
from attention_lib.lessons.kv_cache.decode_timer import MOST_WORDS, DecodeTimer, TimerState, race_of, times_faster

WAYS = {"slow": lambda n: n, "fast": lambda n: n}


@pytest.fixture
def measured(monkeypatch):
    """The slow way takes 0.1 s, and the fast one a millisecond, two, and so on: no measurement is like another."""
    counted = itertools.count(1)

    def times(steps, lengths, *, progress, **options):
        progress("slow", lengths[0])
        return Timing(lengths, {"slow": (0.1,) * len(lengths), "fast": (1e-3 * next(counted),) * len(lengths)}, runs=7)

    monkeypatch.setattr(decode_timer, "time_steps", times)


def test_the_answer_is_hidden_until_it_is_measured(measured):
    lab = DecodeTimer(WAYS, (1, 2))
    assert lab.state.timing == stored_timing() and "Stored times" in lab.source.text
    for picture in (lab.curves.value, lab.race.value):
        assert "recompute everything" in picture and "with a cache" not in picture
    assert "how many times faster is word 4096?" in lab.goal.text
    lab.guess.box.value = "37"
    lab.measure()
    assert lab.goal.text == "With a cache, word 2 is 100 times faster. You guessed 37 times."
    assert (
        "fast" in lab.curves.value
        and "lane-fast" in lab.race.value
        and "the median of 7 runs" in lab.source.text
        and lab.message.text == ""
    )
    assert lab.guess.layout.display == "none" and not lab.measure_button.disabled


def test_a_guess_within_a_factor_of_two_is_right(measured):
    for typed, is_right in (("49", False), ("50", True), ("200", True), ("201", False)):
        lab = DecodeTimer(WAYS, (1, 2), stored=Timing((4,), {"slow": (1.0,), "fast": (0.01,)}, "a slow machine"))
        lab.guess.box.value = typed
        lab._behind.children[0].click()  # the stored times
        assert lab.goal.text.startswith("Goal reached") == is_right and "a slow machine" in lab.source.text


def test_a_measurement_is_a_step(measured):
    lab = DecodeTimer(WAYS, (1, 2))
    lab.measure()
    first = lab.state.timing
    lab.measure()
    assert lab.state.timing != first
    lab.undo()
    assert lab.state.timing == first
    lab.start_again()
    assert lab.state == lab.start and lab.guess.layout.display == ""


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError


def never(n):
    raise Unspeakable


def stopped(n):
    raise KeyboardInterrupt


def marked(n):
    raise ValueError("<script>")


@pytest.mark.parametrize(
    ("step", "problem"),
    [(lambda n: 1 / 0, "division by"), (never, "Unspeakable"), (stopped, "KeyboardInterrupt"), (marked, "<script>")],
)
def test_a_step_that_fails_leaves_everything(step, problem):
    lab = DecodeTimer({"bad": step}, (1,))
    lab.measure()
    assert "This could not be measured" in lab.message.text and problem in lab.message.text
    assert "<script>" not in lab.message.value
    assert lab.state == lab.start and not lab.measure_button.disabled


def test_real_steps_are_timed_and_running_out_of_time_is_said():
    calls = []
    lab = DecodeTimer({"a": calls.append, "b": lambda n: n}, (1, 2), budget=-1)
    lab.measure()
    assert len(calls) == 2 and set(calls) == {1} and "up to n = 1," in lab.source.text


LANE = re.compile(r"class='lane-(\w+)( writes)?' style='--share: ([\d.]+); --seconds: ([\d.]+)s; --words: (\d+)'")


def test_words_come_at_the_speed_that_was_measured_and_a_bar_is_as_long_as_the_wait():
    timing = Timing((16, 512), {"<b>slow": (1e-4, 1e-1), "fast": (1e-4, 1e-3)})
    assert times_faster(timing) == pytest.approx(100)
    asked, race = (race_of(TimerState(5, timing, is_shown=is_shown)) for is_shown in (False, True))
    slow, guess = ("slow", " writes", "1.00000", "4.0000", "40"), ("guess", "", "0.20000", "0.8000", "40")
    assert LANE.findall(asked) == [slow, guess]
    assert LANE.findall(race) == [slow, guess, ("fast", " writes", "0.01000", "0.0400", "40")]
    assert "<b>slow" not in race and "&lt;b&gt;slow" in race
    quick = Timing((16,), {"slow": (1e-5,), "fast": (1e-6,)})
    assert LANE.findall(race_of(TimerState(2, quick)))[0][-1] == str(MOST_WORDS)


def test_each_way_writes_when_it_is_asked_to_and_none_while_a_guess_is_dragged(measured):
    lab = DecodeTimer(WAYS, (1, 2), stored=Timing((4,), {"slow": (1.0,), "fast": (0.01,)}))
    lab.guess.slider.value += 1
    assert [writes for _, writes, *_ in LANE.findall(lab.race.value)] == ["", ""]
    lab.measure()
    for button, written in zip(lab.writers, (["slow"], ["fast"])):
        before = lab.race.value
        button.click()
        assert [lane for lane, writes, *_ in LANE.findall(lab.race.value) if writes] == written
        button.click()
        assert lab.race.value != before, "markup that is new starts its animations anew"


def test_the_stored_picture_shows_both_ways():
    assert "4096" in DecodeTimer(WAYS).still_figure().description
