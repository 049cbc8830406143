"""What every lab does the same way: begin from a preset, go back, start over, say what became of it, copy as code."""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import ipywidgets
import numpy as np

from .chain import Chain, Given
from .controls import Answer, CodeBox, NumberSlider, Sentence, choice, make_buttons, toolbar
from .history import Reversible
from .keys import Keys, KeysOfLab, furnish
from .matrix_view import MatrixView
from .panel import Panel
from .player import Player
from .still import StillPicture

NARROW = 0.25  # of the range of weights: maps within less open stretched, and their scale says so

CHANGED = ""  # in the menu of presets: the reader has gone on from one

LABELS = {
    "preset": "start from",
    "changed": "changed by you",
    "undo": "undo",
    "reset": "reset",
    "code": "show as code",
}
MESSAGES = {
    "loaded": "A new start; undo goes back.",
    "refused": "{problem} The picture stays as it was.",
    "undone": "Undone.",
    "nothing to undo": "There is nothing left to undo.",
    "copied": "The lines stand below, and on the clipboard: paste them into a cell.",
    "not copied": "The browser keeps the clipboard to itself: the lines below are selected; press Ctrl+C, on a Mac ⌘C.",
    "reset": "Back to where you started; undo goes back.",
    "began again": "Back to where you started.",
    "nothing to reset": "This is where you started.",
}


def sliders_in(box: Any) -> Iterator[NumberSlider]:
    """Find the numbers to set in a box, and in the boxes that stand in it."""
    for child in getattr(box, "children", ()):
        if isinstance(child, NumberSlider):
            yield child
        else:
            yield from sliders_in(child)


