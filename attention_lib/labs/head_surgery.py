"""Head surgery: switch heads off or average their maps, cut the layer anew, exchange W_O, and see what ΔE loses.

`SurgeryModel` is plain; `HeadSurgeryLab` shows it and passes on what the reader does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.surgery import Surgery, operate
from ..examples.made_up_heads import HeadSentence, load_heads_example, surgery_code
from ..multi_head import MultiHeadTrace, merge_heads
from ..view.chain import Chain, Given, step
from ..view.controls import WRAP, GoalLine, NumberSlider, Sentence, choice
from ..view.follow import Written
from ..view.history import Reversible, preset_of
from ..view.lab import Lab
from ..view.matrix_view import Cell, Edit, MatrixView
from ..view.panel import Panel
from . import surgery_words
from .surgery_words import MESSAGES, MODES

EXAMPLE = load_heads_example()
D_MODEL = len(EXAMPLE.features)
CUTS = tuple(h for h in range(1, D_MODEL + 1) if D_MODEL % h == 0)  # numbers of heads that divide the width
MADE_FOR = len(EXAMPLE.head_names)
LOW, HIGH, STEP = -2.0, 2.0, 0.1
HEADS = tuple(f"head {i}" for i in range(D_MODEL))  # their panels

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
    "sentence": "sentence",
    "n_heads": "H, heads",
    "output": "W_O",
    "own numbers": "your numbers",
    "hint": "Point at a head to see it large; click a word to follow it. Keys: ← → between the heads, ↓ switches.",
}


@dataclass(frozen=True, eq=False)
class SurgeryState:
    """What the controls say."""

    sentence: str = "dog_barked"
    n_heads: int = MADE_FOR
    modes: tuple[str, ...] = ("on",) * MADE_FOR  # one of MODES for each head
    output: str = "own"  # a name in OUTPUTS, or "" for the reader's own numbers
    W_O: NDArray[Any] = field(default_factory=lambda: EXAMPLE.W_O)  # (d_model, d_model)


STATES = {
    "made": SurgeryState(),
    "one_off": SurgeryState(modes=("on", "off", "on", "on")),
    "averaged": SurgeryState(modes=("averaged", "averaged", "on", "on")),
    "wide": SurgeryState(n_heads=1, modes=("on",)),
    "idle": SurgeryState(modes=("on", "on", "off", "off")),
    "needed": SurgeryState("miniature_eiffel_tower", modes=("on", "on", "off", "on")),
    "no_W_O": SurgeryState(output="identity", W_O=np.eye(D_MODEL)),
}


class SurgeryModel(Reversible[SurgeryState]):
    """The state, the trace of its sentence and cut, the operation, and the way back.

    Examples
    --------
    >>> model = SurgeryModel()
    >>> model.set_mode(1, "off")
    >>> model.summary()
    'ΔE of barked is now doer 0.98; as it was made, doer 0.98, company −0.98.'
    """

    panels = HEADS
    presets = STATES
    trace: MultiHeadTrace  # as calculated, before the operation
    surgery: Surgery
    before: NDArray[Any]  # (n, d_model), ΔE of the layer as it was made
    row: int  # the word that is followed

    def __init__(self, preset: str = "made") -> None:
        self._enlarged = 0
        self._tried: dict[tuple[str, int, int, str], set[int]] = {}  # the heads that were off alone, by what was asked
        self._traced: tuple[str, int] | None = None
        super().__init__(preset_of(STATES, preset))

    def set_sentence(self, name: str) -> None:
        """Read another sentence with the same layer."""
        self._go(replace(self.state, sentence=name))

    def set_heads(self, n_heads: int) -> None:
        """Cut the same matrices into another number of heads; all of them are on."""
        W_O = EXAMPLE.output_matrix(self.state.output, n_heads) if self.state.output else self.state.W_O
        self._go(replace(self.state, n_heads=n_heads, modes=("on",) * n_heads, W_O=W_O))

    def set_mode(self, head: int, mode: str) -> None:
        """Set one head on, off or averaged."""
        modes = list(self.state.modes)
        modes[head] = mode
        self._go(replace(self.state, modes=tuple(modes)))

    def set_output(self, name: str) -> None:
        """Exchange W_O."""
        self._go(replace(self.state, output=name, W_O=EXAMPLE.output_matrix(name, self.state.n_heads)))

    def edit(self, row: int, column: int, value: float, gesture: object = None) -> None:
        """Change one number of W_O; changes of one gesture are undone together."""
        W_O = self.state.W_O.copy()
        W_O[row, column] = np.clip(round(value, 4), LOW, HIGH) + 0.0  # never -0
        self._go(replace(self.state, output="", W_O=W_O), gesture)

    def follow_word(self, row: int) -> None:
        """Follow another word."""
        self.row = row
        self._note()

    def enlarge(self, head: int) -> None:
        """Enlarge another head."""
        self._enlarged = head

    @property
    def head(self) -> int:
        """The head that is enlarged; the last one where there are fewer."""
        return min(self._enlarged, self.state.n_heads - 1)

    @property
    def sentence(self) -> HeadSentence:
        """The sentence that is read."""
        return EXAMPLE.sentences[self.state.sentence]

    @property
    def query(self) -> str:
        """The word that is followed."""
        return self.sentence.tokens[self.row]

    @property
    def tried(self) -> set[int]:
        """The heads that were seen off alone, for this word of this sentence, by this cut and this W_O."""
        return self._tried.get(self._asked, set())

    def begin_again(self) -> bool:
        """Forget which heads were seen off alone; False where none was."""
        forgotten = any(self._tried.values())
        self._tried.clear()
        self._note()
        return forgotten

    def lost_without(self, i: int) -> NDArray[Any]:
        """What the followed word is given by one head where all are on, (d_model,)."""
        all_on = operate(self.trace, ("on",) * self.state.n_heads, self.state.W_O)
        lost: NDArray[Any] = all_on.contributions[i, self.row]
        return lost

    def head_label(self, i: int) -> str:
        """Name a head; with what it was made for, as long as the cut is the one it was made for."""
        if self.state.n_heads == MADE_FOR:
            return MESSAGES["made for"].format(i=i, name=EXAMPLE.head_names[i])
        return MESSAGES["head"].format(i=i)

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return everything shown, by name of panel."""
        now = self.surgery
        terms = np.vstack([now.contributions[:, self.row], now.delta[self.row]])  # (h + 1, d_model)
        return dict(zip(HEADS, now.weights)) | {
            "enlarged": now.weights[self.head],
            "W_O": self.state.W_O,
            "terms": terms,
            "ΔE": now.delta,
            "ΔE as made": self.before,
            "E'": self.sentence.X + now.delta,
        }

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        said = {HEADS[i]: surgery_words.caption(self, i) for i in range(self.state.n_heads)}
        said["enlarged"] = MESSAGES["enlarged"].format(head=self.head_label(self.head))
        return said | {"terms": MESSAGES["terms"].format(query=self.query), "W_O": MESSAGES["fixed"]}

    def summary(self) -> str:
        """Say what the followed word is given, now and by the layer as it was made."""
        return surgery_words.summary(self, Written({"ΔE": self.surgery.delta, "ΔE as made": self.before}))

    def code(self) -> str:
        """Lines that give the same ΔE, with attention_lib alone."""
        state = self.state
        return surgery_code(state.sentence, state.n_heads, state.modes, state.W_O)

    def _show(self, state: SurgeryState) -> None:
        cut = (state.sentence, state.n_heads)
        X = EXAMPLE.sentences[state.sentence].X
        new = cut != self._traced
        trace = EXAMPLE.layer(state.n_heads)(X) if new else self.trace
        self.surgery = operate(trace, state.modes, state.W_O)
        if self._traced is None or self._traced[0] != state.sentence:
            made = trace if state.n_heads == MADE_FOR else EXAMPLE.layer()(X)
            self.before = made.output  # (n, d_model)
            self.row = EXAMPLE.sentences[state.sentence].row
        self.state, self.trace, self._traced = state, trace, cut
        self._note()

    @property
    def _asked(self) -> tuple[str, int, int, str]:
        return self.state.sentence, self.state.n_heads, self.row, self.state.output

    def _note(self) -> None:
        """Remember which head is off alone; under numbers of the reader's own nothing is kept, for they move on."""
        off = [i for i, mode in enumerate(self.state.modes) if mode != "on"]
        if self.state.output and len(off) == 1 and self.state.modes[off[0]] == "off":
            self._tried.setdefault(self._asked, set()).add(off[0])


