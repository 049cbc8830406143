"""Time several ways to do a step, at several lengths."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .data import read_data

ENOUGH, MOST_RUNS = 0.2, 200  # seconds and runs of one step at one length


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, for each way of decoding."""

    lengths: tuple[int, ...]  # tokens so far
    seconds: dict[str, tuple[float, ...]]  # way -> seconds at each length
    machine: str = "this machine"


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
    repeats: int = 3,
    budget: float = 10.0,
    progress: Callable[[str, int, float], None] = lambda name, n, share: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time each step at each length: the best of several runs, which other work on the machine disturbs least.

    Parameters
    ----------
    steps : mapping of str to callable
        Called with n, does the work for token n.
    lengths : sequence of int
        Increasing.
    repeats : int, optional
        Each step runs at least this often after its first run; short steps run more often.
    budget : float, optional
        Seconds after which no further length is begun; the first length is always measured.
    progress : callable, optional
        Called before each step with its name, n and the share done.
    clock : callable, optional
        Returns seconds.
    """
    start = clock()
    measured: list[int] = []
    seconds: dict[str, list[float]] = {name: [] for name in steps}
    for n in lengths:
        if measured and clock() - start > budget:
            break
        for name, step in steps.items():
            progress(name, n, sum(measured) / sum(lengths))
            seconds[name].append(_best_seconds(step, n, repeats, clock))
        measured.append(n)
    return Timing(tuple(measured), {name: tuple(values) for name, values in seconds.items()})


def _best_seconds(step: Callable[[int], object], n: int, repeats: int, clock: Callable[[], float]) -> float:
    runs: list[float] = []
    while len(runs) <= repeats or (sum(runs) < ENOUGH and len(runs) < MOST_RUNS):
        start = clock()
        step(n)
        runs.append(clock() - start)
    return min(runs)
