"""Predictions as a plain model: a learner commits, then the computed answer and a sentence are shown.

What is said stands in `content`, one module a notebook; the notebook computes the answer.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .content import content_of
from .numbers import readings
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
    confusions : dict of str to float
        For a number: name of a confusion -> the number that it leads to.
    also_right : dict of str to str
        Choice that is right besides the computed one, as "cannot tell" may be, -> its sentence.
    partly : tuple of str
        Wrong choices, or confusions, that are right in part: their sentence begins with what is right in them.
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
    confusions: Mapping[str, float] = field(default_factory=dict)
    also_right: Mapping[str, str] = field(default_factory=dict)
    partly: tuple[str, ...] = ()
    gives_away: tuple[str, ...] = ()


MESSAGES = {
    "unknown": "there is no prediction called {name!r}; the tables are in attention_lib/exercises/content",
    "choose": "Choose an answer first.",
    "type": "Type a number first, such as 8, 0.125, 1/8 or 12 %.",
    "later": "The answer is not computed yet: run the cells above, then this one again.",
    "before": "Answered before: {guess}. What is right is computed further down: go on, then run this cell again.",
    "right": "Right: {answer}. {sentence}",
    "also right": "Right. {sentence}",
    "wrong": "Not this one. Computed: {answer}. {sentence}",
    "wrong number": "Not quite. Computed: {answer}. {sentence}",
    "partly": "Right in part. Computed: {answer}. {sentence}",
    "revealed": "Computed: {answer}. {sentence}",
    "gone": "Computed: {answer}. That is none of the choices: the inputs differ from the ones this was written for.",
    "open": "predict {name} (run the cell to choose)",
    "open number": "predict {name} (run the cell to type a number)",
    "choice": "  ○ {label}",
}
NEAR = 0.03  # of a confusion's number: who comes as close as this had that confusion
LAST = ("nothing", "none", "neither", "cannot tell", "cannot")  # choices that refer to those above them

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
        self.choices = shuffled(name, question.choices) if choices is None else {str(c): str(c) for c in choices}
        self.confusions = {**question.confusions, **(confusions or {})}
        self._progress = progress
        progress.meet("prediction", name, question.topic, name[:2])
        before = progress.remembered().get(("prediction", name))
        kept = (before.state, before.guess) if before else ("open", "")
        self.state, self.guess = _kept.get(name, kept)

    @property
    def is_number(self) -> bool:
        """Whether a number is asked for."""
        return not self.choices

    def commit(self, guess: str | None) -> str:
        """Take a guess and return what is said about it; a guess that cannot be read leaves all as it was."""
        text = (guess or "").strip()
        if self.is_number and not readings(text):
            return MESSAGES["type"]
        if not self.is_number and text not in self.choices:
            return MESSAGES["choose"]
        if self.answer() is None:
            return MESSAGES["later"]
        self._keep("committed", text)
        self._record()
        return self.feedback()

    def _record(self) -> None:
        self._progress.record(
            "prediction",
            self.name,
            self.question.topic,
            right=self.state == "committed" and self.is_right(),
            notebook=self.name[:2],
            state=self.state,
            guess=self.guess,
        )

    def reveal(self) -> str:
        """Show the answer without a guess; this is not counted as an answer."""
        if self.answer() is None:
            return MESSAGES["later"]
        if self.state == "open":
            self._keep("revealed", "")
            self._record()
        return self.feedback()

    def again(self) -> None:
        """Forget the guess, so that another can be committed."""
        self._keep("open", "")
        self._record()

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
            return self.guess == as_key(self.answer()) or self.guess in self.question.also_right
        answer = float(self.answer())
        return any(abs(guess - answer) <= self.question.tolerance + 1e-12 for guess in readings(self.guess))

    def feedback(self) -> str:
        """Return what is said in the present state; "" while open."""
        if self.state == "open":
            return ""
        if self.answer() is None:
            return MESSAGES["before"].format(guess=self.choices.get(self.guess, self.guess))
        answer, question = self.shown(), self.question
        if not self.is_number and as_key(self.answer()) not in self.choices:
            return MESSAGES["gone"].format(answer=answer)
        right = question.right.format(answer=answer)
        if self.state == "revealed":
            return MESSAGES["revealed"].format(answer=answer, sentence=right)
        if self.guess in question.also_right and self.guess != as_key(self.answer()):
            return MESSAGES["also right"].format(sentence=question.also_right[self.guess].format(answer=answer))
        if self.is_right():
            return MESSAGES["right"].format(answer=answer, sentence=right)
        confusion = self.confusion()
        key = "partly" if confusion in question.partly else "wrong number" if self.is_number else "wrong"
        sentence = question.wrong.get(confusion, question.wrong.get("other", right))
        return MESSAGES[key].format(answer=answer, sentence=sentence.format(answer=answer))

    def confusion(self) -> str:
        """Return the key of the sentence for a wrong guess."""
        if not self.is_number:
            return self.guess
        near = [
            (abs(guess - float(value)), key)
            for key, value in self.confusions.items()
            for guess in readings(self.guess)
            if abs(guess - float(value)) <= max(self.question.tolerance, NEAR * abs(float(value)))
        ]
        return min(near)[1] if near else "other"

    def text(self) -> str:
        """Return the question's name and its choices for readers without a kernel: the same in every state."""
        if self.is_number:
            return MESSAGES["open number"].format(name=self.name)
        lines = [MESSAGES["choice"].format(label=label) for label in self.choices.values()]
        return "\n".join([MESSAGES["open"].format(name=self.name), *lines])


def forget_kept(notebook: str | None = None) -> None:
    """Forget the guesses of one notebook in this kernel, or all."""
    for name in [name for name in _kept if notebook in (None, name[:2])]:
        del _kept[name]


def shuffled(name: str, choices: Mapping[str, str]) -> dict[str, str]:
    """Return choices in an order that the name decides, the same on every run; "none of these" stays last."""
    order = sorted(choices, key=lambda key: (key in LAST, zlib.crc32(f"{name} {key}".encode())))
    return {key: choices[key] for key in order}


def as_key(answer: Any) -> str:
    """Write a computed answer as a choice is written: 8.0 as "8", a word as it is."""
    if isinstance(answer, float | np.floating):
        return f"{float(answer):g}"
    return str(answer)


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
