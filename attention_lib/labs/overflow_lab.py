"""The overflow lab: raise a score until exp(x) / sum(exp(x)) breaks, in three dtypes.

`OverflowModel` is plain; `OverflowLab` passes values.
"""

from dataclasses import dataclass
from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.scaling import DTYPES, naive_softmax
from ..attention import softmax
from ..view.controls import WRAP, NumberSlider, Sentence
from ..view.history import Reversible
from ..view.lab import Lab
from ..view.matrix_view import MatrixView
from ..view.panel import Panel
from ..view.titles import axis_called

START = 1.0
STILL = 12.0  # the score of the still picture: float16 has broken and the others have not
CLOSE = 0.11  # an edge counts as found when a working and a breaking score are this close

LABELS = {
    "goal": "Goal: find, for each dtype, a score that works and one 0.1 higher that breaks. "
    "Between the two, exp becomes too large for the dtype.",
    "score": "your score",
    "yours": "yours",
}
TITLES = {
    "naive": "exp(x) / sum(exp(x))",
    "safe": "Maximum subtracted first",
}
MESSAGES = {
    "still title": "A score of {score:g} breaks float16; with the maximum subtracted nothing breaks",
    "still text": "Overflow slider: the weights of two scores in three dtypes (run the cell to use it)",
    "not broken": "{dtype}: not broken yet.",
    "broken": "{dtype}: breaks at {breaks:g}.",
    "between": "{dtype}: works at {works:g}, breaks at {breaks:g}.",
    "found": "{dtype}: found, works at {works:g} and breaks at {breaks:g}.",
}


@dataclass(frozen=True)
class OverflowState:
    """A score, and for each dtype the highest that worked and the lowest that broke; None: none so far."""

    score: float
    edges: tuple[tuple[float | None, float | None], ...]  # one for each dtype


class OverflowModel(Reversible[OverflowState]):
    """Softmax of (score, 0) in three dtypes, naively and with the maximum subtracted, and what was found so far."""

    def __init__(self) -> None:
        nothing = OverflowState(START, ((None, None),) * len(DTYPES))
        super().__init__(self._looked(nothing, START))

    def look(self, score: float, gesture: object = None) -> None:
        """Take another score, and remember where the naive softmax broke."""
        self._go(self._looked(self.state, score), gesture)

    def _looked(self, state: OverflowState, score: float) -> OverflowState:
        finite = [bool(np.isfinite(row).all()) for row in both_kinds(score)["naive"]]
        return OverflowState(score, tuple(narrowed(edge, score, works) for edge, works in zip(state.edges, finite)))

    @property
    def weights(self) -> dict[str, NDArray[np.float64]]:
        """The weights of both kinds of softmax, each (3, 2)."""
        return both_kinds(self.state.score)

    def sentence(self) -> str:
        """Say for each dtype between which scores it breaks, as far as was found."""
        return " ".join(self._found_in(dtype, *edge) for dtype, edge in zip(DTYPES, self.state.edges))

    def _found_in(self, dtype: str, highest: float | None, lowest: float | None) -> str:
        if lowest is None:
            return MESSAGES["not broken"].format(dtype=dtype)
        if highest is None:
            return MESSAGES["broken"].format(dtype=dtype, breaks=lowest)
        template = MESSAGES["found" if lowest - highest <= CLOSE else "between"]
        return template.format(dtype=dtype, works=highest, breaks=lowest)


def both_kinds(score: float) -> dict[str, NDArray[np.float64]]:
    """Return softmax of (score, 0) in each dtype, naive and safe, each (3, 2)."""
    rows = [np.array([score, 0], dtype) for dtype in DTYPES]  # (2,) each
    kinds = {"naive": naive_softmax, "safe": softmax}
    return {name: np.array([kind(row).astype(np.float64) for row in rows]) for name, kind in kinds.items()}


def narrowed(edge: tuple[float | None, float | None], score: float, works: bool) -> tuple[float | None, float | None]:
    """Return the edge with one more score known: (highest that works, lowest that breaks)."""
    highest, lowest = edge
    if works:
        return score if highest is None else max(highest, score), lowest
    return highest, score if lowest is None else min(lowest, score)


class OverflowLab(Lab):
    """A score of the reader's own, and the weights of (score, 0) in float16, float32 and float64.

    Examples
    --------
    >>> lab = OverflowLab()
    >>> lab.score.box.value = "12"
    >>> lab.view["naive"][0]
    array([nan,  0.])
    """

    model: OverflowModel

    def __init__(self) -> None:
        self.model = OverflowModel()
        self._make_common(presets={})
        columns = [LABELS["yours"], "0"]
        common: dict[str, Any] = {"rows": DTYPES, "columns": columns, "kind": "weights", "digits": 3, "stretch": False}
        self.view = MatrixView(
            {
                name: Panel(values, row_axis="dtype", column_axis="score", title=TITLES[name], caption="", **common)
                for name, values in self.model.weights.items()
            },
        )
        self.score = NumberSlider(LABELS["score"], START, 0, 800, self._look, n_steps=8000, digits=1, width="36em")
        self.said = Sentence("overflow-said", says=True)
        controls = widgets.HBox([self.score, self._tools(*self.buttons.values())], layout=WRAP)
        goal = Sentence("lab-line", LABELS["goal"])
        self._begin("overflow-lab", [goal, controls, self._message, self.view, self.said])

    def still_figure(self) -> Any:
        """Draw a score that breaks one of the dtypes: at the start all cells are alike."""
        from .. import plots  # here, so that a live view never waits for matplotlib

        return plots.heatmaps(
            {TITLES[name]: weights for name, weights in both_kinds(STILL).items()},
            DTYPES,
            [LABELS["yours"], "0"],
            title=MESSAGES["still title"].format(score=STILL),
            row_axis=axis_called("dtype"),
            column_axis=axis_called("score"),
            vmax=1,
        )

    def still_text(self) -> str:
        return MESSAGES["still text"]

    def _look(self, score: float, gesture: object) -> None:
        self.model.look(score, gesture)
        self._refresh(changed=False)

    def _update(self, changed: bool) -> None:
        self.view.update(self.model.weights, changed=changed)

    def _follow(self) -> None:
        self.score.show(self.model.state.score)
        self.said.say(self.model.sentence())
