"""The explorer: every number of self-attention in one glance, with W_Q, W_K and W_V to edit.

`ExplorerModel` is plain: a state, its trace, undo. `Explorer` shows it and
passes on what the reader does.
"""

import asyncio
import html
import time
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..attention import AttentionTrace, self_attention
from ..examples.made_up_words import seeded
from ..examples.worked import WorkedExample, load_example
from ..view.controls import (
    WIDE,
    WRAP,
    CodeBox,
    History,
    Lab,
    Sentence,
    SliderGesture,
    choice,
    make_buttons,
    read_number,
    read_words,
    sentence_box,
)
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel

LOW, HIGH, STEP = -3.0, 3.0, 0.05
PROJECTIONS = ("W_Q", "W_K", "W_V")
MOST_TOKENS = 12
D_MODEL = 4  # of the reader's own sentences: small enough to see, as in the 배 example
FOLLOW_AFTER = 0.04  # seconds: the picture first, then the words under it
FOLLOW_EVERY = 0.15  # seconds: in a drag words change no faster than one can read
STEPS = ("query", "score", "scaled score", "weights", "output")

MESSAGES = {
    "own": "Your sentence. Its embeddings and projections are random numbers, the same each time; "
    "equal words are equal rows.",
    "goal": "Goal: make {query} look most at {key}. Now {weight:.3f}, number {rank} of {n}; "
    "the largest is {top}, {top_weight:.3f}.",
    "reached": "Goal reached: {query} looks most at {key}, {weight:.3f}.",
    "no_goal": "{query} attends most to {top}, {top_weight:.3f}.",
    "before": "This is how it was before your last change. Outlined: what the change moved. Press again to go on.",
    "no_before": "Nothing has been changed yet, so there is nothing to compare with.",
    "nothing_to_undo": "There is nothing left to undo.",
    "undone": "Undone.",
    "reset": "Back to the start. Undo brings your numbers back.",
    "code": "These lines give the numbers shown:",
    "cell": "{panel} row {row}, column {column}",
}
PRESETS = {
    "bae": "배 · the sentence of article 000",
    "bae_goal": "배 · one way to reach the goal",
    "bae_plain": "배 · no projections (Q = K = V = X)",
    "cat": "sat · the sentence of article 002 (one-hot X)",
    "kv": "ChatGPT 는 뛰어나다 · article 003, no mask (one-hot X)",
    "slow": "slow but steady · random numbers",
    "paper": "the paper … it · random numbers",
    "creature": "the fluffy blue creature · random numbers",
}
ARITHMETIC = {
    "query": "1 · The query of {query}. Its embedding times column 0 of W_Q:<br>{sum} = {result}<br>"
    "Every column likewise: q = {q}",
    "score": "2 · The score of {query} (query) and {key} (key). q · k, entry by entry:<br>{sum} = {result}",
    "scaled score": "3 · The scaled score. Divide by √d_k = √{d_k}:<br>{score} / {root} = {result}",
    "weights": "4 · The weight. e to the scaled score, over the sum for all {n} keys:<br>"
    "e^{scaled} / {total} = {exp} / {total} = {result}",
    "output": "5 · The output of {query}. Each weight times column 0 of V:<br>{sum} = {result}<br>"
    "Every column likewise: {output}",
}
LABELS = {
    "preset": "start from",
    "sentence": "own sentence",
    "placeholder": "type words, then press Enter",
    "cell": "value of",
    "undo": "undo",
    "reset": "reset",
    "before": "show before",
    "code": "copy as code",
    "back": "◀ step",
    "forward": "step ▶",
    "hint": "Click a cell of W_Q, W_K or W_V to edit it; click a row or a cell elsewhere to choose a query and a key.",
}


class Goal(NamedTuple):
    """The query that should look most at the key."""

    query: int
    key: int


@dataclass(frozen=True, eq=False)
class State:
    """One sentence with all that attention is calculated from."""

    tokens: tuple[str, ...]
    X: NDArray[Any]  # (n, d_model)
    W_Q: NDArray[Any]  # (d_model, d_k)
    W_K: NDArray[Any]  # (d_model, d_k)
    W_V: NDArray[Any]  # (d_model, d_v)
    query: int = 0
    goal: Goal | None = None

    def trace(self) -> AttentionTrace:
        """Calculate every step."""
        return self_attention(self.X, self.W_Q, self.W_K, self.W_V)


