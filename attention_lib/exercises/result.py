"""What a check found, as it is read and as it is taken into the hand."""

import html
from dataclasses import dataclass, field
from typing import Any

COLOURS = {"passed": "#0072B2", "not tried": "#767676"}
OTHER_COLOUR = "#D55E00"
EXAMPLE_STYLE = "margin:4px 0 0; white-space:pre-wrap; word-break:normal; overflow-wrap:anywhere"  # whole words


@dataclass(frozen=True, eq=False)
class CheckResult:
    """What a check found. `status` and `mistake` are for programs, the rest is for reading and trying.

    Attributes
    ----------
    exercise : str
    status : str
        "passed", "not tried", "mistake", "raised", "time up", "type", "shape",
        "nan", "differs", "changed", "nested", "broken" or "unknown".
    message : str
        A few plain sentences.
    mistake : str or None
        Key into `mistakes.MISTAKES`, where the mistake is a known one; two keys with " + " for two at once.
    example : str
        The smallest case that fails and how to run it, or "".
    inputs : tuple
        What the function was given in the failing case, to try again: `function(*result.inputs)`.
    yours, needed : ndarray, tuple of them, or None
        What it returned there, and what it needs to return.
    """

    exercise: str
    status: str
    message: str
    mistake: str | None = None
    example: str = ""
    inputs: tuple[Any, ...] = field(default=(), repr=False)
    yours: Any = field(default=None, repr=False)
    needed: Any = field(default=None, repr=False)

    @property
    def passed(self) -> bool:
        """Whether the answer is right."""
        return self.status == "passed"

    def __repr__(self) -> str:
        head = f"{self.exercise}: {self.message}"
        return f"{head}\n{self.example}" if self.example else head

    def _repr_html_(self) -> str:
        colour = COLOURS.get(self.status, OTHER_COLOUR)
        example = f"<pre style='{EXAMPLE_STYLE}'>{html.escape(self.example)}</pre>" if self.example else ""
        return (
            f"<div style='border-left:4px solid {colour};padding:4px 10px'>"
            f"<b>{html.escape(self.exercise)}</b>: {html.escape(self.message)}{example}</div>"
        )
