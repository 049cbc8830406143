"""When two outcomes agree."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .exercise import Case
from .runner import Outcome, Raised, Returned, Unusable

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # float32 answers pass; known mistakes are far outside


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes agree: the same numbers within rounding, or an error in both."""
    if isinstance(a, Returned) and isinstance(b, Returned):
        return len(a.parts) == len(b.parts) and all(map(same_array, a.parts, b.parts))
    if isinstance(a, Raised) and isinstance(b, Raised):
        return True  # which error it is depends on how the same mistake is written
    return isinstance(a, Unusable) and a == b


def same_array(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays agree within rounding, in shape, and in being bool or not."""
    if a.shape != b.shape or (a.dtype == bool) != (b.dtype == bool):
        return False
    return bool(close(a, b).all())


def close(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Return where two arrays of one shape agree within rounding; inf agrees with inf, and NaN with NaN."""
    if a.dtype == bool or b.dtype == bool:
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        near = (np.abs(a - b) <= ABSOLUTE + RELATIVE * np.abs(b)) & np.isfinite(b)
        return np.asarray(near | (a == b) | (np.isnan(a) & np.isnan(b)))


@dataclass(frozen=True)
class Trial:
    """Cases, what is right in each, and what an answer gave; the last outcome may be missing or `TimeUp`."""

    cases: Sequence[Case]
    needed: Sequence[Outcome]
    found: Sequence[Outcome] = ()

    def failing(self) -> list[int]:
        """Return the cases that are not right, the smallest first."""
        wrong = [
            i
            for i, (case, needed) in enumerate(zip(self.cases, self.needed))
            if i < len(self.found) and not same(self.found[i], needed)
        ]
        return sorted(wrong, key=lambda i: (self.cases[i].hard, size_of(self.cases[i].arguments)))


def size_of(value: Any) -> int:
    """Return how many numbers there are in the arguments of a case."""
    return sum(map(size_of, value)) if isinstance(value, tuple | list) else np.size(value)