def own_sentence(text: str) -> State:
    """Make a state from a reader's sentence, with numbers that depend on the words alone.

    Raises
    ------
    ValueError
        If the sentence is empty or longer than can be shown.
    """
    words = read_words(text, MOST_TOKENS)
    X = np.array([seeded(word).standard_normal(D_MODEL).round(1) for word in words])  # (n, d_model)
    W_Q, W_K, W_V = np.clip(_on_grid(seeded("W").standard_normal((3, D_MODEL, D_MODEL)) / 2), LOW, HIGH)
    return State(words, X, W_Q, W_K, W_V)


def preset(name: str) -> State:
    """Return the state of a named preset."""
    if name == "slow":
        return own_sentence("slow but steady wins the race")
    if name == "creature":
        return replace(own_sentence("the fluffy blue creature roamed the verdant forest"), query=3, goal=Goal(3, 1))
    if name == "paper":
        state = own_sentence("The paper was rejected because it was poorly written")
        return replace(state, query=5, goal=Goal(5, 1))
    if name in ("cat", "kv"):
        return _one_hot(load_example({"cat": "cat_sat", "kv": "kv_cache_three_tokens"}[name]))
    bae = load_example("bae_hungry")
    X, W_Q, W_K, W_V = (bae.inputs[key] for key in ("X", *PROJECTIONS))
    query = bae.index("배")
    state = State(bae.tokens, X, W_Q, W_K, W_V, query, Goal(query, bae.index("고파서")))
    if name == "bae_plain":
        one = np.eye(X.shape[1])
        return replace(state, W_Q=one, W_K=one, W_V=one)
    if name == "bae_goal":
        W_Q = W_Q.copy()
        W_Q[0, 0] = LOW  # 배's query turns against column 0 of K, where 고파서 has little
        return replace(state, W_Q=W_Q)
    return state


