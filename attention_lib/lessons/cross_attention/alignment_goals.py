"""Goals for cross-attention over the sentence pairs: which word should read which, where to start, and one way."""

from dataclasses import dataclass, replace
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
    """A goal, all that cross-attention is calculated from on the way to it, and what the reader looks at."""

    goal: str
    X: Array  # (n_queries, d_model)
    context: Array  # (n_keys, d_model)
    W_Q: Array  # (d_model, d_k)
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    chosen: Number = ("X", 0, 0)  # which the slider sets
    asked: tuple[int, int] = (0, 0)  # row and column of the weight that is explained

    @property
    def pair(self) -> SentencePair:
        """The sentences, and which of their words mean the same."""
        return PAIRS[GOALS[self.goal].pair]

    @property
    def value(self) -> float:
        panel, row, column = self.chosen
        return float(getattr(self, panel)[row, column])

    def trace(self) -> AttentionTrace:
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V)

    def with_numbers(self, *changes: tuple[Number, float]) -> "Steering":
        """Return this state with some numbers changed; the last of them is chosen."""
        matrices = {name: getattr(self, name).copy() for name in INPUTS}
        for (panel, row, column), value in changes:
            matrices[panel][row, column] = np.clip(round(value, 2), LOW, HIGH) + 0.0  # never -0
        return replace(self, **matrices, chosen=changes[-1][0]) if changes else self


class Goal(NamedTuple):
    """Words that should each read another word most, the inputs to reach it with, where to start, and one way to it."""

    label: str
    ask: str
    pair: str
    inputs: tuple[str, str]
    chosen: Number  # under the slider at the start: it moves the map, and is not the whole way
    way: tuple[tuple[Number, float], ...]
    aims: tuple[tuple[str, str], ...] = ()  # word and key; () is each word and its own
    least: float = 0.0  # the weight that is asked for
    most_changes: int = 1000  # numbers that may differ from the start
    start: tuple[tuple[Number, float], ...] = ()  # what differs at the start from the pair as it is stored


def _whole(panel: str, matrix: Array) -> tuple[tuple[Number, float], ...]:
    return tuple(((panel, i, j), float(value)) for (i, j), value in np.ndenumerate(matrix))


PAIRS = load_pairs()
WORDS, PROJECTIONS = ("X", "context"), ("W_Q", "W_K")
GOALS = {
    "last": Goal(
        _("“last” reads 밤에: one number"),
        _("Change one number so that “last” reads 밤에 most."),
        "chicken", WORDS, ("X", 0, 0), ((("X", 3, 3), 1.0),), (("last", "밤에"),), most_changes=1,
    ),
    "sure": Goal(
        _("every word is sure"),
        _("Change the projections until every word reads its own with 0.90 or more."),
        "chicken", PROJECTIONS, ("W_Q", 0, 0), _whole("W_Q", np.diag([2, 2, 2, 3])), least=0.9,
    ),
    "mend": Goal(
        _("fix a broken W_K"),
        _("Fix W_K, which is the identity here, until every word reads its own most."),
        "chicken", ("context", "W_K"), ("W_K", 0, 0), _whole("W_K", PAIRS["chicken"].W_K),
        start=_whole("W_K", np.eye(4)),
    ),
    "article": Goal(
        _("give “The” something to read"),
        _("“The” has no counterpart. Make it read 고양이가 with 0.50 or more."),
        "cat", WORDS, ("X", 0, 1), ((("X", 0, 0), 2.0),), (("The", "고양이가"),), least=0.5,
    ),
}  # fmt: skip


def start_of(name: str) -> Steering:
    """Return the state that a goal starts from; ValueError if there is no such goal."""
    if name not in GOALS:
        raise ValueError(f"there is no goal {name!r}; the goals are {', '.join(GOALS)}")
    goal = GOALS[name]
    start = Steering(name, *(getattr(PAIRS[goal.pair], key) for key in INPUTS)).with_numbers(*goal.start)
    return replace(start, chosen=goal.chosen, asked=aims_of(start)[0])


