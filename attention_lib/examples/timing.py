"""Time several ways to do a step, and read the times that were stored."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .data import read_data


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, for each way of decoding."""

    lengths: tuple[int, ...]  # tokens so far
    seconds: dict[str, tuple[float, ...]]  # way -> seconds at each length
    machine: str


def stored_timing(name: str = "writing_seconds") -> Timing:
    """Return a stored measurement: how long the small model takes for a word.

    Examples
    --------
    >>> stored_timing().lengths
    (16, 32, 64, 128, 256, 512)
    """
    record = read_data(name)
    seconds = {way: tuple(values) for way, values in record["seconds"].items()}
    return Timing(tuple(record["lengths"]), seconds, record["machine"])


def time_steps(
    steps: Mapping[str, Callable[[int], object]],
    n: int,
    *,
    rounds: int = 25,
    budget: float = 8.0,
    clock: Callable[[], float] = time.perf_counter,
) -> tuple[dict[str, float], int]:
    """Time each step once in every round; return the fewest seconds of each, and how many rounds there were.

    A step is called with n and does the work for token n. There are three rounds or more, at most `rounds`, and none
    begins after `budget` seconds.
    """
    start = clock()
    times: dict[str, list[float]] = {name: [] for name in steps}
    done = 0
    while done < 3 or (done < rounds and clock() - start < budget):
        for name, step in steps.items():
            step(n)  # not timed: it may have to fill a cache first, and the step before it used other memory
            began = clock()
            step(n)
            times[name].append(clock() - began)
        done += 1
    return {name: min(seconds) for name, seconds in times.items()}, done
