"""Masks: which query may attend to which key. True = may attend.

Row = query, column = key, as in the scores. Masks of several kinds are
combined with "and".
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arguments import Array, as_array, as_count, common_shape

Mask = ArrayLike | None  # None allows every key


def causal_mask(n_queries: int, n_keys: int | None = None) -> NDArray[np.bool_]:
    """Mark the keys that each query may attend to: its own position and earlier.

    The last query lines up with the last key, so one function serves a whole
    sequence and a decoding step against a KV cache.

    Parameters
    ----------
    n_queries : int
        Query positions, in tokens.
    n_keys : int, optional
        Key positions, in tokens, cached ones included. Default: `n_queries`.

    Returns
    -------
    (n_queries, n_keys) ndarray of bool
        True where attending is allowed.

    Raises
    ------
    ValueError, TypeError
        If a count is negative or not a whole number.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3.

    Examples
    --------
    >>> causal_mask(3).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 1]])
    >>> causal_mask(1, n_keys=3).astype(int)
    array([[1, 1, 1]])
    """
    n_queries = as_count("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else as_count("n_keys", n_keys)
    return np.tri(n_queries, n_keys, k=n_keys - n_queries, dtype=bool)  # the last query lines up with the last key


def sliding_window_mask(
    n_queries: int, n_keys: int | None = None, *, left: int | None, right: int | None = 0
) -> NDArray[np.bool_]:
    """Mark the keys near each query: `left` before it, itself, and `right` after it.

    Parameters
    ----------
    n_queries, n_keys : int
        As in `causal_mask`.
    left, right : int or None
        How many keys are allowed on each side of the query's own position, in
        tokens. None: unbounded. right=0 allows nothing later.

    Returns
    -------
    (n_queries, n_keys) ndarray of bool
        True where attending is allowed.

    Raises
    ------
    ValueError, TypeError
        If a count is negative or not a whole number.

    References
    ----------
    .. [1] Beltagy et al., "Longformer", 2020, section 3.1.
    .. [2] Jiang et al., "Mistral 7B", 2023, section 2. Figure 1 counts the query's
       own token, so W = left + 1; the text allows i - W to i, which is one more.

    Examples
    --------
    >>> sliding_window_mask(4, left=1).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [0, 1, 1, 0],
           [0, 0, 1, 1]])
    """
    n_queries = as_count("n_queries", n_queries)
    n_keys = n_queries if n_keys is None else as_count("n_keys", n_keys)
    before = n_keys if left is None else as_count("left", left)
    after = n_queries if right is None else as_count("right", right)
    own = np.arange(n_queries)[:, None] + (n_keys - n_queries)  # each query's own key, (n_queries, 1)
    key = np.arange(n_keys)  # (n_keys,)
    return (key >= own - before) & (key <= own + after)


def padding_mask(lengths: ArrayLike, n_keys: int) -> NDArray[np.bool_]:
    """Mark, for each sequence of a padded batch, the keys that are real tokens.

    Only keys (columns) are masked. The output of a padded query is never read.

    Parameters
    ----------
    lengths : int or (...) array_like of int
        Real tokens of each sequence; the padding is at the end.
    n_keys : int
        Tokens of each sequence with its padding.

    Returns
    -------
    (..., 1, n_keys) ndarray of bool
        True where the key is a real token. The axis of length 1 is for the
        queries; several heads need one more axis, ``[..., None, :, :]``.

    Raises
    ------
    ValueError, TypeError
        If a length is below 0, above `n_keys`, or not a whole number.

    References
    ----------
    .. [1] Rush, "The Annotated Transformer", 2018, section "Batches and Masking".

    Examples
    --------
    >>> padding_mask(2, n_keys=3).astype(int)
    array([[1, 1, 0]])
    """
    n_keys, counts = as_count("n_keys", n_keys), as_array("lengths", lengths)
    if counts.dtype.kind not in "iu":
        raise TypeError(f"lengths has dtype {counts.dtype}; it needs whole numbers")
    if counts.size and not 0 <= counts.min() <= counts.max() <= n_keys:
        raise ValueError(f"lengths lie between {counts.min()} and {counts.max()}; they need 0 to n_keys={n_keys}")
    return np.arange(n_keys) < counts[..., None, None]  # (..., 1, n_keys)


def combine_masks(*masks: Mask) -> Array | None:
    """Combine masks with "and": a key is allowed where every mask allows it.

    Parameters
    ----------
    *masks : array_like of bool or float, or None
        Broadcast together. None allows everything.

    Returns
    -------
    ndarray or None
        Bool if every mask is bool; otherwise their sum as float masks. None if
        there is no mask.

    Raises
    ------
    ValueError, TypeError
        If the shapes do not broadcast, or a mask is neither bool nor float.

    References
    ----------
    .. [1] Rush, "The Annotated Transformer", 2018, `make_std_mask`: padding and causal mask in one.

    Examples
    --------
    >>> combine_masks(causal_mask(3), padding_mask(2, 3)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    checked = [check_mask(f"mask {i}", mask) for i, mask in enumerate(masks, 1) if mask is not None]
    if not checked:
        return None
    shapes = [mask.shape for mask in checked]
    if common_shape(*shapes) is None:
        raise ValueError(f"masks of shapes {', '.join(map(str, shapes))} do not broadcast together")
    if all(mask.dtype == bool for mask in checked):
        return np.logical_and.reduce(np.broadcast_arrays(*checked))
    dtype = np.result_type(*(mask for mask in checked if mask.dtype != bool))
    added = [(np.where(mask, 0, -np.inf) if mask.dtype == bool else mask).astype(dtype) for mask in checked]
    return sum(added[1:], start=added[0])


def check_mask(name: str, mask: ArrayLike) -> Array:
    """Return the mask as an array of bool or float."""
    array = as_array(name, mask)
    if array.dtype.kind not in "bf":
        raise TypeError(f"{name} has dtype {array.dtype}; it needs bool (True = may attend) or float (added)")
    if array.dtype != bool and not (array < np.inf).all():
        raise ValueError(f"{name} has NaN or +inf; a float mask needs finite numbers or -inf")
    return array


def as_mask(mask: Mask, is_causal: bool, Q: Array, K: Array) -> Array | None:
    """Return one mask that broadcasts to the scores of Q and K; with `is_causal`, combined with the causal mask."""
    n_queries, n_keys = Q.shape[-2], K.shape[-2]
    if mask is not None:
        mask = check_mask("mask", mask)
        scores = (*np.broadcast_shapes(Q.shape[:-2], K.shape[:-2]), n_queries, n_keys)
        if common_shape(mask.shape, scores) != scores:
            raise ValueError(f"mask has shape {mask.shape}; it needs to broadcast to scores {scores}")
    if not isinstance(is_causal, (bool, np.bool_)):
        raise TypeError(f"is_causal is {is_causal!r}; it needs True or False")
    if not is_causal or n_queries == 1:  # a single query is the newest token: nothing is later
        return mask
    causal = causal_mask(n_queries, n_keys)
    return causal if mask is None else combine_masks(mask, causal)


def apply_mask(scaled_scores: Array, mask: Array | None) -> Array:
    """Return the masked scores: -inf where a bool mask forbids; a float mask is added."""
    if mask is None:
        return scaled_scores
    if mask.dtype == bool:
        return np.where(mask, scaled_scores, -np.inf)
    return scaled_scores + mask.astype(scaled_scores.dtype)  # -1e9 becomes -inf in float16, which means the same
