"""MatrixView: one live view that shows and edits any number of named matrices.

The view knows no attention. A lab hands it panels and hears of edits:

    edit in the browser -> view.on_edit(edit) -> the lab's state -> view.show(panels)

All that it does travels as one message. ipywidgets keeps one message of the browser on the way and sends only the
latest of what waits, so the picture follows the hand and never lags behind a slow callback.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import anywidget
import numpy as np
import traitlets
from numpy.typing import NDArray

from .._words import _
from .assets import script, style_sheet
from .chain import Chain, Given
from .palette import palettes
from .panel import Panel, arranged, spec_of


class Cell(NamedTuple):
    """A selected cell, or a whole row where `column` is None."""

    panel: str
    row: int
    column: int | None


class Edit(NamedTuple):
    """One change of one cell made in the browser; edits of one drag share a `gesture`."""

    panel: str
    row: int
    column: int
    value: float
    gesture: str


def page_words() -> dict[str, str]:
    """Return what the page itself says in a view; it fills in the {braces}."""
    return {
        "range": _("Type a number from {low} to {high}. The cell now holds {value}."),
        "no number": _("That is not a number. The cell still holds {value}."),
        "forbidden": _("forbidden"),
        "allowed": _("allowed"),
        "waiting": _(
            "Python has not answered for a while. If another cell is running, wait for it; "
            "if the kernel was stopped, run the cells from the top of the notebook down to this one."
        ),
    }


class MatrixView(anywidget.AnyWidget):
    """Show named matrices live, and tell Python what the reader does to them.

    Parameters
    ----------
    panels, **shown
        As in `show`.

    Examples
    --------
    >>> view = MatrixView({"weights": Panel([[0.9, 0.1], [0.2, 0.8]], kind="weights")})
    >>> view["weights"]
    array([[0.9, 0.1],
           [0.2, 0.8]])
    """

    _esm = script("board")
    _css = style_sheet("theme", "matrix_view")

    # What the hand has done in a view of the page and Python has not acknowledged: {"view": name, "acts": [...]}. The
    # page sets this alone.
    _hand: Any = traitlets.Dict({}).tag(sync=True, echo_update=False)
    # What Python answers.
    _spec: Any = traitlets.List([]).tag(sync=True)  # one dict a panel: labels, kind, range, manners
    _arrangement: Any = traitlets.List([]).tag(sync=True)
    _values = traitlets.Bytes(b"").tag(sync=True)  # float64 of all panels, one after the other
    _captions: Any = traitlets.Dict({}).tag(sync=True)  # words shown under panels
    _highlight: Any = traitlets.Dict({}).tag(sync=True)
    _selected: Any = traitlets.List([]).tag(sync=True)  # [panel, row, column or None], or []
    _moves = traitlets.Bool(False).tag(sync=True)  # whether what changes is seen to move
    _ack: Any = traitlets.List([]).tag(sync=True)  # [view, number of its latest act]
    _chain: Any = traitlets.List([]).tag(sync=True)  # one list a step: result, operation, operands
    _given: Any = traitlets.Dict({}).tag(sync=True)  # matrices of the chain that no panel shows
    _words: Any = traitlets.Dict({}).tag(sync=True)
    _palettes: Any = traitlets.Dict({}).tag(sync=True)

    def __init__(self, panels: Mapping[str, Panel], **shown: Any) -> None:
        self.panels: dict[str, Panel] = {}  # as they are shown now
        #: called at each change of a cell; computes and shows what is new, the edited cell too
        self.on_edit: Callable[[Edit], Any] = lambda edit: None
        #: called when the reader selects a cell or a row
        self.on_select: Callable[[Cell], Any] = lambda cell: None
        self._heard: dict[str, int] = {}  # of each view in the page, the number of the latest act
        super().__init__(_words=page_words(), _palettes=palettes())
        self.show(panels, **shown)
        self.observe(self._receive, "_hand")

    # -- what is shown ------------------------------------------------------------------------

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a copy of what the panel shows: float64, or bool for a mask."""
        return self.panels[name].shown()

    @property
    def selected(self) -> Cell | None:
        """The cell or row that is selected."""
        return Cell(*self._selected) if self._selected else None

    def show(
        self,
        panels: Mapping[str, Panel],
        *,
        arrangement: Sequence[Any] | None = None,
        chain: Chain = (),
        given: Given | None = None,
        moves: bool = False,
    ) -> None:
        """Show these panels in place of all that was shown, in one message.

        Parameters
        ----------
        panels : mapping of str to Panel
            The matrices by name. Where only their numbers, captions and marks are new, the page changes only these.
        arrangement : nested sequence of str, optional
            Which panels are side by side, line by line: see `panel.arranged`. Default: all in one line.
        chain : sequence of Step
            Which panel follows from which, as the page calculates it at an edit. Empty: the page waits for Python.
        given : mapping of str to (rows, columns) matrix, optional
            Matrices that the chain needs and no panel shows.
        moves : bool
            Whether colours and bars move to where they will be, as after a click. What follows the hand does not.

        Raises
        ------
        ValueError
            If there is no panel, or if `arrangement` names one that is not there; then nothing changes.
        """
        lines = arranged(panels, arrangement)
        spec = [spec_of(name, panel) for name, panel in panels.items()]
        if not moves and _without_limits(spec) == _without_limits(self._spec):
            spec = self._spec  # in a drag the colours keep their meaning; after a click they may span another range
        chosen = self.selected
        with self.hold_sync():
            self._spec, self._arrangement, self._moves = spec, lines, moves
            self._chain = list(chain)
            self._given = {name: np.asarray(matrix, float).tolist() for name, matrix in (given or {}).items()}
            self._values = b"".join(panel.array.tobytes() for panel in panels.values())
            self._captions = {name: panel.caption for name, panel in panels.items()}
            self._highlight = {name: [list(mark) for mark in panel.marks] for name, panel in panels.items()}
            self.panels = dict(panels)
            if chosen is not None and not self._has(*chosen):
                self._selected = []

    def select(self, panel: str | None, row: int = 0, column: int | None = None) -> None:
        """Select a row, or a cell, or (with None) nothing; `on_select` is not called."""
        self._selected = [] if panel is None else [panel, row, column]

    def _receive(self, change: Any) -> None:
        """Do what the hand has done since Python heard of it last; acknowledge it whatever happens."""
        view, acts = change.new["view"], change.new["acts"]
        before = self._heard.get(view, 0)
        self._heard[view] = acts[-1]["n"]
        with self.hold_sync():
            try:
                for act in acts:
                    if act["n"] > before:
                        self._act(act)
            finally:
                self._ack = [view, self._heard[view]]

    def _act(self, act: Mapping[str, Any]) -> None:
        cell = Cell(act["panel"], act["row"], act["column"])
        if not self._has(*cell):  # other panels came while it was on its way
            return
        if act["do"] == "select":
            self.select(*cell)
            self.on_select(cell)
        elif self.panels[cell.panel].editable:
            self.on_edit(Edit(*(act[name] for name in Edit._fields)))

    def _has(self, panel: str, row: int, column: int | None) -> bool:
        if panel not in self.panels:
            return False
        n_rows, n_columns = self.panels[panel].array.shape
        return 0 <= row < n_rows and (column is None or 0 <= column < n_columns)


def _without_limits(spec: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{**panel, "limit": None} for panel in spec]
