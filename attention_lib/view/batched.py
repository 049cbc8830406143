"""Batched: a widget whose changes travel together, as one message."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anywidget


class Batched(anywidget.AnyWidget):
    """What changes within `batch` waits, and is sent once at its end."""

    def __init__(self, **traits: Any) -> None:
        self._waiting: dict[str, Any] = {}  # traits to send when the batch ends
        self._depth = 0
        self._repeat = False  # whether the next batch sends everything, not only what is new
        super().__init__(**traits)

    @contextmanager
    def batch(self) -> Iterator[None]:
        """Send what changes inside as one message."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._depth == 0:
                waiting, self._waiting = self._waiting, {}
                repeat, self._repeat = self._repeat, False
                with self.hold_sync():
                    for name, value in waiting.items():
                        setattr(self, name, value)
                    if repeat:
                        self.send_state(self._own())

    def _own(self) -> list[str]:
        """Return the names of what is sent again where the page asks how everything stands."""
        raise NotImplementedError

    def _latest(self, name: str) -> Any:
        """Return the value of a trait as it will be when the batch ends."""
        return self._waiting.get(name, getattr(self, name))
