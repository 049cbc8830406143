"""MatrixView: one live view that shows and edits any number of named matrices.

The view knows no attention. A lab hands it numbers and hears of edits:

    edit in the browser -> callback(edit) -> the lab's model -> view.update({...})

Every update travels as one message, however many panels it changes, and all that a callback does
travels as one. The browser keeps at most two edits on the way and sends only the latest of what waits, so
the picture follows the hand and never lags behind a slow callback. Messages and answers can be lost on
the way; then the browser asks which edits were heard, and sends the others again.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import traitlets
from numpy.typing import ArrayLike, NDArray

from .assets import font, lab_sheets, script, style_sheet
from .batched import Batched
from .chain import Chain, Given, as_sent, check_chain
from .numbers import Numbers
from .page_words import BROWSER_MESSAGES
from .palette import palettes
from .panel import Panel, arranged, called, caption_of, describe, figure_of, spec_of
from .reader import Cell, Edit, Heard
from .still import StillPicture

#: What Python says in a view; what the page says itself stands in page_words.py.
MESSAGES = {
    "failed": "This change could not be computed ({problem}). The picture shows the last good state.",
    "no_cell": "{panel} has no cell at row {row}, column {column}.",
    "not_finite": "{value} is not a number that {panel} can hold.",
    "not_editable": "{panel} is computed, not edited.",
}


class MatrixView(StillPicture, Batched):
    """Show named matrices live, and tell Python what the reader does to them.

    Parameters
    ----------
    panels : mapping of str to Panel
        The matrices by name. Names are shown.
    arrangement : nested sequence of str, optional
        Which panels stand side by side, line by line: see `panel.arranged`. Default: all in one line.
    still : sequence of str, optional
        The panels drawn in the still picture; they share rows. Default: the last panel.
    still_title : str
        What to see in the still picture.
    chain, given : optional
        Which panel follows from which: see `set_chain`.

    Raises
    ------
    ValueError
        If there is no panel, if `arrangement` or `still` names one that is not there, or if the chain needs
        what is not there.

    Examples
    --------
    >>> view = MatrixView.single([[0.9, 0.1], [0.2, 0.8]], ["a", "b"], ["a", "b"], name="weights", kind="weights")
    >>> view
    MatrixView: weights 2x2
    >>> view.update({"weights": [[0.5, 0.5], [0.2, 0.8]]})
    >>> view["weights"]
    array([[0.5, 0.5],
           [0.2, 0.8]])
    """

    _esm = script("board")
    _css = style_sheet("theme", "matrix_view", *lab_sheets())

    # What the browser knows. It sets none of these: it sends messages, and Python answers by setting them.
    _spec: Any = traitlets.List([]).tag(sync=True)  # one dict a panel: labels, kind, range, manners
    _arrangement: Any = traitlets.List([]).tag(sync=True)
    _values = traitlets.Bytes(b"").tag(sync=True)  # float64 of all panels, one after the other
    _changed = traitlets.Bytes(b"").tag(sync=True)  # "" = the browser compares; "\0" = none; else one byte a cell
    _captions: Any = traitlets.Dict({}).tag(sync=True)  # words shown under panels
    _descriptions: Any = traitlets.Dict({}).tag(sync=True)  # words read out for panels without a caption
    _highlight: Any = traitlets.Dict({}).tag(sync=True)
    _note = traitlets.Unicode("").tag(sync=True)
    _selected: Any = traitlets.List([]).tag(sync=True)  # [panel, row, column or None], or []
    _stretched: Any = traitlets.List([]).tag(sync=True)
    _moves = traitlets.Bool(False).tag(sync=True)  # whether what changes is seen to move
    _hover = traitlets.Bool(False).tag(sync=True)  # whether anyone in Python listens
    # [view, number of its message, gesture], and in the answer to a question the numbers that were never heard
    _ack: Any = traitlets.List([]).tag(sync=True)
    _chain: Any = traitlets.List([]).tag(sync=True)  # one list a step: result, operation, operands
    _given: Any = traitlets.Dict({}).tag(sync=True)  # matrices of the chain that no panel shows
    _words: Any = traitlets.Dict({}).tag(sync=True)
    _palettes: Any = traitlets.Dict({}).tag(sync=True)

    def __init__(
        self,
        panels: Mapping[str, Panel],
        *,
        arrangement: Sequence[Any] | None = None,
        still: Sequence[str] | None = None,
        still_title: str = "",
        chain: Chain = (),
        given: Given | None = None,
    ) -> None:
        self._numbers: Numbers  # of the panels, which it knows too: `replace` makes it
        self._heard = Heard()
        self._updated: set[str] = set()  # panels that callbacks of the current edit have updated
        self._edit_callbacks: list[Callable[[Edit], None]] = []
        self._select_callbacks: list[Callable[[Cell | None], None]] = []
        self._hover_callbacks: list[Callable[[Cell | None], None]] = []
        self.last_error: Exception | None = None
        self.still_panels = list(still or [])
        self.still_title = still_title
        super().__init__(_words=BROWSER_MESSAGES, _palettes=palettes())
        self.replace(panels, arrangement=arrangement)
        self.set_chain(chain, given)
        self.on_msg(self._receive)

    @classmethod
    def single(
        cls,
        values: ArrayLike,
        rows: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        *,
        name: str,
        **options: Any,
    ) -> "MatrixView":
        """Return a view of one matrix; `options` are those of `Panel`."""
        return cls({name: Panel(values, rows, columns, **options)})

    # -- what is shown ------------------------------------------------------------------------

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a copy of what the panel shows: float64, bool for a mask, int for categories."""
        self._panel(name)
        return self._numbers[name]

    @property
    def panels(self) -> dict[str, Panel]:
        """The panels by name, as they were given (their first values, not the current ones)."""
        return dict(self._numbers.panels)

    @property
    def note(self) -> str:
        """The sentence shown under the panels; empty if there is none."""
        return str(self._latest("_note"))

    @property
    def selected(self) -> Cell | None:
        """The cell or row that is selected."""
        chosen = self._latest("_selected")
        return Cell(*chosen) if chosen else None

    @property
    def stretched(self) -> set[str]:
        """The panels whose colours span their values only."""
        return set(self._latest("_stretched"))

    def replace(self, panels: Mapping[str, Panel], *, arrangement: Sequence[Any] | None = None) -> None:
        """Show other panels: new shapes, labels or ranges (a new sentence, say); there is no chain between them yet."""
        lines = arranged(panels, arrangement, self.still_panels)
        self._numbers = Numbers(panels)
        chosen = self.selected
        with self.batch():
            self._waiting |= {
                "_spec": [spec_of(name, panel) for name, panel in panels.items()],
                "_arrangement": lines,
                "_values": self._numbers.as_bytes(),
                **{"_changed": b"", "_captions": {}, "_highlight": {}, "_note": ""},
                **{"_chain": [], "_given": {}},
                "_stretched": sorted(self.stretched & set(panels)),
            }
            if chosen is not None and not self._has(*chosen):
                self._waiting["_selected"] = []
            self._waiting["_captions"] = self._captions_of(panels)
            self._describe()

    def set_chain(self, chain: Chain, given: Given | None = None) -> None:
        """Say which panel follows from which, as the page calculates it at an edit; the callbacks' `update` stands.

        Parameters
        ----------
        chain : sequence of Step
            Empty: the page waits for Python.
        given : mapping of str to (rows, columns) matrix, optional
            Matrices that the chain needs and no panel shows.

        Raises
        ------
        ValueError
            If a step needs what is not there; then nothing changes.
        """
        check_chain(chain, [*self._numbers.panels, *(given or {})])
        with self.batch():
            self._waiting["_chain"] = as_sent(chain)
            self._waiting["_given"] = {name: np.asarray(m, float).tolist() for name, m in (given or {}).items()}

    def update(
        self,
        values: Mapping[str, ArrayLike] | None = None,
        *,
        captions: Mapping[str, str] | None = None,
        changed: Mapping[str, ArrayLike] | bool = True,
        highlight: Mapping[str, Sequence[tuple[int | None, int | None]]] | None = None,
        note: str = "",
        moves: bool = False,
    ) -> None:
        """Show new values, all in one message.

        Parameters
        ----------
        values : mapping of str to (n_rows, n_columns) array_like, optional
            New values of the panels named; the others stay.
        captions : mapping of str to str, optional
            New words under the panels named.
        changed : bool or mapping of str to (n_rows, n_columns) array_like of bool
            Which cells to outline. True: the browser outlines those whose shown
            digits differ from before this gesture; False: none.
        highlight : mapping of str to sequence of (row, column), optional
            Cells to mark in the panels named; None stands for "every". An empty
            mapping clears all marks; without the argument they stay.
        note : str, optional
            A sentence under the panels. It replaces the one before.
        moves : bool
            Whether colours and bars move to where they will be, as after a click. What follows the hand does not.

        Raises
        ------
        ValueError
            If a panel is not there or a shape is not the panel's; then nothing changes.
        """
        named = changed if isinstance(changed, Mapping) else {}
        for name in [*(values or {}), *named, *(captions or {}), *(highlight or {})]:
            self._panel(name)
        arrays = {name: self._numbers.checked(name, matrix) for name, matrix in (values or {}).items()}
        marks = self._numbers.marks(changed)
        with self.batch():
            for name, array in arrays.items():
                self._numbers.put(name, array)
            self._updated |= set(arrays)
            if arrays:
                self._waiting["_values"] = self._numbers.as_bytes()
                self._waiting["_changed"] = marks
            self._waiting["_note"] = note
            self._waiting["_moves"] = moves
            if highlight is not None:
                self._waiting["_highlight"] = {name: [list(c) for c in cells] for name, cells in highlight.items()}
            if arrays or captions:
                told = {**self._captions_of(arrays), **(captions or {})}
                self._waiting["_captions"] = {**self._latest("_captions"), **told}

    def say(self, note: str) -> None:
        """Show a sentence under the panels, or none."""
        with self.batch():
            self._waiting["_note"] = note

    def select(self, panel: str | None, row: int = 0, column: int | None = None) -> None:
        """Select a row, or a cell, or (with None) nothing; callbacks are not called."""
        if panel is not None and not self._has(panel, row, column):
            raise ValueError(MESSAGES["no_cell"].format(panel=self.title_of(panel), row=row, column=column))
        with self.batch():
            self._waiting["_selected"] = [] if panel is None else [panel, row, column]

    def stretch(self, panel: str, on: bool = True) -> None:
        """Let the colours of a panel span its values only, or again its fixed range."""
        self._panel(panel)
        with self.batch():
            self._waiting["_stretched"] = sorted(self.stretched - {panel} | ({panel} if on else set()))

    # -- what the reader does -----------------------------------------------------------------

    def on_edit(self, callback: Callable[[Edit], None]) -> None:
        """Call `callback(edit)` at each change of a cell.

        The callback computes and calls `update`. A ValueError refuses the edit: its sentence is shown, the cell
        goes back. If no callback updates the edited panel, the view writes the value into it.
        """
        self._edit_callbacks.append(callback)

    def on_select(self, callback: Callable[[Cell | None], None]) -> None:
        """Call `callback(cell)` when the reader selects a cell or a row."""
        self._select_callbacks.append(callback)

    def on_hover(self, callback: Callable[[Cell | None], None]) -> None:
        """Call `callback(cell)` when the pointer enters a cell, `callback(None)` when it leaves the panel."""
        self._hover_callbacks.append(callback)
        self._hover = True

    def _receive(self, _: Any, content: Any, buffers: Any) -> None:
        """Act on one message of the browser; acknowledge it whatever happens."""
        before = self._numbers.copy()
        with self.batch():
            try:
                self._act(content)
            except Exception as problem:  # a lab's mistake must not stop the view: it becomes a sentence
                self.last_error = problem
                self._numbers = before  # drop what the callback had begun
                self._waiting.clear()
                plain = isinstance(problem, ValueError)
                words = str(problem) or type(problem).__name__
                self._waiting["_note"] = words if plain else MESSAGES["failed"].format(problem=words)
            if isinstance(content, dict) and "view" in content:
                self._repeat |= content.get("do") == "again"
                self._waiting["_ack"] = self._heard.answer(content)

    def _act(self, content: dict[str, Any]) -> None:
        match content.get("do"):
            case "edit":
                self._edit(Edit(*(content[name] for name in Edit._fields)))
            case "select":
                self.select(content["panel"], content["row"], content["column"])
                for callback in self._select_callbacks:
                    callback(self.selected)
            case "hover":
                cell = Cell(content["panel"], content["row"], content["column"]) if content["panel"] else None
                for callback in self._hover_callbacks:
                    callback(cell)
            case "font":
                self.send({"do": "font"}, buffers=[font()])
            case "describe":
                self._describe()
            case "stretch":
                self.stretch(content["panel"], bool(content["on"]))

    def _edit(self, edit: Edit) -> None:
        panel, title = self._panel(edit.panel), self.title_of(edit.panel)
        if not panel.editable:
            raise ValueError(MESSAGES["not_editable"].format(panel=title))
        if edit.column is None or not self._has(edit.panel, edit.row, edit.column):
            raise ValueError(MESSAGES["no_cell"].format(panel=title, row=edit.row, column=edit.column))
        if not isinstance(edit.value, (int, float)) or not math.isfinite(edit.value):
            raise ValueError(MESSAGES["not_finite"].format(value=edit.value, panel=title))
        low, high = (0, 1) if panel.kind == "mask" else (panel.low, panel.high)
        edit = edit._replace(value=min(max(float(edit.value), low), high))
        self._waiting["_note"] = ""
        self._updated.clear()
        for callback in self._edit_callbacks:
            callback(edit)
        if edit.panel not in self._updated:
            array = self[edit.panel].astype(float)
            array[edit.row, edit.column] = edit.value
            self.update({edit.panel: array}, note=self.note)

    # -- the still picture ----------------------------------------------------------------------

    def still_figure(self) -> Any:
        """Draw the `still` panels as they are now."""
        names = self.still_panels or list(self.panels)[-1:]
        panels = {name: replace(self.panels[name], values=self[name]) for name in names}
        return figure_of(panels, self.still_title)

    def still_text(self) -> str:
        """Name the panels and their shapes."""
        shapes = ("{} {}x{}".format(called(*item), *item[1].array.shape) for item in self._numbers.panels.items())
        return f"{type(self).__name__}: {', '.join(shapes)}"

    def title_of(self, name: str) -> str:
        """Return what readers call a panel."""
        return called(name, self._panel(name))

    def _own(self) -> list[str]:
        return list(MatrixView.class_own_traits(sync=True))

    # -- helpers ----------------------------------------------------------------------------------

    def _panel(self, name: str) -> Panel:
        if name not in self._numbers.panels:
            raise ValueError(f"there is no panel {name!r}; the panels are {', '.join(self._numbers.panels)}")
        return self._numbers.panels[name]

    def _has(self, panel: str, row: int, column: int | None) -> bool:
        if panel not in self._numbers.panels:
            return False
        n_rows, n_columns = self._numbers.panels[panel].array.shape
        return 0 <= row < n_rows and (column is None or 0 <= column < n_columns)

    def _captions_of(self, names: Mapping[str, Any]) -> dict[str, str]:
        """Return the words for those panels that have a caption of their own."""
        captions = {name: caption_of(self._numbers.panels[name], self[name]) for name in names}
        return {name: words for name, words in captions.items() if words is not None}

    def _describe(self) -> None:
        """Describe the panels without a caption; the browser asks for it once the hand rests."""
        shown = self._latest("_captions")
        silent = {name: panel for name, panel in self._numbers.panels.items() if name not in shown}
        self._waiting["_descriptions"] = {name: describe(name, panel, self[name]) for name, panel in silent.items()}
