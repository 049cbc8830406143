"""배 is a pear, a belly or a ship: words with embeddings made by hand, and three projections.

No model has learned these numbers. Each column has a meaning that one can read,
so that what attention does to 배 can be followed by eye.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import read_only
from ..attention import AttentionTrace, self_attention
from .worked import DATA

FILE = DATA / "bae_three_meanings.json"
N_MEANINGS = 3  # the first columns; the fourth, "open", marks a word whose meaning is open

MESSAGES = {
    "unknown": "“{word}” is not among the words with numbers here: {known}.",
    "no words": "Type a sentence first: words with spaces between them.",
    "comma": ", ",
}


@dataclass(frozen=True, eq=False)
class Meanings:
    """A few Korean words as rows of readable numbers, and the projections that let 배 ask.

    Attributes
    ----------
    source : str
        Where the numbers come from.
    word : str
        The word with several meanings.
    columns : tuple of str
        What each number of an embedding says: food, body, sea, open.
    meanings : tuple of str
        What the word means where food, body or sea is large: pear, belly, ship.
    glosses : mapping of str to str
        Every word, and what it means.
    embeddings : mapping of str to (4,) ndarray
    sentences : mapping of str to str
        A sentence for each meaning, and one in which the word stands three times.
    W_Q, W_K, W_V : (4, 4) ndarray
    """

    source: str
    word: str
    columns: tuple[str, ...]
    meanings: tuple[str, ...]
    glosses: Mapping[str, str]
    embeddings: Mapping[str, NDArray[Any]]
    sentences: Mapping[str, str]
    W_Q: NDArray[Any]
    W_K: NDArray[Any]
    W_V: NDArray[Any]

    def tokens(self, text: str) -> tuple[str, ...]:
        """Split a sentence of these words.

        Raises
        ------
        ValueError
            If there is no word, or one that has no numbers.
        """
        words = tuple(text.split())
        if not words:
            raise ValueError(MESSAGES["no words"])
        for word in words:
            if word not in self.embeddings:
                known = MESSAGES["comma"].join(self.embeddings)
                raise ValueError(MESSAGES["unknown"].format(word=word, known=known))
        return words

    def embed(self, text: str) -> NDArray[Any]:
        """Return X of a sentence, (n, 4)."""
        return np.array([self.embeddings[word] for word in self.tokens(text)])

    def meaning_of(self, text: str) -> NDArray[Any]:
        """Return the first columns of X, food, body and sea, (n, 3)."""
        return self.embed(text)[:, :N_MEANINGS]

    def trace(self, text: str) -> AttentionTrace:
        """Calculate attention over a sentence with the three projections."""
        return self_attention(self.embed(text), self.W_Q, self.W_K, self.W_V)


def load_meanings() -> Meanings:
    """Load the words, sentences and projections that were made by hand for this project.

    Returns
    -------
    Meanings

    References
    ----------
    .. [1] data/README.md says where the numbers come from.

    Examples
    --------
    >>> words = load_meanings()
    >>> trace = words.trace("어제 배 가 고파서")
    >>> trace.weights[1].round(3), trace.output[1].round(3)
    (array([0.043, 0.043, 0.043, 0.87 ]), array([0.043, 2.653, 0.043, 0.   ]))
    """
    record = json.loads(FILE.read_text("utf-8"))
    words = record["words"]
    return Meanings(
        source=record["source"],
        word=record["word"],
        columns=tuple(record["columns"]),
        meanings=tuple(record["meanings"].values()),
        glosses={word: entry["gloss"] for word, entry in words.items()},
        embeddings={word: read_only(np.array(entry["numbers"], float)) for word, entry in words.items()},
        sentences=record["sentences"],
        **{name: read_only(np.array(record[name], float)) for name in ("W_Q", "W_K", "W_V")},
    )
