"""Korean sentences and their English translations, with embeddings made by hand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._arguments import read_only
from ..attention import AttentionTrace, cross_attention
from .data import fixed, read_data

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class SentencePair:
    """A Korean sentence, its English translation that reads it, and all that cross-attention needs."""

    english: tuple[str, ...]  # the target, whose tokens are the queries
    korean: tuple[str, ...]  # the source, whose tokens are the keys
    glosses: Mapping[str, str]  # what each Korean token means by itself
    columns: dict[str, tuple[str, ...]]  # what the columns of X, context and V stand for
    X: Array  # (n_queries, d_model), of the English tokens
    context: Array  # (n_keys, d_model), of the Korean tokens
    W_Q: Array  # (d_model, d_k); the projections are the same for every pair
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    alignment: NDArray[np.bool_]  # (n_queries, n_keys), True where the two words mean the same

    def trace(self, mask: ArrayLike | None = None) -> AttentionTrace:
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V, mask)


def load_pairs() -> dict[str, SentencePair]:
    """Load the sentence pairs that were made by hand for this project; see data/README.md.

    Examples
    --------
    >>> pair = load_pairs()["school"]
    >>> pair.trace().weights.round(2)
    array([[0.87, 0.02, 0.12],
           [0.11, 0.11, 0.79],
           [0.11, 0.79, 0.11],
           [0.02, 0.87, 0.12]])
    """
    record = read_data("korean_to_english")
    return {name: _pair(pair, record) for name, pair in record["pairs"].items()}


def _pair(pair: dict[str, Any], record: dict[str, Any]) -> SentencePair:
    english, korean = tuple(pair["english"]), tuple(pair["korean"])
    alignment = np.zeros((len(english), len(korean)), dtype=bool)
    for word, meant in pair["alignment"]:
        alignment[english.index(word), korean.index(meant)] = True
    columns = {"X": "english_columns", "context": "korean_columns", "V": "value_columns"}
    return SentencePair(
        english=english,
        korean=korean,
        glosses={word: record["glosses"][word] for word in korean},
        columns={array: tuple(record[key]) for array, key in columns.items()},
        X=fixed(list(pair["english"].values())),
        context=fixed(list(pair["korean"].values())),
        W_Q=fixed(record["W_Q"]),
        W_K=fixed(record["W_K"]),
        W_V=fixed(record["W_V"]),
        alignment=read_only(alignment),
    )


def padded(pairs: Iterable[SentencePair]) -> tuple[Array, Array, NDArray[np.intp]]:
    """Put sentence pairs into one batch, filled up with rows of zeros to the longest sentence of each language.

    Return X, (batch, n_queries, d_model), context, (batch, n_keys, d_model), and how many real Korean words each
    sentence has, (batch,).

    Examples
    --------
    >>> X, context, lengths = padded(load_pairs().values())
    >>> X.shape, context.shape, lengths.tolist()
    ((4, 6, 4), (4, 5, 4), [5, 4, 2, 3])
    """
    batch = list(pairs)
    X, context = [pair.X for pair in batch], [pair.context for pair in batch]
    return _filled_up(X), _filled_up(context), np.array([len(pair.korean) for pair in batch])


def _filled_up(matrices: list[Array]) -> Array:
    longest = max(map(len, matrices))
    return np.stack([np.pad(matrix, [(0, longest - len(matrix)), (0, 0)]) for matrix in matrices])  # (batch, n, d)
