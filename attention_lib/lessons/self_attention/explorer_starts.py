"""The explorer's state, and where it begins: sentences with all that attention is calculated from, and a goal."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...examples.made_up_words import Inputs, embed_words, inputs_from_words, one_hot_inputs
from ...examples.three_meanings import load_meanings
from ...examples.worked import load_example
from ...live.chain import Chain, Given, step
from ...live.typed import read_words

READABLE = load_meanings()
SENTENCES = [READABLE.tokens(READABLE.sentences[meaning]) for meaning in ("belly", "pear", "ship")]
IDENTITY = np.eye(len(READABLE.columns))
Array = NDArray[np.float64]
ENOUGH = 0.5  # half of the attention: no other key can get more
FIRST_CELL = ("W_Q", 0, 0)  # under the slider at first


@dataclass(frozen=True, eq=False)
class ExplorerState:
    """A sentence with its matrices and the word that is followed, its goal (query, key), and the chosen number."""

    inputs: Inputs
    goal: tuple[int, int] | None = None  # the query should give the key at least `ENOUGH`
    cell: tuple[str, int, int] = FIRST_CELL
    shows_values: bool = False  # and W_V with them: the second half of the calculation

    @property
    def text(self) -> str:
        return " ".join(self.inputs.tokens)

    @property
    def number(self) -> float:
        panel, row, column = self.cell
        return float(getattr(self.inputs, panel)[row, column])

    @property
    def goal_is_three(self) -> bool:
        """Whether the matrices have to serve all three sentences about 배, whichever is shown."""
        return self.goal is not None and is_readable(self.inputs)

    @property
    def shows_three(self) -> bool:
        return self.goal_is_three and not self.shows_values

    def goal_weights(self) -> dict[str, float]:
        """Return what the goal asks about: each key with the weight that the query gives it."""
        if self.goal is None:
            return {}
        if not self.goal_is_three:
            return {self.inputs.tokens[self.goal[1]]: float(self.inputs.trace().weights[self.goal])}
        weights = {}
        for words in SENTENCES:
            trace = replace(self.inputs, tokens=words, X=READABLE.embed(" ".join(words))).trace()
            weights[words[-1]] = float(trace.weights[words.index(READABLE.word), -1])
        return weights

    @property
    def is_reached(self) -> bool:
        weights = self.goal_weights()
        return bool(weights) and min(weights.values()) >= ENOUGH


def is_readable(inputs: Inputs) -> bool:
    """Whether the words of a sentence have their readable numbers."""
    known = all(token in READABLE.embeddings for token in inputs.tokens)
    return known and np.array_equal(inputs.X, READABLE.embed(" ".join(inputs.tokens)))


def steps_of_three() -> Chain:
    """Return how the weights of the three last words follow from W_Q and W_K: all sentences in one masked map."""
    return [
        step("three Q", "matmul", "three queries", "W_Q"),
        step("three K", "matmul", "three keys", "W_K"),
        step("three K.T", "transpose", "three K"),
        step("three scores", "matmul", "three Q", "three K.T"),
        step("three scaled", "divide", "three scores", len(IDENTITY) ** 0.5),
        step("three masked", "mask", "three scaled", "three own words"),
        step("three weights", "softmax", "three masked"),
        step("three", "matmul", "three weights", "three last words"),
    ]


def given_of_three() -> Given:
    sizes = [len(words) for words in SENTENCES]
    last = np.zeros((sum(sizes), 1))
    last[np.cumsum(sizes) - 1] = 1
    return {
        "three queries": READABLE.embed(" ".join([READABLE.word] * len(sizes))),  # (3, 4)
        "three keys": READABLE.embed(" ".join(map(" ".join, SENTENCES))),  # (all words, 4)
        "three own words": np.repeat(np.eye(len(sizes)), sizes, axis=1),  # (3, all words)
        "three last words": last,  # (all words, 1)
    }


def with_words(state: ExplorerState, text: str) -> ExplorerState:
    """Return the state of another sentence; the matrices stay as they are.

    Words get their readable numbers where all of them have such and the matrices take as many. Otherwise they get
    numbers that depend on each word alone.
    """
    words, before = read_words(text), state.inputs
    if words == before.tokens:
        return state
    matrices, d_model = (before.W_Q, before.W_K, before.W_V), len(before.W_Q)
    after = ExplorerState(Inputs(words, embed_words(words, d_model), *matrices))
    if d_model == len(READABLE.columns) and all(word in READABLE.embeddings for word in words):
        after = readable(words, *matrices)
    return replace(after, cell=state.cell, shows_values=state.shows_values)


def readable(words: tuple[str, ...], W_Q: Array, W_K: Array, W_V: Array) -> ExplorerState:
    """Give words their readable numbers. Only in the three sentences of the goal, 배 should look at the last word."""
    query = words.index(READABLE.word) if READABLE.word in words else 0
    inputs = Inputs(words, READABLE.embed(" ".join(words)), W_Q, W_K, W_V, query)
    return ExplorerState(inputs, (query, len(words) - 1) if words in SENTENCES else None)


def starts() -> dict[str, tuple[str, ExplorerState]]:
    """Return the explorer's presets: name -> (what the menu says, the state)."""
    words = READABLE.tokens(READABLE.sentences["belly"])
    W_K = IDENTITY.copy()
    W_K[3, 3] = -3.0  # 배 does not answer its own question
    one_number = readable(words, IDENTITY, W_K, IDENTITY)
    example = load_example("bae_hungry")
    query = example.index()
    bae = Inputs(example.tokens, **example.inputs, query=query)
    paper = inputs_from_words(["The", "paper", "was", "rejected", "because", "it", "was", "poorly", "written"])
    matrices = READABLE.W_Q, READABLE.W_K, READABLE.W_V
    cat, three = (one_hot_inputs(load_example(name)) for name in ("cat_sat", "kv_cache_three_tokens"))
    return {
        "plain": (_("배 · Q = K = V = X"), readable(words, IDENTITY, IDENTITY, IDENTITY)),
        "one_number": (_("배 · one number reaches the goal"), replace(one_number, cell=("W_K", 3, 3))),
        "three_matrices": (_("배 · the three matrices of section 4"), readable(words, *matrices)),
        "bae": (_("배 · the numbers of notebook 12"), ExplorerState(bae, (query, example.index("고파서")))),
        "cat": (_("sat · the cat of notebook 12"), ExplorerState(cat)),
        "kv": (_("ChatGPT · three tokens of notebook 6"), ExplorerState(three)),
        "paper": (_("the paper … it · random numbers"), ExplorerState(replace(paper, query=5), (5, 1))),
    }
