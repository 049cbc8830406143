"""Heads that look by position: a step of so many positions as a matrix, and a trained head taken apart.

What a trained query or key owes to its position is estimated by a mean: at each
position, over the other stored sentences that have another word there.
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .._checks import as_count, as_whole_number
from ..attention import AttentionTrace, scaled_dot_product_attention
from ..positions import rotary_positions
from .trained_heads import SPECIAL, TrainedSentence, load_sentence, sentence_names


def step_matrix(d_model: int, by: int) -> NDArray[np.float64]:
    """Return the matrix that turns the sinusoidal row of any position into the row of the position `by` further on.

    Parameters
    ----------
    d_model : int
        Columns of the sinusoidal positions; even.
    by : int
        Positions to go forward; below 0: back.

    Returns
    -------
    (d_model, d_model) ndarray of float64
        Blocks of two by two, one a pair of columns; all else 0.

    Raises
    ------
    ValueError, TypeError
        If `d_model` is not an even whole number of at least 2, or `by` no whole number.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.5.

    Examples
    --------
    >>> from attention_lib import sinusoidal_positions
    >>> P = sinusoidal_positions(6, 4)
    >>> bool(np.allclose(P[1:4] @ step_matrix(4, 2), P[3:6]))
    True
    """
    d_model, by = as_count("d_model", d_model, least=2), as_whole_number("by", by)
    rows = np.eye(d_model)[:, None, :]  # (d_model, 1, d_model): each row alone, so that all are turned by one angle
    back: NDArray[np.float64] = rotary_positions(rows, start=abs(by))[:, 0]  # sines and cosines turn the other way
    return back if by < 0 else back.T


@dataclass(frozen=True, eq=False)
class HeadApart:
    """One head on one sentence: as it is, by positions alone, and by words alone.

    Attributes
    ----------
    tokens : tuple of str
    whole, positions, words : AttentionTrace
        The same values V in each.
    """

    tokens: tuple[str, ...]
    whole: AttentionTrace
    positions: AttentionTrace
    words: AttentionTrace


def take_apart(name: str, layer: int, head: int) -> HeadApart:
    """Split the queries and keys of a trained head into what the position brings and what the word brings.

    The part of a position is the mean over all other stored sentences that have
    another word there; the part of the word is what is left, with the mean over
    all positions put back. Position 0 is [CLS] in every sentence, so there the
    two cannot be told apart. The sentence ends where no other sentence goes on.

    Parameters
    ----------
    name : str
        One of `sentence_names()`.
    layer, head : int
        Counted from 0.

    Returns
    -------
    HeadApart

    Raises
    ------
    ValueError
        If there is no such sentence, layer or head.

    Examples
    --------
    >>> apart = take_apart("slow", 0, 2)
    >>> [float(np.diagonal(trace.weights, -1).mean().round(2)) for trace in (apart.whole, apart.positions)]
    [1.0, 1.0]
    """
    sentence = _sentence(name)
    others = [_sentence(other) for other in sentence_names() if other != name]
    compared = [_with_another_word(sentence, others, position) for position in range(len(sentence.tokens))]
    n = next((position for position, found in enumerate(compared) if not found), len(compared))
    whole = sentence.head(layer, head)
    heads = [[other.head(layer, head) for other in found] for found in compared[:n]]
    Q = np.array([np.mean([other.Q[i] for other in found], axis=0, dtype=float) for i, found in enumerate(heads)])
    K = np.array([np.mean([other.K[i] for other in found], axis=0, dtype=float) for i, found in enumerate(heads)])
    V = whole.V[:n]
    Q_left, K_left = (row[:n] - mean + mean.mean(axis=0) for row, mean in ((whole.Q, Q), (whole.K, K)))
    return HeadApart(
        tokens=sentence.tokens[:n],
        whole=scaled_dot_product_attention(whole.Q[:n], whole.K[:n], V),
        positions=scaled_dot_product_attention(Q, K, V),
        words=scaled_dot_product_attention(Q_left, K_left, V),
    )


@functools.cache  # ten sentences, a few MB: each is compared with all the others
def _sentence(name: str) -> TrainedSentence:
    return load_sentence(name)


def _with_another_word(
    sentence: TrainedSentence, others: list[TrainedSentence], position: int
) -> list[TrainedSentence]:
    """Return the sentences that have a word of their own at a position; at the first, where all have [CLS], all."""
    if position == 0:
        return others
    return [
        other
        for other in others
        if position < len(other.tokens)
        and other.tokens[position] != sentence.tokens[position]
        and other.tokens[position] not in SPECIAL
    ]


def by_distance(scores: NDArray[np.floating], most: int) -> NDArray[np.float64]:
    """Return the mean score of each distance, query minus key, from -`most` to `most`.

    Examples
    --------
    >>> by_distance(np.array([[0.0, 1.0], [2.0, 4.0]]), 1)
    array([1., 2., 2.])
    """
    return np.array([np.diagonal(scores, -distance).mean() for distance in range(-most, most + 1)], dtype=float)
