"""The scaling lab: what softmax makes of the same scores under four divisors.

First plain functions and plain models, numpy alone; then the controls, which
pass values and nothing more.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.measures import largest_weight
from ..analysis.scaling import DIVISORS, HALF_WIDTH, LONGEST, Comparison, ScalingModel, ScalingState
from ..view.controls import WRAP, GoalLine, NumberSlider, Sentence, choice, make_buttons
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel
from ..view.pictures import histograms

ARRANGEMENT = [["largest weight", "entropy", "Jacobian norm"], ["weights"]]

LABELS = {
    "mean": "mean",
    "divisor": "divisor",
    "d_k": "d_k",
    "T": "temperature T",
    "rho": "correlation ρ",
    "heads": "heads",
    "draw": "new draw",
}
TITLES = {
    "scores": "Where the scores lie after division, % of them (the ends hold all beyond)",
    "weights": "Weights of one query over {n_keys} keys",
    "largest weight": "Largest weight (the goal)",
    "entropy": "Entropy, nats",
    "Jacobian norm": "Norm of softmax Jacobian",
}
MESSAGES = {
    "goal": "Goal: find the divisors that keep the largest weight nearly the same from d_k = {first} to {last}. "
    "{so_far}",
    "try": "Longer vectors then neither saturate nor flatten softmax. Try both ends.",
    "so far": "So far, {low} to {high}: {ranges}.",
    "other T": "With T = {temperature:g}, {low} to {high}: {ranges}. For the goal, set T to 1: T divides too.",
    "other T, one": "T = {temperature:g} divides too: for the goal, set T to 1, then try both ends.",
    "range": "under {divisor}: {least:.3f} to {most:.3f}",
    "reached": "Reached, {n} lengths tried: {ranges}. (Yes: less than {apart:g} and {times:g} times apart.)",
    "reached, related": "Reached with ρ = {rho:g}: {ranges}. (Yes: less than {apart:g} and {times:g} times apart.)",
    "none": "With ρ = {rho:g} none does: {ranges}. (Yes: less than {apart:g} and {times:g} times apart.)",
    "kept": "under {divisor}: yes, {least:.3f} to {most:.3f}",
    "not kept": "under {divisor}: no, {least:.3f} to {most:.3f}",
    "semicolon": "; ",
    "scores": "Divisors: 1, √d_k = {divisors[1]:.4g}, d_k = {divisors[2]:.4g}, √d_model = {divisors[3]:.4g}{times}. "
    "Spread (standard deviation) of the scores after division: {spreads[0]:.2f}, {spreads[1]:.2f}, {spreads[2]:.2f}, "
    "{spreads[3]:.2f}.",
    "at most": "≤ {score}",
    "at least": "≥ {score}",
    "divisor": "divisor {divisor}",
    "times": ", each times T = {temperature:g}",
    "weights": "Largest of these weights: {largest[0]:.2f} for divisor 1, {largest[1]:.2f} for √d_k, "
    "{largest[2]:.2f} for d_k, {largest[3]:.2f} for √d_model.",
    "largest weight": "1/{n_keys} = {flat:.4g} is flat, 1 is saturated.",
    "entropy": "0 is one key, ln {n_keys} = {most:.3f} is flat.",
    "Jacobian norm": "0: no score moves a weight. Mean over {rows} queries, ± its standard error.",
    "still row": "{divisor} (scores spread by {spread:.2f})",
    "still title": "One query: undivided it leans on one key; d_k makes it flat",
    "still text": "Scaling lab: scores and weights under the divisors 1, √d_k, d_k, √d_model (run the cell to use it)",
}


# -- the state of the lab, without a widget -----------------------------------------------------------------


PRESETS = {
    "bae": "d_k = 4, as in the 배 sentence",
    "steady": "d_k = 36, slow but steady",
    "paper": "d_k = 64, 8 heads, as in the paper",
    "long": "d_k = 1024",
    "correlated": "d_k = 1024, correlated queries and keys",
    "one_head": "one head: √d_model is √d_k",
}
APART, TIMES = 0.1, 1.5  # the goal: "nearly the same" is less than either, or 0.76 to 0.99 and 0.12 to 0.06 would be
JUDGED = ("reached", "reached, related", "none")  # stages at which each divisor has its verdict
WIDTH = "17em"  # of a slider: three stand in a line
STATES = {
    "bae": ScalingState(d_k=4),
    "steady": ScalingState(d_k=36),
    "paper": ScalingState(),
    "long": ScalingState(d_k=1024),
    "correlated": ScalingState(d_k=1024, alignment=0.5),
    "one_head": ScalingState(n_heads=1),
}


class ScalingSession(Reversible[ScalingState]):
    """The current state, the states before it, and the comparison it leads to.

    Examples
    --------
    >>> session = ScalingSession()
    >>> session.change(d_k=1024)
    >>> session.undo(), session.state.d_k
    (True, 64)
    """

    presets = STATES

    def __init__(self, start: ScalingState | None = None) -> None:
        self._compare = ScalingModel().compare
        self._tried: dict[ScalingState, dict[int, NDArray[np.float64]]] = {}  # by all but d_k: largest weights by d_k
        super().__init__(start or ScalingState())

    def change(self, gesture: object = None, **changes: Any) -> None:
        """Change some fields; changes of one gesture are taken back together."""
        self._go(replace(self.state, **changes), gesture and (gesture, *changes))

    def _show(self, state: ScalingState) -> None:
        self.comparison = self._compare(state)  # first, so that a refused state leaves all as it was
        self.state = state
        largest = largest_weight(self.comparison.weights).mean(axis=(1, 2))  # (4,)
        self._tried.setdefault(replace(state, d_k=LONGEST), {})[state.d_k] = largest

    def begin_again(self) -> bool:
        """Forget which lengths were seen; False where it is only what is shown."""
        forgotten = len(self._tried) > 1 or len(self.tried) > 1
        self._tried.clear()
        self._show(self.state)
        return forgotten

    @property
    def tried(self) -> dict[int, NDArray[np.float64]]:
        """The largest weight under each divisor, (4,), at each d_k that was seen with all else as it is now."""
        return self._tried[replace(self.state, d_k=LONGEST)]

    @property
    def is_judged(self) -> bool:
        """Whether both ends of d_k were seen at T = 1: another T divides too, and may flatten what a divisor leaves."""
        return self.state.temperature == 1 and {1, LONGEST} <= self.tried.keys()

    @property
    def reached(self) -> bool:
        """Whether a divisor is known to keep it: where queries lean towards their keys, none may."""
        return self.is_judged and any(self.kept())

    def ranges(self) -> NDArray[np.float64]:
        """Return between which numbers each divisor's largest weight lay, (4, 2)."""
        seen = np.array(list(self.tried.values()))  # (n, 4)
        return np.stack([seen.min(axis=0), seen.max(axis=0)], axis=-1)

    def kept(self) -> list[bool]:
        """Return which divisors kept the largest weight nearly the same at every d_k that was seen."""
        return [bool(most - least < APART and most < TIMES * least) for least, most in self.ranges()]

    def goal_text(self, stage: str | None = None) -> str:
        """Say how far the goal is, or what is said at another stage; the verdicts once both ends were seen."""
        lengths, stage = sorted(self.tried), stage or self._stage()
        verdicts = ["kept" if kept else "not kept" for kept in self.kept()]
        names = verdicts if stage in JUDGED else ["range"] * len(DIVISORS)
        parts = [
            MESSAGES[name].format(divisor=divisor, least=least, most=most)
            for name, divisor, (least, most) in zip(names, DIVISORS, self.ranges())
        ]
        told: dict[str, Any] = {
            "low": lengths[0],
            "high": lengths[-1],
            "n": len(lengths),
            "apart": APART,
            "times": TIMES,
            "temperature": self.state.temperature,
            "rho": self.state.alignment,
        }
        told["ranges"] = MESSAGES["semicolon"].join(parts)
        return MESSAGES["goal"].format(first=1, last=LONGEST, so_far=MESSAGES[stage].format(**told))

    def _stage(self) -> str:
        """Return how far the goal is, by the name of its sentence."""
        if self.reached:
            return "reached, related" if self.state.alignment else "reached"
        if self.is_judged:
            return "none"
        one = len(self.tried) == 1
        if self.state.temperature != 1:
            return "other T, one" if one else "other T"
        return "try" if one else "so far"

    def code(self) -> str:
        """Return lines that calculate the same weights with `attention_lib`."""
        s = self.state
        return f"""\
from attention_lib import softmax
from attention_lib.analysis.scaling import DIVISORS, divisors, draw_tokens

Q, K = draw_tokens({s.d_k}, alignment={s.alignment:g}, seed={s.seed})  # (32, 8, {s.d_k}), (32, 16, {s.d_k})
scores = Q @ K.swapaxes(-1, -2)  # (32, 8, 16)
weights = {{name: softmax(scores / divisor / {s.temperature:g})
           for name, divisor in zip(DIVISORS, divisors({s.d_k}, n_heads={s.n_heads}))}}
"""


