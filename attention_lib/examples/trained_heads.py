"""Heads of a trained model: ten stored sentences, and what can be measured of an attention map.

The numbers were extracted from all-MiniLM-L6-v2 by `data/extract_minilm.py`.
Layers and heads are counted from 0.
"""

import functools
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._checks import as_tokens, as_whole_number, read_only
from ..attention import AttentionTrace, scaled_dot_product_attention
from .minilm import EncoderTrace
from .worked import DATA

SPECIAL = ("[CLS]", "[SEP]")  # put around every sentence by the tokenizer


@dataclass(frozen=True, eq=False)
class TrainedSentence:
    """One sentence as all heads of the model read it.

    Attributes
    ----------
    name, text : str
    tokens : tuple of str
        The pieces of the tokenizer; "##" marks one that continues a word.
    query, key : int
        The pair that is asked about: two positions in `tokens`.
    trace : AttentionTrace
        Of all layers and heads at once: Q, K, V are (6, 12, n, 32), weights are (6, 12, n, n).
    moved : dict of str to (6, 12) ndarray
        What switching off each head changes: cosine distance of the whole
        "sentence" vector, and of the last vector of the "query". Empty for a new sentence.
    """

    name: str
    text: str
    tokens: tuple[str, ...]
    query: int
    key: int
    trace: AttentionTrace
    moved: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)

    @property
    def special(self) -> list[int]:
        """Positions of [CLS] and [SEP]."""
        return [i for i, token in enumerate(self.tokens) if token in SPECIAL]

    def head(self, layer: int, head: int) -> AttentionTrace:
        """Return the calculation of one head: Q, K, V are (n, 32), weights are (n, n).

        Raises
        ------
        ValueError
            If there is no such layer or head.

        Examples
        --------
        >>> paper = load_sentence("paper")
        >>> round(float(paper.head(4, 4).weights[paper.query, paper.key]), 2)
        0.76
        """
        counts = self.trace.weights.shape[:2]
        for name, value, count in zip(("layer", "head"), (layer, head), counts):
            if not 0 <= as_whole_number(name, value) < count:
                raise ValueError(f"{name} is {value}; it needs 0 to {count - 1}")
        return AttentionTrace(*(array[layer, head] for _, array in self.trace.steps()))

    def statistics(self, query: int | None = None, key: int | None = None) -> dict[str, NDArray[Any]]:
        """Measure every head: name of the measure -> (6, 12) array. See `head_statistics`."""
        pair = (self.query if query is None else query, self.key if key is None else key)
        return head_statistics(self.trace.weights, pair, self.special)


def sentence_names() -> list[str]:
    """List the names of the stored sentences.

    Examples
    --------
    >>> sentence_names()[:3]
    ['paper', 'creature', 'animal_tired']
    """
    return list(_records())


def load_sentence(name: str) -> TrainedSentence:
    """Load one stored sentence and compute its attention from Q, K and V.

    Parameters
    ----------
    name : str
        One of `sentence_names()`.

    Returns
    -------
    TrainedSentence

    Raises
    ------
    ValueError
        If there is no such sentence.

    References
    ----------
    .. [1] sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; data/README.md says how it was read.

    Examples
    --------
    >>> load_sentence("cat").tokens
    ('[CLS]', 'the', 'cat', 'sat', 'on', 'the', 'mat', '[SEP]')
    """
    if name not in _records():
        raise ValueError(f"there is no sentence {name!r}; the sentences are {', '.join(_records())}")
    record = _records()[name]
    with np.load(DATA / "minilm_heads.npz") as arrays:
        Q, K, V = arrays[name].astype(np.float32)  # stored as float16, (3, 6, 12, n, 32)
        moved = {"sentence": arrays[f"{name}_moved"][0], "query": arrays[f"{name}_moved"][1]}
    tokens = tuple(record["tokens"])
    trace = scaled_dot_product_attention(Q, K, V)
    moved = {what: read_only(array) for what, array in moved.items()}
    return TrainedSentence(name, record["text"], tokens, record["query"], record["key"], trace, moved)


def sentence_of(text: str, run: EncoderTrace) -> TrainedSentence:
    """Return a sentence that the model has just read; the pair asked about is the last word and the first."""
    steps = (step.name for step in fields(AttentionTrace))
    trace = AttentionTrace(*(run.stacked(step) for step in steps))
    return TrainedSentence(text, text, run.tokens, query=len(run.tokens) - 2, key=1, trace=trace)


