"""Two heads put together by hand: one finds the word before, the other what came after the same word.

A row has 17 columns: the word, the place, the word before, and the guess. Each
head reads some of them and writes into others; every number is 0, 1, or how
sure a head is.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...language_model import LanguageModel
from ...multi_head import MultiHeadAttention

WORDS = ("·", "red", "fox", "saw")  # "·" begins every text: place 0 has none before it, and would find itself
TOKENS = ("·", "red", "fox", "saw", "red")
SURE = 12.0  # the score of what a head looks for; scaled by sqrt(4) it is 6, so that others get 1 / 403 of its weight


@dataclass(frozen=True, eq=False)
class ComposedHeads:
    """The model, and what its columns stand for."""

    model: LanguageModel  # two layers of one head
    tokens: tuple[str, ...]  # five; the last one stood before
    features: tuple[str, ...]  # what each column of a row stands for, such as "before: red"


def compose_heads() -> ComposedHeads:
    """Set up two heads that continue "· red fox saw red" with "fox".

    Layer 0: the query of place i asks for place i - 1; what it finds there, a
    word, is written into "before". Layer 1: the query of a word asks for the
    row whose "before" is that word; what it finds there is written into "guess".

    References
    ----------
    .. [1] Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021: induction heads.

    Examples
    --------
    >>> heads = compose_heads()
    >>> heads.model.generate(heads.tokens, 1)[-1]
    'fox'
    """
    n_words, n_places = len(WORDS), len(TOKENS)
    names = {"word": WORDS, "place": tuple(map(str, range(n_places))), "before": WORDS, "guess": WORDS}
    features = tuple(f"{group}: {name}" for group, entries in names.items() for name in entries)
    starts = dict(zip(names, np.cumsum([0, *map(len, names.values())]).tolist()))
    d_model = len(features)

    def reads(group: str, first: int = 0, value: float = 1.0) -> NDArray[np.float64]:
        """Take four columns of a group, from its `first` on: (d_model, 4)."""
        W = np.zeros((d_model, n_words))
        W[starts[group] + first + np.arange(n_words), np.arange(n_words)] = value
        return W

    place_before = MultiHeadAttention(
        W_Q=reads("place", first=1, value=SURE),  # place i asks with the number i - 1; place 0 asks for nothing
        W_K=reads("place"),
        W_V=reads("word"),
        W_O=reads("before").T,
        n_heads=1,
    )
    same_word = MultiHeadAttention(
        W_Q=reads("word", value=SURE), W_K=reads("before"), W_V=reads("word"), W_O=reads("guess").T, n_heads=1
    )
    W_E = reads("word").T  # (n_words, d_model)
    W_P = np.zeros((n_places + 1, d_model))
    W_P[np.arange(n_places), starts["place"] + np.arange(n_places)] = 1  # one place more is left for the next word
    model = LanguageModel(WORDS, W_E, W_P, [place_before, same_word], W_U=5 * reads("guess"))
    return ComposedHeads(model, TOKENS, features)
