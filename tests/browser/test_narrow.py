"""Labs on a narrow page and on a phone: everything is on the page or scrolls there, and a tap opens the keyboard."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from harness import NotebookPage, first_of
from test_for_everyone import CELLS, LABS, OUTPUT

WIDTHS = (800, 640, 390)  # a tablet, a page at 200 %, a phone
HEIGHT = 1100
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


@pytest.fixture
def phone(open_notebook: Any) -> Iterator[Callable[[str, int], tuple[NotebookPage, Any]]]:
    """Show what a cell shows on a page that is so wide, under a finger; returns both."""
    fingers = []

    def show(name: str, width: int) -> tuple[NotebookPage, Any]:
        notebook = open_notebook.look_at(CELLS[name], width=width, height=HEIGHT)
        fingers.append(notebook.page.context.new_cdp_session(notebook.page))
        fingers[-1].send("Emulation.setTouchEmulationEnabled", {"enabled": True})
        notebook.settle()
        return notebook, fingers[-1]

    yield show
    for finger in fingers:
        finger.detach()


@pytest.mark.parametrize("name", first_of([*LABS, "choice"]))
def test_everything_is_on_a_narrow_page_or_scrolls_there(phone: Any, name: str, shots: Any) -> None:
    notebook, _ = phone(name, WIDTHS[0])
    output = notebook.page.locator(f"{OUTPUT} .jp-OutputArea-output").first
    for width in WIDTHS:
        notebook.use_size(width, HEIGHT)
        notebook.settle()
        output.screenshot(path=shots / f"{name}_{width}.png")
        assert (width, output.evaluate(OUTSIDE), output.evaluate(CUT)) == (width, [], [])
        assert (width, output.evaluate(HANDLES), output.evaluate(UNREACHED)) == (width, [], [])


def test_on_a_phone_panels_stack_and_hints_wrap(phone: Any) -> None:
    notebook, _ = phone("Explorer", WIDTHS[-1])
    edges = [notebook.panel(name).bounding_box()["x"] for name in ("X", "W_Q", "Q", "weights", "output")]
    assert edges == pytest.approx([edges[0]] * len(edges), abs=2)
    hint = notebook.page.locator(f"{OUTPUT} .av-hint").first
    assert hint.evaluate("(node) => node.scrollWidth <= node.clientWidth + 1")


def test_a_tap_on_a_cell_opens_the_keyboard(phone: Any) -> None:
    """A finger that drags opens none, and the number typed is taken."""
    notebook, finger = phone("Explorer", WIDTHS[-1])
    notebook.as_it_opened = False
    cell = notebook.cell("W_Q", 0, 0)
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    middle = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [middle]})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    field = notebook.page.locator(f"{OUTPUT} .av-input")
    field.wait_for()
    notebook.settle()
    assert field.evaluate("(node) => node === document.activeElement")
    assert field.get_attribute("inputmode") == "text"  # the number pad of some phones has no minus
    notebook.page.keyboard.type("-1.5")
    notebook.page.keyboard.press("Enter")
    notebook.eventually(lambda: notebook.texts("W_Q")[0][0], "-1.50")
    assert field.count() == 0
