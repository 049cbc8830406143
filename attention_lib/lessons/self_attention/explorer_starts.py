"""Where the explorer begins: sentences with all that attention is calculated from, and who should look at whom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...examples.made_up_words import Inputs, embed_words, inputs_from_words, one_hot_inputs
from ...examples.three_meanings import load_meanings
from ...examples.worked import load_example

READABLE = load_meanings()
IDENTITY = np.eye(len(READABLE.columns))
Array = NDArray[np.float64]
ENOUGH = 0.5  # half of the attention: no other key can get more


class Goal(NamedTuple):
    """The query that should give the key at least `ENOUGH` of its attention."""

    query: int
    key: int


@dataclass(frozen=True, eq=False)
class Start:
    """What attention is calculated from, and the goal."""

    inputs: Inputs
    goal: Goal | None = None


def is_readable(inputs: Inputs) -> bool:
    """Whether the words of a sentence have their readable numbers."""
    known = all(token in READABLE.embeddings for token in inputs.tokens)
    return known and np.array_equal(inputs.X, READABLE.embed(" ".join(inputs.tokens)))


def from_words(words: Sequence[str], before: Inputs) -> Start:
    """Make a start from the words of another sentence; the matrices stay those of `before`.

    Words get their readable numbers where all of them have such and the matrices take as many. Otherwise they get
    numbers that depend on each word alone.
    """
    matrices = before.W_Q, before.W_K, before.W_V
    d_model = len(before.W_Q)
    if d_model == len(READABLE.columns) and all(word in READABLE.embeddings for word in words):
        return readable(words, *matrices)
    return Start(Inputs(tuple(words), embed_words(words, d_model), *matrices))


def readable(words: Sequence[str], W_Q: Array, W_K: Array, W_V: Array) -> Start:
    """Give words their readable numbers. The goal is that 배 looks at the last word, if no other has the same row."""
    inputs = Inputs(tuple(words), READABLE.embed(" ".join(words)), W_Q, W_K, W_V)
    alone = (inputs.X[-1] == inputs.X).all(axis=1).sum() == 1  # two equal words would share the weight
    if READABLE.word not in words[:-1] or not alone:
        return Start(inputs)
    query = inputs.tokens.index(READABLE.word)
    return Start(replace(inputs, query=query), Goal(query, len(words) - 1))


@cache
def starts() -> dict[str, Start]:
    """Return the explorer's presets by name.

    Examples
    --------
    >>> start = starts()["one_number"]
    >>> start.inputs.trace().weights[start.goal].round(3)
    np.float64(0.586)
    """
    words = READABLE.tokens(READABLE.sentences["belly"])
    W_Q = IDENTITY.copy()
    W_Q[3, 1] = 1.0  # an open word asks for body
    example = load_example("bae_hungry")
    query = example.index()
    bae = Inputs(example.tokens, **example.inputs, query=query)
    paper = inputs_from_words(["The", "paper", "was", "rejected", "because", "it", "was", "poorly", "written"])
    return {
        "plain": readable(words, IDENTITY, IDENTITY, IDENTITY),
        "one_number": readable(words, W_Q, IDENTITY, IDENTITY),
        "three_matrices": readable(words, READABLE.W_Q, READABLE.W_K, READABLE.W_V),
        "bae": Start(bae, Goal(query, example.index("고파서"))),
        "cat": Start(one_hot_inputs(load_example("cat_sat"))),
        "kv": Start(one_hot_inputs(load_example("kv_cache_three_tokens"))),
        "paper": Start(replace(paper, query=5), Goal(5, 1)),
    }
