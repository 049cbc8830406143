"""Hand-made sentences and a four-head layer, small enough to check on paper; see data/README.md."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._checks import read_only
from ..multi_head import MultiHeadAttention
from .worked import DATA


@dataclass(frozen=True, eq=False)
class HeadSentence:
    """One sentence with embeddings.

    Attributes
    ----------
    tokens : tuple of str
    query : str
        The token whose row is followed.
    X : (n, d_model) ndarray
    """

    tokens: tuple[str, ...]
    query: str
    X: NDArray[Any]

    @property
    def row(self) -> int:
        """The row of the query."""
        return self.tokens.index(self.query)


@dataclass(frozen=True, eq=False)
class HeadsExample:
    """Several sentences that share embeddings, and one layer of heads for all of them.

    Attributes
    ----------
    features : tuple of str
        What each column of an embedding stands for.
    head_names : tuple of str
        What each head was made to look for.
    W_Q, W_K, W_V, W_O : (d_model, d_model) ndarray
    sentences : dict of str to HeadSentence
    """

    features: tuple[str, ...]
    head_names: tuple[str, ...]
    W_Q: NDArray[Any]
    W_K: NDArray[Any]
    W_V: NDArray[Any]
    W_O: NDArray[Any]
    sentences: dict[str, HeadSentence]

    def layer(self, n_heads: int | None = None) -> MultiHeadAttention:
        """Return the layer, with its matrices cut into `n_heads` heads (default: one for each of `head_names`)."""
        return MultiHeadAttention(self.W_Q, self.W_K, self.W_V, self.W_O, n_heads or len(self.head_names))


def load_heads_example() -> HeadsExample:
    """Load the sentences and the layer.

    Returns
    -------
    HeadsExample

    References
    ----------
    .. [1] data/README.md says where the numbers come from: they are made by hand.

    Examples
    --------
    >>> example = load_heads_example()
    >>> example.sentences["eiffel_tower"].tokens
    ('Eiffel', 'Tower')
    """
    record = json.loads((DATA / "heads_example.json").read_text("utf-8"))
    W_Q, W_K, W_V, W_O = (read_only(np.array(record[name], float)) for name in ("W_Q", "W_K", "W_V", "W_O"))
    sentences = {
        name: HeadSentence(tuple(one["tokens"]), one["query"], read_only(np.array(one["X"], float)))
        for name, one in record["sentences"].items()
    }
    return HeadsExample(tuple(record["features"]), tuple(record["head_names"]), W_Q, W_K, W_V, W_O, sentences)


def surgery_code(sentence: str, off: Sequence[int], averaged: Sequence[int]) -> str:
    """Return lines that give ΔE of a sentence after an operation on the layer, with attention_lib alone."""
    lines = [
        "from attention_lib import merge_heads",
        "from attention_lib.examples.made_up_heads import load_heads_example",
        "",
        "example = load_heads_example()",
        f'trace = example.layer()(example.sentences["{sentence}"].X)',
        "weights = trace.heads.weights.copy()  # (h, n, n)",
    ]
    if averaged:
        lines.append(f"weights[{list(averaged)}] = weights[{list(averaged)}].mean(axis=0)")
    lines.append("head_output = weights @ trace.heads.V  # (h, n, d_h)")
    if off:
        lines.append(f"head_output[{list(off)}] = 0")
    delta = "delta = merge_heads(head_output) @ example.W_O  # (n, d_model)"
    return "\n".join([*lines, delta, "delta.round(2)"])
