"""Predictions as a plain model: a learner commits, then the computed answer and a sentence are shown.

What is said stands in `content`, one module a notebook; the notebook computes the answer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from .content import content_of
from .progress import PROGRESS, Progress


@dataclass(frozen=True)
class Question:
    """What is said about one prediction.

    Attributes
    ----------
    topic : str
        Shown in "look again at: ...".
    right : str
        One or two sentences for the right answer; `{answer}` is filled in.
    wrong : dict of str to str
        Choice, or name of a confusion, -> one or two sentences for whoever chose it.
        The key "other" is for any number that is no known confusion.
    choices : dict of str to str
        Key -> label. Empty for a number.
    tolerance : float
        For a number: how far off still counts as right.
    digits : int
        For a number: digits after the point when the answer is shown.
    gives_away : tuple of str
        Words that would show the answer, besides its label and its digits: a
        test looks for them above the prediction and directly under it.
    """

    topic: str
    right: str
    wrong: Mapping[str, str]
    choices: Mapping[str, str] = field(default_factory=dict)
    tolerance: float = 0.0
    digits: int = 2
    gives_away: tuple[str, ...] = ()


MESSAGES = {
    "unknown": "there is no prediction called {name!r}; the tables are in attention_lib/exercises/predictions_*.py",
    "choose": "Choose an answer first.",
    "type": "Type a number first, such as 8, 0.125 or 1/8.",
    "later": "The answer is not computed yet: run the cells above, then this one again.",
    "right": "Right: {answer}. {sentence}",
    "wrong": "Computed: {answer}. {sentence}",
    "revealed": "Computed: {answer}. {sentence}",
    "gone": "Computed: {answer}. That is none of the choices: the inputs differ from the ones this was written for.",
    "open": "predict {name}: choose, then reveal (run the cell to use it)",
    "open number": "predict {name}: type a number, then reveal (run the cell to use it)",
    "done": "predict {name}: {state}",
}

_kept: dict[str, tuple[str, str]] = {}  # name -> (state, guess): a cell that runs twice keeps its answer


class Prediction:
    """One prediction: open, then committed or revealed.

    Parameters
    ----------
    name : str
        As in the tables, "01.scores_shape".
    question : Question
    answer : object or callable
        A choice or a number, or a function without arguments that computes it when asked.
    choices : list of str, optional
        In place of the table's: tokens, say.
    confusions : dict of str to float, optional
        For a number: name -> the number that this confusion leads to, computed by the notebook.
    """

    def __init__(
        self,
        name: str,
        question: Question,
        answer: Any,
        choices: list[str] | None = None,
        confusions: Mapping[str, float] | None = None,
        progress: Progress = PROGRESS,
    ) -> None:
        self.name, self.question, self._answer = name, question, answer
        self.choices = dict(question.choices) if choices is None else {str(c): str(c) for c in choices}
        self.confusions = dict(confusions or {})
        self._progress = progress
        self.state, self.guess = _kept.get(name, ("open", ""))
        progress.meet("prediction", name, question.topic)

    @property
    def is_number(self) -> bool:
        """Whether a number is asked for."""
        return not self.choices

    def commit(self, guess: str | None) -> str:
        """Take a guess and return what is said about it; a guess that cannot be read leaves all as it was."""
        text = (guess or "").strip()
        if self.is_number and parse_number(text) is None:
            return MESSAGES["type"]
        if not self.is_number and text not in self.choices:
            return MESSAGES["choose"]
        if self.answer() is None:
            return MESSAGES["later"]
        self._keep("committed", text)
        self._progress.record("prediction", self.name, self.question.topic, right=self.is_right())
        return self.feedback()

    def reveal(self) -> str:
        """Show the answer without a guess; this is not counted as an answer."""
        if self.answer() is None:
            return MESSAGES["later"]
        if self.state == "open":
            self._keep("revealed", "")
        return self.feedback()

    def again(self) -> None:
        """Forget the guess, so that another can be committed."""
        self._keep("open", "")

    def _keep(self, state: str, guess: str) -> None:
        self.state, self.guess = state, guess
        _kept[self.name] = state, guess

    def answer(self) -> Any:
        """Return the computed answer, or None where it cannot be computed yet."""
        if not callable(self._answer):
            return self._answer
        try:
            return self._answer()
        except Exception:  # a later cell defines what it needs
            return None

    def shown(self) -> str:
        """Return the answer as it is written to the learner."""
        answer = self.answer()
        if self.is_number:
            return f"{float(answer):.{self.question.digits}f}"
        return self.choices.get(as_key(answer), as_key(answer))

    def is_right(self) -> bool:
        """Whether the guess agrees with the computed answer."""
        if not self.is_number:
            return self.guess == as_key(self.answer())
        guess = parse_number(self.guess)
        return guess is not None and abs(guess - float(self.answer())) <= self.question.tolerance + 1e-12

    def feedback(self) -> str:
        """Return what is said in the present state; "" while open."""
        if self.state == "open" or self.answer() is None:
            return ""
        answer, question = self.shown(), self.question
        if not self.is_number and as_key(self.answer()) not in self.choices:
            return MESSAGES["gone"].format(answer=answer)
        right = question.right.format(answer=answer)
        if self.state == "revealed":
            return MESSAGES["revealed"].format(answer=answer, sentence=right)
        if self.is_right():
            return MESSAGES["right"].format(answer=answer, sentence=right)
        sentence = question.wrong.get(self.confusion(), question.wrong.get("other", right))
        return MESSAGES["wrong"].format(answer=answer, sentence=sentence.format(answer=answer))

    def confusion(self) -> str:
        """Return the key of the sentence for a wrong guess."""
        if not self.is_number:
            return self.guess
        guess = parse_number(self.guess)
        near = [
            (abs(guess - value), key)
            for key, value in self.confusions.items()
            if guess is not None and abs(guess - float(value)) <= max(self.question.tolerance, 0.01 * abs(float(value)))
        ]
        return min(near)[1] if near else "other"

    def text(self) -> str:
        """Return one stable line for readers without a kernel."""
        if self.state != "open":
            return MESSAGES["done"].format(name=self.name, state=self.state)
        return MESSAGES["open number" if self.is_number else "open"].format(name=self.name)


def as_key(answer: Any) -> str:
    """Write a computed answer as a choice is written: 8.0 as "8", a word as it is."""
    if isinstance(answer, float | np.floating):
        return f"{float(answer):g}"
    return str(answer)


def parse_number(text: str) -> float | None:
    """Read "8", "0,125" or "1/8"; None where it is no finite number."""
    text = text.strip().replace(",", ".").replace("−", "-")
    try:
        value = float(Fraction(text.replace(" ", ""))) if "/" in text else float(text)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def sums_to_one(weights: Any) -> str:
    """Say what sums to 1 in a map: "rows", "columns", "everything" or "nothing".

    Examples
    --------
    >>> sums_to_one([[0.5, 0.5], [0.9, 0.1]])
    'rows'
    """
    weights = np.asarray(weights)
    for name, axis in (("rows", -1), ("columns", -2), ("everything", None)):
        if np.allclose(weights.sum(axis=axis), 1):
            return name
    return "nothing"


def find_question(name: str) -> Question:
    """Return a question; its notebook's number comes first in the name, as in "01.scores_shape"."""
    try:
        question: Question = content_of(name[:2]).QUESTIONS[name]
    except KeyError:
        raise ValueError(MESSAGES["unknown"].format(name=name)) from None
    return question
