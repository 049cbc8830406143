"""A button that plays: one step after the other, until it is pressed again or a hand changes something."""

import asyncio
from collections.abc import Callable
from typing import Any

import ipywidgets

from .._words import _


class Player:
    """A button that takes one step after the other, and stops; the kernel keeps the time.

    Parameters
    ----------
    label : str
        What the button says until it plays.
    step : callable
        Takes one step, and returns the seconds until the next; None where there is none left.
    """

    def __init__(self, label: str, step: Callable[[], float | None]) -> None:
        self._label, self._step = label, step
        self.takes_step = False  # now
        self._waiting: Any = None  # the next step, on the loop
        self.plays = False  # whether another step will follow
        self.round = 0  # how often it was begun
        self._stop = _("■ stop")
        long = max(len(label), len(self._stop))  # wide enough for both, so that nothing beside it moves
        layout = {"width": "auto", "min_width": f"{0.58 * long:.1f}em"}
        self.button = ipywidgets.Button(description=label, layout=layout)
        self.button.on_click(lambda event: self.stop() if self.plays else self.begin())

    def stop(self) -> None:
        """Take no further step."""
        self.plays = False
        if self._waiting is not None:
            self._waiting.cancel()
        self._waiting = None
        self.button.description = self._label

    def give_way(self) -> None:
        """Stop, unless it is the player's own step that asks: what the reader's hand set is not to be moved on."""
        if not self.takes_step:
            self.stop()

    def begin(self) -> None:
        """Take a step, and go on until none is left."""
        self.plays = True
        self.round += 1
        self.button.description = self._stop
        self._go()

    def _go(self) -> None:
        self._waiting = None
        self.takes_step = True
        try:
            pause = self._step()
        finally:
            self.takes_step = False
        if pause is not None and self.plays:
            self._waiting = asyncio.get_running_loop().call_later(pause, self._go)
        else:
            self.stop()
