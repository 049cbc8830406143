"""Drawing: a picture that Python draws as SVG or HTML. Its parts glide where they change, and answer to a hand."""

from collections.abc import Callable
from typing import Any

import anywidget
import traitlets

from .assets import script


class Drawing(anywidget.AnyWidget):
    """Show markup; what has the attribute `data-drag` can be turned around the circle `.rim` of its SVG, or be drawn to
    the side where there is none, and a button with `data-press` be pressed.

    Parameters
    ----------
    on_hand : callable, optional
        Called as `on_hand(name, value, gesture)`: what is dragged, the whole number that it was turned to, and a name
        that all changes of one drag share; or "press", and the number of the button. It is called when a hand is
        grasped too.
    """

    _esm = script("drawing")

    _markup = traitlets.Unicode("").tag(sync=True)
    # The one thing that the page sets. As with a slider, one message is on the way, and the latest wins.
    _hand: Any = traitlets.List([]).tag(sync=True)

    def __init__(self, on_hand: Callable[[str, int, str], Any] = lambda name, value, gesture: None) -> None:
        super().__init__()
        self.observe(lambda change: on_hand(*change.new), "_hand")

    def show(self, markup: str) -> None:
        self._markup = markup
