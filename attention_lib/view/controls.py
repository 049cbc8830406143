"""What the labs share: the way back, what a reader types, and the small controls around a view.

Nothing here knows of attention. A lab keeps a plain model; these pass values
to it and its sentences to the page.
"""

import html
import math
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import ipywidgets

from .still import StillPicture

WIDE = {"description_width": "initial"}  # a description that is never cut
KNOB_STYLE = {"description_width": "8em"}  # sliders below each other begin at one place
WRAP = {"flex_flow": "row wrap"}
MOST_UNDOS = 500
SLIDER_PAUSE = 1.0  # seconds: a slider that rests this long has finished its change
LONGEST_WORD = 14  # characters

MESSAGES = {
    "no words": "Type a sentence first: words with spaces between them.",
    "too many words": "That is {n} tokens; this lab shows up to {most}. Please take a shorter sentence.",
    "nearest": "{name} can be {low} to {high}: {typed} became {kept}.",
    "empty": "Type a number; the picture stays as it is.",
    "not a number": "“{text}” is not a number; the picture stays as it is.",
    "not whole": "{text} is not a whole number; the picture stays as it is.",
    "out of range": "The number must lie between {low} and {high}; the picture stays as it is.",
}

S = TypeVar("S")


# -- for the plain models -----------------------------------------------------------------------------


class History(Generic[S]):
    """The states before each change; changes of one gesture are taken back together.

    Examples
    --------
    >>> past = History[str]()
    >>> past.keep("a", gesture=1), past.keep("b", gesture=1), past.keep("c")
    (None, None, None)
    >>> past.last(), past.back(), past.back(), past.back()
    ('c', 'c', 'a', None)
    """

    def __init__(self) -> None:
        self._states: deque[S] = deque(maxlen=MOST_UNDOS)
        self._gesture: object = None

    def __len__(self) -> int:
        return len(self._states)

    def keep(self, state: S, gesture: object = None) -> None:
        """Keep the state before a change; within a gesture the first is enough."""
        if gesture is None or gesture != self._gesture:
            self._states.append(state)
        self._gesture = gesture

    def last(self) -> S | None:
        """Return the state before the last change, and keep it; None where there is none."""
        return self._states[-1] if self._states else None

    def back(self) -> S | None:
        """Return the state before the last change, and forget it; None where there is none."""
        self._gesture = None
        return self._states.pop() if self._states else None


class Reversible(Generic[S]):
    """A plain model: one state that never changes in place, named states to jump to, and the way back.

    A lab's model adds what the reader can do, with `_go`, and in `_show` what follows from a state.

    Parameters
    ----------
    first : S
        The state it begins with, and goes back to.

    Examples
    --------
    >>> class Counter(Reversible[int]):
    ...     presets = {"many": 100}
    >>> counter = Counter(0)
    >>> counter.start_from("many"), counter.state, counter.preset
    (None, 100, 'many')
    >>> counter.undo(), counter.state, counter.undo()
    (True, 0, False)
    """

    state: S
    presets: Mapping[str, S] = {}

    def __init__(self, first: S) -> None:
        self._past = History[S]()
        self._first = first
        self._show(first)

    def start_from(self, name: str) -> None:
        """Go to a preset, everything in one step."""
        self._go(self.presets[name])

    def undo(self) -> bool:
        """Go back one step; False where there is none."""
        before = self._past.back()
        if before is not None:
            self._show(before)
        return before is not None

    def reset(self) -> None:
        """Go back to the start; that can be undone too."""
        self._go(self._first)

    @property
    def preset(self) -> str | None:
        """The preset that is shown as it was set; None where the reader has gone on."""
        return next((name for name, state in self.presets.items() if state == self.state), None)

    def _go(self, state: S, gesture: object = None) -> None:
        before = self.state
        self._show(state)  # first: if it is refused, nothing has happened
        if self.state != before:  # what changes nothing is no step
            self._past.keep(before, gesture)

    def _show(self, state: S) -> None:
        self.state = state


def read_words(text: str, most: int) -> tuple[str, ...]:
    """Split a sentence into words, each short enough for a label.

    Raises
    ------
    ValueError
        If there is no word, or more than `most`.

    Examples
    --------
    >>> read_words("밥을 먹었다", most=12)
    ('밥을', '먹었다')
    """
    words = text.split()
    if not words:
        raise ValueError(MESSAGES["no words"])
    if len(words) > most:
        raise ValueError(MESSAGES["too many words"].format(n=len(words), most=most))
    return tuple(word if len(word) <= LONGEST_WORD else word[: LONGEST_WORD - 1] + "…" for word in words)


