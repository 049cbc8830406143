"""Layer norm, which stands before attention in a Transformer block, or after it."""

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import QUIET, Array, all_finite, as_tokens, refuse_overflow


@QUIET
def layer_norm(X: ArrayLike, gain: ArrayLike = 1.0, bias: ArrayLike = 0.0, *, eps: float = 1e-5) -> Array:
    """Give every token's row mean 0 and variance 1, then stretch and shift each column.

    Parameters
    ----------
    X : (..., n, d_model) array_like
    gain, bias : (d_model,) array_like or number, optional
        Learned; 1 and 0 leave the row as it is.
    eps : float, optional
        Added to the variance, so that a constant row becomes 0, not NaN.

    Returns
    -------
    (..., n, d_model) ndarray

    Raises
    ------
    ValueError, TypeError
        If X has fewer than two axes, or NaN or inf, or numbers whose squares
        overflow, or `gain` or `bias` does not fit, or `eps` is not above 0.

    References
    ----------
    .. [1] Ba, Kiros and Hinton, "Layer Normalization", 2016, section 3.

    Examples
    --------
    >>> layer_norm([[1, 3], [5, 5]]).round(2)
    array([[-1.,  1.],
           [ 0.,  0.]])
    """
    X = as_tokens("X", X, "(..., n, d_model)")
    if not eps > 0:
        raise ValueError(f"eps is {eps}; it needs a number above 0")
    gain, bias = _as_columns("gain", gain, X), _as_columns("bias", bias, X)
    rows = X.astype(np.float64)  # (..., n, d_model): in float16 the square of 256 is too large already
    centred = rows - rows.mean(axis=-1, keepdims=True)  # (..., n, d_model)
    variance = (centred**2).mean(axis=-1, keepdims=True)  # (..., n, 1)
    refuse_overflow("variance", variance)
    return (gain * centred / np.sqrt(variance + eps) + bias).astype(X.dtype)


def _as_columns(name: str, value: ArrayLike, X: Array) -> Array:
    columns = np.asarray(value, X.dtype)
    if columns.shape not in ((), X.shape[-1:]):
        raise ValueError(f"{name} has shape {columns.shape}; it needs ({X.shape[-1]},), one number per column of X")
    if not all_finite(columns):
        raise ValueError(f"{name} has NaN or inf")
    return columns
