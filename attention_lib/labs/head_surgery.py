"""Head surgery: switch heads off or average their maps, cut the layer anew, exchange W_O, and see what ΔE loses.

First a plain model, numpy alone; then the controls, which pass values and
nothing more.
"""

from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..examples.made_up_heads import HeadSentence, load_heads_example
from ..multi_head import MultiHeadTrace, merge_heads
from ..view.controls import WIDE, WRAP, CodeBox, History, Lab, Sentence, choice, make_buttons
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel

EXAMPLE = load_heads_example()
D_MODEL = len(EXAMPLE.features)
CUTS = tuple(h for h in range(1, D_MODEL + 1) if D_MODEL % h == 0)  # numbers of heads that divide the width
MADE_FOR = len(EXAMPLE.head_names)
LOW, HIGH, STEP = -2.0, 2.0, 0.1
SHOWN = 0.005  # smaller numbers read 0.00

MODES = {"on": "on", "off": "off", "averaged": "averaged"}
OUTPUTS = {
    "own": "as it was made",
    "identity": "identity: no W_O, as in article 004",
    "exchanged": "rows of the first two of four heads exchanged",
    "stacked": "all heads into the same columns",
    "random": "random numbers",
}
SENTENCES = {
    name: " ".join(sentence.tokens) for name, sentence in EXAMPLE.sentences.items() if len(sentence.tokens) > 1
}
PRESETS = {
    "made": "as it was made",
    "one_off": "modifier head off",
    "averaged": "subject and modifier heads averaged",
    "wide": "one wide head",
    "idle": "name and size heads off",
    "needed": "Miniature Eiffel Tower, name head off",
    "no_W_O": "no W_O, as in article 004",
}
LABELS = {
    "preset": "start from",
    "sentence": "sentence",
    "n_heads": "H, heads",
    "output": "W_O",
    "own numbers": "your numbers",
    "head": "head {i}",
    "undo": "undo",
    "reset": "reset",
    "code": "copy as code",
    "hint": "Point at a head to see it large, with its digits; click a word to follow it. "
    "Averaged heads share the mean of their maps. "
    "A number of W_O can be dragged, typed, or moved with the arrow keys.",
}
MESSAGES = {
    "changed": "ΔE of {query} is now {now}; as it was made, {before}.",
    "same": "ΔE of {query} is {now}, as it was made.",
    "entry": "{feature} {value:.2f}",
    "nothing": "0 in every column",
    "head": "head {i}",
    "made for": "head {i}: {name}",
    "reads": "{mode}. {query}: {keys}",
    "key": "{key} {weight:.2f}",
    "alike": "all {n} words alike, {weight:.2f}",
    "alone": "averaged (alone: as it is)",
    "enlarged": "This is head {i}.",
    "sum": "sum = ΔE",
    "terms": "{query}: what each head adds through its own rows of W_O.",
    "fixed": "W_O acts after the maps: no number here moves a weight.",
    "not whole": "“{text}” is not a whole number, so H stays {h}.",
    "does not divide": "{text} does not divide d_model = {d}; H can be {cuts}. It stays {h}.",
    "heads reset": "New heads, all on.",
    "loaded": "Now: {label}. Undo leads back to what you had.",
    "undone": "Undone.",
    "nothing to undo": "There is nothing left to undo.",
    "reset": "As it was made. Undo brings your state back.",
    "still title": "Heads side by side: each looks its own way",
    "still text": "Head surgery. {sentence}",
}


# -- the model ----------------------------------------------------------------------------------------


