"""The scaling lab: what softmax makes of the same scores under four divisors.

First plain functions and plain models, numpy alone; then the controls, which
pass values and nothing more.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from ..attention import softmax
from ..view.controls import WRAP, CodeBox, Lab, Reversible, SliderGesture, choice, make_buttons, read_number
from ..view.matrix_view import MatrixView
from ..view.panel import Panel

LONGEST = 1024  # components drawn; a smaller d_k takes the first of them
DIVISORS = ("1", "√d_k", "d_k", "√d_model")
DTYPES = ("float16", "float32", "float64")
HALF_WIDTH = 8  # the histogram has a bin of width 1 around each whole number from -8 to 8; its ends hold all beyond
KNOB_STYLE = {"description_width": "8em"}  # sliders below each other begin at one place
CLOSE = 0.11  # an edge counts as found when a working and a breaking score are this close
ARRANGEMENT = [["scores"], ["weights"], ["largest weight", "entropy", "Jacobian norm"]]

LABELS = {
    "d_k": "d_k",
    "T": "temperature T",
    "rho": "correlation ρ",
    "heads": "heads",
    "score": "your score",
    "yours": "yours",
    "preset": "start from",
    "undo": "undo",
    "reset": "reset",
    "draw": "new draw",
    "code": "copy as code",
    "again": "start over",
}
TITLES = {
    "scores": "Where the scores lie after division, % of them (the ends hold all beyond)",
    "weights": "Weights of one query over {n_keys} keys",
    "largest weight": "Largest weight",
    "entropy": "Entropy, nats",
    "Jacobian norm": "Norm of softmax Jacobian",
    "naive": "exp(x) / sum(exp(x))",
    "safe": "Maximum subtracted first",
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
    "overflow still title": "A score of 1 is safe in every dtype",
    "overflow still text": "Overflow slider: softmax of (your score, 0) in three dtypes (run the cell to use it)",
    "not broken": "{dtype}: not broken yet.",
    "broken": "{dtype}: breaks at {breaks:g}.",
    "between": "{dtype}: works at {works:g}, breaks at {breaks:g}.",
    "found": "{dtype}: found, works at {works:g} and breaks at {breaks:g}.",
}


# -- the statistics: plain functions -----------------------------------------------------------------


def draw_tokens(
    d_k: int, *, n_draws: int = 32, n_queries: int = 8, n_keys: int = 16, alignment: float = 0.0, seed: int = 0
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Draw queries and keys whose components are random with mean 0 and variance 1.

    The same seed with a larger d_k appends components and keeps the earlier
    ones. All are independent, but for `alignment`: the correlation between
    query i and key i of the same draw.

    Returns
    -------
    Q : (n_draws, n_queries, d_k) ndarray
    K : (n_draws, n_keys, d_k) ndarray

    Examples
    --------
    >>> Q, K = draw_tokens(64)
    >>> Q.shape, K.shape
    ((32, 8, 64), (32, 16, 64))
    """
    random_q, random_k = (np.random.default_rng([seed, stream]) for stream in (0, 1))
    Q = random_q.standard_normal((d_k, n_draws, n_queries))  # component by component, so that more of them only append
    K = random_k.standard_normal((d_k, n_draws, n_keys))
    Q, K = (np.ascontiguousarray(np.moveaxis(array, 0, -1)) for array in (Q, K))  # (n_draws, n, d_k)
    return align(Q, K, alignment), K


def align(Q: NDArray[Any], K: NDArray[Any], alignment: float) -> NDArray[Any]:
    """Mix key i into query i until they correlate by `alignment`; each component keeps variance 1."""
    return math.sqrt(1 - alignment**2) * Q + alignment * K[..., : Q.shape[-2], :]


def divisors(d_k: int, n_heads: int = 8) -> NDArray[np.float64]:
    """Return 1, sqrt(d_k), d_k and sqrt(d_model), where d_model = n_heads * d_k.

    Examples
    --------
    >>> divisors(64, n_heads=8).round(1)
    array([ 1. ,  8. , 64. , 22.6])
    """
    return np.array([1, math.sqrt(d_k), d_k, math.sqrt(n_heads * d_k)])


def largest_weight(weights: ArrayLike) -> NDArray[Any]:
    """Return the largest weight of each row: 1 where softmax is saturated, 1 / n_keys where it is flat."""
    return np.asarray(weights).max(axis=-1)