@functools.cache
def _records() -> dict[str, Any]:
    return json.loads((DATA / "minilm_heads.json").read_text("utf-8"))["sentences"]


def mean_entropy(weights: ArrayLike) -> NDArray[Any]:
    """Return how spread out the rows of each map are: -sum(w log w), averaged over the queries.

    Parameters
    ----------
    weights : (..., n_queries, n_keys) array_like

    Returns
    -------
    (...) ndarray
        0 where each row has one weight of 1; log(n_keys) where all are equal.

    Examples
    --------
    >>> mean_entropy([[0.5, 0.5], [1.0, 0.0]]).round(3)
    np.float64(0.347)
    """
    weights = as_tokens("weights", weights, "(..., n_queries, n_keys)")
    logs = np.log(np.where(weights > 0, weights, 1))  # a weight of 0 adds nothing
    return -(weights * logs).sum(axis=-1).mean(axis=-1)


def offset_share(weights: ArrayLike, offset: int) -> NDArray[Any]:
    """Return the mean weight that a query puts on the key `offset` tokens later; -1 is the previous token.

    Queries without such a key do not count.

    Parameters
    ----------
    weights : (..., n, n) array_like
    offset : int

    Returns
    -------
    (...) ndarray

    Raises
    ------
    ValueError
        If no query has such a key.

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.1.

    Examples
    --------
    >>> offset_share([[0.5, 0.5], [0.75, 0.25]], -1)
    np.float64(0.75)
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    on_diagonal = np.diagonal(weights, as_whole_number("offset", offset), -2, -1)
    if on_diagonal.shape[-1] == 0:
        raise ValueError(f"offset is {offset}; weights of shape {weights.shape} have no key so far away")
    return on_diagonal.mean(axis=-1)


def key_share(weights: ArrayLike, keys: Collection[int]) -> NDArray[Any]:
    """Return the mean weight that all other tokens together put on `keys`.

    Parameters
    ----------
    weights : (..., n, n) array_like
    keys : collection of int
        Positions; as queries they do not count.

    Returns
    -------
    (...) ndarray

    Raises
    ------
    ValueError
        If no other token is left.

    References
    ----------
    .. [1] Clark et al., "What Does BERT Look At?", 2019, section 3.2: attention to [SEP].

    Examples
    --------
    >>> key_share([[0.5, 0.5], [0.75, 0.25]], [0])
    np.float64(0.75)
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    others = [i for i in range(weights.shape[-2]) if i not in keys]
    if not others:
        raise ValueError("keys holds every token; at least one other must be left as a query")
    return weights[..., others, :][..., sorted(keys)].sum(axis=-1).mean(axis=-1)


def head_statistics(weights: ArrayLike, pair: tuple[int, int], special: Collection[int]) -> dict[str, NDArray[Any]]:
    """Measure each map of a stack in six ways.

    Parameters
    ----------
    weights : (..., n, n) array_like
    pair : (int, int)
        A query and a key.
    special : collection of int
        Positions of [CLS] and [SEP].

    Returns
    -------
    dict of str to (...) ndarray
        "pair", "entropy", "previous", "next", "self", "special".

    Examples
    --------
    >>> list(head_statistics([[0.5, 0.5], [0.75, 0.25]], (1, 0), [0]))
    ['pair', 'entropy', 'previous', 'next', 'self', 'special']
    """
    weights = as_tokens("weights", weights, "(..., n, n)")
    return {
        "pair": weights[..., pair[0], pair[1]],
        "entropy": mean_entropy(weights),
        "previous": offset_share(weights, -1),
        "next": offset_share(weights, 1),
        "self": offset_share(weights, 0),
        "special": key_share(weights, special),
    }


def strongest_heads(values: ArrayLike, count: int, digits: int = 3) -> list[tuple[int, int, float]]:
    """Return (layer, head, rounded value) of the largest values of a (layers, heads) table, largest first.

    Examples
    --------
    >>> strongest_heads([[1, 5], [7, 3]], 2)
    [(1, 0, 7.0), (0, 1, 5.0)]
    """
    table = np.asarray(values, dtype=float)
    order = np.argsort(-table, axis=None, kind="stable")[:count]
    places = (np.unravel_index(i, table.shape) for i in order)
    return [(int(layer), int(head), round(float(table[layer, head]), digits)) for layer, head in places]
