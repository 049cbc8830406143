"""Goals for cross-attention over the sentence pairs: which word should read which, where to start, and one way."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace, cross_attention
from .sentence_pairs import SentencePair, load_pairs

LOW, HIGH, STEP = -3.0, 3.0, 0.25  # of each number that can be set
INPUTS = ("X", "context", "W_Q", "W_K", "W_V")
DIGITS = 2  # decimals of a weight that is told
TIE = 1e-9  # a lead that is none: the last bits of weights differ from machine to machine

MESSAGES = {
    "looks_at": "“{word}” reads {key} with {weight}; its largest weight is {largest}, on {top}.",
    "own_words": "{n} of {all} words do so; the smallest weight on an own word is {weight}, of “{word}”.",
    "flat": "The weights lie between {smallest} and {largest}.",
    "even": "All weights are {weight}.",
    "all alike": "all {n} alike",
    "one number": "Reached, but with {n} numbers",
    "X": "Reached, but X is changed too",
    "context": "Reached, but context is changed too",
    "words": "Reached, but X and context are changed too",
}


@dataclass(frozen=True, eq=False)
class Crossing:
    """One sentence pair with all that cross-attention is calculated from."""

    pair: SentencePair  # tokens, labels, and which words mean the same
    X: NDArray[Any]  # (n_queries, d_model)
    context: NDArray[Any]  # (n_keys, d_model)
    W_Q: NDArray[Any]  # (d_model, d_k)
    W_K: NDArray[Any]  # (d_model, d_k)
    W_V: NDArray[Any]  # (d_model, d_v)

    def trace(self) -> AttentionTrace:
        """Calculate every step."""
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V)

    def with_edits(self, edits: "tuple[Change, ...]") -> "Crossing":
        """Return this state with some numbers changed."""
        changed = {name: getattr(self, name).copy() for name in INPUTS}
        for panel, row, column, value in edits:
            changed[panel][row, column] = value
        return replace(self, **changed)


class Change(NamedTuple):
    """One number of one input, and what it becomes."""

    panel: str
    row: int
    column: int
    value: float


class HowFar(NamedTuple):
    """When a goal is reached, as conditions on the weights, and a sentence with the numbers."""

    when: Any  # as `choose` of a reader takes it: see attention_lib/view/follow.py
    now: str


Measure = Callable[[SentencePair, Any], HowFar]  # of a pair, and of a reader of its panel "weights"
Limit = Callable[[Crossing, Any], list[tuple[Any, str]]]  # of a start and a reader: what is not kept, and its words


class Goal(NamedTuple):
    """A state of the map to reach, where to start, and one way to it."""

    label: str
    ask: str
    pair: str
    measure: Measure
    way: tuple[Change, ...]
    limit: Limit | None = None  # of what may be changed on the way
    start: tuple[Change, ...] = ()  # what differs at the start from the pair as it is stored


def looks_at(word: str, key: str, least: float | None = None) -> Measure:
    """The word's weight on the key is, as it is told, at least so large; without `least`, larger than all others."""

    def measure(pair: SentencePair, read: Any) -> HowFar:
        row, columns = pair.english.index(word), [pair.korean.index(key)]
        weight, largest = (("largest", "weights", row, among) for among in (columns, None))
        told = {"word": word, "key": key, "weight": read.value(weight, DIGITS), "largest": read.value(largest, DIGITS)}
        lead = ("lead", "weights", row, columns)
        when = ((lead, TIE, None),) if least is None else ((("told", weight, DIGITS), least, None),)
        return HowFar(when, MESSAGES["looks_at"].format(**told, top=top_words(pair, read, row)))

    return measure


def own_words(least: float = 0.0) -> Measure:
    """Every word that has a counterpart reads it most, with at least this weight."""

    def measure(pair: SentencePair, read: Any) -> HowFar:
        meant = [(i, np.flatnonzero(row).tolist()) for i, row in enumerate(pair.alignment) if row.any()]
        own = [("largest", "weights", i, columns) for i, columns in meant]
        done = [
            ((("lead", "weights", i, columns), TIE, None), (("told", weight, DIGITS), least, None))
            for (i, columns), weight in zip(meant, own)
        ]
        told = {"n": read.value(("held", *done), 0), "all": len(meant), "weight": read.value(("least", *own), DIGITS)}
        told["word"] = read.of_least([pair.english[i] for i, _ in meant], *own)
        return HowFar(((("held", *done), len(meant), None),), MESSAGES["own_words"].format(**told))

    return measure


