"""The alignment lab: edit two sentences or the projections, and steer which Korean word each English word reads.

`AlignmentModel` is plain: a state, its trace, a goal, the way back. `AlignmentLab`
shows it and passes on what the reader does.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace, cross_attention
from ..examples.sentence_pairs import SentencePair, load_pairs
from ..view.controls import WIDE, WRAP, CodeBox, History, Lab, Sentence, SliderGesture, choice, make_buttons
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel

LOW, HIGH, STEP = -3.0, 3.0, 0.25
INPUTS = ("X", "context", "W_Q", "W_K", "W_V")
MAPS = {"scores": "scores", "scaled scores": "scaled_scores", "weights": "weights"}  # panel -> name in the trace
TIE = 1e-9  # weights this close are called equal: their last bits differ from machine to machine

MESSAGES = {
    "goal": "Goal: {ask} {now}",
    "reached": "Goal reached: {ask} {now}",
    "looks_at": "“{word}” reads {key} with {weight:.2f}; its largest weight is {largest:.2f}, on {top}.",
    "own_words": "{n} of {all} words do so; the smallest of these weights is {weight:.2f}, of “{word}”.",
    "flat": "The weights lie between {smallest:.2f} and {largest:.2f}.",
    "reading": "{word} reads {keys} ({weight:.2f})",
    "all_alike": "all {n} alike",
    "and": " and ",
    "not_a_number": "“{text}” is not a number, so {cell} keeps {value:.2f}.",
    "out_of_range": "{text} is outside {low:g} to {high:g}, so {cell} keeps {value:.2f}.",
    "no_cell": "(choose one cell of X, context, W_Q, W_K or W_V)",
    "loaded": "New start. Undo leads back to what you had.",
    "undone": "Undone.",
    "nothing_to_undo": "There is nothing left to undo.",
    "reset": "Back to the start of this goal. Undo brings your numbers back.",
    "way": "One way of many: {edits}. Undo leads back to what you had.",
    "cell": "{panel} {row}, {column}",
}
LABELS = {
    "goal": "goal",
    "cell": "value of",
    "undo": "undo",
    "reset": "reset",
    "way": "show one way",
    "code": "copy as code",
    "hint": "X (English), context (Korean), W_Q, W_K and W_V can be changed; the rest is computed. "
    "Click a word to mark its row or column everywhere.",
}
STILL_TITLE = "Each English word reads its own Korean word most"
AXES = {"token": ("token", "meaning"), "map": ("query", "key"), "projection": ("from", "to")}
ARRANGEMENT = [  # the chain, three panels a line: X @ W_Q = Q, context @ W_K = K, the maps, V and what is read of it
    ["X", "W_Q", "Q"],
    ["context", "W_K", "K"],
    ["scores", "scaled scores", "weights"],
    ["W_V", "V", "output"],
]


@dataclass(frozen=True, eq=False)
class State:
    """One sentence pair with all that cross-attention is calculated from."""

    pair: SentencePair  # tokens, labels, and which words mean the same
    X: NDArray[Any]  # (n_queries, d_model)
    context: NDArray[Any]  # (n_keys, d_model)
    W_Q: NDArray[Any]  # (d_model, d_k)
    W_K: NDArray[Any]  # (d_model, d_k)
    W_V: NDArray[Any]  # (d_model, d_v)

    def trace(self) -> AttentionTrace:
        """Calculate every step."""
        return cross_attention(self.X, self.context, self.W_Q, self.W_K, self.W_V)

    def with_edits(self, edits: "tuple[Change, ...]") -> "State":
        """Return this state with some numbers changed."""
        changed = {name: getattr(self, name).copy() for name in INPUTS}
        for panel, row, column, value in edits:
            changed[panel][row, column] = value
        return replace(self, **changed)


class Change(NamedTuple):
    """One number of one input, and what it becomes."""

    panel: str
    row: int
    column: int
    value: float


class Progress(NamedTuple):
    """Whether a goal is reached, and a sentence with the numbers."""

    reached: bool
    now: str


Measure = Callable[[State, AttentionTrace], Progress]


class Goal(NamedTuple):
    """A state of the map to reach, where to start, and one way to it."""

    label: str
    ask: str
    pair: str
    measure: Measure
    way: tuple[Change, ...]
    start: tuple[Change, ...] = ()  # what differs at the start from the pair as it is stored


def looks_at(word: str, key: str, least: float = 0.0) -> Measure:
    """The word's largest weight lies on the key alone, and is at least so large."""

    def measure(state: State, trace: AttentionTrace) -> Progress:
        row = trace.weights[state.pair.english.index(word)]  # (n_keys,)
        weight = row[state.pair.korean.index(key)]
        told = {"word": word, "key": key, "weight": weight, "largest": row.max(), "top": _top_words(state.pair, row)}
        alone = (row > row.max() - TIE).sum() == 1
        return Progress(bool(weight == row.max() and alone and weight >= least), MESSAGES["looks_at"].format(**told))

    return measure


