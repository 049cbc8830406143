"""Hangul in a page: on a machine without a font for it too, and broken between words."""

import re
from typing import Any

import nbformat
import pytest
from hangul_fonts import not_in_the_font
from harness import NotebookPage
from lab_server import LabServer, write_notebook
from lone_view import LoneView

from attention_lib.live.keys import Keys
from attention_lib.live.matrix_view import MatrixView
from attention_lib.live.panel import Panel

pytestmark = pytest.mark.browser

#: As on a machine without the font: every syllable is the same picture.
WITHOUT = "() => { HTMLCanvasElement.prototype.toDataURL = () => 'a box'; }"
WITH = "() => { let n = 0; HTMLCanvasElement.prototype.toDataURL = () => `a syllable ${n++}`; }"
SHEET = '<style>@font-face { font-family: "Attention Hangul"; src: url("data:,"); }</style>'
FROM_A_STYLE_SHEET = f"({WITHOUT})(); document.head.innerHTML = '{SHEET}'"
#: As in Firefox without the font: each box holds its syllable's number, and is wide enough for it at any size.
NUMBERED = f"""() => {{
    ({WITH})();
    const measure = CanvasRenderingContext2D.prototype.measureText;
    CanvasRenderingContext2D.prototype.measureText = function (text) {{
        const {{ width }} = measure.call(this, text);
        return {{ width: text === "가" ? Math.max(width, 13) : width }};
    }};
}}"""
IS_HERE = "[...document.fonts].some(({ family }) => family.includes('Attention Hangul'))"
#: The pixels of two syllables, drawn with the library's font and nothing else.
DRAWN = """() => ["배", "밥"].map((syllable) => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    context.font = '40px "Attention Hangul"';
    context.fillText(syllable, 10, 60);
    return context.getImageData(0, 0, 80, 80).data.join();
})"""

SHOWN = """\
import ipywidgets
from attention_lib.checks.predict import predict
from attention_lib.lessons import AlignmentLab, LearningLab, MistakeLab, MovingPoint
asked = predict("01.best_match", answer="배", choices=["배", "고파서"])
ipywidgets.VBox([asked, AlignmentLab(), MovingPoint(), LearningLab(), MistakeLab()])"""


#: As it was before any view asked, where the server is another one than that of `make lab`.
NO_FONT = """() => {
    const page = document.documentElement;
    for (const sheet of document.styleSheets) if (sheet.href?.endsWith("/custom/custom.css")) sheet.disabled = true;
    delete page.dataset.attentionHangul;
    document.fonts.clear();
    for (const name of ["--jp-content-font-family", "--jp-ui-font-family", "--jp-code-font-family"])
        page.style.removeProperty(name);
}"""


def test_where_the_font_is_missing_the_librarys_own_comes_once(bare_page: Any) -> None:
    page = bare_page
    words = '<p style="font-family: var(--jp-ui-font-family)">배가 밥을 it</p>'
    lone = LoneView(page, Keys(), f"({WITHOUT})(); document.body.innerHTML = `{words}`")
    one, other = page.evaluate(DRAWN)
    page.evaluate("document.documentElement.style.setProperty('--jp-ui-font-family', 'Arial')")
    assert [message["do"] for message in lone.python()] == ["font"]
    while lone.answers:
        lone.hear()
    page.evaluate("document.fonts.load('40px \"Attention Hangul\"', '배밥')")
    assert [face["status"] for face in page.evaluate("[...document.fonts].map(({ status }) => ({ status }))")] == [
        "loaded"
    ]
    assert page.evaluate(DRAWN)[0] != page.evaluate(DRAWN)[1]
    assert page.evaluate(DRAWN) != [one, other]
    family = page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--jp-ui-font-family')")
    assert family == '"Attention Hangul", Arial'
    assert not_in_the_font(page) == []  # the labels were painted before the font came


def test_where_who_asked_gets_no_answer_the_next_view_asks(bare_page: Any) -> None:
    lone = LoneView(bare_page, Keys(), f"({WITHOUT})(); document.documentElement.dataset.attentionHangul = 'asked'")
    lone.passes(1400)
    assert lone.python() == []
    lone.passes(200)
    assert [message["do"] for message in lone.python()] == ["font"]


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


def test_every_text_of_predictions_and_labs_is_painted_with_the_font(desk: Any) -> None:
    notebook = desk.open()  # a page of its own: what was painted with our font stays with it
    notebook.page.evaluate(f"({WITHOUT})()")
    notebook.begin([SHOWN])
    notebook.page.evaluate(NO_FONT)
    notebook.run_all()
    notebook.eventually(lambda: notebook.page.evaluate(IS_HERE), True, what="the font")
    notebook.settle()
    for switch in notebook.page.get_by_role("button", name="More", exact=True).locator("visible=true").all():
        switch.click()
    for box in notebook.page.locator(".attention-keys input[type=text] >> visible=true").all():
        box.evaluate("(box) => { box.value = ''; box.placeholder = '쫓'; }")
    notebook.settle()
    assert not_in_the_font(notebook.page, ".attention-keys") == []
    notebook.close()
    assert (notebook.problems, notebook.foreign) == ([], [])


@pytest.mark.parametrize(
    ("machine", "asked"),
    [(WITH, []), (FROM_A_STYLE_SHEET, []), (NUMBERED, ["font"])],
    ids=["a font", "a style sheet", "boxes with numbers"],
)
def test_the_font_is_asked_for_only_where_nothing_brings_one(machine: str, asked: list[str], bare_page: Any) -> None:
    lone = LoneView(bare_page, Keys(), machine)
    assert [message["do"] for message in lone.python()] == asked


def test_a_label_tells_its_language_and_breaks_between_words(bare_page: Any) -> None:
    page = bare_page
    weights = Panel([[1.0, 0.0]], ["배가"], ["밥을", "it"], kind="weights")
    LoneView(page, MatrixView({"weights": weights}), WITH)
    assert page.locator(".av-row-label").get_attribute("lang") == "ko"
    assert [label.get_attribute("lang") for label in page.locator(".av-column-label").all()] == ["ko", None]
    assert page.evaluate("getComputedStyle(document.querySelector('.av-caption')).wordBreak") == "keep-all"
