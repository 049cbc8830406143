"""The masks that others are composed of, by name."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...masks import causal_mask, padding_mask, sliding_window_mask


class PartSizes(NamedTuple):
    """What the parts of a mask need to know, besides the number of tokens."""

    left: int = 2
    right: int = 0
    real: int = 5


def mask_part(name: str, n: int, sizes: PartSizes | None = None) -> NDArray[np.bool_]:
    """Return the mask of a name for n tokens.

    Examples
    --------
    >>> mask_part("left_padding", 4, PartSizes(real=3))[0].astype(int)
    array([0, 1, 1, 1])
    """
    left, right, real = sizes or PartSizes()
    padding = padding_mask(min(real, n), n)  # (1, n): the same for each query
    parts = {
        "everything": np.ones((n, n), dtype=bool),
        "nothing": np.zeros((n, n), dtype=bool),
        "causal": causal_mask(n),
        "window": sliding_window_mask(n, left=left, right=right),
        "padding": padding,
        "left_padding": padding[:, ::-1],
        "itself": np.eye(n, dtype=bool),
        "first": padding_mask(1, n),
    }
    return np.broadcast_to(parts[name], (n, n)).copy()