def own_words(least: float = 0.0) -> Measure:
    """Every word that has a counterpart reads it most, with at least this weight."""

    def measure(state: State, trace: AttentionTrace) -> Progress:
        own = np.where(state.pair.alignment, trace.weights, 0).max(axis=-1)  # (n_queries,)
        others = np.where(state.pair.alignment, 0, trace.weights).max(axis=-1)
        meant = state.pair.alignment.any(axis=-1)
        done = (own > others + TIE) & (own >= least)  # never where nothing is meant: own is 0 there
        weakest = int(np.argmin(np.where(meant, own, np.inf)))
        told = {"n": int(done.sum()), "all": int(meant.sum()), "weight": own[weakest]}
        told["word"] = state.pair.english[weakest]
        return Progress(bool((done == meant).all()), MESSAGES["own_words"].format(**told))

    return measure


def flat(low: float, high: float) -> Measure:
    """All weights lie between two bounds."""

    def measure(state: State, trace: AttentionTrace) -> Progress:
        smallest, largest = float(trace.weights.min()), float(trace.weights.max())
        said = MESSAGES["flat"].format(smallest=smallest, largest=largest)
        return Progress(low <= smallest and largest <= high, said)

    return measure


def _diagonal(panel: str, *values: float) -> tuple[Change, ...]:
    return tuple(Change(panel, i, i, value) for i, value in enumerate(values))


def _whole(panel: str, matrix: NDArray[Any]) -> tuple[Change, ...]:
    return tuple(Change(panel, i, j, float(value)) for i, row in enumerate(matrix) for j, value in enumerate(row))


GOALS = {
    "last": Goal(
        "“last” reads 밤에: one number",
        "make “last” read 밤에 more than any other word.",
        "chicken",
        looks_at("last", "밤에"),
        way=(Change("X", 3, 3, 1.0),),
    ),
    "sure": Goal(
        "every word is sure: projections alone",
        "make every English word read its own Korean word with 0.90 or more.",
        "chicken",
        own_words(0.9),
        way=_diagonal("W_Q", 2, 2, 2, 3),
    ),
    "flat": Goal(
        "nobody has a favourite",
        "bring every weight between 0.15 and 0.25.",
        "chicken",
        flat(0.15, 0.25),
        way=_diagonal("W_Q", 0, 0, 0, 0),
    ),
    "mend": Goal(
        "mend a broken W_K",
        "make every English word read its own Korean word most. It starts with the identity as W_K, "
        "which leaves the Korean columns in their own order.",
        "chicken",
        own_words(),
        way=_whole("W_K", load_pairs()["chicken"].W_K),
        start=_whole("W_K", np.eye(4)),
    ),
    "article": Goal(
        "give “The” something to read",
        "make “The”, which has no counterpart, read 고양이가 with 0.50 or more.",
        "cat",
        looks_at("The", "고양이가", 0.5),
        way=(Change("X", 0, 0, 2.0),),
    ),
    "half": Goal(
        "“raining” reads 비가",
        "make “raining” read 비가 with 0.80 or more.",
        "rain",
        looks_at("raining", "비가", 0.8),
        way=(Change("context", 1, 3, 0.5),),
    ),
    "to": Goal(
        "“to” belongs to going",
        "make “to” read 간다 more than 학교에.",
        "school",
        looks_at("to", "간다"),
        way=(Change("X", 2, 1, 3.0),),
    ),
}


def start_of(name: str) -> State:
    """Return the state that a goal starts from.

    Raises
    ------
    ValueError
        If there is no such goal.
    """
    if name not in GOALS:
        raise ValueError(f"there is no goal {name!r}; the goals are {', '.join(GOALS)}")
    pair = load_pairs()[GOALS[name].pair]
    state = State(pair, *(getattr(pair, key) for key in INPUTS))
    return state.with_edits(GOALS[name].start)


