"""Hangul in a page: on a machine without a font for it too, and broken between words."""

from collections.abc import Iterator
from typing import Any

import pytest
from lone_view import LoneView

from attention_lib.view.matrix_view import MatrixView

pytestmark = pytest.mark.browser

#: As on a machine without the font: every syllable is the same picture.
WITHOUT = "() => { HTMLCanvasElement.prototype.toDataURL = () => 'a box'; }"
WITH = "() => { let n = 0; HTMLCanvasElement.prototype.toDataURL = () => `a syllable ${n++}`; }"
#: The pixels of two syllables, drawn with the library's font and nothing else.
DRAWN = """() => ["배", "밥"].map((syllable) => {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    context.font = '40px "Attention Hangul"';
    context.fillText(syllable, 10, 60);
    return context.getImageData(0, 0, 80, 80).data.join();
})"""


def make_view() -> MatrixView:
    return MatrixView.single([[1.0, 0.0]], ["배가"], ["밥을", "it"], name="weights", kind="weights")


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    page = context.new_page()
    yield page
    page.close()


def test_where_the_font_is_missing_the_librarys_own_comes_once(page: Any) -> None:
    lone = LoneView(page, make_view(), WITHOUT)
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
    assert family == 'Arial, "Attention Hangul"'
    assert "Attention Hangul" in page.evaluate("getComputedStyle(document.querySelector('.av-row-label')).fontFamily")


def test_a_second_view_of_the_page_does_not_ask_again(page: Any) -> None:
    LoneView(page, make_view(), WITHOUT)
    before = page.evaluate("sent.length")
    page.evaluate(
        "async (source) => { const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));"
        " (await import(url)).default.render({ model, el: document.body }); }",
        str(MatrixView._esm),
    )
    assert (before, page.evaluate("sent.length")) == (1, 1)


def test_where_there_is_a_font_nothing_is_asked_for(page: Any) -> None:
    lone = LoneView(page, make_view(), WITH)
    assert lone.python() == []


def test_a_label_tells_its_language_and_breaks_between_words(page: Any) -> None:
    LoneView(page, make_view(), WITH)
    assert page.locator(".attention-view").get_attribute("lang") == "en"
    assert page.locator(".av-row-label").get_attribute("lang") == "ko"
    assert [label.get_attribute("lang") for label in page.locator(".av-column-label").all()] == ["ko", None]
    assert page.evaluate("getComputedStyle(document.querySelector('.av-caption')).wordBreak") == "keep-all"
