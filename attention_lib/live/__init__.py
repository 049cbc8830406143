"""The live layer: one matrix view, and the labs built on it."""

import sys
from typing import Any

from .. import _notebooks  # noqa: F401  (says what is missing)
from .matrix_view import Cell, Edit, MatrixView
from .panel import Panel

__all__ = ["Cell", "Edit", "MatrixView", "Panel"]

WIDGETS = "jupyter.widget"  # what ipywidgets calls its line to the page
_FOUND = "_reply_subshell_for"  # how ipykernel asks a line which thread its message is for


def hear_on_one_thread() -> None:
    """Let the widgets of this kernel hear the page on the thread of the cells; elsewhere, do nothing.

    JupyterLab asks ipykernel 7 for a thread beside the cells' own ("subshell") and marks all that widgets say for it.
    ipykernel 7.4 then brings each message to the thread that last spoke for its widget: for a view just shown, that is
    the cells' own, and from Python's first answer on the other. Two controls of one lab, or a control and a player,
    would change its state in two threads at once. Every widget therefore names one thread.
    """
    kernel = sys.modules.get("ipykernel.comm.comm")
    asked = getattr(getattr(kernel, "BaseComm", None), _FOUND, None)
    if asked is None or getattr(asked, "one_thread", False):
        return

    def thread_for(line: Any, data: Any, default: str | None) -> str | None:
        return None if line.target_name == WIDGETS else asked(line, data, default)

    thread_for.one_thread = True  # type: ignore[attr-defined]  # not put on top of itself
    setattr(kernel.BaseComm, _FOUND, thread_for)  # type: ignore[union-attr]


hear_on_one_thread()
