"""Guess how much faster a cache makes the next word, time it on this machine, and wait for words at that speed."""

import html
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets

from ..._words import _
from ...examples.timing import Timing, stored_timing, time_steps
from ...live.controls import Sentence
from ...live.lab import Lab

CLOSE = 2  # a guess counts as right when it is at most so many times too large or too small
WATCHED = 4.0  # seconds that the slow way writes before the reader's eyes, or a little more
MOST_WORDS = 200  # that are written
FAR = 4  # a factor that is so many times that of the stored times may come from other work of the machine
BOTH, NEITHER = "both ways", "neither way"


@dataclass(frozen=True)
class TimerState:
    """A guess, seconds for a word without a cache and with one, whether they are shown, and which way writes."""

    guess: int
    seconds: tuple[float, float]
    rounds: int = 0  # in which they were timed; 0: they are the stored ones
    is_shown: bool = False
    writes: str = NEITHER
    race: int = 0  # how often one was let write

    @property
    def times(self) -> float:
        """How many times as fast a word is with a cache."""
        return self.seconds[0] / self.seconds[1]


def times_text(times: float) -> str:
    """Write a factor in plain digits, about three of them.

    Examples
    --------
    >>> times_text(2.345), times_text(3089.7)
    ('2.35', '3,090')
    """
    return f"{times:.3g}" if times < 1000 else f"{round(times, -1):,.0f}"


def let_write(state: TimerState, way: str) -> TimerState:
    """Return the state in which one way writes its words once more."""
    return replace(state, writes=way, race=state.race + 1)


class DecodeTimer(Lab):
    """A guess, a button that times the next word on this machine, and words that come at the measured speed.

    Parameters
    ----------
    steps : mapping of str to callable
        As in `time_steps`: the way without a cache, and the way with one.
    stored : Timing, optional
        What is shown until something is measured; after the last of its lengths, the next word is timed.

    Examples
    --------
    >>> lab = DecodeTimer({"slow": lambda n: sum(range(n * n)), "fast": lambda n: None})
    >>> lab.measure_button.click()
    >>> lab.state.is_shown, lab.state.rounds > 0
    (True, True)
    """

    def __init__(self, steps: Mapping[str, Callable[[int], Any]], stored: Timing | None = None) -> None:
        self.steps, self.stored = dict(steps), stored or stored_timing()
        self.n = self.stored.lengths[-1]
        slow, fast = (seconds[-1] for seconds in self.stored.seconds.values())
        super().__init__(TimerState(2, (slow, fast)))

    def controls(self) -> list[Any]:
        scale: Any = {"n_steps": 12, "ratios": True, "width": "18em", "box_width": "5em"}
        self.guess = self.number(_("times as fast"), 1, 10_000, "guess", **scale)
        self.measure_button = self.button(_("Measure on this machine"), self._measured)
        self.measure_button.button_style = "primary"
        self.writers = [self.button(f"▶ {way}", partial(let_write, way=way)) for way in self.steps]
        return [self.guess, self.measure_button, *self.writers]

    def more(self) -> list[Any]:
        return [
            self.button(_("Show the stored times"), self._stored),
            self.button(_("Measure once more"), self._measured),
        ]

    def picture(self) -> list[Any]:
        self.race, self.source = ipywidgets.HTML(), Sentence("lab-line")
        return [self.race, self.source]

    def _stored(self, state: TimerState) -> TimerState:
        return replace(self.start, guess=state.guess, is_shown=True, writes=BOTH)

    def _measured(self, state: TimerState) -> TimerState:
        self.message.say(_("Measuring …"))
        seconds, rounds = time_steps(self.steps, self.n)
        slow, fast = seconds.values()
        return replace(state, seconds=(slow, fast), rounds=rounds, is_shown=True, writes=BOTH, race=state.race + 1)

    def tell(self, state: TimerState) -> None:
        is_close = state.is_shown and state.times / CLOSE <= state.guess <= state.times * CLOSE
        if not state.is_shown:
            goal = _("By what factor does a cache speed up the next word after {n} words? Guess, then measure.")
        elif is_close:
            goal = _(
                "Goal reached: after {n} words, a cache makes the next one {times} times as fast. You guessed {guess}."
            )
        else:
            goal = _("After {n} words, a cache makes the next one {times} times as fast. You guessed {guess}.")
        self.say_goal(is_close, goal.format(n=self.n, times=times_text(state.times), guess=f"{state.guess:,}"))
        for control in (self.guess, self.measure_button):
            control.layout.display = "none" if state.is_shown else ""
        for button in self.writers:
            button.layout.display = "" if state.is_shown else "none"
        source = _("Stored times, from {machine}.").format(machine=self.stored.machine)
        if state.rounds:
            source = _(
                "The next word after {n} words, on this machine: {slow:.3g} ms without a cache and {fast:.3g} ms with "
                "one, in the median of {rounds} rounds."
            )
            slow, fast = (1000 * seconds for seconds in state.seconds)
            source = source.format(n=self.n, slow=slow, fast=fast, rounds=state.rounds)
            if not 1 / FAR < state.times / self.start.times < FAR:
                source += " " + _(
                    "The stored times give {times}. Was this machine busy? Measure once more, under More."
                )
                source = source.format(times=times_text(self.start.times))
        self.source.say(source)
        self.race.value = race_of(state, list(self.steps))

    def still_figure(self) -> Any:
        """Draw both curves of the stored times."""
        from ... import plots

        curves = {way: [1000 * value for value in values] for way, values in self.stored.seconds.items()}
        labels: Any = {"x_label": _("words so far, n"), "y_label": _("milliseconds for one more word")}
        return plots.lines(self.stored.lengths, curves, title=self.still_title(), log_x=True, log_y=True, **labels)

    def still_title(self) -> str:
        return _("With a cache, the next word stays cheap")


def race_of(state: TimerState, ways: list[str]) -> str:
    """Let words come, each way at its own measured speed; a bar is as long as its way takes.

    The page's animations keep the time.
    """
    slow, fast = state.seconds
    guess = _("your guess: {guess} times as fast").format(guess=f"{state.guess:,}")
    lanes = {ways[0]: ("slow", slow), guess: ("guess", slow / state.guess)}
    if state.is_shown:
        lanes[ways[1]] = "fast", fast
    n_words = min(MOST_WORDS, 10 * math.ceil(WATCHED / slow / 10))
    title = _("How long you wait for {words} more words").format(words=n_words)
    parts = []
    for way, (kind, seconds) in lanes.items():
        wait = f"<em>{n_words * seconds:.2g} s</em>"
        timed = f"--share: {seconds / slow:.5f}; --seconds: {n_words * seconds:.4f}s; --words: {n_words}"
        writes = " writes" if kind != "guess" and state.writes in (BOTH, way) else ""
        parts.append(f"<span>{html.escape(way)}</span>")
        parts.append(
            f"<i class='lane-{kind}{writes}' style='{timed}'><u></u><b data-words='{_('words')}'>{wait}</b></i>"
        )
    # Markup that is new starts its animations anew, so it holds the number of the race.
    lines = f"<div class='timer-race' data-race='{state.race}'>{''.join(parts)}</div>"
    return f"<b>{html.escape(title)}</b>{lines}"
