"""The head surgery lab: switch heads off, and see what a word no longer receives from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.chain import Chain, Given, step
from ...live.lab import Lab
from ...live.matrix_view import Cell, Edit
from ...live.panel import Panel, round_limit
from ...multi_head import MultiHeadTrace
from .made_up_heads import load_heads_example

EXAMPLE = load_heads_example()
HEADS = range(len(EXAMPLE.head_names))
SENTENCES = {name: " ".join(s.tokens) for name, s in EXAMPLE.sentences.items() if len(s.tokens) > 1}
VISIBLE = 0.005  # what is smaller reads 0.00
#: What the numbers of a feature mean.
MEANINGS = {
    "size": _("A size below 0 means small."),
    "doer": _("Doer: who did it. Company: who else is there. 1 is a dog, −1 a man."),
}


@dataclass(frozen=True)
class SurgeryState:
    """A sentence, the followed word, what was done to the layer, and which heads were off."""

    sentence: str = "dog_barked"
    row: int = 5  # the word that is followed
    off: tuple[int, ...] = ()
    tried: tuple[int, ...] = ()  # heads without which this word was seen

    @property
    def tokens(self) -> tuple[str, ...]:
        return EXAMPLE.sentences[self.sentence].tokens

    def trace(self) -> MultiHeadTrace:
        return EXAMPLE.layer()(EXAMPLE.sentences[self.sentence].X)

    def gifts(self) -> NDArray[Any]:
        """Return what each head gives to the followed word while it is on, (h, d_model)."""
        return self.trace().contributions[:, self.row]


def noted(state: SurgeryState) -> SurgeryState:
    """Return the state with the heads that are off among those that were tried: what a head gives adds up."""
    return replace(state, tried=tuple(sorted({*state.tried, *state.off})))


def switched(state: SurgeryState, head: int, on: bool) -> SurgeryState:
    off = {*state.off} - {head} if on else {*state.off, head}
    return noted(replace(state, off=tuple(sorted(off))))


def with_sentence(state: SurgeryState, name: str) -> SurgeryState:
    """Return the state with another sentence and all heads on."""
    return replace(state, sentence=name, row=EXAMPLE.sentences[name].row, off=(), tried=())


def features_of(state: SurgeryState) -> tuple[list[int], float]:
    """Return the features that the followed word receives from some head, and the largest size.

    Of a word that receives nothing, they are the features of the word that its sentence is about.
    """
    sizes = np.abs(state.gifts())  # (h, d_model)
    learned = [int(i) for i in np.flatnonzero(sizes.max(axis=0) >= VISIBLE)]
    if not learned:
        learned, _limit = features_of(with_sentence(state, state.sentence))
    return learned, round_limit(sizes.round(2))


def caption(state: SurgeryState, weights: NDArray[Any], head: int) -> str:
    """Say what the followed word reads in a head, and once the head was off, what it brings."""
    row = weights[state.row]  # (n,)
    top = np.flatnonzero(row > row.max() - 1e-9)
    words = _("both words alike") if len(row) == 2 else _("all {n} words alike").format(n=len(row))
    if len(top) < len(row):
        words = ", ".join(f"{state.tokens[j]}\u00a0{row[j]:.2f}" for j in top)
    lines = [_("reads {words}").format(words=words)]
    if head in state.tried:
        gift = state.gifts()[head]  # (d_model,)
        brought = ", ".join(
            f"{EXAMPLE.features[i]}\u00a0{gift[i]:.2f}" for i in np.flatnonzero(np.abs(gift) >= VISIBLE)
        )
        lines.append(_("brings {what}").format(what=brought.replace("-", "−") or _("nothing")))
    return "\n".join(lines)


def goal(state: SurgeryState) -> tuple[bool, str]:
    """Return whether all heads were tried; ask which the followed word can do without, and say which are left."""
    free = np.flatnonzero(np.abs(state.gifts()).max(axis=1) < VISIBLE)
    untried = ", ".join(str(head) for head in HEADS if head not in state.tried)
    if len(free) == len(HEADS):
        sentence = _("“{word}” receives nothing from any head. Click another word.")
        return False, sentence.format(word=state.tokens[state.row])
    if not untried and len(free):
        sentence = (
            _("Goal reached: “{word}” can do without head {free}. Try another sentence.")
            if len(free) == 1
            else _("Goal reached: “{word}” can do without heads {free}. Try another sentence.")
        )
    elif not untried:
        sentence = _("Goal reached: “{word}” needs each of its heads. Try another sentence.")
    elif state.tried:
        sentence = _("Which heads can “{word}” do without? Still to switch off: {untried}.")
    else:
        sentence = _("Which heads can “{word}” do without? Switch off each head.")
    return not untried, sentence.format(word=state.tokens[state.row], free=", ".join(map(str, free)), untried=untried)


class HeadSurgeryLab(Lab):
    """Four heads, each with its map and a switch, and what a word receives from them."""

    still = (*(f"head {i}" for i in HEADS), "learned")
    presets: Mapping[str, tuple[str, SurgeryState]] = {
        "tower": (_("Miniature Eiffel Tower"), SurgeryState("miniature_eiffel_tower", 2)),
        "made": (_("the dog beside the man barked"), SurgeryState()),
        "one_off": (_("modifier head off"), noted(SurgeryState(off=(1,)))),
        "idle": (_("name and size heads off"), noted(SurgeryState(off=(2, 3)))),
    }

    def panels(self, state: SurgeryState) -> dict[str, Panel]:
        weights, gifts = state.trace().heads.weights, state.gifts()
        plain: Any = {"row_axis": "", "column_axis": "", "caption": ""}
        switch: Any = plain | {"kind": "mask", "symbols": (_("off"), _("on")), "editable": True}
        tile: Any = {"kind": "weights", "dense": True, "marks": [(state.row, None)]}
        panels = {}
        for i, role in enumerate(EXAMPLE.head_names):
            title = _("head {i}: {role}").format(i=i, role=role)
            words = caption(state, weights[i], i)
            panels[f"switch {i}"] = Panel([[float(i not in state.off)]], [_("switch")], [""], title=title, **switch)
            panels[f"head {i}"] = Panel(weights[i], state.tokens, state.tokens, title=title, caption=words, **tile)
        features, limit = features_of(state)
        on = [i for i in HEADS if i not in state.off]
        learned = gifts[on].sum(axis=0)[features][:, None] + 0.0  # (features, 1); never -0
        rows, title = [EXAMPLE.features[i] for i in features], _("What “{word}” receives from its heads")
        bars = plain | {"bars": True, "limit": limit, "title": title.format(word=state.tokens[state.row])}
        bars["caption"] = " ".join(_(MEANINGS[row]) for row in rows if row in MEANINGS)  # what the numbers mean
        return panels | {"learned": Panel(learned, rows, [_("all")], **bars)}

    def arrangement(self, state: SurgeryState) -> list[list[Any]]:
        return [[[f"switch {i}", f"head {i}"] for i in HEADS], ["learned"]]

    def chain(self, state: SurgeryState) -> tuple[Chain, Given]:
        features, _limit = features_of(state)
        given = {f"gift of {i}": gift[features][:, None] for i, gift in enumerate(state.gifts())}  # (features, 1) each
        steps = [step(f"left of {i}", "matmul", f"gift of {i}", f"switch {i}") for i in HEADS]
        total = "left of 0"
        for i in HEADS[1:]:
            result = "learned" if i == HEADS[-1] else f"left up to {i}"
            steps.append(step(result, "add", total, f"left of {i}"))
            total = result
        return steps, given

    def edit(self, state: SurgeryState, edit: Edit) -> SurgeryState:
        return switched(state, int(edit.panel.split()[1]), on=edit.value >= 0.5)

    def select(self, state: SurgeryState, cell: Cell) -> SurgeryState:
        if not cell.panel.startswith("head") or cell.row == state.row:
            return state
        return noted(replace(state, row=cell.row, tried=()))

    def controls(self) -> list[Any]:
        return [self.menu(_("sentence"), SENTENCES, "sentence", with_sentence, width="27em")]

    def tell(self, state: SurgeryState) -> None:
        self.say_goal(*goal(state))
        chosen = self.view.selected if self.view else None
        if self.view and chosen and chosen.panel.startswith("head") and chosen.row != state.row:
            self.view.select(None)  # its frame was around a word that is followed no longer

    def still_state(self) -> SurgeryState:
        return self.start

    def still_title(self) -> str:
        return _("The four heads of our layer, each with its map")
