"""What the notebook around a check knows: which cell an answer comes from, and whether a later one did not run."""

import re
import sys
from typing import Any

from .._words import _
from .exercise import Function

_broken: dict[str, str] = {}  # name of a function -> the source of a cell that should have defined it


def watch_cells() -> None:
    """In a notebook, remember the cells that do not run because their syntax is wrong."""
    shell = _shell()
    if shell is not None:
        shell.events.register("post_run_cell", _note_cell)


def _shell() -> Any:
    return getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()


def _note_cell(result: Any) -> None:
    source = getattr(result.info, "raw_cell", "") or ""
    for name in re.findall(r"^def +(\w+)|^(\w+) *= *{", source, re.MULTILINE):
        if result.error_before_exec is not None:
            _broken["".join(name)] = source
        else:
            _broken.pop("".join(name), None)


def what_is_judged(name: str, function: Function) -> str:
    """Return a sentence where the last version of an answer did not run, so that an older one is judged."""
    if name not in _broken:
        return ""
    code = getattr(function, "__code__", None)
    numbers = getattr(getattr(_shell(), "compile", None), "_filename_map", {})
    number = numbers.get(code.co_filename) if code else None
    sentence = _("The last version of your cell did not run, because of a syntax error.")
    version = _("What follows is about the version before it.")
    if number:
        version = _("What follows is about the version from cell [{number}].").format(number=number)
    return f"{sentence} {version} "
