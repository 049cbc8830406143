"""Notebook 01 in a real JupyterLab: run it all, then drive the explorer by mouse and keyboard."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import NotebookPage
from lab_server import read_notebook

from attention_lib import plots
from attention_lib.labs.explorer import PRESETS, ExplorerModel
from attention_lib.view.keys import MESSAGES
from attention_lib.view.lab import MESSAGES as SAID

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "01_self_attention.ipynb"


EXPLORER = "from attention_lib.labs import Explorer\n\nExplorer()"


@pytest.fixture
def notebook(open_notebook: Any) -> NotebookPage:
    """The explorer alone, new for each test."""
    page: NotebookPage = open_notebook.again(EXPLORER, only=EXPLORER, height=1100)
    page.panel("W_Q").scroll_into_view_if_needed()
    page.settle()
    return page


def assert_shows(notebook: NotebookPage, model: ExplorerModel) -> None:
    """The page shows, digit for digit, what the plain model calculates."""
    trace = model.trace
    matrices = {"W_Q": (model.state.inputs.W_Q, 2), "Q": (trace.Q, 2), "scores": (trace.scores, 2)}
    matrices |= {"scaled scores": (trace.scaled_scores, 2), "weights": (trace.weights, 3), "output": (trace.output, 2)}
    wanted = {
        name: [[plots.number_text(value, digits).replace("−", "-") for value in row] for row in matrix]
        for name, (matrix, digits) in matrices.items()
    }
    notebook.shows(wanted)
    notebook.page.locator(".explorer-goal", has_text=model.goal_text()).wait_for()


def overlap(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether two boxes of the page share more than an edge."""
    return all(
        min(one[at] + one[size], other[at] + other[size]) - max(one[at], other[at]) > 1
        for at, size in [("x", "width"), ("y", "height")]
    )


def press(notebook: NotebookPage, name: str) -> None:
    notebook.page.locator(".attention-explorer").get_by_role("button", name=name, exact=True).click()


def test_the_whole_notebook_run_twice_leaves_no_error_and_one_working_explorer(open_notebook: Any) -> None:
    cells = [EXPLORER if "Explorer(" in cell else cell for cell in read_notebook(NOTEBOOK)]
    assert EXPLORER in cells
    notebook = open_notebook(*cells, height=1100)
    notebook.run_all()
    notebook.settle()
    notebook.panel("W_Q").scroll_into_view_if_needed()
    assert_shows(notebook, ExplorerModel())
    assert notebook.page.locator(".attention-explorer").count() == 1
    assert notebook.page.locator('[data-mime-type="application/vnd.jupyter.stderr"]').count() == 0


def test_fast_keys_arrive_every_one_and_undo_takes_them_back(notebook: NotebookPage) -> None:
    """A slider that Python moves must not send an old value back in between."""
    model = ExplorerModel()
    notebook.cell("W_Q", 0, 0).click()
    with notebook.in_no_time():
        for _ in range(12):
            notebook.page.keyboard.press("ArrowDown")
    model.edit("W_Q", 0, 0, 0.5 - 12 * 0.05)
    assert_shows(notebook, model)
    press(notebook, "undo")
    assert_shows(notebook, ExplorerModel())


def test_typing_a_number_in_the_grid(notebook: NotebookPage) -> None:
    model = ExplorerModel()
    model.edit("W_Q", 1, 2, -0.35)
    notebook.cell("W_Q", 1, 2).click()
    notebook.page.keyboard.type("-0.35")
    notebook.page.keyboard.press("Enter")
    assert_shows(notebook, model)
    press(notebook, "reset")


def test_dragging_the_slider_edits_the_selected_cell(notebook: NotebookPage) -> None:
    notebook.cell("W_Q", 2, 1).click()
    handle = notebook.page.locator(".attention-explorer .noUi-handle")
    with notebook.in_no_time():
        notebook.drag(handle, 40, steps=12)
    model = ExplorerModel()
    moved = float(notebook.texts("W_Q")[2][1])
    assert moved > 0.6
    model.edit("W_Q", 2, 1, moved)
    assert_shows(notebook, model)
    press(notebook, "undo")
    assert_shows(notebook, ExplorerModel())


def test_what_a_cell_refuses_is_said_beside_it_until_the_hand_does_something_else(notebook: NotebookPage) -> None:
    line = notebook.page.locator(".attention-explorer .av-note")
    select = notebook.page.locator(".attention-explorer select").first
    acts = {name: partial(press, notebook, name) for name in ("undo", "reset", "show before")}
    acts["slider"] = lambda: notebook.page.locator(".explorer-value .noUi-handle").press("ArrowRight")
    acts["row"] = lambda: notebook.cell("weights", 1, 1).click()
    acts["preset"] = lambda: select.press("ArrowDown")
    for name, act in acts.items():
        before = notebook.panel("weights").bounding_box()
        notebook.cell("W_Q", 0, 0).dblclick()
        notebook.page.keyboard.type("1.x")
        notebook.page.keyboard.press("Enter")
        notebook.eventually(lambda: "“1.x” is not a number" in line.inner_text(), True)
        cell, said = notebook.cell("W_Q", 0, 0).bounding_box(), line.bounding_box()
        assert 0 <= said["y"] - cell["y"] - cell["height"] < cell["height"]
        assert abs(said["x"] - cell["x"]) < 2
        assert notebook.panel("weights").bounding_box() == before, "the sentence moved something"
        act()
        notebook.eventually(line.inner_text, "", what=f"{name} to take the sentence away")