def read_number(text: str, low: float, high: float, digits: int) -> float:
    """Return the number that was typed, or raise ValueError with a sentence for the reader."""
    try:
        value = float(text.strip().replace(",", ".").replace("−", "-"))
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise ValueError(MESSAGES["not a number" if text.strip() else "empty"].format(text=text.strip()[:20]))
    if not low <= value <= high:
        raise ValueError(MESSAGES["out of range"].format(low=f"{low:g}", high=f"{high:g}"))
    if digits == 0 and value != int(value):
        raise ValueError(MESSAGES["not whole"].format(text=text.strip()[:20]))
    return round(value, digits)


# -- for the page -------------------------------------------------------------------------------------


class Lab(StillPicture, ipywidgets.VBox):
    """A lab whose controls are moved by the reader and by Python: `if self._busy`, it was Python."""

    _busy = False

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Move controls from Python without hearing it as the reader's doing."""
        before, self._busy = self._busy, True
        try:
            yield
        finally:
            self._busy = before

    def _set(self, control: Any, value: Any) -> None:
        """Move one control from Python without hearing it as the reader's doing."""
        with self._quietly():
            control.value = value


class SliderGesture:
    """Tells one move of a slider from the next: a pause, or another cell, begins a new one."""

    def __init__(self) -> None:
        self._number, self._last = 0, -math.inf

    def now(self) -> tuple[str, int]:
        """Return the name of the move that is under way."""
        now = time.monotonic()
        self._number += now - self._last > SLIDER_PAUSE
        self._last = now
        return "slider", self._number

    def end(self) -> None:
        """End the move: what follows is another."""
        self._last = -math.inf


def choice(label: str, options: Mapping[Any, str], value: Any = None, width: str | None = None) -> Any:
    """Return a dropdown of `options`, value -> text; None chooses nothing yet."""
    return ipywidgets.Dropdown(
        options=[(text, key) for key, text in options.items()],
        value=value,
        description=label,
        style=WIDE,
        layout={"width": width} if width else {},
    )


def make_buttons(labels: Mapping[str, str], *names: str) -> dict[str, Any]:
    """Return a button for each name, as wide as its label."""
    return {name: ipywidgets.Button(description=labels[name], layout={"width": "auto"}) for name in names}


def sentence_box(label: str, placeholder: str, text: str = "", width: str | None = None) -> Any:
    """Return a box for a sentence of the reader's own, heard when it is finished."""
    return ipywidgets.Text(
        text,
        description=label,
        placeholder=placeholder,
        continuous_update=False,
        style=WIDE,
        layout={"width": width} if width else {},
    )


class Sentence(ipywidgets.HTML):
    """A line of words; what stands in them is text and never markup."""

    def __init__(self, name: str = "", text: str = "") -> None:
        super().__init__()
        if name:
            self.add_class(name)
        self.say(text)

    def say(self, *lines: str, strong: bool = False) -> None:
        """Show plain sentences, each on a line of its own."""
        said = "<br>".join(map(html.escape, lines))
        if len(lines) > 1:
            said = f'<div style="line-height: 1.5">{said}</div>'
        self.value = f"<b>{said}</b>" if strong and said else said


class CodeBox:
    """A switch, and an area with the lines that give what is shown; they are written while it is open.

    Parameters
    ----------
    label : str
        Of the switch.
    code : callable
        Returns the lines.
    """

    def __init__(self, label: str, code: Callable[[], str], height: str = "14em") -> None:
        self._code = code
        self.switch = ipywidgets.ToggleButton(description=label, layout={"width": "auto"})
        self.area = ipywidgets.Textarea(layout={"width": "100%", "height": height, "display": "none"})
        self.switch.observe(self._switched, "value")

    def refresh(self) -> None:
        """Write the lines anew, if they are shown."""
        if self.switch.value:
            self.area.value = self._code()

    def _switched(self, change: Any) -> None:
        self.area.layout.display = "" if change.new else "none"
        self.refresh()


