"""Many small maps in a grid, each a button with a bar beside it: see all of them, open one.

Like MatrixView it knows no attention. A lab hands it maps and numbers, and observes `chosen`.
"""

from collections.abc import Sequence
from typing import Any

import anywidget
import numpy as np
import traitlets
from numpy.typing import ArrayLike

from .._words import _
from .assets import script, style_sheet
from .palette import palettes


class Thumbnails(anywidget.AnyWidget):
    """Show a grid of the maps of all heads, a column for each layer; a click or the arrow keys open one.

    Parameters
    ----------
    n_rows, n_columns : int
        Of the grid: there are n_rows * n_columns maps, counted along the rows.

    Examples
    --------
    >>> grid = Thumbnails(1, 2)
    >>> grid.show([[[1.0]], [[0.5]]], [1.0, 0.5], chosen=1)
    >>> grid.chosen, list(grid._maps), grid._shares
    (1, [255, 128], [1.0, 0.5])
    """

    _esm = script("thumbnails")
    _css = style_sheet("theme", "thumbnails")

    #: the open map, which the page sets too
    chosen = traitlets.Int(0).tag(sync=True)
    _grid: Any = traitlets.Dict({}).tag(sync=True)  # rows, columns, and words for them
    _maps = traitlets.Bytes(b"").tag(sync=True)  # one byte a weight: the place of its colour, 0 to 255
    _shares: Any = traitlets.List([]).tag(sync=True)  # how long the bar beside each map is, 0 to 1
    _colours: Any = traitlets.List([]).tag(sync=True)

    def __init__(self, n_rows: int, n_columns: int) -> None:
        grid = {"rows": n_rows, "columns": n_columns, "row": _("head"), "column": _("layer")}
        words = {"all": _("Small maps. Arrow keys go from one to the next and open it.")}
        super().__init__(_grid=grid | words, _colours=palettes()["sequential"][0])

    def show(self, maps: ArrayLike, shares: Sequence[float], chosen: int = 0) -> None:
        """Show this and nothing else, in one message.

        Parameters
        ----------
        maps : (count, n, n) array_like
            Weights, 0 to 1.
        shares : sequence of float
            How long the bar beside each map is, 0 to 1.
        chosen : int
            The open map.
        """
        with self.hold_sync():
            self._maps = np.rint(255 * np.asarray(maps)).astype(np.uint8).tobytes()
            self._shares = np.round(shares, 4).tolist()
            self.chosen = chosen
