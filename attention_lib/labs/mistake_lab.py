"""The mistake lab: one classic mistake at a time, the right map and the wrong one, and which check catches it.

`MistakeModel` is plain; `MistakeLab` shows it and passes on what the reader does.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from .._numbers import number_text
from ..mistakes.invariants import (
    BROKEN,
    N_HEADS,
    Verdict,
    follow,
    make_setup,
    moved_text,
    own_kind,
    try_follow,
    verdicts,
)
from ..mistakes.recipes import MISTAKES, RECIPES, RIGHT
from ..view.controls import WRAP, Sentence, choice, make_buttons, sentence_box
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel
from .mistake_words import KINDS, LABELS, MESSAGES, SHOWN_TEXTS, check_names, checks_text, verdict_table

SENTENCE = "나는 어제 배가 너무 고파서 밥을 먹었다"
LEAST_TOKENS, MOST_TOKENS = 3, 10
SHOWN = {  # what stands side by side
    "maps": ["right", "wrong"],
    "outputs": ["right output", "wrong output"],
    "differences": ["difference", "output difference"],
}

PRESETS = {
    "visible": "one that can be seen",
    "waits": "one that new numbers show",
    "quiet": "one that is hard to see",
    "hidden": "three words fit by chance",
    "cache": "a cache: the last two ask",
}


@dataclass(frozen=True)
class MistakeState:
    """What the reader has chosen and guessed."""

    sentence: str = SENTENCE
    mistake: str = "scaled_by_d_k"
    kind: str = "causal"
    head: int = 0
    shown: str = "maps"
    guess: str | None = None  # the last one
    named: bool = False  # whether the reader has been told which mistake it is


STATES = {  # of the presets
    "visible": MistakeState(mistake="softmax_over_queries"),
    "waits": MistakeState(mistake="finite_fill"),
    "quiet": MistakeState(mistake="scaled_by_d_k"),
    "hidden": MistakeState(mistake="transpose_missing", sentence="나는 밥을 먹었다"),  # three words, and d_k is 3
    "cache": MistakeState(mistake="causal_top_left", kind="cache"),
}


class MistakeModel(Reversible[MistakeState]):
    """A sentence, a mistake, and what both make of it.

    Parameters
    ----------
    mistake : str, optional
        A key of `RECIPES` to begin with, named, under the mask where it can show. Default: one to be found.

    Examples
    --------
    >>> model = MistakeModel()
    >>> model.choose("softmax_over_queries")
    >>> [verdict.name for verdict in model.verdicts() if verdict.catches]
    ['row sums', 'future', 'shift', 'cache']
    """

    presets = STATES

    def __init__(self, mistake: str | None = None) -> None:
        state = MistakeState()
        super().__init__(replace(state, mistake=mistake, kind=own_kind(mistake), named=True) if mistake else state)

    def choose(self, mistake: str) -> None:
        """Switch on one mistake, with the mask under which it can show."""
        self._go(replace(self.state, mistake=mistake, kind=own_kind(mistake), guess=None, named=True))

    def guess(self, mistake: str) -> bool:
        """Say whether this is the mistake; then it is named."""
        right = mistake == self.state.mistake
        self._go(replace(self.state, guess=mistake, named=self.named or right))
        return right

    def tell(self) -> None:
        """Name the mistake."""
        self._go(replace(self.state, named=True))

    @property
    def named(self) -> bool:
        """Whether the reader has been told which mistake it is."""
        return self.state.named

    @property
    def preset(self) -> str | None:
        """The preset that is shown, guessed or not; None where the reader has gone on."""
        asked = replace(self.state, guess=None, named=False)
        return next((name for name, state in STATES.items() if state == asked), None)

    def set_kind(self, kind: str) -> None:
        """Choose the mask."""
        self._go(replace(self.state, kind=kind))

    def set_head(self, head: int) -> None:
        """Choose the head that is shown."""
        self._go(replace(self.state, head=head))

    def show(self, shown: str) -> None:
        """Choose what stands side by side: maps, outputs, or the differences of both."""
        self._go(replace(self.state, shown=shown))

    def set_sentence(self, sentence: str) -> None:
        """Take another sentence; ValueError with a sentence of ours where it cannot be shown."""
        n = len(sentence.split())
        if not LEAST_TOKENS <= n <= MOST_TOKENS:
            raise ValueError(MESSAGES["empty"].format(least=LEAST_TOKENS, most=MOST_TOKENS, n=n))
        self._go(replace(self.state, sentence=sentence))

    # what is shown

    @property
    def queries(self) -> list[str]:
        """The words that ask."""
        return self.words[len(self.words) - self.setup.n_queries :]

    def pictures(self) -> dict[str, NDArray[Any]]:
        """Return the matrices that the lab shows; what is not a number, and a map that does not exist, as 0."""
        head = self.state.head
        right, right_output = self.right.weights[head], self.right.output
        wrong, wrong_output = np.zeros_like(right), np.zeros_like(right_output)
        if self.wrong is not None:
            wrong, wrong_output = _finite(self.wrong.weights[head]), _finite(self.wrong.output)
        return {
            "right": right,
            "wrong": wrong,
            "difference": wrong - right,
            "right output": right_output,
            "wrong output": wrong_output,
            "output difference": wrong_output - right_output,
        }

    def captions(self) -> dict[str, str]:
        """Return what is said under the panels."""
        pictures, head = self.pictures(), self.state.head
        captions = {
            "right": MESSAGES["right caption"].format(head=head),
            "wrong": MESSAGES["wrong caption"].format(head=head),
            "right output": MESSAGES["right output caption"],
            "wrong output": MESSAGES["wrong output caption"],
        }
        for name in ("difference", "output difference"):
            captions[name] = MESSAGES["difference caption"].format(largest=np.abs(pictures[name]).max())
        if self.wrong is None:
            captions |= dict.fromkeys([name for name in captions if not name.startswith("right")], MESSAGES["no map"])
        return captions

    def against(self, guess: str) -> str:
        """Say by what the reader could have seen that it is not this mistake."""
        other = copy(self)
        other._show(replace(self.state, mistake=guess))
        if (other.wrong is None) != (self.wrong is None):
            return MESSAGES["stops" if other.wrong is None else "runs"]
        if other._digits() != self._digits():
            return MESSAGES[self.state.shown]
        pairs = zip(self.verdicts(), other.verdicts())
        names = check_names(one.name for one, two in pairs if _answer(one) != _answer(two))
        return MESSAGES["other checks" if names else "no other"].format(names=names)

    def verdicts(self) -> list[Verdict]:
        """Return what each invariant says, computed on this sentence."""
        return verdicts(RECIPES[self.state.mistake], self.setup)

    def summary(self) -> str:
        """Say which mistake it is, how much it changes, and what catches it."""
        if not self.named:
            return f"{MESSAGES['guess first']} {self._change()}"
        mistake = MISTAKES[self.state.mistake]
        parts = [MESSAGES["summary"].format(title=mistake.title, sentence=mistake.sentence), self._change()]
        return " ".join([*parts, self.caught()])

    def caught(self) -> str:
        """Say which checks catch it."""
        names = check_names(verdict.name for verdict in self.verdicts() if verdict.catches)
        return MESSAGES["caught"].format(names=names) if names else MESSAGES["not caught"]

    def code(self) -> str:
        """Return lines that give the maps shown, with attention_lib alone."""
        return "\n".join(
            [
                "from attention_lib.mistakes.invariants import caught_by, follow, make_setup",
                "from attention_lib.mistakes.recipes import RECIPES, RIGHT",
                "",
                f"setup = make_setup({self.words!r}, {self.state.kind!r})",
                f"right = follow(RIGHT, setup).weights[{self.state.head}]",
                f"wrong = follow(RECIPES[{self.state.mistake!r}], setup).weights[{self.state.head}]",
                f"caught_by(RECIPES[{self.state.mistake!r}], setup)",
            ]
        )

    def _change(self) -> str:
        if self.wrong is None:
            return MESSAGES["no map"]
        n_nan = int((~np.isfinite(self.wrong.weights)).sum())
        if n_nan:
            return MESSAGES["nan"].format(n=n_nan)
        weights = np.abs(self.wrong.weights - self.right.weights).max()
        output = np.abs(self.wrong.output - self.right.output).max()
        if max(weights, output) < BROKEN:
            return MESSAGES["same"]
        return MESSAGES["differs"].format(weights=weights, output=output)

    def _digits(self) -> list[str]:
        """Return the numbers that are shown, as the reader sees them."""
        pictures = self.pictures()
        return [number_text(value) for name in SHOWN[self.state.shown] for value in pictures[name].ravel()]

    def _show(self, state: MistakeState) -> None:
        self.state = state
        self.words = state.sentence.split()
        self.setup = make_setup(self.words, state.kind)
        self.right = follow(RIGHT, self.setup)
        self.wrong = try_follow(RECIPES[state.mistake], self.setup)


def _finite(array: NDArray[Any]) -> NDArray[Any]:
    return np.where(np.isfinite(array), array, 0)


def _answer(verdict: Verdict) -> tuple[str, str, bool]:
    return verdict.name, moved_text(verdict.moved), verdict.catches


class MistakeLab(Lab):
    """The lab: choose a mistake, a mask and a head; see both maps, and every check's verdict.

    Parameters
    ----------
    mistake : str, optional
        A key of `RECIPES` to start with, named. Default: one that is not named until the reader has guessed.
    """

    model: MistakeModel

    def __init__(self, mistake: str | None = None) -> None:
        self.model = MistakeModel(mistake)
        self._make_common(PRESETS, width="22.5em", lines=11)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=self._arrangement(), still=SHOWN["maps"])
        beside = widgets.HBox([self.view, self._table], layout={**WRAP, "align_items": "flex-start"})
        checks = widgets.HTML(checks_text())  # across the page: opened, it moves nothing above
        self._begin("attention-mistakes", [self._top, self._said, beside, checks, self._code.area])

    # what the reader does

    def _chosen(self, choose: Callable[[Any], None], value: Any) -> None:
        choose(value)
        self._refresh()

    def _guessed(self, mistake: str) -> None:
        right = MESSAGES["right guess"].format(title=MISTAKES[mistake].title)
        said = right if self.model.guess(mistake) else self.model.against(mistake)
        self._refresh(said=said)

    def _tell(self) -> None:
        self.model.tell()
        self._refresh()

    def _sentence_given(self, text: str) -> None:
        self._try(lambda: self.model.set_sentence(text))

    # what is shown

    def _draw(self, changed: bool) -> None:
        self.view.still_panels = SHOWN[self.model.state.shown]
        self.view.still_title = MESSAGES["still title"].format(caught=self.model.caught())
        super()._draw(changed)

    def _update(self, changed: bool) -> None:
        names = SHOWN[self.model.state.shown]
        pictures, captions = self.model.pictures(), self.model.captions()
        said = {name: captions[name] for name in names}
        self.view.update({name: pictures[name] for name in names}, captions=said, changed=False)

    def _follow(self) -> None:
        model, state = self.model, self.model.state
        self._said.say(model.summary(), strong=not model.named)
        self._table.value = verdict_table(model.verdicts())
        self._mistake.value = state.mistake if model.named else None
        self._mistake.description = self._mistake.tooltip = LABELS["mistake" if model.named else "switch"]
        self._kind.value, self._head.value, self._guess.value = state.kind, state.head, state.guess
        for part in (self._guess, self.buttons["tell"]):
            part.layout.display = "none" if model.named else ""
        self._sentence.value, self._show.value = state.sentence, state.shown

    def _shape(self) -> Any:
        return self.model.queries, self.model.words, self.model.state.shown

    def _arrangement(self) -> list[list[str]]:
        return [SHOWN[self.model.state.shown]]

    def _panels(self) -> dict[str, Panel]:
        model, captions = self.model, self.model.captions()
        panels, pictures = {}, model.pictures()
        for name in SHOWN[model.state.shown]:
            is_output = name.endswith("output") or name == "output difference"
            columns = None if is_output else model.words
            manners: dict[str, Any] = {"limit": 5.0, "column_axis": "column"} if is_output else {"limit": 1.0}
            if name in ("right", "wrong"):
                manners["kind"] = "weights"
            panels[name] = Panel(pictures[name], model.queries, columns, small=True, caption=captions[name], **manners)
        return panels

    def _make_controls(self) -> None:
        state = self.model.state
        titles = {name: MISTAKES[name].title for name in RECIPES}
        self._mistake = choice(LABELS["mistake"], titles, state.mistake, width="24em")
        self._guess = choice(LABELS["guess"], titles, width="28em").add_class("menu-answers")  # its keys: menus.js
        self._guess.observe(self._heard(self._guessed), "value")
        self.buttons |= make_buttons(LABELS, "tell")
        self.buttons["tell"].on_click(lambda _: self._tell())
        self._kind = choice(LABELS["kind"], KINDS, state.kind, width="20em")
        self._head = choice(LABELS["head"], {i: str(i) for i in range(N_HEADS)}, state.head, width="6em")
        self._show = choice(LABELS["shown"], SHOWN_TEXTS, state.shown, width="12em")
        self._sentence = sentence_box(LABELS["sentence"], LABELS["placeholder"], state.sentence, width="24.5em")
        lines = (
            [self._preset, self._sentence, self._tools(*map(self.buttons.get, ("undo", "reset")), self._code.switch)],
            [self._guess, self.buttons["tell"], self._message],
            [self._mistake, self._kind, self._head, self._show],
        )
        self._top = widgets.VBox([widgets.HBox(line, layout=WRAP) for line in lines])
        self._said, self._table = Sentence("attention-mistakes-said", says=True), widgets.HTML()
        self._table.add_class("attention-mistakes-table")
        model, controls = self.model, (self._mistake, self._kind, self._show, self._head)
        choices: tuple[Any, ...] = (model.choose, model.set_kind, model.show, model.set_head)
        for control, choose in zip(controls, choices):
            control.observe(self._heard(partial(self._chosen, choose)), "value")
        self._sentence.observe(self._heard(self._sentence_given), "value")

    # the still picture

    def still_text(self) -> str:
        """Say in a line what the picture shows."""
        title = MISTAKES[self.model.state.mistake].title
        return MESSAGES["still text"].format(title=title) if self.model.named else MESSAGES["still unnamed"]
