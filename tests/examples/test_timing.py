"""Timing two ways of decoding, without waiting for a clock."""

from attention_lib.examples.timing import time_steps


class Clock:
    """A clock that only work moves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def work(self, seconds):
        self.now += seconds


def test_the_fastest_round_counts_and_the_first_run_of_each_does_not():
    clock, durations = Clock(), iter([50, 9, 50, 1, 50, 2, "not run"])
    steps = {"a": lambda n: clock.work(next(durations))}
    assert time_steps(steps, 1, rounds=3, budget=1e9, clock=clock) == ({"a": 1}, 3)


def test_the_budget_ends_it_after_a_whole_round_and_three_are_always_timed():
    clock = Clock()
    steps = {"square": lambda n: clock.work(n * n), "linear": lambda n: clock.work(n)}
    assert time_steps(steps, 4, budget=130, clock=clock) == ({"square": 16, "linear": 4}, 4)
    assert time_steps(steps, 4, budget=-1, clock=clock) == ({"square": 16, "linear": 4}, 3)