class AlignmentModel:
    """A state, its trace, a goal, and the way back.

    The trace is calculated once for each change; everything shown reads it.
    """

    def __init__(self, goal: str = "last") -> None:
        self.state = start_of(goal)
        self.goal = goal
        self.trace = self.state.trace()
        self._past: History[tuple[State, str]] = History()  # (state, goal) before each gesture

    def load(self, goal: str) -> None:
        """Begin another goal; undo leads back to this one."""
        self._move(start_of(goal), goal=goal)

    def edit(self, panel: str, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one number; changes of one gesture are undone together."""
        value = float(np.clip(round(value, 4), LOW, HIGH))
        self._move(self.state.with_edits((Change(panel, row, column, value),)), gesture=gesture)

    def reset(self) -> None:
        """Go back to the start of the goal; that can be undone too."""
        self._move(start_of(self.goal))

    def show_way(self) -> tuple[Change, ...]:
        """Go to the start of the goal and along one way to it; return the changes."""
        way = GOALS[self.goal].way
        self._move(start_of(self.goal).with_edits(way))
        return way

    def undo(self) -> bool:
        """Go back one gesture; False where there is none."""
        before = self._past.back()
        if before is None:
            return False
        self.state, self.goal = before
        self.trace = self.state.trace()
        return True

    def progress(self) -> Progress:
        """How far the goal is."""
        return GOALS[self.goal].measure(self.state, self.trace)

    def goal_text(self) -> str:
        """The goal and how far it is, with the numbers."""
        reached, now = self.progress()
        return MESSAGES["reached" if reached else "goal"].format(ask=GOALS[self.goal].ask, now=now)

    def reading(self) -> str:
        """Say which Korean word each English word reads most."""
        pair = self.state.pair
        said = (
            MESSAGES["reading"].format(word=word, keys=_top_words(pair, row), weight=row.max())
            for word, row in zip(pair.english, self.trace.weights)
        )
        return "; ".join(said) + "."

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return everything shown, by name."""
        inputs = {name: getattr(self.state, name) for name in INPUTS}
        computed = {name: getattr(self.trace, name) for name in ("Q", "K", "V", "output")}
        return inputs | computed | {panel: getattr(self.trace, name) for panel, name in MAPS.items()}

    def code(self) -> str:
        """Lines that give the numbers shown, with attention_lib alone."""
        state = self.state
        lines = ["import numpy as np", "from attention_lib import cross_attention", ""]
        lines += [f"english = {list(state.pair.english)!r}", f"korean = {list(state.pair.korean)!r}"]
        lines += [f"{name} = np.array({getattr(state, name).tolist()!r})" for name in INPUTS]
        lines += ["trace = cross_attention(X, context, W_Q, W_K, W_V)", "trace.weights.round(3)"]
        return "\n".join(lines)

    def _move(self, state: State, *, goal: str | None = None, gesture: object = None) -> None:
        trace = state.trace()  # first: if it cannot be calculated, nothing changes
        goal = goal or self.goal
        same = all(np.array_equal(getattr(state, name), getattr(self.state, name)) for name in INPUTS)
        if not (same and goal == self.goal):  # what changes nothing is no step
            self._past.keep((self.state, self.goal), gesture)
        self.state, self.trace, self.goal = state, trace, goal


class AlignmentLab(Lab):
    """The alignment lab: edit either sentence or the projections, and see who reads whom.

    Parameters
    ----------
    goal : str, optional
        A key of `GOALS` to start with.
    """

    def __init__(self, goal: str = "last") -> None:
        self.model = AlignmentModel(goal)
        self._slides = SliderGesture()
        self._cell: Cell | None = Cell("X", 3, 3)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT, still=["weights"], still_title=STILL_TITLE)
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        super().__init__([self._top, self._goal, self.view, self._bottom, self._message, self._code.area])
        self.add_class("attention-alignment")
        self._start_here()
        self._refresh(changed=False)

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self._cell = Cell(edit.panel, edit.row, edit.column)
        self.model.edit(edit.panel, edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        self._cell = cell
        self._slides.end()
        self._refresh(changed=False)

    def _slid(self, change: Any) -> None:
        if not self._busy and self._input() is not None:
            self._set_number(LOW + STEP * change.new, gesture=self._slides.now())

    def _typed(self, change: Any) -> None:
        cell = self._input()
        if self._busy or cell is None:
            return
        told = {"text": change.new.strip()[:20], "cell": self._name(cell), "value": self._value(cell)}
        try:
            value = float(change.new.replace(",", ".").replace("−", "-"))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self._refresh(changed=False, said=MESSAGES["not_a_number"].format(**told))
        elif not LOW <= value <= HIGH:
            self._refresh(changed=False, said=MESSAGES["out_of_range"].format(**told, low=LOW, high=HIGH))
        else:
            self._set_number(value)

    def _set_number(self, value: float, gesture: object = None) -> None:
        if (cell := self._input()) is not None:
            self.model.edit(*cell, value, gesture)
            self._refresh()

    def _goal_chosen(self, change: Any) -> None:
        if not self._busy:
            self.model.load(change.new)
            self._rebuild(MESSAGES["loaded"])

    def _undo(self, _: Any) -> None:
        goal = self.model.goal
        if not self.model.undo():
            self._refresh(changed=False, said=MESSAGES["nothing_to_undo"])
        elif self.model.goal != goal:
            self._rebuild(MESSAGES["undone"])
        else:
            self._refresh(said=MESSAGES["undone"])

    def _reset(self, _: Any) -> None:
        self.model.reset()
        self._refresh(said=MESSAGES["reset"])

    def _show_way(self, _: Any) -> None:
        before = self.model.state
        way = [c for c in self.model.show_way() if getattr(before, c.panel)[c.row, c.column] != c.value]
        edits = ", ".join(f"{self._name(c[:3])} = {c.value:g}" for c in way) or "as it is now"
        self._refresh(said=MESSAGES["way"].format(edits=edits))

    # -- what is shown ----------------------------------------------------------------------

    def _labels(self) -> dict[str, tuple[tuple[str, ...], tuple[str, ...]]]:
        """Return, for each matrix, what its rows and its columns are."""
        pair = self.model.state.pair
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

    def _rebuild(self, said: str) -> None:
        """Show another sentence pair."""
        with self.view.batch():
            self.view.replace(self._panels(), arrangement=ARRANGEMENT)
            self._start_here()
            self._refresh(changed=False, said=said)

    def _start_here(self) -> None:
        """Select the first number of the goal's way."""
        self._cell = Cell(*GOALS[self.model.goal].way[0][:3])
        self.view.select(*self._cell)

    def _refresh(self, changed: bool = True, said: str = "") -> None:
        model, cell = self.model, self._input()
        self.view.update(
            model.matrices(), changed=changed, highlight=self._marks(), captions={"weights": model.reading()}
        )
        with self.hold_sync():
            self._goal.say(model.goal_text(), strong=True)
            self._message.say(said)
            self._cell_label.value = MESSAGES["no_cell"] if cell is None else self._name(cell)
            self._code.refresh()
        self._set(self._choice, model.goal)
        self._slider.disabled = self._text.disabled = cell is None
        if cell is not None:
            self._set(self._slider, round((self._value(cell) - LOW) / STEP))
            self._set(self._text, f"{self._value(cell):.2f}")

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

    def _value(self, cell: tuple[str, int, int]) -> float:
        panel, row, column = cell
        return float(getattr(self.model.state, panel)[row, column])

    def _name(self, cell: tuple[str, int, int]) -> str:
        panel, row, column = cell
        rows, columns = self._labels()[panel]
        return MESSAGES["cell"].format(panel=panel, row=rows[row], column=columns[column])

    def _make_controls(self) -> None:
        labels = {name: goal.label for name, goal in GOALS.items()}
        self._choice = choice(LABELS["goal"], labels, self.model.goal, width="26em")
        self._cell_label = ipywidgets.Label()
        # In whole steps: a FloatSlider that Python moves sends its own rounding of a value back, as a late edit.
        steps = round((HIGH - LOW) / STEP)
        self._slider = ipywidgets.IntSlider(max=steps, readout=False, description=LABELS["cell"], style=WIDE)
        self._text = ipywidgets.Text(continuous_update=False, layout={"width": "6em"})
        self.buttons = make_buttons(LABELS, "undo", "reset", "way")
        self._code = CodeBox(LABELS["code"], self.model.code)
        self._goal, self._message = Sentence("alignment-goal"), Sentence("alignment-message")
        self._top = ipywidgets.VBox([self._choice, Sentence(text=LABELS["hint"])])
        row = [self._slider, self._cell_label, self._text, *self.buttons.values(), self._code.switch]
        self._bottom = ipywidgets.HBox(row, layout=WRAP)
        self._choice.observe(self._goal_chosen, "value")
        self._slider.observe(self._slid, "value")
        self._text.observe(self._typed, "value")
        self.buttons["undo"].on_click(self._undo)
        self.buttons["reset"].on_click(self._reset)
        self.buttons["way"].on_click(self._show_way)

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The map as it is now, for readers without a kernel."""
        return self.view.still_figure()

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return f"Alignment lab. {self.model.reading()}"


def _top_words(pair: SentencePair, row: NDArray[Any]) -> str:
    """The Korean words that hold the largest weight of a row."""
    top = [key for key, weight in zip(pair.korean, row) if weight > row.max() - TIE]
    if len(top) == len(row) > 2:
        return MESSAGES["all_alike"].format(n=len(row))
    return MESSAGES["and"].join(top)
