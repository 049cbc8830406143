"""Made-up numbers for words: by hand for the sentence of notebook 03, from the words alone for any others."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace, self_attention
from .worked import WorkedExample

D_MODEL = 4  # small enough to see, as in the 배 example
STEP, LARGEST = 0.05, 3.0  # of the numbers of a projection: a reader can set each of them
PROJECTIONS = ("W_Q", "W_K", "W_V")


@dataclass(frozen=True, eq=False)
class Inputs:
    """A sentence with all that self-attention is calculated from."""

    tokens: tuple[str, ...]
    X: NDArray[Any]  # (n, d_model)
    W_Q: NDArray[Any]  # (d_model, d_k)
    W_K: NDArray[Any]  # (d_model, d_k)
    W_V: NDArray[Any]  # (d_model, d_v)
    query: int = 0  # the token whose row is looked at first

    def trace(self) -> AttentionTrace:
        return self_attention(self.X, self.W_Q, self.W_K, self.W_V)

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ("X", *PROJECTIONS)}


def seeded(word: str) -> np.random.Generator:
    """Return a random generator that depends on a word alone: equal words get equal numbers."""
    return np.random.default_rng(zlib.crc32(word.encode()))


def inputs_from_words(words: Sequence[str]) -> Inputs:
    """Give words embeddings that depend on each word alone, and fixed random projections.

    Examples
    --------
    >>> X = inputs_from_words(["배", "가", "배"]).X
    >>> X.shape, bool((X[0] == X[2]).all())
    ((3, 4), True)
    """
    W = seeded("W").standard_normal((3, D_MODEL, D_MODEL)) / 2
    W_Q, W_K, W_V = np.clip((np.round(W / STEP) * STEP).round(2), -LARGEST, LARGEST) + 0.0  # no −0.0
    return Inputs(tuple(words), embed_words(words), W_Q, W_K, W_V)


def embed_words(words: Sequence[str], d_model: int = D_MODEL) -> NDArray[np.float64]:
    """Give words embeddings that depend on each word alone, (n, d_model)."""
    return np.array([seeded(word).standard_normal(d_model).round(1) for word in words]) + 0.0  # no −0.0


def one_hot_inputs(example: WorkedExample) -> Inputs:
    """Return inputs for an example that gives Q, K and V alone: row i of W_Q is then the query of token i."""
    Q, K, V = (example.inputs[name] for name in "QKV")
    return Inputs(example.tokens, np.eye(len(Q)), Q, K, V, example.index())


def masking_sentence() -> Inputs:
    """Return the sentence of notebook 03, with the numbers that the notebook makes by hand.

    Examples
    --------
    >>> masking_sentence().trace().weights.shape
    (8, 8)
    """
    X = np.array(  # article, quality, thing, action
        [
            [2, 0, 0, 0],  # the
            [0, 2, 1, 0],  # fluffy
            [0, 2, 0, 0],  # blue
            [0, 0, 2, 1],  # creature
            [0, 0, 0, 2],  # roamed
            [2, 0, 0, 0],  # the
            [0, 2, 0, 1],  # verdant
            [0, 1, 2, 0],  # forest
        ]
    )  # (n, d_model)
    W_Q = np.array([[0, 0, 1, -1], [-1, 0, 1, 0], [0, 1, 0, -1], [0, 0, 1, 0]])  # (d_model, d_k)
    tokens = ["the", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]
    return Inputs(tuple(tokens), X, W_Q, np.eye(4), np.eye(4))
