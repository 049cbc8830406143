"""Hangul in a page: on a machine without a font for it too, and broken between words."""

import re
from typing import Any

import nbformat
import pytest
from hangul_fonts import not_in_the_font
from harness import NotebookPage
from lab_server import LabServer, write_notebook
from lone_view import LoneView

from attention_lib.live.matrix_view import MatrixView
from attention_lib.live.panel import Panel

pytestmark = pytest.mark.browser


def test_before_any_cell_runs_korean_words_are_painted_with_the_font_of_make_lab(lab: LabServer, context: Any) -> None:
    """Prose, code and stored outputs, on a machine without a Korean font: no local one is looked for."""
    path = lab.root / "unrun.ipynb"
    write_notebook(path, ["print('배')"])
    stored = nbformat.read(path, as_version=4)
    stored.cells[0].outputs = [nbformat.v4.new_output("stream", text="고파서")]
    stored.cells.insert(0, nbformat.v4.new_markdown_cell("# 배\n\n*belly* is 배"))
    nbformat.write(stored, path)

    def without_local_fonts(route: Any) -> None:
        answer = route.fetch()
        route.fulfill(response=answer, body=re.sub(r'local\("[^"]*"\),', "", answer.text()))

    context.route("**/custom/custom.css", without_local_fonts)
    notebook = NotebookPage(context, lab, path.name)
    context.unroute("**/custom/custom.css")
    assert not_in_the_font(notebook.page, ".jp-Notebook") == []
    notebook.close()
    assert (notebook.problems, notebook.foreign) == ([], [])


def test_a_label_tells_its_language_and_breaks_between_words(bare_page: Any) -> None:
    page = bare_page
    weights = Panel([[1.0, 0.0]], ["배가"], ["밥을", "it"], kind="weights")
    LoneView(page, MatrixView({"weights": weights}))
    assert page.locator(".av-row-label").get_attribute("lang") == "ko"
    assert [label.get_attribute("lang") for label in page.locator(".av-column-label").all()] == ["ko", None]
    assert page.evaluate("getComputedStyle(document.querySelector('.av-caption')).wordBreak") == "keep-all"