def entropy(weights: ArrayLike) -> NDArray[Any]:
    """Return the entropy of each row in nats: 0 if one key has all the weight, ln(n_keys) if all have the same.

    References
    ----------
    .. [1] Shannon, "A Mathematical Theory of Communication", 1948, section 6.

    Examples
    --------
    >>> float(entropy([0.25, 0.25, 0.25, 0.25]).round(3))  # ln 4
    1.386
    """
    weights = np.asarray(weights)
    logs = np.log(np.where(weights > 0, weights, 1))  # 0 * log(0) counts as 0
    return np.abs((weights * logs).sum(axis=-1))  # the sum is never above 0


def softmax_jacobian(weights: ArrayLike) -> NDArray[Any]:
    """Return how each weight moves with each scaled score: diag(p) - p p^T for each row p.

    Returns
    -------
    (..., n_keys, n_keys) ndarray
        Row = weight, column = scaled score. Symmetric; each row sums to 0.

    Examples
    --------
    >>> softmax_jacobian([0.5, 0.5])
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    weights = np.asarray(weights)
    jacobian = -weights[..., :, None] * weights[..., None, :]  # (..., n_keys, n_keys)
    diagonal = np.arange(weights.shape[-1])
    jacobian[..., diagonal, diagonal] += weights
    return jacobian


def jacobian_norm(weights: ArrayLike) -> NDArray[Any]:
    """Return the size of each row's softmax Jacobian: the root of the sum of its squared entries (Frobenius).

    It is 0 where softmax is saturated and never above 0.5.
    """
    return np.sqrt((softmax_jacobian(weights) ** 2).sum(axis=(-2, -1)))


def query_gradient_norm(weights: ArrayLike, K: ArrayLike, divisor: float) -> NDArray[Any]:
    """Return the Frobenius norm of d weights / d q: the Jacobian carried on through q @ K.T / divisor.

    weights (..., n_queries, n_keys) and K (..., n_keys, d_k) give (..., n_queries).
    """
    K = np.asarray(K)
    products = K @ K.swapaxes(-1, -2)  # (..., n_keys, n_keys): |J K|^2 = sum of (J K K^T) * J, with no array of n * d_k
    jacobian = softmax_jacobian(weights)  # (..., n_queries, n_keys, n_keys)
    squares = ((jacobian @ products[..., None, :, :]) * jacobian).sum(axis=(-2, -1))
    return np.sqrt(np.maximum(squares, 0)) / divisor


def mean_and_error(values: ArrayLike) -> tuple[float, float]:
    """Return the mean over independent draws (the first axis) and its standard error.

    Numbers of the same draw share tokens, so they count as one number: their mean.
    """
    values = np.asarray(values, float)
    each_draw = values.reshape(len(values), -1).mean(axis=1)  # (n_draws,)
    return float(each_draw.mean()), float(each_draw.std(ddof=1) / math.sqrt(len(values)))


def score_shares(scaled_scores: ArrayLike) -> NDArray[np.float64]:
    """Return which share of the scores lies around each whole number from -8 to 8; the ends hold all beyond."""
    nearest = np.clip(np.rint(scaled_scores), -HALF_WIDTH, HALF_WIDTH).astype(int)
    return np.bincount(nearest.ravel() + HALF_WIDTH, minlength=2 * HALF_WIDTH + 1) / nearest.size


# -- the model of the lab ------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScalingState:
    """What the controls of the lab say."""

    d_k: int = 64
    n_heads: int = 8
    temperature: float = 1.0
    alignment: float = 0.0
    seed: int = 0


@dataclass(frozen=True, eq=False)
class Comparison:
    """The same scores under the four divisors; the first axis of length 4 follows `DIVISORS`."""

    state: ScalingState
    divisors: NDArray[np.float64]  # (4,), temperature included
    scores: NDArray[np.float64]  # (n_draws, n_queries, n_keys)
    scaled_scores: NDArray[np.float64]  # (4, n_draws, n_queries, n_keys)
    weights: NDArray[np.float64]  # (4, n_draws, n_queries, n_keys), each row sums to 1

    def shares(self) -> NDArray[np.float64]:
        """Return the histogram of each divisor's scaled scores: (4, 17), each row sums to 1."""
        return np.array([score_shares(scaled) for scaled in self.scaled_scores])

    def one_row(self) -> NDArray[np.float64]:
        """Return the weights of the first query of the first draw: (4, n_keys)."""
        return self.weights[:, 0, 0]

    def measures(self) -> dict[str, NDArray[np.float64]]:
        """Return largest weight, entropy and Jacobian norm, each (4, 2): mean over all draws, standard error."""
        functions = {"largest weight": largest_weight, "entropy": entropy, "Jacobian norm": jacobian_norm}
        return {
            name: np.array([mean_and_error(values) for values in function(self.weights)])
            for name, function in functions.items()
        }


