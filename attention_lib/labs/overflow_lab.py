"""The overflow lab: raise a score until exp(x) / sum(exp(x)) breaks, in three dtypes."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._words import _
from ..analysis.scaling import DTYPES, naive_softmax
from ..attention import softmax
from ..view.controls import Sentence
from ..view.new_lab import Lab
from ..view.panel import Panel

START, LOW, HIGH = 10.0, 0, 800  # float16 breaks at 11.1, so the first drag breaks it
STILL = 12.0  # the score of the stored picture: float16 has broken and the others have not
CLOSE = 0.11  # an edge counts as found when a working and a breaking score are this close
SOFTMAXES = {"naive": naive_softmax, "safe": softmax}
Edge = tuple[float | None, float | None]  # the highest score that worked, the lowest that broke


@dataclass(frozen=True)
class OverflowState:
    """A score, and for each dtype the edge as far as it was found."""

    score: float
    edges: tuple[Edge, ...]


def weights_of(kind: str, score: float) -> NDArray[np.float64]:
    """Return softmax of (score, 0) in each dtype, (3, 2)."""
    rows = [np.array([score, 0], dtype) for dtype in DTYPES]  # (2,) each
    return np.array([SOFTMAXES[kind](row).astype(np.float64) for row in rows])


def narrowed(edge: Edge, score: float, works: bool) -> Edge:
    """Return an edge with one more score known."""
    highest, lowest = edge
    if works:
        return score if highest is None else max(highest, score), lowest
    return highest, score if lowest is None else min(lowest, score)


def moved_to(state: OverflowState, score: float) -> OverflowState:
    """Return the state at another score; what was found before stays known."""
    finite = np.isfinite(weights_of("naive", score))  # (3, 2)
    edges = [narrowed(edge, score, bool(row.all())) for edge, row in zip(state.edges, finite)]
    return OverflowState(score, tuple(edges))


def described(dtype: str, edge: Edge) -> str:
    """Say where a dtype breaks, as far as it was found."""
    highest, lowest = edge
    if lowest is None:
        sentence = _("{dtype} has not broken yet.")
    elif highest is None:
        sentence = _("{dtype} breaks at {lowest:g}.")
    elif lowest - highest > CLOSE:
        sentence = _("{dtype} works at {highest:g} and breaks at {lowest:g}.")
    else:
        sentence = _("Found: {dtype} works at {highest:g} and breaks at {lowest:g}.")
    return sentence.format(dtype=dtype, highest=highest, lowest=lowest)


class OverflowLab(Lab):
    """A score of the reader's own, and the weights of (score, 0) in float16, float32 and float64.

    Examples
    --------
    >>> lab = OverflowLab()
    >>> lab.score.box.value = "12"
    >>> lab.view["naive"][0]
    array([nan,  0.])
    """

    still = ("naive", "safe")

    def __init__(self) -> None:
        super().__init__(moved_to(OverflowState(START, ((None, None),) * len(DTYPES)), START))

    def panels(self, state: OverflowState) -> dict[str, Panel]:
        titles = {"naive": "exp(x) / sum(exp(x))", "safe": _("The largest score subtracted first")}
        manners: Any = {"kind": "weights", "digits": 3, "stretch": False, "row_axis": "dtype", "column_axis": "score"}
        columns = [_("yours"), "0"]
        return {
            kind: Panel(weights_of(kind, state.score), DTYPES, columns, title=titles[kind], caption="", **manners)
            for kind in SOFTMAXES
        }

    def controls(self) -> list[Any]:
        options: Any = {"n_steps": 10 * (HIGH - LOW), "digits": 1, "width": "30em"}
        self.score = self.number(_("your score"), LOW, HIGH, "score", moved_to, **options)
        return [self.score]

    def picture(self) -> list[Any]:
        self.found = Sentence("lab-line", says=True)
        return [self.view, self.found]

    def tell(self, state: OverflowState) -> None:
        self.goal.say(_("Raise your score until a number becomes NaN. Where exactly does each dtype break?"))
        self.found.say(*(described(dtype, edge) for dtype, edge in zip(DTYPES, state.edges)))

    def still_state(self) -> OverflowState:
        """Return a state that breaks one of the dtypes: at the start all cells are alike."""
        return replace(self.state, score=STILL)

    def still_title(self) -> str:
        return _("A score of {score:g} breaks float16. With the largest score subtracted first, nothing breaks").format(
            score=STILL
        )
