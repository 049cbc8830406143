"""Korean sentences and their English translations, with embeddings made by hand.

No model has learned these numbers. They are chosen so that cross-attention can
be followed with pencil and paper.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import read_only
from ..attention import AttentionTrace, cross_attention
from .worked import DATA

FILE = DATA / "korean_to_english.json"


@dataclass(frozen=True, eq=False)
class SentencePair:
    """A Korean sentence (read) and its English translation (asks), with all that attention needs.

    Attributes
    ----------
    name, shows, source : str
        `shows` is what the pair is an example of; `source`, where its numbers come from.
    english, korean : tuple of str
        The tokens: of the target, which are the queries, and of the source, which are the keys.
    glosses : mapping of str to str
        What each Korean token means by itself.
    columns : dict of str to tuple of str
        What the columns of X, context and V stand for.
    X : (n_queries, d_model) ndarray
        Embeddings of the English tokens.
    context : (n_keys, d_model) ndarray
        Embeddings of the Korean tokens.
    W_Q, W_K, W_V : ndarray
        Projections, the same for every pair.
    alignment : (n_queries, n_keys) ndarray of bool
        True where the two words mean the same.
    """

    name: str
    shows: str
    source: str
    english: tuple[str, ...]
    korean: tuple[str, ...]
    glosses: Mapping[str, str]
    columns: dict[str, tuple[str, ...]]
    X: NDArray[Any]
    context: NDArray[Any]
    W_Q: NDArray[Any]
    W_K: NDArray[Any]
    W_V: NDArray[Any]
    alignment: NDArray[np.bool_]

    def trace(self, mask: Any = None) -> AttentionTrace:
        """Let the English words read the Korean ones."""
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V, mask)


def load_pairs() -> dict[str, SentencePair]:
    """Load the sentence pairs that were made by hand for this project.

    Returns
    -------
    dict of str to SentencePair

    References
    ----------
    .. [1] data/README.md says where the numbers come from.

    Examples
    --------
    >>> pair = load_pairs()["school"]
    >>> pair.trace().weights.round(2)
    array([[0.87, 0.02, 0.12],
           [0.11, 0.11, 0.79],
           [0.11, 0.79, 0.11],
           [0.02, 0.87, 0.12]])
    """
    record = json.loads(FILE.read_text("utf-8"))
    return {name: _pair(name, pair, record) for name, pair in record["pairs"].items()}


def padded(pairs: Iterable[SentencePair]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Put sentence pairs into one batch, filled up with rows of zeros.

    Parameters
    ----------
    pairs : iterable of SentencePair

    Returns
    -------
    X : (batch, n_queries, d_model) ndarray
        As many rows as the longest English sentence has words.
    context : (batch, n_keys, d_model) ndarray
        As many rows as the longest Korean sentence has words.
    lengths : (batch,) ndarray of int
        Real Korean words of each sentence.

    Examples
    --------
    >>> X, context, lengths = padded(load_pairs().values())
    >>> X.shape, context.shape, lengths.tolist()
    ((4, 6, 4), (4, 5, 4), [5, 4, 2, 3])
    """
    batch = list(pairs)
    X, context = ([getattr(pair, side) for pair in batch] for side in ("X", "context"))
    return _filled_up(X), _filled_up(context), np.array([len(pair.korean) for pair in batch])


def _filled_up(matrices: list[NDArray[Any]]) -> NDArray[Any]:
    longest = max(len(matrix) for matrix in matrices)
    return np.stack([np.pad(matrix, [(0, longest - len(matrix)), (0, 0)]) for matrix in matrices])  # (batch, n, d)


def _pair(name: str, pair: dict[str, Any], record: dict[str, Any]) -> SentencePair:
    english, korean = tuple(pair["english"]), tuple(pair["korean"])
    alignment = np.zeros((len(english), len(korean)), dtype=bool)
    for word, meant in pair["alignment"]:
        alignment[english.index(word), korean.index(meant)] = True
    columns = {"X": "english_columns", "context": "korean_columns", "V": "value_columns"}
    return SentencePair(
        name=name,
        shows=pair["shows"],
        source=record["source"],
        english=english,
        korean=korean,
        glosses={word: record["glosses"][word] for word in korean},
        columns={array: tuple(record[key]) for array, key in columns.items()},
        X=_matrix(list(pair["english"].values())),
        context=_matrix(list(pair["korean"].values())),
        W_Q=_matrix(record["W_Q"]),
        W_K=_matrix(record["W_K"]),
        W_V=_matrix(record["W_V"]),
        alignment=read_only(alignment),
    )


def _matrix(rows: list[list[float]]) -> NDArray[np.float64]:
    return read_only(np.array(rows, dtype=np.float64))