class ExplorerModel:
    """A state, its trace, and the way back.

    The trace is calculated once for each change; everything shown reads it.
    """

    def __init__(self, name: str = "bae") -> None:
        self.start = self.state = preset(name)
        self.trace = self.state.trace()
        self.key = self.state.goal.key if self.state.goal else 0
        self.step = 0
        self._past = History[tuple[State, State]]()  # (state, start) before each gesture

    def load(self, state: State) -> None:
        """Begin with another sentence; undo leads back to this one."""
        self._past.keep((self.state, self.start))
        self.start = state
        self._show(state)
        self.key = state.goal.key if state.goal else 0

    def edit(self, panel: str, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one cell of W_Q, W_K or W_V; changes of one gesture are undone together."""
        self._past.keep((self.state, self.start), gesture)
        W = getattr(self.state, panel).copy()
        W[row, column] = float(np.clip(round(value, 4), LOW, HIGH))
        self._show(replace(self.state, **{panel: W}))

    def choose(self, query: int | None = None, key: int | None = None) -> None:
        """Choose the row whose arithmetic is written out, and the key it is compared with."""
        if query is not None:
            self.state = replace(self.state, query=query)
        if key is not None:
            self.key = key

    def undo(self) -> bool:
        """Go back one gesture; False where there is none."""
        if (past := self._past.back()) is None:
            return False
        query = self.state.query
        before, self.start = past
        same_sentence = before.tokens == self.state.tokens
        self._show(replace(before, query=query) if same_sentence else before)
        return True

    def reset(self) -> None:
        """Go back to the preset or sentence as it was loaded; that can be undone too."""
        self._past.keep((self.state, self.start))
        self._show(replace(self.start, query=self.state.query))

    def before(self) -> State | None:
        """The state before the last gesture, or None; only of the same sentence."""
        past = self._past.last()
        return past[0] if past and past[0].tokens == self.state.tokens else None

    def goal_text(self) -> str:
        """How far the goal is, with the numbers."""
        goal, tokens = self.state.goal, self.state.tokens
        query = goal.query if goal else self.state.query
        row = self.trace.weights[query]  # (n_keys,)
        top = int(np.argmax(row))
        told = {"query": tokens[query], "n": len(row), "top": tokens[top], "top_weight": row[top]}
        if goal is None:
            return MESSAGES["no_goal"].format(**told)
        rank = 1 + int((row > row[goal.key]).sum())
        told |= {"key": tokens[goal.key], "weight": row[goal.key], "rank": rank}
        return MESSAGES["reached" if rank == 1 else "goal"].format(**told)

    def arithmetic(self) -> str:
        """The current step of the chosen row, written out with its numbers."""
        state, trace, i, j = self.state, self.trace, self.state.query, self.key
        q, k = trace.Q[i], trace.K[j]  # (d_k,)
        weights = trace.weights[i]  # (n_keys,)
        score, scaled = trace.scores[i, j], trace.scaled_scores[i, j]
        total = np.exp(trace.scaled_scores[i]).sum()
        query, key = state.tokens[i], state.tokens[j]
        match STEPS[self.step]:
            case "query":
                told = {"sum": _products(state.X[i], state.W_Q[:, 0]), "result": _number(q[0]), "q": _row(q)}
            case "score":
                told = {"sum": _products(q, k), "result": _number(score)}
            case "scaled score":
                told = {"score": _number(score), "root": _number(np.sqrt(len(q))), "result": _number(scaled)}
            case "weights":
                told = {"scaled": _number(scaled), "exp": _number(np.exp(scaled)), "total": _number(total)}
                told["result"] = _number(weights[j])
            case _:
                told = {"sum": _products(weights, trace.V[:, 0]), "result": _number(trace.output[i, 0])}
                told["output"] = _row(trace.output[i])
        names = {"query": f"<b>{html.escape(query)}</b>", "key": f"<b>{html.escape(key)}</b>"}
        return ARITHMETIC[STEPS[self.step]].format(**told, **names, d_k=len(q), n=len(weights))

    def code(self) -> str:
        """Lines that give the numbers shown, with attention_lib alone."""
        state = self.state
        lines = [
            "import numpy as np",
            "from attention_lib import self_attention",
            "",
            f"tokens = {list(state.tokens)!r}",
        ]
        lines += [f"{name} = np.array({getattr(state, name).tolist()!r})" for name in ("X", *PROJECTIONS)]
        lines += ["trace = self_attention(X, W_Q, W_K, W_V)", "trace.weights.round(3)"]
        return "\n".join(lines)

    def _show(self, state: State) -> None:
        self.state = state
        self.trace = state.trace()


class Explorer(Lab):
    """The explorer lab: edit W_Q, W_K and W_V and watch the whole chain follow.

    Parameters
    ----------
    name : str, optional
        A key of `PRESETS` to start from.
    """

    def __init__(self, name: str = "bae") -> None:
        self.model = ExplorerModel(name)
        self._following = False  # whether words and slider are about to follow
        self._followed = 0.0  # when they last did
        self._slides = SliderGesture()
        self._cell = Cell("W_Q", 0, 0)
        self._make_controls(name)
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT, still=["weights"], still_title=STILL_TITLE)
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        super().__init__([self._top, self._message, self.view, self._goal, self._bottom, self._steps, self._code.area])
        self.add_class("attention-explorer")
        self.view.select(*self._cell)
        self._refresh(changed=False)

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self._leave_before()
        self._cell = Cell(edit.panel, edit.row, edit.column)
        self.model.edit(edit.panel, edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        if cell is None:
            return
        if cell.panel in PROJECTIONS:
            if cell.column is not None:
                self._cell = cell
                self._slides.end()
        elif cell.panel in ("K", "V"):
            self.model.choose(key=cell.row)
        else:
            is_map = cell.panel in ("scores", "scaled scores", "weights")
            self.model.choose(query=cell.row, key=cell.column if is_map else None)
        self._refresh(changed=False)

    def _slid(self, change: Any) -> None:
        if not self._busy:
            self._valued(LOW + STEP * change.new, gesture=self._slides.now())

    def _typed(self, change: Any) -> None:
        if self._busy:
            return
        try:
            self._valued(read_number(change.new, LOW, HIGH, digits=4))
        except ValueError as problem:
            self._refresh(changed=False)  # the box shows the cell's own number again
            self._number_said.say(str(problem))

    def _valued(self, value: float, gesture: object = None) -> None:
        self._leave_before()
        panel, row, column = self._cell
        self.model.edit(panel, row, column or 0, value, gesture)
        self._refresh()

    def _preset_chosen(self, change: Any) -> None:
        if not self._busy and change.new:
            self._load(preset(change.new), "")

    def _sentence_given(self, _: Any) -> None:
        try:
            state = own_sentence(self._sentence.value)
        except ValueError as problem:
            self._say(str(problem))
            return
        self._load(state, MESSAGES["own"])
        self._set(self._preset, None)

    def _load(self, state: State, said: str) -> None:
        self.model.load(state)
        self._rebuild(said)

    def _undo(self, _: Any) -> None:
        tokens = self.model.state.tokens
        if not self.model.undo():
            self._say(MESSAGES["nothing_to_undo"])
        elif self.model.state.tokens != tokens:
            self._set(self._preset, None)
            self._rebuild(MESSAGES["undone"])
        else:
            self._leave_before()
            self._refresh(said=MESSAGES["undone"])

    def _reset(self, _: Any) -> None:
        self._leave_before()
        self.model.reset()
        self._refresh(said=MESSAGES["reset"])

    def _before_pressed(self, change: Any) -> None:
        if self._busy:
            return
        if not change.new:
            self._refresh(changed=False)
        elif (before := self.model.before()) is None:
            self._set(self._before, False)
            self._say(MESSAGES["no_before"])
        else:
            shown, now = self._matrices(before, before.trace()), self._matrices()
            moved = {name: shown[name].round(2) != now[name].round(2) for name in now}
            self.view.update(shown, changed=moved)
            self._say(MESSAGES["before"])

    def _step_by(self, by: int) -> None:
        self.model.step = (self.model.step + by) % len(STEPS)
        self._refresh(changed=False)

    # -- what is shown ----------------------------------------------------------------------

    def _matrices(self, state: State | None = None, trace: AttentionTrace | None = None) -> dict[str, NDArray[Any]]:
        state, trace = state or self.model.state, trace or self.model.trace
        shown = {name: getattr(state, name) for name in ("X", *PROJECTIONS)}
        shown |= {"Q": trace.Q, "K": trace.K, "V": trace.V, "scores": trace.scores}
        return shown | {"scaled scores": trace.scaled_scores, "weights": trace.weights, "output": trace.output}

    def _panels(self) -> dict[str, Panel]:
        tokens, panels = list(self.model.state.tokens), {}
        for name, matrix in self._matrices().items():
            if name in PROJECTIONS:
                panel = Panel(matrix, editable=True, low=LOW, high=HIGH, step=STEP, limit=HIGH, small=True)
                panel = replace(panel, row_axis="from", column_axis="to")
            elif name in ("scores", "scaled scores"):
                panel = Panel(matrix, tokens, tokens, small=True)
            elif name == "weights":
                panel = Panel(matrix, tokens, tokens, kind="weights", digits=3, small=True)
            else:
                panel = Panel(matrix, tokens, row_axis="token", column_axis="dim", small=True)
            panels[name] = panel
        return panels

    def _rebuild(self, said: str) -> None:
        self._leave_before()
        self._cell = Cell("W_Q", 0, 0)
        with self.view.batch():
            self.view.replace(self._panels(), arrangement=ARRANGEMENT)
            self.view.select(*self._cell)
            self._refresh(changed=False, said=said)

    def _refresh(self, changed: bool = True, said: str = "") -> None:
        i, j = self.model.state.query, self.model.key
        rows = {name: [(i, None)] for name in ("X", "Q", "output")} | {name: [(j, None)] for name in ("K", "V")}
        pair = {name: [(i, j)] for name in ("scores", "scaled scores", "weights")}
        self.view.update(self._matrices(), changed=changed, highlight={**rows, **pair})
        self._say(said)
        self._number_said.say()
        self._follow_soon()

    def _follow_soon(self) -> None:
        """Let words and slider follow once the picture is on its way: in a drag, once for several edits."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: a test, or a script
            self._follow()
            return
        if not self._following:
            self._following = True
            rested = time.monotonic() - self._followed
            loop.call_later(max(FOLLOW_AFTER, FOLLOW_EVERY - rested), self._follow)

    def _follow(self) -> None:
        self._following, self._followed = False, time.monotonic()
        model, (panel, row, column) = self.model, self._cell
        self._goal.say(model.goal_text(), strong=True)
        self._arithmetic.value = model.arithmetic()
        self._code.refresh()
        value = float(getattr(model.state, panel)[row, column])
        self._set(self._slider, round((value - LOW) / STEP))
        self._set(self._number, f"{value:g}")
        self._slider_label.value = MESSAGES["cell"].format(panel=panel, row=row, column=column)

    def _say(self, text: str) -> None:
        self._message.say(text)

    def _leave_before(self) -> None:
        self._set(self._before, False)

    def _make_controls(self, name: str) -> None:
        self._preset = choice(LABELS["preset"], PRESETS, name, width="28em")
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"])
        hint = ipywidgets.Label(LABELS["hint"])
        self._top = ipywidgets.VBox([ipywidgets.HBox([self._preset, self._sentence], layout=WRAP), hint])
        self._slider_label = ipywidgets.Label()
        # In whole steps: a FloatSlider that Python moves sends 0.4500000000000002 back for 0.45, as a late edit.
        steps = round((HIGH - LOW) / STEP)
        self._slider = ipywidgets.IntSlider(max=steps, readout=False, description=LABELS["cell"], style=WIDE)
        self._number = ipywidgets.Text(continuous_update=False, layout={"width": "6em"})
        self._number.add_class("explorer-number")
        self._sentence.add_class("explorer-sentence")
        self._number_said = Sentence("explorer-number-said")
        buttons = make_buttons(LABELS, "undo", "reset", "back", "forward")
        self._before = ipywidgets.ToggleButton(description=LABELS["before"], layout={"width": "auto"})
        self._code = CodeBox(LABELS["code"], self.model.code, height="11em")
        row = [self._slider, self._slider_label, self._number, self._number_said]
        row += [buttons["undo"], buttons["reset"], self._before, self._code.switch]
        self._bottom = ipywidgets.HBox(row, layout=WRAP)
        self._message, self._goal = Sentence("explorer-message"), Sentence("explorer-goal")
        self._arithmetic = ipywidgets.HTML()
        self._arithmetic.add_class("explorer-arithmetic")
        steps_row = [buttons["back"], buttons["forward"], self._arithmetic]
        self._steps = ipywidgets.HBox(steps_row, layout={"align_items": "center"})
        self._preset.observe(self._preset_chosen, "value")
        self._sentence.observe(self._sentence_given, "value")
        self._slider.observe(self._slid, "value")
        self._number.observe(self._typed, "value")
        self._before.observe(self._before_pressed, "value")
        buttons["undo"].on_click(self._undo)
        buttons["reset"].on_click(self._reset)
        buttons["back"].on_click(lambda _: self._step_by(-1))
        buttons["forward"].on_click(lambda _: self._step_by(1))

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The chain as it is now, for readers without a kernel."""
        return self.view.still_figure()

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return f"Explorer. {self.model.goal_text()}"


ARRANGEMENT = [["X", "W_Q", "Q", "W_K", "K"], ["scores", "scaled scores"], ["weights", "W_V", "V", "output"]]
STILL_TITLE = "The explorer: 배 and its map, before any edit"


def _one_hot(example: WorkedExample) -> State:
    """An example that gives Q, K and V alone: with one-hot embeddings, row i of W_Q is the query of token i."""
    Q, K, V = (example.inputs[name] for name in "QKV")
    return State(example.tokens, np.eye(len(Q)), Q, K, V, example.index())


def _on_grid(array: NDArray[Any]) -> NDArray[Any]:
    return (np.round(array / STEP) * STEP).round(2)


def _number(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".").replace("-", "−") if abs(value) >= 0.0005 else "0"


def _row(values: NDArray[Any]) -> str:
    return "[" + ", ".join(_number(value) for value in values) + "]"


def _products(a: NDArray[Any], b: NDArray[Any]) -> str:
    return " + ".join(f"{_number(x)}·{_number(y)}" for x, y in zip(a, b))
