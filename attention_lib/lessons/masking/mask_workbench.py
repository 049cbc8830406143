"""The mask workbench: switch who may attend to whom, and see what is left of the weights."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..._words import _
from ...attention import self_attention
from ...live.chain import Chain, Given, step
from ...live.lab import Lab, same
from ...live.matrix_view import Edit
from ...live.panel import Panel, labels_of
from ...masks import causal_mask, padding_mask, sliding_window_mask
from .reach import layers_needed

MOST_LAYERS = 8
LATER, FLIPPED, LAYERS, DEAD = range(4)  # tasks
RIGHT = {LATER: 1, FLIPPED: 1, DEAD: 0}  # of the guesses
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class MaskState:
    """A mask, (n, n), True = may attend; the task; the layers that use it; and which of the `guesses` was made."""

    mask: Mask
    task: int = LATER
    n_layers: int = 1
    guess: int | None = None


def begun(state: MaskState, task: int) -> MaskState:
    """Return the state in which a task begins."""
    n = len(state.mask)
    return MaskState(sliding_window_mask(n, left=2) if task == LAYERS else causal_mask(n), task)


def guesses(task: int) -> list[str]:
    """Return what a reader can expect of a task; nothing where nothing is asked."""
    of_tasks = {
        LATER: [_("that weight alone"), _("its row"), _("its column")],
        FLIPPED: [_("the first"), _("the last"), _("every one")],
        DEAD: [_("all 0"), _("all equal"), _("NaN")],
    }
    return of_tasks.get(task, [])


def goal_of(state: MaskState, names: Sequence[str]) -> tuple[bool, str]:
    """Return whether the task is done, and what is asked, what to do, or what has come of it."""
    mask, causal = state.mask, causal_mask(len(names))
    needed = int(layers_needed(mask, state.n_layers)[-1, 0])  # until the last word has heard of the first
    if state.task == LATER:
        done, to_do = bool((mask & ~causal).any()), _("click an × in the mask")
        goal = _("Which weights change when a word may read a later one? Guess, then click an ×.")
        answer = _("its whole row, because each row has a softmax of its own.")
    elif state.task == FLIPPED:
        done, to_do = same(mask, ~causal), _("press “Flip all”")
        goal = _("Some libraries read ✓ as ×. Which word can then read nothing? Guess, then flip all.")
        answer = _("“{last}” was allowed to read every word, so now it may read none.")
    elif state.task == LAYERS:
        done, to_do = needed > 0, ""
        goal = _("After how many layers has “{last}” heard of “{first}”? Not yet after {stacked}.")
        answer = _("after {needed} layers, “{last}” has heard of it. Which click makes one enough?")
        if needed == 1:
            answer = _("one layer is enough, because “{last}” may read “{first}” itself.")
    else:
        done, to_do = not mask.any(axis=1).all(), _("switch off every ✓ of a row")
        goal = _("What are the weights of a word that can read nothing? Guess, then switch off its ✓.")
        answer = _("0 here, and NaN by default in PyTorch's MultiheadAttention.")
    guess = "" if state.guess is None else guesses(state.task)[state.guess]
    text = _("Your guess is “{guess}”. Now {to_do}.") if guess else goal
    if done:
        text = _("Right: {answer}") if state.guess == RIGHT.get(state.task) else _("✗ Not “{guess}”: {answer}")
        text = text if guess else _("Answer: {answer}")
    words = {"first": names[0], "last": names[-1], "needed": needed, "stacked": state.n_layers}
    return done, text.format(guess=guess, to_do=to_do, answer=answer.format(**words), **words)


class MaskWorkbench(Lab):
    """The lab: click a mask, follow it to the weights, stack layers. `.view["mask"]` is the mask.

    Parameters
    ----------
    tokens : sequence of str
    X : (n, d_model) array_like
    W_Q, W_K, W_V : array_like
        As in `self_attention`.
    """

    def __init__(self, tokens: Sequence[str], X: ArrayLike, W_Q: ArrayLike, W_K: ArrayLike, W_V: ArrayLike) -> None:
        self.inputs: dict[str, Any] = dict(X=np.array(X), W_Q=np.array(W_Q), W_K=np.array(W_K), W_V=np.array(W_V))
        self.tokens, n = list(tokens), len(tokens)
        if self.inputs["X"].shape[:-1] != (n,):
            raise ValueError(f"X has shape {self.inputs['X'].shape}; it needs one row for each of {n} tokens")
        self.names = labels_of(self.tokens)
        self.scaled_scores = self_attention(**self.inputs).scaled_scores  # (n, n), the same for every mask
        causal, window = causal_mask(n), sliding_window_mask(n, left=2)
        left_padding = padding_mask(max(n - 2, 1), n)[:, ::-1]  # (1, n)
        self.presets = {
            "causal": (_("causal"), MaskState(causal)),
            "sink": (_("causal window of three, or first word"), MaskState(window | padding_mask(1, n), LAYERS)),
            "dead": (_("causal, padding on the left: dead rows"), MaskState(causal & left_padding, DEAD)),
        }
        super().__init__(MaskState(causal))

    def panels(self, state: MaskState) -> dict[str, Panel]:
        changed, dead = (state.mask != causal_mask(len(self.names))).any(axis=1), ~state.mask.any(axis=1)
        marks = [(int(row), None) for row in np.flatnonzero(changed if state.task == LATER else dead)]
        plain: Any = {"rows": self.names, "columns": self.names, "caption": ""}
        mask = Panel(state.mask, title=_("mask (✓ = may attend)"), kind="mask", editable=True, marks=marks, **plain)
        plain |= {"kind": "weights"}
        if state.task == LAYERS:
            needed = layers_needed(state.mask, state.n_layers)  # (n, n)
            values = np.where(needed, needed, -np.inf)  # no number, and so no colour that reads as "soonest"
            title, far = _("layers until heard of (hatched: not yet)"), [(len(self.tokens) - 1, 0)]
            layers = Panel(values, title=title, limit=MOST_LAYERS, digits=0, marks=far, **plain)
            return {"mask": mask, "layers needed": layers}
        weights = self_attention(**self.inputs, mask=state.mask).weights
        return {"mask": mask, "weights": Panel(weights, title=_("weights"), marks=marks, **plain)}

    def arrangement(self, state: MaskState) -> list[list[str]]:
        return [["mask", "→", "layers needed" if state.task == LAYERS else "weights"]]

    def chain(self, state: MaskState) -> tuple[Chain, Given]:
        if state.task == LAYERS:
            return [step("layers needed", "layers", "mask", state.n_layers)], {}
        steps = [step("masked scores", "mask", "scaled scores", "mask"), step("weights", "softmax", "masked scores")]
        return steps, {"scaled scores": self.scaled_scores}

    def edit(self, state: MaskState, edit: Edit) -> MaskState:
        mask = state.mask.copy()
        mask[edit.row, edit.column] = bool(edit.value)
        return replace(state, mask=mask)

    def controls(self) -> list[Any]:
        tasks = {
            LATER: _("1 · a later word"),
            FLIPPED: _("2 · upside down"),
            LAYERS: _("3 · many layers"),
            DEAD: _("4 · nothing to read"),
        }
        self.task = self.menu(_("task"), tasks, "task", begun, "max-content")
        self.next = self.button(_("Next task"), lambda state: begun(state, state.task + 1))
        self.next.button_style = "primary"
        self.flip = self.button(_("Flip all"), lambda state: replace(state, mask=~state.mask))
        self.answers = [self.button("", partial(replace, guess=i)) for i in range(3)]
        self.layers = self.number(_("layers"), range(1, MOST_LAYERS + 1), "n_layers", width="11em", box_width="3em")
        return [self.task, *self.answers, self.flip, self.layers, self.next]

    def tell(self, state: MaskState) -> None:
        reached, goal = goal_of(state, self.names)
        self.say_goal(reached and state.guess in (None, RIGHT.get(state.task)), goal)
        if self.view:
            self.view.select(None)  # the marked rows say what was done
        shown = [(self.flip, state.task == FLIPPED), (self.layers, state.task == LAYERS)]
        asked = guesses(state.task) if state.guess is None and not reached else []
        for i, answer in enumerate(self.answers):
            answer.description = asked[i] if asked else ""
            answer.layout.display = "" if asked else "none"
        for control, is_shown in [*shown, (self.next, reached and state.task < DEAD)]:
            control.layout.display = "" if is_shown else "none"
