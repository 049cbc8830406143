"""What each step of decoding reuses, makes anew and never needs, with a KV cache and without."""

import numpy as np
from numpy.typing import NDArray

from ...masks import sliding_window_mask

REUSED, NEW, NEVER, AGAIN, NOT_YET = range(5)
States = NDArray[np.int_]


def allowed_pairs(n: int, window: int | None) -> NDArray[np.bool_]:
    """Which query may see which key, for all n tokens: (n, n)."""
    return sliding_window_mask(n, left=None if window is None else window - 1)


def row_states(n: int, before: int, now: int, window: int | None = None, recompute: bool = False) -> States:
    """Say for each token what happens to its rows of Q, K, V and output in one step, (n, 4).

    Each is one of REUSED, NEW, NEVER, AGAIN and NOT_YET.

    Examples
    --------
    >>> row_states(3, before=1, now=2)
    array([[2, 0, 0, 2],
           [1, 1, 1, 1],
           [4, 4, 4, 4]])
    """
    states = np.full((n, 4), NOT_YET)
    states[before:now] = NEW
    states[:before] = AGAIN if recompute else NEVER
    if not recompute and now > before:
        is_read = allowed_pairs(n, window)[before:now, :before].any(axis=0)  # (before,): by a new query
        states[:before, 1:3] = np.where(is_read, REUSED, NEVER)[:, None]
    return states
