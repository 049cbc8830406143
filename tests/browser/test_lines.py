"""The lines around a view follow in the frame of its numbers, and what Python says stands."""

from collections.abc import Iterator
from typing import Any

import pytest
from lone_view import FONT_IS_HERE, LoneView

from attention_lib.labs.explorer import Explorer, ExplorerModel

pytestmark = pytest.mark.browser

LINES = ("explorer-goal", "explorer-arithmetic", "explorer-row")
IN_A_LAB = FONT_IS_HERE + (
    "; document.body.className = 'attention-keys attention-lab'; "
    f"for (const name of {list(LINES)!r}) document.body.insertAdjacentHTML('beforeend', "
    "`<div class=${name}><div class=widget-html-content></div></div>`)"
)


@pytest.fixture
def lone(context: Any) -> Iterator[LoneView]:
    """The explorer's view in a page, with room for its lines, and Python far away."""
    page = context.new_page()
    yield LoneView(page, Explorer("plain").view, IN_A_LAB)
    page.close()


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
    page.evaluate("(bars) => { window.before = document.querySelector(bars); performance.now = () => 0 }", bars)
    for key in ("ArrowDown", "ArrowDown"):  # in no time
        page.keyboard.press(key)
        lone.frame()
    assert page.evaluate("(bars) => document.querySelector(bars) === before", bars)
    assert page.locator(".line-held").count() == len(LINES)
    page.wait_for_function("!document.querySelector('.line-held')", timeout=10_000)
    model = ExplorerModel("plain")
    model.edit("W_Q", 0, 0, 99)
    model.edit("W_Q", 0, 0, float(model.state.inputs.W_Q[0, 0]) - 0.1)
    assert shown(lone, "explorer-goal") == model.goal_text()
