"""Time several ways to do a step, at several lengths."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from .data import read_data


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, for each way of decoding."""

    lengths: tuple[int, ...]  # tokens so far
    seconds: dict[str, tuple[float, ...]]  # way -> seconds at each length
    machine: str = "this machine"
    runs: int = 0  # how often each step was timed; 0 where that is said with the machine


def stored_timing(name: str = "decode_seconds") -> Timing:
    """Return a stored measurement: "decode_seconds", or "writing_seconds" of the small model.

    Examples
    --------
    >>> stored_timing("writing_seconds").lengths
    (16, 32, 64, 128, 256, 512)
    """
    record = read_data(name)
    seconds = {way: tuple(values) for way, values in record["seconds"].items()}
    return Timing(tuple(record["lengths"]), seconds, record["machine"])


def time_steps(
    steps: Mapping[str, Callable[[int], object]],
    lengths: Sequence[int],
    *,
    repeats: int = 25,
    budget: float = 8.0,
    progress: Callable[[str, int], None] = lambda name, n: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time each step at each length, once in every round, and take the median over the rounds.

    Whatever else disturbs the machine for a while disturbs a round, and not one length alone.

    Parameters
    ----------
    steps : mapping of str to callable
        Called with n, does the work for token n.
    lengths : sequence of int
        Increasing.
    repeats : int, optional
        The most rounds.
    budget : float, optional
        Seconds after which no further length is begun; the first length is always measured.
    progress : callable, optional
        Called before each step with its name and n.
    clock : callable, optional
        Returns seconds.
    """
    start = clock()
    runs: dict[str, dict[int, list[float]]] = {name: {} for name in steps}
    for i, n in enumerate([*lengths] * repeats):
        if i > 0 and clock() - start > budget:
            break
        for name, step in steps.items():
            progress(name, n)
            step(n)  # not timed: it may have to fill a cache first
            runs[name].setdefault(n, []).append(_seconds_of(step, n, clock))
    medians = {name: tuple(median(times) for times in by_length.values()) for name, by_length in runs.items()}
    by_length = next(iter(runs.values()))
    return Timing(tuple(by_length), medians, runs=min(map(len, by_length.values())))


def _seconds_of(step: Callable[[int], object], n: int, clock: Callable[[], float]) -> float:
    start = clock()
    step(n)
    return clock() - start
