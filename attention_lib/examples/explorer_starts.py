"""Where the explorer begins: sentences with all that attention is calculated from, and who should look at whom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .made_up_words import Inputs, inputs_from_words, one_hot_inputs
from .three_meanings import load_meanings
from .worked import load_example

READABLE = load_meanings()
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
    """Whether the words of a sentence stand there with their readable numbers."""
    known = all(token in READABLE.embeddings for token in inputs.tokens)
    return known and np.array_equal(inputs.X, READABLE.embed(" ".join(inputs.tokens)))


def from_words(words: Sequence[str], before: Inputs | None = None) -> Start:
    """Make a start from the words of a sentence.

    Words that all have readable numbers keep the matrices of `before`, if it was of such
    words too, so that a matrix can be tried on another sentence; 배 shall look at the
    last word, where it can. Other words get numbers that depend on each word alone.
    """
    if not all(word in READABLE.embeddings for word in words):
        return Start(inputs_from_words(words))
    one = np.eye(len(READABLE.columns))
    kept = (before.W_Q, before.W_K, before.W_V) if before and is_readable(before) else (one, one, one)
    return readable(words, *kept)


def readable(words: Sequence[str], W_Q: NDArray[Any], W_K: NDArray[Any], W_V: NDArray[Any]) -> Start:
    """Give words their readable numbers; 배 shall look at the last word, where no other has the row of that one."""
    inputs = Inputs(tuple(words), READABLE.embed(" ".join(words)), W_Q, W_K, W_V)
    alone = (inputs.X[-1] == inputs.X).all(axis=1).sum() == 1  # else two words share its weight, whatever is set
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
    words, one = READABLE.tokens(READABLE.sentences["belly"]), np.eye(len(READABLE.columns))
    W_Q = one.copy()
    W_Q[3, 1] = 1.0  # an open word asks for body
    example = load_example("bae_hungry")
    query = example.index()
    bae = Inputs(example.tokens, **example.inputs, query=query)
    return {
        "plain": readable(words, one, one, one),
        "one_number": readable(words, W_Q, one, one),
        "three_matrices": readable(words, READABLE.W_Q, READABLE.W_K, READABLE.W_V),
        "bae": Start(bae, Goal(query, example.index("고파서"))),
        "cat": Start(one_hot_inputs(load_example("cat_sat"))),
        "kv": Start(one_hot_inputs(load_example("kv_cache_three_tokens"))),
        "slow": from_words(["slow", "but", "steady", "wins", "the", "race"]),
        "paper": _asked("The paper was rejected because it was poorly written", Goal(5, 1)),
        "creature": _asked("the fluffy blue creature roamed the verdant forest", Goal(3, 1)),
    }


def _asked(text: str, goal: Goal) -> Start:
    return Start(replace(inputs_from_words(text.split()), query=goal.query), goal)
