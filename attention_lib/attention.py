"""Attention: scores, scaled scores, masked scores, weights, output.

Rows are tokens, always. Leading axes broadcast, so a batch or several heads
need no second function. Read `scaled_dot_product_attention` first; the whole
calculation is the few lines of `attend`.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import (
    all_finite,
    as_finite_number,
    as_float_array,
    as_switch,
    as_tokens,
    as_whole_number,
    read_only,
    refuse_unlike_leading_axes,
)
from .masks import apply_mask, causal_mask, check_mask

QUIET = np.errstate(over="ignore", invalid="ignore")  # overflow is looked for and named instead of warned of


@dataclass(frozen=True, eq=False)
class AttentionTrace:
    """Every step of one attention calculation, in order, as read-only arrays.

    Attributes
    ----------
    Q : (..., n_queries, d_k) ndarray
    K : (..., n_keys, d_k) ndarray
    V : (..., n_keys, d_v) ndarray
    scores : (..., n_queries, n_keys) ndarray
        Q @ K.T; row = query, column = key.
    scaled_scores : (..., n_queries, n_keys) ndarray
        scores / sqrt(d_k), or scores * scale where a scale was given.
    masked_scores : (..., n_queries, n_keys) ndarray
        The scaled scores with -inf where the mask forbids.
    weights : (..., n_queries, n_keys) ndarray
        Softmax of the masked scores over the last axis: the attention map.
    output : (..., n_queries, d_v) ndarray
        weights @ V.

    Examples
    --------
    >>> trace = scaled_dot_product_attention([[1, 0]], [[1, 0], [0, 1]], [[1, 0], [0, 1]])
    >>> [name for name, array in trace.steps()][3:]
    ['scores', 'scaled_scores', 'masked_scores', 'weights', 'output']
    >>> trace.scores
    array([[1., 0.]])
    """

    Q: NDArray[Any]
    K: NDArray[Any]
    V: NDArray[Any]
    scores: NDArray[Any]
    scaled_scores: NDArray[Any]
    masked_scores: NDArray[Any]
    weights: NDArray[Any]
    output: NDArray[Any]

    def __post_init__(self) -> None:
        own = vars(self)  # the one place that may write to it
        for name, array in own.items():
            own[name] = read_only(array)

    def __repr__(self) -> str:  # a learner who asks for the whole trace gets its shapes, not hundreds of numbers
        return "AttentionTrace: " + ", ".join(f"{name} {array.shape}" for name, array in self.steps())

    def steps(self) -> list[tuple[str, NDArray[Any]]]:
        """Return (name, array) for every step, in the order of calculation."""
        return list(vars(self).items())


@QUIET
def softmax(x: ArrayLike, axis: int = -1) -> NDArray[Any]:
    """Turn each slice of `x` along `axis` into positive numbers that sum to 1.

    The maximum is subtracted first: the result is the same, and exp cannot
    overflow. A slice of nothing but -inf (no allowed key) becomes all zeros.

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
    ValueError
        If `x` has NaN or +inf, or no such axis.
    TypeError
        If `x` does not hold real numbers.

    References
    ----------
    .. [1] Milakov and Gimelshein, "Online normalizer calculation for softmax",
       2018, section 2: naive and safe softmax.
    .. [2] PyTorch >= 2.5, and the operator Attention of ONNX >= 1.23: a row that
       is masked everywhere yields 0.

    Examples
    --------
    >>> softmax([1.0, 1.0, 2.0]).round(3)
    array([0.212, 0.212, 0.576])
    >>> softmax([-np.inf, -np.inf])
    array([0., 0.])
    """
    x = as_float_array("x", x)
    axis = as_whole_number("axis", axis)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(f"x has shape {x.shape}, which has no axis {axis}")
    if not (x < np.inf).all():
        raise ValueError("x has NaN or +inf; softmax needs finite numbers or -inf")
    return _softmax(x, axis)


def _softmax(x: NDArray[Any], axis: int) -> NDArray[Any]:
    scores = _at_least_float32(x)
    lowest = np.finfo(scores.dtype).min  # finite, so that a dead row does not become -inf - (-inf) = NaN
    exps = scores - scores.max(axis=axis, keepdims=True, initial=lowest)
    np.exp(exps, out=exps)
    total = exps.sum(axis=axis, keepdims=True)  # at least exp(0) = 1, or 0 in a dead row
    exps /= np.maximum(total, 1)
    return exps.astype(x.dtype, copy=False)


def scaled_dot_product_attention(
    Q: ArrayLike,
    K: ArrayLike,
    V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> AttentionTrace:
    """Calculate softmax(Q @ K.T / sqrt(d_k)) @ V and keep every step.

    Parameters
    ----------
    Q : (..., n_queries, d_k) array_like
        Queries, one row a token.
    K : (..., n_keys, d_k) array_like
        Keys, one row a token.
    V : (..., n_keys, d_v) array_like
        Values, one row for each key.
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
        Of the same dtype as the inputs. A row with no allowed key has weights
        0 and output 0.

    Raises
    ------
    ValueError
        If shapes do not fit, a number is NaN or inf, or a product leaves the
        range of the dtype.
    TypeError
        If an input is not of real numbers, the mask is neither bool nor float,
        or `is_causal` is neither True nor False.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> trace = scaled_dot_product_attention([[1, 1, 1, 1]], np.eye(4), np.eye(4))
    >>> trace.weights
    array([[0.25, 0.25, 0.25, 0.25]])
    """
    Q = as_tokens("Q", Q, "(..., n_queries, d_k)")
    K = as_tokens("K", K, "(..., n_keys, d_k)")
    V = as_tokens("V", V, "(..., n_keys, d_v)")
    if K.shape[-1] != Q.shape[-1]:
        raise ValueError(f"K has d_k={K.shape[-1]} but Q has d_k={Q.shape[-1]}")
    if V.shape[-2] != K.shape[-2]:
        raise ValueError(f"V has {V.shape[-2]} rows but K has {K.shape[-2]}; each key needs one value")
    refuse_unlike_leading_axes(Q=Q, K=K, V=V)
    dtype = np.result_type(Q, K, V)  # copies: a later edit of the caller's arrays must not change the trace
    Q, K, V = (np.array(array, dtype=dtype) for array in (Q, K, V))
    return attend(Q, K, V, mask, is_causal=is_causal, scale=scale)


@QUIET
def self_attention(
    X: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: ArrayLike | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> AttentionTrace:
    """Let the tokens of one sequence attend to each other: Q, K and V all come from X.

    Parameters
    ----------
    X : (..., n, d_model) array_like
        Embeddings, one row a token.
    W_Q, W_K : (d_model, d_k) array_like
        Projections to queries and keys.
    W_V : (d_model, d_v) array_like
        Projection to values.
    mask, is_causal, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    AttentionTrace

    Raises
    ------
    ValueError, TypeError
        As in `scaled_dot_product_attention`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, sections 3.2.1 and 3.2.3.

    Examples
    --------
    >>> X = [[1, 0], [0, 1]]
    >>> self_attention(X, np.eye(2), np.eye(2), np.eye(2)).output.round(2)
    array([[0.67, 0.33],
           [0.33, 0.67]])
    """
    X = as_tokens("X", X, "(..., n, d_model)")
    Q, K, V = project("X", X, "W_Q", W_Q), project("X", X, "W_K", W_K), project("X", X, "W_V", W_V)
    return _attend_projected(Q, K, V, mask, is_causal=is_causal, scale=scale)


@QUIET
def cross_attention(
    X: ArrayLike,
    context: ArrayLike,
    W_Q: ArrayLike,
    W_K: ArrayLike,
    W_V: ArrayLike,
    mask: ArrayLike | None = None,
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
        Projections.
    mask, scale
        As in `scaled_dot_product_attention`.

    Returns
    -------
    AttentionTrace
        Its attention map is (n_queries, n_keys), rectangular in general.

    Raises
    ------
    ValueError, TypeError
        As in `scaled_dot_product_attention`.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3:
       encoder-decoder attention.

    Examples
    --------
    >>> trace = cross_attention([[1, 0]], [[1, 0], [0, 1], [0, 1]], np.eye(2), np.eye(2), np.eye(2))
    >>> trace.weights.shape
    (1, 3)
    """
    X = as_tokens("X", X, "(..., n_queries, d_model)")
    context = as_tokens("context", context, "(..., n_keys, d_context)")
    Q = project("X", X, "W_Q", W_Q)
    K, V = project("context", context, "W_K", W_K), project("context", context, "W_V", W_V)
    return _attend_projected(Q, K, V, mask, is_causal=False, scale=scale)