class WholeNumber(ipywidgets.HBox):
    """A box for a whole number. Outside its range it takes the nearest number inside, and says so beside the box.

    Parameters
    ----------
    value, low, high : int
    name : str
        How the sentence calls the number.
    on_change : callable, optional
        Called with the number after a change by the reader.
    label, width : str
        Of the box.

    Examples
    --------
    >>> layers = WholeNumber(3, 1, 8, "layers")
    >>> layers.box.value = 20
    >>> layers.value, layers.said.value
    (8, 'layers can be 1 to 8: 20 became 8.')
    """

    def __init__(
        self,
        value: int,
        low: int,
        high: int,
        name: str,
        on_change: Callable[[int], None] | None = None,
        *,
        label: str = "",
        width: str = "8em",
    ) -> None:
        self.value, self.low, self.high, self.name = value, low, high, name
        self.on_change = on_change
        self.box = ipywidgets.IntText(value, description=label, style=WIDE, layout={"width": width})
        self.said = Sentence("whole-number-said")
        super().__init__([self.box, self.said])
        self.box.observe(self._typed, "value")

    def show(self, value: int) -> None:
        """Set the number without calling back; a sentence about another number goes."""
        if value != self.value:
            self.said.say()
        self.value = value
        self.box.value = value

    def _typed(self, change: Any) -> None:
        if change.new == self.value:  # set by `show`, or back where it was
            return
        kept = min(max(change.new, self.low), self.high)
        moved = kept != self.value
        self.show(kept)
        if kept != change.new:
            told = {"name": self.name, "low": self.low, "high": self.high, "typed": change.new, "kept": kept}
            self.said.say(MESSAGES["nearest"].format(**told))
        if moved and self.on_change:
            self.on_change(kept)


class Knob(ipywidgets.HBox):
    """A slider with a box to type in, and a sentence beside them where what was typed is no such number.

    The slider counts whole steps: one of real numbers that Python moves sends
    its own rounding of the number back, as if the reader had moved it.

    Parameters
    ----------
    label : str
        Shown before the slider.
    value, low, high : float
        Where it starts, and the range of the number.
    n_steps : int
        Steps of the slider from low to high.
    digits : int
        Decimals of the number; 0 makes it whole.
    on_change : callable
        Called with the number after a change by the reader.
    ratios : bool
        The steps are equal ratios, not equal differences.
    """

    def __init__(
        self,
        label: str,
        value: float,
        low: float,
        high: float,
        n_steps: int,
        digits: int,
        on_change: Callable[[float], None],
        *,
        ratios: bool = False,
        width: str = "26em",
    ) -> None:
        self.value, self.low, self.high, self.n_steps = value, low, high, n_steps
        self.digits, self.on_change, self.ratios = digits, on_change, ratios
        self.slider = ipywidgets.IntSlider(
            self.step_of(value),
            min=0,
            max=n_steps,
            description=label,
            readout=False,
            style=KNOB_STYLE,
            layout=ipywidgets.Layout(width=width),
        )
        self.box = ipywidgets.Text(continuous_update=False, tooltip=label, layout=ipywidgets.Layout(width="5.5em"))
        self.box.add_class("knob-box")
        self.said = ipywidgets.Label()
        super().__init__([self.slider, self.box, self.said])
        self._write()
        self.slider.observe(self._slid, "value")
        self.box.observe(self._typed, "value")

    def step_of(self, value: float) -> int:
        """Return the step of the slider that lies nearest to a number."""
        if self.ratios:
            return round(self.n_steps * math.log(value / self.low) / math.log(self.high / self.low))
        return round(self.n_steps * (value - self.low) / (self.high - self.low))

    def number_at(self, step: int) -> float:
        """Return the number at a step of the slider."""
        part = step / self.n_steps
        number = self.low * (self.high / self.low) ** part if self.ratios else self.low + (self.high - self.low) * part
        return round(number, self.digits)

    def show(self, value: float) -> None:
        """Set slider and box without calling back."""
        self.value = value
        self.slider.value = self.step_of(value)
        self._write()

    def _write(self) -> None:
        self.said.value = ""
        self.box.value = f"{self.value:.{self.digits}f}"

    def _slid(self, change: Any) -> None:
        if change["new"] == self.step_of(self.value):  # set by `show`, or back at the number that is shown
            return
        value = self.number_at(change["new"])
        if value != self.value:
            self.value = value  # and leave the slider to the hand that moves it
            self._write()
            self.on_change(value)

    def _typed(self, change: Any) -> None:
        try:
            value = read_number(change["new"], self.low, self.high, self.digits)
        except ValueError as problem:
            self.said.value = str(problem)
            return
        if value == self.value:
            self._write()
        else:
            self.show(value)
            self.on_change(value)
