"""The mask workbench: click or compose a mask, and see what attention makes of it.

`MaskModel` is plain; `MaskWorkbench` shows it and passes on what the reader does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..analysis.mask_export import TARGETS, export_code, own_code
from ..analysis.mask_parts import SIZES, How, PartSizes, joined
from ..analysis.reach import layers_needed
from ..attention import AttentionTrace, self_attention
from ..masks import causal_mask
from ..view.chain import Chain, Given, reach_steps, weights_steps
from ..view.controls import WRAP, NumberSlider, Sentence, choice, make_buttons
from ..view.follow import SHOWN, Written
from ..view.history import Reversible, preset_of, same
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel, told_apart
from . import mask_words
from .mask_words import MESSAGES

MOST_LAYERS = 8
MOST_FRAMED = 0.5  # of the cells of a panel; frames around more say nothing
ARRANGEMENT = [["mask", "weights"], ["scaled scores", "masked scores", "layers needed"]]  # what a click does, beside it

PARTS = {
    "everything": "everything",
    "nothing": "nothing",
    "causal": "causal",
    "window": "window",
    "padding": "all but padding at the end",
    "left_padding": "all but padding on the left",
    "itself": "itself only",
    "first": "the first word",
}
RECIPES = {
    "everything": "everything",
    "nothing": "nothing",
    "causal": "causal",
    "window": "window (left {left}, right {right})",
    "padding": "the first {real} keys",
    "left_padding": "the last {real} keys",
    "itself": "itself",
    "first": "the first word",
}
JOINS: dict[How, str] = {"use": "{part}", "and": "{before}, and {part}", "or": "{before}, or {part}"}
PRESETS = {
    "causal": "causal",
    "window": "causal window of three",
    "sink": "causal window of three, or first word",
    "padding": "causal, padding at the end",
    "dead": "causal, padding on the left: dead rows",
    "encoder": "everything, padding at the end",
}
LABELS = {
    "part": "part",
    "left": "left",
    "right": "right",
    "real": "real words",
    "use": "use it alone",
    "and": "and",
    "or": "or",
    "flip": "flip all",
    "layers": "layers",
    "skip": "each layer also keeps the word itself (skip connection)",
    "target": "export for",
    "here": "attention_lib (this state as code)",
    "hint": "Click a cell of the mask to allow or forbid a pair; click a row elsewhere to read it.",
}
TITLES = {
    "mask": "mask (✓ = may attend)",
    "layers needed": "layers until heard of",
    "scaled scores": "scaled scores",
    "masked scores": "masked scores",
    "weights": "weights",
}
HERE = "attention_lib"
ITSELF = "the word itself"  # a matrix that only the page needs

PRESET_STEPS: dict[str, list[tuple[str, How]]] = {
    "causal": [("causal", "use")],
    "window": [("causal", "use"), ("window", "and")],
    "sink": [("window", "use"), ("first", "or"), ("causal", "and")],
    "padding": [("causal", "use"), ("padding", "and")],
    "dead": [("causal", "use"), ("left_padding", "and")],
    "encoder": [("everything", "use"), ("padding", "and")],
}


# -- the model of the lab ------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MaskState:
    """A mask, how it was made, and how many layers use it."""

    mask: NDArray[np.bool_]  # (n, n)
    recipe: str
    n_layers: int = 3
    skip: bool = False


class MaskModel(Reversible[MaskState]):
    """One sentence under a mask: its trace, its reach, its dead rows, and the way back.

    Parameters
    ----------
    tokens : sequence of str
    X : (n, d_model) array_like
    W_Q, W_K, W_V : array_like
        As in `self_attention`.

    Examples
    --------
    >>> model = MaskModel(["a", "b"], np.eye(2), np.eye(2), np.eye(2), np.eye(2))
    >>> model.toggle(0, 0, False)
    >>> model.dead_rows()
    [0]
    """

    def __init__(self, tokens: Sequence[str], X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> None:
        self.tokens = list(tokens)
        self.inputs = {name: np.array(array) for name, array in zip(("X", "W_Q", "W_K", "W_V"), (X, W_Q, W_K, W_V))}
        n = len(self.tokens)
        if self.inputs["X"].shape[:-1] != (n,):
            raise ValueError(f"X has shape {self.inputs['X'].shape}; it needs one row for each of {n} tokens")
        self.names = told_apart(self.tokens)
        super().__init__(MaskState(causal_mask(n), RECIPES["causal"]))

    def toggle(self, row: int, column: int, allowed: bool, gesture: object = None) -> None:
        """Allow or forbid one pair."""
        mask = self.state.mask.copy()
        mask[row, column] = allowed
        self._go(replace(self.state, mask=mask, recipe=mask_words.by_hand(self.state.recipe)), gesture)

    def compose(self, part: str, how: How = "use", sizes: PartSizes = SIZES) -> None:
        """Replace the mask by a part, or join the two with "and" or "or"."""
        self._go(self._composed(self.state, part, how, sizes))

    def flip(self) -> None:
        """Allow what is forbidden and forbid what is allowed: what a mask in the wrong polarity does."""
        before = self.state.recipe
        recipe = mask_words.unflipped(before) or MESSAGES["flipped"].format(before=before)
        self._go(replace(self.state, mask=~self.state.mask, recipe=recipe))

    def start_from(self, name: str) -> None:
        """Begin with the mask of a preset; the layers stay."""
        self.load(self._state_of(name))

    @property
    def preset(self) -> str | None:
        """The preset whose mask is shown, however it was made; None where it is none's."""
        shown = self.state.mask
        return next((name for name in PRESETS if same(self._state_of(name).mask, shown)), None)

    def set_layers(self, n_layers: int, skip: bool, gesture: object = None) -> None:
        """Choose how many layers are stacked, and whether each keeps the token itself."""
        self._go(replace(self.state, n_layers=n_layers, skip=skip), gesture)

    def pictures(self) -> dict[str, NDArray[Any]]:
        """Return the matrices that the lab shows, by name of panel."""
        trace = self.trace
        return {
            "mask": self.state.mask,
            "layers needed": self.needed,
            "scaled scores": trace.scaled_scores,
            "masked scores": trace.masked_scores,
            "weights": trace.weights,
        }

    def dead_rows(self) -> list[int]:
        """Return the queries that have no allowed key."""
        return np.flatnonzero(~self.state.mask.any(axis=1)).tolist()

    def unread(self) -> list[int]:
        """Return the keys that no query may attend to."""
        return np.flatnonzero(~self.state.mask.any(axis=0)).tolist()

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        return mask_words.captions(self, Written(self.pictures()), self.state.recipe)

    def row_text(self, row: int) -> str:
        """Say what one query reads, largest weight first, and how far it has heard after all layers."""
        return mask_words.row_text(self, Written(self.pictures()), row, self.names)

    def code(self, target: str = HERE) -> str:
        """Return lines that give this mask to a library; for ours, lines that reproduce the whole picture."""
        if target != HERE:
            return export_code(target, self.state.mask)
        return own_code(self.tokens, self.inputs, self.state.mask, self.state.recipe)

    def _composed(self, state: MaskState, part: str, how: How, sizes: PartSizes) -> MaskState:
        mask = joined(state.mask, part, how, sizes)
        named = RECIPES[part].format(**sizes._asdict())
        return replace(state, mask=mask, recipe=JOINS[how].format(before=state.recipe, part=named))

    def _state_of(self, preset: str) -> MaskState:
        state = self.state
        for part, how in preset_of(PRESET_STEPS, preset):
            sizes = PartSizes(real=max(len(self.tokens) - 2, 0)) if part == "left_padding" else SIZES
            state = self._composed(state, part, how, sizes)
        return state

    def _show(self, state: MaskState) -> None:
        self.state = replace(state, recipe=mask_words.shortened(state.recipe))
        X, W_Q, W_K, W_V = self.inputs.values()
        self.trace: AttentionTrace = self_attention(X, W_Q, W_K, W_V, state.mask)
        self.needed = layers_needed(state.mask, state.n_layers, skip=state.skip)  # (n, n)


