"""A strip shows its colours in the next frame, and its digits once somebody can see them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from lone_view import FONT_IS_HERE, LoneView

from attention_lib.plots import number_text
from attention_lib.view.chain import step
from attention_lib.view.matrix_view import MatrixView
from attention_lib.view.panel import Panel

pytestmark = pytest.mark.browser

X = np.array([[1.0, 0.5], [0.0, -1.0], [2.0, 1.0]])
W_Q = np.array([[0.5, -1.0], [0.25, 0.0]])
IN_A_LAB = FONT_IS_HERE + "; document.body.className = 'attention-lab attention-explorer'"
# In the frame after a key: a pixel of the map, and the digits under it.
PRESS = """(key) => new Promise((drawn) => {
    const cell = document.querySelector('[data-panel="W_Q"] .av-value');
    cell.focus();
    cell.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    requestAnimationFrame(() => drawn(document.querySelector('[data-panel="Q"] .av-cell').textContent));
})"""
PIXEL = """(panel) => { const canvas = panel.querySelector('canvas');
    return [...canvas.getContext('2d').getImageData(0, 2, 1, 1).data].slice(0, 3); }"""


@pytest.fixture
def open_lab(bare_page: Any) -> Callable[[int], LoneView]:
    """Open W_Q and the strip Q in a lab so many pixels wide."""

    def open_(width: int) -> LoneView:
        page = bare_page
        page.mouse.move(0, 0)
        page.set_viewport_size({"width": width, "height": 600})
        panels = {"W_Q": Panel(W_Q, editable=True), "X": Panel(X), "Q": Panel(X @ W_Q)}
        return LoneView(page, MatrixView(panels, chain=[step("Q", "matmul", "X", "W_Q")]), IN_A_LAB)

    return open_


def texts_of(value: float) -> list[list[str]]:
    W = W_Q.copy()
    W[0, 0] = value
    return [[number_text(x) for x in row] for row in X @ W]


def colour(lab: LoneView) -> list[int]:
    """What the strip shows of the largest change, Q[2, 0]."""
    found: list[int] = lab.page.locator('[data-panel="Q"]').evaluate(PIXEL)
    return found


def test_colours_come_in_the_next_frame_and_digits_when_the_hand_does(open_lab: Callable[[int], LoneView]) -> None:
    lab = open_lab(1280)
    before = colour(lab)
    assert lab.page.evaluate(PRESS, "End") == texts_of(0.5)[0][0], "digits that nobody sees were drawn all the same"
    assert colour(lab) != before
    box = lab.page.locator('[data-panel="Q"] .av-title').bounding_box()
    lab.page.mouse.move(box["x"] + 2, box["y"] + 2)
    lab.frame()
    assert lab.texts("Q") == texts_of(2.0)


def test_an_open_strip_shows_digits_as_they_come(open_lab: Callable[[int], LoneView]) -> None:
    lab = open_lab(1280)
    lab.cell("Q", 0, 0).focus()
    lab.view.update({"Q": X @ W_Q + 1})
    lab.hear()
    assert lab.texts("Q") == [[number_text(x) for x in row] for row in X @ W_Q + 1]


def test_digits_come_by_themselves_once_the_hand_rests(open_lab: Callable[[int], LoneView]) -> None:
    lab = open_lab(1280)
    assert lab.page.evaluate(PRESS, "End") == texts_of(0.5)[0][0]
    lab.passes(590)
    assert lab.texts("Q") == texts_of(0.5), "the hand may go on"
    lab.passes(20)
    assert lab.texts("Q") == texts_of(2.0)


def test_a_page_that_becomes_narrow_shows_every_digit_at_once(open_lab: Callable[[int], LoneView]) -> None:
    lab = open_lab(1280)
    lab.press("W_Q", 0, 0, "End")
    lab.frame()
    lab.page.set_viewport_size({"width": 600, "height": 600})
    lab.page.wait_for_function("innerWidth === 600")
    lab.frame()
    assert lab.texts("Q") == texts_of(2.0)
    lab.press("W_Q", 0, 0, "Home")
    lab.frame()
    assert lab.texts("Q") == texts_of(-2.0)
    assert not lab.page.locator('[data-panel="Q"] canvas').is_visible()
