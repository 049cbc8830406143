"""How attention is calculated: scores, scaled scores, masked scores, weights, output.

`attend` is the whole calculation. The public functions below it check what
they are given and name the first step that is not finite. Rows are tokens,
always; leading axes broadcast: a batch or several heads need no second function.
"""

import math
from dataclasses import dataclass

import numpy as np

from . import _checks
from ._checks import QUIET, Array, Given, Maybe, Scale, all_finite, as_rows, as_tokens, refuse, refuse_overflow
from .masks import apply_mask, as_mask


def attend(Q: Array, K: Array, V: Array, mask: Array | None = None, scale: Scale = None) -> "AttentionTrace":
    """Calculate softmax(Q @ K.T / sqrt(d_k)) @ V on checked arrays and keep every step."""
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
    exps = scores - scores.max(axis=axis, keepdims=True, initial=lowest)
    np.exp(exps, out=exps)
    exps /= np.maximum(exps.sum(axis=axis, keepdims=True), 1)  # the sum is at least exp(0) = 1, or 0 in a dead row
    return exps.astype(x.dtype, copy=False)


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

    Q: Array
    K: Array
    V: Array
    scores: Array
    scaled_scores: Array
    masked_scores: Array
    weights: Array
    output: Array

    def __post_init__(self) -> None:
        for name, array in self.steps():
            vars(self)[name] = _checks.read_only(array)  # the one place that may write to it

    def __repr__(self) -> str:  # a learner who asks for the whole trace gets its shapes, not hundreds of numbers
        return "AttentionTrace: " + ", ".join(f"{name} {array.shape}" for name, array in self.steps())

    def steps(self) -> list[tuple[str, Array]]:
        """Return (name, array) for every step, in the order of calculation."""
        return list(vars(self).items())


@QUIET
def softmax(x: Given, axis: int = -1) -> Array:
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
    x, axis = _checks.as_float_array("x", x), _checks.as_whole_number("axis", axis)
    not -x.ndim <= axis < x.ndim and refuse(f"x has shape {x.shape}, which has no axis {axis}")
    not (x < np.inf).all() and refuse("x has NaN or +inf; softmax needs finite numbers or -inf")
    return _softmax(x, axis)


@QUIET
def scaled_dot_product_attention(
    Q: Given, K: Given, V: Given, mask: Maybe = None, *, is_causal: bool = False, scale: Scale = None
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
    Q, K = as_rows("Q", Q, "(..., n_queries, d_k)"), as_rows("K", K, "(..., n_keys, d_k)")
    V = as_rows("V", V, "(..., n_keys, d_v)")
    K.shape[-1] != Q.shape[-1] and refuse(f"K has d_k={K.shape[-1]} but Q has d_k={Q.shape[-1]}")
    V.shape[-2] != K.shape[-2] and refuse(f"V has {V.shape[-2]} rows but K has {K.shape[-2]}; each key needs one value")
    dtype = np.result_type(Q, K, V)  # copies: a later edit of the caller's arrays must not change the trace
    Q, K, V = (np.array(array, dtype=dtype) for array in (Q, K, V))
    return _attend(Q, K, V, mask, is_causal, scale, raw="QKV")


@QUIET
def self_attention(
    X: Given, W_Q: Given, W_K: Given, W_V: Given, mask: Maybe = None, *, is_causal: bool = False, scale: Scale = None
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
    W_Q, W_K, W_V = _as_projections(W_Q, W_K, W_V, X=X)
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V  # (..., n, d_k), (..., n, d_k), (..., n, d_v)
    return _attend(Q, K, V, mask, is_causal, scale)


@QUIET
def cross_attention(
    X: Given, context: Given, W_Q: Given, W_K: Given, W_V: Given, mask: Maybe = None, *, scale: Scale = None
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
    W_Q, W_K, W_V = _as_projections(W_Q, W_K, W_V, X=X, context=context)
    Q, K, V = X @ W_Q, context @ W_K, context @ W_V  # (..., n_queries, d_k), (..., n_keys, d_k), (..., n_keys, d_v)
    return _attend(Q, K, V, mask, False, scale)


def _as_projections(W_Q: Given, W_K: Given, W_V: Given, **sources: Array) -> list[Array]:
    """Return the projections as arrays: W_Q fits the first source, W_K and W_V the last."""
    projections = []
    first, *_, last = list(sources) * 2
    for source, name, W in ((first, "W_Q", W_Q), (last, "W_K", W_K), (last, "W_V", W_V)):
        projections.append(as_tokens(name, W, "(d_model, d_k)"))
        _checks.refuse_other_width(source, sources[source], name, projections[-1])
        if projections[-1].ndim > 2:
            _checks.refuse_unlike_leading_axes(**{source: sources[source], name: projections[-1]})
    asked, offered = projections[0].shape[-1], projections[1].shape[-1]
    offered != asked and refuse(f"W_K has {offered} columns but W_Q has {asked}; both need d_k")
    return projections


def _attend(Q: Array, K: Array, V: Array, mask: Maybe, is_causal: bool, scale: Scale, raw: str = "") -> AttentionTrace:
    """Attend once mask and scale are checked, and name the first step that is not finite."""
    _checks.refuse_unlike_leading_axes(Q=Q, K=K, V=V)
    scale = None if scale is None else _checks.as_finite_number("scale", scale)
    return finite(attend(Q, K, V, as_mask(mask, is_causal, Q, K), scale), raw)


def finite(trace: AttentionTrace, raw: str = "") -> AttentionTrace:
    """Return the trace, or name its first step that is not finite; the `raw` ones are the caller's own."""
    if trace.output.size and all_finite(trace.scaled_scores) and all_finite(trace.output):
        return trace  # 0 * inf is NaN: whatever is not finite reaches one of these two
    for name, step in trace.steps():
        if name != "masked_scores":
            (_checks.refuse_non_finite if name in raw else refuse_overflow)(name.replace("_", " "), step)
        elif not (step < np.inf).all():  # -inf is meant
            raise ValueError(f"mask lifts a scaled score out of the range of {step.dtype}; use smaller numbers")
    return trace
