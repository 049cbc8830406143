"""Predictions as a plain model: a learner commits, then the computed answer and a sentence are shown.

What is said stands in the `predictions.toml` of its notebook; the notebook computes the answer.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .._numbers import readings
from .._words import _
from .progress import PROGRESS, Progress
from .registry import predictions

NEAR = 0.03  # of a confusion's number: a guess this close comes from that confusion
LAST = ("nothing", "none", "neither", "cannot tell", "cannot")  # choices that refer to those above them


@dataclass(frozen=True)
class Question:
    """What is said about one prediction."""

    topic: str  # shown in "look again at: ..."
    right: str  # one or two sentences for the right answer; `{answer}` is filled in
    #: A choice, or the name of a confusion -> what is said to whoever chose it; "other" is for any other number.
    wrong: Mapping[str, str]
    choices: Mapping[str, str] = field(default_factory=dict)  # key -> label; none for a number
    tolerance: float = 0.0  # how far off a number still counts as right
    digits: int = 2  # of a number, shown after the point
    confusions: Mapping[str, float | str] = field(default_factory=dict)  # name -> the number it leads to, or "e^2", say
    #: Wrong choices, or confusions, that are right in part: their sentence begins with what is right in them.
    partly: tuple[str, ...] = ()


class Prediction:
    """One prediction: open, then committed or revealed. Its arguments are those of `predict`."""

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
        self.choices = {str(choice): str(choice) for choice in choices or ()}
        if choices is None:
            self.choices = {key: _(label) for key, label in shuffled(name, question.choices).items()}
        named = {**question.confusions, **(confusions or {})}
        self.confusions = {key: readings(n)[0] if isinstance(n, str) else float(n) for key, n in named.items()}
        self._progress = progress
        progress.meet("prediction", name, question.topic, name[:2])
        before = progress.records.get(("prediction", name))  # a cell that runs twice keeps its answer
        self.state, self.guess = (before.state, before.guess) if before else ("open", "")
        if self.guess and not self.is_number and self.guess not in self.choices:
            self.state, self.guess = "open", ""  # an answer to an earlier version of the question

    @property
    def is_number(self) -> bool:
        return not self.choices

    def commit(self, guess: str | None) -> str:
        """Take a guess and return what is said about it; a guess that cannot be read leaves all as it was."""
        text = (guess or "").strip()
        if self.is_number and not readings(text):
            return _("Type a number first, such as 8, 0.125, 1/8 or 12%.")
        if not self.is_number and text not in self.choices:
            return _("Choose an answer first.")
        return self._answer_with("committed", text)

    def reveal(self) -> str:
        """Show the answer without a guess; this is not counted as an answer."""
        return self._answer_with("revealed", "") if self.state == "open" else self.feedback()

    def again(self) -> None:
        """Forget the guess, so that another can be committed."""
        self._keep("open", "")

    def _answer_with(self, state: str, guess: str) -> str:
        if self.answer() is None:
            return _("The answer has not been computed yet. Run the cells above, and then run this one again.")
        self._keep(state, guess)
        return self.feedback()

    def _keep(self, state: str, guess: str) -> None:
        self.state, self.guess = state, guess
        right = state == "committed" and self.is_right()
        self._progress.record("prediction", self.name, right=right, state=state, guess=guess)

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
        if not self.is_number:
            return self.guess == as_key(self.answer())
        answer = float(self.answer())
        return any(abs(guess - answer) <= self.question.tolerance + 1e-12 for guess in readings(self.guess))

    def feedback(self) -> str:
        """Return what is said in the present state; "" while open."""
        if self.state == "open":
            return ""
        if self.answer() is None:
            sentence = _(
                "Your earlier answer: {guess}. The right answer is computed further down. Go on, and then come back "
                "and run this cell again."
            )
            return sentence.format(guess=self.choices.get(self.guess, self.guess))
        answer, question = self.shown(), self.question
        if not self.is_number and as_key(self.answer()) not in self.choices:
            sentence = _("None of the choices matches this, because the inputs have been changed.")
            return _("Computed: {answer}. {sentence}").format(answer=answer, sentence=sentence)
        frame, sentence = _("Computed: {answer}. {sentence}"), question.right
        if self.state == "committed" and self.is_right():
            frame = _("Right: {answer}. {sentence}")
        elif self.state == "committed":
            confusion = self.confusion()
            sentence = question.wrong.get(confusion, question.wrong.get("other", question.right))
            frame = _("Not this one. Computed: {answer}. {sentence}")
            if confusion in question.partly:
                frame = _("Partly right. Computed: {answer}. {sentence}")
            elif self.is_number:
                frame = _("Not quite. Computed: {answer}. {sentence}")
        return frame.format(answer=answer, sentence=_(sentence).format(answer=answer))

    def confusion(self) -> str:
        """Return the key of the sentence for a wrong guess."""
        if not self.is_number:
            return self.guess
        near = [
            (abs(guess - value), key)
            for key, value in self.confusions.items()
            for guess in readings(self.guess)
            if abs(guess - value) <= max(self.question.tolerance, NEAR * abs(value))
        ]
        return min(near)[1] if near else "other"

    def text(self) -> str:
        """Return the question's name and its choices for readers without a kernel: the same in every state."""
        if self.is_number:
            sentence = _("predict {name} (run the notebook from the top to answer with a number)")
            return sentence.format(name=self.name)
        first = _("predict {name} (run the notebook from the top to answer)").format(name=self.name)
        return "\n".join([first, *(f"  ○ {choice}" for choice in self.choices.values())])


def shuffled(name: str, choices: Mapping[str, str]) -> dict[str, str]:
    """Return choices in an order that the name decides, the same on every run; "none of these" stays last."""
    order = sorted(choices, key=lambda key: (key in LAST, zlib.crc32(f"{name} {key}".encode())))
    return {key: choices[key] for key in order}


def as_key(answer: Any) -> str:
    """Write a computed answer as a choice is written: 8.0 as "8", a word as it is."""
    return f"{float(answer):g}" if isinstance(answer, float | np.floating) else str(answer)


def find_question(name: str) -> Question:
    """Return a question; its notebook's number comes first in the name, as in "01.scores_shape"."""
    found = predictions(name[:2])
    if name not in found:
        raise ValueError(f"no predictions.toml has a prediction called {name!r}")
    return Question(**found[name])
