"""A trained head that looks by position, computed without the words of its sentence."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...attention import AttentionTrace, scaled_dot_product_attention
from ...examples.trained_heads import KINDS, SPECIAL, TrainedSentence, load_sentence, sentence_names

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadCompared:
    """One head on one sentence, with the same values V each time."""

    tokens: tuple[str, ...]
    own: AttentionTrace  # with the queries and keys of the sentence
    means: AttentionTrace  # with the means that other sentences have at the same positions


def compare_with_means(name: str, layer: int, head: int) -> HeadCompared:
    """Replace the queries and keys of a trained head by the means of other sentences at the same positions.

    The mean is over all other stored sentences that have another word there.
    At position 0, all of them have [CLS]. The sentence ends where no other
    sentence goes on.

    Examples
    --------
    >>> compared = compare_with_means("slow", 0, 2)
    >>> [float(np.diagonal(trace.weights, -1).mean().round(2)) for trace in (compared.own, compared.means)]
    [1.0, 1.0]
    """
    sentence = load_sentence(name)
    others = [load_sentence(other) for other in sentence_names(*KINDS) if other != name]
    own = sentence.head(layer, head)
    Q_means: list[Array] = []
    K_means: list[Array] = []
    for position in range(len(sentence.tokens)):
        compared = [other for other in others if _has_another_word(other, sentence, position)]
        if not compared:
            break
        heads = [other.head(layer, head) for other in compared]
        Q_means.append(np.mean([trace.Q[position] for trace in heads], axis=0, dtype=float))
        K_means.append(np.mean([trace.K[position] for trace in heads], axis=0, dtype=float))
    n = len(Q_means)
    V = own.V[:n]
    return HeadCompared(
        tokens=sentence.tokens[:n],
        own=scaled_dot_product_attention(own.Q[:n], own.K[:n], V),
        means=scaled_dot_product_attention(np.array(Q_means), np.array(K_means), V),
    )


def _has_another_word(other: TrainedSentence, sentence: TrainedSentence, position: int) -> bool:
    """Whether a sentence has a word of its own at a position; at the first, all have [CLS] and all count."""
    if position == 0:
        return True
    own = (sentence.tokens[position], *SPECIAL)
    return position < len(other.tokens) and other.tokens[position] not in own