def pictures(comparison: Comparison) -> dict[str, NDArray[np.float64]]:
    """Return the matrices that the lab shows, by name of panel."""
    return {"weights": comparison.one_row(), **comparison.measures()}


def score_histograms(comparison: Comparison) -> str:
    """Draw, for each divisor, where the scores lie after division."""
    bins = [str(score).replace("-", "−") for score in range(-HALF_WIDTH, HALF_WIDTH + 1)]
    bins[0], bins[-1] = MESSAGES["at most"].format(score=bins[0]), MESSAGES["at least"].format(score=bins[-1])
    titles = [MESSAGES["divisor"].format(divisor=divisor) for divisor in DIVISORS]
    said = f"{TITLES['scores']}. {sentences(comparison)['scores']}"
    return histograms(dict(zip(titles, comparison.shares().tolist())), bins, said)


def sentences(comparison: Comparison) -> dict[str, str]:
    """Return what the lab says under its panels."""
    n_keys, temperature = comparison.weights.shape[-1], comparison.state.temperature
    facts = {
        "divisors": comparison.divisors / temperature,
        "times": MESSAGES["times"].format(temperature=temperature) if temperature != 1 else "",
        "spreads": comparison.scaled_scores.std(axis=(1, 2, 3)),
        "largest": largest_weight(comparison.one_row()),
        "n_keys": n_keys,
        "flat": 1 / n_keys,
        "most": math.log(n_keys),
        "rows": comparison.scores[..., 0].size,
    }
    return {
        name: MESSAGES[name].format(**facts)
        for name in ("scores", "weights", "largest weight", "entropy", "Jacobian norm")
    }


