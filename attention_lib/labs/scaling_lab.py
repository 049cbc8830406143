"""The scaling lab: the same scores under four divisors, and the largest weight that softmax makes of each."""

import html
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from .._words import _
from ..lessons.scaling.scaling import DIVISORS, HALF_WIDTH, LONGEST, Comparison, ScalingState, compare
from ..view.lab import Lab

APART, TIMES = 0.1, 1.5  # "level" is less than either, or 0.76 to 0.99 and 0.12 to 0.06 would be level too
STILL = ScalingState(64)
Bars = tuple[NDArray[np.float64], NDArray[np.float64]]  # of the scores, (4, n_bins), and of the weights, (4, n_keys)


@dataclass(frozen=True)
class Search(ScalingState):
    """A setting, and what was seen of it: which lengths, and each divisor's largest weights there."""

    d_k: int = 1
    lengths: tuple[int, int] = (1, 1)
    ranges: tuple[tuple[float, float], ...] = ()  # (least, most) of each divisor


def mean_weights(comparison: Comparison) -> NDArray[np.float64]:
    """Return the weights of a query, largest first, averaged over all queries: (4, n_keys)."""
    return np.sort(comparison.weights)[..., ::-1].mean(axis=(1, 2))


def search_from(state: Search) -> Search:
    """Return a state in which nothing but its own length has been seen."""
    largest = mean_weights(compare(state))[:, 0].tolist()
    return replace(state, lengths=(state.d_k, state.d_k), ranges=tuple((weight, weight) for weight in largest))


def moved(field: str, state: Search, value: Any) -> Search:
    """Return the state with another number; a new length widens what was seen, anything else begins again."""
    after = search_from(replace(state, **{field: value}))
    if field != "d_k":
        return after
    lengths = min(state.lengths[0], value), max(state.lengths[1], value)
    pairs = zip(state.ranges, after.ranges)
    return replace(after, lengths=lengths, ranges=tuple((min(a[0], b[0]), max(a[1], b[1])) for a, b in pairs))


def is_judged(state: Search) -> bool:
    """Return whether both ends were seen; another T divides too, and may flatten what a divisor leaves."""
    return state.temperature == 1 and state.lengths == (1, LONGEST)


def level(state: Search) -> list[bool]:
    """Return which divisors kept the largest weight nearly the same at every length that was seen."""
    return [most - least < APART and most < TIMES * least for least, most in state.ranges]


class ScalingLab(Lab):
    """One draw of queries and keys under four divisors.

    Examples
    --------
    >>> lab = ScalingLab()
    >>> lab.d_k.box.value = "1024"
    >>> [round(most, 2) for least, most in lab.state.ranges]  # the largest weight, mean over 256 queries
    [0.96, 0.24, 0.21, 0.11]
    """

    def __init__(self) -> None:
        starts = {
            "bae": (_("d_k = 4, as in the 배 sentence"), Search(d_k=4)),
            "paper": (_("d_k = 64, 8 heads, as in the paper"), Search(d_k=64)),
            "long": ("d_k = 1024", Search(d_k=1024)),
            "correlated": (_("d_k = 1024, correlated queries and keys"), Search(d_k=1024, alignment=0.5)),
            "one_head": (_("one head: √d_model is √d_k"), Search(d_k=64, n_heads=1)),
        }
        self.presets = {name: (text, search_from(state)) for name, (text, state) in starts.items()}
        self._drawn: Bars | None = None  # the bars that are shown
        super().__init__(search_from(Search()))

    def controls(self) -> list[Any]:
        self.d_k = self._number("d_k", 1, LONGEST, "d_k", ratios=True, width="26em")
        return [self.d_k]

    def more(self) -> list[Any]:
        self.temperature = self._number(_("temperature T"), 0.1, 10, "temperature", digits=2, ratios=True)
        self.alignment = self._number(_("correlation ρ"), 0, 1, "alignment", digits=2)
        heads = {n: str(n) for n in (1, 2, 4, 8, 16, 32)}
        self.heads = self.menu(_("heads"), heads, "n_heads", partial(moved, "n_heads"), "8em")
        draw = self.button(_("New draw"), lambda state: moved("seed", state, state.seed + 1))
        return [self.temperature, self.alignment, self.heads, draw]

    def _number(self, label: str, low: float, high: float, field: str, **options: Any) -> Any:
        return self.number(label, low, high, field, partial(moved, field), n_steps=100, **options)

    def picture(self) -> list[Any]:
        self.table = ipywidgets.HTML()
        return [self.table]

    def tell(self, state: Search) -> None:
        goal = _("Which divisors keep the largest weight level at every length? Guess, then drag d_k from 1 to {last}.")
        if state.temperature != 1:
            goal = _("T = {T:g} divides too. To judge the divisors alone, set T to 1, then drag d_k from 1 to {last}.")
        elif is_judged(state) and any(level(state)):
            goal = _("Goal reached. Divisors that keep the largest weight level: {n} of 4 (✓). Now raise ρ, in “More”.")
        elif is_judged(state):
            goal = _("With ρ = {rho:g}, none of the 4 divisors keeps the largest weight level from d_k = 1 to {last}.")
        elif state.lengths[0] < state.lengths[1]:
            goal = _("Which divisors keep the largest weight level? Seen so far: d_k = {low} to {high} of 1 to {last}.")
        numbers = {"low": state.lengths[0], "high": state.lengths[1], "last": LONGEST, "n": sum(level(state))}
        self.goal.say(goal.format(**numbers, T=state.temperature, rho=state.alignment))
        comparison = compare(state)
        bars = comparison.shares(), mean_weights(comparison)
        before = self._drawn if self._drawn and self._gesture is None else bars  # a drag never moves by itself
        self.table.value, self._drawn = table_of(state, comparison, bars, before), bars

    def code(self, state: Search) -> str:
        d_k = state.d_k
        return f"""\
from attention_lib import softmax
from attention_lib.lessons.scaling.scaling import DIVISORS, divisors, draw_tokens

Q, K = draw_tokens({d_k}, alignment={state.alignment:g}, seed={state.seed})  # (32, 8, {d_k}), (32, 16, {d_k})
scores = Q @ K.swapaxes(-1, -2)  # (32, 8, 16)
weights = {{name: softmax(scores / divisor / {state.temperature:g})
           for name, divisor in zip(DIVISORS, divisors({d_k}, n_heads={state.n_heads}))}}
"""

    def still_figure(self) -> Any:
        """Draw the weights of one query, each row with the spread that made it."""
        from .. import plots  # here, so that a live lab never waits for matplotlib

        comparison = compare(STILL)
        spreads = comparison.scaled_scores.std(axis=(1, 2, 3))  # (4,)
        weights = comparison.one_row()  # (4, n_keys)
        keys = [str(key) for key in range(weights.shape[1])]
        row = _("{divisor} (scores spread by {spread:.2f})")
        rows = [row.format(divisor=divisor, spread=spread) for divisor, spread in zip(DIVISORS, spreads)]
        title = _("Weights of one query over {n} keys").format(n=len(keys))
        return plots.heatmaps({title: weights}, rows, keys, title=self.still_title(), row_axis=_("divisor"), vmax=1)

    def still_title(self) -> str:
        return _("One query: undivided it leans on one key; d_k makes it flat")


