"""Timing two ways of decoding, without waiting for a clock."""

import numpy as np
import pytest

from attention_lib.analysis.timing import MOST_RUNS, Timing, time_steps
from attention_lib.examples.stored_costs import stored_timing


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


def test_the_stored_measurement_is_whole_and_shows_what_the_notebook_says():
    timing = stored_timing()
    full, cached = (np.array(seconds) for seconds in timing.seconds.values())
    assert timing.lengths[-1] == 4096 and len(full) == len(cached) == len(timing.lengths)
    assert (full > cached).all() and (np.diff(full) > 0).all()
    slopes = timing.slopes()
    assert 0.8 < slopes["recompute everything"] - slopes["with a cache"] < 1.2  # "about one power of n steeper"
    assert "NumPy" in timing.machine and "2026" in timing.machine
