"""The head browser: 72 trained heads in one glance, one of them enlarged, one product opened.

`HeadModel` is plain: a state, what is shown of it, undo. `HeadBrowser` shows it
and passes on what the reader does.
"""

import html
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace
from ..minilm import MESSAGES as MODEL_MESSAGES
from ..minilm import EncoderTrace, MiniLM, weights_folder
from ..trained import TrainedSentence, load_sentence, sentence_names, sentence_of, strongest_heads
from .matrix_view import Cell, MatrixView
from .panel import Panel
from .still import StillPicture

MOST_TOKENS = 32  # of a sentence of one's own: what a map on a screen still shows
HALF = 16  # dimensions in each of the two panels of a product
ARRANGEMENT = [["heads", "map"], ["first half"], ["second half"]]

MEASURES = {
    "pair": "weight of the chosen pair",
    "entropy": "spread of the rows (entropy / log n; 1 = even)",
    "previous": "weight on the previous token",
    "next": "weight on the next token",
    "self": "weight on the token itself",
    "special": "weight on [CLS] and [SEP]",
}
MESSAGES = {
    "heads": "{measure}. Mean {mean:.2f}; largest {best}.",
    "best": "{value:.2f} in layer {layer}, head {head}",
    "map": "Layer {layer}, head {head}: {query} reads {parts}.",
    "part": "{key} {weight:.2f}",
    "rank": "Layer {layer}, head {head}: {value:.2f}, number {rank} of {n} by {measure}.",
    "product": "The 32 products sum to the score: {score:.2f}. Divided by √32: {scaled:.2f}. "
    "Softmax over the row of {query} gives the weight on {key}: {weight:.2f}.",
    "pair": "The query of {query} times the key of {key}, number by number.",
    "too many": "That is {n} tokens; the browser shows up to {most}. Please take a shorter sentence.",
    "loading": "Reading the model's weights …",
    "shown": "Your sentence, {n} tokens.",
    "type first": "Type a sentence first.",
    "nothing to undo": "There is nothing left to undo.",
    "still title": "Head browser: 72 heads, one cell each",
    "still text": "Head browser: {sentence}",
}
LABELS = {
    "sentence": "sentence",
    "own": "own sentence",
    "placeholder": "type English words, then press Enter",
    "measure": "measure",
    "larger": "◀ larger",
    "smaller": "smaller ▶",
    "undo": "undo",
    "reset": "reset",
    "code": "This state as code",
    "hint": "Click one of the 72 cells to open that head. Click a cell of the map to choose a query and a key.",
}
TITLES = {
    "heads": "72 heads",
    "map": "attention map of the chosen head",
    "first half": "query · key, dimensions 0 to 15",
    "second half": "query · key, dimensions 16 to 31",
}

Encoder = Callable[[str], EncoderTrace]


@dataclass(frozen=True, eq=False)
class State:
    """A sentence, one of its heads, a pair of tokens, and what is measured."""

    sentence: TrainedSentence
    layer: int
    head: int
    query: int
    key: int
    measure: str = "pair"


def start(sentence: TrainedSentence, measure: str = "pair") -> State:
    """Open a sentence at the head that comes first by the measure."""
    state = State(sentence, 0, 0, sentence.query, sentence.key, measure)
    layer, head, _ = ranking(state)[0]
    return replace(state, layer=layer, head=head)


def measured(state: State) -> NDArray[Any]:
    """Return the measure of every head, (6, 12), each between 0 and 1."""
    values = state.sentence.statistics(state.query, state.key)[state.measure]
    return values / np.log(len(state.sentence.tokens)) if state.measure == "entropy" else values


def ranking(state: State) -> list[tuple[int, int, float]]:
    """Return (layer, head, value) of all heads, largest first."""
    values = measured(state)
    return strongest_heads(values, values.size, digits=12)  # rounded once, when they are shown


