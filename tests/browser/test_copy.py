"""What "show as code" opens is on the clipboard; by keys it comes into sight; refused, it is selected."""

from typing import Any

from harness import NotebookPage

from attention_lib.lessons import Explorer

CELL = "from attention_lib.lessons import Explorer\nExplorer()"
FIELD = ".lab-code textarea"


def press(notebook: NotebookPage) -> None:
    notebook.page.get_by_role("button", name="Show as code", exact=True).press("Enter")


def says(notebook: NotebookPage, what: str) -> None:
    message = notebook.page.locator(".attention-lab .lab-message")
    notebook.eventually(lambda: what in message.inner_text(), True, what=what)


def test_a_press_copies_and_a_refusal_selects(open_notebook: Any) -> None:
    notebook: NotebookPage = open_notebook(CELL, width=1280, height=660)
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    notebook.settle()  # what copies comes to the page after the switch
    page.get_by_role("button", name="More").click()
    lab = Explorer()
    code = lab.code(lab.state)
    press(notebook)
    says(notebook, "on the clipboard")
    assert page.evaluate("navigator.clipboard.readText()") == code
    notebook.settle()
    box = page.locator(FIELD).bounding_box()
    assert box["y"] + box["height"] <= 660, "the lines opened out of sight"
    press(notebook)
    page.evaluate("navigator.clipboard.writeText = () => Promise.reject(); document.execCommand = () => false")
    press(notebook)
    says(notebook, "and selected")
    selected = page.locator(FIELD)
    chosen = "(field) => field.value.slice(field.selectionStart, field.selectionEnd)"
    notebook.eventually(lambda: selected.evaluate(chosen), code)
    page.evaluate("delete navigator.clipboard.writeText; delete document.execCommand")