def table_of(state: Search, comparison: Comparison, bars: Bars, before: Bars) -> str:
    """Draw a line for each divisor: where the scores lie, how softmax shares 1 out, and the largest share so far."""
    n_keys, spreads = comparison.weights.shape[-1], comparison.scaled_scores.std(axis=(1, 2, 3))
    weights = _("the {n} weights of a query, largest first").format(n=n_keys)
    heads = [_("scores divided by"), _("where they then lie"), "", weights, _("largest weight")]
    cells = [f"<b>{html.escape(head)}</b>" for head in heads]
    for i, (name, (least, most)) in enumerate(zip(DIVISORS, state.ranges)):
        times, value = f" × {state.temperature:g}" if state.temperature != 1 else "", comparison.divisors[i]
        divisor = f"{name}{times} = {value:.{3 if value < 100 else 4}g}" if i or times else name
        histogram, histogram_before = (each[0][i] / each[0][i].max() for each in (bars, before))
        verdict = "" if not is_judged(state) else _("✓ level") if level(state)[i] else _("✗ drifts")
        seen = f"{least:.2f} – {most:.2f}" if state.lengths[0] < state.lengths[1] else ""
        cells += [
            f"<span><strong>{divisor}</strong><br>{_('spread')} {spreads[i]:.2f}</span>",
            f"<span class='hist'>{_bars('height', histogram, histogram_before)}</span>",
            "<span class='softmax'>softmax<br>→</span>",
            f"<span class='shares'><span>{_bars('width', bars[1][i], before[1][i])}</span>"
            f"<u style='left:{least:.2%};width:{most - least:.2%}'></u></span>",
            f"<span><strong>{bars[1][i, 0]:.2f}</strong> {verdict}<br><em>{seen}</em></span>",
        ]
    ends = f"<span class='ends'><i>≤ −{HALF_WIDTH}</i><i>0</i><i>≥ {HALF_WIDTH}</i></span>"
    last = f"<span></span>{ends}<span></span><span class='ends'><i>0</i><i>1</i></span><span></span>"
    return f"<div class='scaling-table'>{''.join(cells)}{last}</div>"


def _bars(side: str, now: NDArray[np.float64], before: NDArray[np.float64]) -> str:
    """Draw bars as long as their numbers; they move there from where they were."""
    return "".join(f"<i style='{side}:{a:.2%};--was:{b:.2%}'></i>" for a, b in zip(now, before))