# -- the lab ------------------------------------------------------------------------------------------


class HeadSurgeryLab(Lab):
    """The head surgery lab.

    Parameters
    ----------
    preset : str, optional
        A key of `PRESETS` to start with.
    """

    model: SurgeryModel

    def __init__(self, preset: str = "made") -> None:
        self.model = SurgeryModel(preset)
        self._make_common(PRESETS, width="27em")
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=self._arrangement(), still=["enlarged"])
        self.view.on_edit(self._edited)
        self.view.on_select(self._selected)
        self.view.on_hover(self._hovered)
        self._begin("head-surgery", [self._top, self._modes, self._summary, self.view, self._code.area])

    # -- what the reader does ---------------------------------------------------------------

    def _edited(self, edit: Edit) -> None:
        self.model.edit(edit.row, edit.column, edit.value, edit.gesture)
        self._refresh()

    def _selected(self, cell: Cell | None) -> None:
        if cell is None or cell.panel in ("W_O", "terms"):
            return
        self.model.follow_word(cell.row)
        self._enlarge(cell.panel)
        self._refresh(changed=False)

    def _hovered(self, cell: Cell | None) -> None:
        if cell is not None and self._enlarge(cell.panel):
            self._refresh(changed=False)

    def _enlarge(self, panel: str) -> bool:
        """Enlarge the head of a panel; False where it is none, or enlarged already."""
        if panel not in HEADS or HEADS.index(panel) == self.model.head:
            return False
        self.model.enlarge(HEADS.index(panel))
        return True

    def _set_heads(self, n_heads: int, _: object) -> None:
        self.model.set_heads(n_heads)
        self._refresh(said=MESSAGES["heads reset"])

    def _change(self, change: Callable[..., None], *values: Any) -> None:
        change(*values)
        averaged = self.model.state.modes.count("averaged")
        self._refresh(said=MESSAGES["averaged" if averaged > 1 else "one averaged"] if averaged else "")

    # -- what is shown ----------------------------------------------------------------------

    def _begin_again(self) -> bool:
        return self.model.begin_again()

    def _shape(self) -> tuple[str, int]:
        return self.model.state.sentence, self.model.state.n_heads

    def _arrangement(self) -> list[list[str]]:
        return [[*HEADS[: self.model.state.n_heads]], ["W_O", "enlarged", "terms", "ΔE as made", "ΔE", "E'"]]

    def _panels(self) -> dict[str, Panel]:
        model, h = self.model, self.model.state.n_heads
        tokens, features = model.sentence.tokens, EXAMPLE.features
        places = (divmod(i, D_MODEL // h) for i in range(D_MODEL))
        rows = [MESSAGES["column"].format(i=i, column=column) for i, column in places]
        terms = [MESSAGES["head"].format(i=i) for i in range(h)] + [MESSAGES["sum"]]
        word: dict[str, Any] = {"row_axis": "token", "column_axis": "feature", "small": True, "limit": 2.0}
        panels = {}
        for name, values in model.matrices().items():
            if name in HEADS:
                label = model.head_label(HEADS.index(name))
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

    def _chain(self) -> Chain:
        return [
            step("terms", "matmul", "concat of the row, head by head", "W_O"),
            step("ΔE", "matmul", "concat", "W_O"),
            step("E'", "add", "E", "ΔE"),
        ]

    def _given(self) -> Given:
        model = self.model
        concat = merge_heads(model.surgery.head_output)  # (n, d_model)
        row = concat[model.row]  # (d_model,)
        own = np.repeat(np.eye(model.state.n_heads), len(row) // model.state.n_heads, axis=1)  # (h, d_model)
        return {"concat": concat, "E": model.sentence.X, "concat of the row, head by head": np.vstack([own * row, row])}

    def _sentences(self) -> dict[str, Any]:
        return surgery_words.lines(self.model)

    def _update(self, changed: bool) -> None:
        model = self.model
        marks: dict[str, list[tuple[int | None, int | None]]] = {
            name: [(model.row, None)] for name in model.matrices() if name not in ("W_O", "terms")
        }
        self.view.update(model.matrices(), captions=model.captions(), changed=changed, highlight=marks)

    def _follow(self) -> None:
        state = self.model.state
        self._goal.say(*surgery_words.goals(self.model), strong=len(self.model.tried) == state.n_heads)
        self._summary.say(self.model.summary(), strong=True)
        self._sentence.value = state.sentence
        self._heads.show(state.n_heads)
        self._output.value = state.output
        for i, mode in enumerate(self._mode_choices):
            mode.layout.display = "" if i < state.n_heads else "none"
            mode.value = state.modes[i] if i < state.n_heads else "on"
            mark = self.add_class if mode.value == "off" else self.remove_class
            mark(f"off-{i}")  # its map is grey and crossed

    def _make_controls(self) -> None:
        state = self.model.state
        self._sentence = choice(LABELS["sentence"], SENTENCES, state.sentence, "24em")
        outputs = OUTPUTS | {"": LABELS["own numbers"]}
        self._output = choice(LABELS["output"], outputs, state.output, "27em")
        self._heads = NumberSlider(LABELS["n_heads"], state.n_heads, on_change=self._set_heads, among=CUTS)
        self._mode_choices = [choice(MESSAGES["head"].format(i=i), MODES, "on", "11.5em") for i in range(D_MODEL)]
        self._summary = Sentence(surgery_words.SAID, says=True)
        self._goal, hint = GoalLine(), Sentence("lab-line", LABELS["hint"])
        ways, code = self._tools(*self.buttons.values()), self._tools(self._code.switch)
        lines = [[self._preset, self._sentence, ways], [self._heads, self._output, code], [hint, self._message]]
        self._top = ipywidgets.VBox([self._goal, *(ipywidgets.HBox(line, layout=WRAP) for line in lines)])
        self._modes = self._tools(*self._mode_choices)
        self._modes.add_class("surgery-modes")  # each above its map, where there is room
        self._sentence.observe(self._heard(partial(self._change, self.model.set_sentence)), "value")
        self._output.observe(self._heard(partial(self._change, self._set_output)), "value")
        for i, each in enumerate(self._mode_choices):
            each.observe(self._heard(partial(self._change, self.model.set_mode, i)), "value")

    def _set_output(self, name: str) -> None:
        if name:  # "" stands for the numbers there are
            self.model.set_output(name)

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
