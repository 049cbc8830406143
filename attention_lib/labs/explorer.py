"""The explorer: every number of self-attention in one glance, with W_Q, W_K and W_V to edit.

`ExplorerModel` is plain: a state, its trace, undo. `Explorer` shows it and
passes on what the reader does.
"""

import asyncio
import time
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace
from ..examples.explorer_starts import READABLE, Start, from_words, is_readable, starts
from ..examples.made_up_words import LARGEST, PROJECTIONS, STEP
from ..view.chain import Chain, attention_steps, step
from ..view.controls import WRAP, GoalLine, NumberSlider, Sentence, make_buttons, sentence_box, toggle
from ..view.follow import Written
from ..view.history import Reversible, preset_of, same
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel, labels_of
from ..view.titles import TITLES, axis_called
from ..view.typed import read_words
from . import explorer_words
from .explorer_words import STEPS

LOW, HIGH = -LARGEST, LARGEST
MOST_TOKENS = 12
FOLLOW_AFTER = 0.04  # seconds: the picture first, whose words the page fills in; then what Python says of it
FOLLOW_EVERY = 0.3  # seconds: in a drag
MESSAGES = {
    "own": "Your sentence, in random numbers that are the same each time; equal words are equal rows.",
    "kept": "Your sentence, of words with readable numbers. The matrices are those you had.",
    "anew": "Your sentence, of words with readable numbers; here Q = K = V = X. Undo goes back.",
    "still text": "Explorer. {goal}",
    "before": "This is how it was before your last change. Outlined: what the change moved. Press again to go on.",
    "no_before": "Nothing has been changed yet, so there is nothing to compare with.",
}
PRESETS = {
    "plain": "배 · Q = K = V = X",
    "one_number": "배 · one number reaches the goal",
    "three_matrices": "배 · the three matrices of section 4",
    "bae": "배 · the numbers of article 000",
    "cat": "sat · article 002 (one-hot X)",
    "kv": "ChatGPT · article 003 (one-hot X)",
    "slow": "slow but steady · random numbers",
    "paper": "the paper … it · random numbers",
    "creature": "the … creature · random numbers",
}
LABELS = {
    "sentence": "own sentence",
    "placeholder": "words, then Enter",
    "no cell": "choose a number of W_Q, W_K or W_V",
    "cell": "{panel}, from {row}, to {column}",
    "before": "show before",
    "back": "◀ step",
    "forward": "step ▶",
    "hint": "Change a number of W_Q, W_K or W_V: drag it sideways, type, or use the slider. Everything else follows. "
    "Click a word to follow it.",
}


