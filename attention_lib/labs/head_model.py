"""The plain model of the head browser: which head is open, which pair, what is shown of it; no widget."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace
from ..examples.head_choice import (
    SETTINGS,
    HeadState,
    at_largest,
    found_beforehand,
    measured,
    preset_state,
    ranking,
    start,
)
from ..examples.minilm import EncoderTrace
from ..examples.trained_heads import TrainedSentence, load_sentence, sentence_names, sentence_of
from ..view.history import Reversible
from ..view.panel import told_apart
from ..view.typed import MESSAGES as TYPED

MOST_TOKENS = 32  # of a sentence of one's own: what a map on a screen still shows
HALF = 16  # dimensions in each of the two panels of a product
HALVES = {"first half": slice(0, HALF), "second half": slice(HALF, 2 * HALF)}

PRESETS = {
    "paper": "“it” finds paper",
    "back": "a head that looks one word back",
    "sinks": "most of the weight on [CLS]",
    "arriving": "the same head: what arrives from [CLS]",
    "cup": "“it” and cup, one of the five sentences",
    "creature": "“creature” and “fluffy”",
}
MEASURES = {
    "pair": "the chosen pair",
    "entropy": "spread of the rows (1 = even)",
    "previous": "on the previous token",
    "next": "on the next token",
    "self": "on the token itself",
    "cls": "on [CLS]",
}
ORDERS = {"grid": "by layer and head", "largest": "largest first", "smallest": "smallest first"}
SHOWN = {False: "weight", True: "weight × value length, shares of a row"}
MESSAGES = {
    "goal": "Goal: a head in which “it” looks first at its noun in all {total} test sentences. "
    "Head {layer}.{head}: in {n}. Click a small map.",
    "reached": "Goal reached: head {layer}.{head} finds the noun in {n} of {total}. "
    "In which other sentences does it fail?",
    "heads": "{shown}, {measure}: mean {mean:.2f}; largest {best}.",
    "best": "{value:.2f} in head {layer}.{head}",
    "weight": "weight",
    "arriving": "weight × value length",
    "map": "Head {layer}.{head}: “{query}” reads {parts}.",
    "map arriving": "Head {layer}.{head}: of what arrives at “{query}”, {parts}.",
    "part": "{key} {weight:.2f}",
    "comma": ", ",
    "rank": "Head {layer}.{head}: {value:.2f}, number {rank} of {n}.",
    "product": "The 32 products sum to the score: {score:.2f}. Divided by √32: {scaled:.2f}. "
    "Softmax over the row of “{query}” gives the weight on “{key}”: {weight:.2f}.",
    "pair": "The query of “{query}” times the key of “{key}”, number by number.",
    "still title": "{n} heads: {measure}, largest {best}\n{text}",
    "still measure": "{shown}, {measure}",
    "still pair": "{shown} of “{query}” on “{key}” (framed)",
}


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
        self.load(self._begun(load_sentence(name)))

    def type(self, text: str, encode: Callable[[str], EncoderTrace]) -> None:
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
        self.load(self._begun(sentence_of(text, run)))

    def open_head(self, layer: int, head: int) -> None:
        """Enlarge one head."""
        self._go(replace(self.state, layer=layer, head=head))

    def choose_pair(self, query: int, key: int) -> None:
        """Open the product of a query and a key."""
        self._go(replace(self.state, query=query, key=key))

    def choose_measure(self, measure: str) -> None:
        """Measure the heads another way, and open the one that comes first."""
        self._go(at_largest(replace(self.state, measure=measure)))

    def show_arriving(self, arriving: bool) -> None:
        """Show weights, or weight times value length; the open head stays open."""
        self._go(replace(self.state, arriving=arriving))

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
        return self.shown.reshape(-1, *self.shown.shape[2:])

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
        """Return the open map and the product of the chosen pair, by name of panel."""
        q, k = self.trace.Q[self.state.query], self.trace.K[self.state.key]  # (32,), (32,)
        rows = np.stack([q, k, q * k])  # (3, 32): their products sum to the score
        return {"map": self.open_map, **{name: rows[:, half] for name, half in HALVES.items()}}

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        state, names = self.state, self.names
        row, weight = self.open_map[state.query], self.trace.weights[state.query, state.key]
        order = np.argsort(-row, kind="stable")[:3]
        parts = MESSAGES["comma"].join(MESSAGES["part"].format(key=names[j], weight=row[j]) for j in order)
        told = {"query": names[state.query], "key": names[state.key]}
        return {
            "map": MESSAGES["map arriving" if state.arriving else "map"].format(
                layer=state.layer, head=state.head, parts=parts, **told
            ),
            "first half": MESSAGES["pair"].format(**told),
            "second half": MESSAGES["product"].format(
                score=self.trace.scores[state.query, state.key],
                scaled=self.trace.scaled_scores[state.query, state.key],
                weight=weight,
                **told,
            ),
        }

    def goal_texts(self) -> list[str]:
        """Say in how many of the five sentences the open head finds the noun; then what other heads have said there."""
        state, total = self.state, len(sentence_names("beforehand"))
        n = int(found_beforehand()[state.layer, state.head])
        told = {"layer": state.layer, "head": state.head, "n": n, "total": total}
        names = ["reached", "goal"] if n == total else ["goal", "reached"]
        return [MESSAGES[name].format(**told) for name in names]

    def shown_text(self) -> str:
        """Name what the maps are of."""
        return MESSAGES["arriving" if self.state.arriving else "weight"]

    def heads_text(self) -> str:
        """Say what the numbers under the maps are, and where the largest are."""
        best = MESSAGES["comma"].join(
            MESSAGES["best"].format(layer=i, head=j, value=value) for i, j, value in self.ranked[:3]
        )
        shown = self.shown_text()
        return MESSAGES["heads"].format(
            shown=shown[0].upper() + shown[1:], measure=MEASURES[self.state.measure], mean=self.values.mean(), best=best
        )

    def still_title(self) -> str:
        """Say what to see in the still picture."""
        state, (layer, head, value) = self.state, self.ranked[0]
        told = {"query": self.names[state.query], "key": self.names[state.key], "measure": MEASURES[state.measure]}
        kind = "still pair" if state.measure == "pair" else "still measure"
        return MESSAGES["still title"].format(
            n=self.values.size,
            measure=MESSAGES[kind].format(shown=self.shown_text(), **told),
            best=MESSAGES["best"].format(layer=layer, head=head, value=value),
            text=state.sentence.text,
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
            shown=self.shown_text(),
            measure=MEASURES[state.measure],
        )

    def _begun(self, sentence: TrainedSentence) -> HeadState:
        state = self.state
        return start(sentence, state.measure, state.order, state.arriving)

    def _show(self, state: HeadState) -> None:
        self.state = state
        self.names = told_apart(state.sentence.tokens)
        self.trace: AttentionTrace = state.sentence.head(state.layer, state.head)
        self.shown = state.sentence.maps(state.arriving)  # (6, 12, n, n)
        self.open_map = self.shown[state.layer, state.head]  # (n, n)
        self.values = measured(state)  # (6, 12)
        self.ranked = ranking(self.values)
