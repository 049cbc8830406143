"""The head browser: 72 trained maps in one glance, one of them enlarged, one product opened.

`HeadModel` is plain: a state, what is shown of it, undo. `HeadBrowser` shows it
and passes on what the reader does.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace
from ..examples.head_choice import SETTINGS, HeadState, at_largest, measured, preset_state, ranking, start
from ..examples.minilm import MESSAGES as MODEL_MESSAGES
from ..examples.minilm import EncoderTrace, MiniLM, weights_folder
from ..examples.trained_heads import load_sentence, sentence_names, sentence_of
from ..view.controls import WRAP, Sentence, choice, sentence_box
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import Cell, MatrixView
from ..view.panel import Panel, told_apart
from ..view.thumbnails import Thumbnails
from ..view.typed import MESSAGES as TYPED

MOST_TOKENS = 32  # of a sentence of one's own: what a map on a screen still shows
HALF = 16  # dimensions in each of the two panels of a product
HALVES = {"first half": slice(0, HALF), "second half": slice(HALF, 2 * HALF)}

PRESETS = {
    "paper": "“it” finds paper",
    "back": "a head that looks one word back",
    "sinks": "[CLS] and [SEP] as sinks",
    "chance": "“creature” and “fluffy”: by chance?",
}
MEASURES = {
    "pair": "weight of the chosen pair",
    "entropy": "spread of the rows (entropy / log n; 1 = even)",
    "previous": "weight on the previous token",
    "next": "weight on the next token",
    "self": "weight on the token itself",
    "special": "weight on [CLS] and [SEP]",
}
ORDERS = {"grid": "by layer and head", "largest": "largest first", "smallest": "smallest first"}
MESSAGES = {
    "heads": "{measure}: mean {mean:.2f}; largest {best}.",
    "best": "{value:.2f} in layer {layer}, head {head}",
    "map": "Layer {layer}, head {head}: “{query}” reads {parts}.",
    "part": "{key} {weight:.2f}",
    "rank": "Layer {layer}, head {head}: {value:.2f}, number {rank} of {n} by {measure}.",
    "product": "The 32 products sum to the score: {score:.2f}. Divided by √32: {scaled:.2f}. "
    "Softmax over the row of “{query}” gives the weight on “{key}”: {weight:.2f}.",
    "pair": "The query of “{query}” times the key of “{key}”, number by number.",
    "loading": "Reading the model's weights …",
    "shown": "Your sentence, {n} tokens.",
    "still title": "{n} heads: {measure}, largest {best}",
    "still pair": "weight of “{query}” on “{key}” (framed)",
    "still text": "Head browser: {sentence}",
}
LABELS = {
    "sentence": "sentence",
    "own": "own sentence",
    "placeholder": "type English words, then press Enter",
    "measure": "under each map",
    "order": "order",
    "hint": "Click a small map, or walk through them with the arrow keys, and it opens. "
    "Click a cell of the open map to choose a query and a key.",
}
TITLES = {
    "map": "the open head",
    "first half": "query · key, dimensions 0 to 15",
    "second half": "query · key, dimensions 16 to 31",
}

Encoder = Callable[[str], EncoderTrace]


class HeadModel(Reversible[HeadState]):
    """Which head, which pair, which measure, which order; and the way back.

    Parameters
    ----------
    name : str, optional
        A stored sentence.

    Examples
    --------
    >>> model = HeadModel("paper")
    >>> model.state.layer, model.state.head
    (4, 4)
    >>> model.choose_order("largest")
    >>> model.sequence()[:2]  # head 4 of layer 4, then head 11: counted through all layers
    [52, 59]
    """

    def __init__(self, name: str = "paper") -> None:
        super().__init__(start(load_sentence(name)))

    # what the reader does

    def start_from(self, name: str) -> None:
        """Begin with a preset: sentence, head, pair, measure and order in one step."""
        self.load(preset_state(name))

    def read(self, name: str) -> None:
        """Begin with a stored sentence, at its strongest head."""
        self.load(start(load_sentence(name), self.state.measure, self.state.order))

    def type(self, text: str, encode: Encoder) -> None:
        """Begin with a sentence of the reader's own.

        Raises
        ------
        ValueError
            If it has no words, or too many; the state stays as it was.
        """
        if not text.strip():
            raise ValueError(TYPED["no words"])
        run = encode(text)
        if len(run.tokens) > MOST_TOKENS:
            raise ValueError(TYPED["too many words"].format(n=len(run.tokens), most=MOST_TOKENS))
        self.load(start(sentence_of(text, run), self.state.measure, self.state.order))

    def open_head(self, layer: int, head: int) -> None:
        """Enlarge one head."""
        self._go(replace(self.state, layer=layer, head=head))

    def choose_pair(self, query: int, key: int) -> None:
        """Open the product of a query and a key."""
        self._go(replace(self.state, query=query, key=key))

    def choose_measure(self, measure: str) -> None:
        """Measure the heads another way, and open the one that comes first."""
        self._go(at_largest(replace(self.state, measure=measure)))

    def choose_order(self, order: str) -> None:
        """Put the heads in another order; the open head stays open."""
        self._go(replace(self.state, order=order))

    # what is shown

    @property
    def preset(self) -> str | None:
        """The preset that is shown as it was set; None where the reader has gone on."""
        shown = (self.state.sentence.name, *list(vars(self.state).values())[1:])
        return next((name for name, setting in SETTINGS.items() if setting == shown), None)

    @property
    def rank(self) -> int:
        """The place of the open head in the ranking, from 0."""
        return [(layer, head) for layer, head, _ in self.ranked].index((self.state.layer, self.state.head))

    @property
    def maps(self) -> NDArray[Any]:
        """The maps of all heads, counted through the layers, (72, n, n)."""
        weights = self.state.sentence.trace.weights  # (6, 12, n, n)
        return weights.reshape(-1, *weights.shape[2:])

    @property
    def chosen(self) -> int:
        """The open head, counted through the layers."""
        return self.state.layer * self.values.shape[1] + self.state.head

    def sequence(self) -> list[int]:
        """Return the heads in the order chosen, each counted through the layers; empty: by layer and head."""
        if self.state.order == "grid":
            return []
        largest_first = [layer * self.values.shape[1] + head for layer, head, _ in self.ranked]
        return largest_first if self.state.order == "largest" else largest_first[::-1]

    def mark(self) -> tuple[int, ...]:
        """Return the cell that is measured, (query, key); empty where a measure reads many cells."""
        return (self.state.query, self.state.key) if self.state.measure == "pair" else ()

    def pictures(self) -> dict[str, NDArray[Any]]:
        """Return the matrices of the open head and of the chosen pair, by name of panel."""
        q, k = self.trace.Q[self.state.query], self.trace.K[self.state.key]  # (32,), (32,)
        rows = np.stack([q, k, q * k])  # (3, 32): their products sum to the score
        return {"map": self.trace.weights, **{name: rows[:, half] for name, half in HALVES.items()}}

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        state, names = self.state, self.names
        row = self.trace.weights[state.query]
        order = np.argsort(-row, kind="stable")[:3]
        parts = ", ".join(MESSAGES["part"].format(key=names[j], weight=row[j]) for j in order)
        return {
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

    def heads_text(self) -> str:
        """Say what the numbers under the maps are, and where the largest are."""
        measure = MEASURES[self.state.measure]
        best = ", ".join(MESSAGES["best"].format(layer=i, head=j, value=value) for i, j, value in self.ranked[:3])
        return MESSAGES["heads"].format(measure=measure[0].upper() + measure[1:], mean=self.values.mean(), best=best)

    def still_title(self) -> str:
        """Say what to see in the still picture."""
        state, (layer, head, value) = self.state, self.ranked[0]
        pair = MESSAGES["still pair"].format(query=self.names[state.query], key=self.names[state.key])
        return MESSAGES["still title"].format(
            n=self.values.size,
            measure=pair if state.measure == "pair" else MEASURES[state.measure],
            best=MESSAGES["best"].format(layer=layer, head=head, value=value),
        )

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

    def _show(self, state: HeadState) -> None:
        tokens = state.sentence.tokens
        self.state = state
        self.names = told_apart(tokens)
        self.trace: AttentionTrace = state.sentence.head(state.layer, state.head)
        self.values = measured(state)  # (6, 12)
        self.ranked = ranking(self.values)


# -- the controls --------------------------------------------------------------------------------------


class HeadBrowser(Lab):
    """The lab: find a head among 72, enlarge it, open one product of it.

    Parameters
    ----------
    name : str, optional
        The stored sentence to begin with.
    """

    _encoder: MiniLM | None = None  # shared by all browsers of a session: the weights are read once

    model: HeadModel

    def __init__(self, name: str = "paper") -> None:
        self.model = HeadModel(name)
        self._make_common(PRESETS, width="25em", lines=11)
        self._make_controls(name)
        self.thumbnails = Thumbnails(*self.model.values.shape)
        self.thumbnails.layout = {"flex": "1 1 32em", "max_width": "44em", "margin": "0 1.5em 0 0"}
        self.thumbnails.on_choose(self._opened)
        self.view = MatrixView(self._panels())
        self.view.on_select(self._selected)
        self.product = MatrixView(self._product_panels())
        maps = widgets.HBox([self.thumbnails, self.view], layout={**WRAP, "align_items": "flex-start"})
        own = widgets.HBox([self._own, self._bar, self._own_said], layout=WRAP)
        self._begin("head-browser", [self._top, self._message, maps, self.product, own, self._code.area])

    def _update(self, changed: bool) -> None:
        """One message for the small maps, one for the open map, one for the product."""
        model, state = self.model, self.model.state
        pictures, captions = model.pictures(), model.captions()
        self.thumbnails.show(
            model.maps,
            [f"{value:.2f}" for value in model.values.ravel()],
            order=model.sequence(),
            chosen=model.chosen,
            mark=model.mark(),
            caption=model.heads_text(),
        )
        self.view.update(
            {"map": pictures.pop("map")},
            captions={"map": captions.pop("map")},
            highlight={"map": [(state.query, state.key)]},
            changed=False,
        )
        self.product.update(pictures, captions=captions, changed=False)

    def _follow(self) -> None:
        state = self.model.state
        stored = state.sentence.name in sentence_names()
        self._said.say(self.model.rank_text())
        self._measure.value, self._order.value = state.measure, state.order
        self._sentence.value = state.sentence.name if stored else None
        self._own.value = "" if stored else state.sentence.text
        self._own.disabled = not weights_folder()
        if stored:
            self._own_said.say("" if weights_folder() else MODEL_MESSAGES["missing"])
        else:
            self._own_said.say(MESSAGES["shown"].format(n=len(state.sentence.tokens)))

    # what the reader does

    def _change(self, change: Callable[..., None], *values: Any) -> None:
        change(*values)
        self._refresh()

    def _opened(self, k: int) -> None:
        self._change(self.model.open_head, *divmod(k, self.model.values.shape[1]))

    def _selected(self, cell: Cell | None) -> None:
        if cell is not None:
            key = self.model.state.key if cell.column is None else cell.column
            self._change(self.model.choose_pair, cell.row, key)

    def _lines_of_code(self) -> str:
        return self.model.state.code()

    def _type(self, text: str) -> None:
        try:
            self.model.type(text, self._encode)
        except (ValueError, FileNotFoundError) as problem:
            self._own_said.say(str(problem))
        else:
            self._refresh()

    def _encode(self, text: str) -> EncoderTrace:
        if HeadBrowser._encoder is None:
            self._own_said.say(MESSAGES["loading"])
            self._bar.layout.display = ""
            try:
                HeadBrowser._encoder = MiniLM(lambda share: setattr(self._bar, "value", share))
            finally:
                self._bar.layout.display = "none"
        return HeadBrowser._encoder.run(text)

    def _shape(self) -> Any:
        return self.model.names

    def _arrangement(self) -> list[list[str]]:
        return [["map"]]

    def _panels(self) -> dict[str, Panel]:
        names = self.model.names
        return {"map": Panel(self.model.trace.weights, names, names, kind="weights", title=TITLES["map"], small=True)}

    def _product_panels(self) -> dict[str, Panel]:
        pictures = self.model.pictures()
        return {
            name: Panel(
                pictures[name],
                ["query", "key", "product"],
                [str(i) for i in range(2 * HALF)[half]],
                title=TITLES[name],
                row_axis="",
                column_axis="dim.",
                limit=5,
                digits=1,
                stretch=False,
                small=True,
            )
            for name, half in HALVES.items()
        }

    def _make_controls(self, name: str) -> None:
        stored = {key: load_sentence(key).text for key in sentence_names()}
        self._sentence = choice(LABELS["sentence"], stored, name, width="36em")
        self._measure = choice(LABELS["measure"], MEASURES, self.model.state.measure, width="32em")
        self._order = choice(LABELS["order"], ORDERS, self.model.state.order)
        self._code.area.add_class("head-browser-code")
        self._own = sentence_box(LABELS["own"], LABELS["placeholder"], width="36em")
        self._own_said, self._said = Sentence("head-browser-own"), Sentence("head-browser-said")
        self._bar = widgets.FloatProgress(min=0, max=1, layout={"display": "none"})
        first = [self._preset, self._sentence, *self.buttons.values(), self._code.switch]
        boxes = [widgets.HBox(line, layout=WRAP) for line in (first, [self._measure, self._order])]
        self._top = widgets.VBox([*boxes, Sentence(text=LABELS["hint"]), self._said])
        self._own.observe(self._heard(self._type), "value")
        model = self.model
        changes = {self._sentence: model.read, self._measure: model.choose_measure, self._order: model.choose_order}
        for control, change in changes.items():
            control.observe(self._heard(partial(self._change, change)), "value")

    # the still picture

    def still_figure(self) -> Any:
        """The maps of all heads as they are now, for readers without a kernel."""
        from ..plots import thumbnails  # here, so that a live view never waits for matplotlib

        model, state = self.model, self.model.state
        return thumbnails(
            state.sentence.trace.weights,
            model.values,
            title=model.still_title(),
            chosen=(state.layer, state.head),
            mark=model.mark(),
        )

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(sentence=self.model.heads_text())
