"""The mask workbench: switch who may attend to whom, and see what is left of the weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .._words import _
from ..analysis.mask_export import TARGETS, export_code, own_code
from ..analysis.mask_parts import PartSizes, mask_part
from ..analysis.reach import layers_needed
from ..attention import self_attention
from ..masks import causal_mask
from ..view.chain import Chain, Given, reach_steps, weights_steps
from ..view.controls import Sentence, choice
from ..view.history import same
from ..view.lab import Lab
from ..view.matrix_view import Edit
from ..view.panel import Panel, told_apart

MOST_LAYERS = 8
OWN, LATER, FLIPPED, LAYERS, DEAD = range(5)  # tasks
HERE = "attention_lib"
PARTS = ("causal", "window", "first", "padding", "left_padding", "itself", "everything", "nothing")
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MaskState:
    """A mask, (n, n), True = may attend; the task; the layers that use it; and the library that its code is for."""

    mask: Mask
    task: int = LATER
    n_layers: int = 1
    target: str = HERE


def dead_rows(mask: Mask) -> list[int]:
    """Return the queries that have no allowed key."""
    return [int(row) for row in np.flatnonzero(~mask.any(axis=1))]


def changed_rows(mask: Mask) -> list[int]:
    """Return the queries whose row is not that of a causal mask."""
    return [int(row) for row in np.flatnonzero((mask != causal_mask(len(mask))).any(axis=1))]


def first_mask(task: int, n: int) -> Mask:
    """Return the mask with which a task begins."""
    return mask_part("window" if task == LAYERS else "causal", n)


def goal_of(state: MaskState, names: Sequence[str]) -> tuple[bool, str]:
    """Return whether the task is done, and what to do or what has come of it."""
    mask, causal = state.mask, causal_mask(len(names))
    needed = int(layers_needed(mask, state.n_layers)[-1, 0])  # until the last word has heard of the first
    changed = changed_rows(mask)
    dead, row = dead_rows(mask), ""
    reached = {
        LATER: bool((mask & ~causal).any()),
        FLIPPED: same(mask, ~causal),
        LAYERS: needed > 0,
        DEAD: bool(dead),
    }.get(state.task, False)
    if state.task == LATER:
        goal = _("Let a word read a later one: click a cell above the diagonal. Which rows of the weights will change?")
        if reached and len(changed) == 1:
            goal = _("Yes: only the row of “{row}” has changed, because every query has a softmax of its own.")
        elif reached:
            goal = _("Yes: {rows} rows have changed, those that you clicked in. Every query has a softmax of its own.")
        row = names[changed[0]] if changed else ""
    elif state.task == FLIPPED:
        goal = _("Some libraries read a mask the other way round. Which word can read nothing then? Press “Flip all”.")
        if reached:
            goal = _("Yes: “{last}” was allowed to read every word, so now it may read none. Its weights are all 0.")
    elif state.task == LAYERS:
        goal = _("After how many layers has “{last}” heard of the first word, “{first}”? Not after {stacked}. Add one.")
        if needed > 1:
            goal = _("Yes: “{last}” has heard of “{first}” after {needed} layers. Now make one enough, by a click.")
        elif reached:
            goal = _("Yes: one layer is enough, because “{last}” may read “{first}” itself.")
    elif state.task == DEAD:
        goal = _("Switch cells off until a word can read nothing. The shortest row has {least} ✓ left.")
        if reached:
            goal = _("Yes: “{row}” can read nothing. Its weights are 0 here, where other libraries differ: see below.")
            row = names[dead[0]]
    else:
        goal = _("A mask of your own: click cells, or join parts in “More”. Which rows of the weights follow?")
    counts = {"rows": len(changed), "needed": needed, "stacked": state.n_layers, "least": mask.sum(axis=1).min()}
    return reached, goal.format(row=row, first=names[0], last=names[-1], **counts)


def line_of(state: MaskState, names: Sequence[str]) -> str:
    """Say what the picture shows in numbers."""
    needed = layers_needed(state.mask, state.n_layers)[-1]
    dead = dead_rows(state.mask)
    line = _("{allowed} of {total} pairs may attend. Every row of the weights sums to 1.")
    if state.task == LAYERS:
        line = _("With {stacked} of {most} layers, “{last}” has heard of {heard} of {n} words.")
    elif dead and state.task == DEAD:
        line = _("There, PyTorch's MultiheadAttention gives NaN, and Hugging Face gives every word the same weight.")
    elif dead:
        line = _("{allowed} of {total} pairs may attend. Nothing to read, so weights of 0: {dead}.")
    counts = {"allowed": state.mask.sum(), "total": state.mask.size, "heard": np.count_nonzero(needed), "n": len(names)}
    words = {"last": names[-1], "dead": ", ".join(names[row] for row in dead)}
    return line.format(stacked=state.n_layers, most=MOST_LAYERS, **counts, **words)


class MaskWorkbench(Lab):
    """The lab: click or compose a mask, follow it to the weights, stack layers, export it.

    Parameters
    ----------
    tokens : sequence of str
    X : (n, d_model) array_like
    W_Q, W_K, W_V : array_like
        As in `self_attention`.
    """

    still = ("mask", "weights")

    def __init__(self, tokens: Sequence[str], X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> None:
        self.inputs: dict[str, Any] = dict(X=np.array(X), W_Q=np.array(W_Q), W_K=np.array(W_K), W_V=np.array(W_V))
        self.tokens, n = list(tokens), len(tokens)
        if self.inputs["X"].shape[:-1] != (n,):
            raise ValueError(f"X has shape {self.inputs['X'].shape}; it needs one row for each of {n} tokens")
        self.names = told_apart(self.tokens)
        self.scaled_scores = self_attention(**self.inputs).scaled_scores  # (n, n), the same for every mask
        sizes = {"padding": PartSizes(real=max(n - 3, 1)), "left_padding": PartSizes(real=max(n - 2, 1))}
        self.parts = {name: mask_part(name, n, sizes.get(name, PartSizes())) for name in PARTS}
        causal, window, padding = (self.parts[name] for name in ("causal", "window", "padding"))
        starts = {
            "causal": (_("causal"), OWN, causal),
            "window": (_("causal window of three"), LAYERS, window),
            "sink": (_("causal window of three, or first word"), LAYERS, window | self.parts["first"]),
            "padding": (_("causal, padding at the end"), OWN, causal & padding),
            "dead": (_("causal, padding on the left: dead rows"), OWN, causal & self.parts["left_padding"]),
            "encoder": (_("everything, padding at the end"), OWN, padding),
        }
        self.presets = {name: (text, MaskState(mask, task)) for name, (text, task, mask) in starts.items()}
        super().__init__(MaskState(causal))

    # -- the picture ------------------------------------------------------------------------------

    def panels(self, state: MaskState) -> dict[str, Panel]:
        trace = self_attention(**self.inputs, mask=state.mask)
        rows = changed_rows(state.mask) if state.task == LATER else dead_rows(state.mask)
        far, marks = [(len(self.tokens) - 1, 0)], [(row, None) for row in rows]
        needed = layers_needed(state.mask, state.n_layers)  # (n, n)
        options: dict[str, tuple[Any, str, dict[str, Any]]] = {
            "mask": (state.mask, _("mask (✓ = may attend)"), {"kind": "mask", "editable": True, "marks": marks}),
            "weights": (trace.weights, _("weights"), {"kind": "weights", "marks": marks}),
            "layers needed": (
                needed,
                _("layers until heard of (0: not yet)"),
                {"kind": "weights", "limit": MOST_LAYERS, "digits": 0, "marks": far},
            ),
            "masked scores": (trace.masked_scores, _("masked scores: −∞ where forbidden"), {"digits": 1}),
        }
        shown = {name for line in self.arrangement(state) for name in line}
        return {
            name: Panel(values, self.names, self.names, title=title, caption="", **manners)
            for name, (values, title, manners) in options.items()
            if name in shown
        }

    def arrangement(self, state: MaskState) -> list[list[str]]:
        lines = [["mask", "→", "layers needed" if state.task == LAYERS else "weights"]]
        if self.is_open:
            lines.append(["masked scores", *["→", "weights"] * (state.task == LAYERS)])
        return lines

    def chain(self, state: MaskState) -> tuple[Chain, Given]:
        layers = reach_steps("mask", state.n_layers) if state.task == LAYERS else []
        return [*weights_steps("mask"), *layers], {"scaled scores": self.scaled_scores}

    def edit(self, state: MaskState, edit: Edit) -> MaskState:
        mask = state.mask.copy()
        mask[edit.row, edit.column] = bool(edit.value)
        return replace(state, mask=mask)

    # -- the controls -----------------------------------------------------------------------------

    def controls(self) -> list[Any]:
        tasks = {
            LATER: _("1 · a later word"),
            FLIPPED: _("2 · upside down"),
            LAYERS: _("3 · many layers"),
            DEAD: _("4 · nothing to read"),
            OWN: _("a mask of your own"),
        }
        self.task = self.menu(_("task"), tasks, "task", self._begin, "14em")
        self.next = self.button(_("Next task"), lambda state: self._begin(state, state.task + 1))
        self.next.button_style = "primary"
        self.flip = self.button(_("Flip all"), lambda state: replace(state, mask=~state.mask))
        self.layers = self.number(_("layers"), 1, MOST_LAYERS, "n_layers", width="11em", box_width="3em")
        return [self.task, self.flip, self.layers, self.next]

    def more(self) -> list[Any]:
        window, pads = _("itself and two before"), (_("all but the last three"), _("all but the first two"))
        texts = [_("causal"), window, _("the first word"), *pads, _("itself"), _("everything"), _("nothing")]
        self.part = choice(_("part"), dict(zip(PARTS, texts, strict=True)), "window")
        joins = [
            self.button(_("use it alone"), lambda state: replace(state, mask=self.parts[self.part.value])),
            self.button(_("and"), lambda state: replace(state, mask=state.mask & self.parts[self.part.value])),
            self.button(_("or"), lambda state: replace(state, mask=state.mask | self.parts[self.part.value])),
        ]
        targets = {HERE: HERE} | {name: target.title for name, target in TARGETS.items()}
        return [self.part, *joins, self.menu(_("code for"), targets, "target", width="24em")]

    def _begin(self, state: MaskState, task: int) -> MaskState:
        if self.view:
            self.view.select(None)
        mask = state.mask if task == OWN else first_mask(task, len(self.tokens))
        return replace(state, mask=mask, task=task, n_layers=1)

    def picture(self) -> list[Any]:
        self.line = Sentence("lab-line", says=True)
        return [self.view, self.line]

    def tell(self, state: MaskState) -> None:
        reached, goal = goal_of(state, self.names)
        self.goal.say(goal)
        self.line.say(line_of(state, self.names))
        _show(self.flip, state.task == FLIPPED or self.is_open)
        _show(self.layers, state.task == LAYERS)
        _show(self.next, reached and state.task < DEAD)

    def code(self, state: MaskState) -> str:
        if state.target != HERE:
            return export_code(state.target, state.mask)
        return own_code(self.tokens, self.inputs, state.mask, "1 = may attend")

    def still_state(self) -> MaskState:
        return self.start

    def still_title(self) -> str:
        return _("A causal mask, and the weights it leaves: nobody reads a later word")


def _show(control: Any, on: bool) -> None:
    control.layout.display = "" if on else "none"
