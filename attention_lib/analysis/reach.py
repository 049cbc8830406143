"""Reach: what a mask lets through several layers of attention, one after another."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._checks import as_count
from ..masks import check_mask


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
    .. [1] Jiang et al., "Mistral 7B", 2023, section 2: each layer carries information one window further.

    Examples
    --------
    >>> from attention_lib import sliding_window_mask
    >>> receptive_field(sliding_window_mask(4, left=1), n_layers=2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1]])
    """
    *_, last = _reach(mask, n_layers, skip)
    return last


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
    reached = np.stack([*_reach(mask, n_layers, skip)])  # (n_layers, n, n)
    return np.where(reached.any(axis=0), reached.argmax(axis=0) + 1, 0)


def _reach(mask: ArrayLike, n_layers: int, skip: bool) -> Iterator[NDArray[np.bool_]]:
    """Which token depends on which after one layer, after two, ..."""
    mask = check_mask("mask", mask)
    if mask.dtype != bool or mask.ndim != 2 or mask.shape[0] != mask.shape[1]:
        raise ValueError(f"mask has shape {mask.shape} and dtype {mask.dtype}; it needs (n, n) of bool")
    step = mask | np.eye(len(mask), dtype=bool) if skip else mask
    reached = np.eye(len(mask), dtype=bool)
    for _ in range(as_count("n_layers", n_layers, least=1)):
        reached = step @ reached  # bool: some key that the query sees had reached the token
        yield reached
