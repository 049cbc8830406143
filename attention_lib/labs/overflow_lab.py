"""The overflow lab: raise a score until exp(x) / sum(exp(x)) breaks, in three dtypes.

`OverflowModel` is plain; `OverflowLab` passes values.
"""

from typing import Any

import ipywidgets as widgets
import numpy as np
from numpy.typing import NDArray

from ..analysis.scaling import DTYPES, naive_softmax
from ..attention import softmax
from ..view.controls import WRAP, NumberSlider, Sentence, make_buttons
from ..view.keys import furnish
from ..view.matrix_view import MatrixView
from ..view.panel import Panel
from ..view.still import StillPicture

START = 1.0
CLOSE = 0.11  # an edge counts as found when a working and a breaking score are this close

LABELS = {
    "score": "your score",
    "yours": "yours",
    "again": "start over",
}
TITLES = {
    "naive": "exp(x) / sum(exp(x))",
    "safe": "Maximum subtracted first",
}
MESSAGES = {
    "still title": "A score of 1 is safe in every dtype",
    "still text": "Overflow slider: softmax of (your score, 0) in three dtypes (run the cell to use it)",
    "not broken": "{dtype}: not broken yet.",
    "broken": "{dtype}: breaks at {breaks:g}.",
    "between": "{dtype}: works at {works:g}, breaks at {breaks:g}.",
    "found": "{dtype}: found, works at {works:g} and breaks at {breaks:g}.",
}


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


class OverflowLab(StillPicture, widgets.VBox):
    """A score of the reader's own, and the weights of (score, 0) in float16, float32 and float64.

    Examples
    --------
    >>> lab = OverflowLab()
    >>> lab.score.box.value = "12"
    >>> lab.view["naive"][0]
    array([nan,  0.])
    """

    def __init__(self) -> None:
        self.found = OverflowModel()
        shown = self.found.look(START)
        columns = [LABELS["yours"], "0"]
        common: dict[str, Any] = {"rows": DTYPES, "columns": columns, "kind": "weights", "digits": 3, "stretch": False}
        self.view = MatrixView(
            {
                name: Panel(values, row_axis="dtype", column_axis="score", title=TITLES[name], caption="", **common)
                for name, values in shown.items()
            },
            still=list(shown),
            still_title=MESSAGES["still title"],
        )
        self.score = NumberSlider(
            LABELS["score"], START, 0, 800, lambda score, _: self._look(score), n_steps=8000, digits=1, width="36em"
        )
        self.again = make_buttons(LABELS, "again")["again"]
        self.again.on_click(lambda _: self._forget())
        self.said = Sentence("overflow-said", self.found.sentence())
        super().__init__([widgets.HBox([self.score, self.again], layout=WRAP), self.view, self.said])
        furnish(self)
        self.add_class("overflow-lab")

    def still_figure(self) -> Any:
        return self.view.still_figure()

    def still_text(self) -> str:
        return MESSAGES["still text"]

    def _look(self, score: float) -> None:
        self.view.update(self.found.look(score), changed=False)
        self.said.say(self.found.sentence())

    def _forget(self) -> None:
        self.found.reset()
        self.score.show(START)
        self._look(START)
