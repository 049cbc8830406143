"""The alignment lab: edit two sentences or the projections, and steer which Korean word each English word reads.

`AlignmentModel` is plain: a state, its trace, a goal, the way back. `AlignmentLab`
shows it and passes on what the reader does.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from .._numbers import number_text
from ..attention import AttentionTrace
from ..examples.alignment_goals import GOALS, HIGH, INPUTS, LOW, STEP, Change, Crossing, start_of
from ..examples.sentence_pairs import SentencePair
from ..view.chain import Chain, attention_steps, step
from ..view.controls import WRAP, GoalLine, NumberSlider, Sentence, make_buttons
from ..view.follow import TIE, Longest, Places, When, Written, as_sent, at_least
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel
from ..view.titles import TITLES, axis_called

MAPS = {"scores": "scores", "scaled scores": "scaled_scores", "weights": "weights"}  # panel -> name in the trace

MESSAGES = {
    "goal": "Goal: {ask} {now}",
    "reached": "Goal reached: {ask} {now}",
    "beyond": "{beyond}: {ask} {now}",
    "every word": "Every word reads {keys} ({weight}).",
    "reading": "{word} reads {keys} ({weight})",
    "reading on": "{word} {keys} ({weight})",  # of the second word and on
    "some alike": "{n} alike",
    "both alike": "both alike",
    "all alike": "all {n} alike",
    "no cell": "choose a number to change",
    "still title": "What can be changed, on the left, and what follows. {goal}",
    "still text": "Alignment lab. {reading}",
    "way": "One way of many: {edits}. Undo goes back.",
    "one edit": "{cell} = {value:g}",
    "more edits": "{n} numbers of {panel}",
    "cell": "{panel} {row}, {column}",
}
LABELS = {
    "way": "show one way",
    "hint": "Drag a number, or click it and press ↑ ↓ or type; the rest follows. Click a word to mark it everywhere.",
}
AXES = {"token": ("token", "meaning"), "map": ("query", "key"), "projection": ("from", "to")}
ARRANGEMENT = [  # the chain, three panels a line: X @ W_Q = Q, context @ W_K = K, the maps, V and what is read of it
    ["X", "W_Q", "Q"],
    ["context", "W_K", "K"],
    ["scores", "scaled scores", "weights"],
    ["W_V", "V", "output"],
]

STILL = ("context", "W_K", "weights")  # panels of the still picture


@dataclass(frozen=True)
class Steering:
    """A goal, and what attention is calculated from on the way to it."""

    goal: str
    crossing: Crossing


class Progress(NamedTuple):
    """Whether a goal is reached within its limit, and a sentence with the numbers."""

    reached: bool
    now: str


class AlignmentModel(Reversible[Steering]):
    """A goal, the inputs, their trace, and the way back.

    The trace is calculated once for each change; everything shown reads it.
    """

    trace: AttentionTrace
    presets: Mapping[str, Steering] = {goal: Steering(goal, start_of(goal)) for goal in GOALS}

    def __init__(self, goal: str = "last") -> None:
        super().__init__(Steering(goal, start_of(goal)))

    @property
    def crossing(self) -> Crossing:
        """The sentence pair and its numbers."""
        return self.state.crossing

    @property
    def goal(self) -> str:
        """The goal, also when the reader has gone on from its start."""
        return self.state.goal

    def edit(self, panel: str, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one number; changes of one gesture are undone together."""
        value = float(np.clip(round(value, 4), LOW, HIGH)) + 0.0  # never -0
        self._go(Steering(self.goal, self.crossing.with_edits((Change(panel, row, column, value),))), gesture)

    def show_way(self) -> tuple[Change, ...]:
        """Go to the start of the goal and along one way to it; return the changes."""
        way = GOALS[self.goal].way
        self._go(Steering(self.goal, start_of(self.goal).with_edits(way)))
        return way

    def progress(self) -> Progress:
        """How far the goal is."""
        read = self._reader(Written)
        when, now = GOALS[self.goal].measure(self.crossing.pair, read)
        past = any(read.holds(far) for far, _ in beyond(self, read))
        return Progress(read.holds(when) and not past, now)

    def goal_text(self, reader: type[Written] = Written) -> str:
        """The goal and how far it is, with the numbers."""
        return goal_line(self, self._reader(reader))

    def reading(self) -> str:
        """Say which Korean word each English word reads most."""
        return reading_line(self, self._reader(Written))

    def _reader(self, reader: type[Written]) -> Written:
        inputs = {name: getattr(self.crossing, name) for name in INPUTS}
        return reader({"weights": self.trace.weights, **inputs})

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return everything shown, by name."""
        inputs = {name: getattr(self.crossing, name) for name in INPUTS}
        computed = {name: getattr(self.trace, name) for name in ("Q", "K", "V", "output")}
        return inputs | computed | {panel: getattr(self.trace, name) for panel, name in MAPS.items()}

    def code(self) -> str:
        """Lines that give the numbers shown, with attention_lib alone."""
        pair = self.crossing.pair
        lines = ["import numpy as np", "from attention_lib import cross_attention", ""]
        lines += [f"english = {list(pair.english)!r}", f"korean = {list(pair.korean)!r}"]
        lines += [f"{name} = np.array({getattr(self.crossing, name).tolist()!r})" for name in INPUTS]
        lines += ["trace = cross_attention(X, context, W_Q, W_K, W_V)", "trace.weights.round(3)"]
        return "\n".join(lines)

    def _show(self, state: Steering) -> None:
        self.trace = state.crossing.trace()  # first: if it cannot be calculated, nothing changes
        self.state = state


def goal_line(model: AlignmentModel, read: Any) -> str:
    """The goal and how far it is, with the numbers that `read` gives."""
    goal = GOALS[model.goal]
    when, now = goal.measure(model.crossing.pair, read)
    told = {"ask": goal.ask, "now": now}
    reached, still = (MESSAGES[name].format(**told) for name in ("reached", "goal"))
    past = [(when + far, MESSAGES["beyond"].format(beyond=words, **told)) for far, words in beyond(model, read)]
    said: str = read.choose(*past, (when, reached), ((), still))
    return said


def beyond(model: AlignmentModel, read: Any) -> list[tuple[When, str]]:
    """Where more is changed than the goal allows: the conditions, and how a goal reached so is told."""
    limit = GOALS[model.goal].limit
    return limit(model.presets[model.goal].crossing, read) if limit else []


def reading_line(model: AlignmentModel, read: Any) -> str:
    """Which Korean word each English word reads most."""
    pair = model.crossing.pair
    even = 1 / len(pair.korean)
    alike: When = ((("highest", "weights"), None, even + TIE),)
    said = (
        MESSAGES["reading on" if row else "reading"].format(
            word=word, keys=most_read(pair, read, row), weight=read.value(("largest", "weights", row, None), 2)
        )
        for row, word in enumerate(pair.english)
    )
    everywhere = MESSAGES["every word"].format(keys=all_alike(len(pair.korean)), weight=number_text(even))
    told: str = read.choose((alike, everywhere), ((), "; ".join(said) + "."))
    return told


def most_read(pair: SentencePair, read: Any, row: int) -> str:
    """The Korean word with the largest weight of a row; where several have it, how many: names would need more room."""
    at = ("weights", row, None)
    tied = ("count", "top", at)
    some = MESSAGES["some alike"].format(n=read.value(tied, 0))
    cases = [(at_least(tied, len(pair.korean)), all_alike(len(pair.korean))), (at_least(tied, 2), some)]
    told: str = read.choose(*cases, ((), read.listed("top", at, pair.korean)))
    return told


def all_alike(n: int) -> str:
    """How it is told that all of so many words are read alike."""
    return MESSAGES["both alike" if n == 2 else "all alike"].format(n=n)


class AlignmentLab(Lab):
    """The alignment lab: edit either sentence or the projections, and see who reads whom.

    Parameters
    ----------
    goal : str, optional
        A key of `GOALS` to start with.
    """

    model: AlignmentModel
    narrow_maps = ("weights",)

    def __init__(self, goal: str = "last") -> None:
        self.model = AlignmentModel(goal)
        self._cell: Cell | None = None
        self._make_common({name: each.label for name, each in GOALS.items()}, width="28em")
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT)
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        parts = [self._top, self._goal, self._value, self._message, self.view, self._code.area]
        self._begin("attention-alignment", parts)

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self._cell = Cell(edit.panel, edit.row, edit.column)
        self.model.edit(edit.panel, edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        self._cell = cell
        self._refresh(changed=False)

    def _valued(self, value: float, gesture: object) -> None:
        if (cell := self._input()) is not None:
            self.model.edit(*cell, value, gesture)
            self._refresh()

    def _show_way(self, _: Any) -> None:
        self._refresh(said=MESSAGES["way"].format(edits=self._edits(self.model.show_way())))

    def _edits(self, way: tuple[Change, ...]) -> str:
        """Say in one line what a way changes at the start of its goal."""
        start = start_of(self.model.goal)
        made = [c for c in way if getattr(start, c.panel)[c.row, c.column] != c.value]
        if len(made) > 1:  # all of one matrix, as a test holds
            return MESSAGES["more edits"].format(n=len(made), panel=TITLES[made[0].panel])
        return MESSAGES["one edit"].format(cell=self._name(made[0][:3]), value=made[0].value)

    # -- what is shown ----------------------------------------------------------------------

    def _labels(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Return, for each matrix, what its rows and its columns are."""
        pair = self.model.crossing.pair
        english, korean = pair.english, pair.korean
        meaning, own, handed = (pair.columns[name] for name in ("X", "context", "V"))
        return {
            **{"X": (english, meaning), "Q": (english, meaning), "output": (english, handed)},
            **{"context": (korean, own), "K": (korean, meaning), "V": (korean, handed)},
            **{"W_Q": (meaning, meaning), "W_K": (own, meaning), "W_V": (own, handed)},
            **dict.fromkeys(MAPS, (english, korean)),
        }

    def _panels(self) -> dict[str, Panel]:
        matrices, panels = self.model.matrices(), {}
        for name, (rows, columns) in self._labels().items():
            axes = AXES["map" if name in MAPS else "projection" if name[0] == "W" else "token"]
            options: dict[str, Any] = {"small": True, "kind": "weights" if name == "weights" else "signed"}
            if name != "weights":
                options["limit"] = 2 * HIGH if name in MAPS else HIGH  # one range each: they compare by colour
            if name in INPUTS:
                options |= {"editable": True, "low": LOW, "high": HIGH, "step": STEP}
            panels[name] = Panel(matrices[name], rows, columns, row_axis=axes[0], column_axis=axes[1], **options)
        return panels

    def _shape(self) -> Any:
        return self.model.crossing.pair.english

    def _arrangement(self) -> list[list[str]]:
        return ARRANGEMENT

    def _chain(self) -> Chain:
        sources = {"Q": "X", "K": "context", "V": "context"}
        projected = [step(name, "matmul", source, f"W_{name}") for name, source in sources.items()]
        return [*projected, *attention_steps(self.model.trace.Q.shape[-1])]

    def _sentences(self) -> dict[str, Any]:
        read = Places()
        goal, reading = goal_line(self.model, read), reading_line(self.model, read)
        return as_sent(read, {"alignment-goal": f"<b>{goal}</b>"}, {"weights": reading})

    def _draw(self, changed: bool) -> None:
        if self._shown != self._shape():
            self._cell = None  # it was chosen among other words
        super()._draw(changed)

    def _update(self, changed: bool) -> None:
        model = self.model
        self._cell = self._cell or self.view.selected
        self.view.update(
            model.matrices(), changed=changed, highlight=self._marks(), captions={"weights": model.reading()}
        )

    def _follow(self) -> None:
        cell = self._input()
        self._goal.say(self.model.goal_text(), self.model.goal_text(Longest))
        self._value.name(MESSAGES["no cell"] if cell is None else self._name(cell))
        self._value.disable(cell is None)
        self._value.show(0 if cell is None else float(getattr(self.model.crossing, cell[0])[cell[1:]]))

    def _marks(self) -> dict[str, list[tuple[int | None, int | None]]]:
        """Mark the chosen word's row wherever it asks, its row or column wherever it is read."""
        if self._cell is None:
            return {}
        panel, row, column = self._cell
        is_map = panel in MAPS
        marks: dict[str, list[tuple[int | None, int | None]]] = {}
        if panel in ("X", "Q", "output") or is_map:
            marks |= {name: [(row, None)] for name in ("X", "Q", "output")}
            marks |= {name: [(row, column if is_map else None)] for name in MAPS}
        key = row if panel in ("context", "K", "V") else column if is_map else None
        if key is not None:
            marks |= {name: [(key, None)] for name in ("context", "K", "V")}
        if key is not None and not is_map:
            marks |= {name: [(None, key)] for name in MAPS}
        return marks

    def _input(self) -> tuple[str, int, int] | None:
        """The chosen number, if it is one that can be changed."""
        if self._cell is None or self._cell.panel not in INPUTS or self._cell.column is None:
            return None
        return self._cell.panel, self._cell.row, self._cell.column

    def _name(self, cell: tuple[str, int, int]) -> str:
        panel, row, column = cell
        rows, columns = self._labels()[panel]
        return MESSAGES["cell"].format(panel=TITLES[panel], row=rows[row], column=columns[column])

    def _make_controls(self) -> None:
        steps = round((HIGH - LOW) / STEP)
        self._value = NumberSlider("", 0, LOW, HIGH, self._valued, n_steps=steps, digits=4, width="36em")
        self.buttons |= make_buttons(LABELS, "way")
        self.buttons["way"].on_click(self._show_way)
        self._goal = GoalLine("alignment-goal")
        first = [self._preset, self._tools()]
        self._top = ipywidgets.VBox([ipywidgets.HBox(first, layout=WRAP), Sentence(text=LABELS["hint"])])

    # -- the still picture ------------------------------------------------------------------

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(reading=self.model.reading())

    def still_figure(self) -> Any:
        """Draw two of the inputs, the map that follows from them, and the goal."""
        from attention_lib import plots  # here, so that the live lab never waits for matplotlib

        shown = {self.view.title_of(name): self.view.panels[name] for name in STILL}
        title = MESSAGES["still title"].format(goal=self.model.goal_text())
        pair, (*_, last) = self.model.crossing.pair, shown
        return plots.heatmaps(
            {called: self.view[name] for called, name in zip(shown, STILL)},
            {name: list(panel.rows or []) for name, panel in shown.items()},
            {name: list(panel.columns or []) for name, panel in shown.items()},
            title=title,
            row_axis={name: axis_called(panel.row_axis) for name, panel in shown.items()},
            column_axis={name: axis_called(panel.column_axis) for name, panel in shown.items()},
            vmax={name: panel.limit for name, panel in shown.items() if panel.limit is not None},
            signed={name: panel.kind == "signed" for name, panel in shown.items()},
            description=f"{title} {plots.describe(self.model.trace.weights, pair.english, pair.korean, name=last)}",
        )
