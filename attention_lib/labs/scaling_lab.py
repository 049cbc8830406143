"""The scaling lab: what softmax makes of the same scores under four divisors.

First plain functions and plain models, numpy alone; then the controls, which
pass values and nothing more.
"""

import math
from dataclasses import replace
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.measures import largest_weight
from ..analysis.scaling import DIVISORS, HALF_WIDTH, LONGEST, Comparison, ScalingModel, ScalingState
from ..view.controls import KNOB_STYLE, WRAP, CodeBox, Knob, Lab, Reversible, SliderGesture, choice, make_buttons
from ..view.matrix_view import MatrixView
from ..view.panel import Panel

ARRANGEMENT = [["scores"], ["weights"], ["largest weight", "entropy", "Jacobian norm"]]

LABELS = {
    "d_k": "d_k",
    "T": "temperature T",
    "rho": "correlation ρ",
    "heads": "heads",
    "preset": "start from",
    "undo": "undo",
    "reset": "reset",
    "draw": "new draw",
    "code": "copy as code",
}
TITLES = {
    "scores": "Where the scores lie after division, % of them (the ends hold all beyond)",
    "weights": "Weights of one query over {n_keys} keys",
    "largest weight": "Largest weight",
    "entropy": "Entropy, nats",
    "Jacobian norm": "Norm of softmax Jacobian",
}
MESSAGES = {
    "scores": "Divisors: 1, √d_k = {divisors[1]:.4g}, d_k = {divisors[2]:.4g}, √d_model = {divisors[3]:.4g}{times}. "
    "Spread (standard deviation) of the scores after division: {spreads[0]:.2f}, {spreads[1]:.2f}, {spreads[2]:.2f}, "
    "{spreads[3]:.2f}.",
    "times": ", each times T = {temperature:g}",
    "weights": "Largest of these weights: {largest[0]:.2f} for divisor 1, {largest[1]:.2f} for √d_k, "
    "{largest[2]:.2f} for d_k, {largest[3]:.2f} for √d_model.",
    "largest weight": "1/{n_keys} = {flat:.4g} is flat, 1 is saturated.",
    "entropy": "0 is one key, ln {n_keys} = {most:.3f} is flat.",
    "Jacobian norm": "0: no score moves a weight. Mean over {rows} queries, ± its standard error.",
    "no undo": "There is nothing to undo.",
    "still title": "One query: undivided it leans on one key; d_k makes it flat",
    "still text": "Scaling lab: scores and weights under the divisors 1, √d_k, d_k, √d_model (run the cell to use it)",
}


# -- the model of the lab ------------------------------------------------------------------------------


# -- the state of the lab, without a widget -----------------------------------------------------------------


