"""What a reader does to a lab's view, as messages that the page would send."""

from itertools import count

_numbers = count(1)


def edit(lab, panel, row, column, value, gesture=None):
    """Change a number; what the same gesture changes is one step of undo."""
    number = next(_numbers)
    _play(
        lab, {"do": "edit", "n": number, "gesture": gesture or f"v-{number}", "value": float(value)}, panel, row, column
    )


def select(lab, panel, row, column=None):
    """Choose a cell, or a row."""
    _play(lab, {"do": "select", "n": next(_numbers)}, panel, row, column)


def _play(lab, message, panel, row, column):
    content = message | {"view": "v", "panel": panel, "row": row, "column": column}
    lab.view._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    assert lab.view.last_error is None
