"""Timing two ways of decoding, without waiting for a clock."""

import itertools

import numpy as np
import pytest

from attention_lib.analysis.timing import MOST_RUNS, Timing, time_steps
from attention_lib.examples.stored_costs import stored_timing
from attention_lib.labs import decode_timer
from attention_lib.labs.decode_timer import DecodeTimer, TimerModel
from attention_lib.view.lab import MESSAGES


class Clock:
    """A clock that only work moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def work(self, seconds):
        self.now += seconds


def test_times_are_those_of_the_steps():
    clock = Clock()
    steps = {"square": lambda n: clock.work(n * n), "linear": lambda n: clock.work(n)}
    timing = time_steps(steps, (1, 2, 4), budget=1e9, clock=clock)
    assert timing.seconds == {"square": (1, 4, 16), "linear": (1, 2, 4)}
    slopes = timing.slopes(least=1)
    assert slopes["square"] == pytest.approx(2) and slopes["linear"] == pytest.approx(1)


def test_the_best_run_counts():
    clock, durations = Clock(), iter([9, 3, 1, 2, "not run"])
    timing = time_steps({"a": lambda n: clock.work(next(durations))}, (1,), repeats=3, clock=clock)
    assert timing.seconds == {"a": (1,)}


def test_short_steps_run_more_often():
    clock, runs = Clock(), []
    time_steps({"a": lambda n: (runs.append(n), clock.work(0.01 / n))}, (1, 100), repeats=3, clock=clock)
    assert runs.count(1) == 20 and runs.count(100) == MOST_RUNS


def test_the_budget_ends_it_after_a_whole_length():
    clock, told = Clock(), []
    timing = time_steps(
        {"a": lambda n: clock.work(n)}, (1, 2, 4, 8), budget=10, clock=clock, progress=lambda *said: told.append(said)
    )
    assert timing.lengths == (1, 2) and timing.seconds == {"a": (1, 2)}
    assert told == [("a", 1, 0.0), ("a", 2, 1 / 15)]


def test_slopes_need_two_lengths():
    assert Timing((64, 512), {"a": (1.0, 2.0)}).slopes() == {}
    assert decode_timer.slopes_sentence(Timing((64,), {"a": (1.0,)})) == ""


def test_the_stored_measurement_is_whole_and_shows_what_the_notebook_says():
    timing = stored_timing()
    full, cached = (np.array(seconds) for seconds in timing.seconds.values())
    assert timing.lengths[-1] == 4096 and len(full) == len(cached) == len(timing.lengths)
    assert (full > cached).all() and (np.diff(full) > 0).all()
    slopes = timing.slopes()
    assert 0.8 < slopes["recompute everything"] - slopes["with a cache"] < 1.2  # "about one power of n steeper"
    assert "NumPy" in timing.machine and "2026" in timing.machine


@pytest.fixture
def other_times(monkeypatch):
    """No two measurements are alike: of steps as short as these, two may well be, and the second is no step then."""
    counted = itertools.count(1)

    def measured(steps, lengths, **options):
        return Timing(lengths, {name: (1e-3 * next(counted),) * len(lengths) for name in steps})

    monkeypatch.setattr(decode_timer, "time_steps", measured)


def a_model(*steps, **options):
    return TimerModel({f"way {i}": step for i, step in enumerate(steps)}, (1, 2), repeats=1, **options)


def test_a_measurement_is_a_step_and_undo_brings_the_timing_before_back(other_times):
    model = a_model(lambda n: n)
    assert model.is_stored and model.state == stored_timing() and not model.undo()
    model.measure()
    first = model.state
    model.measure()
    assert first.lengths == model.state.lengths == (1, 2) and not model.is_stored
    assert model.undo() and model.state == first and not model.is_stored
    assert model.undo() and model.state == stored_timing() and model.is_stored
    assert not model.undo()


def test_reset_brings_the_stored_timing_back_and_undo_what_was_measured():
    model = a_model(lambda n: n, stored=Timing((4,), {"way 0": (1.0,)}, "a slow machine"))
    model.measure()
    measured = model.state
    model.reset()
    assert model.is_stored and "a slow machine" in model.said()
    assert model.undo() and model.state == measured and "Measured on this machine" in model.said()


class Unspeakable(Exception):
    def __str__(self):
        raise ValueError


def never(n):
    raise Unspeakable


def stopped(n):
    raise KeyboardInterrupt


def left(n):
    raise SystemExit(1)


@pytest.mark.parametrize(
    ("step", "said"),
    [(lambda n: 1 / 0, "division by zero"), (never, "Unspeakable"), (stopped, "KeyboardInterrupt"), (left, "Exit: 1")],
)
def test_a_step_that_fails_is_no_step_of_the_model(step, said):
    model = a_model(lambda n: n)
    model.measure()
    measured, model.steps = model.state, {"bad": step}
    with pytest.raises(ValueError, match=f"could not be measured.*{said}"):
        model.measure()
    assert model.state == measured and model.undo() and model.is_stored


def test_the_progress_is_told_before_each_step():
    told = []
    a_model(lambda n: n).measure(lambda *said: told.append(said))
    assert told == [("way 0", 1, 0.0), ("way 0", 2, 1 / 3)]


# the lab


def test_nothing_is_measured_before_the_button():
    lab = DecodeTimer({"a": lambda n: 1 / 0}, (1,))
    assert lab.model.state == stored_timing() and "Measured once" in lab.line.value and "<img" in lab.picture.value
    assert repr(lab) == lab.still_text() and lab.bar.value == 0
    assert "4096" in lab.still_figure().description


def test_the_button_measures_and_shows():
    calls = []
    lab = DecodeTimer({"a": lambda n: calls.append(n), "b": lambda n: sum(range(n))}, (1, 2), repeats=1)
    stored = lab.picture.value
    lab.button.click()
    assert calls.count(1) >= 2 and calls.count(2) >= 2 and lab.model.state.lengths == (1, 2)
    assert "Measured on this machine" in lab.line.value and lab.bar.value == 1 and lab.picture.value != stored
    assert not lab.button.disabled


def test_undo_and_reset_lead_between_the_stored_picture_and_ones_own(other_times):
    lab = DecodeTimer({"a": lambda n: n, "b": lambda n: n}, (1, 2), repeats=1)
    stored, words = lab.picture.value, lab.line.value
    lab.button.click()
    own = lab.picture.value
    lab.buttons["undo"].click()
    assert (lab.picture.value, lab.line.value, lab.bar.value) == (stored, words, 0)
    assert lab._message.value == MESSAGES["undone"]
    lab.buttons["undo"].click()
    assert lab.picture.value == stored and lab._message.value == MESSAGES["nothing to undo"]
    lab.button.click()
    assert lab.picture.value not in (stored, own) and lab._message.value == ""
    lab.buttons["reset"].click()
    assert (lab.picture.value, lab.line.value) == (stored, words) and lab._message.value == MESSAGES["reset"]
    lab.buttons["undo"].click()
    assert lab.picture.value not in (stored, own) and "Measured on this machine" in lab.line.value


def test_a_step_that_fails_leaves_the_picture():
    steps = {"a": lambda n: 1 / 0}
    lab = DecodeTimer(steps, (1,))
    stored, words = lab.picture.value, lab.line.value
    lab.button.click()
    assert "could not be measured (ZeroDivisionError: division by zero)" in lab._message.value
    assert (lab.picture.value, lab.line.value, lab.bar.value) == (stored, words, 0) and not lab.button.disabled
    lab.model.steps = {"a": lambda n: n}
    lab.button.click()
    assert lab._message.value == "" and lab.picture.value != stored  # the sentence goes with the next measurement


def test_running_out_of_time_is_said():
    lab = DecodeTimer({"a": lambda n: n}, (1, 2), budget=-1)
    lab.button.click()
    assert "up to n = 1:" in lab.line.value


def test_words_are_escaped():
    def bad(n):
        raise ValueError("<script>")

    lab = DecodeTimer({"a": bad}, (1,))
    lab.button.click()
    assert "<script>" not in lab._message.value and "&lt;script&gt;" in lab._message.value
