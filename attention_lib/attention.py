"""How attention is calculated: scores, scaled scores, masked scores, weights, output.

`attend` is the whole calculation. The public functions below it check their
input first. Rows are tokens, always. Leading axes broadcast, so a batch or
several heads need no second function.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import _arguments
from ._arguments import QUIET, Array, all_finite, as_rows, as_tokens, read_only, refuse_non_finite, refuse_overflow
from .masks import Mask, apply_mask, as_mask


def attend(Q: Array, K: Array, V: Array, mask: Array | None = None, scale: float | None = None) -> "AttentionTrace":
    """Calculate softmax(Q @ K.T / sqrt(d_k)) @ V on checked arrays, and keep every step."""
    d_k = Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2)  # (..., n_queries, n_keys): row = query, column = key
    scaled_scores = scores / math.sqrt(d_k) if scale is None else scores * scale  # (..., n_queries, n_keys)
    masked_scores = apply_mask(scaled_scores, mask)  # (..., n_queries, n_keys): -inf where the mask forbids
    weights = _softmax(masked_scores, axis=-1)  # (..., n_queries, n_keys): each row sums to 1
    output = weights @ V  # (..., n_queries, d_v)
    return AttentionTrace(Q, K, V, scores, scaled_scores, masked_scores, weights, output)


def _softmax(x: Array, axis: int) -> Array:
    scores = x.astype(np.float32) if x.dtype == np.float16 else x
    lowest = np.finfo(scores.dtype).min  # finite, so that a dead row does not become -inf - (-inf) = NaN
    shifted = scores - scores.max(axis=axis, keepdims=True, initial=lowest)  # the largest is 0 now
    exps = np.exp(shifted, out=shifted)
    sums = np.maximum(exps.sum(axis=axis, keepdims=True), 1)  # a sum is at least exp(0) = 1, or 0 in a dead row
    exps /= sums
    return exps.astype(x.dtype, copy=False)


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every step of one attention calculation, in order, as read-only arrays.

    From the scores to the weights, all are (..., n_queries, n_keys): row = query, column = key.

    Examples
    --------
    >>> trace = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 1]])
    >>> trace.scores
    array([[1., 0.]])
    """

    Q: Array  # (..., n_queries, d_k)
    K: Array  # (..., n_keys, d_k)
    V: Array  # (..., n_keys, d_v)
    scores: Array  # Q @ K.T
    scaled_scores: Array  # scores / sqrt(d_k), or scores * scale if you passed a scale
    masked_scores: Array  # the scaled scores with -inf where the mask forbids
    weights: Array  # softmax of the masked scores over the last axis: the attention map
    output: Array  # weights @ V, (..., n_queries, d_v)

    def __post_init__(self) -> None:
        for name, array in self.steps():
            vars(self)[name] = read_only(array)  # only here: the dataclass itself is frozen

    def __repr__(self) -> str:  # printing the whole trace shows its shapes, not hundreds of numbers
        return "AttentionTrace: " + ", ".join(f"{name} {array.shape}" for name, array in self.steps())

    def steps(self) -> list[tuple[str, Array]]:
        """Return (name, array) for every step, in the order of calculation."""
        return list(vars(self).items())