class HeadModel:
    """Which head, which pair, which measure; and the way back.

    Parameters
    ----------
    name : str, optional
        A stored sentence.

    Examples
    --------
    >>> model = HeadModel("paper")
    >>> model.state.layer, model.state.head
    (4, 4)
    >>> model.step(1)
    >>> model.state.layer, model.state.head
    (4, 11)
    """

    def __init__(self, name: str = "paper") -> None:
        self._past: list[State] = []
        self._first = start(load_sentence(name))
        self._show(self._first)

    # what the reader does

    def load(self, name: str) -> None:
        """Go to a stored sentence, at its strongest head."""
        self._go(start(load_sentence(name), self.state.measure))

    def type(self, text: str, encode: Encoder) -> None:
        """Go to a sentence of the reader's own.

        Raises
        ------
        ValueError
            If it has no words, or too many; the state stays as it was.
        """
        if not text.strip():
            raise ValueError(MESSAGES["type first"])
        run = encode(text)
        if len(run.tokens) > MOST_TOKENS:
            raise ValueError(MESSAGES["too many"].format(n=len(run.tokens), most=MOST_TOKENS))
        self._go(start(sentence_of(text, run), self.state.measure))

    def open_head(self, layer: int, head: int) -> None:
        """Enlarge one head."""
        self._go(replace(self.state, layer=layer, head=head))

    def choose_pair(self, query: int, key: int) -> None:
        """Open the product of a query and a key."""
        self._go(replace(self.state, query=query, key=key))

    def choose_measure(self, measure: str) -> None:
        """Measure the heads another way, and open the one that comes first."""
        state = replace(self.state, measure=measure)
        layer, head, _ = ranking(state)[0]
        self._go(replace(state, layer=layer, head=head))

    def step(self, by: int) -> None:
        """Go down (1) or up (-1) the ranking; after the last comes the first."""
        layer, head, _ = self.ranked[(self.rank + by) % len(self.ranked)]
        self.open_head(layer, head)

    def undo(self) -> bool:
        """Go back one step; False where there is none."""
        if not self._past:
            return False
        self._show(self._past.pop())
        return True

    def reset(self) -> None:
        """Go back to the start; that can be undone too."""
        self._go(self._first)

    # what is shown

    @property
    def rank(self) -> int:
        """The place of the open head in the ranking, from 0."""
        return [(layer, head) for layer, head, _ in self.ranked].index((self.state.layer, self.state.head))

    def pictures(self) -> dict[str, NDArray[Any]]:
        """Return the matrices that the lab shows, by name of panel."""
        q, k = self.trace.Q[self.state.query], self.trace.K[self.state.key]  # (32,), (32,)
        rows = np.stack([q, k, q * k])  # (3, 32): their products sum to the score
        return {
            "heads": self.values,
            "map": self.trace.weights,
            "first half": rows[:, :HALF],
            "second half": rows[:, HALF:],
        }

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        state, names = self.state, self.names
        row = self.trace.weights[state.query]
        order = np.argsort(-row, kind="stable")[:3]
        parts = ", ".join(MESSAGES["part"].format(key=names[j], weight=row[j]) for j in order)
        best = ", ".join(MESSAGES["best"].format(layer=i, head=j, value=value) for i, j, value in self.ranked[:3])
        measure = MEASURES[state.measure]
        measure = measure[0].upper() + measure[1:]
        return {
            "heads": MESSAGES["heads"].format(measure=measure, mean=self.values.mean(), best=best),
            "map": MESSAGES["map"].format(layer=state.layer, head=state.head, query=names[state.query], parts=parts),
            "first half": MESSAGES["pair"].format(query=names[state.query], key=names[state.key]),
            "second half": MESSAGES["product"].format(
                score=self.trace.scores[state.query, state.key],
                scaled=self.trace.scaled_scores[state.query, state.key],
                weight=row[state.key],
                query=names[state.query],
                key=names[state.key],
            ),
        }

    def rank_text(self) -> str:
        """Say where the open head stands."""
        state = self.state
        return MESSAGES["rank"].format(
            layer=state.layer,
            head=state.head,
            value=self.values[state.layer, state.head],
            rank=self.rank + 1,
            n=len(self.ranked),
            measure=MEASURES[state.measure],
        )

    def code(self) -> str:
        """Return lines that give the numbers shown."""
        state = self.state
        if state.sentence.name in sentence_names():
            lines = [
                "from attention_lib.trained import load_sentence",
                "",
                f"sentence = load_sentence({state.sentence.name!r})",
            ]
        else:
            lines = [
                "from attention_lib.minilm import MiniLM",
                "from attention_lib.trained import sentence_of",
                "",
                f"text = {state.sentence.text!r}",
                "sentence = sentence_of(text, MiniLM().run(text))",
            ]
        lines += [
            f"head = sentence.head({state.layer}, {state.head})",
            "print(head.weights.round(2))",
            f"print(head.Q[{state.query}] * head.K[{state.key}])",
            f"print(sentence.statistics({state.query}, {state.key})[{state.measure!r}].round(2))",
        ]
        return "\n".join([*lines, ""])

    def _go(self, state: State) -> None:
        self._past.append(self.state)
        self._show(state)

    def _show(self, state: State) -> None:
        tokens = state.sentence.tokens
        self.state = state
        self.names = [f"{token} ({i})" if tokens.count(token) > 1 else token for i, token in enumerate(tokens)]
        self.trace: AttentionTrace = state.sentence.head(state.layer, state.head)
        self.values = measured(state)  # (6, 12)
        self.ranked = ranking(state)


