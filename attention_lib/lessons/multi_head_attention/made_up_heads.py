"""Hand-made sentences and a four-head layer, small enough to check on paper."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...examples.data import fixed, read_data
from ...multi_head import MultiHeadAttention

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class HeadSentence:
    tokens: tuple[str, ...]
    query: str  # the token whose row is followed
    X: Array  # (n, d_model)

    @property
    def row(self) -> int:
        return self.tokens.index(self.query)


@dataclass(frozen=True, eq=False)
class HeadsExample:
    """Several sentences that share embeddings, and one layer of heads for all of them."""

    features: tuple[str, ...]  # what each column of an embedding stands for
    head_names: tuple[str, ...]  # what each head was made to look for
    W_Q: Array  # (d_model, d_model), as the other three
    W_K: Array
    W_V: Array
    W_O: Array
    sentences: dict[str, HeadSentence]

    def layer(self, n_heads: int | None = None) -> MultiHeadAttention:
        """Return the layer, with its matrices cut into `n_heads` heads (default: one for each of `head_names`)."""
        return MultiHeadAttention(self.W_Q, self.W_K, self.W_V, self.W_O, n_heads or len(self.head_names))


def load_heads_example() -> HeadsExample:
    """Load the sentences and the layer, which are made by hand; see data/README.md.

    Examples
    --------
    >>> example = load_heads_example()
    >>> example.sentences["eiffel_tower"].tokens
    ('Eiffel', 'Tower')
    """
    record = read_data("heads_example")
    W_Q, W_K, W_V, W_O = (fixed(record[name]) for name in ("W_Q", "W_K", "W_V", "W_O"))
    sentences = {
        name: HeadSentence(tuple(sentence["tokens"]), sentence["query"], fixed(sentence["X"]))
        for name, sentence in record["sentences"].items()
    }
    return HeadsExample(tuple(record["features"]), tuple(record["head_names"]), W_Q, W_K, W_V, W_O, sentences)
