"""Guess how much faster a cache makes the next word, time it on this machine, and see both ways write at that speed."""

import html
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import Any

import ipywidgets

from ..._words import _
from ...examples.timing import Timing, stored_timing, time_steps
from ...live.controls import Sentence
from ...live.lab import Lab

CLOSE = 2  # a guess counts as right when it is at most so many times too large or too small
BUDGET, LONGEST = 8.0, 6.0  # seconds that a measurement may take, and the writing of both ways
FAR = 4  # a factor that is so many times that of the stored times may come from other work of the machine

Seconds = tuple[float, ...]  # for the next word, after so many words as the stored times


@dataclass(frozen=True)
class TimerState:
    """A guess, the seconds of each way, whether they are shown, and how often both ways were let write."""

    guess: int
    ways: tuple[Seconds, Seconds]  # without a cache, with one
    rounds: int = 0  # in which they were timed; 0: they are the stored ones
    is_shown: bool = False
    race: int = 0

    @property
    def times(self) -> float:
        """How many times as fast the last word is with a cache."""
        slow, fast = self.ways
        return slow[-1] / fast[-1]


def times_text(times: float) -> str:
    """Write a number above 0 in plain digits, two of them.

    Examples
    --------
    >>> times_text(2.345), times_text(149.3), times_text(3089.7)
    ('2.3', '150', '3,100')
    """
    return f"{times:.2g}" if times < 10 else f"{float(f'{times:.2g}'):,.0f}"


def let_write(state: TimerState) -> TimerState:
    return replace(state, race=state.race + 1)