# -- the controls ------------------------------------------------------------------------------------------


class ScalingLab(Lab):
    """One draw of queries and keys under four divisors, with every knob that changes what softmax makes of it.

    Examples
    --------
    >>> lab = ScalingLab()
    >>> lab.d_k.box.value = "1024"
    >>> float(lab.view["largest weight"][0, 0].round(2))  # mean over 256 queries, divisor 1
    0.96
    """

    model: ScalingSession

    def __init__(self) -> None:
        self.model = ScalingSession()
        self._make_common(PRESETS, lines=9)
        self._make_controls()
        self.view = MatrixView(self._panels(), arrangement=ARRANGEMENT)
        knobs = widgets.HBox([self.d_k, self.temperature, self.alignment], layout=WRAP)
        first = widgets.HBox([self._preset, self._tools(), self.heads, self._message], layout=WRAP)
        self._scores, self._scores_said = widgets.HTML(), Sentence("lab-line", says=True)
        self._goal, title = GoalLine(), Sentence("lab-line", TITLES["scores"])
        parts = [self._goal, first, knobs, title, self._scores, self._scores_said, self.view, self._code.area]
        self._begin("scaling-lab", parts)

    def _begin_again(self) -> bool:
        return self.model.begin_again()

    def still_figure(self) -> Any:
        """Draw the weights of one query, each row with the spread that made it."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        comparison = self.model.comparison
        weights = comparison.one_row()  # (4, n_keys)
        spreads = comparison.scaled_scores.std(axis=(1, 2, 3))  # (4,)
        rows = [MESSAGES["still row"].format(divisor=d, spread=s) for d, s in zip(DIVISORS, spreads)]
        keys = [str(key) for key in range(weights.shape[1])]
        return plots.heatmaps(
            {TITLES["weights"].format(n_keys=len(keys)): weights},
            rows,
            keys,
            title=MESSAGES["still title"],
            row_axis=LABELS["divisor"],
            vmax=1,
        )

    def still_text(self) -> str:
        return MESSAGES["still text"]

    def _make_controls(self) -> None:
        start = self.model.state
        self.d_k = NumberSlider(
            LABELS["d_k"], start.d_k, 1, LONGEST, self._setter("d_k"), n_steps=100, ratios=True, width=WIDTH
        )
        self.temperature = NumberSlider(
            LABELS["T"],
            start.temperature,
            0.1,
            10,
            self._setter("temperature"),
            n_steps=100,
            digits=2,
            ratios=True,
            width=WIDTH,
        )
        self.alignment = NumberSlider(
            LABELS["rho"], start.alignment, 0, 1, self._setter("alignment"), n_steps=100, digits=2, width=WIDTH
        )
        self.heads = choice(LABELS["heads"], {n: str(n) for n in (1, 2, 4, 8, 16, 32)}, start.n_heads, "8em")
        self.heads.observe(self._heard(lambda n: self._change(n_heads=n)), "value")
        self.buttons |= make_buttons(LABELS, "draw")
        self.buttons["draw"].on_click(lambda _: self._change(seed=self.model.state.seed + 1))

    def _setter(self, field: str) -> Callable[[float, object], None]:
        return lambda value, gesture: self._change(gesture, **{field: value})

    def _change(self, gesture: object = None, **changes: Any) -> None:
        self.model.change(gesture, **changes)
        self._refresh()

    def _panels(self) -> dict[str, Panel]:
        comparison = self.model.comparison
        shown, captions = pictures(comparison), sentences(comparison)
        n_keys = comparison.weights.shape[-1]
        common: dict[str, Any] = {"rows": DIVISORS, "row_axis": "divisor", "kind": "weights", "small": True}
        panels = {
            "weights": Panel(shown["weights"], column_axis="key", **common),
        }
        limits = {"largest weight": 1.0, "entropy": math.log(n_keys), "Jacobian norm": 0.5}
        for name, limit in limits.items():
            columns = [LABELS["mean"], "±"]
            panels[name] = Panel(
                shown[name], columns=columns, column_axis="statistic", limit=limit, digits=3, stretch=False, **common
            )
        return {
            name: replace(panel, title=TITLES[name].format(n_keys=n_keys), caption=captions[name])
            for name, panel in panels.items()
        }

    def _update(self, changed: bool) -> None:
        comparison = self.model.comparison
        said = sentences(comparison)
        self._scores.value = score_histograms(comparison)
        self._scores_said.say(said.pop("scores"))
        self.view.update(pictures(comparison), captions=said, changed=False)

    def _follow(self) -> None:
        state = self.model.state
        self._goal.say(self.model.goal_text(), self.model.goal_text("reached"), strong=self.model.reached)
        self.d_k.show(state.d_k)
        self.temperature.show(state.temperature)
        self.alignment.show(state.alignment)
        self.heads.value = state.n_heads
