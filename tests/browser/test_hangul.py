"""Hangul in a page: on a machine without a font for it too, and broken between words."""

import re
from collections.abc import Iterator
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
#: As in Firefox without the font: each box holds its syllable's number, and is wide enough for it at any size.
NUMBERED = f"""() => {{
    ({WITH})();
    const measure = CanvasRenderingContext2D.prototype.measureText;
    CanvasRenderingContext2D.prototype.measureText = function (text) {{
        const {{ width }} = measure.call(this, text);
        return {{ width: text === "가" ? Math.max(width, 13) : width }};
    }};
}}"""
#: The pixels of two syllables, drawn with the library's font and nothing else.
DRAWN = """() => ["배", "밥"].map((syllable) => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    context.font = '40px "Attention Hangul"';
    context.fillText(syllable, 10, 60);
    return context.getImageData(0, 0, 80, 80).data.join();
})"""

SHOWN = {
    "alignment": "from attention_lib.lessons import AlignmentLab\nAlignmentLab()",
    "moving point": "from attention_lib.lessons import MovingPoint\nMovingPoint()",
    "learning": "from attention_lib.lessons import LearningLab\nLearningLab()",
    "mistakes": "from attention_lib.lessons import MistakeLab\nMistakeLab()",
    "prediction": "from attention_lib.checks.predict import predict\n"
    "predict('01.best_match', answer='배', choices=['배', '고파서'])",
}


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


@pytest.fixture(scope="module")
def fontless(desk: Any) -> Iterator[Any]:
    """A page without a font for Hangul, for these tests alone: what was painted with ours stays with it."""
    notebook = desk.open()
    notebook.page.evaluate(f"({WITHOUT})()")
    yield notebook
    notebook.close()
    assert (notebook.problems, notebook.foreign) == ([], [])


@pytest.mark.parametrize("name", SHOWN)
def test_every_text_of_a_lab_is_painted_with_the_font(name: str, fontless: Any) -> None:
    notebook = fontless
    notebook.begin([SHOWN[name]])
    notebook.page.evaluate(NO_FONT)
    notebook.run_all()
    notebook.eventually(lambda: notebook.page.evaluate("document.documentElement.dataset.attentionHangul"), "here")
    notebook.settle()
    more = notebook.page.locator(".attention-keys button", has_text="More")
    if more.count():
        more.click()
    switches = notebook.page.locator(".attention-keys button >> visible=true", has_text="Show as code")
    if switches.count():
        switches.click()
        notebook.page.locator(".attention-keys textarea >> visible=true").wait_for()
    for number, box in enumerate(notebook.page.locator(".attention-keys input[type=text] >> visible=true").all()):
        if number % 2:
            box.fill("뷁")  # what a reader types is no word of ours
        else:
            box.evaluate("(box) => { box.value = ''; box.placeholder = '쫓'; }")
    notebook.settle()
    assert not_in_the_font(notebook.page, ".attention-keys") == []


def test_a_second_view_of_the_page_does_not_ask_again(bare_page: Any) -> None:
    page = bare_page
    LoneView(page, Keys(), WITHOUT)
    before = page.evaluate("sent.length")
    page.evaluate(
        "async (source) => { const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));"
        " (await import(url)).default.render({ model, el: document.body }); }",
        str(Keys._esm),
    )
    assert (before, page.evaluate("sent.length")) == (1, 1)


def test_where_there_is_a_font_nothing_is_asked_for(bare_page: Any) -> None:
    page = bare_page
    lone = LoneView(page, Keys(), WITH)
    assert lone.python() == []


def test_where_a_style_sheet_brings_the_font_nothing_is_asked_for(bare_page: Any) -> None:
    sheet = '<style>@font-face { font-family: "Attention Hangul"; src: url("data:,"); }</style>'
    lone = LoneView(bare_page, Keys(), f"({WITHOUT})(); document.head.innerHTML = '{sheet}'")
    assert lone.python() == []


def test_where_each_syllable_is_a_box_with_its_number_the_font_is_asked_for(bare_page: Any) -> None:
    lone = LoneView(bare_page, Keys(), NUMBERED)
    assert [message["do"] for message in lone.python()] == ["font"]


def test_a_box_of_controls_tells_its_language_and_breaks_between_words(open_notebook: Any) -> None:
    """Predictions and labs alike: a view, or none, stands in it."""
    notebook = open_notebook(SHOWN["prediction"], SHOWN["moving point"])
    boxes = notebook.page.locator(".attention-keys")
    told = "(box) => [box.lang, getComputedStyle(box.querySelector('.widget-html, label')).wordBreak]"
    notebook.eventually(lambda: [box.evaluate(told) for box in boxes.all()], [["en", "keep-all"]] * 2)


def test_a_label_tells_its_language_and_breaks_between_words(bare_page: Any) -> None:
    page = bare_page
    weights = Panel([[1.0, 0.0]], ["배가"], ["밥을", "it"], kind="weights")
    LoneView(page, MatrixView({"weights": weights}), WITH)
    assert page.locator(".av-row-label").get_attribute("lang") == "ko"
    assert [label.get_attribute("lang") for label in page.locator(".av-column-label").all()] == ["ko", None]
    assert page.evaluate("getComputedStyle(document.querySelector('.av-caption')).wordBreak") == "keep-all"