PRESETS = {
    "d_k = 4, as in the 배 sentence": ScalingState(d_k=4),
    "d_k = 36, slow but steady": ScalingState(d_k=36),
    "d_k = 64, 8 heads, as in the paper": ScalingState(),
    "d_k = 1024": ScalingState(d_k=1024),
    "d_k = 1024, correlated queries and keys": ScalingState(d_k=1024, alignment=0.5),
    "one head: √d_model is √d_k": ScalingState(n_heads=1),
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

    presets = PRESETS

    def __init__(self, start: ScalingState | None = None) -> None:
        self.model = ScalingModel()
        super().__init__(start or ScalingState())

    def change(self, move: object = None, **changes: Any) -> None:
        """Change some fields; moving one control on and on, in the same `move`, is one step for `undo`."""
        self._go(replace(self.state, **changes), gesture=None if "seed" in changes else (move, *changes))

    def _show(self, state: ScalingState) -> None:
        self.comparison = self.model.compare(state)  # first, so that a refused state leaves all as it was
        self.state = state

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
    return {"scores": 100 * comparison.shares(), "weights": comparison.one_row(), **comparison.measures()}


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

    def __init__(self) -> None:
        self.session = ScalingSession()
        self._moves = SliderGesture()
        self.view = MatrixView(
            self._panels(), arrangement=ARRANGEMENT, still=["weights"], still_title=MESSAGES["still title"]
        )
        start = self.session.state
        self.d_k = Knob(
            LABELS["d_k"], start.d_k, 1, LONGEST, 100, 0, lambda value: self._change(d_k=int(value)), ratios=True
        )
        self.temperature = Knob(
            LABELS["T"], start.temperature, 0.1, 10, 100, 2, lambda value: self._change(temperature=value), ratios=True
        )
        self.alignment = Knob(LABELS["rho"], start.alignment, 0, 1, 100, 2, lambda value: self._change(alignment=value))
        self.heads = widgets.Dropdown(
            options=[1, 2, 4, 8, 16, 32], value=start.n_heads, description=LABELS["heads"], style=KNOB_STYLE
        )
        self.heads.observe(self._choose_heads, "value")
        self.presets = choice(LABELS["preset"], {name: name for name in PRESETS}, self.session.preset, "26em")
        self.presets.observe(self._choose_preset, "value")
        self.buttons = make_buttons(LABELS, "undo", "reset", "draw")
        self.buttons["undo"].on_click(lambda _: self._show_state("" if self.session.undo() else MESSAGES["no undo"]))
        self.buttons["reset"].on_click(lambda _: self._reset())
        self.buttons["draw"].on_click(lambda _: self._change(seed=self.session.state.seed + 1))
        self.code = CodeBox(LABELS["code"], self.session.code, height="9em")
        super().__init__(
            [
                widgets.HBox([self.presets, *self.buttons.values(), self.code.switch], layout=WRAP),
                self.d_k,
                self.temperature,
                self.alignment,
                self.heads,
                self.view,
                self.code.area,
            ]
        )
        self.add_class("scaling-lab")

    def still_figure(self) -> Any:
        return self.view.still_figure()

    def still_text(self) -> str:
        return MESSAGES["still text"]

    def _panels(self) -> dict[str, Panel]:
        comparison = self.session.comparison
        shown = pictures(comparison)
        captions = sentences(comparison)
        n_keys = comparison.weights.shape[-1]
        common: dict[str, Any] = {"rows": DIVISORS, "row_axis": "divisor", "kind": "weights", "small": True}
        bins = [str(score).replace("-", "−") for score in range(-HALF_WIDTH, HALF_WIDTH + 1)]
        bins[0], bins[-1] = "≤ " + bins[0], "≥ " + bins[-1]
        panels = {
            "scores": Panel(shown["scores"], columns=bins, column_axis="score", limit=50, digits=0, **common),
            "weights": Panel(shown["weights"], column_axis="key", **common),
        }
        limits = {"largest weight": 1.0, "entropy": math.log(n_keys), "Jacobian norm": 0.5}
        for name, limit in limits.items():
            columns = ["mean", "±"]
            panels[name] = Panel(
                shown[name], columns=columns, column_axis="statistic", limit=limit, digits=3, stretch=False, **common
            )
        return {
            name: replace(panel, title=TITLES[name].format(n_keys=n_keys), caption=captions[name])
            for name, panel in panels.items()
        }

    def _change(self, **changes: Any) -> None:
        self.session.change(self._moves.now(), **changes)
        self._draw()

    def _reset(self) -> None:
        self.session.reset()
        self._show_state()

    def _show_state(self, note: str = "") -> None:
        """Bring controls and picture to the session's state."""
        state = self.session.state
        self.d_k.show(state.d_k)
        self.temperature.show(state.temperature)
        self.alignment.show(state.alignment)
        self.heads.value = state.n_heads
        self._draw(note)

    def _draw(self, note: str = "") -> None:
        comparison = self.session.comparison
        self.view.update(pictures(comparison), captions=sentences(comparison), changed=False, note=note)
        self._set(self.presets, self.session.preset)
        self.code.refresh()

    def _choose_heads(self, change: Any) -> None:
        if change["new"] != self.session.state.n_heads:
            self._change(n_heads=change["new"])

    def _choose_preset(self, change: Any) -> None:
        if change["new"] and not self._busy:
            self.session.start_from(change["new"])
            self._show_state()
