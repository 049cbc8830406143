"""What can be measured of attention maps: how sure their rows are, and where they look."""

from collections.abc import Collection
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def offset_share(weights: ArrayLike, offset: int) -> NDArray[Any]:
    """Return the mean weight that a query puts on the key `offset` tokens later; -1 is the previous token.

    Queries without such a key do not count. Weights (..., n, n) give (...).

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.1.

    Examples
    --------
    >>> offset_share([[0.5, 0.5], [0.75, 0.25]], -1)
    np.float64(0.75)
    """
    return np.diagonal(np.asarray(weights), offset, -2, -1).mean(axis=-1)


def key_share(weights: ArrayLike, keys: Collection[int]) -> NDArray[Any]:
    """Return the mean weight that all other tokens together put on the keys at these positions.

    Weights (..., n, n) give (...).

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.2: attention to [SEP].

    Examples
    --------
    >>> key_share([[0.5, 0.5], [0.75, 0.25]], [0])
    np.float64(0.75)
    """
    weights = np.asarray(weights)
    others = [i for i in range(weights.shape[-2]) if i not in keys]
    return weights[..., others, :][..., sorted(keys)].sum(axis=-1).mean(axis=-1)


def arriving_share(weights: ArrayLike, V: ArrayLike) -> NDArray[Any]:
    """Return weight times the length of the value, as a share of its row: how much comes from each key.

    Only lengths count: two long values may point opposite ways and cancel. Weights
    (..., n_queries, n_keys) and V (..., n_keys, d_v) give shares of the shape of the
    weights. Each row sums to 1, and a row in which nothing arrives is 0.

    References
    ----------
    .. [1] Kobayashi et al., "Attention is Not Only a Weight", 2020, section 3.

    Examples
    --------
    >>> arriving_share([[0.75, 0.25]], [[0.0, 1.0], [0.0, 9.0]])
    array([[0.25, 0.75]])
    """
    lengths = np.linalg.norm(V, axis=-1, keepdims=True).swapaxes(-1, -2)  # (..., 1, n_keys)
    arriving = weights * lengths  # (..., n_queries, n_keys)
    total = arriving.sum(axis=-1, keepdims=True)
    return np.divide(arriving, total, out=np.zeros_like(arriving), where=total > 0)


def induction_share(weights: ArrayLike, ids: ArrayLike) -> NDArray[Any]:
    """Return the mean weight that a word puts on the words that came right after it earlier in the text.

    In "A B … A" that is the weight of the second A on B. Words that stand for the
    first time do not count. Causal maps (..., h, n, n) of the heads of one layer,
    and texts (..., n), give (..., h). ValueError if no word of a text stands twice.

    References
    ----------
    .. [1] Olsson et al., "In-context Learning and Induction Heads", 2022: the prefix-matching score.

    Examples
    --------
    >>> induction_share([[[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0]]], [7, 8, 7])
    array([0.75])
    """
    weights, ids = np.asarray(weights), np.asarray(ids)
    n = ids.shape[-1]
    followed = np.zeros((*ids.shape, n), dtype=bool)  # (..., n, n): key came right after an earlier copy of the query
    followed[..., 1:] = np.equal(ids[..., :, None], ids[..., None, :-1])
    followed &= np.tri(n, dtype=bool)
    counted = np.logical_or.reduce(followed, axis=-1)  # (..., n): queries whose word stood before
    if not counted.any(axis=-1).all():
        raise ValueError("ids has a text in which no word stands twice")
    on_them = (weights * followed[..., None, :, :]).sum(axis=-1)  # (..., h, n)
    return (on_them * counted[..., None, :]).sum(axis=-1) / counted.sum(axis=-1)[..., None]
