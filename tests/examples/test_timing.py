"""Timing two ways of decoding, without waiting for a clock."""

import numpy as np

from attention_lib.examples.timing import stored_timing, time_steps


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


def test_the_median_of_the_rounds_counts_and_the_first_run_of_each_does_not():
    clock, durations = Clock(), iter([50, 9, 50, 1, 50, 2, "not run"])
    timing = time_steps({"a": lambda n: clock.work(next(durations))}, (1,), repeats=3, budget=1e9, clock=clock)
    assert timing.seconds == {"a": (2,)} and timing.runs == 3


def test_a_disturbance_that_lasts_a_while_falls_on_a_round_and_not_on_one_length():
    clock, calls = Clock(), iter(range(1000))
    slowed = {"a": lambda n: clock.work(n * (10 if next(calls) < 6 else 1))}  # as long as the first round lasts
    timing = time_steps(slowed, (1, 2, 4), repeats=3, budget=1e9, clock=clock)
    assert timing.seconds == {"a": (1, 2, 4)}


def test_the_budget_ends_it_after_a_whole_length():
    clock, calls = Clock(), []
    options = {"budget": 5, "clock": clock, "progress": lambda *call: calls.append(call)}
    timing = time_steps({"a": lambda n: clock.work(n)}, (1, 2, 4, 8), **options)
    assert timing.lengths == (1, 2) and timing.seconds == {"a": (1, 2)} and timing.runs == 1
    assert calls == [("a", 1), ("a", 2)]


def test_the_first_length_is_always_measured():
    clock = Clock()
    assert time_steps({"a": lambda n: clock.work(n)}, (3, 4), budget=-1, clock=clock).seconds == {"a": (3,)}


def test_the_stored_measurement_is_whole_and_shows_what_the_notebook_says():
    timing = stored_timing()
    full, cached = (np.array(seconds) for seconds in timing.seconds.values())
    assert timing.lengths[-1] == 4096 and len(full) == len(cached) == len(timing.lengths)
    assert (full > cached).all() and (np.diff(full) > 0).all()
    long = np.array(timing.lengths) >= 512  # below, the fixed cost of a NumPy call hides what grows with n
    power = np.polyfit(np.log(timing.lengths)[long], np.log(full / cached)[long], 1)[0]
    assert 0.8 < power < 1.2  # recomputing is "about one power of n steeper"
    assert "NumPy" in timing.machine and "2026" in timing.machine
