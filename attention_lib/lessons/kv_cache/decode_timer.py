"""Guess how much faster a cache makes the next word, time it on this machine, and wait for words at that speed."""

import html
import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets

from ..._words import _
from ...examples.timing import Timing, stored_timing, time_steps
from ...live.controls import Sentence
from ...live.lab import Lab
from ..training_picture import draw_curves, training_style

LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
CLOSE = 2  # a guess counts as right when it is at most so many times too large or too small
WATCHED = 4.0  # seconds that the slow way writes before the reader's eyes, or a little more
MOST_WORDS = 200  # that are written
ALL, NONE = "all ways", "no way"


@dataclass(frozen=True)
class TimerState:
    """A guess, a measurement, whether all of it is shown, which way writes, and how often one was let write."""

    guess: int
    timing: Timing
    is_shown: bool = False
    writes: str = ALL
    race: int = 0


def let_write(state: TimerState, way: str) -> TimerState:
    """Return the state in which one way writes its words once more."""
    return replace(state, writes=way, race=state.race + 1)


def with_guess(state: TimerState, guess: int) -> TimerState:
    """Return the state with another guess: its bar follows the hand, and nothing writes."""
    return replace(state, guess=guess, writes=NONE)


def times_faster(timing: Timing) -> float:
    """Return how many times faster the last way is than the first, at the largest length."""
    ways = list(timing.seconds.values())
    return ways[0][-1] / ways[-1][-1]


