"""Numbers: the values of all panels of a view, in one array, as they travel to the page."""

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .panel import Panel


class Numbers:
    """What the panels of a view hold now, one panel after the other.

    Parameters
    ----------
    panels : mapping of str to Panel
        Their first values are copied.

    Examples
    --------
    >>> numbers = Numbers({"a": Panel([[1, 2]]), "b": Panel([[3]])})
    >>> numbers.put("b", numbers.checked("b", [[4]]))
    >>> numbers["b"].tolist(), numbers.as_bytes() == np.array([1.0, 2.0, 4.0]).tobytes()
    ([[4.0]], True)
    """

    def __init__(self, panels: Mapping[str, Panel]) -> None:
        ends = np.cumsum([0] + [panel.array.size for panel in panels.values()])
        self.panels = dict(panels)
        self._slices = {name: slice(*ends[i : i + 2]) for i, name in enumerate(panels)}
        self._flat = np.concatenate([panel.array.ravel() for panel in panels.values()])

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return a copy of what a panel holds: float64, bool for a mask, int for categories."""
        panel = self.panels[name]
        return panel.as_shown(self._flat[self._slices[name]].reshape(panel.array.shape))

    def copy(self) -> "Numbers":
        """Return the same numbers, to come back to."""
        other = copy(self)  # the panels and their places are the same
        other._flat = self._flat.copy()
        return other

    def checked(self, name: str, values: ArrayLike) -> NDArray[np.float64]:
        """Return values as an array that the panel can hold.

        Raises
        ------
        ValueError
            If the shape is not the panel's.
        """
        array = np.asarray(values, dtype=np.float64)
        shape = self.panels[name].array.shape
        if array.shape != shape:
            raise ValueError(f"{name} has shape {array.shape} but its panel shows {shape}")
        return array

    def put(self, name: str, array: NDArray[np.float64]) -> None:
        """Let a panel hold an array that `checked` has returned."""
        self._flat[self._slices[name]] = array.ravel()

    def as_bytes(self) -> bytes:
        """Return the numbers as the page reads them."""
        return self._flat.tobytes()

    def marks(self, changed: Mapping[str, ArrayLike] | bool) -> bytes:
        """Return which cells to outline: nothing (the page compares), one zero (none), or a byte a cell."""
        if isinstance(changed, bool):
            return b"" if changed else b"\0"
        marks = np.zeros(self._flat.size, np.uint8)
        for name, cells in changed.items():
            marks[self._slices[name]] = self.checked(name, cells).ravel() != 0
        return marks.tobytes() if marks.size > 1 else b"\0" + marks.tobytes()
