"""`predict`, `reveal` and `progress`: the controls around `exercises.predictions`."""

import html
from collections.abc import Mapping
from typing import Any

import ipywidgets as widgets

from .._words import _
from ..live.keys import furnish
from .predictions import Prediction, find_question
from .progress import PROGRESS
from .registry import exercise_names, notebooks, predictions
from .result import as_html

PADDED = "style='padding:4px 12px 4px 0'"  # cells of the overview: a column does not touch the next
BLUE, ORANGE, GREY = "#0072B2", "#D55E00", "#767676"  # as in a check's result; the words say it too


class PredictControl(widgets.VBox):
    """One prediction on the page: an answer, Commit, Reveal now, Answer again, and a sentence."""

    def __init__(self, prediction: Prediction) -> None:
        self.prediction = prediction
        if prediction.is_number:
            placeholder = _("a number, such as 0.5, 1/8 or 12%")
            self.entry: Any = widgets.Text(placeholder=placeholder, layout={"width": "20em"})
        else:
            options = [(label, key) for key, label in prediction.choices.items()]
            self.entry = widgets.RadioButtons(options=options, value=None, layout={"width": "auto"})
        self.commit = _button(_("Commit"), _("Take this answer, then see the computed one"), "primary")
        self.reveal = _button(_("Reveal now"), _("Show the computed answer without a guess, for presenting"))
        self.again = _button(_("Answer again"), _("Forget this answer"))
        self.said = widgets.HTML()
        self.said.add_class("lab-says")
        self.commit.on_click(lambda event: self._commit())
        self.entry.on_msg(lambda sender, content, buffers: self._commit() if content.get("event") == "submit" else None)
        self.reveal.on_click(lambda event: self._show(self.prediction.reveal()))
        self.again.on_click(lambda event: self._start_over())
        buttons = widgets.HBox([self.commit, self.reveal, self.again])
        super().__init__([self.entry, buttons, self.said])
        furnish(self)
        self.add_class("attention-predict")
        self.add_class(f"attention-of-{prediction.name}")  # the page finds by it the results that wait for this answer
        if prediction.is_number or prediction.guess in prediction.choices:
            self.entry.value = prediction.guess
        self._show(prediction.feedback())

    def _commit(self) -> None:
        """Take the answer: by the button, or by Enter in the box."""
        if self.prediction.state == "open":
            self._show(self.prediction.commit(self.entry.value))

    def _show(self, sentence: str) -> None:
        is_open = self.prediction.state == "open"
        colour = GREY
        if self.prediction.state == "committed":
            colour = BLUE if self.prediction.is_right() else ORANGE
        words = as_html(sentence)
        bordered = f"<div style='border-left:4px solid {colour};padding:0 10px;line-height:1.5'>{words}</div>"
        self.said.value = bordered if sentence else ""
        self.entry.disabled = not is_open
        self.commit.disabled = not is_open
        self.reveal.disabled = not is_open
        self.again.disabled = is_open
        if is_open:
            self.remove_class("attention-answered")
        else:
            self.add_class("attention-answered")

    def _start_over(self) -> None:
        self.prediction.again()
        self.entry.value = "" if self.prediction.is_number else None
        self._show("")

    def __repr__(self) -> str:
        return self.prediction.text()

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """Return the view and the text, whole: ipywidgets cuts it."""
        return {**super()._repr_mimebundle_(**options), "text/plain": repr(self)}


class ProgressLine(widgets.VBox):
    """How far the learner is, kept up to date: in this notebook, or, where nothing was asked, in all of them.

    What is remembered from before shows live only; the stored text is the same for everyone.
    """

    def __init__(self) -> None:
        self.line = widgets.HTML()
        self.line.add_class("lab-says")
        if self.notebooks:
            label, tip = _("Forget this notebook"), _("Take what you answered here off your disk")
        else:
            label, tip = _("Forget everything"), _("Take what you answered in every notebook off your disk")
        self.forget = _button(label, tip)
        self.really = _button(_("Really forget"), _("This cannot be undone"), "danger")
        self.keep = _button(_("Keep"), _("Leave all as it is"))
        self.forget.on_click(lambda event: self._ask(True))
        self.keep.on_click(lambda event: self._ask(False))
        self.really.on_click(lambda event: self._forget())
        super().__init__([self.line, widgets.HBox([self.forget, self.really, self.keep])])
        furnish(self)
        self.add_class("attention-progress")
        PROGRESS.watch(self._refresh)
        self._ask(False)

    @property
    def notebooks(self) -> list[str]:
        return PROGRESS.notebooks()

    def _ask(self, asking: bool) -> None:
        """Show what is done so far, and either the button that forgets or the two that make sure."""
        self._refresh()
        has_records = PROGRESS.memory.folder is not None and bool(PROGRESS.records)
        self.forget.layout.display = None if has_records and not asking else "none"
        self.really.layout.display = self.keep.layout.display = None if asking else "none"

    def _forget(self) -> None:
        which: list[str | None] = [*self.notebooks] or [None]
        for notebook in which:
            PROGRESS.forget(notebook)
        self._ask(False)
        self.line.value += "<br>" + as_html(_("Forgotten. Run the cells above again to start over."))

    def _refresh(self) -> None:
        summary = as_html(PROGRESS.summary()) if self.notebooks else overview()
        sentence = PROGRESS.memory.sentence
        self.line.value = summary + (f"<br>{as_html(sentence)}" if sentence else "")

    def __repr__(self) -> str:
        if self.notebooks:
            return _("progress (run the notebook from the top to see how far you are in it)")
        return _("progress (run the cell to see how far you are in every notebook)")