class Lab(StillPicture, ipywidgets.VBox):
    """A lab: a plain model that can go back, a view of it, and the controls around.

    A lab makes its model, calls `_make_common`, makes its own controls and its
    view, and ends its `__init__` with `_begin`. It gives `_panels`, `_update`
    (what the view shows) and `_follow` (what every control says); `_refresh`
    calls them after each change. Controls are moved by the reader and by
    Python: `if self._busy`, it was Python.
    """

    model: Reversible[Any]
    view: MatrixView
    narrow_maps: tuple[str, ...] = ()
    _looked_at: Any = None  # the start whose maps were looked at for how narrow they are
    player: Player | None = None  # a change by hand stops it
    _answer: Answer | None = None  # beside the field whose words may be refused; without one, the message answers
    _busy = False

    def _begin(self, name: str, children: Sequence[Any]) -> None:
        """Show the children, and the model's state in them; `name` is the lab's class on the page."""
        self._shown = self._shape()
        self._stretched: dict[str, bool] = {}  # of each map, what the lab itself has set
        super().__init__(children)
        self.add_class("attention-lab")
        self.add_class(name)
        for slider in sliders_in(self):
            slider.on_nothing = self._hush  # what was said before is of another act
        furnish(self, self._copied, Keys if hasattr(self, "view") else KeysOfLab)
        self._refresh(changed=False)

    def _make_common(self, presets: Mapping[str, str], *, width: str = "26em", lines: int = 14) -> None:
        """Make what every lab has: the menu of presets, undo and reset, the sentence, the code (so many lines)."""
        options = {CHANGED: LABELS["changed"]} if presets else {}
        shown = (self.model.preset or CHANGED) if presets else None
        self._preset = choice(LABELS["preset"], options | dict(presets), shown, width)
        self._preset.add_class("menu-says")  # its first entry is shown and never chosen: names.js
        self._preset.observe(self._heard(self._start_from), "value")
        self.buttons = make_buttons(LABELS, "undo", "reset")
        self.buttons["undo"].on_click(lambda _: self._undo())
        self.buttons["reset"].on_click(lambda _: self._reset())
        self._message = Sentence("lab-message", says=True)
        self._code = CodeBox(LABELS["code"], self._lines_of_code, height=f"{lines}em")
        self._code.switch.observe(lambda _: self._hush(), "value")  # "below" is true as long as the lines stand there

    # -- what the reader does ---------------------------------------------------------------

    def _start_from(self, name: str) -> None:
        if name == CHANGED:  # it names what is, and is no start
            self._show_start()
            return
        self.model.start_from(name)
        self._refresh(said=MESSAGES["loaded"])

    def _undo(self) -> None:
        undone = self.model.undo()
        self._refresh(changed=False, said=MESSAGES["undone" if undone else "nothing to undo"])

    def _reset(self) -> None:
        changed = self.model.reset()
        moved = self._begin_again()
        said = "reset" if changed else "began again" if moved else "nothing to reset"
        self._refresh(changed=False, said=MESSAGES[said])

    def _begin_again(self) -> bool:
        """Go back in what undo does not take back, as the step of a decoder; False where nothing moved."""
        return False

    def _copied(self, done: bool) -> None:
        if self._code.switch.value:  # not closed meanwhile
            self._message.say(MESSAGES["copied" if done else "not copied"])

    def _try(self, step: Callable[[], None], said: str | Callable[[], str] = "") -> None:
        """Take a step that may be refused, and answer beside its field; a refusal stands there until the next act."""
        try:
            step()
        except ValueError as problem:
            self._message.say("" if self._answer else str(problem))
            if self._answer:
                self._answer.say(MESSAGES["refused"].format(problem=problem))
        else:
            told = said if isinstance(said, str) else said()
            self._refresh(changed=False, said="" if self._answer else told)
            if self._answer:
                self._answer.say(told)

    # -- what is shown ----------------------------------------------------------------------

    def _refresh(self, changed: bool = True, said: str = "") -> None:
        """Show the model's state; `changed`: outline what the reader's change moved, which a way back does not."""
        if self.player:
            self.player.give_way()
        self._draw(changed)
        self._speak(said)

    def _draw(self, changed: bool) -> None:
        """Bring the view to the model's state, in one message."""
        with self.view.batch():
            if new := self._shown != self._shape():  # other words, other sizes
                self._shown, changed = self._shape(), False
                self.view.replace(self._panels(), arrangement=self._arrangement())
                self.view.select(None)
            past = self.model.looks_back  # an edit starts from what is, not from what is shown
            self.view.set_chain(() if past else self._chain(), self._given(), self._sentences())
            self._update(changed)
            if new or self._looked_at is not self.model.start:
                self._stretch_narrow()

    def _speak(self, said: str) -> None:
        """Bring words and controls to the model's state."""
        with self.hold_sync(), self._quietly():
            self._show_start()
            self._follow()
            self._hush()
            self._message.say(said)
            self._code.refresh()

    def _hush(self) -> None:
        self._message.say()
        if self._answer:
            self._answer.say()

    def _show_start(self) -> None:
        """Let the menu name the preset that is shown, or say that the reader has changed it."""
        with self._quietly():
            if self._preset.options:
                self._preset.value = self.model.preset or CHANGED

    def _stretch_narrow(self) -> None:
        """Open the maps in `narrow_maps` stretched where their weights lie close together: else no change is seen.

        Those of another start go back where they are wide again. A map on which the reader has pressed is left alone.
        """
        self._looked_at = self.model.start
        for name in self.narrow_maps:
            if (name in self.view.stretched) == self._stretched.get(name, False):
                self._stretched[name] = bool(np.ptp(self.view[name]) < NARROW)
                self.view.stretch(name, self._stretched[name])

    def _shape(self) -> Hashable:
        """Return what the panels' sizes and labels depend on."""
        return None

    def _panels(self) -> dict[str, Panel]:
        """Return the panels of the view."""
        raise NotImplementedError

    def _arrangement(self) -> list[list[str]]:
        """Return which panels stand side by side."""
        raise NotImplementedError

    def _chain(self) -> Chain:
        """Return which panel follows from which: what the page calculates itself at an edit."""
        return ()

    def _given(self) -> Given:
        """Return the matrices that the chain needs and no panel shows."""
        return {}

    def _sentences(self) -> dict[str, Any]:
        """Return the lines that the page fills in as its numbers change: see `attention_lib/view/follow.py`."""
        return {}

    def _update(self, changed: bool) -> None:
        """Bring the view to the model's state."""
        raise NotImplementedError

    def _follow(self) -> None:
        """Let every sentence and control say what the state says."""

    def _lines_of_code(self) -> str:
        """Return the lines to copy."""
        return str(self.model.code())  # type: ignore[attr-defined]

    def still_figure(self) -> Any:
        """The view as it is now, for readers without a kernel."""
        return self.view.still_figure()

    # -- helpers ----------------------------------------------------------------------------

    def _heard(self, act: Callable[[Any], None]) -> Callable[[Any], None]:
        """Pass the new value of a control on, where the reader set it and chose something."""

        def hear(change: Any) -> None:
            if not self._busy and change.new is not None:
                act(change.new)

        return hear

    def _tools(self, *more: Any) -> Any:
        """Return the lab's buttons and its code's switch, or some of them, in one row that Tab stops at once."""
        return toolbar(*more or (*self.buttons.values(), self._code.switch))

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Move controls from Python without hearing it as the reader's doing."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before
