"""Time several ways to do a step, at several lengths, and fit how fast each grows."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

ENOUGH, MOST_RUNS = 0.2, 200  # seconds and runs of one step at one length
LEAST_TOKENS = 512  # below, the fixed cost of a NumPy call hides what grows with n


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, by way of decoding.

    Attributes
    ----------
    lengths : tuple of int
        Tokens so far, n.
    seconds : dict of str to tuple of float
        For each way, the seconds at each length.
    machine : str
        Where it was measured.
    """

    lengths: tuple[int, ...]
    seconds: dict[str, tuple[float, ...]]
    machine: str = "this machine"

    def slopes(self, least: int = LEAST_TOKENS) -> dict[str, float]:
        """Return the slope of each curve on log-log axes, fitted to the lengths of at least `least`.

        Examples
        --------
        >>> Timing((512, 1024, 2048), {"doubling": (1.0, 2.0, 4.0)}).slopes()["doubling"].round(6)
        np.float64(1.0)
        """
        used = np.array(self.lengths) >= least
        if used.sum() < 2:
            return {}
        n = np.log(np.array(self.lengths)[used])
        return {name: np.polyfit(n, np.log(np.array(s)[used]), 1)[0] for name, s in self.seconds.items()}


def time_steps(
    steps: Mapping[str, Callable[[int], Any]],
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
        Runs of each at least, besides the first; short steps run more often.
    budget : float, optional
        Seconds after which no further length is begun.
    progress : callable, optional
        Told the name, n and the share done before each step.
    clock : callable, optional
        Returns seconds.

    Returns
    -------
    Timing
        Of the lengths that fitted in the budget; of the first one in any case.
    """
    start = clock()
    found: dict[str, list[float]] = {name: [] for name in steps}
    total = sum(lengths)
    for i, n in enumerate(lengths):
        if i and clock() - start > budget:
            return Timing(tuple(lengths[:i]), {name: tuple(s) for name, s in found.items()})
        for name, step in steps.items():
            progress(name, n, sum(lengths[:i]) / total)
            found[name].append(_best_seconds(step, n, repeats, clock))
    return Timing(tuple(lengths), {name: tuple(s) for name, s in found.items()})


def _best_seconds(step: Callable[[int], Any], n: int, repeats: int, clock: Callable[[], float]) -> float:
    """Return the shortest of the runs: at least `repeats` after the first, more of short ones."""
    runs: list[float] = []
    while len(runs) <= repeats or (sum(runs) < ENOUGH and len(runs) < MOST_RUNS):
        start = clock()
        step(n)
        runs.append(clock() - start)
    return min(runs)