def overview() -> str:
    """Return a table of all notebooks as HTML: predictions right, exercises passed, the day of the last answer."""
    PROGRESS.refresh()
    titles = _("notebook"), _("predictions right"), _("exercises passed"), _("last answer")
    heads = "".join(f"<th {PADDED}>{html.escape(title)}</th>" for title in titles)
    rows = "".join(map(_row, notebooks()))
    return f"<table><tr>{heads}</tr>{rows}</table>"


def _row(notebook: str) -> str:
    number, name = notebook[:2], notebook[3:]
    asked = {"prediction": list(predictions(number)), "exercise": exercise_names(notebook)}
    records = [record for record in PROGRESS.records.values() if record.notebook == number]
    cells = [f"{number} {name.replace('_', ' ')}"]
    for kind, names in asked.items():
        right = {record.name for record in records if record.kind == kind and record.right}
        asked_once = right.union(names)  # what was passed counts, also where it is no longer asked
        cells.append(_("{right} of {total}").format(right=len(right), total=len(asked_once)) if names else "")
    cells.append(max((record.when[:10] for record in records), default=""))
    return "<tr>" + "".join(f"<td {PADDED}>{html.escape(cell)}</td>" for cell in cells) + "</tr>"


def predict(
    name: str, answer: Any, choices: list[str] | None = None, confusions: Mapping[str, float] | None = None
) -> PredictControl:
    """Ask for a prediction before a reveal.

    Parameters
    ----------
    name : str
        Name in the table `predictions.toml` of its notebook.
    answer : object or callable
        The computed answer: a choice or a number. A function without
        arguments is called when the answer is shown, so what it needs may be
        computed in a later cell.
    choices : list of str, optional
        In place of the table's choices, as for the tokens of a sentence.
    confusions : dict of str to float, optional
        For a number: name of a confusion -> the number it leads to, computed.

    Raises
    ------
    ValueError
        If the tables have no such name.

    Examples
    --------
    >>> predict("01.scores_shape", answer="pairs")
    predict 01.scores_shape (run the notebook from the top to answer)
      ○ one query and one feature
      ○ one query and one key
      ○ one query
    """
    return PredictControl(Prediction(name, find_question(name), answer, choices, confusions))


class Mark:
    """By this output the page hides those after it until a question is answered; elsewhere it shows nothing."""

    def __init__(self, name: str | None) -> None:
        self.classes = "attention-result attention-waits" + (f" attention-of-{name}" if name else "")

    def _repr_html_(self) -> str:
        # JupyterLab shows the source of a closed output's first line, so that line is blank.
        return f' \n<span class="{self.classes}"></span>'

    def __repr__(self) -> str:
        return ""


def reveal(name: str | None = None) -> None:
    """Hide what the rest of this cell shows until a prediction is answered, also after Run All.

    Until then the page shows a sentence, and a button for readers who want to see the result anyway. Readers
    without a kernel see the stored result.

    Parameters
    ----------
    name : str, optional
        The prediction that the result answers. Without a name only the button shows the result, for example where
        a reader should try a lab first.

    Raises
    ------
    ValueError
        If the tables have no such name.
    """
    from IPython.display import display  # here, so that the library needs no notebook

    if name is not None:
        find_question(name)
    display(Mark(name))


def progress() -> ProgressLine:
    """Show how many predictions are right and how many exercises are passed, and where to look again.

    In a notebook that asks nothing itself, as 00 does, it shows every notebook.

    Examples
    --------
    >>> type(progress()).__name__
    'ProgressLine'
    """
    return ProgressLine()


def _button(label: str, tooltip: str, style: str = "") -> widgets.Button:
    return widgets.Button(description=label, tooltip=tooltip, button_style=style, layout={"width": "auto"})
