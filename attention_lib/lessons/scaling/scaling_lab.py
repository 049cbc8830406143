"""The scaling lab: the same scores under four divisors, and the largest weight that softmax makes of each."""

import html
from dataclasses import replace
from typing import Any

import ipywidgets
import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...live.lab import Lab
from .scaling import DIVISORS, HALF_WIDTH, LONGEST, Comparison, ScalingState, compare

ENOUGH = 0.9  # of the weight, for one key
STILL = ScalingState(64)
Bars = tuple[NDArray[np.float64], NDArray[np.float64]]  # of the scores, (4, n_bins), and of the weights, (4, n_keys)


def mean_weights(comparison: Comparison) -> NDArray[np.float64]:
    """Return the weights of a query, largest first, averaged over all queries: (4, n_keys)."""
    return np.sort(comparison.weights)[..., ::-1].mean(axis=(1, 2))


def bars_of(state: ScalingState) -> Bars:
    """Return what the lab draws of a state."""
    comparison = compare(state)
    return comparison.shares(), mean_weights(comparison)


class ScalingLab(Lab):
    """One draw of queries and keys under four divisors.

    Examples
    --------
    >>> lab = ScalingLab()
    >>> lab.d_k.box.value = "1024"
    >>> lab.goal.text.split(". ")[0]
    'Goal reached: undivided, one key takes 0.96 of the weight'
    """

    def __init__(self) -> None:
        self.presets = {
            "bae": (_("d_k = 4, as in the 배 sentence"), ScalingState(4)),
            "paper": (_("d_k = 64, 8 heads, as in the paper"), ScalingState(64)),
            "correlated": (_("d_k = 1024, correlated queries and keys"), ScalingState(LONGEST, alignment=0.5)),
            "one_head": (_("one head: √d_model is √d_k"), ScalingState(64, n_heads=1)),
        }
        self._drawn: Bars | None = None  # the bars that are shown
        super().__init__(ScalingState(1))

    def controls(self) -> list[Any]:
        self.d_k = self.number("d_k", 1, LONGEST, "d_k", n_steps=100, ratios=True, width="26em")
        return [self.d_k]

    def more(self) -> list[Any]:
        self.temperature = self.number(_("temperature T"), 0.1, 10, "temperature", n_steps=100, digits=2, ratios=True)
        self.alignment = self.number(_("correlation ρ"), 0, 1, "alignment", n_steps=100, digits=2)
        self.heads = self.menu(_("heads"), {n: str(n) for n in (1, 2, 4, 8, 16, 32)}, "n_heads", width="8em")
        draw = self.button(_("New draw"), lambda state: replace(state, seed=state.seed + 1))
        return [self.temperature, self.alignment, self.heads, draw]

    def picture(self) -> list[Any]:
        self.table = ipywidgets.HTML()
        return [self.table]

    def tell(self, state: ScalingState) -> None:
        bars = bars_of(state)
        largest = bars[1][0, 0]
        goal = _("Drag d_k up until, undivided, one key takes {enough:g} of the weight. Now {now:.2f}.")
        if largest >= ENOUGH:
            goal = _(
                "Goal reached: undivided, one key takes {now:.2f} of the weight. "
                "Which divisor has kept it at its mark, where d_k was 1?"
            )
        self.goal.say(goal.format(enough=ENOUGH, now=largest))
        before = self._drawn if self._drawn and self._gesture is None else bars  # a drag never moves by itself
        self.table.value, self._drawn = table_of(state, bars, before), bars

    def code(self, state: ScalingState) -> str:
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
        from ... import plots  # here, so that a live lab never waits for matplotlib

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


def table_of(state: ScalingState, bars: Bars, before: Bars) -> str:
    """Draw a line for each divisor: where the scores lie, and how softmax shares 1 out, with a mark for d_k = 1."""
    comparison = compare(state)
    spreads = comparison.scaled_scores.std(axis=(1, 2, 3))  # (4,)
    marks = mean_weights(compare(replace(state, d_k=1)))[:, 0]  # (4,)
    weights = _("the {n} weights of a query, largest first").format(n=bars[1].shape[1])
    heads = [_("scores divided by"), _("where they then lie"), "", weights, _("largest weight")]
    cells = [f"<b>{html.escape(head)}</b>" for head in heads]
    for i, name in enumerate(DIVISORS):
        times, value = f" × {state.temperature:g}" if state.temperature != 1 else "", comparison.divisors[i]
        divisor = f"{name}{times} = {value:.{3 if value < 100 else 4}g}" if i or times else name
        histogram, histogram_before = (shares[i] / shares[i].max() for shares, _weights in (bars, before))
        cells += [
            f"<span><strong>{divisor}</strong><br>{_('spread')} {spreads[i]:.2f}</span>",
            f"<span class='hist'>{_bars('height', histogram, histogram_before)}</span>",
            "<span class='softmax'>softmax<br>→</span>",
            f"<span class='shares'><span>{_bars('width', bars[1][i], before[1][i])}</span>"
            f"<u style='left:{marks[i]:.2%}'></u></span>",
            f"<span><strong>{bars[1][i, 0]:.2f}</strong><br><em>{_('d_k = 1:')} {marks[i]:.2f}</em></span>",
        ]
    ends = f"<span class='ends'><i>≤ −{HALF_WIDTH}</i><i>0</i><i>≥ {HALF_WIDTH}</i></span>"
    last = f"<span></span>{ends}<span></span><span class='ends'><i>0</i><i>1</i></span><span></span>"
    return f"<div class='scaling-table'>{''.join(cells)}{last}</div>"


def _bars(side: str, now: NDArray[np.float64], before: NDArray[np.float64]) -> str:
    """Draw bars as long as their numbers; they move there from where they were."""
    return "".join(f"<i style='{side}:{a:.2%};--was:{b:.2%}'></i>" for a, b in zip(now, before))
