"""The hands of the turning lab in a real JupyterLab: dragged by the mouse, read by the digits."""

import math
from typing import Any

from attention_lib.lessons.positions.turning_lab import STATES, moved

LAB = "from attention_lib.lessons import TurningLab\nlab = TurningLab()\nlab"


def test_a_hand_is_dragged_and_what_is_between_the_hands_moves_both(open_notebook: Any) -> None:
    notebook = open_notebook(LAB, height=800)
    mouse, rim = notebook.page.mouse, notebook.page.locator(".lab-turninglab .rim")
    rim.wait_for()
    notebook.settle()
    words, rim = notebook.page.locator(".lab-turninglab .attention-drawing text"), rim.bounding_box()
    x, y, radius = rim["x"] + rim["width"] / 2, rim["y"] + rim["height"] / 2, rim["width"] / 2

    def drag(start: float, reach: float, radians: float) -> None:
        for k in range(21):
            angle = start + radians * k / 20
            mouse.move(x + reach * radius * math.cos(angle), y - reach * radius * math.sin(angle))
            if k == 0:
                mouse.down()
        mouse.up()

    drag(5, 1.15, 1)  # q stands at 5 radians, and turns by 1 for each position
    shown = ["q · k = −0.99", "query at 6, key at 3"]
    notebook.eventually(lambda: [text for text in words.all_text_contents() if text in shown], shown)
    drag(4.5, 0.35, 7)  # more than once around
    shown[1] = "query at 13, key at 10"
    notebook.eventually(lambda: [text for text in words.all_text_contents() if text in shown], shown)
    state = moved(moved(STATES["one"], "query", 6), "both", 7)
    assert notebook.python("lab.state.__dict__") == state.__dict__
