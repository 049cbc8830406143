"""Positions: attention alone does not know which row came first, so it has to be told.

Both ways turn pairs of numbers at their own speeds, the first pair fastest.
Sinusoidal positions are added to the embeddings; rotary ones turn Q and K.
"""

import numpy as np

from ._checks import QUIET, Array, Given, as_count, as_finite_number, as_tokens, refuse, refuse_overflow


def sinusoidal_positions(n: int, d_model: int, *, start: int = 0) -> Array:
    """Write each position as sines and cosines of angles that grow with it, to be added to X.

    Columns 2i and 2i + 1 hold sin and cos of position / 10000^(2i / d_model).
    The row k positions further on is, pair by pair, the same row turned by an
    angle that depends on k alone.

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
        All numbers lie between -1 and 1.

    Raises
    ------
    ValueError, TypeError
        If a size is not a whole number of at least 0 (`d_model`: 1), or `d_model` is odd.

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
    d_model % 2 and refuse(f"d_model is {d_model}; it needs to be even, for columns come in pairs of sine and cosine")
    angles = _angles(n, d_model, start, base=10000.0)  # (n, d_model/2)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(n, d_model)  # pairs side by side


@QUIET
def rotary_positions(X: Given, *, start: int = 0, base: float = 10000.0) -> Array:
    """Turn the pairs of columns (0, 1), (2, 3), ... of each row by angles that grow with its position.

    Applied to Q and to K (not to V), it leaves each score with the distance
    between query and key: moving both by as many positions changes no score.
    Pairs are neighbours, as in the paper; Llama as published on Hugging Face
    pairs column i with column i + d/2 instead.

    Parameters
    ----------
    X : (..., n, d) array_like
        Queries or keys of one head (or of several: the heads are a leading axis), one row a token; d is even.
    start : int, optional
        The position of the first row: with a KV cache, the tokens that it held before. Default: 0.
    base : float, optional
        Pair i turns by base^(-2i / d) radians a position, so a larger base turns more slowly. Default: 10000.

    Returns
    -------
    (..., n, d) ndarray
        Same shape and dtype as `X` (integers and lists become float64); the length of no row changes.

    Raises
    ------
    ValueError, TypeError
        If X has fewer than two axes, an odd number of columns, or NaN or inf, or
        a turned number leaves the range of the dtype; if `start` is not a whole
        number of at least 0, or `base` not a number above 0.

    References
    ----------
    .. [1] Su et al., "RoFormer: Enhanced Transformer with Rotary Position
       Embedding", 2021, sections 3.2.2 and 3.4.2.

    Examples
    --------
    >>> rotary_positions([[1, 0], [1, 0]]).round(2)  # the second row is turned by one radian
    array([[1.  , 0.  ],
           [0.54, 0.84]])
    >>> q, k = [[1, 2, 3, 4]], [[4, 3, 2, 1]]  # the query two positions after the key, early and late
    >>> [(rotary_positions(q, start=k_at + 2) @ rotary_positions(k, start=k_at).T).round(6) for k_at in (0, 50)]
    [array([[1.190051]]), array([[1.190051]])]
    """
    X = as_tokens("X", X, "(..., n, d)")
    n, d = X.shape[-2:]
    d % 2 and refuse(f"X has {d} columns; it needs an even number, for columns are turned in pairs")
    base = as_finite_number("base", base)
    base <= 0 and refuse(f"base is {base}; it needs a number above 0")
    angles = _angles(n, d, start, base)  # (n, d/2): in float64, whatever the dtype of X
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = X[..., 0::2], X[..., 1::2]  # (..., n, d/2)
    pairs = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1)  # (..., n, d/2, 2)
    turned: Array = pairs.reshape(X.shape).astype(X.dtype)
    refuse_overflow("a turned number", turned)
    return turned


def _angles(n: int, d: int, start: int, base: float) -> Array:
    """By how many radians each position turns each pair, (n, d/2)."""
    positions = as_count("start", start) + np.arange(float(n))[:, None]  # (n, 1)
    return positions * base ** (-np.arange(0, d, 2) / d)  # the first pair turns by 1 a position, each later one by less