def aims_of(state: Steering) -> list[tuple[int, int]]:
    """Return the cells of the map that the goal speaks of: those that it names, or each word and its own."""
    goal, pair = GOALS[state.goal], state.pair
    aims = [(pair.english.index(word), pair.korean.index(key)) for word, key in goal.aims]
    return aims or [(int(i), int(j)) for i, j in np.argwhere(pair.alignment)]


def labels_of(state: Steering, panel: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    pair = state.pair
    of_english, of_korean = pair.columns["X"], pair.columns["context"]
    return {
        "X": (pair.english, of_english),
        "context": (pair.korean, of_korean),
        "W_Q": (of_english, of_english),
        "W_K": (of_korean, of_english),
        "weights": (pair.english, pair.korean),
    }[panel]


def name_of(state: Steering, number: Number) -> str:
    panel, row, column = number
    rows, columns = labels_of(state, panel)
    return f"{panel}: {rows[row]}, {columns[column]}"


def account_of(state: Steering) -> str:
    """Write out how the weight that was asked about comes about: query, key, score and softmax, in numbers."""
    trace, (row, column), (words, keys) = state.trace(), state.asked, labels_of(state, "weights")
    pairs = zip(state.pair.columns["X"], trace.Q[row], trace.K[column])
    terms = [f"{name} {_factor(q)} · {_factor(k)}".replace(" ", "\u00a0") for name, q, k in pairs if q * k]
    score, powers = _plain(trace.scores[row, column]), [f"e^{_factor(x)}" for x in trace.scaled_scores[row]]
    sentence = _(
        "“{word}” and {key}: query · key = {terms}\n"
        "score {score} / √{d_k} = {scaled}\n"
        "softmax: {power} / ({powers}) = {weight}"
    )
    return sentence.format(
        word=words[row],
        key=keys[column],
        terms=f"{' + '.join(terms)} = {score}" if terms else score,
        score=score,
        d_k=state.W_Q.shape[-1],
        scaled=_plain(trace.scaled_scores[row, column]),
        power=powers[column],
        powers=" + ".join(powers),
        weight=number_text(trace.weights[row, column]),
    )


def _plain(number: float) -> str:
    return f"{number:.5g}".replace("-", "−")


def _factor(number: float) -> str:
    """Write a factor; one below 0 stands in brackets."""
    return f"({_plain(number)})" if number < 0 else _plain(number)


def progress(state: Steering) -> tuple[bool, str]:
    goal, weights, aims = GOALS[state.goal], state.trace().weights, aims_of(state)
    start = start_of(state.goal)
    changes: list[Number] = []
    for name in INPUTS:
        differs = getattr(start, name) != getattr(state, name)
        changes += [(name, int(i), int(j)) for i, j in np.argwhere(differs)]
    if len(changes) > goal.most_changes:
        panel, row, column = next(number for number in changes if number != state.chosen)
        sentence = _("{n} numbers differ from the start, and only one should. Put {number} back to {value}.")
        value = number_text(getattr(start, panel)[row, column])
        return False, sentence.format(n=len(changes), number=name_of(state, (panel, row, column)), value=value)
    lowest, done = 1.0, 0
    for row, column in aims:
        others = np.delete(weights[row], column)
        lowest = min(lowest, weights[row, column])
        done += weights[row, column] > others.max() + TIE and float(number_text(weights[row, column])) >= goal.least
    now = _("Now {n} of {all} do, and the lowest has {weight}.")
    parts = {"n": done, "all": len(aims), "weight": number_text(lowest)}
    if len(aims) == 1:
        (row, column) = aims[0]
        others = np.where(np.arange(weights.shape[1]) == column, 0, weights[row])
        now = _("Now {key} has {weight}, {other} {largest}.")
        if number_text(others.max()) == number_text(lowest):
            now = _("Now {key} and {other} have {weight} each, a tie.")
        parts |= {"key": state.pair.korean[column], "other": state.pair.korean[others.argmax()]}
        parts["largest"] = number_text(others.max())
    return done == len(aims), now.format(**parts)
