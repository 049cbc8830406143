"""Reach: what a mask lets through several layers of attention, one after another."""

import numpy as np
from numpy.typing import ArrayLike, NDArray


def layers_needed(mask: ArrayLike, n_layers: int) -> NDArray[np.int_]:
    """Count the fewest layers, up to `n_layers`, after which row's token has heard of column's; 0 = not within them.

    The mask is (n, n) of bool, True = may attend, and the same in every layer.

    References
    ----------
    .. [1] Jiang et al., "Mistral 7B", 2023, section 2: each layer carries information one window further.

    Examples
    --------
    >>> from attention_lib import sliding_window_mask
    >>> layers_needed(sliding_window_mask(4, left=1), n_layers=2)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [2, 1, 1, 0],
           [0, 2, 1, 1]])
    """
    mask = np.asarray(mask, dtype=bool)
    needed = np.zeros(mask.shape, dtype=int)
    reached = np.eye(len(mask), dtype=bool)
    for layer in range(1, n_layers + 1):
        reached = mask @ reached  # bool: a key that the query may read had heard of the token
        needed[reached & (needed == 0)] = layer
    return needed
