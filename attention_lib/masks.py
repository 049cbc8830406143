"""Masks: which query may attend to which key. True = may attend.

Row = query, column = key, as in the scores. Masks of several kinds are
combined with "and".
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ._checks import as_array, as_count


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
        True where attending is allowed; row = query, column = key.

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
    return sliding_window_mask(n_queries, n_keys, left=None, right=0)


def sliding_window_mask(
    n_queries: int, n_keys: int | None = None, *, left: int | None, right: int | None = 0
) -> NDArray[np.bool_]:
    """Mark the keys near each query: `left` before it, itself, and `right` after it.

    Parameters
    ----------
    n_queries : int
        Query positions, in tokens.
    n_keys : int, optional
        Key positions, in tokens. Default: `n_queries`. The last query lines up
        with the last key.
    left, right : int or None
        How many keys are seen on each side, in tokens, besides the query's own
        position. None: unbounded. right=0 looks at nothing later.

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
    .. [2] Jiang et al., "Mistral 7B", 2023, section 2. Its figure 1 counts W
       tokens, the query's own among them: left = W - 1. (Its text lets
       position i see i - W to i, one more.)

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
    own = np.arange(n_queries)[:, None] + (n_keys - n_queries)  # each query's own key, (n_queries, 1)
    key = np.arange(n_keys)  # (n_keys,)
    allowed = np.ones((n_queries, n_keys), dtype=bool)
    if left is not None:
        allowed &= key >= own - as_count("left", left)
    if right is not None:
        allowed &= key <= own + as_count("right", right)
    return allowed


def padding_mask(lengths: ArrayLike, n_keys: int) -> NDArray[np.bool_]:
    """Mark, for each sequence of a padded batch, the keys that are real tokens.

    Only columns (keys) are masked: a pad row (query) yields an output that
    nobody reads.

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
        queries. Masks for several heads need one more axis:
        ``padding_mask(lengths, n)[..., None, :, :]``.

    Raises
    ------
    ValueError, TypeError
        If a length is below 0, above `n_keys`, or not a whole number.

    References
    ----------
    .. [1] Rush, "The Annotated Transformer", 2018, section "Batches and Masking".

    Examples
    --------
    >>> padding_mask([2, 3], n_keys=3).astype(int)
    array([[[1, 1, 0]],
    <BLANKLINE>
           [[1, 1, 1]]])
    """
    n_keys = as_count("n_keys", n_keys)
    counts = as_array("lengths", lengths)
    if counts.dtype.kind not in "iu":
        raise TypeError(f"lengths has dtype {counts.dtype}; it needs whole numbers")
    if counts.size and not 0 <= counts.min() <= counts.max() <= n_keys:
        raise ValueError(f"lengths lie between {counts.min()} and {counts.max()}; they need 0 to n_keys={n_keys}")
    return np.arange(n_keys) < counts[..., None, None]  # (..., 1, n_keys)


def combine_masks(*masks: ArrayLike | None) -> NDArray[Any] | None:
    """Combine masks with "and": a key is allowed where every mask allows it.

    Parameters
    ----------
    *masks : array_like of bool or float, or None
        Broadcast together. None allows everything.

    Returns
    -------
    ndarray or None
        Bool where every mask is bool; where one is float, their sum as float
        masks. None where nothing was given.

    Raises
    ------
    ValueError, TypeError
        If the shapes do not broadcast, or a mask is neither bool nor float.

    References
    ----------
    .. [1] Rush, "The Annotated Transformer", 2018, `make_std_mask`:
       padding and causal mask in one.

    Examples
    --------
    >>> combine_masks(causal_mask(3), padding_mask(2, 3)).astype(int)
    array([[1, 0, 0],
           [1, 1, 0],
           [1, 1, 0]])
    """
    checked = [check_mask(f"mask {i}", mask) for i, mask in enumerate(masks, 1) if mask is not None]
    try:
        np.broadcast_shapes(*(mask.shape for mask in checked))
    except ValueError:
        shapes = " and ".join(str(mask.shape) for mask in checked)
        raise ValueError(f"masks of shapes {shapes} do not broadcast together") from None
    if not checked:
        return None
    if all(mask.dtype == bool for mask in checked):
        return np.logical_and.reduce(np.broadcast_arrays(*checked))
    dtype = np.result_type(*(mask for mask in checked if mask.dtype != bool))
    combined = _as_float_mask(checked[0], dtype)
    for mask in checked[1:]:
        combined = combined + _as_float_mask(mask, dtype)
    return combined


