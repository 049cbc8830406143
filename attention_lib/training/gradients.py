"""The backward pass: how a loss changes with every number that attention was calculated from.

Each function undoes one step of `attention.attend`, last step first. d_A stands
for the gradient of the loss with respect to A: it has the shape of A, and entry
[i, j] says how fast the loss grows when A[i, j] grows.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._checks import all_finite, as_finite_number, as_float_array, as_rows, as_tokens, refuse_non_finite
from ..attention import QUIET, AttentionTrace, refuse_overflow


class AttentionGradients(NamedTuple):
    """How the loss changes with each step of an `AttentionTrace`, in backward order.

    Attributes
    ----------
    weights, scaled_scores, scores : (..., n_queries, n_keys) ndarray
        A forbidden pair has weight 0, so its scores have gradient 0.
    Q, K, V : ndarray
        Of the shapes of Q, K and V.
    """

    weights: NDArray[Any]
    scaled_scores: NDArray[Any]
    scores: NDArray[Any]
    Q: NDArray[Any]
    K: NDArray[Any]
    V: NDArray[Any]


class ProjectionGradients(NamedTuple):
    """How the loss changes with the two factors of Q = X @ W_Q (or K, or V)."""

    X: NDArray[Any]
    W: NDArray[Any]


@QUIET
def softmax_backward(weights: ArrayLike, d_weights: ArrayLike) -> NDArray[Any]:
    """Go back through the softmax of the last axis.

    Raising one score takes weight from all other keys of its row. So what
    counts is how much better a key is than the mean of its row, where the
    weights themselves do the weighing.

    Parameters
    ----------
    weights : (..., n_queries, n_keys) array_like
        What the softmax gave; each row sums to 1, or to 0 (a dead row).
    d_weights : (..., n_queries, n_keys) array_like
        How the loss changes with the weights.

    Returns
    -------
    (..., n_queries, n_keys) ndarray
        How the loss changes with the scores that went into the softmax. Each row sums to 0.

    Raises
    ------
    ValueError, TypeError
        If the two shapes differ, or a number is NaN or inf.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.5.

    Examples
    --------
    >>> softmax_backward([[0.5, 0.5]], [[1, 0]])
    array([[ 0.25, -0.25]])
    """
    weights, d_weights = _as_finite("weights", weights), _as_finite("d_weights", d_weights)
    _refuse_other_shape("d_weights", d_weights, weights.shape)
    d_scores = _through_softmax(weights, d_weights)  # (..., n_queries, n_keys)
    refuse_overflow("d_scores", d_scores)
    return d_scores


def _through_softmax(weights: NDArray[Any], d_weights: NDArray[Any]) -> NDArray[Any]:
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (..., n_queries, 1)
    return weights * (d_weights - mean)  # (..., n_queries, n_keys)


@QUIET
def attention_backward(trace: AttentionTrace, d_output: ArrayLike, *, scale: float | None = None) -> AttentionGradients:
    """Go back through scores, scaled scores, weights and output.

    Parameters
    ----------
    trace : AttentionTrace
        Every step of the forward calculation.
    d_output : (..., n_queries, d_v) array_like
        How the loss changes with the output.
    scale : float, optional
        The one that the forward calculation was given. Default: 1 / sqrt(d_k).

    Returns
    -------
    AttentionGradients

    Raises
    ------
    ValueError, TypeError
        If `d_output` does not have the shape of the output, a number is NaN or inf, or `trace` is no AttentionTrace.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1: the forward calculation.
    .. [2] Dao et al., "FlashAttention", 2022, appendix B.2: its backward pass.

    Examples
    --------
    >>> from attention_lib import scaled_dot_product_attention
    >>> trace = scaled_dot_product_attention([[1, 0]], [[0, 0], [0, 0]], [[1], [3]])
    >>> attention_backward(trace, [[1]]).scaled_scores
    array([[-0.5,  0.5]])
    """
    if not isinstance(trace, AttentionTrace):
        raise TypeError(f"trace is a {type(trace).__name__}; it needs an AttentionTrace")
    d_output = as_tokens("d_output", d_output, "(..., n_queries, d_v)")
    _refuse_other_shape("d_output", d_output, trace.output.shape)
    scale = 1 / math.sqrt(trace.Q.shape[-1]) if scale is None else as_finite_number("scale", scale)
    d_weights = d_output @ trace.V.swapaxes(-1, -2)  # (..., n_queries, n_keys)
    d_V = trace.weights.swapaxes(-1, -2) @ d_output  # (..., n_keys, d_v)
    d_scaled_scores = _through_softmax(trace.weights, d_weights)  # (..., n_queries, n_keys)
    d_scores = d_scaled_scores * scale  # (..., n_queries, n_keys)
    d_Q = d_scores @ trace.K  # (..., n_queries, d_k): a query collects the keys it met
    d_K = d_scores.swapaxes(-1, -2) @ trace.Q  # (..., n_keys, d_k): a key collects the queries it met
    found = AttentionGradients(
        d_weights,
        d_scaled_scores,
        d_scores,
        _summed_to(trace.Q.shape, d_Q),
        _summed_to(trace.K.shape, d_K),
        _summed_to(trace.V.shape, d_V),
    )
    if not all(map(all_finite, found[-3:])):  # whatever is not finite reaches d_Q, d_K or d_V
        for name, gradient in found._asdict().items():
            refuse_overflow(f"d_{name}", gradient)
    return found


@QUIET
def projection_backward(X: ArrayLike, W: ArrayLike, d_projected: ArrayLike) -> ProjectionGradients:
    """Go back through X @ W, as in Q = X @ W_Q.

    Parameters
    ----------
    X : (..., n, d_model) array_like
    W : (d_model, d_k) array_like
    d_projected : (..., n, d_k) array_like
        How the loss changes with X @ W.

    Returns
    -------
    ProjectionGradients
        Of the shapes of X and W. All tokens, and all sequences of a batch, add to the one W.

    Raises
    ------
    ValueError
        If the shapes do not fit.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.5.6.

    Examples
    --------
    >>> projection_backward([[1, 2]], [[1], [1]], [[3]]).W
    array([[3.],
           [6.]])
    """
    X, W = as_rows("X", X, "(..., n, d_model)"), as_tokens("W", W, "(d_model, d_k)")
    d_projected = as_rows("d_projected", d_projected, "(..., n, d_k)")
    if W.shape[0] != X.shape[-1] or W.ndim != 2:
        raise ValueError(f"W has shape {W.shape} but X has d_model={X.shape[-1]}; it needs (d_model, d_k)")
    _refuse_other_shape("d_projected", d_projected, (*X.shape[:-1], W.shape[1]))
    d_W = projection_gradient(X, d_projected)  # (d_model, d_k)
    d_X = d_projected @ W.T  # (..., n, d_model)
    refuse_overflow("d_X", d_X)
    return ProjectionGradients(d_X, d_W)


@QUIET
def projection_gradient(X: ArrayLike, d_projected: ArrayLike) -> NDArray[Any]:
    """Go back through X @ W to W alone, where nothing asks how the loss changes with X.

    Parameters
    ----------
    X : (..., n, d_model) array_like
    d_projected : (..., n, d_k) array_like
        How the loss changes with X @ W.

    Returns
    -------
    (d_model, d_k) ndarray
        All tokens, and all sequences of a batch, add to the one W.

    Raises
    ------
    ValueError, TypeError
        If the shapes do not fit, or a number is NaN or inf.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.5.6.

    Examples
    --------
    >>> projection_gradient([[1, 2]], [[3]])
    array([[3.],
           [6.]])
    """
    X, d_projected = as_tokens("X", X, "(..., n, d_model)"), as_tokens("d_projected", d_projected, "(..., n, d_k)")
    _refuse_other_shape("d_projected", d_projected, (*X.shape[:-1], d_projected.shape[-1]))
    # One sequence at a time: one long product over all tokens is cut up for several threads, which wait for busy cores.
    d_Ws = X.swapaxes(-1, -2) @ d_projected  # (..., d_model, d_k)
    d_W = d_Ws.sum(axis=tuple(range(X.ndim - 2)))  # (d_model, d_k)
    refuse_overflow("d_W", d_W)
    return d_W


def finite_differences(loss: Callable[[NDArray[Any]], float], x: ArrayLike, step: float = 1e-5) -> NDArray[Any]:
    """Measure how a loss changes with each entry of x: move it up and down a little, take the slope.

    Slow, and needs no calculus: it tells whether a backward pass is right.

    Parameters
    ----------
    loss : function
        Takes an array like x, returns one number.
    x : (...) array_like
        Where to measure.
    step : float, optional
        How far each entry is moved.

    Returns
    -------
    (...) ndarray of float64
        The shape of x. Its error shrinks with the square of the step, until rounding takes over.

    Raises
    ------
    ValueError, TypeError
        If x holds no real numbers, or NaN or inf, or the step is not above 0.

    References
    ----------
    .. [1] Baydin et al., "Automatic Differentiation in Machine Learning: a Survey", 2018, section 2.1.

    Examples
    --------
    >>> finite_differences(lambda x: x[0] ** 2 + 5 * x[1], [3.0, 1.0]).round(3)
    array([6., 5.])
    """
    x = np.array(_as_finite("x", x), dtype=np.float64)  # a copy, which is moved and moved back
    if as_finite_number("step", step) <= 0:
        raise ValueError(f"step is {step!r}; it needs to be above 0")
    slopes = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        here = x[place]
        x[place] = here + step
        above = loss(x)
        x[place] = here - step
        below = loss(x)
        x[place] = here
        slopes[place] = (above - below) / (2 * step)
    return slopes


def _as_finite(name: str, value: ArrayLike) -> NDArray[Any]:
    array = as_float_array(name, value)
    refuse_non_finite(name, array)
    return array


def _summed_to(shape: tuple[int, ...], gradient: NDArray[Any]) -> NDArray[Any]:
    """Add up the copies that broadcasting made: a number used twice counts twice."""
    if gradient.shape == shape:
        return gradient
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    repeated = tuple(i for i, size in enumerate(shape) if size == 1 and gradient.shape[i] > 1)
    return gradient.sum(axis=repeated, keepdims=True)


def _refuse_other_shape(name: str, array: NDArray[Any], shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; it needs {shape}")
