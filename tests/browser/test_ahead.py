"""The picture does not wait for Python: what an edit brings about is in the next frame, and Python's answer stands."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lone_view import LoneView
from small_view import W_Q, make_view, texts_for, trace_of, with_cells

from attention_lib.live.matrix_view import MatrixView
from attention_lib.live.panel import Panel
from attention_lib.plots import number_text

pytestmark = pytest.mark.browser


@pytest.fixture
def open_view(bare_page: Any) -> Callable[[MatrixView], LoneView]:
    return lambda view: LoneView(bare_page, view)


@pytest.fixture
def lone(open_view: Callable[[MatrixView], LoneView]) -> LoneView:
    return open_view(make_view())


def assert_shows(lone: LoneView, W: np.ndarray) -> None:
    wanted = texts_for(W)
    assert {name: lone.texts(name) for name in wanted} == wanted


def watch(lone: LoneView) -> None:
    """Begin to count what changes in the page."""
    lone.page.evaluate(
        "window.changes = []; new MutationObserver((records) => changes.push(...records.map((r) => r.type)))"
        ".observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true })"
    )


def changes(lone: LoneView) -> list[str]:
    lone.frame()
    found: list[str] = lone.page.evaluate("changes.splice(0)")
    return found


def test_an_answer_that_a_newer_edit_has_overtaken_costs_nothing(lone: LoneView) -> None:
    lone.press("W_Q", 0, 0, "ArrowUp")
    lone.press("W_Q", 0, 0, "ArrowUp")
    lone.python()
    lone.press("W_Q", 0, 0, "End")
    lone.frame()
    assert_shows(lone, with_cells((0, 0, 2.0)))
    watch(lone)
    lone.hear()
    assert changes(lone) == []
    lone.hear()
    assert changes(lone) == []
    lone.python()
    lone.hear()
    assert changes(lone) == []
    assert_shows(lone, with_cells((0, 0, 2.0)))
    lone.press("W_Q", 0, 0, "Home")
    of_another = {"do": "select", "n": 99, "gesture": "", "panel": "weights", "row": 0, "column": 0}
    lone.view.set_state({"_hand": {"view": "another view", "acts": [of_another]}})
    lone.hear()
    lone.frame()
    assert_shows(lone, with_cells((0, 0, -2.0)))


def test_an_edit_that_python_does_not_take_goes_back_with_all_that_followed(lone: LoneView) -> None:
    lone.press("W_Q", 0, 0, "1")
    lone.page.keyboard.type(".9")
    lone.page.keyboard.press("Enter")
    lone.frame()
    assert_shows(lone, with_cells((0, 0, 1.9)))
    lone.python()
    lone.hear()
    lone.frame()
    assert_shows(lone, W_Q)


def test_what_the_gesture_moved_is_outlined_before_python_has_answered(lone: LoneView) -> None:
    for _ in range(3):
        lone.press("W_Q", 1, 1, "ArrowUp")
    lone.frame()
    now, before = trace_of(with_cells((1, 1, 0.15))), trace_of(W_Q)
    for name, pair in {"Q": (now.Q, before.Q), "weights": (now.weights, before.weights)}.items():
        cells = lone.page.locator(f'[data-panel="{name}"] .av-cell').all()
        outlined = ["av-changed" in (cell.get_attribute("class") or "") for cell in cells]
        texts = [[number_text(value) for value in matrix.ravel()] for matrix in pair]
        assert outlined == [a != b for a, b in zip(*texts)], name
    lone.python()
    watch(lone)
    while lone.answers:
        lone.hear()
    assert changes(lone) == []


def test_a_view_that_has_waited_long_says_so_and_stays_as_it_is(lone: LoneView) -> None:
    """A kernel that is busy for some seconds: what the hand has begun in the page meanwhile is not taken from it."""
    alarm = lone.page.locator(".av-alarm")
    lone.press("W_Q", 1, 1, "ArrowUp")
    lone.page.keyboard.press("1")
    lone.page.keyboard.type(".5")
    lone.passes(5900)
    assert alarm.inner_text() == ""
    lone.passes(200)
    assert "Python has not answered for a while" in alarm.inner_text()
    lone.python()
    while lone.answers:
        lone.hear()
    assert alarm.inner_text() == ""
    lone.page.keyboard.press("Enter")
    lone.frame()
    assert_shows(lone, with_cells((1, 1, 1.5)))


def test_python_does_not_take_back_what_the_hand_has_selected_since(lone: LoneView) -> None:
    """Its answer to an earlier key comes when a later one has selected another cell."""
    selected = lone.page.locator('[data-panel="weights"] .av-selected')
    lone.cell("weights", 0, 0).focus()
    lone.page.keyboard.press("ArrowRight")
    lone.page.keyboard.press("ArrowDown")
    lone.python()
    while lone.answers:
        lone.hear()
        lone.python()
        assert (selected.count(), lone.cell("weights", 1, 1).get_attribute("aria-selected")) == (1, "true")
    assert tuple(lone.view.selected or ()) == ("weights", 1, 1)


def test_the_hand_stays_in_its_row_and_column_where_the_matrix_grows(
    open_view: Callable[[MatrixView], LoneView],
) -> None:
    lone = open_view(MatrixView({"weights": Panel(np.eye(3), kind="weights")}))
    lone.cell("weights", 1, 2).focus()
    lone.view.show({"weights": Panel(np.eye(4), kind="weights")})
    lone.hear()
    assert lone.cell("weights", 1, 2).evaluate("(cell) => cell === document.activeElement")


def test_a_view_that_is_gone_keeps_no_timer(lone: LoneView) -> None:
    lone.press("W_Q", 0, 0, "ArrowUp")
    lone.python()
    lone.hear()
    left = lone.page.evaluate(
        "document.activeElement.dispatchEvent(new KeyboardEvent('keydown', {key: 'End', bubbles: true}));"
        "const before = began.size; leave(); [before, [...began]]"
    )
    assert left[0] >= 2, "nothing was on its way"
    assert left[1] == []