def output_matrix(name: str, n_heads: int) -> NDArray[Any]:
    """Return a W_O by its name in `OUTPUTS`, (d_model, d_model)."""
    made, d_h = EXAMPLE.W_O, D_MODEL // MADE_FOR
    match name:
        case "own":
            return made
        case "identity":
            return np.eye(D_MODEL)
        case "exchanged":
            return np.vstack([made[d_h : 2 * d_h], made[:d_h], made[2 * d_h :]])
        case "stacked":
            return np.tile(np.eye(D_MODEL // n_heads, D_MODEL), (n_heads, 1))
        case "random":
            return np.random.default_rng(0).normal(size=(D_MODEL, D_MODEL)).round(1).clip(LOW, HIGH)
    raise ValueError(f"there is no W_O {name!r}; there are {', '.join(OUTPUTS)}")


@dataclass(frozen=True, eq=False)
class State:
    """What the controls say."""

    sentence: str = "dog_barked"
    n_heads: int = MADE_FOR
    modes: tuple[str, ...] = ("on",) * MADE_FOR  # one of MODES for each head
    output: str = "own"  # a name in OUTPUTS, or "" for the reader's own numbers
    W_O: NDArray[Any] = field(default_factory=lambda: EXAMPLE.W_O)  # (d_model, d_model)

    def is_like(self, other: "State") -> bool:
        """Whether every control says the same."""
        return replace(self, W_O=other.W_O).__dict__ == other.__dict__ and np.array_equal(self.W_O, other.W_O)


@cache
def start_of(preset: str) -> State:
    """Return the state of a preset.

    Raises
    ------
    ValueError
        If there is no such preset.
    """
    states = {
        "made": State(),
        "one_off": State(modes=("on", "off", "on", "on")),
        "averaged": State(modes=("averaged", "averaged", "on", "on")),
        "wide": State(n_heads=1, modes=("on",)),
        "idle": State(modes=("on", "on", "off", "off")),
        "needed": State("miniature_eiffel_tower", modes=("on", "on", "off", "on")),
        "no_W_O": State(output="identity", W_O=np.eye(D_MODEL)),
    }
    if preset not in states:
        raise ValueError(f"there is no preset {preset!r}; the presets are {', '.join(states)}")
    return states[preset]


@dataclass(frozen=True, eq=False)
class Surgery:
    """What is left of a layer after the operation."""

    weights: NDArray[Any]  # (h, n, n)
    contributions: NDArray[Any]  # (h, n, d_model), through W_O; 0 for a head that is off
    delta: NDArray[Any]  # (n, d_model), ΔE: the sum of the contributions


def operate(trace: MultiHeadTrace, modes: tuple[str, ...], W_O: NDArray[Any]) -> Surgery:
    """Switch heads off, average maps, and send what is left through W_O.

    The trace is read, never calculated again: modes and W_O act after its maps.
    """
    weights = trace.heads.weights.copy()  # (h, n, n)
    averaged = [i for i, mode in enumerate(modes) if mode == "averaged"]
    if averaged:
        weights[averaged] = weights[averaged].mean(axis=0)
    head_output = weights @ trace.heads.V  # (h, n, d_h)
    head_output[[mode == "off" for mode in modes]] = 0
    own_rows = W_O.reshape(len(modes), -1, W_O.shape[1])  # (h, d_h, d_model)
    return Surgery(weights, head_output @ own_rows, merge_heads(head_output) @ W_O)


class SurgeryModel:
    """The state, the trace of its sentence and cut, the operation, and the way back.

    Examples
    --------
    >>> model = SurgeryModel()
    >>> model.set_mode(1, "off")
    >>> model.summary()
    'ΔE of barked is now doer 0.98; as it was made, doer 0.98, company −0.98.'
    """

    state: State
    trace: MultiHeadTrace  # as calculated, before the operation
    surgery: Surgery
    before: NDArray[Any]  # (n, d_model), ΔE of the layer as it was made
    row: int  # the word that is followed
    head: int  # the head that is enlarged

    def __init__(self, preset: str = "made") -> None:
        self._past: History[tuple[State, int, int]] = History()  # (state, row, head) before each gesture
        self._traced: tuple[str, int] | None = None
        self._show(start_of(preset))

    def load(self, preset: str) -> None:
        """Go to a preset."""
        self._move(start_of(preset))

    def set_sentence(self, name: str) -> None:
        """Read another sentence with the same layer."""
        self._move(replace(self.state, sentence=name))

    def set_heads(self, n_heads: int) -> None:
        """Cut the same matrices into another number of heads; all of them are on."""
        W_O = output_matrix(self.state.output, n_heads) if self.state.output else self.state.W_O
        self._move(replace(self.state, n_heads=n_heads, modes=("on",) * n_heads, W_O=W_O))

    def set_mode(self, head: int, mode: str) -> None:
        """Set one head on, off or averaged."""
        modes = list(self.state.modes)
        modes[head] = mode
        self._move(replace(self.state, modes=tuple(modes)))

    def set_output(self, name: str) -> None:
        """Exchange W_O."""
        self._move(replace(self.state, output=name, W_O=output_matrix(name, self.state.n_heads)))

    def edit(self, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one number of W_O; changes of one gesture are undone together."""
        W_O = self.state.W_O.copy()
        W_O[row, column] = np.clip(round(value, 4), LOW, HIGH)
        self._move(replace(self.state, output="", W_O=W_O), gesture)

    def follow(self, row: int) -> None:
        """Follow another word of the sentence."""
        self.row = row

    def enlarge(self, head: int) -> None:
        """Enlarge another head."""
        self.head = head

    def undo(self) -> bool:
        """Go back one change; False where there is none."""
        before = self._past.back()
        if before is None:
            return False
        state, row, head = before
        self._show(state)
        self.row, self.head = row, head
        return True

    @property
    def preset(self) -> str | None:
        """The preset that the state is now; None where it is none."""
        return next((name for name in PRESETS if start_of(name).is_like(self.state)), None)

    @property
    def sentence(self) -> HeadSentence:
        """The sentence that is read."""
        return EXAMPLE.sentences[self.state.sentence]

    @property
    def query(self) -> str:
        """The word that is followed."""
        return self.sentence.tokens[self.row]

    def head_label(self, i: int) -> str:
        """Name a head; with what it was made for, as long as the cut is the one it was made for."""
        if self.state.n_heads == MADE_FOR:
            return MESSAGES["made for"].format(i=i, name=EXAMPLE.head_names[i])
        return MESSAGES["head"].format(i=i)

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return everything shown, by name of panel."""
        now = self.surgery
        maps = {MESSAGES["head"].format(i=i): weights for i, weights in enumerate(now.weights)}
        terms = np.vstack([now.contributions[:, self.row], now.delta[self.row]])  # (h + 1, d_model)
        return maps | {
            "enlarged": now.weights[self.head],
            "W_O": self.state.W_O,
            "terms": terms,
            "ΔE": now.delta,
            "ΔE as made": self.before,
            "E'": self.sentence.X + now.delta,
        }

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        said = {MESSAGES["head"].format(i=i): self._reading(i) for i in range(self.state.n_heads)}
        said["enlarged"] = MESSAGES["enlarged"].format(i=self.head)
        return said | {"terms": MESSAGES["terms"].format(query=self.query), "W_O": MESSAGES["fixed"]}

    def summary(self) -> str:
        """Say what the followed word is given, now and by the layer as it was made."""
        now, before = self.surgery.delta[self.row], self.before[self.row]
        kind = "same" if np.allclose(now, before, rtol=0, atol=SHOWN) else "changed"
        return MESSAGES[kind].format(query=self.query, now=_entries(now), before=_entries(before))

    def code(self) -> str:
        """Lines that give the same ΔE, with attention_lib alone."""
        state = self.state
        averaged = [i for i, mode in enumerate(state.modes) if mode == "averaged"]
        off = [i for i, mode in enumerate(state.modes) if mode == "off"]
        lines = [
            "import numpy as np",
            "from attention_lib import merge_heads",
            "from attention_lib.examples.made_up_heads import load_heads_example",
            "",
            "example = load_heads_example()",
            f'trace = example.layer({state.n_heads})(example.sentences["{state.sentence}"].X)',
            "weights = trace.heads.weights.copy()  # (h, n, n)",
        ]
        if averaged:
            lines.append(f"weights[{averaged}] = weights[{averaged}].mean(axis=0)")
        lines.append("head_output = weights @ trace.heads.V  # (h, n, d_h)")
        if off:
            lines.append(f"head_output[{off}] = 0")
        lines.append(f"W_O = np.array({state.W_O.tolist()})")
        return "\n".join([*lines, "delta = merge_heads(head_output) @ W_O  # (n, d_model)", "delta.round(2)"])

    def _reading(self, i: int) -> str:
        mode, row = self.state.modes[i], self.surgery.weights[i, self.row]
        said = MODES[mode]
        if mode == "averaged" and self.state.modes.count("averaged") == 1:
            said = MESSAGES["alone"]
        top = [j for j in range(len(row)) if row[j] > row.max() - 1e-9]
        if len(top) == len(row) > 1:
            keys = MESSAGES["alike"].format(n=len(row), weight=row[0])
        else:
            keys = ", ".join(MESSAGES["key"].format(key=self.sentence.tokens[j], weight=row[j]) for j in top)
        return MESSAGES["reads"].format(mode=said, query=self.query, keys=keys)

    def _move(self, state: State, gesture: object = None) -> None:
        here = (self.state, self.row, self.head)
        self._show(state)  # first: if it cannot be calculated, nothing changes
        if not state.is_like(here[0]):  # what changes nothing is no step
            self._past.keep(here, gesture)

    def _show(self, state: State) -> None:
        cut = (state.sentence, state.n_heads)
        X = EXAMPLE.sentences[state.sentence].X
        new = cut != self._traced
        trace = EXAMPLE.layer(state.n_heads)(X) if new else self.trace
        self.surgery = operate(trace, state.modes, state.W_O)
        if self._traced is None or self._traced[0] != state.sentence:
            made = trace if state.n_heads == MADE_FOR else EXAMPLE.layer()(X)
            self.before = made.output  # (n, d_model)
            self.row = EXAMPLE.sentences[state.sentence].row
        self.head = min(self.head, state.n_heads - 1) if self._traced else 0
        self.state, self.trace, self._traced = state, trace, cut


def _entries(row: NDArray[Any]) -> str:
    """Name the columns that do not read 0.00."""
    named = [
        MESSAGES["entry"].format(feature=feature, value=value).replace("-", "−")
        for feature, value in zip(EXAMPLE.features, row)
        if abs(value) >= SHOWN
    ]
    return ", ".join(named) or MESSAGES["nothing"]


# -- the lab ------------------------------------------------------------------------------------------


class HeadSurgeryLab(Lab):
    """The head surgery lab.

    Parameters
    ----------
    preset : str, optional
        A key of `PRESETS` to start with.
    """

    def __init__(self, preset: str = "made") -> None:
        self.model = SurgeryModel(preset)
        self._shape = self._shape_now()
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=self._arrangement(), still=["enlarged"])
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        self.view.on_hover(self._hovered)
        super().__init__([self._top, self._summary, self._message, self.view, self._code.area])
        self.add_class("head-surgery")
        self._refresh(changed=False)

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self.model.edit(edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        if cell is None or cell.panel in ("W_O", "terms"):
            return
        self.model.follow(cell.row)
        self._enlarge(cell.panel)
        self._refresh(changed=False)

    def _hovered(self, cell: Cell | None) -> None:
        if cell is not None and self._enlarge(cell.panel):
            self._refresh(changed=False)

    def _enlarge(self, panel: str) -> bool:
        """Enlarge the head of a panel; False where it is none, or enlarged already."""
        name, _, number = panel.partition(" ")
        if name != "head" or int(number) == self.model.head:
            return False
        self.model.enlarge(int(number))
        return True

    def _preset_chosen(self, change: Any) -> None:
        if not self._busy and change.new is not None:
            self.model.load(change.new)
            self._refresh(said=MESSAGES["loaded"].format(label=PRESETS[change.new]))

    def _sentence_chosen(self, change: Any) -> None:
        if not self._busy:
            self.model.set_sentence(change.new)
            self._refresh()

    def _slid(self, change: Any) -> None:
        if not self._busy:
            self.model.set_heads(change.new)
            self._refresh(said=MESSAGES["heads reset"])

    def _typed(self, change: Any) -> None:
        if self._busy:
            return
        text, h = change.new.strip(), self.model.state.n_heads
        told = {"text": text, "h": h, "d": D_MODEL, "cuts": ", ".join(map(str, CUTS))}
        if not text.isdecimal():
            self._refresh(changed=False, said=MESSAGES["not whole"].format(**told))
        elif int(text[:9]) not in CUTS:
            self._refresh(changed=False, said=MESSAGES["does not divide"].format(**told))
        elif int(text) != h:
            self.model.set_heads(int(text))
            self._refresh(said=MESSAGES["heads reset"])

    def _mode_chosen(self, head: int, mode: str) -> None:
        if not self._busy:
            self.model.set_mode(head, mode)
            self._refresh()

    def _output_chosen(self, change: Any) -> None:
        if not self._busy and change.new:
            self.model.set_output(change.new)
            self._refresh()

    def _undo(self, _: Any) -> None:
        undone = self.model.undo()
        self._refresh(changed=False, said=MESSAGES["undone" if undone else "nothing to undo"])

    def _reset(self, _: Any) -> None:
        self.model.load("made")
        self._refresh(changed=False, said=MESSAGES["reset"])

    # -- what is shown ----------------------------------------------------------------------

    def _shape_now(self) -> tuple[str, int]:
        return self.model.state.sentence, self.model.state.n_heads

    def _arrangement(self) -> list[list[str]]:
        maps = [MESSAGES["head"].format(i=i) for i in range(self.model.state.n_heads)]
        return [[*maps, "enlarged", "terms"], ["W_O", "ΔE"], ["ΔE as made", "E'"]]

    def _panels(self) -> dict[str, Panel]:
        model, h = self.model, self.model.state.n_heads
        tokens, features = model.sentence.tokens, EXAMPLE.features
        rows = [f"head {i // (D_MODEL // h)} · {i % (D_MODEL // h)}" for i in range(D_MODEL)]
        terms = [MESSAGES["head"].format(i=i) for i in range(h)] + [MESSAGES["sum"]]
        word: dict[str, Any] = {"row_axis": "token", "column_axis": "feature", "small": True, "limit": 2.0}
        panels = {}
        for name, values in model.matrices().items():
            if name.startswith("head"):
                label = model.head_label(int(name.split()[1]))
                panels[name] = Panel(
                    values, tokens, tokens, kind="weights", title=label, small=True, dense=True, stretch=False
                )
            elif name == "enlarged":
                panels[name] = Panel(values, tokens, tokens, kind="weights")
            elif name == "W_O":
                ends: dict[str, Any] = {"low": LOW, "high": HIGH, "step": STEP, "editable": True, "digits": 1}
                panels[name] = Panel(values, rows, features, **word | {"row_axis": "column of concat"}, **ends)
            elif name == "terms":
                panels[name] = Panel(values, terms, features, **word | {"row_axis": "term"})
            else:
                panels[name] = Panel(values, tokens, features, **word)
        return panels

    def _refresh(self, changed: bool = True, said: str = "") -> None:
        """Show the model's state; `changed`: outline what a change of the reader's moved, not what a way back did."""
        model = self.model
        with self.view.batch():
            if self._shape != self._shape_now():
                self._shape, changed = self._shape_now(), False
                self.view.replace(self._panels(), arrangement=self._arrangement())
            marks = {name: [(model.row, None)] for name in model.matrices() if name not in ("W_O", "terms")}
            self.view.update(model.matrices(), captions=model.captions(), changed=changed, highlight=marks)
        with self.hold_sync():
            self._summary.say(model.summary(), strong=True)
            self._message.say(said)
            self._code.refresh()
        self._follow_state()

    def _follow_state(self) -> None:
        """Let every control say what the state says."""
        state = self.model.state
        with self._quietly():
            self._preset.value = self.model.preset  # none where the state is none: then each can be chosen again
            self._sentence.value = state.sentence
            self._slider.value = state.n_heads
            self._text.value = str(state.n_heads)
            self._output.value = state.output
            for i, mode in enumerate(self._mode_choices):
                mode.layout.display = "" if i < state.n_heads else "none"
                mode.value = state.modes[i] if i < state.n_heads else "on"

    def _make_controls(self) -> None:
        state = self.model.state
        self._preset = choice(LABELS["preset"], PRESETS, None, "31em")
        self._sentence = choice(LABELS["sentence"], SENTENCES, state.sentence, "29em")
        outputs = OUTPUTS | {"": LABELS["own numbers"]}
        self._output = choice(LABELS["output"], outputs, state.output, "36em")
        self._slider = ipywidgets.SelectionSlider(
            options=CUTS, value=state.n_heads, description=LABELS["n_heads"], style=WIDE, readout=False
        )
        self._text = ipywidgets.Text(str(state.n_heads), continuous_update=False, layout={"width": "4em"})
        self._mode_choices = [choice(LABELS["head"].format(i=i), MODES, "on", "12em") for i in range(D_MODEL)]
        self.buttons = make_buttons(LABELS, "undo", "reset")
        self._code = CodeBox(LABELS["code"], self.model.code)
        self._summary, self._message = Sentence("head-surgery-summary"), Sentence("head-surgery-message")
        hint = Sentence(text=LABELS["hint"])
        lines = [
            [self._preset, self._sentence],
            [self._slider, self._text, self._output],
            self._mode_choices,
            [*self.buttons.values(), self._code.switch],
        ]
        self._top = ipywidgets.VBox([*(ipywidgets.HBox(line, layout=WRAP) for line in lines), hint])
        self._preset.observe(self._preset_chosen, "value")
        self._sentence.observe(self._sentence_chosen, "value")
        self._output.observe(self._output_chosen, "value")
        self._slider.observe(self._slid, "value")
        self._text.observe(self._typed, "value")
        for i, each in enumerate(self._mode_choices):
            each.observe(lambda change, i=i: self._mode_chosen(i, change.new), "value")
        self.buttons["undo"].on_click(self._undo)
        self.buttons["reset"].on_click(self._reset)

    # -- the still picture ------------------------------------------------------------------

    def still_figure(self) -> Any:
        """The heads as they are now, for readers without a kernel."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        tokens = self.model.sentence.tokens
        maps = {self.model.head_label(i): weights for i, weights in enumerate(self.model.surgery.weights)}
        return plots.heatmaps(maps, tokens, tokens, title=MESSAGES["still title"], vmax=1)

    def still_text(self) -> str:
        """Say in words what the picture shows."""
        return MESSAGES["still text"].format(sentence=self.model.summary())
