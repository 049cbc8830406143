"""An opened strip: nothing lies over its cells, and one is open at a time."""

from typing import Any

import pytest
from harness import first_of
from test_one_screen import LABS

WITH_STRIPS = ("LearningLab", "Explorer", "AlignmentLab", "HeadSurgeryLab", "MaskWorkbench")
STRIPS = """() => [...document.querySelectorAll('.attention-lab [data-panel]')]
    .filter((panel) => getComputedStyle(panel).getPropertyValue('--av-strip').trim() === '1')
    .map((panel) => panel.dataset.panel)"""
# What the pointer meets in place of a cell, over each cell of a panel that something covers.
COVERED = """(panel) => [...panel.querySelectorAll('.av-cell')].map((cell) => {
    const { left, top, width, height } = cell.getBoundingClientRect();
    const met = document.elementFromPoint(left + width / 2, top + height / 2);
    return cell.contains(met) ? '' : String(met?.closest('[class*="lab-"], [data-panel]')?.className);
}).filter(Boolean)"""
# Where each panel stands, and how high the lab is: what is below it stays too.
PLACES = """() => Object.fromEntries([...document.querySelectorAll('.attention-lab [data-panel]')].map((panel) =>
    [panel.dataset.panel, [panel.getBoundingClientRect().left, panel.getBoundingClientRect().top].map(Math.round)])
    .concat([["", Math.round(document.querySelector('.attention-lab').getBoundingClientRect().height)]]))"""
# The panels that are open: their digits are seen.
OPEN = """() => [...document.querySelectorAll('.attention-lab [data-panel]')]
    .filter((panel) => getComputedStyle(panel.querySelector('.av-grid')).position === 'absolute')
    .map((panel) => panel.dataset.panel)"""


def show(open_notebook: Any, name: str, shell: str) -> Any:
    """Open a lab at the top of a low page."""
    notebook = open_notebook(LABS[name], width=1280, height=720, shell=shell)
    notebook.page.locator(".attention-lab [data-panel]").first.wait_for()
    notebook.settle()
    notebook.page.evaluate("document.querySelector('.attention-lab').scrollIntoView({ block: 'start' })")
    return notebook


@pytest.mark.parametrize("shell", first_of(["lab", "doc"]))
@pytest.mark.parametrize("name", WITH_STRIPS)
def test_nothing_lies_over_an_opened_strip(name: str, shell: str, open_notebook: Any, shots: Any) -> None:
    notebook = show(open_notebook, name, shell)
    strips = notebook.page.evaluate(STRIPS)
    assert strips
    covered, places = {}, notebook.page.evaluate(PLACES)
    for strip in strips:
        panel = notebook.panel(strip)
        box = panel.bounding_box()
        notebook.page.mouse.move(box["x"] + 5, box["y"] + 5)
        notebook.settle()
        assert notebook.page.evaluate(OPEN) == [strip]
        assert notebook.page.evaluate(PLACES) == places, strip
        notebook.page.screenshot(path=shots / f"{name}_{shell}_{strip}.png")
        covered[strip] = panel.evaluate(COVERED)
        notebook.page.mouse.move(0, 0)
    assert {strip: found for strip, found in covered.items() if found} == {}


def test_one_strip_is_open_at_a_time(open_notebook: Any) -> None:
    """The one that the hand came to last, whether with the pointer or with a key; what stays below comes back."""
    notebook = show(open_notebook, "LearningLab", "doc")
    page = notebook.page
    notebook.panel("K").hover()
    notebook.cell("K", 0, 0).click()
    assert page.evaluate(OPEN) == ["K"]
    notebook.panel("W_Q").hover()
    assert page.evaluate(OPEN) == ["W_Q"]
    page.keyboard.press("ArrowRight")
    assert page.evaluate(OPEN) == ["K"]
    notebook.panel("W_Q").hover(position={"x": 3, "y": 3})
    page.mouse.move(0, 0)
    assert page.evaluate(OPEN) == ["K"]
