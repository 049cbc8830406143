"""What a language model would guess if it ended earlier."""

from collections.abc import Sequence
from typing import NamedTuple

from .._checks import as_count
from ..attention import softmax
from ..language_model import LanguageModel


class Guess(NamedTuple):
    """A word, and how likely the model finds it."""

    word: str
    probability: float


def guesses_by_layer(model: LanguageModel, words: Sequence[str], count: int = 3) -> list[list[Guess]]:
    """Follow the last word of a text through the layers: what the model would guess next before and after each.

    Parameters
    ----------
    model : LanguageModel
    words : sequence of str
        The text.
    count : int, optional
        Guesses at each place, the likeliest first.

    Returns
    -------
    list of list of Guess
        Before the first layer, and after each.

    Raises
    ------
    ValueError, TypeError
        If a word is unknown, there are none or too many, or `count` is below 1.

    References
    ----------
    .. [1] nostalgebraist, "interpreting GPT: the logit lens", 2020.

    Examples
    --------
    >>> import numpy as np
    >>> one = np.eye(2)
    >>> echo = LanguageModel(("on", "off"), one, np.zeros((4, 2)), [], one)  # no layer: each word guesses itself
    >>> [[guess.word for guess in guesses] for guesses in guesses_by_layer(echo, ["on", "off"], count=2)]
    [['off', 'on']]
    """
    as_count("count", count, least=1)
    shares = softmax(model(model.ids(words)).guesses[:, -1])  # (n_layers + 1, n_words)
    best = (-shares).argsort(axis=-1, kind="stable")[:, :count]
    return [[Guess(model.words[i], float(row[i])) for i in places] for row, places in zip(shares, best)]
