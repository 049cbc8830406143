"""The scaling lab: the same scores under three divisors, and the largest weight that softmax makes of each."""

import html
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.drawing import Drawing
from ...live.lab import Lab
from .scaling import DIVISORS, HALF_WIDTH, LONGEST, Comparison, ScalingState, compare

ENOUGH = 0.9  # of the weight, for one key
NEAR = 0.1  # a spread this close to 1 is called 1


def mean_weights(comparison: Comparison) -> NDArray[np.float64]:
    """Return the weights of a query, largest first, averaged over all queries: (3, n_keys)."""
    return np.sort(comparison.weights)[..., ::-1].mean(axis=(1, 2))


def spreads_of(comparison: Comparison) -> NDArray[np.float64]:
    """Return how far the scaled scores of each divisor spread, (3,)."""
    return comparison.scaled_scores.std(axis=(1, 2, 3))


def steady_divisors(comparison: Comparison) -> list[str]:
    """Return the divisors that keep the spread at about 1."""
    return [name for name, spread in zip(DIVISORS, spreads_of(comparison)) if abs(spread - 1) < NEAR]


def goal_of(state: ScalingState) -> tuple[bool, str]:
    """Return whether one key takes nearly all of the weight where nothing divides; ask for it, or say what helps."""
    comparison, longest = compare(state), compare(replace(state, d_k=LONGEST))
    steady, largest = steady_divisors(comparison), mean_weights(comparison)[0, 0]
    goal = _("With these settings, no divisor keeps the spread at 1.")
    if max(largest, mean_weights(longest)[0, 0]) < ENOUGH:
        goal = _("Even at d_k = {d_k}, no key takes {enough:g} here. Lower T.")
    elif largest < ENOUGH:
        goal = _("Drag d_k up until one key takes {enough:g} of the weight in the first row.")
    elif steady:
        goal = _("Goal reached: one key takes {largest:.2f}. Divided by {steady}, the spread is still 1.")
    words = goal.format(enough=ENOUGH, d_k=LONGEST, largest=largest, steady=_(" or ").join(steady))
    return bool(steady) and largest >= ENOUGH, words


class ScalingLab(Lab):
    """One draw of queries and keys under three divisors."""

    def __init__(self) -> None:
        self.presets = {
            "one": (_("d_k = 1"), ScalingState(1)),
            "paper": (_("d_k = 64, as in the paper"), ScalingState(64)),
            "correlated": (_("d_k = 1024, correlated queries and keys"), ScalingState(LONGEST, alignment=0.5)),
        }
        super().__init__(self.presets["one"][1])

    def controls(self) -> list[Any]:
        self.d_k = self.number("d_k", np.geomspace(1, LONGEST, 101), "d_k", width="28em")
        return [self.d_k]

    def more(self) -> list[Any]:
        self.temperature = self.number(_("temperature T"), np.geomspace(0.1, 10, 101), "temperature", digits=2)
        return [self.temperature]

    def picture(self) -> list[Any]:
        self.table = Drawing()
        return [self.table]

    def tell(self, state: ScalingState) -> None:
        self.say_goal(*goal_of(state))
        self.table.show(table_of(state))


def table_of(state: ScalingState) -> str:
    """Draw a line for each divisor: where the scores lie, and how softmax shares 1 out, with a mark for d_k = 1."""
    comparison = compare(state)
    shares, bars = comparison.shares(), mean_weights(comparison)  # (3, n_bins), (3, n_keys)
    spreads, steady = spreads_of(comparison), steady_divisors(comparison)  # (3,)
    marks = mean_weights(compare(replace(state, d_k=1)))[:, 0]  # (3,)
    weights = _("the {n} weights of a query, largest first").format(n=bars.shape[1])
    lie = _("where they then lie (heights are scaled row by row)")
    heads = [_("scores divided by"), lie, "", weights, _("largest weight")]
    cells = [f"<b>{html.escape(head)}</b>" for head in heads]
    for i, name in enumerate(DIVISORS):
        times, value = f" × {state.temperature:g}" if state.temperature != 1 else "", comparison.divisors[i]
        written = f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"
        spread, tag = f"{_('spread')} {spreads[i]:.2f}", "mark" if name in steady else "span"
        outside = 1 - shares[i].sum()
        beyond = f"<em>{_('← {share:.0%} lie beyond →').format(share=outside)}</em>" if outside >= 0.005 else ""
        aim = f"<u class='aim' style='left:{ENOUGH:.0%}'></u>" if i == 0 else ""
        cells += [
            f"<span><strong>{name}{times}</strong><br>= {written} · <{tag}>{spread}</{tag}></span>",
            f"<span class='hist'>{_bars('height', shares[i] / shares[i].max())}{beyond}</span>",
            "<span class='softmax'>softmax<br>→</span>",
            f"<span class='shares'><span>{_bars('width', bars[i])}</span>"
            f"<u style='left:{marks[i]:.2%}'></u>{aim}</span>",
            f"<span><strong>{bars[i, 0]:.2f}</strong><br><em>{_('d_k = 1:')} {marks[i]:.2f}</em></span>",
        ]
    ends = f"<span class='ends'><i>−{HALF_WIDTH}</i><i>0</i><i>{HALF_WIDTH}</i></span>"
    last = f"<span></span>{ends}<span></span><span class='ends'><i>0</i><i>1</i></span><span></span>"
    return f"<div class='scaling-table'>{''.join(cells)}{last}</div>"


def _bars(side: str, lengths: NDArray[np.float64]) -> str:
    return "".join(f"<i style='{side}:{length:.2%}'></i>" for length in lengths)
