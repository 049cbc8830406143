"""What a language model would guess if it ended earlier."""

from collections.abc import Sequence
from typing import NamedTuple

from ...attention import softmax
from ...language_model import LanguageModel


class Guess(NamedTuple):
    """A word, and how likely the model finds it."""

    word: str
    probability: float


def guesses_by_layer(model: LanguageModel, words: Sequence[str], count: int = 3) -> list[list[Guess]]:
    """Return the likeliest next words after a text: before the first layer, and after each layer.

    References
    ----------
    .. [1] nostalgebraist, "interpreting GPT: the logit lens", 2020.

    Examples
    --------
    >>> import numpy as np
    >>> I = np.eye(2)
    >>> echo = LanguageModel(("on", "off"), I, np.zeros((4, 2)), [], I)  # no layer: each word guesses itself
    >>> [[guess.word for guess in guesses] for guesses in guesses_by_layer(echo, ["on", "off"], count=2)]
    [['off', 'on']]
    """
    shares = softmax(model(model.ids(words)).guesses[:, -1])  # (n_layers + 1, n_words)
    best = (-shares).argsort(axis=-1, kind="stable")[:, :count]
    return [[Guess(model.words[i], float(row[i])) for i in places] for row, places in zip(shares, best)]
