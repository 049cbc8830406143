"""What can be measured of attention maps: how sure their rows are, and where they look."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._checks import as_tokens, as_whole_number


def largest_weight(weights: ArrayLike) -> NDArray[Any]:
    """Return the largest weight of each row: 1 where softmax is saturated, 1 / n_keys where it is flat."""
    return np.asarray(weights).max(axis=-1)


def entropy(weights: ArrayLike) -> NDArray[Any]:
    """Return the entropy of each row in nats: 0 if one key has all the weight, ln(n_keys) if all have the same.

    References
    ----------
    .. [1] Shannon, "A Mathematical Theory of Communication", 1948, section 6.

    Examples
    --------
    >>> float(entropy([0.25, 0.25, 0.25, 0.25]).round(3))  # ln 4
    1.386
    """
    weights = np.asarray(weights)
    logs = np.log(np.where(weights > 0, weights, 1))  # 0 * log(0) counts as 0
    return np.abs((weights * logs).sum(axis=-1))  # the sum is never above 0


def mean_entropy(weights: ArrayLike) -> NDArray[Any]:
    """Return how spread out the rows of each map are: -sum(w log w), averaged over the queries.

    Parameters
    ----------
    weights : (..., n_queries, n_keys) array_like

    Returns
    -------
    (...) ndarray
        0 where each row has one weight of 1; log(n_keys) where all are equal.

    Examples
    --------
    >>> mean_entropy([[0.5, 0.5], [1.0, 0.0]]).round(3)
    np.float64(0.347)
    """
    return entropy(as_tokens("weights", weights, "(..., n_queries, n_keys)")).mean(axis=-1)


def offset_share(weights: ArrayLike, offset: int) -> NDArray[Any]:
    """Return the mean weight that a query puts on the key `offset` tokens later; -1 is the previous token.

    Queries without such a key do not count.

    Parameters
    ----------
    weights : (..., n, n) array_like
    offset : int

    Returns
    -------
    (...) ndarray

    Raises
    ------
    ValueError
        If no query has such a key.

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.1.

    Examples
    --------
    >>> offset_share([[0.5, 0.5], [0.75, 0.25]], -1)
    np.float64(0.75)
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    on_diagonal = np.diagonal(weights, as_whole_number("offset", offset), -2, -1)
    if on_diagonal.shape[-1] == 0:
        raise ValueError(f"offset is {offset}; weights of shape {weights.shape} have no key so far away")
    return on_diagonal.mean(axis=-1)


def key_share(weights: ArrayLike, keys: Collection[int]) -> NDArray[Any]:
    """Return the mean weight that all other tokens together put on `keys`.

    Parameters
    ----------
    weights : (..., n, n) array_like
    keys : collection of int
        Positions; as queries they do not count.

    Returns
    -------
    (...) ndarray

    Raises
    ------
    ValueError
        If no other token is left.

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.2: attention to [SEP].

    Examples
    --------
    >>> key_share([[0.5, 0.5], [0.75, 0.25]], [0])
    np.float64(0.75)
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    others = [i for i in range(weights.shape[-2]) if i not in keys]
    if not others:
        raise ValueError("keys holds every token; at least one other must be left as a query")
    return weights[..., others, :][..., sorted(keys)].sum(axis=-1).mean(axis=-1)


def head_statistics(weights: ArrayLike, pair: tuple[int, int], special: Collection[int]) -> dict[str, NDArray[Any]]:
    """Measure each map of a stack in six ways.

    Parameters
    ----------
    weights : (..., n, n) array_like
    pair : (int, int)
        A query and a key.
    special : collection of int
        Positions of [CLS] and [SEP].

    Returns
    -------
    dict of str to (...) ndarray
        "pair", "entropy", "previous", "next", "self", "special".

    Examples
    --------
    >>> list(head_statistics([[0.5, 0.5], [0.75, 0.25]], (1, 0), [0]))
    ['pair', 'entropy', 'previous', 'next', 'self', 'special']
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    return {
        "pair": weights[..., pair[0], pair[1]],
        "entropy": mean_entropy(weights),
        "previous": offset_share(weights, -1),
        "next": offset_share(weights, 1),
        "self": offset_share(weights, 0),
        "special": key_share(weights, special),
    }


def strongest_heads(values: ArrayLike, count: int, digits: int = 3) -> list[tuple[int, int, float]]:
    """Return (layer, head, rounded value) of the largest values of a (layers, heads) table, largest first.

    Examples
    --------
    >>> strongest_heads([[1, 5], [7, 3]], 2)
    [(1, 0, 7.0), (0, 1, 5.0)]
    """
    table = np.asarray(values, dtype=float)
    order = np.argsort(-table, axis=None, kind="stable")[:count]
    places = (np.unravel_index(i, table.shape) for i in order)
    return [(int(layer), int(head), round(float(table[layer, head]), digits)) for layer, head in places]


def induction_share(weights: ArrayLike, ids: ArrayLike) -> NDArray[Any]:
    """Return the mean weight that a word puts on the words that came right after it earlier in the text.

    In "A B … A" that is the weight of the second A on B. Words that stand for
    the first time do not count.

    Parameters
    ----------
    weights : (..., h, n, n) array_like
        Causal maps of the heads of one layer.
    ids : (..., n) array_like of int
        The text, or texts.

    Returns
    -------
    (..., h) ndarray

    Raises
    ------
    ValueError, TypeError
        If the shapes do not fit, or a text has no word twice.

    References
    ----------
    .. [1] Olsson et al., "In-context Learning and Induction Heads", 2022: the prefix-matching score.

    Examples
    --------
    >>> induction_share([[[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0]]], [7, 8, 7])
    array([0.75])
    """
    weights, ids = as_tokens("weights", weights, "(..., h, n, n)", least_axes=3), np.asarray(ids)
    n = weights.shape[-1]
    if weights.shape[-2] != n or ids.shape != (*weights.shape[:-3], n):
        raise ValueError(
            f"weights has shape {weights.shape} but ids has {ids.shape}; they need (..., h, n, n) and (..., n)"
        )
    followed = np.zeros((*ids.shape, n), dtype=bool)  # (..., n, n): key came right after an earlier copy of the query
    followed[..., 1:] = np.equal(ids[..., :, None], ids[..., None, :-1])
    followed &= np.tri(n, dtype=bool)
    counted = np.logical_or.reduce(followed, axis=-1)  # (..., n): queries whose word stood before
    if not counted.any(axis=-1).all():
        raise ValueError("ids has a text in which no word stands twice")
    on_them = (weights * followed[..., None, :, :]).sum(axis=-1)  # (..., h, n)
    return (on_them * counted[..., None, :]).sum(axis=-1) / counted.sum(axis=-1)[..., None]
