"""A notebook that was saved and is opened without its kernel shows the picture of each lab, and says how to go on."""

import shutil
from typing import Any

import nbformat
import pytest
from harness import NotebookPage
from lab_server import LabServer, write_notebook

pytestmark = pytest.mark.browser

LAB = "from attention_lib.lessons import Explorer\nExplorer()"
PREDICTION = "from attention_lib.checks.predict import predict\npredict('01.scores_shape', answer='pairs')"
PICTURE = """() => [...document.querySelectorAll('.jp-OutputArea-output img')]
    .filter((image) => image.complete && image.naturalWidth > 100).length"""


def save(notebook: NotebookPage) -> None:
    """Save as Ctrl+S does; where JupyterLab asks something first, such as whose changes to keep, this waits in vain."""
    notebook.command("docmanager:save")
    notebook.eventually(
        lambda: notebook.page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty"), False, what="the save"
    )


def test_a_saved_lab_opens_without_its_kernel_as_its_picture(lab: LabServer, context: Any) -> None:
    write_notebook(lab.root / "saved.ipynb", [LAB, PREDICTION])
    notebook = NotebookPage(context, lab, "saved.ipynb")
    notebook.run_all()
    notebook.settle()
    save(notebook)
    notebook.run_cell(PREDICTION)  # a change, to be saved over what the server has changed
    save(notebook)
    assert notebook.panel("weight").is_visible(), "the open page keeps its lab"
    saved = nbformat.read(lab.root / "saved.ipynb", as_version=4)
    shown = [output.data.keys() for cell in saved.cells for output in cell.outputs]
    assert shown == [{"image/png", "text/plain"}, {"text/html"}, {"text/plain"}]
    assert "widgets" not in saved.metadata
    notebook.close()

    shutil.copy(lab.root / "saved.ipynb", lab.root / "left.ipynb")  # which no kernel knows
    again = NotebookPage(context, lab, "left.ipynb")
    again.eventually(lambda: again.page.evaluate(PICTURE), 1, what="the picture of the lab")
    again.page.get_by_text("(run the notebook from the top to answer)").wait_for()
    assert again.page.get_by_text("Error displaying widget").count() == 0
    again.run_all()
    again.panel("weight").wait_for()
    again.close()
    problems = [*notebook.problems, *notebook.foreign, *again.problems, *again.foreign]
    assert problems == []