class ScalingModel:
    """Scores of random queries and keys, and what softmax makes of them: one `Comparison` for each state.

    Examples
    --------
    >>> comparison = ScalingModel().compare(ScalingState(d_k=64))
    >>> comparison.divisors.round(1)
    array([ 1. ,  8. , 64. , 22.6])
    """

    def __init__(self, n_draws: int = 32) -> None:
        self.n_draws = n_draws
        self._drawn: tuple[int, NDArray[np.float64], NDArray[np.float64]] | None = None  # the last seed's Q and K

    def compare(self, state: ScalingState) -> Comparison:
        """Return the scores of a state under the four divisors."""
        Q, K = self._tokens(state.seed)
        Q, K = Q[..., : state.d_k], K[..., : state.d_k]
        scores = align(Q, K, state.alignment) @ K.swapaxes(-1, -2)  # (n_draws, n_queries, n_keys)
        divided_by = divisors(state.d_k, state.n_heads) * state.temperature  # (4,)
        scaled_scores = scores / divided_by[:, None, None, None]  # (4, n_draws, n_queries, n_keys)
        return Comparison(state, divided_by, scores, scaled_scores, softmax(scaled_scores))

    def _tokens(self, seed: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        if self._drawn is None or self._drawn[0] != seed:
            self._drawn = (seed, *draw_tokens(LONGEST, n_draws=self.n_draws, seed=seed))
        return self._drawn[1:]


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
from attention_lib.labs.scaling_lab import DIVISORS, divisors, draw_tokens

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


# -- where exp breaks ------------------------------------------------------------------------------------


def naive_softmax(x: NDArray[Any]) -> NDArray[Any]:
    """Return exp(x) / sum(exp(x)) in the dtype of x, with no maximum subtracted."""
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        exps = np.exp(x)
        return exps / exps.sum(axis=-1, keepdims=True)


def last_finite_exp(dtype: DTypeLike) -> float:
    """Return the largest number of a dtype whose exp is still finite, by halving an interval until none is between.

    Examples
    --------
    >>> round(last_finite_exp("float64"), 1)
    709.8
    """
    kind: Any = np.dtype(dtype).type
    works, breaks = kind(0), kind(1000)
    with np.errstate(over="ignore"):
        while (middle := kind((float(works) + float(breaks)) / 2)) not in (works, breaks):
            works, breaks = (middle, breaks) if np.isfinite(np.exp(middle)) else (works, middle)
    return float(works)


class OverflowModel:
    """Softmax of (score, 0) in three dtypes, naively and with the maximum subtracted, and what was found so far."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[float | None, float | None]] = {}
        self.reset()

    def reset(self) -> None:
        """Forget what was found."""
        self.found = {dtype: (None, None) for dtype in DTYPES}

    def look(self, score: float) -> dict[str, NDArray[np.float64]]:
        """Return the weights of both kinds of softmax, each (3, 2), and remember where the naive one broke."""
        rows = [np.array([score, 0], dtype) for dtype in DTYPES]  # (2,) each
        naive = np.array([naive_softmax(row).astype(np.float64) for row in rows])  # (3, 2)
        safe = np.array([softmax(row).astype(np.float64) for row in rows])  # (3, 2)
        for dtype, weights in zip(DTYPES, naive):
            self._remember(dtype, score, works=bool(np.isfinite(weights).all()))
        return {"naive": naive, "safe": safe}

    def _remember(self, dtype: str, score: float, works: bool) -> None:
        highest, lowest = self.found[dtype]
        if works:
            highest = score if highest is None else max(highest, score)
        else:
            lowest = score if lowest is None else min(lowest, score)
        self.found[dtype] = (highest, lowest)

    def sentence(self) -> str:
        """Say for each dtype between which scores it breaks, as far as was found."""
        return " ".join(self._found_in(dtype) for dtype in DTYPES)

    def _found_in(self, dtype: str) -> str:
        highest, lowest = self.found[dtype]
        if lowest is None:
            return MESSAGES["not broken"].format(dtype=dtype)
        if highest is None:
            return MESSAGES["broken"].format(dtype=dtype, breaks=lowest)
        template = MESSAGES["found" if lowest - highest <= CLOSE else "between"]
        return template.format(dtype=dtype, works=highest, breaks=lowest)


# -- the controls ------------------------------------------------------------------------------------------


class Knob(widgets.HBox):
    """A slider with a box to type in, and a sentence beside them where what was typed is no such number.

    The slider counts whole steps: one of real numbers that Python moves sends
    its own rounding of the number back, as if the reader had moved it.

    Parameters
    ----------
    label : str
        Key of `LABELS`.
    value, low, high : float
        Where it starts, and the range of the number.
    n_steps : int
        Steps of the slider from low to high.
    digits : int
        Decimals of the number; 0 makes it whole.
    on_change : callable
        Called with the number after a change by the reader.
    ratios : bool
        The steps are equal ratios, not equal differences.
    """

    def __init__(
        self,
        label: str,
        value: float,
        low: float,
        high: float,
        n_steps: int,
        digits: int,
        on_change: Callable[[float], None],
        *,
        ratios: bool = False,
        width: str = "26em",
    ) -> None:
        self.value, self.low, self.high, self.n_steps = value, low, high, n_steps
        self.digits, self.on_change, self.ratios = digits, on_change, ratios
        self.slider = widgets.IntSlider(
            self.step_of(value),
            min=0,
            max=n_steps,
            description=LABELS[label],
            readout=False,
            style=KNOB_STYLE,
            layout=widgets.Layout(width=width),
        )
        self.box = widgets.Text(continuous_update=False, tooltip=LABELS[label], layout=widgets.Layout(width="5.5em"))
        self.box.add_class("scaling-lab-box")
        self.said = widgets.Label()
        super().__init__([self.slider, self.box, self.said])
        self._write()
        self.slider.observe(self._slid, "value")
        self.box.observe(self._typed, "value")

    def step_of(self, value: float) -> int:
        """Return the step of the slider that lies nearest to a number."""
        if self.ratios:
            return round(self.n_steps * math.log(value / self.low) / math.log(self.high / self.low))
        return round(self.n_steps * (value - self.low) / (self.high - self.low))

    def number_at(self, step: int) -> float:
        """Return the number at a step of the slider."""
        part = step / self.n_steps
        number = self.low * (self.high / self.low) ** part if self.ratios else self.low + (self.high - self.low) * part
        return round(number, self.digits)

    def show(self, value: float) -> None:
        """Set slider and box without calling back."""
        self.value = value
        self.slider.value = self.step_of(value)
        self._write()

    def _write(self) -> None:
        self.said.value = ""
        self.box.value = f"{self.value:.{self.digits}f}"

    def _slid(self, change: Any) -> None:
        if change["new"] == self.step_of(self.value):  # set by `show`, or back at the number that is shown
            return
        value = self.number_at(change["new"])
        if value != self.value:
            self.value = value  # and leave the slider to the hand that moves it
            self._write()
            self.on_change(value)

    def _typed(self, change: Any) -> None:
        try:
            value = read_number(change["new"], self.low, self.high, self.digits)
        except ValueError as problem:
            self.said.value = str(problem)
            return
        if value == self.value:
            self._write()
        else:
            self.show(value)
            self.on_change(value)


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
        self.d_k = Knob("d_k", start.d_k, 1, LONGEST, 100, 0, lambda value: self._change(d_k=int(value)), ratios=True)
        self.temperature = Knob(
            "T", start.temperature, 0.1, 10, 100, 2, lambda value: self._change(temperature=value), ratios=True
        )
        self.alignment = Knob("rho", start.alignment, 0, 1, 100, 2, lambda value: self._change(alignment=value))
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


class OverflowLab(Lab):
    """A score of the reader's own, and the weights of (score, 0) in float16, float32 and float64.

    Examples
    --------
    >>> lab = OverflowLab()
    >>> lab.score.box.value = "12"
    >>> lab.view["naive"][0]
    array([nan,  0.])
    """

    def __init__(self) -> None:
        self.model = OverflowModel()
        shown = self.model.look(1.0)
        columns = [LABELS["yours"], "0"]
        common: dict[str, Any] = {"rows": DTYPES, "columns": columns, "kind": "weights", "digits": 3, "stretch": False}
        self.view = MatrixView(
            {
                name: Panel(values, row_axis="dtype", column_axis="score", title=TITLES[name], caption="", **common)
                for name, values in shown.items()
            },
            still=list(shown),
            still_title=MESSAGES["overflow still title"],
        )
        self.score = Knob("score", 1.0, 0, 800, 8000, 1, self._look, width="36em")
        self.again = widgets.Button(description=LABELS["again"])
        self.again.on_click(lambda _: self._forget())
        self.said = widgets.Label(self.model.sentence())
        super().__init__([self.score, self.again, self.view, self.said])
        self.add_class("overflow-lab")

    def still_figure(self) -> Any:
        return self.view.still_figure()

    def still_text(self) -> str:
        return MESSAGES["overflow still text"]

    def _look(self, score: float) -> None:
        self.view.update(self.model.look(score), changed=False)
        self.said.value = self.model.sentence()

    def _forget(self) -> None:
        self.model.reset()
        self.score.show(1.0)
        self._look(1.0)