def flat(low: float, high: float) -> Measure:
    """All weights lie, as they are told, between two bounds."""

    def measure(pair: SentencePair, read: Any) -> HowFar:
        smallest, largest = ("lowest", "weights"), ("highest", "weights")
        ends = {"smallest": read.value(smallest, DIGITS), "largest": read.value(largest, DIGITS)}
        alike = ((("alike", "weights", DIGITS), 1, None),)
        even = MESSAGES["even"].format(weight=ends["smallest"])
        said = read.choose((alike, even), ((), MESSAGES["flat"].format(**ends)))
        return HowFar(((("told", smallest, DIGITS), low, None), (("told", largest, DIGITS), None, high)), said)

    return measure


def one_number(start: Crossing, read: Any) -> list[tuple[Any, str]]:
    """No more than one number is changed."""
    changed = _changed(start, *INPUTS)
    return [(((changed, 2, None),), MESSAGES["one number"].format(n=read.value(changed, 0)))]


def projections_alone(start: Crossing, read: Any) -> list[tuple[Any, str]]:
    """No number of X or context is changed."""
    x, context = (((_changed(start, name), 1, None),) for name in ("X", "context"))
    return [(x + context, MESSAGES["words"]), (x, MESSAGES["X"]), (context, MESSAGES["context"])]


def _changed(start: Crossing, *names: str) -> tuple[Any, ...]:
    """How many numbers differ from the start, for a reader."""
    return ("changed", *((name, getattr(start, name).tolist()) for name in names))


def top_words(pair: SentencePair, read: Any, row: int) -> str:
    """The Korean words that hold the largest weight of a row."""
    at, n = ("weights", row, None), len(pair.korean)
    listed: str = read.listed("top", at, pair.korean)
    if n <= 2:
        return listed
    all_alike = MESSAGES["all alike"].format(n=n)
    alike: str = read.choose((((("count", "top", at), n, None),), all_alike), ((), listed))
    return alike


def _diagonal(panel: str, *values: float) -> tuple[Change, ...]:
    return tuple(Change(panel, i, i, value) for i, value in enumerate(values))


def _whole(panel: str, matrix: NDArray[Any]) -> tuple[Change, ...]:
    return tuple(Change(panel, i, j, float(value)) for i, row in enumerate(matrix) for j, value in enumerate(row))


GOALS = {
    "last": Goal(
        "“last” reads 밤에: one number",
        "make “last” read 밤에 more than any other word, by changing one number.",
        "chicken",
        looks_at("last", "밤에"),
        way=(Change("X", 3, 3, 1.0),),
        limit=one_number,
    ),
    "sure": Goal(
        "every word is sure: projections alone",
        "make every English word read its own Korean word with 0.90 or more, by changing projections alone.",
        "chicken",
        own_words(0.9),
        way=_diagonal("W_Q", 2, 2, 2, 3),
        limit=projections_alone,
    ),
    "flat": Goal(
        "nobody has a favourite",
        "bring every weight between 0.15 and 0.25.",
        "chicken",
        flat(0.15, 0.25),
        way=_diagonal("W_Q", 0, 0, 0, 0),
    ),
    "mend": Goal(
        "mend a broken W_K",
        "make every English word read its own Korean word most. It starts with the identity as W_K, "
        "which leaves the Korean columns in their own order.",
        "chicken",
        own_words(),
        way=_whole("W_K", load_pairs()["chicken"].W_K),
        start=_whole("W_K", np.eye(4)),
    ),
    "article": Goal(
        "give “The” something to read",
        "make “The”, which has no counterpart, read 고양이가 with 0.50 or more.",
        "cat",
        looks_at("The", "고양이가", 0.5),
        way=(Change("X", 0, 0, 2.0),),
    ),
    "half": Goal(
        "“raining” reads 비가",
        "make “raining” read 비가 with 0.80 or more.",
        "rain",
        looks_at("raining", "비가", 0.8),
        way=(Change("context", 1, 3, 0.5),),
    ),
    "to": Goal(
        "“to” belongs to going",
        "make “to” read 간다 more than any other word.",
        "school",
        looks_at("to", "간다"),
        way=(Change("X", 2, 1, 3.0),),
    ),
}


def start_of(name: str) -> Crossing:
    """Return the state that a goal starts from.

    Raises
    ------
    ValueError
        If there is no such goal.
    """
    if name not in GOALS:
        raise ValueError(f"there is no goal {name!r}; the goals are {', '.join(GOALS)}")
    pair = load_pairs()[GOALS[name].pair]
    state = Crossing(pair, *(getattr(pair, key) for key in INPUTS))
    return state.with_edits(GOALS[name].start)