class ExplorerModel(Reversible[Start]):
    """A sentence, its goal, its trace, the query and key that are looked at, and the way back.

    The trace is calculated once for each change; everything shown reads it.
    """

    trace: AttentionTrace
    query: int  # the row whose arithmetic is written out
    key: int
    column: int = 0  # of Q and of the output: the one whose sum is written out

    def __init__(self, name: str = "bae") -> None:
        self.presets = starts()
        self.step = 0  # of the arithmetic
        super().__init__(preset_of(self.presets, name))

    def edit(self, panel: str, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one cell of W_Q, W_K or W_V; changes of one gesture are undone together."""
        self.look_back(False)
        W = getattr(self.state.inputs, panel).copy()
        W[row, column] = float(np.clip(round(value, 4), LOW, HIGH)) + 0.0  # never -0
        self._go(replace(self.state, inputs=replace(self.state.inputs, **{panel: W})), gesture)

    def say(self, text: str) -> None:
        """Take another sentence.

        Raises
        ------
        ValueError
            If the sentence is empty or longer than can be shown.
        """
        self.look_back(False)
        self.load(from_words(read_words(text, MOST_TOKENS), self.state.inputs))

    def choose(self, query: int | None = None, key: int | None = None, column: int | None = None) -> None:
        """Choose the row whose arithmetic is written out, the key it is compared with, and which of its columns."""
        self.query = self.query if query is None else query
        self.key = self.key if key is None else key
        self.column = self.column if column is None else column

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words."""
        return self.state.inputs.tokens

    @property
    def own_words(self) -> str:
        """The sentence, where it is the reader's own; "" where a preset brought it."""
        brought = any(same(self.start, start) for start in self.presets.values())
        return "" if brought else " ".join(self.tokens)

    @property
    def columns(self) -> list[str] | None:
        """What the columns of X, Q, K, V and the output mean; None where they have no names."""
        return list(READABLE.columns) if is_readable(self.state.inputs) else None

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return everything shown, by name of panel."""
        trace = self.trace
        shown = {"Q": trace.Q, "K": trace.K, "V": trace.V, "scores": trace.scores}
        shown |= {"scaled scores": trace.scaled_scores, "weights": trace.weights, "output": trace.output}
        return self.state.inputs.arrays() | shown

    def goal_text(self) -> str:
        """How far the goal is, with the numbers."""
        return explorer_words.goal_text(self)

    def arithmetic(self) -> str:
        """The current step of the chosen row, written out with its numbers."""
        return explorer_words.arithmetic(self, Written(self.matrices()))

    def row_chart(self) -> str:
        """Draw the weights of the chosen row as bars, the key in bold."""
        return explorer_words.row_chart(self, Written(self.matrices()))

    def root(self) -> NDArray[Any]:
        """Return what the scores are divided by, as a matrix of one number."""
        return np.sqrt([[self.trace.Q.shape[-1]]])

    def code(self) -> str:
        """Lines that give the numbers shown, with attention_lib alone."""
        lines = [
            "import numpy as np",
            "from attention_lib import self_attention",
            "",
            f"tokens = {list(self.tokens)!r}",
        ]
        lines += [f"{name} = np.array({array.tolist()!r})" for name, array in self.state.inputs.arrays().items()]
        return "\n".join([*lines, "trace = self_attention(X, W_Q, W_K, W_V)", "trace.weights.round(3)"])

    def _can_look_back(self) -> bool:
        past = self._past.last()
        return past is not None and past[0].inputs.tokens == self.tokens  # of other words nothing can be compared

    def _show(self, state: Start) -> None:
        trace = state.inputs.trace()
        if not hasattr(self, "state") or state.inputs.tokens != self.tokens:
            self.query, self.key = state.inputs.query, state.goal.key if state.goal else 0
            if self.column >= trace.Q.shape[-1]:
                self.column = 0
        self.state, self.trace = state, trace


class Explorer(Lab):
    """The explorer lab: edit W_Q, W_K and W_V and watch the whole chain follow.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.
    """

    model: ExplorerModel
    narrow_maps = ("weights",)

    def __init__(self, name: str = "bae") -> None:
        self.model = ExplorerModel(name)
        self._following = False  # whether words and slider are about to follow
        self._followed = 0.0  # when they last did
        self._said = ""
        self._moved: dict[str, NDArray[np.bool_]] | None = None  # what to outline, where the page cannot know it
        self._cell: Cell | None = None  # none at first: no number that reaches the goal lies under the slider
        self._make_common(PRESETS, lines=11)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT)
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        self._picture = ipywidgets.HBox([self.view, self._row])
        self._picture.add_class("lab-picture")
        parts = [self._top, self._hints, self._goal, self._picture, self._bottom, self._code.area]
        self._begin("attention-explorer", parts)

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self._cell = Cell(edit.panel, edit.row, edit.column)
        self.model.edit(edit.panel, edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        if cell is None:
            return
        if cell.panel in PROJECTIONS:
            if cell.column is not None:
                self._cell = cell
                self.model.choose(column=cell.column)
        elif cell.panel in ("K", "V"):
            self.model.choose(key=cell.row, column=cell.column)
        elif cell.panel in ("scores", "scaled scores", "weights"):
            self.model.choose(query=cell.row, key=cell.column)
        else:  # a column of X is no column of Q
            self.model.choose(query=cell.row, column=None if cell.panel == "X" else cell.column)
        self._refresh(changed=False, said=self._said if self.model.looks_back else "")
        self._follow_now()  # the slider is the chosen cell's before a hand gets there

    def _valued(self, value: float, gesture: object) -> None:
        if self._cell is not None:
            panel, row, column = self._cell
            self.model.edit(panel, row, column or 0, value, gesture)
            self._refresh()

    def _sentence_given(self, text: str) -> None:
        before = self.model.state.inputs
        try:
            self.model.say(text)
        except ValueError as problem:
            self._message.say(str(problem))
        else:
            own = "kept" if is_readable(before) else "anew"  # the matrices: those of random words fit no readable ones
            self._refresh(changed=False, said=MESSAGES[own if is_readable(self.model.state.inputs) else "own"])

    def _look_back(self, on: bool) -> None:
        left = self.model.matrices()
        shown = self.model.look_back(on)
        # Said here, for the page takes what follows an edit at once for a part of it, and would outline nothing.
        self._moved = {name: self._differ(name, left[name], now) for name, now in self.model.matrices().items()}
        self._refresh(said=MESSAGES["before" if shown else "no_before"] if on else "")
        self._moved = None

    def _differ(self, name: str, one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which printed numbers of a panel differ; of other words none is the same."""
        if one.shape != other.shape:
            return np.zeros(other.shape, bool)
        digits = self.view.panels[name].digits
        return np.round(one, digits) != np.round(other, digits)

    def _step_by(self, by: int) -> None:
        self.model.step = (self.model.step + by) % len(STEPS)
        self._refresh(changed=False, said=self._said if self.model.looks_back else "")

    # -- what is shown ----------------------------------------------------------------------

    def _shape(self) -> Any:
        return self.model.tokens, self.model.state.inputs.W_Q.shape

    def _arrangement(self) -> list[list[str]]:
        return ARRANGEMENT

    def _panels(self) -> dict[str, Panel]:
        tokens, named, panels = labels_of(self.model.tokens), self.model.columns, {}
        for name, matrix in self.model.matrices().items():
            if name in PROJECTIONS:
                panel = Panel(matrix, named, named, editable=True, low=LOW, high=HIGH, step=STEP, limit=HIGH)
                panel = replace(panel, row_axis="from", column_axis="to", small=True)
            elif name in ("scores", "scaled scores"):
                panel = Panel(matrix, tokens, tokens, small=True)
            elif name == "weights":
                panel = Panel(matrix, tokens, tokens, kind="weights", digits=3, small=True)
            else:
                panel = Panel(matrix, tokens, named, row_axis="token", column_axis="dimension", small=True)
            panels[name] = panel
        return panels

    def _chain(self) -> Chain:
        projected = [step(name[-1], "matmul", "X", name) for name in PROJECTIONS]
        return [*projected, *attention_steps(self.model.trace.Q.shape[-1])]

    def _sentences(self) -> dict[str, Any]:
        return explorer_words.lines(self.model)

    def _update(self, changed: bool) -> None:
        i, j = self.model.query, self.model.key
        rows = {name: [(i, None)] for name in ("X", "Q", "output")} | {name: [(j, None)] for name in ("K", "V")}
        pair = {name: [(i, j)] for name in ("scores", "scaled scores", "weights")}
        moved = self._moved if changed and self._moved is not None else changed
        self.view.update(self.model.matrices(), changed=moved, highlight={**rows, **pair})
        if self.view.selected is None and self._cell is not None:  # other words: the same place, if there is one
            panel, row, column = self._cell
            n_rows, n_columns = getattr(self.model.state.inputs, panel).shape
            self._cell = self._cell if row < n_rows and (column or 0) < n_columns else None
            self.view.select(*self._cell or (None,))

    def _speak(self, said: str) -> None:
        """Let words and slider follow once the picture is on its way: in a drag, once for several edits."""
        self._said = said
        self._message.say(said)
        self._value.said.say()
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: a test, or a script
            self._follow_now()
            return
        if not self._following:
            self._following = True
            rested = time.monotonic() - self._followed
            loop.call_later(max(FOLLOW_AFTER, FOLLOW_EVERY - rested), self._follow_now)

    def _follow_now(self) -> None:
        self._following, self._followed = False, time.monotonic()
        super()._speak(self._said)

    def _follow(self) -> None:
        model = self.model
        self._goal.say(model.goal_text(), explorer_words.goal_text(model, explorer_words.Room))
        self._arithmetic.value = model.arithmetic()
        self._row.value = model.row_chart()
        self._value.disable(self._cell is None)
        if self._cell is None:
            self._value.name(LABELS["no cell"])
        else:
            panel, row, column = self._cell
            rows, columns = self.view.panels[panel].rows or (), self.view.panels[panel].columns or ()
            called = {"row": rows[row], "column": columns[column or 0]}  # as the matrix shows them
            self._value.name(LABELS["cell"].format(panel=TITLES[panel], **called))
            self._value.show(float(getattr(model.state.inputs, panel)[row, column]), silent=False)
        self._before.value = model.looks_back
        self._sentence.value = model.own_words

    def _make_controls(self) -> None:
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"])
        self._sentence.add_class("explorer-sentence")
        self._sentence.observe(self._heard(self._sentence_given), "value")
        self._hint, self._row = Sentence("lab-line", LABELS["hint"]), ipywidgets.HTML()
        self._row.add_class("explorer-row")
        steps = round((HIGH - LOW) / STEP)
        self._value = NumberSlider("", 0, LOW, HIGH, self._valued, n_steps=steps, digits=4)
        self._value.add_class("explorer-value")
        self.buttons |= make_buttons(LABELS, "back", "forward")
        self.buttons["back"].on_click(lambda _: self._step_by(-1))
        self.buttons["forward"].on_click(lambda _: self._step_by(1))
        self._before = toggle(LABELS["before"])
        self._before.observe(self._heard(self._look_back), "value")
        tools = self._tools(self.buttons["undo"], self.buttons["reset"], self._before, self._code.switch)
        self._top = ipywidgets.HBox([self._preset, self._sentence, tools], layout=WRAP)
        self._goal, self._arithmetic = GoalLine("explorer-goal"), ipywidgets.HTML()
        self._hints = ipywidgets.Box([self._hint, self._message])  # what is said takes the place of the hint
        self._hints.add_class("explorer-hints")
        self._message.observe(lambda _: self._give_way(), "value")
        self._arithmetic.add_class("explorer-arithmetic")
        steps_row = [self._tools(self.buttons["back"], self.buttons["forward"]), self._arithmetic]
        steps = ipywidgets.HBox(steps_row, layout={"align_items": "center"})
        self._bottom = ipywidgets.HBox([self._value, steps], layout=WRAP)
        self._bottom.add_class("explorer-bottom")

    def _give_way(self) -> None:
        """Hide the hint where something is said. A style that asks the page for it is asked anew in each frame."""
        (self._hint.add_class if self._message.value else self._hint.remove_class)("gives-way")

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """Draw the matrices that can be edited, and the map, under the goal."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        goal, tokens = self.model.goal_text(), labels_of(self.model.tokens)
        said = f"{goal} {plots.words.describe(self.model.trace.weights, tokens, tokens, digits=3)}"
        shown = {TITLES[name]: self._panels()[name] for name in STILL}
        rows, columns = ({t: list(getattr(p, side)) for t, p in shown.items()} for side in ("rows", "columns"))
        sides = ("row_axis", "column_axis")
        axes: Any = {side: {t: axis_called(getattr(p, side)) for t, p in shown.items()} for side in sides}
        arrays = {title: p.array for title, p in shown.items()}
        return plots.heatmaps(arrays, rows, columns, title=goal, vmax=1, description=said, **axes)

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(goal=self.model.goal_text())


ARRANGEMENT = [["X", "W_Q", "Q", "W_K", "K"], ["scores", "scaled scores"], ["weights", "W_V", "V", "output"]]
STILL = (*PROJECTIONS, "weights")  # what is edited, and what comes of it
