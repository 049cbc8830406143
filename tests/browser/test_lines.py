"""The lines around a view follow in the frame of its numbers, and what Python says stands."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pytest
from lone_view import FONT_IS_HERE, LoneView

from attention_lib.labs import AlignmentLab, HeadSurgeryLab, MaskWorkbench
from attention_lib.labs.explorer import Explorer, ExplorerModel

pytestmark = pytest.mark.browser

LINES = ("explorer-goal", "explorer-arithmetic", "explorer-row")


def in_a_lab(lines: Sequence[str]) -> str:
    """A page with room for the lines of a lab."""
    return FONT_IS_HERE + (
        "; document.body.className = 'attention-keys attention-lab'; "
        f"for (const name of {list(lines)!r}) document.body.insertAdjacentHTML('beforeend', "
        "`<div class=${name}><div class=widget-html-content></div></div>`)"
    )


@pytest.fixture
def open_view(context: Any) -> Iterator[Callable[..., LoneView]]:
    """A lab's view in a page, with room for its lines, and Python far away."""
    pages = []

    def open_(lab: Any) -> LoneView:
        pages.append(context.new_page())
        return LoneView(pages[-1], lab.view, in_a_lab(lab.view._lines["lines"]))

    yield open_
    for page in pages:
        page.close()


@pytest.fixture
def lone(open_view: Callable[..., LoneView]) -> LoneView:
    return open_view(Explorer("plain"))


def shown(lone: LoneView, name: str) -> str:
    found: str = lone.page.locator(f".{name}").inner_text()
    return found


def test_goal_arithmetic_and_bars_are_in_the_next_frame(lone: LoneView) -> None:
    model = ExplorerModel("plain")
    lone.press("W_Q", 0, 0, "End")
    lone.frame()
    model.edit("W_Q", 0, 0, 99)  # the largest that there is
    assert shown(lone, "explorer-goal") == model.goal_text()
    for name, html in {"explorer-arithmetic": model.arithmetic(), "explorer-row": model.row_chart()}.items():
        lone.page.evaluate("(html) => { window.wanted = document.createElement('div'); wanted.innerHTML = html }", html)
        text = lone.page.evaluate("wanted.textContent")
        assert lone.page.locator(f".{name}").evaluate("(node) => node.textContent") == text, name


def test_what_python_says_stands_until_the_numbers_move(lone: LoneView) -> None:
    goal = lone.page.locator(".explorer-goal .widget-html-content")
    lone.press("W_Q", 0, 0, "End")
    lone.frame()
    lone.python()
    goal.evaluate("(node) => { node.innerHTML = 'Python' }")
    lone.frame()
    assert shown(lone, "explorer-goal") == "Python"
    lone.press("W_Q", 0, 0, "Home")
    lone.frame()
    assert shown(lone, "explorer-goal").startswith("Goal")


def test_in_a_drag_only_words_that_differ_are_written_and_lines_keep_their_room(lone: LoneView) -> None:
    """Else every frame lays the whole page out anew."""
    page, bars = lone.page, ".explorer-row .attention-bars"
    lone.press("W_Q", 0, 0, "End")
    lone.frame()
    page.evaluate("(bars) => { window.before = document.querySelector(bars) }", bars)
    for key in ("ArrowDown", "ArrowDown"):
        page.keyboard.press(key)
        lone.frame()
    assert page.evaluate("(bars) => document.querySelector(bars) === before", bars)
    lone.passes(390)
    assert page.locator(".line-held").count() == len(LINES)
    lone.passes(20)
    assert page.locator(".line-held").count() == 0
    model = ExplorerModel("plain")
    model.edit("W_Q", 0, 0, 99)
    model.edit("W_Q", 0, 0, float(model.state.inputs.W_Q[0, 0]) - 0.1)
    assert shown(lone, "explorer-goal") == model.goal_text()


def workbench() -> MaskWorkbench:
    rng = np.random.default_rng(0)
    return MaskWorkbench(list("abcd"), *(rng.standard_normal((4, 4)) for _ in range(4)))


def caption(lone: LoneView, panel: str) -> str:
    found: str = lone.page.locator(f'[data-panel="{panel}"] .av-caption').text_content()
    return found


def marked(lone: LoneView, panel: str) -> int:
    return int(lone.page.locator(f'[data-panel="{panel}"] .av-lit').count())


def test_words_marks_and_reach_of_a_mask_are_in_the_next_frame(open_view: Callable[..., LoneView]) -> None:
    here, there = workbench(), workbench()
    lone = open_view(here)
    for step, (row, column) in enumerate([(0, 0), (3, 0)], 1):
        lone.cell("mask", row, column).click()
        lone.frame()
        there.model.toggle(row, column, False)
        there.row = row
        there._refresh()
        assert lone.answers == [], "Python has said nothing"
        for panel, said in there.view._captions.items():
            assert caption(lone, panel) == said, (step, panel)
        assert shown(lone, "mask-workbench-said") == there.model.row_text(row)
        assert marked(lone, "weights") == marked(lone, "mask") == 4, "the dead row"
        needed = [[str(int(n)) for n in line] for line in there.view["layers needed"]]
        assert lone.texts("layers needed") == needed


def test_the_words_of_python_stand_once_it_has_answered(open_view: Callable[..., LoneView]) -> None:
    """Also where it has refused the edit: then they are those from before."""
    here = workbench()
    lone = open_view(here)
    before = {panel: caption(lone, panel) for panel in here.view._captions}
    lone.cell("mask", 0, 0).click()
    lone.frame()
    assert caption(lone, "weights") != before["weights"]

    def refuse(*_: Any) -> None:
        raise ValueError("no")

    here.view._edit_callbacks = [refuse]
    lone.python()
    while lone.answers:
        lone.hear()
    lone.frame()
    assert {panel: caption(lone, panel) for panel in before} == before
    assert marked(lone, "weights") == 0


@pytest.mark.parametrize("make", [AlignmentLab, HeadSurgeryLab])
def test_goal_and_summary_of_other_labs_are_in_the_next_frame(make: Any, open_view: Callable[..., LoneView]) -> None:
    here, there = make(), make()
    lone = open_view(here)
    panel, row, column = ("X", 3, 3) if make is AlignmentLab else ("W_O", 1, 4)
    lone.press(panel, row, column, "End")
    lone.frame()
    there.model.edit(*([panel] if make is AlignmentLab else []), row, column, 99)
    (line,) = here.view._lines["lines"]
    model = there.model
    assert shown(lone, line) == (model.goal_text() if make is AlignmentLab else model.summary())
    if make is AlignmentLab:
        assert caption(lone, "weights") == model.reading()
