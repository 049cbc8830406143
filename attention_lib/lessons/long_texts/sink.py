"""Attention with a sink: one more number in each row of scores, which takes weight and hands over nothing."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ...attention import AttentionTrace, scaled_dot_product_attention, softmax


def attention_with_sink(Q: ArrayLike, K: ArrayLike, V: ArrayLike, sink: ArrayLike) -> AttentionTrace:
    """Calculate attention in which softmax runs over the scores and a sink logit, whose own weight is then left out.

    Parameters
    ----------
    Q, K, V
        As in `scaled_dot_product_attention`.
    sink : number or (...) array_like
        The sink logit, or one for each head: (h,) for scores of shape (h, n_queries, n_keys).

    Returns
    -------
    AttentionTrace
        The rows of its weights sum to less than 1.

    References
    ----------
    .. [1] OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card", 2025, section 2.2: one learned number for each head.
    .. [2] Miller, "Attention Is Off By One", 2023: the same with 0 for every head.

    Examples
    --------
    >>> attention_with_sink([[0]], [[0], [0], [0]], [[1], [1], [1]], sink=0).weights
    array([[0.25, 0.25, 0.25]])
    """
    trace = scaled_dot_product_attention(Q, K, V)
    logits = np.asarray(sink, dtype=trace.masked_scores.dtype)[..., None, None]
    column = np.broadcast_to(logits, (*trace.masked_scores.shape[:-1], 1))  # (..., n_queries, 1)
    weights = softmax(np.concatenate([trace.masked_scores, column], axis=-1))[..., :-1]  # (..., n_queries, n_keys)
    return replace(trace, weights=weights, output=weights @ trace.V)
