"""Time two ways of decoding on the reader's own machine.

The first part is plain functions, numpy alone; the second part is a button, a
progress bar and a picture. Nothing is measured until the button is pressed:
until then the picture shows a measurement that was made once and is described
in data/decode_seconds.json.
"""

import base64
import html
import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ipywidgets
import numpy as np

from ..view.still import StillPicture

DATA = Path(__file__).parents[2] / "data" / "decode_seconds.json"
ENOUGH, MOST_RUNS = 0.2, 200  # seconds and runs of one step at one length
LEAST_TOKENS = 512  # below, the fixed cost of a NumPy call hides what grows with n

MESSAGES = {
    "button": "Measure on this machine",
    "stored": "Measured once: {machine}.",
    "measuring": "{name}, {n} tokens …",
    "measured": "Measured now, on this machine, the best of {repeats} runs or more.",
    "cut": "Measured now, on this machine, up to {n} tokens: the {budget:.0f} seconds for measuring were used up.",
    "failed": "This could not be measured ({problem}). The picture shows the last good measurement.",
    "slopes": "Slopes from {least} tokens on: {slopes}.",
    "title": "Recomputing grows faster with every token than caching does",
    "x": "tokens so far, n",
    "y": "seconds for one more token",
}


@dataclass(frozen=True)
class Timing:
    """Seconds for one more token, by way of decoding.

    Attributes
    ----------
    lengths : tuple of int
        Tokens so far, n.
    seconds : dict of str to tuple of float
        For each way, the seconds at each length.
    machine : str
        Where it was measured.
    """

    lengths: tuple[int, ...]
    seconds: dict[str, tuple[float, ...]]
    machine: str = "this machine"

    def slopes(self, least: int = LEAST_TOKENS) -> dict[str, float]:
        """Return the slope of each curve on log-log axes, fitted to the lengths of at least `least`.

        Examples
        --------
        >>> Timing((512, 1024, 2048), {"doubling": (1.0, 2.0, 4.0)}).slopes()["doubling"].round(6)
        np.float64(1.0)
        """
        used = np.array(self.lengths) >= least
        if used.sum() < 2:
            return {}
        n = np.log(np.array(self.lengths)[used])
        return {name: np.polyfit(n, np.log(np.array(s)[used]), 1)[0] for name, s in self.seconds.items()}


def stored_timing() -> Timing:
    """Return the measurement that is kept with the project."""
    record = json.loads(DATA.read_text("utf-8"))
    seconds = {name: tuple(values) for name, values in record["seconds"].items()}
    return Timing(tuple(record["lengths"]), seconds, record["machine"])


def time_steps(
    steps: Mapping[str, Callable[[int], Any]],
    lengths: Sequence[int],
    *,
    repeats: int = 3,
    budget: float = 10.0,
    progress: Callable[[str, int, float], None] = lambda name, n, share: None,
    clock: Callable[[], float] = time.perf_counter,
) -> Timing:
    """Time each step at each length: the best of several runs, which other work on the machine disturbs least.

    Parameters
    ----------
    steps : mapping of str to callable
        Called with n, does the work for token n.
    lengths : sequence of int
        Increasing.
    repeats : int, optional
        Runs of each at least, besides the first; short steps run more often.
    budget : float, optional
        Seconds after which no further length is begun.
    progress : callable, optional
        Told the name, n and the share done before each step.
    clock : callable, optional
        Returns seconds.

    Returns
    -------
    Timing
        Of the lengths that fitted in the budget; of the first one in any case.
    """
    start = clock()
    found: dict[str, list[float]] = {name: [] for name in steps}
    total = sum(lengths)
    for i, n in enumerate(lengths):
        if i and clock() - start > budget:
            return Timing(tuple(lengths[:i]), {name: tuple(s) for name, s in found.items()})
        for name, step in steps.items():
            progress(name, n, sum(lengths[:i]) / total)
            found[name].append(_best_seconds(step, n, repeats, clock))
    return Timing(tuple(lengths), {name: tuple(s) for name, s in found.items()})


def _best_seconds(step: Callable[[int], Any], n: int, repeats: int, clock: Callable[[], float]) -> float:
    """Return the shortest of the runs: at least `repeats` after the first, more of short ones."""
    runs: list[float] = []
    while len(runs) <= repeats or (sum(runs) < ENOUGH and len(runs) < MOST_RUNS):
        start = clock()
        step(n)
        runs.append(clock() - start)
    return min(runs)


def timing_picture(timing: Timing) -> Any:
    """Draw a timing on log-log axes."""
    from .. import plots

    return plots.lines(
        timing.lengths,
        timing.seconds,
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
    """

    def __init__(
        self,
        steps: Mapping[str, Callable[[int], Any]],
        lengths: Sequence[int] = (64, 128, 256, 512, 1024, 2048, 4096),
        *,
        repeats: int = 3,
        budget: float = 10.0,
    ) -> None:
        self.steps, self.lengths, self.repeats, self.budget = dict(steps), tuple(lengths), repeats, budget
        self.timing = stored_timing()
        self.button = ipywidgets.Button(description=MESSAGES["button"], layout=ipywidgets.Layout(width="auto"))
        self.bar = ipywidgets.FloatProgress(value=0, min=0, max=1, layout=ipywidgets.Layout(width="240px"))
        self.line = ipywidgets.HTML()
        self.picture = ipywidgets.HTML()
        self.button.on_click(lambda button: self.measure())
        super().__init__([ipywidgets.HBox([self.button, self.bar]), self.line, self.picture])
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
        """Say what the widget is, and the stored slopes."""
        return f"DecodeTimer. {slopes_sentence(stored_timing())}"

    def _progress(self, name: str, n: int, share: float) -> None:
        self.bar.value = share
        self.line.value = html.escape(MESSAGES["measuring"].format(name=name, n=n))

    def _show(self, words: str) -> None:
        from .. import plots

        figure = timing_picture(self.timing)
        image = base64.b64encode(plots.png(figure)).decode()
        alt = html.escape(figure.description, quote=True)
        self.line.value = html.escape(f"{words} {slopes_sentence(self.timing)}")
        self.picture.value = f'<img src="data:image/png;base64,{image}" alt="{alt}">'
