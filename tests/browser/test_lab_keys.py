"""Keys pressed on a lab's controls stay there, and the mouse moves what it has pressed."""

import math
from pathlib import Path
from typing import Any

import pytest
from harness import KERNEL, NotebookPage

from attention_lib.lessons.positions.turning_lab import NEAR, STATES, moved

LAB = "from attention_lib.lessons import Explorer\nlab = Explorer()\nlab"


@pytest.fixture
def notebook(open_notebook: Any) -> NotebookPage:
    page: NotebookPage = open_notebook("1 + 1", LAB, "2 + 2")
    return page


CONTROLS = (
    *("button:text-is('Undo')", ".widget-toggle-button", ".noUi-handle", ".number-box input"),
    *("[data-panel='W_Q'] .av-value", "[data-panel='weight'] .av-cell"),
)


def test_keys_on_a_control_do_not_reach_the_notebook(notebook: NotebookPage) -> None:
    before = [3, 1, "command"]  # the lab's own cell is the active one: what a stolen key would cut
    for control in CONTROLS:
        notebook.command("notebook:enter-command-mode")
        notebook.page.locator(".attention-keys").locator(f"{control} >> visible=true").first.focus()
        notebook.eventually(notebook.cells_and_mode, before)
        for key in ["x", "d", "d", "a", "b", "m", "y"]:
            notebook.page.keyboard.press(key)
        notebook.settle()
        assert notebook.cells_and_mode() == before, control


def test_a_pressed_picture_keeps_its_keys_when_it_is_drawn_anew(open_notebook: Any) -> None:
    notebook = open_notebook("1 + 1", "from attention_lib.lessons import HeadBrowser\nHeadBrowser()", "2 + 2")
    notebook.page.locator("[data-press]").nth(5).click()
    notebook.settle()
    for key in "xab":
        notebook.page.keyboard.press(key)
    notebook.settle()
    assert notebook.cells_and_mode()[0] == 3


def test_the_notebook_keeps_its_own_key_combinations(notebook: NotebookPage) -> None:
    dirty = "jupyterapp.shell.currentWidget.context.model.dirty"
    notebook.cell("weight", 0, 0).click()
    notebook.settle()
    notebook.page.evaluate(f"{dirty} = true")
    notebook.page.keyboard.press("Control+s")
    notebook.eventually(lambda: notebook.page.evaluate(dirty), False)


def test_a_slow_lab_hears_many_fast_keys_in_order_and_on_one_thread(notebook: NotebookPage) -> None:
    """JupyterLab asks the kernel for a second thread, and of two at once the older edit could win."""
    cells_run_on = notebook.python("threading.get_ident()", "import threading, time; told = []")
    heard = "told.append((threading.get_ident(), edit.value)), time.sleep(0.3)"
    notebook.python("None", f"lab.view.on_edit = lambda edit, follow=lab.view.on_edit: ({heard}, follow(edit))")
    notebook.cell("W_Q", 0, 0).locator(".av-value").focus()
    for _ in range(20):
        notebook.page.keyboard.press("ArrowDown")
    notebook.settle()
    threads, values = zip(*notebook.python("told"), strict=True)
    assert set(threads) == {cells_run_on}
    assert list(values) == sorted(values, reverse=True) and len(values) > 1


def test_ctrl_z_is_undo_and_ctrl_y_redo_also_on_a_cell(notebook: NotebookPage) -> None:
    panel, keys = notebook.panel("W_Q"), notebook.page.keyboard
    panel.wait_for()
    notebook.settle()
    first = notebook.texts("W_Q")[0][0]
    panel.locator(".av-cell").first.click()
    keys.type("2.5")
    keys.press("Enter")
    notebook.eventually(lambda: notebook.texts("W_Q")[0][0], "2.50")
    for combination, expected in {"Control+z": first, "Control+y": "2.50", "Control+Shift+z": "2.50"}.items():
        keys.press(combination)
        notebook.eventually(lambda: notebook.texts("W_Q")[0][0], expected)
    notebook.page.locator(".number-box input").first.focus()
    keys.press("Control+z")
    notebook.settle()
    assert notebook.texts("W_Q")[0][0] == "2.50", "in a box, Ctrl+Z is the browser's"


