"""The backward pass: how a loss changes with every number that attention was calculated from.

Each function undoes one step of the forward calculation, last step first. d_A stands
for the gradient of the loss with respect to A: it has the shape of A, and entry
[i, j] says how fast the loss grows when A[i, j] grows.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .._arguments import (
    QUIET,
    Array,
    all_finite,
    as_finite_number,
    as_float_array,
    as_tokens,
    refuse_non_finite,
    refuse_overflow,
)
from ..attention import AttentionTrace, softmax
from ..multi_head import MultiHeadAttention, MultiHeadTrace, merge_heads, split_heads


class AttentionGradients(NamedTuple):
    """How the loss changes with each step of an `AttentionTrace`, in backward order and in the shapes of these steps.

    A forbidden pair has weight 0, so its scores have gradient 0.
    """

    weights: Array
    scaled_scores: Array
    scores: Array
    Q: Array
    K: Array
    V: Array


class ProjectionGradients(NamedTuple):
    """How the loss changes with the two factors of Q = X @ W_Q (or K, or V)."""

    X: Array
    W: Array


def loss_of(logits: Array, answers: Array) -> float:
    """Return the cross-entropy: the mean of -log(probability of the right answer).

    `logits` has shape (..., n_classes), and `answers` holds the right class of each row, (...).

    Examples
    --------
    >>> round(loss_of(np.array([[0.0, 0.0, 0.0]]), np.array([1])), 3)  # pure guessing among three classes: log 3
    1.099
    """
    logits = logits - logits.max(axis=-1, keepdims=True)  # exp cannot overflow, and nothing else changes
    right = np.take_along_axis(logits, answers[..., None], axis=-1)[..., 0]  # (...)
    return float((np.log(np.exp(logits).sum(axis=-1)) - right).mean())


def loss_backward(logits: Array, answers: Array) -> Array:
    """Go back through `loss_of`, but for the mean: the probabilities, minus 1 at the right answer.

    Examples
    --------
    >>> loss_backward(np.array([[0.0, 0.0]]), np.array([1]))
    array([[ 0.5, -0.5]])
    """
    right = np.eye(logits.shape[-1], dtype=logits.dtype)[answers]  # (..., n_classes): 1 at the right answer
    return softmax(logits) - right


def _through_softmax(weights: Array, d_weights: Array) -> Array:
    """Go back through the softmax of each row: what counts is how much better a key is than the mean of its row."""
    mean = (weights * d_weights).sum(axis=-1, keepdims=True)  # (..., n_queries, 1)
    return weights * (d_weights - mean)  # (..., n_queries, n_keys)


@QUIET
def attention_backward(trace: AttentionTrace, d_output: ArrayLike, *, scale: float | None = None) -> AttentionGradients:
    """Go back through scores, scaled scores, weights and output.

    `scale` is the one of the forward calculation. `d_output` has the shape of the
    output, (..., n_queries, d_v); another shape, NaN and inf raise ValueError.

    References
    ----------
    .. [1] Dao et al., "FlashAttention", 2022, appendix B.2.

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
    gradients = AttentionGradients(
        d_weights,
        d_scaled_scores,
        d_scores,
        _summed_to(trace.Q.shape, d_Q),
        _summed_to(trace.K.shape, d_K),
        _summed_to(trace.V.shape, d_V),
    )
    if not all(map(all_finite, (gradients.Q, gradients.K, gradients.V))):  # whatever is not finite reaches one of them
        for name, gradient in gradients._asdict().items():
            refuse_overflow(f"d_{name}", gradient)
    return gradients


@QUIET
def projection_backward(X: ArrayLike, W: ArrayLike, d_projected: ArrayLike) -> ProjectionGradients:
    """Go back through X @ W, as in Q = X @ W_Q.

    X is (..., n, d_model), W is (d_model, d_k), and `d_projected` is (..., n, d_k); shapes that do not fit,
    NaN and inf raise ValueError. The gradient of W is a sum over all tokens and all sequences.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 6.5.6.

    Examples
    --------
    >>> projection_backward([[1, 2]], [[1], [1]], [[3]]).W
    array([[3.],
           [6.]])
    """
    X, W = as_tokens("X", X, "(..., n, d_model)"), as_tokens("W", W, "(d_model, d_k)")
    d_projected = as_tokens("d_projected", d_projected, "(..., n, d_k)")
    if W.shape[0] != X.shape[-1] or W.ndim != 2:
        raise ValueError(f"W has shape {W.shape} but X has d_model={X.shape[-1]}; it needs (d_model, d_k)")
    _refuse_other_shape("d_projected", d_projected, (*X.shape[:-1], W.shape[1]))
    # One sequence at a time: NumPy would share one long product among threads, which wait for each other on busy cores.
    d_Ws = X.swapaxes(-1, -2) @ d_projected  # (..., d_model, d_k)
    d_W = d_Ws.sum(axis=tuple(range(X.ndim - 2)))  # (d_model, d_k)
    refuse_overflow("d_W", d_W)
    d_X = d_projected @ W.T  # (..., n, d_model)
    refuse_overflow("d_X", d_X)
    return ProjectionGradients(d_X, d_W)


def multi_head_backward(
    mha: MultiHeadAttention, X: Array, trace: MultiHeadTrace, d_output: Array
) -> tuple[Array, dict[str, Array]]:
    """Go back through trace = mha(X); return d_X, and the gradients of "W_Q", "W_K", "W_V" and "W_O".

    X, d_X and `d_output` are (..., n, d_model). Each query head has a key/value head of its own.
    """
    d_concat, d_W_O = projection_backward(trace.concat, mha.W_O, d_output)  # (..., n, h*d_v)
    back = attention_backward(trace.heads, split_heads(d_concat, mha.n_heads))
    Q = projection_backward(X, mha.W_Q, merge_heads(back.Q))
    K = projection_backward(X, mha.W_K, merge_heads(back.K))
    V = projection_backward(X, mha.W_V, merge_heads(back.V))
    d_X = Q.X + K.X + V.X  # X was used three times, so three gradients add up
    return d_X, {"W_Q": Q.W, "W_K": K.W, "W_V": V.W, "W_O": d_W_O}


def finite_differences(loss: Callable[[Array], float], x: ArrayLike) -> Array:
    """Measure how a loss changes with each entry of x: move it up and down a little, and take the slope.

    This is slow, but it needs no calculus, so it can check a backward pass. NaN and inf in x raise ValueError.

    References
    ----------
    .. [1] Baydin et al., "Automatic Differentiation in Machine Learning: a Survey", 2018, section 2.1.

    Examples
    --------
    >>> finite_differences(lambda x: x[0] ** 2 + 5 * x[1], [3.0, 1.0]).round(3)
    array([6., 5.])
    """
    x = np.array(refuse_non_finite("x", as_float_array("x", x)), np.float64)  # a copy, which is moved and restored
    step, slopes = 1e-5, np.zeros_like(x)  # with a smaller step, rounding would outweigh what is gained
    for place in np.ndindex(x.shape):
        here = x[place]
        x[place] = here + step
        above = loss(x)
        x[place] = here - step
        below = loss(x)
        x[place] = here
        slopes[place] = (above - below) / (2 * step)
    return slopes


def _summed_to(shape: tuple[int, ...], gradient: Array) -> Array:
    """Add up the copies that broadcasting made: a number used twice counts twice."""
    if gradient.shape == shape:
        return gradient
    gradient = gradient.sum(axis=tuple(range(gradient.ndim - len(shape))))
    return gradient.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


def _refuse_other_shape(name: str, array: Array, shape: tuple[int, ...]) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}; it needs {shape}")
