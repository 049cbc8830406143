"""Guess how much faster a cache makes the next word, then time it on the reader's own machine."""

import html
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets

from .._words import _
from ..examples.timing import Timing, stored_timing, time_steps
from ..view.controls import Sentence
from ..view.lab import Lab

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
GUESSES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)  # times faster
CLOSE = 2  # a guess counts as right when it is at most so many times too large or too small
LEFT, RIGHT = 10, 72  # percent of the picture's width between which the curves run
Place = tuple[float, float]  # percent from the left and from the top


@dataclass(frozen=True)
class TimerState:
    """A guess, a measurement, and whether all of it is shown; before that only the first way is."""

    guess: float
    timing: Timing
    is_shown: bool = False


def times_faster(timing: Timing) -> float:
    """Return how many times faster the last way is than the first, at the largest length."""
    ways = list(timing.seconds.values())
    return ways[0][-1] / ways[-1][-1]


def milliseconds(seconds: float) -> str:
    """Write a time with three digits.

    Examples
    --------
    >>> milliseconds(0.0206), milliseconds(0.000138)
    ('20.6 ms', '0.138 ms')
    """
    return f"{1000 * seconds:.3g} ms"


class DecodeTimer(Lab):
    """A guess, a button that times the reader's own decoding steps, and the picture of both.

    Parameters
    ----------
    steps : mapping of str to callable
        As in `time_steps`: the slowest way first, the fastest last.
    lengths : sequence of int, optional
        Tokens so far, increasing.
    repeats, budget : optional
        As in `time_steps`.
    stored : Timing, optional
        What is shown until something is measured. Default: `stored_timing()`.

    Examples
    --------
    >>> lab = DecodeTimer({"slow": lambda n: sum(range(n * n)), "fast": lambda n: None}, (64, 128))
    >>> lab.measure()
    >>> lab.state.timing.lengths, lab.state.is_shown
    ((64, 128), True)
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
        super().__init__(TimerState(GUESSES[1], stored_timing() if stored is None else stored))

    def controls(self) -> list[Any]:
        self.guess = self.number(_("times faster"), 1, 1, "guess", among=GUESSES, width="17em", box_width="4em")
        self.measure_button = self._button(_("Measure on this machine"), self.measure)
        self.measure_button.button_style = "primary"
        return [self.guess, self.measure_button]

    def more(self) -> list[Any]:
        return [self.button(_("Show the stored times"), partial(replace, is_shown=True))]

    def picture(self) -> list[Any]:
        self.bar, self.drawing = ipywidgets.FloatProgress(max=1), ipywidgets.HTML()
        self.source = Sentence("lab-line")
        self.bar.layout.visibility = "hidden"
        return [self.drawing, self.source, self.bar]

    def measure(self) -> None:
        """Time the steps and show the result; where a step fails, say so and keep the picture."""
        self.measure_button.disabled, self.bar.layout.visibility = True, "visible"
        try:
            self.act(self._measured)
        finally:
            self.measure_button.disabled, self.bar.layout.visibility = False, "hidden"

    def _measured(self, state: TimerState) -> TimerState:
        options: Any = {"repeats": self.repeats, "budget": self.budget, "progress": self._progress}
        try:
            return replace(state, timing=time_steps(self.steps, self.lengths, **options), is_shown=True)
        except BaseException as error:  # the steps are the reader's own: whatever they do, the lab stays
            problem = "".join(traceback.format_exception_only(error)).strip()
            raise ValueError(_("This could not be measured ({problem}).").format(problem=problem)) from error

    def _progress(self, name: str, n: int, share: float) -> None:
        self.bar.value = share
        self.message.say(_("Measuring: {name}, n = {n} …").format(name=name, n=n))

    def tell(self, state: TimerState) -> None:
        timing, times = state.timing, times_faster(state.timing)
        told = {"n": timing.lengths[-1], "guess": f"{state.guess:g}", "times": f"{times:.3g}"}
        is_close = times / CLOSE <= state.guess <= times * CLOSE
        if not state.is_shown:
            goal = _("With a cache, how many times faster is word {n}? Guess, then measure.")
        elif is_close:
            goal = _("Goal reached: you guessed {guess}, and with a cache word {n} is {times} times faster.")
        else:
            goal = _("With a cache, word {n} is {times} times faster. You guessed {guess} times.")
        self.goal.say(goal.format(**told))
        self.guess.disable(state.is_shown)
        self.source.say(self._source_of(timing))
        self.drawing.value = timing_drawing(state)

    def _source_of(self, timing: Timing) -> str:
        if timing == self.start.timing:
            return _("Stored times for one more word, from {machine}.").format(machine=timing.machine)
        if len(timing.lengths) == len(self.lengths):
            return _("Measured on this machine, the best of {n} runs or more.").format(n=self.repeats)
        ended = _("Measured on this machine up to n = {n}, where the {budget:.0f} seconds for measuring were used up.")
        return ended.format(n=timing.lengths[-1], budget=self.budget)

    def still_figure(self) -> Any:
        """Draw both curves of the times that are there."""
        from .. import plots

        timing = self.state.timing
        curves = {name: [1000 * value for value in values] for name, values in timing.seconds.items()}
        return plots.lines(
            timing.lengths,
            curves,
            title=self.still_title(),
            x_label=_("words so far, n"),
            y_label=_("milliseconds for one more word"),
            log_x=True,
            log_y=True,
        )

    def still_title(self) -> str:
        return _("With a cache, the next word stays cheap")


def timing_drawing(state: TimerState) -> str:
    """Draw the times on two logarithmic axes, and the guess below the end of the first curve."""
    timing = state.timing
    slow = next(iter(timing.seconds.values()))
    every = [value for values in timing.seconds.values() for value in values]
    high, low = 1.6 * max(every), min(min(every) / 1.6, slow[-1] / (1.6 * GUESSES[-1]))
    last = max(timing.lengths[-1] / timing.lengths[0], 2)

    def place(n: float, seconds: float) -> Place:
        across = LEFT + (RIGHT - LEFT) * math.log(n / timing.lengths[0]) / math.log(last)
        return across, 90 * math.log(high / seconds) / math.log(high / low)

    def end(value: float) -> Place:
        return place(timing.lengths[-1], value)

    parts = []
    for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1):
        height = end(10.0**power)[1]
        parts += [f"<hr style='top: {height:.1f}%'>", _text("timer-tick", (0, height), milliseconds(10.0**power))]
    parts += [_text("timer-n", (place(n, high)[0], 92), str(n)) for n in timing.lengths]
    parts.append(_text("timer-n", (RIGHT + 11, 92), _("words so far")))
    shown = list(timing.seconds.items())[: None if state.is_shown else 1]
    for i, (name, values) in enumerate(shown):
        parts += _curve(f"timer-{i}", [place(n, value) for n, value in zip(timing.lengths, values)])
        parts.append(_text("timer-name", end(values[-1]), f"{milliseconds(values[-1])}\n{name}"))
    if state.is_shown:
        times = times_faster(timing)
        faster = _("{times:.3g} times faster").format(times=times)
        parts.append(_text("timer-name timer-times", end(slow[-1] / math.sqrt(times)), faster))
    start, guess = end(slow[-1]), end(slow[-1] / state.guess)
    side = f"left: {start[0]:.1f}%; top: {start[1]:.1f}%; height: {guess[1] - start[1]:.1f}%"
    words = _("your guess: {guess:g} times faster").format(guess=state.guess)
    parts += [
        f"<i class='timer-span' style='{side}'></i>",
        _text("timer-guess", guess, words),
        _dot("timer-ring", guess),
    ]
    return f"<div class='timer-board'>{''.join(parts)}</div>"


def _curve(name: str, places: Sequence[Place]) -> list[str]:
    points = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
    box = "viewBox='0 0 100 100' preserveAspectRatio='none' aria-hidden='true'"
    return [
        f"<svg {box}><polyline class='{name}' points='{points}'/></svg>",
        *(_dot(f"timer-dot {name}", one) for one in places),
    ]


def _dot(name: str, place: Place) -> str:
    return f"<i class='{name}' style='left: {place[0]:.1f}%; top: {place[1]:.1f}%'></i>"


def _text(name: str, place: Place, words: str) -> str:
    return f"<span class='{name}' style='left: {place[0]:.1f}%; top: {place[1]:.1f}%'>{html.escape(words)}</span>"
