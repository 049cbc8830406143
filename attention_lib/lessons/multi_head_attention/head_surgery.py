"""The head surgery lab: switch heads off, and see what a word no longer receives from them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.chain import Chain, Given, step
from ...live.lab import Lab
from ...live.matrix_view import Cell, Edit
from ...live.panel import Panel, labels_of
from ...multi_head import MultiHeadTrace
from .made_up_heads import load_heads_example

EXAMPLE = load_heads_example()
HEADS = range(len(EXAMPLE.head_names))
SENTENCES = {name: " ".join(s.tokens) for name, s in EXAMPLE.sentences.items() if len(s.tokens) > 1}
VISIBLE = 0.005  # what is smaller reads 0.00
LIMIT = 2.0  # the same bars in every sentence
ASKED = 1  # the head that the reader guesses about
WITH_DIGITS = 3  # words whose maps have room for numbers
#: What the numbers of a feature mean.
MEANINGS = {
    "size": _("A size below 0 means small."),
    "doer": _("Doer: who did it. Company: who else is there. 1 is a dog, −1 a man."),
}


@dataclass(frozen=True)
class SurgeryState:
    """A sentence, the followed word, which heads are off, and how many bars the reader expects to change."""

    sentence: str = "dog_barked"
    row: int = 5  # the word that is followed
    off: tuple[int, ...] = ()
    guess: str = ""  # a key of `guesses`

    @property
    def words(self) -> list[str]:
        return labels_of(EXAMPLE.sentences[self.sentence].tokens)

    def trace(self) -> MultiHeadTrace:
        return EXAMPLE.layer()(EXAMPLE.sentences[self.sentence].X)

    def gifts(self) -> NDArray[Any]:
        """Return what each head gives to the followed word while it is on, (h, d_model)."""
        return self.trace().contributions[:, self.row]


def features_of(state: SurgeryState) -> list[int]:
    """Return the features that some word of the sentence receives from some head."""
    return [int(i) for i in np.flatnonzero(np.abs(state.trace().contributions).max(axis=(0, 1)) >= VISIBLE)]


def caption(state: SurgeryState, weights: NDArray[Any], head: int) -> str:
    """Say what the followed word reads in a head, and while the head is off, what it would bring."""
    row = weights[state.row]  # (n,)
    top = np.flatnonzero(row > row.max() - 1e-9)
    words = _("both words alike") if len(row) == 2 else _("all {n} words alike").format(n=len(row))
    if len(top) < len(row):
        words = ", ".join(f"{state.words[j]}\u00a0{row[j]:.2f}" for j in top)
    lines = [_("reads {words}").format(words=words)]
    if head in state.off:
        gift = zip(EXAMPLE.features, state.gifts()[head])
        brought = ", ".join(f"{name}\u00a0{size:.2f}" for name, size in gift if abs(size) >= VISIBLE)
        lines.append(_("brings {what}").format(what=brought.replace("-", "−") or _("nothing")))
    return "\n".join(lines)


def guesses() -> dict[str, str]:
    return {"none": _("none"), "one": _("one"), "several": _("several")}


def goal(state: SurgeryState) -> tuple[bool, str]:
    """Return whether just the heads are off that the word can do without, and ask, answer, or say what to do."""
    needs = np.abs(state.gifts()) >= VISIBLE  # (h, d_model)
    free = tuple(int(head) for head in np.flatnonzero(~needs.any(axis=1)))
    missed = [head for head in state.off if head not in free]
    answer = "several" if needs[ASKED].any() else "none"  # of this layer, head 1 brings two features or nothing
    if len(free) == len(HEADS):
        sentence = _("“{word}” receives nothing from any head. Click another word.")
    elif not state.off and not state.guess:
        sentence = _("How many bars will change without head 1? Guess, then switch it off.")
    elif not state.off:
        sentence = _("Your guess is “{guess}”. Now switch off head 1.")
    elif state.guess and state.off == (ASKED,):
        sentence = _("Right: {why}") if state.guess == answer else _("✗ Not “{guess}”: {why}")
    elif state.off == free:
        sentence = _("Goal reached: “{word}” can do without heads {free}. Try another sentence.")
    elif missed:
        sentence = _("“{word}” needs head {missed}: a bar has changed. Which heads can it do without?")
    else:
        sentence = _("No bar has changed. Which other heads can “{word}” do without?")
    why = _("head 1 passes on animal, which is 0 here. And the others?")
    if answer == "several":
        why = _("company goes, and the two animals no longer cancel. And the others?")
    words: dict[str, Any] = {"word": state.words[state.row], "free": ", ".join(map(str, free)), "why": why}
    words |= {"missed": max(missed, default=None), "guess": guesses().get(state.guess)}
    return state.off == free and bool(needs.any()), sentence.format(**words)


class HeadSurgeryLab(Lab):
    """Four heads, each with its map and a switch, and what a word receives from them."""

    presets: Mapping[str, tuple[str, SurgeryState]] = {
        "tower": (_("Miniature Eiffel Tower"), SurgeryState("miniature_eiffel_tower", 2)),
        "made": (_("the dog beside the man barked"), SurgeryState()),
    }

    def panels(self, state: SurgeryState) -> dict[str, Panel]:
        weights, gifts = state.trace().heads.weights, state.gifts()
        plain: Any = {"row_axis": "", "column_axis": "", "caption": ""}
        switch: Any = plain | {"kind": "mask", "symbols": (_("off"), _("on")), "editable": True}
        tile: Any = {"kind": "weights", "dense": len(state.words) > WITH_DIGITS, "marks": [(state.row, None)]}
        panels = {}
        for i, role in enumerate(EXAMPLE.head_names):
            title = _("head {i}: {role}").format(i=i, role=role)
            words = caption(state, weights[i], i)
            panels[f"switch {i}"] = Panel([[float(i not in state.off)]], [_("switch")], [""], title=title, **switch)
            panels[f"head {i}"] = Panel(weights[i], state.words, state.words, title=title, caption=words, **tile)
        features = features_of(state)
        on = [i for i in HEADS if i not in state.off]
        learned = gifts[on].sum(axis=0)[features][:, None] + 0.0  # (features, 1); never -0
        rows, title = [EXAMPLE.features[i] for i in features], _("What “{word}” receives from its heads")
        bars = plain | {"bars": True, "limit": LIMIT, "title": title.format(word=state.words[state.row])}
        bars["caption"] = " ".join(_(MEANINGS[row]) for row in rows if row in MEANINGS)  # what the numbers mean
        return panels | {"learned": Panel(learned, rows, [_("all")], **bars)}

    def arrangement(self, state: SurgeryState) -> list[list[Any]]:
        return [[[f"switch {i}", f"head {i}"] for i in HEADS], ["learned"]]

    def chain(self, state: SurgeryState) -> tuple[Chain, Given]:
        features, sums = features_of(state), ["left of 0", "sum 1", "sum 2", "learned"]
        given = {f"gift of {i}": gift[features][:, None] for i, gift in enumerate(state.gifts())}  # (features, 1) each
        steps = [step(f"left of {i}", "matmul", f"gift of {i}", f"switch {i}") for i in HEADS]
        return steps + [step(sums[i], "add", sums[i - 1], f"left of {i}") for i in HEADS[1:]], given

    def edit(self, state: SurgeryState, edit: Edit) -> SurgeryState:
        head = int(edit.panel.split()[1])
        off = {*state.off} - {head} if edit.value else {*state.off, head}
        return replace(state, off=tuple(sorted(off)))

    def select(self, state: SurgeryState, cell: Cell) -> SurgeryState:
        if not cell.panel.startswith("head") or cell.row == state.row:
            return state
        return SurgeryState(state.sentence, cell.row)

    def begin(self, state: SurgeryState, name: str) -> SurgeryState:
        return SurgeryState(name, EXAMPLE.sentences[name].row)

    def controls(self) -> list[Any]:
        self.answers = [self.button(text, partial(replace, guess=name)) for name, text in guesses().items()]
        return [self.menu(_("sentence"), SENTENCES, "sentence", self.begin, "max-content"), *self.answers]

    def tell(self, state: SurgeryState) -> None:
        self.say_goal(*goal(state))
        is_asked = not state.off and not state.guess and bool(np.abs(state.gifts()).max() >= VISIBLE)
        for answer in self.answers:
            answer.layout.display = "" if is_asked else "none"
        if self.view:
            self.view.select(None)  # the marked row says which word is followed
