"""Labs as the tests open them, and what a reader does to a lab's view, as messages that the page would send."""

from itertools import count

import numpy as np

from attention_lib import lessons

GIVEN = {  # what a lab that does not open alone is given
    "MaskWorkbench": (list("abcde"), *[np.eye(5)] * 4),
}
_numbers = count(1)


def opened(name):
    return getattr(lessons, name)(*GIVEN.get(name, ()))


def edit(lab, panel, row, column, value, gesture=None):
    """Change a number; what the same gesture changes is one step of undo."""
    number = next(_numbers)
    _play(
        lab, {"do": "edit", "n": number, "gesture": gesture or f"v-{number}", "value": float(value)}, panel, row, column
    )


def select(lab, panel, row, column=None):
    _play(lab, {"do": "select", "n": next(_numbers)}, panel, row, column)


def _play(lab, message, panel, row, column):
    act = message | {"panel": panel, "row": row, "column": column}
    lab.view.set_state({"_hand": {"view": "v", "acts": [act]}})