@QUIET
def attend(
    Q: NDArray[Any],
    K: NDArray[Any],
    V: NDArray[Any],
    mask: ArrayLike | None = None,
    *,
    is_causal: bool = False,
    scale: float | None = None,
) -> AttentionTrace:
    """Do the calculation on arrays whose shapes and numbers have been checked.

    Raises
    ------
    ValueError
        If the mask does not fit, or a product leaves the range of the dtype.
    """
    n_queries, n_keys, d_k = Q.shape[-2], K.shape[-2], Q.shape[-1]
    scores = Q @ K.swapaxes(-1, -2)  # (..., n_queries, n_keys)
    refuse_overflow("scores", scores, Q=Q, K=K)
    if scale is None:
        scaled_scores = scores / math.sqrt(d_k)
    else:
        scaled_scores = scores * as_finite_number("scale", scale)
        refuse_overflow("scaled scores", scaled_scores)
    masked_scores = scaled_scores
    if mask is not None:
        masked_scores = apply_mask(masked_scores, check_mask("mask", mask, scores.shape))
    if as_switch("is_causal", is_causal) and n_queries > 1:  # a single query is the newest token: nothing is later
        masked_scores = apply_mask(masked_scores, causal_mask(n_queries, n_keys))
    weights = _softmax(masked_scores, axis=-1)  # (..., n_queries, n_keys), each row sums to 1
    output = weights @ V  # (..., n_queries, d_v)
    refuse_overflow("output", output, V=V)
    return AttentionTrace(Q, K, V, scores, scaled_scores, masked_scores, weights, output)


