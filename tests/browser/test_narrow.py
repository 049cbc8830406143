"""Labs on a narrow page and on a phone: everything is on the page or scrolls there, and a tap opens the keyboard."""

from collections.abc import Iterator
from typing import Any

import pytest
from harness import NotebookPage, first_of
from lab_server import LabServer, write_notebook
from test_for_everyone import CELLS, LABS, OUTPUT

NAME = "narrow.ipynb"
WIDTHS = (800, 640, 390)  # a tablet, a page at 200 %, a phone
# What sticks out of the output and stands in nothing that scrolls.
OUTSIDE = """(output) => {
    const edge = output.getBoundingClientRect().right + 1;
    const scrolls = (node) => node !== output && (
        ['auto', 'scroll'].includes(getComputedStyle(node).overflowX) && node.getBoundingClientRect().right <= edge
        || scrolls(node.parentElement));
    const parts = 'select, input, button, [data-panel], .av-cell, .at-map, .av-hint, .widget-html-content, svg, img';
    return [...output.querySelectorAll(parts)].filter((node) => node.checkVisibility({ visibilityProperty: true })
        && node.getBoundingClientRect().right > edge && !scrolls(node.parentElement))
        .map((node) => `${node.tagName} ${node.getAttribute('class')} ${node.textContent.slice(0, 30)}`);
}"""
# Buttons whose names are cut.
CUT = """(output) => [...output.querySelectorAll('button')].filter((node) => node.checkVisibility()
    && node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)"""
# Sliders whose handle is cut by anything that it stands in, and those whose number stands below them, not beside.
HANDLES = """(output) => [...output.querySelectorAll('.noUi-handle')].filter((handle) => handle.checkVisibility())
    .filter((handle) => {
        const { left, right, top, bottom } = handle.getBoundingClientRect();
        for (let node = handle.parentElement; node !== output; node = node.parentElement) {
            const [{ overflowX, overflowY }, around] = [getComputedStyle(node), node.getBoundingClientRect()];
            if (overflowY !== 'visible' && (top < around.top - 0.5 || bottom > around.bottom + 0.5)) return true;
            if (overflowX !== 'visible' && (left < around.left - 0.5 || right > around.right + 0.5)) return true;
        }
        const slider = handle.closest('.widget-slider').getBoundingClientRect();
        const box = handle.closest('.number-slider')?.querySelector('.number-box').getBoundingClientRect();
        return box && box.top > slider.bottom;
    }).map((handle) => handle.closest('.widget-slider').textContent)"""
# The last cell of a panel is brought into sight; the name of its row stays there, over all of what it covers, and so
# do the panel's title and caption.
UNREACHED = """(output) => [...output.querySelectorAll('[data-panel]')].filter((node) => node.checkVisibility())
    .filter((panel) => {
        const cell = [...panel.querySelectorAll('.av-cell')].at(-1);
        cell.scrollIntoView({ block: 'center', inline: 'nearest' });
        const { left, top, width, height } = cell.getBoundingClientRect();
        const name = cell.parentElement.querySelector('.av-row-label').getBoundingClientRect();
        const edge = panel.getBoundingClientRect();
        const gone = [...panel.querySelectorAll('.av-title, .av-caption')].some((words) => {
            const box = words.getBoundingClientRect();
            const seen = words.textContent && getComputedStyle(words).clipPath === 'none';
            return seen && (box.left < edge.left - 1 || box.right > edge.right + 1);
        });
        return gone || !cell.contains(document.elementFromPoint(left + width / 2, top + height / 2))
            || name.left < edge.left - 1 || name.height < height - 1;
    }).map((panel) => panel.dataset.panel)"""


@pytest.fixture(scope="module")
def phone(lab: LabServer, browser: Any) -> Iterator[NotebookPage]:
    """A page under a finger, for one cell after the other."""
    touch = browser.new_context(has_touch=True)
    write_notebook(lab.root / NAME, [""])
    page = NotebookPage(touch, lab, NAME)
    yield page
    page.close()
    touch.close()
    assert (page.problems, page.foreign) == ([], [])


def show(phone: NotebookPage, name: str, width: int, height: int = 1100) -> Any:
    phone.page.set_viewport_size({"width": width, "height": height})
    phone.begin([CELLS[name]])
    phone.run_all()
    phone.page.locator(OUTPUT).locator("> *").first.wait_for()
    phone.settle()
    return phone.page.locator(f"{OUTPUT} .jp-OutputArea-output").first


@pytest.mark.parametrize("name", first_of([*LABS, "choice"]))
def test_everything_is_on_a_narrow_page_or_scrolls_there(phone: NotebookPage, name: str, shots: Any) -> None:
    output = show(phone, name, WIDTHS[0])
    for width in WIDTHS:
        phone.page.set_viewport_size({"width": width, "height": 1100})
        phone.settle()
        output.screenshot(path=shots / f"{name}_{width}.png")
        assert (width, output.evaluate(OUTSIDE), output.evaluate(CUT)) == (width, [], [])
        assert (width, output.evaluate(HANDLES), output.evaluate(UNREACHED)) == (width, [], [])


def test_on_a_phone_panels_stack_and_hints_wrap(phone: NotebookPage) -> None:
    show(phone, "Explorer", 390)
    edges = [phone.panel(name).bounding_box()["x"] for name in ("X", "W_Q", "Q", "weights", "output")]
    assert edges == pytest.approx([edges[0]] * len(edges), abs=2)
    hint = phone.page.locator(f"{OUTPUT} .av-hint").first
    assert hint.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")


def test_a_tap_on_a_cell_opens_the_keyboard(phone: NotebookPage) -> None:
    """A finger that drags opens none, and the number typed is taken."""
    show(phone, "Explorer", 390)
    cell = phone.cell("W_Q", 0, 0)
    cell.scroll_into_view_if_needed()
    cell.tap()
    box = phone.page.locator(f"{OUTPUT} .av-input")
    box.wait_for()
    phone.settle()
    assert box.evaluate("(node) => node === document.activeElement")
    assert box.get_attribute("inputmode") == "text"  # the number pad of some phones has no minus
    phone.page.keyboard.type("-1.5")
    phone.page.keyboard.press("Enter")
    phone.eventually(lambda: phone.texts("W_Q")[0][0], "-1.50")
    assert box.count() == 0
