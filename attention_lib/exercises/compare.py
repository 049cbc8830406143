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
    return not first_differs(a, b) and bool(close(a, b).all())


def first_differs(a: NDArray[Any], b: NDArray[Any]) -> bool:
    """Whether the first entries are numbers that differ: most arrays that do not agree are told apart by these."""
    if not a.size:
        return False
    x, y = a.item(0), b.item(0)
    if not math.isfinite(x) or not math.isfinite(y):
        return False
    return bool(abs(x - y) > ABSOLUTE + RELATIVE * abs(y))


def close(a: NDArray[Any], b: NDArray[Any]) -> NDArray[np.bool_]:
    """Return where two arrays of one shape agree within rounding."""
    if a.dtype == bool or b.dtype == bool:
        return np.asarray(a == b)
    with np.errstate(all="ignore"):
        near = (np.abs(a - b) <= ABSOLUTE + RELATIVE * np.abs(b)) & np.isfinite(b)
        return np.asarray(near | (a == b) | ((a != a) & (b != b)))  # inf, and nan in both