class DecodeTimer(Lab):
    """A guess, a button that times the reader's own decoding steps, and words that come at the measured speed.

    Parameters
    ----------
    steps : mapping of str to callable
        As in `time_steps`: the slowest way first, the fastest last.
    lengths : sequence of int, optional
        Tokens so far, increasing.
    budget : float, optional
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
        budget: float = 8.0,
        stored: Timing | None = None,
    ) -> None:
        self.steps, self.lengths, self.budget = dict(steps), tuple(lengths), budget
        super().__init__(TimerState(2, stored_timing() if stored is None else stored))

    @classmethod
    def style(cls) -> str:
        """Return also the style sheet of its curves."""
        return training_style() + super().style()

    def controls(self) -> list[Any]:
        scale: Any = {"n_steps": 9, "ratios": True, "width": "15em", "box_width": "4em"}
        self.guess = self.number(_("times faster"), 1, 1000, "guess", with_guess, **scale)
        self.measure_button = self._button(_("Measure on this machine"), self.measure)
        self.measure_button.button_style = "primary"
        self.writers = [self.button(f"▶ {way}", partial(let_write, way=way)) for way in self.state.timing.seconds]
        return [self.guess, self.measure_button, *self.writers]

    def more(self) -> list[Any]:
        stored = self.button(_("Show the stored times"), lambda s: replace(self.start, guess=s.guess, is_shown=True))
        return [stored, self._button(_("Measure once more"), self.measure)]

    def picture(self) -> list[Any]:
        self.race, self.curves, self.source = ipywidgets.HTML(), ipywidgets.HTML(), Sentence("lab-line")
        return [self.race, self.source, self.curves]

    def measure(self) -> None:
        """Time the steps and show the result; where a step fails, say so and keep the picture."""
        self.measure_button.disabled = True
        try:
            self.act(self._measured)
        finally:
            self.measure_button.disabled = False

    def _measured(self, state: TimerState) -> TimerState:
        try:
            timing = time_steps(self.steps, self.lengths, budget=self.budget, progress=self._progress)
        except BaseException as error:  # the steps are the reader's own: whatever they do, the lab stays
            problem = "".join(traceback.format_exception_only(error)).strip()
            raise ValueError(_("This could not be measured ({problem}).").format(problem=problem)) from error
        return replace(state, timing=timing, is_shown=True, writes=ALL, race=state.race + 1)

    def _progress(self, name: str, n: int) -> None:
        self.message.say(_("Measuring: {name}, n = {n} …").format(name=name, n=n))

    def tell(self, state: TimerState) -> None:
        timing, times = state.timing, times_faster(state.timing)
        numbers = {"n": timing.lengths[-1], "guess": state.guess, "times": f"{times:.3g}"}
        is_close = times / CLOSE <= state.guess <= times * CLOSE
        if not state.is_shown:
            goal = _("With a cache, how many times faster is word {n}? Guess, then measure.")
        elif is_close:
            goal = _("Goal reached: you guessed {guess}, and with a cache word {n} is {times} times faster.")
        else:
            goal = _("With a cache, word {n} is {times} times faster. You guessed {guess} times.")
        self.goal.say(goal.format(**numbers))
        for control in (self.guess, self.measure_button):
            control.layout.display = "none" if state.is_shown else ""
        for button in self.writers:
            button.layout.display = "" if state.is_shown else "none"
        self.source.say(self._source_of(timing))
        self.race.value, self.curves.value = race_of(state), curves_of(state)

    def _source_of(self, timing: Timing) -> str:
        if timing == self.start.timing:
            return _("Stored times for one more word, from {machine}.").format(machine=timing.machine)
        if len(timing.lengths) == len(self.lengths):
            return _("Measured on this machine: the median of {n} runs at each length.").format(n=timing.runs)
        ended = _("Measured on this machine up to n = {n}, where the {budget:.0f} seconds for measuring were used up.")
        return ended.format(n=timing.lengths[-1], budget=self.budget)

    def still_figure(self) -> Any:
        """Draw both curves of the times that are there."""
        from ... import plots

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


def race_of(state: TimerState) -> str:
    """Let words come, each way at its own measured speed; a bar is as long as its way takes.

    The page's animations keep the time.
    """
    timing, (slow_way, *others) = state.timing, state.timing.seconds
    slow = timing.seconds[slow_way][-1]
    lanes = {slow_way: ("slow", slow)}
    lanes[_("your guess: {guess} times as fast").format(guess=state.guess)] = "guess", slow / state.guess
    if state.is_shown:
        lanes |= {way: ("fast", timing.seconds[way][-1]) for way in others}
    n_words = min(MOST_WORDS, 10 * math.ceil(WATCHED / slow / 10))
    title = _("{words} more words, each in the time that was measured for word {n}: a bar is the time you wait")
    title = title.format(words=n_words, n=timing.lengths[-1])
    parts = []
    for way, (kind, seconds) in lanes.items():
        wait = f"{n_words * seconds:.2g} s"
        timed = f"--share: {seconds / slow:.5f}; --seconds: {n_words * seconds:.4f}s; --words: {n_words}"
        writes = " writes" if kind != "guess" and state.writes in (ALL, way) else ""
        parts.append(f"<span>{html.escape(way)}</span>")
        parts.append(
            f"<i class='lane-{kind}{writes}' style='{timed}'><u></u><b data-words='{_('words')}'>{wait}</b></i>"
        )
    # Markup that is new starts its animations anew, so it holds the number of the race.
    lines = f"<div class='timer-race' data-race='{state.race}'>{''.join(parts)}</div>"
    return f"<b>{html.escape(title)}</b>{lines}"


def curves_of(state: TimerState) -> str:
    """Draw the time for one more word over the words so far; the fast way comes when it has been measured."""
    timing = state.timing
    last, most = timing.lengths[-1], max(max(values) for values in timing.seconds.values())
    shown = list(timing.seconds.items())[: None if state.is_shown else 1]
    lines = {f"{name} {1000 * values[-1]:.3g} ms": [value / most for value in values] for name, values in shown}
    at = [n / last for n in timing.lengths]
    ends = "0", _("words so far; upwards the time for one more"), str(last)
    return f"<div class='training-picture'>{draw_curves(at, lines, len(at) - 1, ends)}</div>"
