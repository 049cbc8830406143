"""Goals for cross-attention over the sentence pairs: which word should read which, where to start, and one way."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..._numbers import number_text
from ..._words import _
from ...attention import AttentionTrace, cross_attention
from ...examples.sentence_pairs import SentencePair, load_pairs

LOW, HIGH, STEP = -3.0, 3.0, 0.25  # of each number that can be set
INPUTS = ("X", "context", "W_Q", "W_K", "W_V")
TIE = 1e-9  # a lead that is none: the last bits of weights differ from machine to machine
Array = NDArray[np.float64]
Number = tuple[str, int, int]  # which input, row, column


@dataclass(frozen=True, eq=False)
class Steering:
    """A goal, all that cross-attention is calculated from on the way to it, and the number that the slider sets."""

    goal: str
    X: Array  # (n_queries, d_model)
    context: Array  # (n_keys, d_model)
    W_Q: Array  # (d_model, d_k)
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    chosen: Number = field(default=("X", 0, 0))

    @property
    def pair(self) -> SentencePair:
        """The sentences, and which of their words mean the same."""
        return PAIRS[GOALS[self.goal].pair]

    @property
    def value(self) -> float:
        """The chosen number."""
        panel, row, column = self.chosen
        return float(getattr(self, panel)[row, column])

    def trace(self) -> AttentionTrace:
        """Calculate every step."""
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V)

    def with_numbers(self, *changes: tuple[Number, float]) -> "Steering":
        """Return this state with some numbers changed; the last of them is chosen."""
        matrices = {name: getattr(self, name).copy() for name in INPUTS}
        for (panel, row, column), value in changes:
            matrices[panel][row, column] = np.clip(round(value, 2), LOW, HIGH) + 0.0  # never -0
        return replace(self, **matrices, chosen=changes[-1][0]) if changes else self


Measure = Callable[[SentencePair, Array], tuple[bool, str]]  # of weights: is it reached, and how far it is
Limit = Callable[[Steering, Steering], str]  # of start and state: what should not have been changed, or ""


class Goal(NamedTuple):
    """A state of the map to reach, the inputs to reach it with, where to start, and one way to it."""

    label: str
    ask: str
    pair: str
    measure: Measure
    inputs: tuple[str, str]
    chosen: Number  # at the start: it moves the map, but it is not the number that has to change
    way: tuple[tuple[Number, float], ...]
    aims: tuple[tuple[str, str], ...] = ()  # cells of the map that the goal speaks of; () is each word and its own
    limit: Limit = lambda start, state: ""
    start: tuple[tuple[Number, float], ...] = ()  # what differs at the start from the pair as it is stored


def reads_most(word: str, key: str) -> Measure:
    """The word's weight on the key is larger than all its others."""

    def measure(pair: SentencePair, weights: Array) -> tuple[bool, str]:
        row, column = weights[pair.english.index(word)], pair.korean.index(key)
        others = np.where(np.arange(len(row)) == column, 0, row)
        parts = {"key": key, "weight": number_text(row[column])}
        parts |= {"other": pair.korean[others.argmax()], "largest": number_text(others.max())}
        now = _("Now {key} has {weight}, {other} {largest}.").format(**parts)
        return bool(row[column] > others.max() + TIE), now

    return measure


def reads_enough(word: str, key: str, least: float) -> Measure:
    """The word's weight on the key reads as at least so much."""

    def measure(pair: SentencePair, weights: Array) -> tuple[bool, str]:
        text = number_text(weights[pair.english.index(word), pair.korean.index(key)])
        return float(text) >= least, _("Now it gives {weight}.").format(weight=text)

    return measure


def own_words(least: float = 0.0) -> Measure:
    """Every word that has a counterpart reads it most, with at least this weight."""

    def measure(pair: SentencePair, weights: Array) -> tuple[bool, str]:
        meant = [i for i, own in enumerate(pair.alignment) if own.any()]
        own = [weights[i][pair.alignment[i]].max() for i in meant]
        others = [weights[i][~pair.alignment[i]].max(initial=0) for i in meant]
        done = [a > b + TIE and float(number_text(a)) >= least for a, b in zip(own, others)]
        now = _("Now {n} of {all} do, and the lowest has {weight}.")
        return all(done), now.format(n=sum(done), all=len(done), weight=number_text(min(own)))

    return measure


