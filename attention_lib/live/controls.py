"""The small controls around a view: menus, buttons, boxes, sentences, and one slider with its number.

Nothing here knows of attention. A lab keeps a plain model; these pass values
to it and its sentences to the page.
"""

import html
import math
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import ipywidgets
import numpy as np

from .._words import Refusal, _
from .typed import LONGEST_QUOTED, read_number

WIDE = {"description_width": "initial"}  # a description that is never cut
MOST_ZEROS = 2  # a number of more decimals is written without zeros at its end
SLIDER_PAUSE = 1.0  # seconds: a slider that rests this long has finished its change


def choice(label: str, options: Mapping[Any, str], value: Any = None, width: str | None = None) -> Any:
    """Return a dropdown of `options`, value -> text; None chooses nothing yet."""
    return ipywidgets.Dropdown(
        options=[(text, key) for key, text in options.items()],
        value=value,
        description=label,
        tooltip=label,  # without one, the page says "null"
        style=WIDE,
        layout={"width": width} if width else {},
    )


def toolbar(*controls: Any) -> Any:
    """Return a row of buttons, or of menus, that Tab stops at once: within it the arrow keys lead on."""
    row = ipywidgets.HBox(controls, layout=ipywidgets.Layout(flex_flow="row wrap"))
    return row.add_class("lab-toolbar")  # attention_lib/live/js/controls.js knows its keys


def toggle(label: str) -> Any:
    """Return a button that stays pressed until it is pressed again."""
    return ipywidgets.ToggleButton(description=label, tooltip=label, layout={"width": "auto"})


class Sentence(ipywidgets.HTML):
    """A line of words; what stands in them is text and never markup. One that `says` is read out when it changes."""

    value: Any  # the markup

    def __init__(self, name: str = "", text: str = "", *, says: bool = False) -> None:
        super().__init__()
        if name:
            self.add_class(name)
        if says:
            self.add_class("lab-says")
        self.say(text)

    def say(self, *lines: str) -> None:
        """Show plain sentences, each on a line of its own."""
        self.text = " ".join(lines)  # without its markup
        self.value = "<br>".join(map(html.escape, lines))


