"""What "show as code" opens is on the clipboard; by keys it comes into sight; refused, it is selected."""

from typing import Any

from harness import NotebookPage

from attention_lib.labs.explorer import ExplorerModel
from attention_lib.view.lab import LABELS, MESSAGES

CELL = "from attention_lib.labs import Explorer\nExplorer()"
FIELD = ".lab-code textarea"


def press(notebook: NotebookPage) -> None:
    notebook.page.get_by_role("button", name=LABELS["code"], exact=True).press("Enter")


def says(notebook: NotebookPage, what: str) -> None:
    message = notebook.page.locator(".attention-explorer .lab-message")
    notebook.eventually(message.inner_text, MESSAGES[what])


def test_a_press_copies_and_a_refusal_selects(open_notebook: Any) -> None:
    notebook: NotebookPage = open_notebook(CELL, width=1280, height=660)
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notebook.settle()  # what copies comes to the page after the switch
    press(notebook)
    says(notebook, "copied")
    assert page.evaluate("navigator.clipboard.readText()") == ExplorerModel().code()
    notebook.settle()
    box = page.locator(FIELD).bounding_box()
    assert box["y"] + box["height"] <= 660, "the lines opened out of sight"
    press(notebook)
    page.evaluate("navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false")
    press(notebook)
    says(notebook, "not copied")
    selected = page.locator(FIELD)
    chosen = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
    notebook.eventually(lambda: selected.evaluate(chosen), ExplorerModel().code())
    page.evaluate("delete navigator.clipboard.writeText; delete document.execCommand")
