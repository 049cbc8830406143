"""The head browser: 72 trained maps in one glance, one of them enlarged, one product opened.

`HeadModel` (head_model.py) is plain: a state, what is shown of it, undo. `HeadBrowser`
shows it and passes on what the reader does.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import ipywidgets as widgets

from ..examples.minilm import MESSAGES as MODEL_MESSAGES
from ..examples.minilm import EncoderTrace, MiniLM, weights_folder
from ..examples.trained_heads import KINDS, sentence_names, sentence_text
from ..view.controls import WRAP, GoalLine, Sentence, choice, sentence_box, toggle
from ..view.lab import Lab
from ..view.matrix_view import Cell, MatrixView
from ..view.panel import Panel
from ..view.thumbnails import Thumbnails
from ..view.titles import axis_called
from .head_model import HALF, HALVES, MEASURES, ORDERS, PRESETS, SHOWN, HeadModel

MESSAGES = {
    "loading": "Reading the model's weights …",
    "shown": "Your sentence, {n} tokens.",
    "still text": "Head browser: {sentence}",
}
LABELS = {
    "sentence": "sentence",
    "own": "own sentence",
    "placeholder": "English words, then Enter",
    "measure": "under each map",
    "order": "order",
    "shown": "show",
    "product": "open the product of the pair",
    "product row": "product",
}
TITLES = {
    False: "the open head: weights (click a cell: another pair)",
    True: "the open head: weight × value length (click a cell: another pair)",
    "first half": "query · key, dimensions 0 to 15",
    "second half": "query · key, dimensions 16 to 31",
}


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
        self._make_common(PRESETS, width="24em", lines=11)
        self._make_controls(name)
        self.thumbnails = Thumbnails(*self.model.values.shape)
        self.thumbnails.add_class("head-browser-maps")
        self.thumbnails.on_choose(self._opened)
        self.view = MatrixView(self._panels())
        self.view.on_select(self._selected)
        self.product = MatrixView(self._product_panels())
        self.product.layout.display = "none"
        maps = widgets.HBox([self.thumbnails, self.view]).add_class("head-browser-both")
        more = [self._tools(self._product, self._code.switch), self._own, self._bar, self._own_said]
        below = widgets.HBox(more, layout=WRAP)
        self._begin("head-browser", [self._top, maps, below, self.product, self._code.area])

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
            caption=f"{model.heads_text()} {model.rank_text()}",
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
        stored = state.sentence.name in sentence_names(*KINDS)
        self._goal.say(*self.model.goal_texts())
        self._measure.value, self._order.value, self._shown_as.value = state.measure, state.order, state.arriving
        self._sentence.value = state.sentence.name if stored else None
        self._own.value = "" if stored else state.sentence.text
        self._own.layout.display = "" if weights_folder() else "none"
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
        return self.model.names, self.model.state.arriving

    def _arrangement(self) -> list[list[str]]:
        return [["map"]]

    def _panels(self) -> dict[str, Panel]:
        names, title = self.model.names, TITLES[self.model.state.arriving]
        return {"map": Panel(self.model.open_map, names, names, kind="weights", title=title, small=True)}

    def _product_panels(self) -> dict[str, Panel]:
        pictures = self.model.pictures()
        return {
            name: Panel(
                pictures[name],
                [axis_called("query"), axis_called("key"), LABELS["product row"]],
                [str(i) for i in range(2 * HALF)[half]],
                title=TITLES[name],
                row_axis="",
                column_axis="dimension",
                limit=5,
                digits=1,
                stretch=False,
                small=True,
            )
            for name, half in HALVES.items()
        }

    def _make_controls(self, name: str) -> None:
        stored = {key: sentence_text(key) for key in sentence_names(*KINDS)}
        state = self.model.state
        self._sentence = choice(LABELS["sentence"], stored, name, width="31em")
        self._measure = choice(LABELS["measure"], MEASURES, state.measure, width="22em")
        self._order = choice(LABELS["order"], ORDERS, state.order, width="16em")
        self._shown_as = choice(LABELS["shown"], SHOWN, state.arriving, width="20em")
        self._product = toggle(LABELS["product"])
        self._code.area.add_class("head-browser-code")
        self._own = sentence_box(LABELS["own"], LABELS["placeholder"], width="31em")
        self._own_said = Sentence("head-browser-own", says=True)
        self._goal = GoalLine()
        self._bar = widgets.FloatProgress(min=0, max=1, layout={"display": "none"})
        first = [self._preset, self._sentence, self._tools(*self.buttons.values())]
        second = [self._shown_as, self._measure, self._order, self._message]
        boxes = [widgets.HBox(line, layout=WRAP) for line in (first, second)]
        self._top = widgets.VBox([self._goal, *boxes])
        self._listen()

    def _listen(self) -> None:
        model = self.model
        changes: dict[Any, Callable[..., None]] = {
            self._sentence: model.read,
            self._shown_as: model.show_arriving,
            self._measure: model.choose_measure,
            self._order: model.choose_order,
        }
        for control, change in changes.items():
            control.observe(self._heard(partial(self._change, change)), "value")
        self._own.observe(self._heard(self._type), "value")
        self._product.observe(self._open_product, "value")

    def _open_product(self, change: Any) -> None:
        self.product.layout.display = "" if change.new else "none"

    # the still picture

    def still_figure(self) -> Any:
        """The maps of all heads as they are now, for readers without a kernel."""
        from ..plots import thumbnails  # here, so that a live view never waits for matplotlib

        model, state = self.model, self.model.state
        return thumbnails(
            model.shown,
            model.values,
            title=model.still_title(),
            chosen=(state.layer, state.head),
            mark=model.mark(),
        )

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(sentence=self.model.heads_text())