class NumberSlider(ipywidgets.HBox):
    """A number with a slider and a box to type in, and a sentence about what was typed.

    Outside its range it takes the nearest number inside, and says so. What is no
    number leaves it as it is; the box shows it again. The slider counts whole
    steps: one of real numbers that Python moves sends its own rounding of the
    number back, as if the reader had moved it.

    Parameters
    ----------
    label : str
        What the number is: before the slider, and in the sentences.
    value : float
        Where it starts.
    stops : sequence of float
        The numbers that the slider reaches, from the lowest to the highest.
    on_change : callable
        Called as `on_change(value, gesture)` after a change by the reader; the
        changes of one move of the slider share a gesture, a typed number has None.
    said : Sentence
        Where the sentence stands.
    digits : int
        Most decimals of the number; 0 makes it whole.
    width, box_width : str

    Examples
    --------
    >>> layers = NumberSlider("layers", 3, range(1, 9), lambda value, gesture: None, Sentence())
    >>> layers.box.value = "20"
    >>> layers.value, layers.box.value, layers.said.value
    (8, '8', 'layers can be 1 to 8: 20 became 8.')
    """

    value: Any  # int where `digits` is 0, else float

    def __init__(
        self,
        label: str,
        value: float,
        stops: Iterable[float],
        on_change: Callable[[Any, object], None],
        said: Sentence,
        *,
        digits: int = 0,
        width: str = "20em",
        box_width: str = "4.5em",
    ) -> None:
        self.label, self.digits, self.on_change, self.said = label, digits, on_change, said
        self._quiet = False
        self._slide, self._last_slid = 0, -math.inf  # the number of the move that is under way, and its last moment
        self.slider = ipywidgets.IntSlider(
            description=label, tooltip=label, readout=False, style=WIDE, layout={"width": width}
        )
        self.box = ipywidgets.Text(continuous_update=False, tooltip=label, layout={"width": box_width})
        self.box.add_class("number-box")
        super().__init__([self.slider, self.box])
        self.add_class("number-slider")
        self.stops = list(
            dict.fromkeys(self._rounded(float(number)) for number in stops)
        )  # each once: every key on the slider changes the number
        self.low, self.high = self.stops[0], self.stops[-1]
        self.slider.max = len(self.stops) - 1
        self._write(value)
        self.slider.observe(self._slid, "value")
        self.box.observe(self._typed, "value")

    def name(self, label: str) -> None:
        """Say what the number is; what was said of another goes."""
        if label != self.label:
            self.said.say()
            self._last_slid = -math.inf
        self.label = self.slider.description = self.box.tooltip = label
        self._tell_number()

    def show(self, value: float) -> None:
        """Set slider and box without calling back; a sentence about what was typed goes."""
        self.said.say()
        if value != self.value:
            self._write(value)

    def step_of(self, value: float) -> int:
        """Return the step of the slider that lies nearest to a number."""
        return int(np.argmin(np.abs(np.array(self.stops) - value)))

    def text_of(self, value: float) -> str:
        """Return a number as the box writes it."""
        comma = "," if abs(value) >= 10_000 else ""
        text = f"{self._rounded(value):{comma}.{self.digits}f}".replace("-", "−")
        return text.rstrip("0").rstrip(".") if self.digits > MOST_ZEROS else text

    def _rounded(self, number: float) -> float:
        return round(number, self.digits) + 0.0 if self.digits else round(number)  # + 0.0: never -0

    def _write(self, value: float, slide: bool = True) -> None:
        self.value = value
        self._quiet = True
        if slide:
            self.slider.value = self.step_of(value)
        self.box.value = self.text_of(value)
        self._tell_number()
        self._quiet = False

    def _tell_number(self) -> None:
        """Tell the page what to read out for the slider: the number, not how many steps it is."""
        # attention_lib/live/js/controls.js gives it to the slider's handle
        self.slider.tooltip = f"{self.label}: {self.text_of(self.value)}"

    def _slid(self, change: Any) -> None:
        if self._quiet or change.new == self.step_of(self.value):  # set by Python, or back at the number shown
            return
        self.said.say()
        value = self.stops[change.new]
        if value != self.value:
            self._write(value, slide=False)  # the hand that moves the slider keeps it
            self.on_change(self.value, self._gesture())

    def _gesture(self) -> tuple[str, int]:
        """Return the name of the slider's move; a pause, or another name of the number, begins a new one."""
        now = time.monotonic()
        self._slide += now - self._last_slid > SLIDER_PAUSE
        self._last_slid = now
        return "slider", self._slide

    def _typed(self, change: Any) -> None:
        if self._quiet:
            return
        before = self.value
        try:
            number, sentence = self._nearest(change.new)
        except Refusal as problem:
            number, sentence = before, str(problem)
        self.said.say()
        self._write(number)
        if number != before:
            self._last_slid = -math.inf
            self.on_change(self.value, None)
        if self.value != number:  # what it is for takes another
            sentence = _("{name}: {typed} became {number}.").format(
                name=self.label, typed=change.new.strip()[:LONGEST_QUOTED], number=self.text_of(self.value)
            )
        if not self.said.text:  # where a lab has refused the number, its reason stands
            self.said.say(sentence)

    def _nearest(self, text: str) -> tuple[float, str]:
        """Return the number to take, and a sentence where it is not the one typed."""
        typed = read_number(text, self.label, self.text_of(self.value), self.digits)
        number = self._rounded(min(max(typed, self.low), self.high))
        sentence = _("{name} can be {low} to {high}: {typed} became {number}.")
        if number == typed:
            return number, ""
        return number, sentence.format(
            name=self.label,
            low=self.text_of(self.low),
            high=self.text_of(self.high),
            typed=text.strip()[:LONGEST_QUOTED],
            number=self.text_of(number),
        )
