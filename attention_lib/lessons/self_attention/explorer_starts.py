"""The explorer's state, and where it begins: sentences with all that attention is calculated from, and a goal."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...examples.made_up_words import Inputs, embed_words, inputs_from_words, one_hot_inputs
from ...examples.three_meanings import load_meanings
from ...examples.worked import load_example
from ...live.typed import read_words

READABLE = load_meanings()
IDENTITY = np.eye(len(READABLE.columns))
Array = NDArray[np.float64]
MOST_TOKENS = 12
ENOUGH = 0.5  # half of the attention: no other key can get more
FIRST_CELL = ("W_Q", 0, 0)  # under the slider at first: no number there reaches a goal


@dataclass(frozen=True, eq=False)
class ExplorerState:
    """A sentence with its matrices and the word that is followed, its goal (query, key), and the chosen number."""

    inputs: Inputs
    goal: tuple[int, int] | None = None  # the query should give the key at least `ENOUGH`
    cell: tuple[str, int, int] = FIRST_CELL

    @property
    def text(self) -> str:
        """The sentence."""
        return " ".join(self.inputs.tokens)

    @property
    def number(self) -> float:
        """The number that the slider sets."""
        panel, row, column = self.cell
        return float(getattr(self.inputs, panel)[row, column])

    @property
    def is_reached(self) -> bool:
        """Whether there is a goal, and it is reached."""
        return self.goal is not None and bool(self.inputs.trace().weights[self.goal] >= ENOUGH)


def is_readable(inputs: Inputs) -> bool:
    """Whether the words of a sentence have their readable numbers."""
    known = all(token in READABLE.embeddings for token in inputs.tokens)
    return known and np.array_equal(inputs.X, READABLE.embed(" ".join(inputs.tokens)))


def with_words(state: ExplorerState, text: str) -> ExplorerState:
    """Return the state of another sentence; the matrices stay as they are.

    Words get their readable numbers where all of them have such and the matrices take as many. Otherwise they get
    numbers that depend on each word alone.
    """
    words, before = read_words(text, MOST_TOKENS), state.inputs
    if words == before.tokens:
        return state
    matrices, d_model = (before.W_Q, before.W_K, before.W_V), len(before.W_Q)
    if d_model == len(READABLE.columns) and all(word in READABLE.embeddings for word in words):
        return replace(readable(words, *matrices), cell=state.cell)
    return ExplorerState(Inputs(words, embed_words(words, d_model), *matrices), cell=state.cell)


def readable(words: tuple[str, ...], W_Q: Array, W_K: Array, W_V: Array) -> ExplorerState:
    """Give words their readable numbers. The goal is that 배 looks at the last word, if no other has the same row."""
    inputs = Inputs(words, READABLE.embed(" ".join(words)), W_Q, W_K, W_V)
    alone = (inputs.X[-1] == inputs.X).all(axis=1).sum() == 1  # two equal words would share the weight
    if READABLE.word not in words[:-1] or not alone:
        return ExplorerState(inputs)
    query = words.index(READABLE.word)
    return ExplorerState(replace(inputs, query=query), (query, len(words) - 1))


def starts() -> dict[str, tuple[str, ExplorerState]]:
    """Return the explorer's presets: name -> (what the menu says, the state).

    Examples
    --------
    >>> label, state = starts()["one_number"]
    >>> state.inputs.trace().weights[state.goal].round(3)
    np.float64(0.586)
    """
    words = READABLE.tokens(READABLE.sentences["belly"])
    W_Q = IDENTITY.copy()
    W_Q[3, 1] = 1.0  # an open word asks for body
    example = load_example("bae_hungry")
    query = example.index()
    bae = Inputs(example.tokens, **example.inputs, query=query)
    paper = inputs_from_words(["The", "paper", "was", "rejected", "because", "it", "was", "poorly", "written"])
    matrices = READABLE.W_Q, READABLE.W_K, READABLE.W_V
    cat, three = (one_hot_inputs(load_example(name)) for name in ("cat_sat", "kv_cache_three_tokens"))
    return {
        "plain": (_("배 · Q = K = V = X"), readable(words, IDENTITY, IDENTITY, IDENTITY)),
        "one_number": (_("배 · one number reaches the goal"), readable(words, W_Q, IDENTITY, IDENTITY)),
        "three_matrices": (_("배 · the three matrices of section 4"), readable(words, *matrices)),
        "bae": (_("배 · the numbers of article 000"), ExplorerState(bae, (query, example.index("고파서")))),
        "cat": (_("sat · article 002 (one-hot X)"), ExplorerState(cat)),
        "kv": (_("ChatGPT · article 003 (one-hot X)"), ExplorerState(three)),
        "paper": (_("the paper … it · random numbers"), ExplorerState(replace(paper, query=5), (5, 1))),
    }
