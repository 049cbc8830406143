"""Many small maps in a grid, each a button with its number under it: see all of them, open one.

Like MatrixView it knows no attention. A lab hands it maps and numbers and hears
which one the reader opens.
"""

from collections.abc import Callable, Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from .assets import script, style_sheet
from .palette import palettes
from .titles import axis_called

#: Every sentence that the grid shows or has read out.
MESSAGES = {
    "failed": "This map could not be opened ({problem}).",
}
BROWSER_MESSAGES = {
    "all": "{count} maps. Arrow keys go from one to the next and open it.",
    "one": "{row_axis} {row} {column_axis} {column}, {number}",
    "short": "{row}.{column}",
    "gone": "The kernel was stopped or restarted. "
    "To go on, run the cells from the top of the notebook down to this one.",
}


class Thumbnails(anywidget.AnyWidget):
    """Show a grid of small maps; the reader opens one by a click or with the arrow keys.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the grid: there are n_rows * n_columns maps.
    row_axis, column_axis : str, optional
        What rows and columns of the grid are, as in `Panel`.

    Examples
    --------
    >>> grid = Thumbnails(1, 2)
    >>> grid.show([[[1.0]], [[0.5]]], ["1.00", "0.50"], order=[1, 0])
    >>> grid._size, list(grid._maps), grid._order
    (1, [255, 128], [1, 0])
    """

    _esm = script("thumbnails")
    _css = style_sheet("theme", "thumbnails")

    _grid: Any = traitlets.Dict({}).tag(sync=True)  # rows, columns and what they are
    _maps = traitlets.Bytes(b"").tag(sync=True)  # one byte a weight: the place of its colour, 0 to 255
    _size = traitlets.Int(0).tag(sync=True)  # each map is _size x _size
    _numbers: Any = traitlets.List([]).tag(sync=True)  # one text a map
    _order: Any = traitlets.List([]).tag(sync=True)  # the maps from the first to the last; [] = in labelled rows
    _mark: Any = traitlets.List([]).tag(sync=True)  # [row, column] of the cell to frame in each map, or []
    _chosen: Any = traitlets.List([0]).tag(sync=True)  # the open map, then the wish that it answers
    _caption = traitlets.Unicode("").tag(sync=True)
    _note = traitlets.Unicode("").tag(sync=True)
    _words: Any = traitlets.Dict({}).tag(sync=True)
    _colours: Any = traitlets.List([]).tag(sync=True)
    # The one thing that the browser sets: [map, view, running number]. As with a slider,
    # one message is on the way and the latest wins.
    _wish: Any = traitlets.List([]).tag(sync=True)

    def __init__(self, n_rows: int, n_columns: int, row_axis: str = "layer", column_axis: str = "head") -> None:
        self._callbacks: list[Callable[[int], None]] = []
        self.last_error: Exception | None = None
        self.count = n_rows * n_columns
        axes = {"row_axis": axis_called(row_axis), "column_axis": axis_called(column_axis)}
        super().__init__(
            _grid={"rows": n_rows, "columns": n_columns, **axes},
            _words=BROWSER_MESSAGES,
            _colours=palettes()["sequential"][0],
        )
        self.observe(self._wished, "_wish")

    def show(
        self,
        maps: ArrayLike,
        numbers: Sequence[str],
        *,
        order: Sequence[int] = (),
        chosen: int = 0,
        mark: Sequence[int] = (),
        caption: str = "",
    ) -> None:
        """Show this and nothing else; one message, and only what differs is in it.

        Parameters
        ----------
        maps : (count, n, n) array_like
            Weights, 0 to 1.
        numbers : sequence of str
            What stands under each map.
        order : sequence of int, optional
            The maps from the first to the last. Default: in rows and columns, labelled.
        chosen : int, optional
            The open map.
        mark : (row, column), optional
            A cell to frame in every map.
        caption : str, optional
            What the picture shows, in words; it stands below.

        Raises
        ------
        ValueError
            If there is not one square map and one number for each place of the grid; then nothing changes.
        """
        weights = np.asarray(maps, dtype=float)
        if weights.ndim != 3 or len(weights) != self.count or weights.shape[1] != weights.shape[2]:
            raise ValueError(f"maps has shape {weights.shape}; it needs ({self.count}, n, n)")
        if len(numbers) != self.count:
            raise ValueError(f"numbers has {len(numbers)} texts; it needs {self.count}")
        if len(order) and sorted(order) != list(range(self.count)):
            raise ValueError(f"order must name each of the {self.count} maps once")
        if not 0 <= chosen < self.count:
            raise ValueError(f"chosen is {chosen}; it needs 0 to {self.count - 1}")
        with self.hold_sync():
            self._maps = np.rint(255 * weights).astype(np.uint8).tobytes()
            self._size = weights.shape[-1]
            self._numbers = list(numbers)
            self._order = [int(k) for k in order]
            self._mark = [int(place) for place in mark]
            self._chosen = [int(chosen), *self._wish[1:]]
            self._caption, self._note = caption, ""

    def on_choose(self, callback: Callable[[int], None]) -> None:
        """Call `callback(k)` when the reader opens map k; the callback calls `show`."""
        self._callbacks.append(callback)

    def _wished(self, change: Any) -> None:
        """Act on one wish of the browser; a lab's mistake becomes a sentence."""
        try:
            k = change.new[0]
            if not 0 <= k < self.count:
                raise ValueError(f"there is no map {k}")
            for callback in self._callbacks:
                callback(k)
        except Exception as problem:
            self.last_error = problem
            self._chosen = [self._chosen[0], *self._wish[1:]]  # the browser goes back to it
            self._note = MESSAGES["failed"].format(problem=str(problem) or type(problem).__name__)
