"""The alignment lab: edit two sentences or the projections, and steer which Korean word each English word reads."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..._words import _
from ...live.chain import Chain, Given, attention_steps, step
from ...live.lab import Lab
from ...live.matrix_view import Cell, Edit
from ...live.panel import Panel
from .alignment_goals import (
    GOALS,
    HIGH,
    INPUTS,
    LOW,
    STEP,
    Steering,
    account_of,
    aims_of,
    labels_of,
    name_of,
    progress,
    start_of,
)


def with_value(state: Steering, value: float) -> Steering:
    return state.with_numbers((state.chosen, value))


def with_way(state: Steering) -> Steering:
    return start_of(state.goal).with_numbers(*GOALS[state.goal].way)


class AlignmentLab(Lab):
    """The lab; it starts with `goal`, a key of `GOALS`."""

    presets: Mapping[str, tuple[str, Steering]] = {name: (goal.label, start_of(name)) for name, goal in GOALS.items()}

    def __init__(self, goal: str = "last") -> None:
        super().__init__(start_of(goal))

    def arrangement(self, state: Steering) -> list[Any]:
        return [["weights", [[name] for name in GOALS[state.goal].inputs]]]

    def panels(self, state: Steering) -> dict[str, Panel]:
        titles = {"X": _("X: English words ask"), "context": _("context: Korean words are read")}
        plain: Any = {"row_axis": "", "column_axis": "", "caption": ""}
        inputs = plain | {"limit": HIGH, "editable": True, "low": LOW, "high": HIGH, "step": STEP}
        trace, (rows, columns) = state.trace(), labels_of(state, "weights")
        large: Any = plain | {"rows": rows, "marks": aims_of(state), "caption": account_of(state)}
        large["columns"] = [f"{word}\n{state.pair.glosses[word]}" for word in columns]
        title = _("Who reads whom: the attention map")
        if state.asked == start_of(state.goal).asked:
            large["caption"] += "\n" + _("Click any weight, and this explains it.")
        panels = {"weights": Panel(trace.weights, title=title, kind="weights", **large)}
        for name in GOALS[state.goal].inputs:
            panels[name] = Panel(getattr(state, name), *labels_of(state, name), title=titles.get(name, name), **inputs)
        return panels

    def chain(self, state: Steering) -> tuple[Chain, Given]:
        projected = [step("Q", "matmul", "X", "W_Q"), step("K", "matmul", "context", "W_K")]
        hidden = set(INPUTS) - set(GOALS[state.goal].inputs)
        steps = attention_steps(state.W_Q.shape[-1])[:-1]  # without the output
        return [*projected, *steps], {name: getattr(state, name) for name in hidden}

    def edit(self, state: Steering, edit: Edit) -> Steering:
        return state.with_numbers(((edit.panel, edit.row, edit.column), edit.value))

    def select(self, state: Steering, cell: Cell) -> Steering:
        if cell.panel == "weights":
            return replace(state, asked=(cell.row, state.asked[1] if cell.column is None else cell.column))
        return replace(state, chosen=(cell.panel, cell.row, state.chosen[2] if cell.column is None else cell.column))

    def controls(self) -> list[Any]:
        stops = np.arange(LOW, HIGH + STEP, STEP)
        self.slider = self.number("", stops, "value", with_value, digits=2, width="24em")
        self.next = self._button(_("Next goal"), self._go_on)
        self.next.button_style = "primary"
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
        self.say_goal(
            reached, _("Goal reached. {now}").format(now=now) if reached else f"{GOALS[state.goal].ask} {now}"
        )
        self.next.layout.display = "" if reached else "none"
        self.slider.name(name_of(state, state.chosen))
        if self.view:  # the frame stays on the map while the map is looked at
            on_map = self.view.selected and self.view.selected.panel == "weights"
            self.view.select(*(("weights", *state.asked) if on_map else state.chosen))
