"""A trained head that looks by position, taken apart."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...attention import AttentionTrace, scaled_dot_product_attention
from ...examples.trained_heads import KINDS, SPECIAL, TrainedSentence, load_sentence, sentence_names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadApart:
    """One head on one sentence, with the same values V each time."""

    tokens: tuple[str, ...]
    whole: AttentionTrace  # as it is
    positions: AttentionTrace  # by positions alone
    words: AttentionTrace  # by words alone


def take_apart(name: str, layer: int, head: int) -> HeadApart:
    """Split the queries and keys of a trained head into what the position brings and what the word brings.

    The part of a position is the mean over all other stored sentences that have
    another word there; the part of the word is what is left, with the mean over
    all positions put back. Position 0 is [CLS] in every sentence, so there the
    two cannot be told apart. The sentence ends where no other sentence goes on.

    Examples
    --------
    >>> apart = take_apart("slow", 0, 2)
    >>> [float(np.diagonal(trace.weights, -1).mean().round(2)) for trace in (apart.whole, apart.positions)]
    [1.0, 1.0]
    """
    sentence = _sentence(name)
    others = [_sentence(other) for other in sentence_names(*KINDS) if other != name]
    whole = sentence.head(layer, head)
    Q_means, K_means = [], []
    for position in range(len(sentence.tokens)):
        compared = [other for other in others if _has_another_word(other, sentence, position)]
        if not compared:
            break
        heads = [other.head(layer, head) for other in compared]
        Q_means.append(np.mean([trace.Q[position] for trace in heads], axis=0, dtype=float))
        K_means.append(np.mean([trace.K[position] for trace in heads], axis=0, dtype=float))
    n = len(Q_means)
    V = whole.V[:n]
    Q, Q_left = _parts(whole.Q, Q_means)
    K, K_left = _parts(whole.K, K_means)
    return HeadApart(
        tokens=sentence.tokens[:n],
        whole=scaled_dot_product_attention(whole.Q[:n], whole.K[:n], V),
        positions=scaled_dot_product_attention(Q, K, V),
        words=scaled_dot_product_attention(Q_left, K_left, V),
    )


@functools.cache  # eighteen sentences, a few MB: each is compared with all the others
def _sentence(name: str) -> TrainedSentence:
    return load_sentence(name)


def _has_another_word(other: TrainedSentence, sentence: TrainedSentence, position: int) -> bool:
    """Whether a sentence has a word of its own at a position; at the first, all have [CLS] and all count."""
    if position == 0:
        return True
    own = (sentence.tokens[position], *SPECIAL)
    return position < len(other.tokens) and other.tokens[position] not in own


def _parts(whole: NDArray[np.float32], means: Sequence[Array]) -> tuple[Array, Array]:
    """Return the part of the positions and the part of the words, (n, d_k) each."""
    positions = np.array(means)
    return positions, whole[: len(positions)] - positions + positions.mean(axis=0)
