"""What the reader does in a view: cells and edits, and which of the page's messages were heard."""

from collections import deque
from typing import Any, NamedTuple

HEARD = 100  # numbers of messages kept for each view in a page: far more than it ever has on the way


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


class Heard:
    """Which messages of the page were heard: messages and answers can be lost on the way.

    Examples
    --------
    >>> heard = Heard()
    >>> heard.answer({"view": "one", "n": 7, "gesture": "drag"})
    ['one', 7, 'drag']
    >>> heard.answer({"view": "one", "n": 9, "do": "again", "unanswered": [7, 8]})  # 8 never came
    ['one', 9, '', [8]]
    """

    def __init__(self) -> None:
        self._numbers: dict[str, deque[int]] = {}  # by view in a page: those of its latest messages

    def answer(self, content: dict[str, Any]) -> list[Any]:
        """Return what to send back: which message was heard; where the page asks, which were not."""
        view, n = content["view"], content.get("n", 0)
        numbers = self._numbers.setdefault(view, deque(maxlen=HEARD))
        if content.get("do") == "again":
            return [view, n, "", [number for number in content.get("unanswered", []) if number not in numbers]]
        numbers.append(n)
        return [view, n, content.get("gesture", "")]