def between(low: float, high: float) -> Measure:
    """All weights read as between two bounds."""

    def measure(pair: SentencePair, weights: Array) -> tuple[bool, str]:
        least, most = number_text(weights.min()), number_text(weights.max())
        now = _("Now the smallest is {least} and the largest {most}.").format(least=least, most=most)
        return low <= float(least) and float(most) <= high, now

    return measure


def one_number(start: Steering, state: Steering) -> str:
    """No more than one number is changed."""
    n = sum(int((getattr(start, name) != getattr(state, name)).sum()) for name in INPUTS)
    return "" if n <= 1 else _("{n} numbers differ from the start, and only one should.").format(n=n)


def projections_alone(start: Steering, state: Steering) -> str:
    """No number of X or context is changed."""
    words = all(np.array_equal(getattr(start, name), getattr(state, name)) for name in ("X", "context"))
    return "" if words else _("X or context has changed, and only the projections should.")


def _diagonal(panel: str, *values: float) -> tuple[tuple[Number, float], ...]:
    return tuple(((panel, i, i), value) for i, value in enumerate(values))


def _whole(panel: str, matrix: Array) -> tuple[tuple[Number, float], ...]:
    return tuple(((panel, i, j), float(value)) for (i, j), value in np.ndenumerate(matrix))


PAIRS = load_pairs()
WORDS, PROJECTIONS = ("X", "context"), ("W_Q", "W_K")
GOALS = {
    "last": Goal(
        _("“last” reads 밤에: one number"),
        _("Change one number so that “last” reads 밤에 most."),
        "chicken", reads_most("last", "밤에"), WORDS, ("context", 2, 0),
        way=((("X", 3, 3), 1.0),), aims=(("last", "밤에"),), limit=one_number,
    ),
    "sure": Goal(
        _("every word is sure: projections alone"),
        _("Change projections alone until every word reads its own with 0.90 or more."),
        "chicken", own_words(0.9), PROJECTIONS, ("W_Q", 0, 0),
        way=_diagonal("W_Q", 2, 2, 2, 3), limit=projections_alone,
    ),
    "flat": Goal(
        _("nobody has a favourite"),
        _("Bring every weight between 0.15 and 0.25."),
        "chicken", between(0.15, 0.25), PROJECTIONS, ("W_Q", 0, 0),
        way=_diagonal("W_Q", 0, 0, 0, 0),
    ),
    "mend": Goal(
        _("fix a broken W_K"),
        _("Fix W_K, which is the identity here, until every word reads its own most."),
        "chicken", own_words(), ("context", "W_K"), ("W_K", 0, 0),
        way=_whole("W_K", PAIRS["chicken"].W_K), start=_whole("W_K", np.eye(4)),
    ),
    "article": Goal(
        _("give “The” something to read"),
        _("“The” has no counterpart. Make it read 고양이가 with 0.50 or more."),
        "cat", reads_enough("The", "고양이가", 0.5), WORDS, ("X", 0, 1),
        way=((("X", 0, 0), 2.0),), aims=(("The", "고양이가"),),
    ),
    "half": Goal(
        _("“raining” reads 비가"),
        _("Make “raining” read 비가 with 0.80 or more."),
        "rain", reads_enough("raining", "비가", 0.8), WORDS, ("X", 2, 0),
        way=((("context", 1, 3), 0.5),), aims=(("raining", "비가"),),
    ),
    "to": Goal(
        _("“to” belongs to going"),
        _("Make “to” read 간다 more than any other word."),
        "school", reads_most("to", "간다"), WORDS, ("X", 2, 0),
        way=((("X", 2, 1), 3.0),), aims=(("to", "간다"),),
    ),
}  # fmt: skip


def start_of(name: str) -> Steering:
    """Return the state that a goal starts from; ValueError if there is no such goal."""
    if name not in GOALS:
        raise ValueError(f"there is no goal {name!r}; the goals are {', '.join(GOALS)}")
    goal = GOALS[name]
    start = Steering(name, *(getattr(PAIRS[goal.pair], key) for key in INPUTS)).with_numbers(*goal.start)
    return replace(start, chosen=goal.chosen)


def progress(state: Steering) -> tuple[bool, str]:
    """Return whether the goal is reached within its limit, and a sentence about how far it is."""
    goal = GOALS[state.goal]
    reached, now = goal.measure(state.pair, state.trace().weights)
    problem = goal.limit(start_of(state.goal), state)
    return (False, problem) if reached and problem else (reached, now)
