"""Heads of a trained model: eighteen stored sentences as all of them read it.

The numbers were extracted from all-MiniLM-L6-v2 by `data/extract_minilm.py`.
Layers and heads are counted from 0.
"""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._arguments import read_only
from ..attention import AttentionTrace, scaled_dot_product_attention
from .data import DATA, read_data
from .measures import arriving_share, key_share, offset_share

SPECIAL = ("[CLS]", "[SEP]")  # put around every sentence by the tokenizer
KINDS = ("sentences", "beforehand", "one_word")  # the ten; written down before a head was followed; minimal pairs


@dataclass(frozen=True, eq=False)
class TrainedSentence:
    """One sentence as all heads of the model read it.

    `moved` is the cosine distance by which the last vector of the query moves when the mean
    over all stored tokens stands in place of each head's output, (6, 12).
    """

    text: str
    tokens: tuple[str, ...]  # the pieces of the tokenizer; "##" marks one that continues a word
    query: int  # with `key` the pair that is asked about: two positions in `tokens`
    key: int
    trace: AttentionTrace  # all layers and heads at once: Q, K, V are (6, 12, n, 32), weights are (6, 12, n, n)
    moved: NDArray[np.float32]

    def head(self, layer: int, head: int) -> AttentionTrace:
        """Return the calculation of one head: Q, K, V are (n, 32), weights are (n, n).

        Examples
        --------
        >>> paper = load_sentence("paper")
        >>> round(float(paper.head(4, 4).weights[paper.query, paper.key]), 2)
        0.76
        """
        for name, value, count in zip(("layer", "head"), (layer, head), self.trace.weights.shape):
            if not 0 <= value < count:
                raise ValueError(f"{name} is {value}; it needs 0 to {count - 1}")
        return AttentionTrace(*(array[layer, head] for _, array in self.trace.steps()))

    def maps(self, arriving: bool = False) -> NDArray[Any]:
        """Return the weights of all heads, (6, 12, n, n); or what arrives: weight times value length, as shares."""
        return arriving_share(self.trace.weights, self.trace.V) if arriving else self.trace.weights

    def statistics(
        self, query: int | None = None, key: int | None = None, arriving: bool = False
    ) -> dict[str, NDArray[Any]]:
        """Return the mean weight that each head puts on the pair, the tokens around, and [CLS]: name -> (6, 12)."""
        maps = self.maps(arriving)
        return {
            "pair": maps[..., self.query if query is None else query, self.key if key is None else key],
            "previous": offset_share(maps, -1),
            "next": offset_share(maps, 1),
            "cls": key_share(maps, [0]),  # [CLS] is the first token
        }

    def finds_key(self) -> NDArray[np.bool_]:
        """Say of each head whether the key is the word that the query looks at most, (6, 12)."""
        words = [j for j, token in enumerate(self.tokens) if token not in SPECIAL]
        row = self.trace.weights[:, :, self.query][..., words]  # (6, 12, n_words)
        return row.argmax(axis=-1) == words.index(self.key)


def sentence_names(*kinds: str) -> list[str]:
    """List the names of the stored sentences of these `KINDS`, by default of the ten "sentences".

    Examples
    --------
    >>> sentence_names()[:3]
    ['paper', 'creature', 'animal_tired']
    >>> sentence_names("beforehand")
    ['cup', 'report', 'letter', 'song', 'tree']
    """
    return [name for kind in kinds or KINDS[:1] for name in _about()[kind]]


@functools.cache  # eighteen sentences, a few MB
def load_sentence(name: str) -> TrainedSentence:
    """Load one stored sentence and compute its attention from Q, K and V; ValueError if there is no such sentence.

    References
    ----------
    .. [1] sentence-transformers/all-MiniLM-L6-v2, Apache-2.0; data/README.md says how it was read.

    Examples
    --------
    >>> load_sentence("cat").tokens
    ('[CLS]', 'the', 'cat', 'sat', 'on', 'the', 'mat', '[SEP]')
    """
    records = {each: record for kind in KINDS for each, record in _about()[kind].items()}
    if name not in records:
        raise ValueError(f"there is no sentence {name!r}; the sentences are {', '.join(records)}")
    record = records[name]
    with np.load(DATA / "minilm_heads.npz") as arrays:
        Q, K, V = arrays[name].astype(np.float32)  # stored as float16, (3, 6, 12, n, 32)
        moved = read_only(arrays[f"{name}_moved"])
    tokens = tuple(record["tokens"])
    trace = scaled_dot_product_attention(Q, K, V)
    return TrainedSentence(record["text"], tokens, record["query"], record["key"], trace, moved)


@functools.cache
def _about() -> dict[str, Any]:
    return read_data("minilm_heads")
