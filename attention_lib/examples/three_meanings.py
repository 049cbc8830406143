"""배 is a pear, a belly or a ship: words with embeddings made by hand, and three projections."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._words import Refusal, _
from ..attention import AttentionTrace, self_attention
from .data import fixed, read_data

N_MEANINGS = 3  # the first columns; the fourth, "open", marks a word whose meaning is open
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Meanings:
    """A few Korean words as rows of readable numbers, and the projections that let 배 ask."""

    word: str  # the word with several meanings
    record: Mapping[str, Any]  # as it stands in data, with what the numbers and words are called
    embeddings: Mapping[str, Array]  # (4,) each
    sentences: Mapping[str, str]  # one for each meaning, and one in which the word stands three times
    W_Q: Array  # (4, 4)
    W_K: Array  # (4, 4)
    W_V: Array  # (4, 4)

    @property
    def columns(self) -> tuple[str, ...]:
        """What each number of an embedding says: food, body, sea, open."""
        return tuple(map(_, self.record["columns"]))

    @property
    def meanings(self) -> tuple[str, ...]:
        """Of the word, where food, body or sea is large: pear, belly, ship."""
        return tuple(map(_, self.record["meanings"].values()))

    @property
    def glosses(self) -> dict[str, str]:
        """Every word, and what it means; in Korean, the word itself."""
        glosses = {word: entry["gloss"] for word, entry in self.record["words"].items()}
        return {word: _(gloss) for word, gloss in glosses.items()}

    def tokens(self, text: str) -> tuple[str, ...]:
        """Split a sentence of these words; Refusal if there is no word, or one that has no numbers."""
        words = tuple(text.split())
        if not words:
            raise Refusal(_("Type a sentence first: words with spaces between them."))
        for word in words:
            if word not in self.embeddings:
                sentence = _("“{word}” is not among the words with numbers here: {known}.")
                raise Refusal(sentence.format(word=word, known=", ".join(self.embeddings)))
        return words

    def embed(self, text: str) -> Array:
        """Return X of a sentence, (n, 4)."""
        return np.array([self.embeddings[word] for word in self.tokens(text)])

    def meaning_of(self, text: str) -> Array:
        """Return the first columns of X: food, body and sea, (n, 3)."""
        return self.embed(text)[:, :N_MEANINGS]

    def trace(self, text: str) -> AttentionTrace:
        return self_attention(self.embed(text), self.W_Q, self.W_K, self.W_V)


def load_meanings() -> Meanings:
    """Load the words, sentences and projections that were made by hand for this project; see data/README.md.

    Examples
    --------
    >>> words = load_meanings()
    >>> trace = words.trace("어제 배 가 고파서")
    >>> trace.weights[1].round(3), trace.output[1].round(3)
    (array([0.043, 0.043, 0.043, 0.87 ]), array([0.043, 2.653, 0.043, 0.   ]))
    """
    record = read_data("bae_three_meanings")
    words = record["words"]
    return Meanings(
        word=record["word"],
        record=record,
        embeddings={word: fixed(entry["numbers"]) for word, entry in words.items()},
        sentences=record["sentences"],
        W_Q=fixed(record["W_Q"]),
        W_K=fixed(record["W_K"]),
        W_V=fixed(record["W_V"]),
    )