def test_a_letter_on_a_cell_is_refused_beside_it_and_the_start_says_that_it_was_changed(notebook: NotebookPage) -> None:
    line = notebook.page.locator(".attention-explorer .av-note")
    menu = notebook.page.locator(".attention-explorer select").first
    shown = "(menu) => menu.selectedOptions[0].label.replaceAll('\\u00a0', ' ')"
    first = menu.evaluate(shown)
    notebook.cell("W_Q", 0, 0).click()
    for key in ("x", "ㅁ"):
        notebook.page.evaluate(
            "(key) => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))", key
        )
        notebook.eventually(lambda key=key: f"“{key}” is not a number" in line.inner_text(), True)
        cell, said = notebook.cell("W_Q", 0, 0).bounding_box(), line.bounding_box()
        assert 0 <= said["y"] - cell["y"] - cell["height"] < cell["height"]
    assert menu.evaluate(shown) == first
    notebook.page.keyboard.press("ArrowUp")
    notebook.eventually(lambda: menu.evaluate(shown), "changed by you")
    assert line.inner_text() == ""
    press(notebook, "undo")
    notebook.eventually(lambda: menu.evaluate(shown), first)
    assert menu.evaluate("(menu) => [...menu.options].filter((entry) => !entry.disabled).length") == len(PRESETS)


def test_typing_in_the_number_box(notebook: NotebookPage) -> None:
    model = ExplorerModel()
    model.edit("W_Q", 0, 3, 1.5)
    notebook.cell("W_Q", 0, 3).click()
    box = notebook.page.locator(".explorer-value .number-box input")
    notebook.type_into(box, "1.5")
    assert_shows(notebook, model)
    said = notebook.page.locator(".explorer-value .number-said")
    for typed, sentence in {"": "Type a number", "1.x": "“1.x” is not a number"}.items():
        notebook.type_into(box, typed)
        notebook.eventually(lambda sentence=sentence: sentence in said.inner_text(), True)
        assert_shows(notebook, model)
        notebook.eventually(lambda: box.input_value() == "1.5", True)
    press(notebook, "reset")


def test_clicking_a_row_writes_out_its_arithmetic(notebook: NotebookPage) -> None:
    notebook.panel("Q").hover()  # a strip of colours, which opens under the hand
    notebook.panel("Q").locator(".av-row-label").nth(5).click()
    arithmetic = notebook.page.locator(".explorer-arithmetic")
    arithmetic.filter(has_text="치킨을").filter(has_text=f"= {ExplorerModel().trace.Q[5, 0]:.2f}").wait_for()
    press(notebook, "step ▶")
    notebook.eventually(lambda: "entry by entry" in arithmetic.inner_text(), True)
    press(notebook, "◀ step")


def test_a_sentence_that_cannot_be_shown_gets_a_sentence_back(notebook: NotebookPage) -> None:
    field = notebook.page.locator(".explorer-sentence input")
    notebook.type_into(field, "word " * 200)
    message = notebook.page.locator(".attention-explorer .lab-message")
    notebook.eventually(lambda: "200 tokens" in message.inner_text(), True)
    assert_shows(notebook, ExplorerModel())
    notebook.type_into(field, "배 🍐 배")
    notebook.eventually(lambda: len(notebook.texts("weights")) == 3, True)
    press(notebook, "undo")
    assert_shows(notebook, ExplorerModel())
    message.filter(has_text=SAID["undone"]).wait_for()


def test_all_panels_stand_in_one_glance(notebook: NotebookPage, shots: Path) -> None:
    """At 1280 wide the lab fits a projector, the steps stand in one strip, and nothing is cut off or covered."""
    whole = notebook.page.locator(".attention-explorer").bounding_box()
    assert whole["height"] <= 560
    boxes = {name: notebook.panel(name).bounding_box() for name in ExplorerModel().matrices()}
    strip = ["X", "Q", "K", "scores", "scaled scores", "V", "output"]
    assert [boxes[name]["y"] for name in strip] == pytest.approx([boxes["X"]["y"]] * len(strip), abs=2)
    assert [boxes[name]["x"] for name in strip] == sorted(boxes[name]["x"] for name in strip)
    for one, box in boxes.items():
        assert whole["x"] <= box["x"] and box["x"] + box["width"] <= whole["x"] + whole["width"], one
        assert whole["y"] <= box["y"] and box["y"] + box["height"] <= whole["y"] + whole["height"], one
        assert [other for other, its in boxes.items() if other != one and overlap(box, its)] == [], one
    notebook.page.screenshot(path=shots / "explorer.png")


def test_a_restarted_kernel_is_said_in_a_sentence(notebook: NotebookPage) -> None:
    """Runs last: the picture is dead afterwards."""
    shown = notebook.texts("weights")
    notebook.restart_kernel()
    alarm = notebook.page.locator(".attention-explorer .attention-gone")
    notebook.eventually(alarm.inner_text, MESSAGES["gone"])
    assert np.array_equal(notebook.texts("weights"), shown)
