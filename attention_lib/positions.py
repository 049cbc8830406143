"""Positions: attention alone does not know which row came first, so the rows have to say it.

Sinusoidal positions are added to the embeddings; rotary positions turn Q and K.
Both turn pairs of columns, each pair at its own speed, the first pair fastest.
"""

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import QUIET, Array, as_count, as_finite_number, as_tokens, refuse_overflow


def sinusoidal_positions(n: int, d_model: int, *, start: int = 0) -> Array:
    """Write each position as sines and cosines of angles that grow with it, to be added to X.

    Columns 2i and 2i + 1 hold sin and cos of position / 10000^(2i / d_model).
    Going k positions further turns each pair by an angle that depends only on k.

    Parameters
    ----------
    n : int
        Positions, in tokens.
    d_model : int
        Columns of X; even.
    start : int, optional
        The first position. Default: 0.

    Returns
    -------
    (n, d_model) ndarray of float64
        Numbers between -1 and 1.

    Raises
    ------
    ValueError, TypeError
        If an argument is not a whole number, or is negative, or `d_model` is 0 or odd.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> sinusoidal_positions(2, 4).round(2)
    array([[0.  , 1.  , 0.  , 1.  ],
           [0.84, 0.54, 0.01, 1.  ]])
    """
    n, d_model = as_count("n", n), as_count("d_model", d_model, least=1)
    if d_model % 2:
        raise ValueError(f"d_model is {d_model}; it needs to be even, because columns come in pairs of sine and cosine")
    angles = _angles(n, d_model, start, base=10000.0)  # (n, d_model/2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)  # pairs side by side


@QUIET
def rotary_positions(X: ArrayLike, *, start: int = 0, base: float = 10000.0) -> Array:
    """Turn the pairs of columns (0, 1), (2, 3), ... of each row by angles that grow with its position.

    If you turn Q and K (not V), each score depends on the distance between query
    and key, and not on where they are. Pairs are neighbouring columns, as in the
    paper; Llama as published on Hugging Face pairs column i with column i + d/2.

    Parameters
    ----------
    X : (..., n, d) array_like
        Queries or keys, one row per token; d is even.
    start : int, optional
        The position of the first row: with a KV cache, its length. Default: 0.
    base : float, optional
        Pair i turns by base^(-2i / d) radians per position. Default: 10000.

    Returns
    -------
    (..., n, d) ndarray
        Same dtype as `X`; integers and lists become float64. Each row keeps its length.

    Raises
    ------
    ValueError, TypeError
        If X has fewer than two axes, an odd number of columns, or NaN or inf; if
        `start` is negative or `base` is not above 0; if a turned number overflows.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position
       Embedding", 2021, sections 3.2.2 and 3.4.2.

    Examples
    --------
    >>> rotary_positions([[1, 0], [1, 0]]).round(2)  # the second row is turned by one radian
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    """
    X = as_tokens("X", X, "(..., n, d)")
    n, d = X.shape[-2:]
    if d % 2:
        raise ValueError(f"X has {d} columns; it needs an even number, because columns are turned in pairs")
    base = as_finite_number("base", base)
    if base <= 0:
        raise ValueError(f"base is {base}; it needs a number above 0")
    angles = _angles(n, d, start, base)  # (n, d/2): in float64, whatever the dtype of X
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = X[..., 0::2], X[..., 1::2]  # (..., n, d/2)
    pairs = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)  # (..., n, d/2, 2)
    turned: Array = pairs.reshape(X.shape).astype(X.dtype)
    refuse_overflow("a turned number", turned)
    return turned


def _angles(n: int, d: int, start: int, base: float) -> Array:
    """Return the angle in radians by which each position turns each pair, (n, d/2)."""
    positions = as_count("start", start) + np.arange(float(n))[:, None]  # (n, 1)
    return positions * base ** (-np.arange(0, d, 2) / d)  # 1 per position for the first pair, less for each later one
