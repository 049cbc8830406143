"""`predict` and `progress`: the controls around `exercises.predictions`, of ipywidgets alone."""

import html
import re
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from ..exercises.predictions import Prediction, find_question
from ..exercises.progress import PROGRESS

MESSAGES = {
    "commit": "Commit",
    "commit tip": "Take this answer, then see the computed one",
    "reveal": "Reveal now",
    "reveal tip": "Show the computed answer without a guess, for presenting",
    "again": "Answer again",
    "again tip": "Forget this answer",
    "number": "a number, such as 0.5 or 1/8",
    "lost": "The kernel was restarted, so these buttons do nothing. Run this cell again.",
}
# Shown by the page itself, which marks every widget whose kernel is gone: Python can no longer say it.
LOST = """<style>
.attention-predict-lost { display: none; font-size: 0.9em; }
.attention-predict-lost.jupyter-widgets-disconnected { display: block; }
</style>"""


BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#767676"  # as in a check's result; the words say it too


class PredictControl(widgets.VBox):
    """One prediction on the page: an answer, Commit, Reveal now, Answer again, and a sentence.

    Parameters
    ----------
    prediction : Prediction
    """

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        self.entry = _number_box() if prediction.is_number else _choice_list(prediction.choices)
        self.commit = _button("commit", "primary")
        self.reveal = _button("reveal", "")
        self.again = _button("again", "")
        self.said = widgets.HTML()
        self.lost = widgets.HTML(LOST + html.escape(MESSAGES["lost"]))
        self.lost.add_class("attention-predict-lost")
        self.commit.on_click(lambda _: self._show(self.prediction.commit(self.entry.value)))
        self.reveal.on_click(lambda _: self._show(self.prediction.reveal()))
        self.again.on_click(lambda _: self._start_over())
        buttons = widgets.HBox([self.commit, self.reveal, self.again])
        super().__init__([self.entry, buttons, self.lost, self.said])
        self.add_class("attention-predict")
        if prediction.is_number or prediction.guess in prediction.choices:
            self.entry.value = prediction.guess
        self._show(prediction.feedback())

    def _show(self, sentence: str) -> None:
        is_open = self.prediction.state == "open"
        self.said.value = _bordered(sentence, self._colour()) if sentence else ""
        self.entry.disabled = not is_open
        self.commit.disabled = not is_open
        self.reveal.disabled = not is_open
        self.again.disabled = is_open

    def _colour(self) -> str:
        if self.prediction.state != "committed":
            return GREY
        return BLUE if self.prediction.is_right() else ORANGE

    def _start_over(self) -> None:
        self.prediction.again()
        self.entry.value = "" if self.prediction.is_number else None
        self._show("")

    def __repr__(self) -> str:
        return self.prediction.text()


class ProgressLine(widgets.HTML):
    """One line that says how far the learner is, kept up to date."""

    def __init__(self) -> None:
        super().__init__()
        PROGRESS.watch(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        self.value = as_html(PROGRESS.summary())

    def __repr__(self) -> str:
        return PROGRESS.summary()


def predict(
    name: str,
    answer: Any,
    choices: list[str] | None = None,
    confusions: Mapping[str, float] | None = None,
) -> PredictControl:
    """Ask for a prediction before a reveal.

    Parameters
    ----------
    name : str
        Name in the tables `attention_lib/exercises/predictions_*.py`.
    answer : object or callable
        The computed answer: a choice or a number. A function without
        arguments is called when the answer is shown, so what it needs may be
        computed in a later cell.
    choices : list of str, optional
        In place of the table's choices, as for the tokens of a sentence.
    confusions : dict of str to float, optional
        For a number: name of a confusion -> the number it leads to, computed.

    Returns
    -------
    PredictControl

    Raises
    ------
    ValueError
        If the tables have no such name.

    Examples
    --------
    >>> predict("01.rows_or_columns", answer="rows")
    predict 01.rows_or_columns: choose, then reveal (run the cell to use it)
    """
    return PredictControl(Prediction(name, find_question(name), answer, choices, confusions))


def progress() -> ProgressLine:
    """Show how many predictions are right and how many exercises are passed, and where to look again.

    Examples
    --------
    >>> type(progress()).__name__
    'ProgressLine'
    """
    return ProgressLine()


def as_html(sentence: str) -> str:
    """Escape a plain sentence; `code` in backticks becomes code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(sentence))


def _bordered(sentence: str, colour: str) -> str:
    return f"<div style='border-left:4px solid {colour};padding:0 10px;line-height:1.5'>{as_html(sentence)}</div>"


def _choice_list(choices: Mapping[str, str]) -> widgets.RadioButtons:
    options = [(label, key) for key, label in choices.items()]
    return widgets.RadioButtons(options=options, value=None, layout=widgets.Layout(width="auto"))


def _number_box() -> widgets.Text:
    return widgets.Text(placeholder=MESSAGES["number"], layout=widgets.Layout(width="16em"))


def _button(key: str, style: str) -> widgets.Button:
    return widgets.Button(description=MESSAGES[key], tooltip=MESSAGES[key + " tip"], button_style=style)