def test_undo_comes_after_the_edit_on_a_busy_kernel(notebook: NotebookPage, tmp_path: Path) -> None:
    panel, keys, sign = notebook.panel("W_Q"), notebook.page.keyboard, tmp_path / "go on"
    panel.wait_for()
    notebook.settle()
    first = notebook.texts("W_Q")[0][0]
    busy = f"import os, time\nwhile not os.path.exists({str(sign)!r}): time.sleep(0.01)"
    notebook.page.evaluate(f"(code) => {{ {KERNEL}.requestExecute({{ code, store_history: false }}); }}", busy)
    panel.locator(".av-cell").first.click()
    keys.type("2.5")
    keys.press("Enter")
    notebook.eventually(lambda: notebook.texts("W_Q")[0][0], "2.50")
    keys.press("Control+z")
    sign.touch()
    notebook.settle()
    assert notebook.texts("W_Q")[0][0] == first


def test_no_message_moves_the_picture(notebook: NotebookPage) -> None:
    lab = notebook.page.locator(".attention-lab")
    view, message = lab.locator(".attention-view"), lab.locator(".lab-message")

    def place() -> float:  # in the lab: the page itself may scroll
        return float(view.bounding_box()["y"] - lab.bounding_box()["y"])

    undo = notebook.page.locator(".attention-keys button:text-is('Undo')")
    undo.scroll_into_view_if_needed()
    notebook.settle()
    top = place()
    undo.click(force=True)  # it looks switched off
    notebook.eventually(lambda: "nothing left to undo" in message.inner_text(), True)
    assert abs(place() - top) < 0.5
    box = notebook.page.locator(".number-box input").first
    box.fill("99")
    box.press("Enter")
    notebook.eventually(lambda: "99 became" in message.inner_text(), True)
    assert abs(place() - top) < 0.5


def test_a_slider_follows_the_mouse_from_wherever_its_track_is_pressed(notebook: NotebookPage) -> None:
    notebook.panel("W_Q").wait_for()
    notebook.settle()
    notebook.page.locator(".noUi-target").first.scroll_into_view_if_needed()
    track = notebook.page.locator(".noUi-target").first.bounding_box()
    at = [(track["x"] + part * track["width"], track["y"] + track["height"] / 2) for part in (0.2, 0.9)]
    notebook.page.mouse.move(*at[0])
    notebook.page.mouse.down()
    notebook.page.mouse.move(*at[1], steps=8)
    notebook.page.mouse.up()
    notebook.eventually(lambda: float(notebook.texts("W_Q")[0][0]) > 2.0, True)
    notebook.page.keyboard.press("Control+z")
    notebook.eventually(lambda: float(notebook.texts("W_Q")[0][0]), 0.5)


TURNING = "from attention_lib.lessons import TurningLab\nlab = TurningLab()\nlab"


def test_a_hand_is_dragged_and_what_is_between_the_hands_moves_both(open_notebook: Any) -> None:
    notebook = open_notebook(TURNING, height=800)
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
    point, curve = notebook.page.locator(".here circle").bounding_box(), notebook.page.locator(".line").bounding_box()
    x, y = point["x"] + point["width"] / 2, point["y"] + point["height"] / 2
    mouse.move(x, y)
    mouse.down()
    mouse.move(x - 5 * curve["width"] / (2 * NEAR), y, steps=8)
    mouse.up()
    shown[:] = ["q · k = −0.42", "query at 8, key at 10"]
    notebook.eventually(lambda: [text for text in words.all_text_contents() if text in shown], shown)
