"""The head browser: the maps of all 72 heads of a trained model at one glance, one of them large."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets
from numpy.typing import NDArray

from ..._words import _
from ...examples.trained_heads import KINDS, TrainedSentence, load_sentence, sentence_names
from ...live.controls import Sentence, toolbar
from ...live.drawing import Drawing
from ...live.lab import Lab
from ...live.matrix_view import Cell
from ...live.panel import Panel, labels_of
from ...live.pictures import small_maps

MOST_WITH_DIGITS = 16
STORED = {name: load_sentence(name).text for name in sentence_names(*KINDS)}
TESTS = ("paper", *sentence_names("beforehand"))  # the last five written down before any head was looked at


@dataclass(frozen=True)
class HeadState:
    """A sentence, one of its heads, a pair of tokens, and what is measured."""

    sentence: str = "paper"
    layer: int = 4
    head: int = 4
    query: int = 6  # it
    key: int = 2  # paper
    measure: str = "pair"
    arriving: bool = False  # whether weight times value length is shown in place of the weight

    @property
    def read(self) -> TrainedSentence:
        """The sentence as all heads read it."""
        return load_sentence(self.sentence)

    @property
    def asks_for_it(self) -> bool:
        """Whether the question is which head finds the noun of “it” in the six test sentences."""
        asked = (self.read.query, self.read.key)
        is_noun = (self.query, self.key) == asked and self.read.tokens[self.query] == "it"
        return is_noun and self.measure == "pair"

    @property
    def names(self) -> list[str]:
        return labels_of(self.read.tokens)

    def maps(self) -> NDArray[Any]:
        """Return the maps of all heads, (6, 12, n, n)."""
        return self.read.maps(self.arriving)

    def measured(self) -> NDArray[Any]:
        """Return the measure of every head, (6, 12), each between 0 and 1."""
        values: NDArray[Any] = self.read.statistics(self.query, self.key, self.arriving)[self.measure]
        return values


def with_sentence(state: HeadState, name: str) -> HeadState:
    sentence = load_sentence(name)
    return replace(state, sentence=name, query=sentence.query, key=sentence.key)


def with_test(state: HeadState, name: str) -> HeadState:
    """Return the state with a test sentence, and bars for its “it” and its noun."""
    return replace(with_sentence(state, name), measure="pair")


def answers(state: HeadState) -> list[tuple[str, str]]:
    """Return for each test sentence the word that its “it” looks at most in the open head, and its noun."""
    pairs = []
    for sentence in map(load_sentence, TESTS):
        row = sentence.trace.weights[state.layer, state.head, sentence.query, 1:-1]  # without [CLS] and [SEP]
        pairs.append((sentence.tokens[1 + row.argmax()], sentence.tokens[sentence.key]))
    return pairs


def goal(state: HeadState) -> tuple[bool, str]:
    """Return whether the head is found, and ask for it: in the test sentences, or else the one with the longest bar."""
    values = state.measured()  # (6, 12)
    value = values[state.layer, state.head]
    if state.asks_for_it:
        is_reached = all(most == noun for most, noun in answers(state))
        sentence = (
            _("Goal reached: in head {layer}.{head}, “it” finds all {total} nouns. Now try the other sentences.")
            if is_reached
            else _("Click the small map in which “it” finds all {total} nouns below.")
        )
    else:
        is_reached = value.round(2) == values.max().round(2)  # as the map shows them: a tie is enough
        sentence = (
            _("Yes: no head has more {size} {what} than head {layer}.{head}, {value:.2f}.")
            if is_reached
            else _("Click the small map with the most {size} {what}.")
        )
    pair = _("of “{query}” on “{key}”").format(query=state.names[state.query], key=state.names[state.key])
    words = {"what": measures().get(state.measure, pair), "size": _("weight")}
    if state.arriving:
        words["size"] = _("weight × value length")
    numbers = {"layer": state.layer, "head": state.head, "value": value, "total": len(TESTS)}
    return bool(is_reached), sentence.format(**words, **numbers)


def measures() -> dict[str, str]:
    """Return what the bars can show besides the chosen pair, in words."""
    return {
        "previous": _("on the previous token"),
        "next": _("on the next token"),
        "cls": _("on [CLS]"),
    }


class HeadBrowser(Lab):
    """The lab: 72 small maps, one of them large, and what all heads give to a pair of words."""

    presets: Mapping[str, tuple[str, HeadState]] = {
        "paper": (_("“it” finds paper"), HeadState()),
        "back": (_("a head that looks one word back"), HeadState("keys", 0, 2, 6, 5, "previous")),
        "sinks": (_("most of the weight on [CLS]"), HeadState("keys", 4, 5, 6, 0, "cls")),
        "arriving": (_("the same head: what arrives from [CLS]"), HeadState("keys", 4, 5, 6, 0, "cls", True)),
        "cup": (_("“it” and cup, one of the five sentences"), HeadState("cup", 3, 1, 8, 2)),
        "creature": (_("“creature” and “fluffy”"), HeadState("creature", 0, 1, 4, 2)),
    }

    def panels(self, state: HeadState) -> dict[str, Panel]:
        title = _("Head {layer}.{head}: which token looks at which")
        if state.arriving:
            title = _("Head {layer}.{head}: weight × value length, shares of a row")
        manners: Any = {"kind": "weights", "marks": [(state.query, state.key)]}
        manners["dense"] = len(state.names) > MOST_WITH_DIGITS
        manners["title"] = title.format(layer=state.layer, head=state.head)
        return {"map": Panel(state.maps()[state.layer, state.head], state.names, state.names, **manners)}

    def select(self, state: HeadState, cell: Cell) -> HeadState:
        return replace(state, query=cell.row, key=state.key if cell.column is None else cell.column)

    def controls(self) -> list[Any]:
        return [self.menu(_("sentence"), STORED, "sentence", with_sentence, width="36em")]

    def more(self) -> list[Any]:
        return [
            self.menu(_("bars"), {"pair": _("the chosen pair")} | measures(), "measure", width="22em"),
            self.switch(_("Show weight × value length"), "arriving"),
        ]

    def picture(self) -> list[Any]:
        self.small = Drawing(self._open_head)
        self.tests = [self.button("", functools.partial(with_test, name=name)) for name in TESTS]
        self.answers = toolbar(Sentence("lab-line", _("“it” reads most:")), *self.tests).add_class("head-tests")
        self.bars = Sentence("lab-line")
        small = ipywidgets.VBox([self.small, self.bars]).add_class("head-all")
        large = ipywidgets.VBox([self.view]).add_class("head-open")
        return [self.answers, ipywidgets.HBox([small, large]).add_class("lab-columns")]

    def _open_head(self, name: str, k: int, gesture: str) -> None:
        head, layer = divmod(k, len(self.state.measured()))
        self.act(lambda state: replace(state, layer=layer, head=head))

    def tell(self, state: HeadState) -> None:
        self.small.show(small_maps(state.maps(), state.measured(), (state.layer, state.head)))
        self.say_goal(*goal(state))
        names = {"query": state.names[state.query], "key": state.names[state.key]}
        bars = _("Bars: “{query}” on “{key}”.") if state.measure == "pair" else _("Bars: {what}.")
        self.bars.say(bars.format(what=measures().get(state.measure), **names))
        self.answers.layout.visibility = "visible" if state.asks_for_it or state.sentence in TESTS else "hidden"
        for button, name, (most, noun) in zip(self.tests, TESTS, answers(state)):
            button.description = f"{noun} ✓" if most == noun else f"{noun} ✗ {most}"
            button.tooltip = STORED[name]
            if name == state.sentence:
                button.add_class("is-open")
            else:
                button.remove_class("is-open")
        chosen = self.view.selected if self.view else None
        if self.view and chosen and chosen[1:] not in ((state.query, state.key), (state.query, None)):
            self.view.select(None)  # its frame was around a pair of another sentence