def project(source: str, X: NDArray[Any], name: str, W: ArrayLike) -> NDArray[Any]:
    """Return X @ W; `source` and `name` are what a caller knows them by."""
    W = as_tokens(name, W, "(d_model, d_k)")
    refuse_other_width(source, X, name, W)
    if W.ndim > 2:
        refuse_unlike_leading_axes(**{source: X, name: W})
    return X @ W


def refuse_other_width(source: str, X: NDArray[Any], name: str, W: NDArray[Any]) -> None:
    """Raise ValueError where W does not have a row for each column of X."""
    if W.shape[-2] != X.shape[-1]:
        raise ValueError(
            f"{name} has {W.shape[-2]} rows but {source} has {X.shape[-1]} columns; each column needs a row"
        )


def refuse_overflow(name: str, array: NDArray[Any], **factors: NDArray[Any]) -> None:
    """Raise ValueError where a product is not finite, naming the first factor that was not, or else the product."""
    if all_finite(array):
        return
    name = next((factor for factor, numbers in factors.items() if not all_finite(numbers)), name)
    largest = np.finfo(array.dtype).max
    raise ValueError(
        f"{name} left the range of {array.dtype}, which ends at {largest:.5g}; use smaller numbers or a wider dtype"
    )


def _attend_projected(Q: Any, K: Any, V: Any, mask: Any, *, is_causal: bool, scale: float | None) -> AttentionTrace:
    """Check that the projections agree with each other, then attend."""
    if K.shape[-1] != Q.shape[-1]:
        raise ValueError(f"W_K has {K.shape[-1]} columns but W_Q has {Q.shape[-1]}; both need d_k")
    refuse_unlike_leading_axes(Q=Q, K=K, V=V)
    return attend(Q, K, V, mask, is_causal=is_causal, scale=scale)


def _at_least_float32(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(np.float32) if array.dtype == np.float16 else array
