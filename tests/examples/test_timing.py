"""Timing two ways of decoding, without waiting for a clock."""

import numpy as np

from attention_lib.examples.timing import MOST_RUNS, stored_timing, time_steps


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
    assert timing.lengths == (1, 2, 4) and timing.seconds == {"square": (1, 4, 16), "linear": (1, 2, 4)}


def test_the_best_run_counts():
    clock, durations = Clock(), iter([9, 3, 1, 2, "not run"])
    timing = time_steps({"a": lambda n: clock.work(next(durations))}, (1,), repeats=3, clock=clock)
    assert timing.seconds == {"a": (1,)}


def test_short_steps_run_more_often():
    clock, runs = Clock(), []
    time_steps({"a": lambda n: (runs.append(n), clock.work(0.01 / n))}, (1, 100), repeats=3, clock=clock)
    assert runs.count(1) == 20 and runs.count(100) == MOST_RUNS


def test_the_budget_ends_it_after_a_whole_length():
    clock, calls = Clock(), []
    options = {"budget": 10, "clock": clock, "progress": lambda *call: calls.append(call)}
    timing = time_steps({"a": lambda n: clock.work(n)}, (1, 2, 4, 8), **options)
    assert timing.lengths == (1, 2) and timing.seconds == {"a": (1, 2)}
    assert calls == [("a", 1, 0.0), ("a", 2, 1 / 15)]


def test_the_stored_measurement_is_whole_and_shows_what_the_notebook_says():
    timing = stored_timing()
    full, cached = (np.array(seconds) for seconds in timing.seconds.values())
    assert timing.lengths[-1] == 4096 and len(full) == len(cached) == len(timing.lengths)
    assert (full > cached).all() and (np.diff(full) > 0).all()
    long = np.array(timing.lengths) >= 512  # below, the fixed cost of a NumPy call hides what grows with n
    power = np.polyfit(np.log(timing.lengths)[long], np.log(full / cached)[long], 1)[0]
    assert 0.8 < power < 1.2  # recomputing is "about one power of n steeper"
    assert "NumPy" in timing.machine and "2026" in timing.machine
