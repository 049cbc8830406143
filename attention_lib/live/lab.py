"""What every lab does the same way: one state, controls for it, and the picture and the words that follow from it.

A lab is a class with `panels(state)`, which returns all that its view shows, and `tell(state)`, which says it in words.
Its controls name the part of the state that they set. The rest is done here: undo and redo, presets, refusals,
what is kept for another day.
"""

import asyncio
import base64
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import ipywidgets

from .._kept import encode, load_state, save_state
from .._notebooks import in_words, show
from .._words import Refusal, _
from .assets import style_sheet
from .chain import Chain, Given
from .controls import WIDE, NumberSlider, Sentence, choice, toggle, toolbar
from .keys import furnish
from .matrix_view import Cell, Edit, MatrixView
from .panel import Panel
from .player import Player

MOST_UNDOS = 500
SAVED_AFTER = 1.0  # seconds
CHANGED = ""  # in the menu of presets: the reader has gone on from one
SHARPNESS = 1.5  # pixels of a stored picture, each way, for one of the page


class Control(NamedTuple):
    """A widget of the lab, and the field of the state that it shows."""

    widget: Any
    field: str


class Lab(ipywidgets.VBox):
    """A lab: a state that never changes in place, controls for it, a view, and words.

    Parameters
    ----------
    start : object
        The state that the lab starts with, a frozen dataclass, or the name of a preset. Default: the first preset.
        "Start again" leads back to it.

    A lab returns the widgets of its one row from `controls`, those behind "More" from `more`, and its picture from
    `picture`. It makes them there, with `button`, `menu`, `switch`, `number` and `words`.
    """

    #: name -> (what the menu says, the state)
    presets: Mapping[str, tuple[str, Any]] = {}
    player: Player | None = None  # a change by hand stops it

    def __init__(self, start: Any = "") -> None:
        if isinstance(start, str):
            if start and start not in self.presets:
                raise ValueError(f"there is no preset {start!r}; the presets are {', '.join(self.presets)}")
            start = self.presets[start or next(iter(self.presets))][1]
        self.state = self.start = state = start
        self.is_open = False  # whether "More" is pressed
        self._past: list[tuple[Any, Any]] = []  # (state, start) before each change
        self._future: list[tuple[Any, Any]] = []
        self._gesture: object = None
        self._bound: list[Control] = []
        self._refuses = False  # whether a step is refused: what was typed stays in its box, and can be mended there
        self._busy = False  # whether Python moves the controls, which is not heard as the reader's doing
        self._saving: Any = None
        self.view: MatrixView | None = None
        self._last_panels: tuple[Any, dict[str, Panel]] = (None, {})
        panels = self._panels_of(state)
        if panels:
            self.view = MatrixView(panels)
            self.view.on_edit = lambda edit: self.act(lambda state: self.edit(state, edit), edit.gesture)
            self.view.on_select = lambda cell: self.look(self.select(self.state, cell))
        self.goal = Sentence("lab-goal", says=True)
        self.message = Sentence("lab-message", says=True)
        self.line = Sentence("lab-line")  # what else there is to say, beside the messages
        self._ways = [self._button(_("Undo"), self.undo), self._button(_("Redo"), self.redo)]
        self._more = toggle(_("More"))
        row = self.controls()
        behind = self.more()
        if self.presets:
            options = {CHANGED: _("changed by you")} | {name: _(item[0]) for name, item in self.presets.items()}
            self._starts = choice(_("start from"), options, CHANGED, "max-content").add_class("menu-says")
            self._starts.observe(self._heard(self._start_from), "value")
            behind = [self._starts, *behind]
        tools = [*self._ways, self._button(_("Start again"), self.start_again), *([self._more] if behind else [])]
        self._behind = ipywidgets.HBox(behind).add_class("lab-row").add_class("lab-behind")
        self._more.observe(lambda change: self._open(change.new), "value")
        self._offer = self._make_offer()
        super().__init__(
            [
                self.goal,
                ipywidgets.HBox([*row, toolbar(*tools).add_class("lab-tools")]).add_class("lab-row"),
                self._behind,
                ipywidgets.HBox([self.message, self.line, self._offer]).add_class("lab-notes"),
                *self.picture(),
            ]
        )
        self.add_class("attention-lab").add_class(f"lab-{type(self).__name__.lower()}")
        furnish(self, self.style())
        self._open(False)

    # -- what a lab says of itself ------------------------------------------------------------

    def panels(self, state: Any) -> dict[str, Panel]:
        """Return all that the view shows of a state; Refusal where there can be no such state."""
        return {}

    def arrangement(self, state: Any) -> Sequence[Any] | None:
        """Return which panels are side by side: see `MatrixView`."""
        return None

    def chain(self, state: Any) -> tuple[Chain, Given]:
        """Return which panel follows from which, and what else that needs: what the page calculates at an edit."""
        return (), {}

    def edit(self, state: Any, edit: Edit) -> Any:
        """Return the state after an edit of the view."""
        return state

    def select(self, state: Any, cell: Cell) -> Any:
        """Return the state after the reader has chosen a cell or a row. Undo does not count it."""
        return state

    def tell(self, state: Any) -> None:
        """Say in words what a state shows, the goal above all: with `say_goal`."""

    def say_goal(self, is_reached: bool, sentence: str) -> None:
        """Say what there is to do; a goal that is reached looks the same in all labs."""
        self.goal.say(sentence)
        (self.goal.add_class if is_reached else self.goal.remove_class)("is-reached")

    def controls(self) -> list[Any]:
        """Return the widgets of the one row that is always there."""
        return []

    def more(self) -> list[Any]:
        """Return the widgets that wait behind "More"."""
        return []

    def picture(self) -> list[Any]:
        """Return what is below the controls."""
        return [self.view] if self.view else []

    @classmethod
    def style(cls) -> str:
        """Return the style sheet of all labs, and this lab's own: the file of its module's name with .css."""
        return style_sheet("lab") + cls._beside(".css").decode()

    @classmethod
    def _beside(cls, *endings: str) -> bytes:
        """Return what is in the file of the lab's module's name with the first of these endings that there is."""
        module = getattr(sys.modules[cls.__module__], "__file__", None)  # None in a notebook
        files = [Path(module).with_suffix(ending) for ending in endings] if module else []
        return next((file.read_bytes() for file in files if file.exists()), b"")

    # -- controls that set a part of the state ---------------------------------------------------

    def button(self, label: str, step: Callable[[Any], Any]) -> Any:
        """Return a button; a press takes `step(state)`."""
        return self._button(label, lambda: self.act(step))

    def menu(
        self, label: str, options: Mapping[Any, str], field: str, step: Any = None, width: str | None = None
    ) -> Any:
        """Return a menu of `options`, value -> text, for a field of the state, or for `step(state, value)`."""
        return self._bind(choice(label, options, getattr(self.state, field), width), field, step)

    def switch(self, label: str, field: str, step: Any = None) -> Any:
        """Return a button that stays pressed while a field is true."""
        return self._bind(toggle(label), field, step)

    def words(self, label: str, placeholder: str, field: str, step: Any = None, width: str = "26em") -> Any:
        """Return a box for words of the reader's own."""
        manners: Any = {"continuous_update": False, "style": WIDE, "layout": {"width": width}}
        box = ipywidgets.Text(description=label, tooltip=label, placeholder=placeholder, **manners)
        return self._bind(box.add_class("sentence-box"), field, step)  # on a phone its name stands above it: lab.css

    def number(self, label: str, stops: Iterable[float], field: str, step: Any = None, **options: Any) -> NumberSlider:
        """Return a slider with a box for a number; `stops` and `options` are those of `NumberSlider`."""
        step = step or partial(_set, field)
        slider = NumberSlider(
            label,
            getattr(self.state, field),
            stops,
            lambda value, gesture: self.act(lambda state: step(state, value), gesture),
            self.message,
            **options,
        )
        self._bound.append(Control(slider, field))
        return slider

    def _bind(self, widget: Any, field: str, step: Any) -> Any:
        step = step or partial(_set, field)
        widget.observe(self._heard(lambda value: self.act(lambda state: step(state, value))), "value")
        self._bound.append(Control(widget, field))
        return widget

    def _button(self, label: str, act: Callable[[], Any]) -> Any:
        button = ipywidgets.Button(description=label, layout={"width": "auto"})
        button.on_click(lambda event: act())
        return button

    # -- what the reader does ---------------------------------------------------------------------

    def act(self, step: Callable[[Any], Any], gesture: object = None) -> None:
        """Take a step; where it is refused, say so and leave everything as it is."""
        try:
            self.change(step(self.state), gesture)
        except Refusal as problem:
            self._refuses = True
            self.refresh(_("{problem} The picture stays as it was.").format(problem=problem))
            self._refuses = False

    def change(self, state: Any, gesture: object = None, *, start: Any = None, message: str = "") -> bool:
        """Go to another state, which undo takes back; the changes of one gesture are taken back together.

        False where nothing changes. Refusal where there can be no such state; then nothing has happened.
        """
        start = self.start if start is None else start
        if same((state, start), (self.state, self.start)):
            self.refresh(message)
            return False
        self._panels_of(state)  # first: if it is refused, nothing has happened
        if gesture is None or gesture != self._gesture:
            self._past = [*self._past, (self.state, self.start)][-MOST_UNDOS:]
        self._gesture, self._future = gesture, []
        self._go(state, start, message, moves=gesture is None)
        return True

    def look(self, state: Any) -> None:
        """Look elsewhere: at another state, of which undo takes no notice, and which is kept with the next change."""
        self._go(state, self.start, "", moves=False, saves=False)

    def undo(self) -> None:
        self._travel(self._past, self._future, _("There is nothing left to undo."))

    def redo(self) -> None:
        self._travel(self._future, self._past, _("There is nothing to redo."))

    def start_again(self) -> None:
        """Go back to where the reader began, which undo takes back too."""
        if not self.change(self.start):
            self.refresh(_("This is where you started."))

    def _travel(self, there: list[tuple[Any, Any]], back: list[tuple[Any, Any]], nothing: str) -> None:
        self._gesture = None
        if not there:
            self.refresh(nothing)
            return
        back.append((self.state, self.start))
        self._go(*there.pop(), "", moves=True)

    def _start_from(self, name: str) -> None:
        if name != CHANGED:
            state = self.presets[name][1]
            self.change(state, start=state, message=_("This is a new start. Undo takes you back."))

    def _open(self, is_open: bool) -> None:
        self.is_open = is_open
        self._last_panels = None, {}
        self._behind.layout.display = "" if is_open else "none"
        self.refresh()

    # -- what is shown ------------------------------------------------------------------------------

    def _go(self, state: Any, start: Any, message: str, moves: bool, saves: bool = True) -> None:
        self.state, self.start = state, start
        self.refresh(message, moves=moves)
        if saves:
            self._save_soon()

    def refresh(self, message: str = "", *, moves: bool = False) -> None:
        """Bring picture, controls and words to the state; `moves`: what changes is seen to move, as in play."""
        if self.player:
            self.player.give_way()
            moves = moves or self.player.takes_step
        (self.add_class if moves else self.remove_class)("lab-moves")  # for pictures of the lab's own
        if self.view:
            panels, arrangement = self._panels_of(self.state), self.arrangement(self.state)
            chain, given = self.chain(self.state)
            self.view.show(panels, arrangement=arrangement, chain=chain, given=given, moves=moves)
        self._busy = True
        try:
            self._show_controls()
            self.tell(self.state)
            self.message.say(message)
        finally:
            self._busy = False

    def _show_controls(self) -> None:
        for widget, field in self._bound:
            value = getattr(self.state, field)
            if isinstance(widget, NumberSlider):
                widget.show(value)
            # Not away and back again: ipywidgets does not tell the page what the page has said itself.
            elif not (self._refuses and isinstance(widget, ipywidgets.Text) and widget.value.strip()):
                widget.value = value
        for button, states in zip(self._ways, (self._past, self._future)):  # not disabled: an edit may be on its way
            (button.remove_class if states else button.add_class)("leads-nowhere")
        if self.presets:
            named = (name for name, (_, state) in self.presets.items() if same(state, self.state))
            self._starts.value = next(named, CHANGED)

    def _panels_of(self, state: Any) -> dict[str, Panel]:
        """Return the panels of a state; they are made once for each."""
        if self._last_panels[0] is not state:
            self._last_panels = state, self.panels(state)
        return self._last_panels[1]

    def _heard(self, act: Callable[[Any], None]) -> Callable[[Any], None]:
        """Pass the new value of a control on, where the reader set it and chose something."""

        def hear(change: Any) -> None:
            if not self._busy and change.new is not None:
                act(change.new)

        return hear

    # -- what is kept for another day -----------------------------------------------------------------

    def _make_offer(self) -> Any:
        """Offer the state that the reader left on another day; nothing where there is none."""
        kept = load_state(type(self).__name__, self.state)
        if kept is None or same(kept, self.state) or not self._can_show(kept):
            return ipywidgets.HBox(layout={"display": "none"})
        button = self._button(_("Continue where you were"), lambda: self.resume(kept))
        self._past.append((kept, self.start))  # where the reader has gone on without it, Undo leads back to it
        return ipywidgets.HBox([Sentence("lab-line", _("You have used this lab before.")), button]).add_class("lab-row")

    def resume(self, kept: Any) -> None:
        self.act(lambda state: kept)

    def _can_show(self, state: Any) -> bool:
        """Whether a state that was kept makes a picture: another version of the lab may have kept it."""
        try:
            self.panels(state)
        except Exception:  # what an older state lacks can fail in any way
            return False
        return True

    def _save_soon(self) -> None:
        """Keep the state once the hand rests. Whoever goes on needs no offer any more."""
        self._offer.layout.display = "none"  # nothing moves: the line of the messages is kept free
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # no kernel: a test, or a script
            return
        if self._saving:
            self._saving.cancel()
        self._saving = loop.call_later(SAVED_AFTER, lambda: save_state(type(self).__name__, self.state))

    # -- what is seen where no kernel runs: a picture of the lab as it opens, from `make pictures`, and words ----------

    def __repr__(self) -> str:
        return f"{type(self).__name__}. {self.goal.text}"

    def _repr_mimebundle_(self, **kwargs: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        data = {**super()._repr_mimebundle_(**kwargs), "text/plain": repr(self)}
        picture = self._beside(f".{_('en')}.png", ".png")
        if not picture:
            return data, {}
        data["image/png"] = base64.b64encode(picture).decode()
        width = round(int.from_bytes(picture[16:20]) / SHARPNESS)  # where a PNG file says how wide it is
        return data, {"image/png": {"alt": f"{is_a_picture()} {self!r}", "width": width}}

    def _ipython_display_(self, **kwargs: Any) -> None:
        if hasattr(ipywidgets.VBox, "_ipython_display_"):  # ipywidgets 7: the live view alone
            return super()._ipython_display_(**kwargs)
        data, metadata = self._repr_mimebundle_(**kwargs)
        words = metadata["image/png"]["alt"] if metadata else repr(self)
        show(data, metadata, in_words(words, _("The stored picture, in words")))


def is_a_picture() -> str:
    """Say so, above the picture and in its words."""
    return _("This is a picture. Run the notebook from the top to use it.")


def same(one: Any, other: Any) -> bool:
    """Whether two states hold the same, arrays compared number by number.

    Examples
    --------
    >>> import numpy as np
    >>> same((1, np.array([1.0, 2.0])), (1, np.array([1.0, 2.0])))
    True
    """
    return one is other or bool(encode(one) == encode(other))


def _set(field: str, state: Any, value: Any) -> Any:
    return replace(state, **{field: value})