# -- the controls --------------------------------------------------------------------------------------


class HeadBrowser(StillPicture, widgets.VBox):
    """The lab: find a head among 72, enlarge it, open one product of it.

    Parameters
    ----------
    name : str, optional
        The stored sentence to begin with.
    """

    _encoder: MiniLM | None = None  # shared by all browsers of a session: the weights are read once

    def __init__(self, name: str = "paper") -> None:
        self.model = HeadModel(name)
        self._busy = False  # while Python itself moves a control
        self._make_controls(name)
        self.view = MatrixView(
            self._panels(), arrangement=ARRANGEMENT, still=["heads"], still_title=MESSAGES["still title"]
        )
        self._labels = self.model.names
        self.view.on_select(self._selected)
        super().__init__([self._top, self.view, self._code_box])
        self.add_class("head-browser")
        self.refresh()

    def refresh(self, note: str = "") -> None:
        """Show the model's state: one message for the view, and the sentences beside it."""
        model, state = self.model, self.model.state
        with self.view.batch():
            if model.names != self._labels:  # another sentence: other sizes and labels
                self._labels = model.names
                self.view.replace(self._panels(), arrangement=ARRANGEMENT)
                self.view.select(None)
            self.view.update(
                model.pictures(),
                captions=model.captions(),
                highlight={"heads": [(state.layer, state.head)], "map": [(state.query, state.key)]},
                changed=False,
                note=note,
            )
        self._said.value = html.escape(model.rank_text())
        self._set(self._measure, state.measure)
        self._set(self._sentence, state.sentence.name if state.sentence.name in sentence_names() else None)
        self._code.value = model.code()

    # what the reader does

    def _selected(self, cell: Cell | None) -> None:
        if cell is None:
            return
        state = self.model.state
        if cell.panel == "heads":
            self.model.open_head(cell.row, state.head if cell.column is None else cell.column)
        elif cell.panel == "map":
            self.model.choose_pair(cell.row, state.key if cell.column is None else cell.column)
        else:
            return
        self.refresh()

    def _load(self, change: Any) -> None:
        if not self._busy and change.new:
            self.model.load(change.new)
            self._own_said.value = self._how_to_own()
            self.refresh()

    def _type(self, change: Any) -> None:
        if self._busy:
            return
        try:
            self.model.type(change.new, self._encode)
        except (ValueError, FileNotFoundError) as problem:
            self._own_said.value = html.escape(str(problem))
            return
        self._own_said.value = html.escape(MESSAGES["shown"].format(n=len(self.model.state.sentence.tokens)))
        self.refresh()

    def _encode(self, text: str) -> EncoderTrace:
        if HeadBrowser._encoder is None:
            self._own_said.value = html.escape(MESSAGES["loading"])
            self._bar.layout.display = ""
            try:
                HeadBrowser._encoder = MiniLM(lambda share: setattr(self._bar, "value", share))
            finally:
                self._bar.layout.display = "none"
        return HeadBrowser._encoder.run(text)

    def _choose_measure(self, change: Any) -> None:
        if not self._busy:
            self.model.choose_measure(change.new)
            self.refresh()

    def _step(self, by: int) -> None:
        self.model.step(by)
        self.refresh()

    def _undo(self) -> None:
        self.refresh(note="" if self.model.undo() else MESSAGES["nothing to undo"])

    def _reset(self) -> None:
        self.model.reset()
        self.refresh()

    def _set(self, control: Any, value: Any) -> None:
        """Move a control from Python without hearing it as the reader's doing."""
        self._busy, before = True, self._busy
        try:
            control.value = value
        finally:
            self._busy = before

    # the parts

    def _how_to_own(self) -> str:
        return "" if weights_folder() else html.escape(MODEL_MESSAGES["missing"])

    def _panels(self) -> dict[str, Panel]:
        pictures, names = self.model.pictures(), self.model.names
        product: dict[str, Any] = {"row_axis": "", "column_axis": "dim.", "limit": 5, "digits": 1}
        halves = {"first half": range(HALF), "second half": range(HALF, 2 * HALF)}
        n_layers, n_heads = pictures["heads"].shape
        return {
            "heads": Panel(
                pictures["heads"],
                [str(layer) for layer in range(n_layers)],
                [str(head) for head in range(n_heads)],
                kind="weights",
                title=TITLES["heads"],
                row_axis="layer",
                column_axis="head",
                small=True,
            ),
            "map": Panel(pictures["map"], names, names, kind="weights", title=TITLES["map"], small=True),
            **{
                name: Panel(
                    pictures[name],
                    ["query", "key", "product"],
                    [str(i) for i in dimensions],
                    title=TITLES[name],
                    small=True,
                    stretch=False,
                    **product,
                )
                for name, dimensions in halves.items()
            },
        }

    def _make_controls(self, name: str) -> None:
        wide, wrap = {"description_width": "initial"}, {"flex_flow": "row wrap"}
        stored = [(load_sentence(key).text, key) for key in sentence_names()]
        self._sentence = widgets.Dropdown(
            options=stored, value=name, description=LABELS["sentence"], style=wide, layout={"width": "36em"}
        )
        self._measure = widgets.Dropdown(
            options=[(label, key) for key, label in MEASURES.items()],
            description=LABELS["measure"],
            style=wide,
            layout={"width": "30em"},
        )
        keys = ("larger", "smaller", "undo", "reset")
        self.buttons = {key: widgets.Button(description=LABELS[key], layout={"width": "auto"}) for key in keys}
        self._own = widgets.Text(
            description=LABELS["own"],
            placeholder=LABELS["placeholder"],
            continuous_update=False,
            style=wide,
            layout={"width": "36em"},
        )
        self._own_said = widgets.HTML(self._how_to_own())
        self._own_said.add_class("head-browser-own")
        self._bar = widgets.FloatProgress(min=0, max=1, layout={"display": "none"})
        self._said = widgets.HTML()
        self._said.add_class("head-browser-said")
        self._code = widgets.Textarea(layout={"width": "100%", "height": "11em"})
        self._code.add_class("head-browser-code")
        self._code_box = widgets.VBox([widgets.Label(LABELS["code"]), self._code])
        self._top = widgets.VBox(
            [
                widgets.HBox([self._sentence, self.buttons["undo"], self.buttons["reset"]], layout=wrap),
                widgets.HBox([self._own, self._bar, self._own_said], layout=wrap),
                widgets.HBox([self._measure, self.buttons["larger"], self.buttons["smaller"]], layout=wrap),
                self._said,
                widgets.Label(LABELS["hint"]),
            ]
        )
        self._listen()

    def _listen(self) -> None:
        self._sentence.observe(self._load, "value")
        self._own.observe(self._type, "value")
        self._measure.observe(self._choose_measure, "value")
        self.buttons["larger"].on_click(lambda _: self._step(-1))
        self.buttons["smaller"].on_click(lambda _: self._step(1))
        self.buttons["undo"].on_click(lambda _: self._undo())
        self.buttons["reset"].on_click(lambda _: self._reset())

    # the still picture

    def still_figure(self) -> Any:
        """The 72 heads as they are now, for readers without a kernel."""
        return self.view.still_figure()

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(sentence=self.model.captions()["heads"])

    def __repr__(self) -> str:
        return self.still_text()
