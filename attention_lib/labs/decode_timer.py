"""Time two ways of decoding on the reader's own machine.

A button, a progress bar and a picture. Nothing is measured until the button is
pressed: until then the picture shows a measurement that was made once and is
stored in data with the name of the machine.
"""

import base64
import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ipywidgets

from ..analysis.timing import LEAST_TOKENS, Timing, time_steps
from ..examples.stored_costs import stored_timing
from ..view.keys import furnish
from ..view.still import StillPicture

MESSAGES = {
    "button": "Measure on this machine",
    "stored": "Measured once: {machine}.",
    "measuring": "{name}, n = {n} …",
    "measured": "Measured now, on this machine, the best of {repeats} runs or more.",
    "cut": "Measured now, on this machine, up to n = {n}: the {budget:.0f} seconds for measuring were used up.",
    "failed": "This could not be measured ({problem}). The picture shows the last good measurement.",
    "slopes": "Slopes from {least} tokens on: {slopes}.",
    "text": "DecodeTimer. {stored}",
    "title": "One more token, without a cache and with one",
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


def slopes_sentence(timing: Timing) -> str:
    """Say the fitted slopes, or nothing where too few lengths were measured."""
    slopes = timing.slopes()
    if not slopes:
        return ""
    said = ", ".join(f"{name} {slope:.1f}" for name, slope in slopes.items())
    return MESSAGES["slopes"].format(least=LEAST_TOKENS, slopes=said)


class DecodeTimer(StillPicture, ipywidgets.VBox):
    """A button that times the reader's own decoding steps, and the picture of the result.

    Parameters
    ----------
    steps : mapping of str to callable
        As in `time_steps`.
    lengths : sequence of int, optional
        Tokens so far, increasing.
    repeats, budget
        As in `time_steps`.
    stored : Timing, optional
        What is shown until the button is pressed. Default: `stored_timing()`.
    """

    def __init__(
        self,
        steps: Mapping[str, Callable[[int], Any]],
        lengths: Sequence[int] = (64, 128, 256, 512, 1024, 2048, 4096),
        *,
        repeats: int = 3,
        budget: float = 10.0,
        stored: Timing | None = None,
    ) -> None:
        self.steps, self.lengths, self.repeats, self.budget = dict(steps), tuple(lengths), repeats, budget
        self.timing = self.stored = stored_timing() if stored is None else stored
        self.button = ipywidgets.Button(description=MESSAGES["button"], layout=ipywidgets.Layout(width="auto"))
        self.bar = ipywidgets.FloatProgress(value=0, min=0, max=1, layout=ipywidgets.Layout(width="240px"))
        self.line = ipywidgets.HTML()
        self.line.add_class("lab-says")
        self.picture = ipywidgets.HTML()
        self.button.on_click(lambda button: self.measure())
        super().__init__([ipywidgets.HBox([self.button, self.bar]), self.line, self.picture])
        furnish(self)
        self._show(MESSAGES["stored"].format(machine=self.timing.machine))

    def measure(self) -> None:
        """Time the steps and show the result; where a step fails, say so and keep the picture."""
        self.button.disabled = True
        try:
            timing = time_steps(
                self.steps, self.lengths, repeats=self.repeats, budget=self.budget, progress=self._progress
            )
        except Exception as problem:  # the steps are the reader's own: whatever they do, the lab stays
            self.line.value = html.escape(MESSAGES["failed"].format(problem=f"{type(problem).__name__}: {problem}"))
        else:
            self.timing = timing
            whole = len(timing.lengths) == len(self.lengths)
            message = MESSAGES["measured" if whole else "cut"]
            self._show(message.format(repeats=self.repeats, n=timing.lengths[-1], budget=self.budget))
            self.bar.value = 1.0
        finally:
            self.button.disabled = False

    def still_figure(self) -> Any:
        """Draw the timing that is shown."""
        return timing_picture(self.timing)

    def still_text(self) -> str:
        """Say what the widget is, and what is stored."""
        return MESSAGES["text"].format(stored=MESSAGES["stored"].format(machine=self.stored.machine))

    def _progress(self, name: str, n: int, share: float) -> None:
        self.bar.value = share
        self.line.value = html.escape(MESSAGES["measuring"].format(name=name, n=n))

    def _show(self, words: str) -> None:
        from .. import plots

        figure = timing_picture(self.timing)
        image = base64.b64encode(plots.png(figure)).decode()
        alt = html.escape(figure.description, quote=True)
        self.picture.value = f'<img src="data:image/png;base64,{image}" alt="{alt}">'
        self.line.value = html.escape(f"{words} {slopes_sentence(self.timing)}")  # last: it says that all is there
