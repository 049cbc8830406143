"""Time two ways of decoding on the reader's own machine.

A button, a progress bar and a picture. Nothing is measured until the button is
pressed: until then the picture shows a measurement that was made once and is
stored in data with the name of the machine. `TimerModel` is plain; `DecodeTimer`
passes values.
"""

import base64
import html
import traceback
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import ipywidgets

from ..analysis.timing import LEAST_TOKENS, Timing, time_steps
from ..examples.stored_costs import stored_timing
from ..view.controls import WRAP, Sentence
from ..view.history import Reversible, same
from ..view.lab import Lab

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)

MESSAGES = {
    "button": "Measure on this machine",
    "stored": "Measured once: {machine}.",
    "measuring": "{name}, n = {n} …",
    "measured": "Measured on this machine, the best of {repeats} runs or more.",
    "cut": "Measured on this machine, up to n = {n}: the {budget:.0f} seconds for measuring were used up.",
    "failed": "This could not be measured ({problem}). The picture shows the last good measurement.",
    "slopes": "Slopes from {least} tokens on: {slopes}.",
    "slope": "{name} {slope:.1f}",
    "comma": ", ",
    "text": "DecodeTimer. {stored}",
    "title": "With a cache, the next token stays cheap",
    "x": "tokens so far, n (logarithmic)",
    "y": "milliseconds for one more token (logarithmic)",
}


def timing_picture(timing: Timing) -> Any:
    """Draw a timing on log-log axes."""
    from .. import plots

    return plots.lines(
        timing.lengths,
        {name: [1000 * value for value in values] for name, values in timing.seconds.items()},
        title=MESSAGES["title"],
        x_label=MESSAGES["x"],
        y_label=MESSAGES["y"],
        log_x=True,
        log_y=True,
    )


@lru_cache(maxsize=8)  # undo, redo and reset lead back to pictures that were drawn
def _as_image(lengths: tuple[int, ...], seconds: tuple[tuple[str, tuple[float, ...]], ...]) -> str:
    """Draw a timing as an image, with its words."""
    from .. import plots

    figure = timing_picture(Timing(lengths, dict(seconds)))
    image = base64.b64encode(plots.png(figure)).decode()
    alt = html.escape(figure.description, quote=True)
    return f'<img style="max-width: 100%" src="data:image/png;base64,{image}" alt="{alt}">'


def slopes_sentence(timing: Timing) -> str:
    """Say the fitted slopes, or nothing where too few lengths were measured."""
    slopes = timing.slopes()
    if not slopes:
        return ""
    said = [MESSAGES["slope"].format(name=name, slope=slope) for name, slope in slopes.items()]
    return MESSAGES["slopes"].format(least=LEAST_TOKENS, slopes=MESSAGES["comma"].join(said))


class TimerModel(Reversible[Timing]):
    """The timing that is shown: the stored one, or one that was measured here.

    Parameters
    ----------
    steps, lengths, repeats, budget
        As in `time_steps`.
    stored : Timing, optional
        Where it begins, and what `reset` leads back to. Default: `stored_timing()`.

    Examples
    --------
    >>> model = TimerModel({"a step": lambda n: sum(range(n))}, (64, 128))
    >>> model.measure()
    >>> model.state.lengths, model.is_stored
    ((64, 128), False)
    >>> model.undo(), model.is_stored
    (True, True)
    """

    def __init__(
        self,
        steps: Mapping[str, Callable[[int], Any]],
        lengths: Sequence[int] = LENGTHS,
        *,
        repeats: int = 3,
        budget: float = 10.0,
        stored: Timing | None = None,
    ) -> None:
        self.steps, self.lengths, self.repeats, self.budget = dict(steps), tuple(lengths), repeats, budget
        super().__init__(stored_timing() if stored is None else stored)

    def measure(self, progress: Callable[[str, int, float], None] = lambda name, n, share: None) -> None:
        """Time the steps; `undo` leads back to the timing before.

        Raises
        ------
        ValueError
            With a sentence, if a step fails; the timing stays as it was.
        """
        try:
            timing = time_steps(self.steps, self.lengths, repeats=self.repeats, budget=self.budget, progress=progress)
        except BaseException as error:  # the steps are the reader's own: whatever they do, the lab stays
            problem = "".join(traceback.format_exception_only(error)).strip()  # of one that cannot say itself too
            raise ValueError(MESSAGES["failed"].format(problem=problem)) from error
        self._go(timing)

    @property
    def is_stored(self) -> bool:
        """Whether the stored timing is shown."""
        return same(self.state, self.start)

    def said(self) -> str:
        """Where the timing comes from, and its slopes."""
        timing = self.state
        whole = len(timing.lengths) == len(self.lengths)
        kind = "stored" if self.is_stored else "measured" if whole else "cut"
        told = {"machine": timing.machine, "repeats": self.repeats, "n": timing.lengths[-1], "budget": self.budget}
        return f"{MESSAGES[kind].format(**told)} {slopes_sentence(timing)}".strip()


class DecodeTimer(Lab):
    """A button that times the reader's own decoding steps, and the picture of the result.

    Parameters
    ----------
    steps : mapping of str to callable
        As in `time_steps`.
    lengths : sequence of int, optional
        Tokens so far, increasing.
    **options
        As in `TimerModel`.
    """

    model: TimerModel

    def __init__(
        self, steps: Mapping[str, Callable[[int], Any]], lengths: Sequence[int] = LENGTHS, **options: Any
    ) -> None:
        self.model = TimerModel(steps, lengths, **options)
        self._make_common(presets={})
        self.button = ipywidgets.Button(description=MESSAGES["button"], layout={"width": "auto"})
        self.bar = ipywidgets.FloatProgress(value=0, min=0, max=1, layout={"width": "240px"})
        self.line, self.picture = Sentence(says=True), ipywidgets.HTML()
        self.button.on_click(lambda _: self.measure())
        controls = ipywidgets.HBox(
            [self.button, self.bar, self._tools(*self.buttons.values()), self._message], layout=WRAP
        )
        self._begin("decode-timer", [controls, self.line, self.picture])

    def measure(self) -> None:
        """Time the steps and show the result; where a step fails, say so and keep the picture."""
        self.button.disabled = True
        try:
            self._try(lambda: self.model.measure(self._progress))
        finally:
            self.button.disabled, self.bar.value = False, self._done()

    def still_figure(self) -> Any:
        """Draw the timing that is shown."""
        return timing_picture(self.model.state)

    def still_text(self) -> str:
        """Say what the widget is, and what is stored."""
        return MESSAGES["text"].format(stored=MESSAGES["stored"].format(machine=self.model.start.machine))

    def _progress(self, name: str, n: int, share: float) -> None:
        self.bar.value = share
        self._message.say(MESSAGES["measuring"].format(name=name, n=n))

    def _done(self) -> float:
        return float(not self.model.is_stored)

    def _draw(self, changed: bool) -> None:
        timing = self.model.state
        seconds = tuple((name, tuple(values)) for name, values in timing.seconds.items())
        self.picture.value = _as_image(tuple(timing.lengths), seconds)

    def _follow(self) -> None:
        self.line.say(self.model.said())  # after the picture: it says that all is there
        self.bar.value = self._done()
