"""Nothing is lost: keys pressed on a lab's controls stay there, and a saved lab opens as it was left."""

import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from harness import PATIENCE, NotebookPage
from lab_server import LIMIT
from test_explorer import assert_shows

from attention_lib.labs.explorer import ExplorerModel
from attention_lib.view.keys import MESSAGES

pytestmark = pytest.mark.browser

LAB = "from attention_lib.labs import Explorer\nExplorer()"
VIEW, STATE = (f"application/vnd.jupyter.widget-{what}+json" for what in ("view", "state"))
CONTENT = "jupyterapp.shell.currentWidget.content"


@pytest.fixture
def notebook(open_notebook: Any) -> NotebookPage:
    page: NotebookPage = open_notebook("1 + 1", LAB, "2 + 2")
    return page


def state(notebook: NotebookPage) -> list[Any]:
    found: list[Any] = notebook.page.evaluate(f"[{CONTENT}.widgets.length, {CONTENT}.activeCellIndex, {CONTENT}.mode]")
    return found


CONTROLS = ("button:text-is('undo')", ".widget-dropdown select", ".widget-toggle-button", ".noUi-handle", ".av-stretch")


def test_keys_on_a_control_do_not_reach_the_notebook(notebook: NotebookPage) -> None:
    before = [3, 1, "command"]  # the lab's own cell is the active one: what a stolen key would cut
    for control in CONTROLS:
        notebook.command("notebook:enter-command-mode")
        notebook.page.locator(".attention-keys").locator(f"{control} >> visible=true").first.focus()
        notebook.eventually(lambda: state(notebook), before)
        for key in ["x", "d", "d", "a", "b", "m", "y"]:
            notebook.page.keyboard.press(key)
        notebook.settle()
        assert state(notebook) == before, control


def test_the_notebook_keeps_its_own_key_combinations(notebook: NotebookPage) -> None:
    button = notebook.page.locator(".attention-keys button:text-is('undo')")
    button.click()
    notebook.page.wait_for_function("jupyterapp.shell.currentWidget.context.model.dirty = true")
    notebook.page.keyboard.press("Control+s")
    notebook.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty", timeout=1000 * PATIENCE)


def open_saved(context: Any, notebook: NotebookPage, name: str) -> NotebookPage:
    """Open a saved notebook, and wait for its lab.

    On a busy machine JupyterLab said once of eighteen times, and for good, that there is no such model. As its widget
    manager reads, a kernel that is connected before the session is ready lets it restore twice at once, and the one of
    the two that knows no saved state may end first. The project cannot reach that; notebook 00 tells readers to load
    the page anew, and that is done here.
    """
    page = NotebookPage(context, notebook.server, name)
    lab, lost = page.panel("weights"), page.page.get_by_text("Error displaying widget: model not found")
    page.eventually(lambda: lab.is_visible() or lost.is_visible(), True, LIMIT, "the lab as it was saved")
    if lost.is_visible():
        page.page.reload()
        page.wait_idle()
        page.problems.clear()  # where it said so too
        page.eventually(lab.is_visible, True, LIMIT, "the lab as it was saved, on a page loaded anew")
    return page


def test_a_saved_lab_opens_without_its_kernel_as_it_was_left(open_notebook: Any, context: Any, shots: Path) -> None:
    """With the project's own setting: a saved notebook holds its widgets' state."""
    notebook = open_notebook(LAB)
    assert not notebook.page.locator(".attention-gone").is_visible()
    notebook.cell("W_Q", 0, 0).locator(".av-value").focus()
    notebook.page.keyboard.press("End")
    model = ExplorerModel()
    model.edit("W_Q", 0, 0, 3.0)
    assert_shows(notebook, model)
    notebook.settle()
    left = {name: notebook.texts(name) for name in ("W_Q", "Q", "scores", "weights", "output")}
    notebook.command("docmanager:save")
    notebook.page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty", timeout=1000 * PATIENCE)
    root = notebook.server.root
    saved = nbformat.read(root / notebook.name, as_version=4)
    shown = saved.cells[0].outputs[0].data[VIEW].model_id
    assert shown in saved.metadata.widgets[STATE].state
    shutil.copy(root / notebook.name, root / "left.ipynb")  # which no kernel knows

    again = open_saved(context, notebook, "left.ipynb")
    again.shows({name: [[text.replace("\u2212", "-") for text in line] for line in left[name]] for name in left})
    again.page.get_by_text(MESSAGES["gone"]).first.wait_for()
    assert again.page.get_by_text("Error displaying widget").count() == 0
    again.cell("W_Q", 0, 0).locator(".av-value").focus()
    again.page.keyboard.press("Home")  # changes nothing: nobody would follow
    again.settle()
    assert again.texts("W_Q") == left["W_Q"]
    again.page.screenshot(path=shots / "opened_again.png")
    again.run_all()
    again.cell("W_Q", 0, 0).locator(".av-value").focus()
    again.page.keyboard.press("End")
    again.eventually(lambda: again.texts("weights"), left["weights"])
    assert not again.page.get_by_text(MESSAGES["gone"]).is_visible()
    again.close()
    assert (again.problems, again.foreign) == ([], [])
