"""When two outcomes agree."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .runner import Outcome, Raised, Returned, Unusable

RELATIVE, ABSOLUTE = 1e-5, 1e-6  # float32 answers pass; the known mistakes are far outside


def same(a: Outcome, b: Outcome) -> bool:
    """Whether two outcomes agree: the same numbers within rounding, or an error in both."""
    if isinstance(a, Returned) and isinstance(b, Returned):
        return len(a.parts) == len(b.parts) and all(map(same_array, a.parts, b.parts))
    if isinstance(a, Raised) and isinstance(b, Raised):
        return True  # which error it is depends on how the same mistake is written
    return isinstance(a, Unusable) and isinstance(b, Unusable) and a == b


def same_array(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether two arrays agree within rounding, in shape, and in being bool or not."""
    if a.shape != b.shape or (a.dtype == bool) != (b.dtype == bool):
        return False
    if differs_at_a_glance(a, b):
        return False
    return (a.dtype == b.dtype and a.tobytes() == b.tobytes()) or bool(close(a, b).all())


def differs_at_a_glance(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether the first, the middle or the last entries are numbers that differ: nearly all that do not agree do so."""
    for i in (0, a.size // 2, -1) if a.size else ():
        x, y = a.item(i), b.item(i)
        if math.isfinite(x) and math.isfinite(y) and abs(x - y) > ABSOLUTE + RELATIVE * abs(y):
            return True
    return False


def close(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two arrays of one shape agree within rounding."""
    if a.dtype == bool or b.dtype == bool:
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        near = (np.abs(a - b) <= ABSOLUTE + RELATIVE * np.abs(b)) & np.isfinite(b)
        return np.asarray(near | (a == b) | ((a != a) & (b != b)))  # inf, and nan in both
