"""What surrounds attention in a Transformer block: skip connection and layer norm."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from ._checks import QUIET, Array, all_finite, as_tokens, refuse_overflow

Sublayer = Callable[[Array], Array]  # (..., n, d_model) -> (..., n, d_model)


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


def add_skip(X: ArrayLike, sublayer: Sublayer) -> Array:
    """Add the output ΔE of a sublayer to its input, without a norm: E' = E + ΔE.

    Parameters
    ----------
    X : (..., n, d_model) array_like
    sublayer : callable
        Takes X and returns ΔE, of the same shape.

    Returns
    -------
    (..., n, d_model) ndarray

    Raises
    ------
    ValueError, TypeError
        If X has fewer than two axes, or NaN or inf, or ΔE has another shape.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.1: residual connection.

    Examples
    --------
    >>> add_skip([[1, 2]], lambda X: 10 * X)
    array([[11., 22.]])
    """
    X = as_tokens("X", X, "(..., n, d_model)")
    delta = np.asarray(sublayer(X))
    if delta.shape != X.shape:
        raise ValueError(f"the sublayer returned shape {delta.shape}; it needs the shape of X, {X.shape}")
    return X + delta


def post_norm(X: ArrayLike, sublayer: Sublayer) -> Array:
    """Norm after the sum: layer_norm(X + sublayer(X)). For the arguments and errors see `add_skip`.

    References
    ----------
    .. [1] Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020, section 3: Post-LN.

    Examples
    --------
    >>> post_norm([[1, 3]], lambda X: 10 * X).round(2)
    array([[-1.,  1.]])
    """
    return layer_norm(add_skip(X, sublayer))


def pre_norm(X: ArrayLike, sublayer: Sublayer) -> Array:
    """Norm before the sublayer: X + sublayer(layer_norm(X)). For the arguments and errors see `add_skip`.

    References
    ----------
    .. [1] Xiong et al., "On Layer Normalization in the Transformer Architecture", 2020, section 3: Pre-LN.

    Examples
    --------
    >>> pre_norm([[1, 3]], lambda X: 10 * X).round(2)
    array([[-9., 13.]])
    """
    return add_skip(X, lambda rows: sublayer(layer_norm(rows)))