@QUIET
def softmax(x: ArrayLike, axis: int = -1) -> Array:
    """Turn each slice of `x` along `axis` into numbers from 0 to 1 that sum to 1.

    The maximum is subtracted first, so exp cannot overflow; the result is the
    same. A slice that holds only -inf (no allowed key) becomes all zeros.

    Parameters
    ----------
    x : (...) array_like
        Scores. -inf means "forbidden".
    axis : int, optional
        The axis that sums to 1. Default: the last, the keys.

    Returns
    -------
    (...) ndarray
        Same shape and dtype as `x`; integers and lists become float64.

    Raises
    ------
    ValueError, TypeError
        If `x` has NaN or +inf, has no such axis, or does not hold real numbers.

    References
    ----------
    .. [1] Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018, section 2.
    .. [2] PyTorch >= 2.5 and ONNX Runtime >= 1.28 also return 0 for a forbidden row.

    Examples
    --------
    >>> softmax([1.0, 1.0, 2.0]).round(3)
    array([0.212, 0.212, 0.576])
    >>> softmax([-np.inf, -np.inf])
    array([0., 0.])
    """
    x, axis = _arguments.as_float_array("x", x), _arguments.as_whole_number("axis", axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x has shape {x.shape}, which has no axis {axis}")
    if not (x < np.inf).all():
        raise ValueError("x has NaN or +inf; softmax needs finite numbers or -inf")
    return _softmax(x, axis)


@QUIET
def scaled_dot_product_attention(
    Q: ArrayLike, K: ArrayLike, V: ArrayLike, mask: Mask = None, *, is_causal: bool = False, scale: float | None = None
) -> AttentionTrace:
    """Calculate softmax(Q @ K.T / sqrt(d_k)) @ V and keep every step.

    Parameters
    ----------
    Q : (..., n_queries, d_k) array_like
        Queries, one row per token.
    K : (..., n_keys, d_k) array_like
        Keys, one row per token.
    V : (..., n_keys, d_v) array_like
        Values, one row per key.
    mask : array_like of bool or float, optional
        Broadcasts to (..., n_queries, n_keys). Bool: True = may attend.
        Float: added to the scaled scores. Default: every key is allowed.
    is_causal : bool, optional
        Also forbid later keys; the last query lines up with the last key.
    scale : float, optional
        Multiplies the scores. Default: 1 / sqrt(d_k).

    Returns
    -------
    AttentionTrace
        Its arrays have the dtype of the inputs. A row with no allowed key has
        weights 0 and output 0.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, a number is NaN or inf, a step leaves the range of
        the dtype, or an argument has the wrong type.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> scaled_dot_product_attention([[1, 1, 1, 1]], np.eye(4), np.eye(4)).weights
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    Q, K = as_rows("Q", Q, "(..., n_queries, d_k)"), as_rows("K", K, "(..., n_keys, d_k)")
    V = as_rows("V", V, "(..., n_keys, d_v)")
    if K.shape[-1] != Q.shape[-1]:
        raise ValueError(f"K has d_k={K.shape[-1]} but Q has d_k={Q.shape[-1]}")
    if V.shape[-2] != K.shape[-2]:
        raise ValueError(f"V has {V.shape[-2]} rows but K has {K.shape[-2]}; each key needs one value")
    dtype = np.result_type(Q, K, V)
    Q, K, V = (np.array(array, dtype) for array in (Q, K, V))  # copies: later edits of the inputs change no trace
    return _checked_attend(Q, K, V, mask, is_causal, scale, inputs=("Q", "K", "V"))


@QUIET
def self_attention(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: Mask = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> AttentionTrace:
    """Let the tokens of one sequence attend to each other: Q, K and V all come from X.

    Parameters
    ----------
    X : (..., n, d_model) array_like
        Embeddings, one row per token.
    W_Q, W_K : (d_model, d_k) array_like
    W_V : (d_model, d_v) array_like
        Projections to queries, keys and values.
    mask, is_causal, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    AttentionTrace
        Bad input raises ValueError or TypeError, as in `scaled_dot_product_attention`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, sections 3.2.1 and 3.2.3.

    Examples
    --------
    >>> self_attention([[1, 0], [0, 1]], np.eye(2), np.eye(2), np.eye(2)).output.round(2)
    array([[0.67, 0.33],
           [0.33, 0.67]])
    """
    X = as_tokens("X", X, "(..., n, d_model)")
    W_Q = _as_projection("W_Q", W_Q, "X", X)
    W_K = _as_projection("W_K", W_K, "X", X)
    W_V = _as_projection("W_V", W_V, "X", X)
    _refuse_other_d_k(W_Q, W_K)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (..., n, d_k), (..., n, d_k), (..., n, d_v)
    return _checked_attend(Q, K, V, mask, is_causal, scale)


@QUIET
def cross_attention(
    X: ArrayLike,
    context: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: Mask = None,
    *,
    scale: float | None = None,
) -> AttentionTrace:
    """Let one sequence read another: Q comes from X, K and V come from the context.

    Parameters
    ----------
    X : (..., n_queries, d_model) array_like
        Embeddings of the sequence that asks.
    context : (..., n_keys, d_context) array_like
        Embeddings of the sequence that is read.
    W_Q : (d_model, d_k) array_like
    W_K : (d_context, d_k) array_like
    W_V : (d_context, d_v) array_like
        Projections to queries, keys and values.
    mask, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    AttentionTrace
        Bad input raises ValueError or TypeError, as in `scaled_dot_product_attention`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3: encoder-decoder attention.

    Examples
    --------
    >>> cross_attention([[1, 0]], [[1, 0], [0, 1], [0, 1]], np.eye(2), np.eye(2), np.eye(2)).weights.shape
    (1, 3)
    """
    X = as_tokens("X", X, "(..., n_queries, d_model)")
    context = as_tokens("context", context, "(..., n_keys, d_context)")
    W_Q = _as_projection("W_Q", W_Q, "X", X)
    W_K = _as_projection("W_K", W_K, "context", context)
    W_V = _as_projection("W_V", W_V, "context", context)
    _refuse_other_d_k(W_Q, W_K)
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V  # (..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v)
    return _checked_attend(Q, K, V, mask, False, scale)


def _as_projection(name: str, W: ArrayLike, source: str, rows: Array) -> Array:
    """Return W as an array that the rows of `source` can be multiplied by."""
    width = "d_context" if source == "context" else "d_model"
    W = as_tokens(name, W, f"({width}, {'d_v' if name == 'W_V' else 'd_k'})")
    _arguments.refuse_other_width(source, rows, name, W)
    if W.ndim > 2:
        _arguments.refuse_unlike_leading_axes(**{source: rows, name: W})
    return W


def _refuse_other_d_k(W_Q: Array, W_K: Array) -> None:
    if W_K.shape[-1] != W_Q.shape[-1]:
        raise ValueError(f"W_K has {W_K.shape[-1]} columns but W_Q has {W_Q.shape[-1]}; both need d_k")


def _checked_attend(
    Q: Array, K: Array, V: Array, mask: Mask, is_causal: bool, scale: float | None, inputs: tuple[str, ...] = ()
) -> AttentionTrace:
    _arguments.refuse_unlike_leading_axes(Q=Q, K=K, V=V)
    if scale is not None:
        scale = _arguments.as_finite_number("scale", scale)
    trace = attend(Q, K, V, as_mask(mask, is_causal, Q, K), scale)
    refuse_bad_step(trace, inputs)
    return trace


def refuse_bad_step(trace: AttentionTrace, inputs: tuple[str, ...] = ()) -> None:
    """Raise ValueError naming the first step that is not finite.

    `inputs` are the steps that the caller passed in; every other step was calculated, so it overflowed.
    """
    if trace.output.size and all_finite(trace.scaled_scores) and all_finite(trace.output):
        return  # 0 * inf is NaN, so whatever is not finite reaches one of these two
    for name, step in trace.steps():
        if name in inputs:
            refuse_non_finite(name, step)
        elif name != "masked_scores":
            refuse_overflow(name.replace("_", " "), step)
        elif not (step < np.inf).all():  # -inf is meant
            raise ValueError(f"mask lifts a scaled score out of the range of {step.dtype}; use smaller numbers")