# -- the controls --------------------------------------------------------------------------------------


class MaskWorkbench(Lab):
    """The lab: click or compose a mask, follow it to the weights, stack layers, export it.

    Parameters
    ----------
    tokens : sequence of str
    X : (n, d_model) array_like
    W_Q, W_K, W_V : array_like
        As in `self_attention`.
    """

    model: MaskModel

    def __init__(self, tokens: Sequence[str], X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> None:
        self.model = MaskModel(tokens, X, W_Q, W_K, W_V)
        self.row = min(3, len(self.model.tokens) - 1)
        self._make_common(PRESETS, width="30em", lines=17)
        self._make_controls()
        self.view = MatrixView(
            self._panels(), arrangement=ARRANGEMENT, still=["mask", "weights"], still_title=MESSAGES["still title"]
        )
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        self._begin("mask-workbench", [self._top, self.view, self._said, self._layers_row, self._export])

    def _edited(self, edit: Edit) -> None:
        self.row = edit.row
        self.model.toggle(edit.row, edit.column, bool(edit.value), edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        if cell is not None:
            self.row = cell.row
            self._refresh(changed=False)

    def _compose(self, how: How | None) -> None:
        if how is None:
            self.model.flip()
        else:
            sizes = PartSizes(self._left.value, self._right.value, self._real.value)
            self.model.compose(self._part.value, how, sizes)
        self._refresh()

    def _set_layers(self, n_layers: int, gesture: object = None) -> None:
        self.model.set_layers(n_layers, self._skip.value, gesture)
        self._refresh()

    def _chain(self) -> Chain:
        state = self.model.state
        return [*weights_steps("mask"), *reach_steps("mask", state.n_layers, ITSELF if state.skip else None)]

    def _given(self) -> Given:
        return {ITSELF: np.eye(len(self.model.tokens))}

    def _sentences(self) -> dict[str, Any]:
        return mask_words.lines(self.model, self.row)

    def _update(self, changed: bool) -> None:
        model, pictures = self.model, self.model.pictures()
        dead: list[tuple[int | None, int | None]] = [(row, None) for row in model.dead_rows()]
        self.view.update(
            pictures,
            captions=model.captions(),
            highlight={name: dead for name in ("mask", "masked scores", "weights")},
            changed=changed and not self._changes_most(pictures),
        )

    def _changes_most(self, pictures: Mapping[str, NDArray[Any]]) -> bool:
        """Whether the digits of most cells of a panel are about to change."""
        panels = ("mask", "layers needed", "weights")
        moved = (np.abs(pictures[name] * 1.0 - self.view[name]) >= SHOWN for name in panels)  # (n, n) each
        return any(cells.mean() > MOST_FRAMED for cells in moved)

    def _follow(self) -> None:
        self._said.say(self.model.row_text(self.row))
        self._layers.show(self.model.state.n_layers)
        self._show_sizes()
        self._skip.value = self.model.state.skip

    def _lines_of_code(self) -> str:
        return self.model.code(self._target.value)

    def _show_target(self, _: Any = None) -> None:
        target = self._target.value
        told = MESSAGES["target here"]
        if target != HERE:
            told = MESSAGES["target"].format(meaning=TARGETS[target].meaning, dead_row=TARGETS[target].dead_row)
        self._meaning.say(told)
        self._code.refresh()

    def _show_sizes(self, _: Any = None) -> None:
        needed = {"window": [self._left, self._right], "padding": [self._real], "left_padding": [self._real]}
        for box in (self._left, self._right, self._real):
            box.show(box.value)  # what was said of it is of another act
            box.layout.visibility = "visible" if box in needed.get(self._part.value, []) else "hidden"  # its room stays

    def _panels(self) -> dict[str, Panel]:
        names, pictures = self.model.names, self.model.pictures()
        manners: dict[str, dict[str, Any]] = {
            "mask": {"kind": "mask", "editable": True},
            "layers needed": {"kind": "weights", "limit": MOST_LAYERS, "digits": 0, "stretch": False},
            "scaled scores": {"digits": 1, "stretch": False},  # one decimal, so that three panels stand side by side
            "masked scores": {"digits": 1, "stretch": False},
            "weights": {"kind": "weights", "stretch": False},
        }
        return {
            name: Panel(array, names, names, title=TITLES[name], small=True, **manners[name])
            for name, array in pictures.items()
        }

    def _make_controls(self) -> None:
        n = len(self.model.tokens)
        self._part = choice(LABELS["part"], PARTS, "window")
        self._left, self._right, self._real = (
            NumberSlider(LABELS[key], value, 0, n, slider=False, box_width="8em")
            for key, value in PartSizes(real=min(5, n))._asdict().items()
        )
        self.buttons |= make_buttons(LABELS, "use", "and", "or", "flip")
        first = [self._preset, self._tools(*map(self.buttons.get, ("flip", "undo", "reset"))), self._message]
        window = widgets.HBox([self._left, self._right])
        sizes = widgets.Box([window, self._real]).add_class("lab-roomy")  # in one place: no button moves
        compose = [self._part, sizes, self._tools(*map(self.buttons.get, JOINS))]
        hint = Sentence("lab-line", LABELS["hint"])
        self._top = widgets.VBox([widgets.HBox(first, layout=WRAP), widgets.HBox(compose, layout=WRAP), hint])
        self._said = Sentence(mask_words.SAID, says=True).add_class("lab-line")
        self._layers = NumberSlider(LABELS["layers"], 3, 1, MOST_LAYERS, self._set_layers)
        self._skip = widgets.Checkbox(False, description=LABELS["skip"], indent=False, layout={"width": "auto"})
        self._layers_row = widgets.HBox([self._layers, self._skip], layout=WRAP)
        targets = {key: target.title for key, target in TARGETS.items()} | {HERE: LABELS["here"]}
        self._target = choice(LABELS["target"], targets, next(iter(targets)), "32em")
        self._meaning = Sentence("mask-workbench-meaning", says=True)
        export = widgets.HBox([self._code.switch, self._target, self._meaning], layout=WRAP)
        self._export = widgets.VBox([export, self._code.area])
        self._listen()

    def _listen(self) -> None:
        self._part.observe(self._show_sizes, "value")
        self._target.observe(self._show_target, "value")
        self._skip.observe(self._heard(lambda _: self._set_layers(self.model.state.n_layers)), "value")
        for how in JOINS:
            self.buttons[how].on_click(lambda _, how=how: self._compose(how))
        self.buttons["flip"].on_click(lambda _: self._compose(None))
        self._show_sizes()
        self._show_target()

    # the still picture

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(sentence=self.model.captions()["mask"])
