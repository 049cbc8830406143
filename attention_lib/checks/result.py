"""What a check found, to read and to take further."""

import html
import re
from dataclasses import dataclass
from typing import Any

COLOURS = {"passed": "#0072B2", "not tried": "#767676"}
OTHER_COLOUR = "#D55E00"
CASE_STYLE = "margin:4px 0 0; white-space:pre-wrap; word-break:normal; overflow-wrap:anywhere"


def as_html(sentence: str) -> str:
    """Escape a plain sentence; `code` in backticks becomes code, a *word* between stars is set apart."""
    parts = re.split(r"`([^`]+)`", html.escape(sentence))
    parts[::2] = [re.sub(r"(?<![\w*])\*(\w[^*]*)\*(?![\w*])", r"<em>\1</em>", plain) for plain in parts[::2]]
    parts[1::2] = [f"<code>{code}</code>" for code in parts[1::2]]
    return "".join(parts)


@dataclass(frozen=True, eq=False)
class CheckResult:
    """What a check found.

    The status is "passed", "not tried", "mistake", "raised", "time up", "type", "shape", "nan", "differs", "changed",
    "nested", "broken" or "unknown". "mistake" means that the slip has a name.
    """

    exercise: str
    status: str
    message: str  # a few plain sentences
    example: str = ""  # the smallest case that fails
    inputs: tuple[Any, ...] = ()  # given in that case, to try again: function(*inputs)
    yours: Any = None  # an array, or a tuple of them: what the function returned there
    needed: Any = None  # and what it should return

    @property
    def passed(self) -> bool:
        return self.status == "passed"

    def __repr__(self) -> str:
        return f"{self.exercise}: {self.message}" + (f"\n{self.example}" if self.example else "")

    def _repr_html_(self) -> str:
        colour = COLOURS.get(self.status, OTHER_COLOUR)
        example = f"<pre style='{CASE_STYLE}'>{html.escape(self.example)}</pre>" if self.example else ""
        return (
            f"<div style='border-left:4px solid {colour};padding:4px 10px'>"
            f"<b>{html.escape(self.exercise)}</b>: {as_html(self.message)}{example}</div>"
        )
