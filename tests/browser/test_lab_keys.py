"""Keys pressed on a lab's controls stay there."""

from pathlib import Path
from typing import Any

import pytest
from harness import KERNEL, NotebookPage

pytestmark = pytest.mark.browser

LAB = "from attention_lib.lessons import Explorer\nExplorer()"


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
    undo.click()
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
