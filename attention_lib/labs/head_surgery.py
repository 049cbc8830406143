"""The head surgery lab: switch heads off, and see what a word no longer learns from them."""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._words import _
from ..analysis.surgery import Surgery, operate
from ..examples.made_up_heads import load_heads_example, surgery_code
from ..view.chain import Chain, Given, step
from ..view.controls import NumberSlider
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit
from ..view.panel import Category, Panel, round_limit

EXAMPLE = load_heads_example()
D_MODEL, MADE_FOR = len(EXAMPLE.features), len(EXAMPLE.head_names)
CUTS = tuple(h for h in range(1, D_MODEL + 1) if D_MODEL % h == 0)  # numbers of heads that divide the width
SENTENCES = {name: " ".join(s.tokens) for name, s in EXAMPLE.sentences.items() if len(s.tokens) > 1}
LOW, HIGH = -2.0, 2.0  # of a number of W_O
SEEN = 0.005  # what is smaller reads 0.00


@dataclass(frozen=True, eq=False)
class SurgeryState:
    """A sentence, the layer after the operation, and which heads were off alone."""

    sentence: str = "dog_barked"
    row: int = 5  # the word that is followed
    n_heads: int = MADE_FOR
    off: tuple[int, ...] = ()
    averaged: bool = False  # whether heads 0 and 1 share the mean of their maps
    W_O: NDArray[Any] = field(default_factory=lambda: EXAMPLE.W_O)  # (d_model, d_model)
    tried: tuple[tuple[int, int], ...] = ()  # (followed word, head)
    chosen: tuple[str, int, int] = ("W_O", 0, 6)  # the cell that the slider moves

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words of the sentence."""
        return EXAMPLE.sentences[self.sentence].tokens

    @property
    def shared(self) -> tuple[int, ...]:
        """The heads that share the mean of their maps."""
        return (0, 1) if self.averaged and self.n_heads > 1 else ()

    def operated(self, off: tuple[int, ...] | None = None) -> Surgery:
        """Return what is left of the layer; `off`: with these heads off instead."""
        trace = EXAMPLE.layer(self.n_heads)(EXAMPLE.sentences[self.sentence].X)
        return operate(trace, self.W_O, self.off if off is None else off, self.shared)

    def gifts(self) -> NDArray[Any]:
        """Return what each head gives to the followed word while it is on, (h, d_model)."""
        return self.operated(()).contributions[:, self.row]


def noted(state: SurgeryState) -> SurgeryState:
    """Return the state with the head that is off alone among those that were tried."""
    pairs = {(state.row, head) for head in state.off} if len(state.off) == 1 else set()
    return replace(state, tried=tuple(sorted({*state.tried, *pairs})))


def switched(state: SurgeryState, head: int, on: bool) -> SurgeryState:
    """Return the state with a head on or off."""
    others = {*state.off} - {head}
    return noted(replace(state, off=tuple(sorted(others if on else others | {head}))))


def with_sentence(state: SurgeryState, name: str) -> SurgeryState:
    """Return the state with another sentence and all heads on."""
    return replace(state, sentence=name, row=EXAMPLE.sentences[name].row, off=(), tried=())


def with_heads(state: SurgeryState, n_heads: int) -> SurgeryState:
    """Return the state with the same matrices cut into another number of heads, all of them on."""
    return replace(state, n_heads=n_heads, off=(), tried=())


def with_number(state: SurgeryState, row: int, column: int, value: float) -> SurgeryState:
    """Return the state with another number in W_O."""
    W_O = state.W_O.copy()
    W_O[row, column] = np.clip(round(value, 4), LOW, HIGH) + 0.0  # never -0
    return replace(state, W_O=W_O, tried=(), chosen=("W_O", row, column))


def features_of(state: SurgeryState) -> tuple[list[int], float]:
    """Return the features that the followed word learns from some head, now or as it was made, and the largest size."""
    sizes = np.abs(np.vstack([state.gifts(), SurgeryState(state.sentence, state.row).gifts()]))  # (…, d_model)
    learned = [int(i) for i in np.flatnonzero(sizes.max(axis=0) >= SEEN)]
    return learned or list(range(D_MODEL)), round_limit(sizes.round(2))


def listed(numbers: NDArray[Any]) -> str:
    """Name the features that are not 0, with their numbers; (d_model,)."""
    found = [(EXAMPLE.features[i], number) for i, number in enumerate(numbers) if abs(number) >= SEEN]
    return ", ".join(f"{name} {number:.2f}".replace("-", "−") for name, number in found) or _("nothing")


def caption(state: SurgeryState, head: int, weights: NDArray[Any]) -> str:
    """Say what the followed word reads in a head, and what the head gives it, if the reader has tried without it."""
    row = weights[state.row]  # (n,)
    top = np.flatnonzero(row > row.max() - 1e-9)
    if len(top) == len(row):
        lines = [_("reads all {n} words alike").format(n=len(row))]
    else:
        lines = [_("reads {words}").format(words=", ".join(f"{state.tokens[j]} {row[j]:.2f}" for j in top))]
    if (state.row, head) in state.tried:
        gift = state.gifts()[head]
        little = 1e-6 < np.abs(gift).max() < SEEN
        lines.append(_("gives less than 0.01") if little else _("gives {what}").format(what=listed(gift)))
    return "\n".join(lines)


def summary(state: SurgeryState) -> str:
    """Say what the followed word learns."""
    what = listed(state.operated().delta[state.row])
    return _("“{word}” learns: {what}.").format(word=state.tokens[state.row], what=what)


def goal(state: SurgeryState) -> str:
    """Ask which heads the followed word can do without, and say how far the reader has come."""
    n = sum(row == state.row for row, _head in state.tried)
    free = np.flatnonzero(np.abs(state.gifts()).max(axis=1) < SEEN)
    if n == state.n_heads and len(free):
        sentence = _("Goal reached: “{word}” can do without heads {free}. Can it in another sentence?")
    elif n == state.n_heads:
        sentence = _("Goal reached: “{word}” needs each of its heads. Does it in another sentence?")
    elif len(state.off) > 1:
        sentence = _("Which heads can “{word}” do without? Switch off only one at a time. {n} of {total} tried.")
    elif n:
        sentence = _("Which heads can “{word}” do without? {n} of {total} tried, one at a time.")
    else:
        sentence = _("Which heads can “{word}” do without? Switch one off.")
    word, heads = state.tokens[state.row], ", ".join(map(str, free))
    return sentence.format(word=word, n=n, total=state.n_heads, free=heads)


class HeadSurgeryLab(Lab):
    """Four heads, each with its map and a switch, and what a word learns from them.

    Examples
    --------
    >>> lab = HeadSurgeryLab()
    >>> lab.view["learned"].round(2).tolist()  # doer, company
    [[0.98], [-0.98]]
    """

    still = tuple(f"head {i}" for i in range(MADE_FOR))

    def __init__(self) -> None:
        self.presets = {
            "made": (_("as it was made"), SurgeryState()),
            "one_off": (_("modifier head off"), noted(SurgeryState(off=(1,)))),
            "averaged": (_("subject and modifier heads averaged"), SurgeryState(averaged=True)),
            "wide": (_("one wide head"), SurgeryState(n_heads=1)),
            "idle": (_("name and size heads off"), SurgeryState(off=(2, 3))),
            "needed": (
                _("Miniature Eiffel Tower, name head off"),
                noted(SurgeryState("miniature_eiffel_tower", 2, off=(2,))),
            ),
            "no_W_O": (_("no W_O, as in article 004"), SurgeryState(W_O=np.eye(D_MODEL))),
        }
        super().__init__(self.presets["made"][1])

    def panels(self, state: SurgeryState) -> dict[str, Panel]:
        now, panels = state.operated(), {}
        names = [_("head {i}").format(i=i) for i in range(state.n_heads)]
        roles = EXAMPLE.head_names if state.n_heads == MADE_FOR else ()
        states = [Category(_("off"), _("off")), Category(_("on"), _("on"))]
        plain: Any = {"caption": "", "row_axis": ""}
        switch: Any = plain | {"kind": "category", "categories": states, "editable": True, "column_axis": ""}
        tile: Any = {"kind": "weights", "dense": True, "marks": [(state.row, None)]}
        for i, name in enumerate(names):
            title, on = f"{name}: {roles[i]}" if roles else name, [[float(i not in state.off)]]
            words = caption(state, i, now.weights[i])
            panels[f"switch {i}"] = Panel(on, [_("switch")], [""], title=title, **switch)
            panels[f"head {i}"] = Panel(now.weights[i], state.tokens, state.tokens, title=title, caption=words, **tile)
        features, limit = self._features(state)
        terms = np.vstack([now.contributions[:, state.row], now.delta[state.row]])  # (h + 1, d_model)
        title = _("What “{word}” learns from its heads").format(word=state.tokens[state.row])
        bars: Any = plain | {"column_axis": "", "bars": True, "limit": limit, "title": title}
        shown = terms[0 if self.is_open else -1 :, features].T + 0.0  # (features, h + 1) or (features, 1)
        columns = [*(names if self.is_open else []), _("all")]
        panels["learned"] = Panel(shown, [EXAMPLE.features[i] for i in features], columns, **bars)
        if self.is_open:
            places = [divmod(i, D_MODEL // state.n_heads) for i in range(D_MODEL)]
            rows = [_("head {i} · {column}").format(i=i, column=column) for i, column in places]
            W_O: Any = plain | {"column_axis": "feature", "title": _("W_O: where each head writes")}
            W_O |= {"low": LOW, "high": HIGH, "step": 0.1, "editable": True, "digits": 1}
            panels["W_O"] = Panel(state.W_O, rows, EXAMPLE.features, **W_O)
        return panels

    def _features(self, state: SurgeryState) -> tuple[list[int], float]:
        """Return the features to show, and the longest bar: all of them where W_O can be edited."""
        return (list(range(D_MODEL)), HIGH) if self.is_open else features_of(state)

    def arrangement(self, state: SurgeryState) -> list[list[Any]]:
        tiles = [[f"switch {i}", f"head {i}"] for i in range(state.n_heads)]
        return [tiles, ["W_O", "→", "learned"] if self.is_open else ["learned"]]

    def chain(self, state: SurgeryState) -> tuple[Chain, Given]:
        found = state.operated(()).head_output[:, state.row]  # (h, d_h)
        given: dict[str, Any] = {} if self.is_open else {"W_O": state.W_O}
        given["shown"] = np.eye(D_MODEL)[self._features(state)[0]]  # (features, d_model)
        given["left of none"] = np.zeros((state.n_heads + 1 if self.is_open else 1, D_MODEL))
        steps, left = [], "left of none"
        for i in range(state.n_heads):
            piece = np.zeros((state.n_heads + 1, state.n_heads, found.shape[1]))
            piece[[i, -1], i] = found[i]  # in the line of this head, and in that of all
            given[f"found by {i}"] = piece.reshape(-1, D_MODEL)[0 if self.is_open else -1 :]
            steps.append(step(f"left of {i}", "times", f"found by {i}", f"switch {i}"))
            steps.append(step(f"left up to {i}", "add", left, f"left of {i}"))
            left = f"left up to {i}"
        steps += [step("written", "matmul", left, "W_O"), step("written.T", "transpose", "written")]
        return [*steps, step("learned", "matmul", "shown", "written.T")], given

    def edit(self, state: SurgeryState, edit: Edit) -> SurgeryState:
        if edit.panel == "W_O":
            return with_number(state, edit.row, edit.column, edit.value)
        return switched(state, int(edit.panel.split()[1]), on=edit.value >= 0.5)

    def select(self, state: SurgeryState, cell: Cell) -> SurgeryState:
        if cell.panel.startswith("head"):
            return noted(replace(state, row=cell.row))
        if cell.panel == "W_O" and cell.column is not None:
            return replace(state, chosen=("W_O", cell.row, cell.column))
        return state

    def controls(self) -> list[Any]:
        return [self.menu(_("sentence"), SENTENCES, "sentence", with_sentence, width="27em")]

    def more(self) -> list[Any]:
        self.weight = NumberSlider("W_O", 0, LOW, HIGH, self._slid, n_steps=40, digits=1, width="28em")
        averaged = self.switch(_("Average heads 0 and 1"), "averaged", lambda s, on: replace(s, averaged=on, tried=()))
        heads = self.number(_("H, heads"), 1, D_MODEL, "n_heads", with_heads, among=CUTS, width="14em")
        return [heads, averaged, self.weight]

    def _slid(self, value: float, gesture: object) -> None:
        _panel, row, column = self.state.chosen
        self.act(lambda state: with_number(state, row, column, value), gesture)

    def tell(self, state: SurgeryState) -> None:
        self.goal.say(goal(state))
        _panel, row, column = state.chosen
        i, j = divmod(row, D_MODEL // state.n_heads)
        name = _("W_O, head {i} · {column}, {feature}")
        self.weight.name(name.format(i=i, column=j, feature=EXAMPLE.features[column]))
        self.weight.show(float(state.W_O[row, column]))

    def code(self, state: SurgeryState) -> str:
        return surgery_code(state.sentence, state.n_heads, state.off, state.shared, state.W_O)

    def still_state(self) -> SurgeryState:
        """Return the layer as it was made."""
        return SurgeryState()

    def still_title(self) -> str:
        return _("Four heads side by side: each looks its own way")
