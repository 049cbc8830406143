"""Drawing: a picture that Python draws as SVG, whose parts glide where they change, and whose hands can be turned."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from .assets import script


class Drawing(anywidget.AnyWidget):
    """Show markup; what has the attribute `data-drag` can be turned around the circle `.rim` of its SVG.

    Parameters
    ----------
    on_turn : callable
        Called as `on_turn(name, value, gesture)`: what is dragged, the whole number that it was turned to, and a name
        that all changes of one drag share. It is called when a hand is grasped too.

    Examples
    --------
    >>> turned = []
    >>> drawing = Drawing(lambda *what: turned.append(what))
    >>> drawing._turned = ["query", 7, "query 1"]  # as the page sets it
    >>> turned
    [('query', 7, 'query 1')]
    """

    _esm = script("drawing")

    _markup = traitlets.Unicode("").tag(sync=True)
    # The one thing that the page sets. As with a slider, one message is on the way, and the latest wins.
    _turned: Any = traitlets.List([]).tag(sync=True)

    def __init__(self, on_turn: Callable[[str, float, str], None]) -> None:
        super().__init__()
        self.observe(lambda change: on_turn(*change.new), "_turned")

    def show(self, markup: str) -> None:
        """Show other markup."""
        self._markup = markup
