"""The mask workbench: edit a mask, and see what attention makes of it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attention_lib._checks import as_count
from attention_lib.masks import check_mask


def receptive_field(mask: ArrayLike, n_layers: int, *, skip: bool = False) -> NDArray[np.bool_]:
    """Mark which token can reach which through `n_layers` of attention: the boolean power of the mask.

    Parameters
    ----------
    mask : (n, n) array_like of bool
        True = may attend, in every layer.
    n_layers : int
        At least 1.
    skip : bool, optional
        Whether each layer also keeps the token itself (a skip connection).

    Returns
    -------
    (n, n) ndarray of bool
        True where row's token depends on column's token after the last layer.

    Raises
    ------
    ValueError
        If the mask is not square, or there is no layer.

    References
    ----------
    .. [1] Jiang et al., "Mistral 7B", 2023, section 2: a window of W reaches k x W tokens after k layers.

    Examples
    --------
    >>> from attention_lib import sliding_window_mask
    >>> receptive_field(sliding_window_mask(4, left=1), n_layers=2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1]])
    """
    step = _square(mask)
    if skip:
        step = step | np.eye(len(step), dtype=bool)
    reached = step
    for _ in range(as_count("n_layers", n_layers, least=1) - 1):
        reached = step @ reached  # bool: some key that the query sees had reached the token
    return reached


def layers_needed(mask: ArrayLike, n_layers: int, *, skip: bool = False) -> NDArray[np.int_]:
    """Count the fewest layers, up to `n_layers`, after which row's token has heard of column's; 0 = not within them.

    Examples
    --------
    >>> from attention_lib import sliding_window_mask
    >>> layers_needed(sliding_window_mask(4, left=1), n_layers=2)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [2, 1, 1, 0],
           [0, 2, 1, 1]])
    """
    needed = np.zeros(_square(mask).shape, dtype=int)
    for layer in range(as_count("n_layers", n_layers, least=1), 0, -1):
        needed[receptive_field(mask, layer, skip=skip)] = layer
    return needed


def _square(mask: ArrayLike) -> NDArray[np.bool_]:
    array = check_mask("mask", mask)
    if array.dtype != bool or array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"mask has shape {array.shape} and dtype {array.dtype}; it needs (n, n) of bool")
    return array
