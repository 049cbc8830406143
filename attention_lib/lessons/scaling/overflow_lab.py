"""The overflow lab: raise a score until exp(x) / sum(exp(x)) breaks, in three dtypes."""

import html
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..._words import _
from ...attention import softmax
from ...live.drawing import Drawing
from ...live.lab import Lab
from ...live.panel import Panel, figure_of
from .scaling import DTYPES, naive_softmax

START, LOW, HIGH = 10.0, 5, 800  # float16 breaks at 11.1, so the first drag breaks it
TICKS = (LOW, 10, 100, HIGH)  # of the scale that the slider and the tracks share
STILL = 12.0  # the score of the stored picture: float16 has broken and the others have not
CLOSE = 1.03  # an edge counts as found at this ratio of a breaking and a working score: one step of the slider
NAN = " class='nan'"
SOFTMAXES = {"naive": naive_softmax, "safe": softmax}
Edge = tuple[float, float | None]  # the highest score that worked, the lowest that broke


@dataclass(frozen=True)
class OverflowState:
    """A score, and for each dtype the edge as far as it was found."""

    score: float = START
    edges: tuple[Edge, ...] = ((START, None),) * len(DTYPES)


def weights_of(kind: str, score: float) -> NDArray[np.float64]:
    """Return softmax of (score, 0) in each dtype, (3, 2)."""
    rows = [np.array([score, 0], dtype) for dtype in DTYPES]  # (2,) each
    return np.array([SOFTMAXES[kind](row).astype(np.float64) for row in rows])


def narrowed(edge: Edge, score: float, works: bool) -> Edge:
    """Return an edge with one more score known."""
    highest, lowest = edge
    if works:
        return max(highest, score), lowest
    return highest, score if lowest is None else min(lowest, score)


def moved_to(state: OverflowState, score: float) -> OverflowState:
    """Return the state at another score; what was found before stays known."""
    finite = np.isfinite(weights_of("naive", score))  # (3, 2)
    edges = [narrowed(edge, score, bool(row.all())) for edge, row in zip(state.edges, finite)]
    return OverflowState(score, tuple(edges))


def is_found(edge: Edge) -> bool:
    """Return whether an edge is known to one step of the slider."""
    highest, lowest = edge
    return lowest is not None and lowest < CLOSE * highest


def described(edge: Edge) -> str:
    """Say where a dtype breaks, as far as it was found."""
    highest, lowest = edge
    if lowest is None:
        return _("works at {highest:g}").format(highest=highest)
    sign = "✓ " if is_found(edge) else ""
    return sign + _("works at {highest:g}, breaks at {lowest:g}").format(highest=highest, lowest=lowest)


def goal_of(state: OverflowState) -> tuple[bool, str]:
    """Return whether all is found; ask where each dtype breaks, and say which one to look for next."""
    if all(map(is_found, state.edges)):
        return True, _("Goal reached: each dtype breaks somewhere, but the last column never does.")
    if all(lowest is None for highest, lowest in state.edges):
        return False, _("Raise your score until a weight becomes NaN.")
    left = [(dtype, edge) for dtype, edge in zip(DTYPES, state.edges) if not is_found(edge)]
    at_work = [(dtype, edge) for dtype, edge in left if None not in edge and state.score in edge]  # the last score's
    dtype, (highest, lowest) = (at_work or left)[0]
    sentence = _("{dtype} breaks between {highest:g} and {lowest:g}. Narrow it down to one step of the slider.")
    if lowest is None:
        sentence = _("Now raise your score until {dtype} breaks.")
    return False, sentence.format(dtype=dtype, highest=highest, lowest=lowest)


class OverflowLab(Lab):
    """A score of the reader's own, and the weight that it gets beside a score of 0, in float16, float32 and float64.

    Examples
    --------
    >>> lab = OverflowLab()
    >>> lab.score.box.value = "12"
    >>> lab.state.edges[0]  # float16: the highest score that worked, and the lowest that broke
    (10.0, 12.0)
    """

    def __init__(self) -> None:
        super().__init__(OverflowState())

    def controls(self) -> list[Any]:
        options: Any = {"n_steps": 250, "digits": 1, "ratios": True}  # each step is a number of its own
        self.score = self.number(_("your score"), LOW, HIGH, "score", moved_to, **options)
        return [self.score]

    def picture(self) -> list[Any]:
        self.table = Drawing()
        return [self.table]

    def tell(self, state: OverflowState) -> None:
        self.say_goal(*goal_of(state))
        self.table.show(table_of(state))

    def still_figure(self) -> Any:
        """Draw the weights of a score that breaks one of the dtypes."""
        titles = {"naive": "exp(x) / sum(exp(x))", "safe": _("The largest score subtracted first")}
        manners: Any = {"kind": "weights", "digits": 3, "row_axis": "dtype", "column_axis": "score"}
        columns = [_("yours"), "0"]
        panels = {
            name: Panel(weights_of(name, STILL), DTYPES, columns, title=titles[name], **manners) for name in titles
        }
        return figure_of(panels, self.still_title())

    def still_title(self) -> str:
        return _("A score of {score:g} breaks float16. With the largest score subtracted first, nothing breaks").format(
            score=STILL
        )


def table_of(state: OverflowState) -> str:
    """Draw a line for each dtype: where its scores work and break, exp of the score, and the weight in two ways."""
    ticks = "".join(f"<i style='left:{place(tick):.2%}'>{tick}</i>" for tick in TICKS)
    heads = [_("exp(score)"), "", _("divided by the sum"), _("largest subtracted first")]
    cells = [f"<b>{_('dtype')}</b>", f"<span class='ticks'>{ticks}</span>", *(f"<b>{head}</b>" for head in heads)]
    naive, safe = (weights_of(kind, state.score) for kind in SOFTMAXES)  # (3, 2) each
    for i, (dtype, edge) in enumerate(zip(DTYPES, state.edges)):
        highest, lowest = edge
        broken_from = 1 if lowest is None else place(lowest)
        with np.errstate(over="ignore"):
            exp = np.exp(np.array(state.score, dtype))
        cells += [
            f"<strong>{dtype}</strong>",
            f"<span><span class='track'><i class='works' style='width:{place(highest):.2%}'></i>"
            f"<i class='breaks' style='left:{broken_from:.2%}'></i>"
            f"<u style='left:{place(state.score):.2%}'></u></span>"
            f"{html.escape(described(edge))}</span>",
            f"<strong{'' if np.isfinite(exp) else NAN}>{float(exp):.2g}</strong>",
            f"<span class='arrow'>{'→' if np.isfinite(exp) else _('inf / inf →')}</span>",
            *map(written, (naive[i], safe[i])),
        ]
    return f"<div class='overflow-table'>{''.join(cells)}</div>"


def written(weights: NDArray[np.float64]) -> str:
    """Write the weight of the reader's score, and smaller that of the score 0."""
    if np.isnan(weights[0]):
        return f"<strong{NAN}>NaN</strong>"
    of_zero = _("of 0: {weight:.1g}").format(weight=weights[1])
    return f"<div><strong>{weights[0]:.3f}</strong><br>{of_zero}</div>"


def place(score: float) -> float:
    """Return where a score lies on the track, 0 to 1: equal ratios are equally long."""
    return math.log(score / LOW) / math.log(HIGH / LOW)
