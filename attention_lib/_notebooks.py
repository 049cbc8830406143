"""Pictures and labs need packages that the math does without. Rooms that use them import this module first.

Both are shown as an image with its words folded under it.
"""

import html
from importlib.util import find_spec
from typing import Any

for package in ("matplotlib", "ipywidgets", "anywidget"):
    if find_spec(package) is None:
        raise ModuleNotFoundError(
            f"The pictures and labs of attention_lib need {package}, which is not installed. It comes with the extra "
            "'notebooks': in the folder of this repository, run  python -m pip install '.[notebooks]'",
            name=package,
        )


def in_words(description: str, heading: str) -> str:
    """Return a description as HTML, folded under a heading that a mouse, a key or a screen reader opens."""
    marked = "display: list-item"  # nbviewer's style sheet would hide the triangle
    return f'<details><summary style="{marked}">{heading}</summary>{html.escape(description)}</details>'


def show(data: dict[str, Any], metadata: dict[str, Any], words: str) -> None:
    """Display a picture, and under it its words."""
    from IPython.display import display  # here, so that drawing needs no notebook

    display(data, metadata=metadata, raw=True)
    display({"text/html": words}, raw=True)