class DecodeTimer(Lab):
    """The lab: a guess, a button that times the next word, and two curves drawn at the measured speed.

    The `steps` are those of `time_steps`, without a cache and with one. What is `stored` is shown until something is
    measured, and the next word is timed after each of its lengths.

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
        slow, fast = self.stored.seconds.values()
        super().__init__(TimerState(2, (slow, fast)))

    def controls(self) -> list[Any]:
        scale: Any = {"n_steps": 12, "ratios": True, "width": "18em", "box_width": "5em"}
        self.guess = self.number(_("times as fast"), 1, 10_000, "guess", **scale)
        self.measure_button = self.button(_("Measure on this machine"), self._measured)
        self.measure_button.button_style = "primary"
        self.write_button = self.button(_("▶ write again"), let_write)
        self.again_button = self.button(_("Measure once more"), self._measured)
        return [self.guess, self.measure_button, self.write_button, self.again_button]

    def more(self) -> list[Any]:
        return [self.button(_("Show the stored times"), self._stored)]

    def picture(self) -> list[Any]:
        self.race, self.source = ipywidgets.HTML(), Sentence("lab-line")
        return [self.race, self.source]

    def _stored(self, state: TimerState) -> TimerState:
        return let_write(replace(self.start, guess=state.guess, is_shown=True, race=state.race))

    def _measured(self, state: TimerState) -> TimerState:
        self.message.say(_("Measuring …"))
        lengths, rounds, seconds = self.stored.lengths, 0, []
        for n in lengths:
            timed, rounds = time_steps(self.steps, n, budget=BUDGET / len(lengths))
            seconds.append(tuple(timed.values()))
        slow, fast = zip(*seconds)
        return let_write(replace(state, ways=(slow, fast), rounds=rounds, is_shown=True))

    def tell(self, state: TimerState) -> None:
        is_close = state.is_shown and state.times / CLOSE <= state.guess <= state.times * CLOSE
        is_odd = state.rounds > 0 and not 1 / FAR < state.times / self.start.times < FAR
        if not state.is_shown:
            goal = _("How many times as fast is the next word with a cache? Guess, then measure.")
        elif is_odd:
            goal = _("About {times} times as fast here, and {stored} in the stored times. Was this machine busy?")
        elif is_close:
            goal = _("Goal reached: after {n} words, a cache makes the next one about {times} times as fast.")
        else:
            goal = _("After {n} words, a cache makes the next one about {times} times as fast, not {guess}.")
        numbers = {"times": times_text(state.times), "stored": times_text(self.start.times)}
        self.say_goal(is_close and not is_odd, goal.format(n=self.n, guess=f"{state.guess:,}", **numbers))
        for control in (self.guess, self.measure_button):
            control.layout.display = "none" if state.is_shown else ""
        for control in (self.write_button, self.again_button):
            control.layout.display = "" if state.is_shown else "none"
        source = _("Stored times, from {machine}.").format(machine=self.stored.machine)
        if state.rounds:
            source = _("Measured on this machine, the best of {rounds} rounds after {n} words.")
            source = source.format(n=self.n, rounds=state.rounds)
        self.source.say(source)
        self.race.value = race_of(state, self.stored.lengths, list(self.steps))

    def still_figure(self) -> Any:
        from ... import plots

        curves = {way: [1000 * value for value in values] for way, values in self.stored.seconds.items()}
        labels: Any = {"x_label": _("words so far"), "y_label": _("milliseconds for one more word")}
        labels |= {"log_x": True, "log_y": True, "y_ticks": [0.1, 1, 10]}
        return plots.lines(self.stored.lengths, curves, title=self.still_title(), **labels)

    def still_title(self) -> str:
        return _("With a cache, the next word stays cheap")


def pace_of(lengths: Sequence[float], seconds: Seconds) -> tuple[float, str]:
    """Return how long a way writes in all, and how far it is at which time, as CSS says it.

    Examples
    --------
    >>> pace_of([1, 3], (1.0, 3.0))
    (5.0, 'linear(0 0.0%, 0.333 20.0%, 1.000 100.0%)')
    """
    points = pairwise(zip((0, *lengths), (seconds[0], *seconds)))
    ends = list(accumulate((n - before) * (late + early) / 2 for (before, early), (n, late) in points))
    stops = (f"{n / lengths[-1]:.3f} {100 * end / ends[-1]:.1f}%" for n, end in zip(lengths, ends))
    return ends[-1], f"linear(0 0.0%, {', '.join(stops)})"


def race_of(state: TimerState, lengths: Sequence[int], ways: list[str]) -> str:
    """Draw what the next word takes over the words so far; each curve grows as fast as its way writes.

    The page's animations keep the time.
    """
    slow, fast = state.ways
    n = lengths[-1]
    guess = _("your guess, {guess} times as fast").format(guess=f"{state.guess:,}")
    curves = {ways[0]: ("slow", lengths, slow), guess: ("guess", (0.8 * n, n), (slow[-1] / state.guess,) * 2)}
    if state.is_shown:
        curves[ways[1]] = "fast", lengths, fast
    top = max(*slow, *fast)
    quick = max(1.0, pace_of(lengths, slow)[0] / LONGEST)  # how much faster it is drawn than measured
    paths, names = [], []
    for name, (kind, at, seconds) in curves.items():
        bends = " ".join(f"{100 * x / n:.2f},{100 - 100 * y / top:.2f}" for x, y in zip(at, seconds))
        total, pace = pace_of(at, seconds)
        timed = f"class='way-{kind}' style='--seconds: {total / quick:.4f}s; --pace: {pace}; --words: {n}'"
        paths.append(f"<g {timed}><polygon points='3,100 {bends} 100,100'/><polyline points='{bends}'/></g>")
        wait = _("{milliseconds} ms for the next one").format(milliseconds=times_text(1000 * seconds[-1]))
        words = f"<b data-words='{_('words')}'></b> <em>{wait}</em>"
        names.append(f"<span {timed}><u></u>{html.escape(name)}: {words}</span>")
    title = _("Milliseconds for the next word, from 0 to {top}")
    if quick > 1 and state.race:
        title = _("Milliseconds for the next word, from 0 to {top}, drawn {times} times as fast as measured")
    writes = " writes" if state.race else ""
    drawn = f"<svg viewBox='0 0 100 100' preserveAspectRatio='none' aria-hidden='true'>{''.join(paths)}</svg>"
    axis = f"<p><span>0</span><span>{_('words so far')}</span><span>{n}</span></p>"
    # Markup that is new starts its animations anew, so it holds the number of the race.
    race = f"<div class='timer-race{writes}' data-race='{state.race}'>{drawn}<div>{''.join(names)}</div></div>"
    return f"<b>{title.format(top=times_text(1000 * top), times=times_text(quick))}</b>{race}{axis}"
