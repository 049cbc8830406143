"""The alignment lab: edit two sentences or the projections, and steer which Korean word each English word reads."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from .._words import _
from ..examples.alignment_goals import GOALS, HIGH, INPUTS, LOW, STEP, Steering, progress, start_of
from ..view.chain import Chain, Given, attention_steps, step
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit
from ..view.panel import Panel

ASKS, IS_READ = ("X", "Q", "scores", "weights", "output"), ("context", "K", "V")  # a row is an English, a Korean word


def with_value(state: Steering, value: float) -> Steering:
    """Return the state with another chosen number."""
    return state.with_numbers((state.chosen, value))


def with_way(state: Steering) -> Steering:
    """Return a state that reaches the goal, from its start."""
    return start_of(state.goal).with_numbers(*GOALS[state.goal].way)


def labels_of(state: Steering, panel: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the rows and the columns of a matrix are."""
    pair = state.pair
    own = {"X": pair.columns["X"], "context": pair.columns["context"], "V": pair.columns["V"]}
    rows = {**dict.fromkeys(ASKS, pair.english), **dict.fromkeys(IS_READ, pair.korean)}
    rows |= {"W_Q": own["X"], "W_K": own["context"], "W_V": own["context"]}
    columns = {**own, **dict.fromkeys(("Q", "K", "W_Q", "W_K"), own["X"]), **dict.fromkeys(("W_V", "output"), own["V"])}
    columns |= dict.fromkeys(("scores", "weights"), pair.korean)
    return rows[panel], columns[panel]


def marks_of(state: Steering) -> dict[str, list[tuple[int | None, int | None]]]:
    """Return the chosen word's row wherever it follows, and in the map the cells that the goal speaks of."""
    panel, row, _column = state.chosen
    follows = {"X": ("Q", "scores", "output"), "context": ("K", "V")}.get(panel, ())
    marks: dict[str, list[tuple[int | None, int | None]]] = {name: [(row, None)] for name in follows}
    if panel == "context":
        marks["scores"] = [(None, row)]
    goal, pair = GOALS[state.goal], state.pair
    aims = [(pair.english.index(word), pair.korean.index(key)) for word, key in goal.aims]
    marks["weights"] = [*(aims or [(int(i), int(j)) for i, j in np.argwhere(pair.alignment)])]
    return marks


class AlignmentLab(Lab):
    """The alignment lab: edit either sentence or the projections, and see who reads whom.

    Parameters
    ----------
    goal : str, optional
        A key of `GOALS` to start with.

    Examples
    --------
    >>> lab = AlignmentLab()
    >>> lab.slider.label, lab.view["weights"][3].round(2)
    ('X: last, living', array([0.05, 0.62, 0.23, 0.05, 0.05]))
    """

    presets: Mapping[str, tuple[str, Steering]] = {name: (goal.label, start_of(name)) for name, goal in GOALS.items()}
    still = ("weights",)

    def __init__(self, goal: str = "last") -> None:
        super().__init__(start_of(goal))

    # -- the picture --------------------------------------------------------------------------

    def arrangement(self, state: Steering) -> list[Any]:
        inputs = GOALS[state.goal].inputs
        picture = [[list(inputs), "→", "weights"]]
        others = [name for name in INPUTS if name not in inputs]
        return [*picture, others, ["Q", "K", "V"], ["scores", "output"]] if self.is_open else picture

    def panels(self, state: Steering) -> dict[str, Panel]:
        trace, marks = state.trace(), marks_of(state)
        titles = {
            "X": _("X: English words ask"),
            "context": _("context: Korean words are read"),
            "weights": _("Who reads whom: the attention map"),
            "W_Q": "W_Q", "W_K": "W_K", "W_V": "W_V", "Q": "Q = X @ W_Q", "K": "K = context @ W_K",
            "V": "V = context @ W_V", "scores": "scores = Q @ K.T", "output": "output = weights @ V",
        }  # fmt: skip
        inputs: dict[str, Any] = {"editable": True, "low": LOW, "high": HIGH, "step": STEP}
        panels = {}
        for name in self._names_shown(state):
            options: dict[str, Any] = {
                "limit": 2 * HIGH if name == "scores" else HIGH,
                "row_axis": "",
                "column_axis": "",
            }
            if name == "weights":
                options = {"kind": "weights", "size": 1.6}
            values = getattr(state if name in INPUTS else trace, name)
            rows, columns = labels_of(state, name)
            options |= inputs if name in INPUTS else {}
            panels[name] = Panel(values, rows, columns, title=titles[name], marks=marks.get(name, ()), **options)
        return panels

    def _names_shown(self, state: Steering) -> list[str]:
        names = [*GOALS[state.goal].inputs, "weights"]
        return [*INPUTS, "Q", "K", "V", "scores", "weights", "output"] if self.is_open else names

    def chain(self, state: Steering) -> tuple[Chain, Given]:
        sources = {"Q": "X", "K": "context", "V": "context"}
        projected = [step(name, "matmul", source, f"W_{name}") for name, source in sources.items()]
        hidden = [name for name in INPUTS if name not in self._names_shown(state)]
        steps = [*projected, *attention_steps(state.W_Q.shape[-1])]
        return steps, {name: getattr(state, name) for name in hidden}

    # -- what the reader does -----------------------------------------------------------------

    def edit(self, state: Steering, edit: Edit) -> Steering:
        return state.with_numbers(((edit.panel, edit.row, edit.column), edit.value))

    def select(self, state: Steering, cell: Cell) -> Steering:
        word = {**dict.fromkeys(ASKS, "X"), **dict.fromkeys(IS_READ, "context")}
        panel = word.get(cell.panel, cell.panel)
        if panel not in self._names_shown(state):
            return state
        column = state.chosen[2] if cell.panel not in INPUTS or cell.column is None else cell.column
        return replace(state, chosen=(panel, cell.row, min(column, getattr(state, panel).shape[1] - 1)))

    def controls(self) -> list[Any]:
        steps = round((HIGH - LOW) / STEP)
        self.slider = self.number("", LOW, HIGH, "value", with_value, n_steps=steps, digits=2, width="24em")
        self.next = self._button(_("Next goal"), self._go_on)
        return [self.slider, self.next]

    def more(self) -> list[Any]:
        return [self._button(_("Show one way"), self._show_way)]

    def _go_on(self) -> None:
        names = list(GOALS)
        self._start_from(names[(names.index(self.state.goal) + 1) % len(names)])

    def _show_way(self) -> None:
        self.change(with_way(self.state), message=_("This is one way of many. Undo takes you back."))

    def tell(self, state: Steering) -> None:
        reached, now = progress(state)
        self.goal.say(_("Goal reached. {now}").format(now=now) if reached else f"{GOALS[state.goal].ask} {now}")
        self.next.layout.display = "" if reached else "none"
        panel, row, column = state.chosen
        rows, columns = labels_of(state, panel)
        self.slider.name(f"{panel}: {rows[row]}, {columns[column]}")
        if self.view:
            self.view.select(*state.chosen)

    def code(self, state: Steering) -> str:
        lines = ["import numpy as np", "from attention_lib import cross_attention", ""]
        lines += [f"english = {list(state.pair.english)!r}", f"korean = {list(state.pair.korean)!r}"]
        lines += [f"{name} = np.array({getattr(state, name).tolist()!r})" for name in INPUTS]
        return "\n".join([*lines, "trace = cross_attention(X, context, W_Q, W_K, W_V)", "trace.weights.round(3)"])
