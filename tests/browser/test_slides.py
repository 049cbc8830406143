"""The decks in a real Chromium, opened as files, with no network."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import make_slides
import pytest
from hangul_fonts import not_in_the_font
from harness import asking_nobody
from notebook_tools import paths, read

SMALLEST_LETTERS, SMALLEST_PICTURE = 22, 220  # pixels on a page of 1280 × 720; two maps of two rows are that low

MEASURE = """
() => Reveal.getSlides().map((slide) => {
  const { h, v } = Reveal.getIndices(slide);
  Reveal.slide(h, v);
  const page = slide.querySelector('.page');
  const shown = (picture) => Math.min(
    picture.clientHeight, picture.clientWidth * picture.naturalHeight / picture.naturalWidth);
  return {
    text: page.innerText.slice(0, 60),
    formulas: page.innerText.match(/\\$\\$|\\\\frac|\\\\sqrt/g),
    over: [page.scrollHeight - page.clientHeight, page.scrollWidth - page.clientWidth],
    letters: parseFloat(getComputedStyle(page).fontSize),
    pictures: [...page.querySelectorAll('img')].map((picture) => picture.complete && shown(picture)),
    labs: [...page.querySelectorAll('iframe')].map((lab) => lab.clientHeight),
  };
})
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("npm") is None:
        pytest.skip("no npm found: the decks need reveal.js; install Node.js")
    out = tmp_path_factory.mktemp("slides")
    make_slides.copy_files(out)
    return out


@pytest.fixture(scope="module")
def page(browser: Any) -> Iterator[Any]:
    """A page with no network, for one deck after the other."""
    context = browser.new_context(viewport={"width": 1280, "height": 720}, offline=True)
    yield context.new_page()
    context.close()


@pytest.fixture
def open_deck(page: Any) -> Iterator[Any]:
    """Open a deck from its file."""

    def open_(deck: Path) -> Any:
        page.goto(deck.as_uri())
        page.wait_for_function("window.Reveal && Reveal.isReady()")
        page.wait_for_function("[...document.images].every((picture) => picture.complete)")
        page.evaluate("document.fonts.ready.then(() => null)")
        return page

    with asking_nobody(page):
        yield open_


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_every_page_of_a_deck_fits_the_screen(path: Path, folder: Path, open_deck: Any) -> None:
    page = open_deck(make_slides.export(path, folder))
    pages = page.evaluate(MEASURE)
    kinds = [cell.metadata.slideshow.slide_type for cell in read(path).cells]
    assert len(pages) == sum(kind in ("slide", "subslide") for kind in kinds)
    assert [one for one in pages if max(one["over"]) > 0 or one["letters"] < SMALLEST_LETTERS] == []
    assert [one for one in pages if one["formulas"]] == [], "LaTeX, which no deck typesets"
    assert [one for one in pages if any(height < SMALLEST_PICTURE for height in one["pictures"])] == []
    assert [one for one in pages if any(height < 720 / 2 for height in one["labs"])] == []


def test_hangul_is_painted_with_the_font_beside_the_deck(folder: Path, open_deck: Any) -> None:
    cross_attention = next(path for path in paths() if path.stem.startswith("04"))
    page = open_deck(make_slides.export(cross_attention, folder))
    page.evaluate("document.fonts.load('28px \"Deck Hangul\"', '배')")
    page.add_style_tag(content=".reveal .slides section { display: block !important }")  # every page at once
    assert not_in_the_font(page, ".reveal") == []


def test_the_answer_appears_with_the_next_key_on_the_same_page(folder: Path, open_deck: Any) -> None:
    page = open_deck(make_slides.export(paths()[1], folder))
    page.evaluate(
        "Reveal.slide(...Object.values(Reveal.getIndices(document.querySelector('section section:has(.fragment)'))))"
    )
    before, answer = page.evaluate("Reveal.getIndices()"), page.locator("section.present:not(.stack) .fragment")
    assert answer.evaluate("(answer) => getComputedStyle(answer).visibility") == "hidden"
    page.keyboard.press("ArrowRight")
    page.wait_for_function("document.querySelector('section.present:not(.stack) .fragment.visible')")
    after = page.evaluate("Reveal.getIndices()")
    assert (after["h"], after["v"]) == (before["h"], before["v"])


def test_a_lab_is_alive_in_its_deck_and_the_keys_of_a_presenter_turn_the_page(folder: Path, open_deck: Any) -> None:
    page = open_deck(make_slides.export(next(path for path in paths() if path.stem.startswith("03")), folder))
    lab = "document.querySelector('section section:has(iframe.lab)')"
    page.evaluate(f"Reveal.slide(...Object.values(Reveal.getIndices({lab})))")
    mask = page.frame_locator("section.present iframe.lab").locator('[data-panel="mask"]')
    cell = mask.locator(".av-value").nth(7)
    cell.click()
    mask.locator(".av-cell").nth(7).get_by_text("✓").wait_for(timeout=10_000)
    page.keyboard.press("ArrowLeft")  # the lab's
    assert page.evaluate(f"Reveal.getCurrentSlide() === {lab}")
    page.keyboard.press("PageDown")  # the deck's
    page.wait_for_function(f"Reveal.getCurrentSlide() !== {lab}", timeout=10_000)