def receptive_field(mask: ArrayLike, n_layers: int, *, skip: bool = False) -> NDArray[np.bool_]:
    """Mark which token can reach which through `n_layers` of attention: the boolean power of the mask.

    Parameters
    ----------
    mask : (n, n) array_like of bool
        True = may attend, in every layer.
    n_layers : int
        At least 1.
    skip : bool, optional
        Whether each layer also keeps the token itself (a skip connection).

    Returns
    -------
    (n, n) ndarray of bool
        True where row's token depends on column's token after the last layer.

    Raises
    ------
    ValueError
        If the mask is not square, or there is no layer.

    References
    ----------
    .. [1] Jiang et al., "Mistral 7B", 2023, section 2: each layer carries information one window further.

    Examples
    --------
    >>> receptive_field(sliding_window_mask(4, left=1), n_layers=2).astype(int)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [1, 1, 1, 0],
           [0, 1, 1, 1]])
    """
    step = _square(mask)
    if skip:
        step = step | np.eye(len(step), dtype=bool)
    reached = step
    for _ in range(as_count("n_layers", n_layers, least=1) - 1):
        reached = step @ reached  # bool: some key that the query sees had reached the token
    return reached


def layers_needed(mask: ArrayLike, n_layers: int, *, skip: bool = False) -> NDArray[np.int_]:
    """Count the fewest layers, up to `n_layers`, after which row's token has heard of column's; 0 = not within them.

    Examples
    --------
    >>> layers_needed(sliding_window_mask(4, left=1), n_layers=2)
    array([[1, 0, 0, 0],
           [1, 1, 0, 0],
           [2, 1, 1, 0],
           [0, 2, 1, 1]])
    """
    needed = np.zeros(_square(mask).shape, dtype=int)
    for layer in range(as_count("n_layers", n_layers, least=1), 0, -1):
        needed[receptive_field(mask, layer, skip=skip)] = layer
    return needed


def check_mask(name: str, mask: ArrayLike, scores_shape: tuple[int, ...] | None = None) -> NDArray[Any]:
    """Return the mask as an array of bool or float that broadcasts to the scores."""
    array = as_array(name, mask)
    if array.dtype != bool and array.dtype.kind != "f":
        raise TypeError(f"{name} has dtype {array.dtype}; it needs bool (True = may attend) or float (added)")
    if array.dtype.kind == "f" and not (array < np.inf).all():
        raise ValueError(f"{name} has NaN or +inf; a float mask needs finite numbers or -inf")
    if scores_shape is not None:
        try:
            np.broadcast_to(array, scores_shape)
        except ValueError:
            raise ValueError(
                f"{name} has shape {array.shape}; it needs to broadcast to scores {scores_shape}"
            ) from None
    return array


def apply_mask(scaled_scores: NDArray[Any], mask: NDArray[Any]) -> NDArray[Any]:
    """Return the masked scores: -inf where a bool mask forbids; a float mask is added."""
    if mask.dtype == bool:
        return np.where(mask, scaled_scores, -np.inf)
    masked_scores = scaled_scores + mask.astype(scaled_scores.dtype)  # -1e9 is -inf in float16, and means the same
    if not (masked_scores < np.inf).all():
        raise ValueError(f"mask lifts a scaled score out of the range of {masked_scores.dtype}; use smaller numbers")
    return masked_scores


def _as_float_mask(mask: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]:
    return np.where(mask, 0, -np.inf).astype(dtype) if mask.dtype == bool else mask.astype(dtype)


def _square(mask: ArrayLike) -> NDArray[np.bool_]:
    array = check_mask("mask", mask)
    if array.dtype != bool or array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise ValueError(f"mask has shape {array.shape} and dtype {array.dtype}; it needs (n, n) of bool")
    return array
