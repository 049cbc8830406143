"""MatrixView in a page of its own: what it shows, and what the hand does to it.

The picture does not wait for Python: what an edit brings about is in the next frame, and Python's answer stands.
Whose the keys are in JupyterLab, test_lab_keys asks.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from harness import texts_of
from lone_view import LoneView

import attention_lib as al
from attention_lib.live.chain import attention_steps, step
from attention_lib.live.matrix_view import Edit, MatrixView
from attention_lib.live.panel import Panel
from attention_lib.plots import number_text

TOKENS = ["나는", "배가", "너무", "고파서"]
X = np.array([[1.0, 0.5], [0.0, -1.0], [2.0, 1.0], [-1.0, 0.5]])
W_Q = np.array([[0.5, -1.0], [0.25, 0.0]])
W_K = np.array([[1.0, 0.5], [-0.5, 1.0]])
CHAIN = [step("Q", "matmul", "X", "W_Q"), *attention_steps(2)]


def panels_of(W: np.ndarray, mask: np.ndarray) -> dict[str, Panel]:
    trace = trace_of(W)
    return {
        "W_Q": Panel(W, editable=True, row_axis="feature", column_axis="dimension", limit=2.0),
        "Q": Panel(trace.Q, TOKENS, column_axis="dimension"),
        "weights": Panel(trace.weights, TOKENS, TOKENS, kind="weights", caption="Click a word."),
        "mask": Panel(mask, TOKENS, TOKENS, kind="mask", editable=True),
    }


def make_view(chained: bool = True) -> MatrixView:
    """W_Q, Q, the weights and a mask that does nothing; Python fails at 1.9, and makes 1 of 1.8."""
    trace = trace_of(W_Q)
    follows = {"chain": CHAIN, "given": {"X": X, "K": trace.K, "V": trace.V}} if chained else {}
    view = MatrixView(panels_of(W_Q, np.tri(4, dtype=bool)), **follows)

    def follow(edit: Edit) -> None:
        if edit.value == 1.9:
            raise ValueError("a mistake of the lab")
        edited = {name: view[name] for name in ("W_Q", "mask")}
        edited[edit.panel][edit.row, edit.column] = 1.0 if edit.value == 1.8 else edit.value
        view.show(panels_of(*edited.values()), **follows)

    view.on_edit = follow
    return view


def trace_of(W: np.ndarray) -> al.AttentionTrace:
    return al.self_attention(X, W, W_K, np.eye(2))


def with_cells(*cells: tuple[int, int, float]) -> np.ndarray:
    """W_Q with other numbers in these cells."""
    W = W_Q.copy()
    for row, column, value in cells:
        W[row, column] = value
    return W


def texts_for(W: np.ndarray) -> dict[str, list[list[str]]]:
    """What attention_lib says that the page should show, with - for the typographic minus."""
    trace = trace_of(W)
    shown = {"W_Q": W, "Q": trace.Q, "weights": trace.weights}
    return {
        name: [[number_text(value).replace("−", "-") for value in row] for row in matrix]
        for name, matrix in shown.items()
    }


@pytest.fixture
def open_view(bare_page: Any) -> Callable[[MatrixView], LoneView]:
    return lambda view: LoneView(bare_page, view)


@pytest.fixture
def lone(open_view: Callable[[MatrixView], LoneView]) -> LoneView:
    return open_view(make_view())


@pytest.fixture
def plain(open_view: Callable[[MatrixView], LoneView]) -> LoneView:
    """A view that calculates nothing itself: what it shows, Python has said."""
    return open_view(make_view(chained=False))


def assert_shows(lone: LoneView, W: np.ndarray) -> None:
    wanted = texts_for(W)
    assert {name: lone.texts(name) for name in wanted} == wanted


def assert_both_hold(lone: LoneView, *cells: tuple[int, int, float]) -> None:
    """Page and Python, once they have heard each other, hold W_Q with these cells."""
    lone.settle()
    assert_shows(lone, with_cells(*cells))
    np.testing.assert_allclose(lone.view["W_Q"], with_cells(*cells), atol=1e-12)


def has_focus(cell: Any) -> bool:
    return bool(cell.evaluate("(cell) => cell === document.activeElement"))


def test_roles_and_names_for_screen_readers(plain: LoneView) -> None:
    grid = plain.page.get_by_role("grid", name="weights")
    assert grid.get_by_role("gridcell").count() == 16
    assert grid.get_by_role("rowheader").all_inner_texts() == TOKENS
    assert grid.get_by_role("columnheader").all_inner_texts()[1:] == TOKENS
    cell = plain.page.get_by_role("spinbutton", name="W_Q, feature 1, dimension 0")
    found = [cell.get_attribute(f"aria-value{name}") for name in ("now", "min", "max")]
    assert found == ["0.25", "-2", "2"]
    caption = plain.page.locator('[data-panel="weights"] .av-caption')
    assert caption.inner_text() == "Click a word."
    assert grid.get_attribute("aria-describedby") == caption.get_attribute("id")


def test_no_number_is_wider_than_its_cell(plain: LoneView) -> None:
    clipped = "(cells) => cells.filter((c) => c.scrollWidth > c.clientWidth || c.scrollHeight > c.clientHeight).length"
    assert plain.page.locator(".av-cell").evaluate_all(clipped) == 0


def test_a_drag_changes_a_number_until_the_hand_lets_go_and_a_double_click_opens_it(plain: LoneView) -> None:
    x, y = plain.grab("W_Q", 1, 0)
    plain.page.mouse.move(x + 30, y, steps=10)  # 3 pixels a step of 0.05
    assert_both_hold(plain, (1, 0, 0.75))
    plain.page.mouse.move(x - 30, y, steps=10)
    plain.page.mouse.up()
    plain.page.mouse.move(x + 90, y)
    assert_both_hold(plain, (1, 0, -0.25))
    plain.cell("W_Q", 1, 0).dblclick()
    assert plain.page.locator(".av-input").input_value() == "−0.25"
    plain.page.keyboard.type("1")
    plain.page.keyboard.press("Enter")
    assert_both_hold(plain, (1, 0, 1.0))


@pytest.mark.parametrize(
    ("keys", "held", "is_said"),
    [
        *[("ArrowUp", 0.55, False), ("PageDown", 0.0, False), ("Home", -2.0, False)],
        *[("- . 3 Enter", -0.3, False), ("0 , 7 Enter", 0.7, False), ("1 . 5 Escape", 0.5, False)],
        *[("x Enter", 0.5, True), ("Enter Backspace Enter", 0.5, True), ("9 Enter", 2.0, True)],
        *[("N a N Enter Shift", 0.5, False), ("9 Enter ArrowDown", 1.95, False)],  # it goes with the next key
    ],
)
def test_what_keys_change_and_what_a_cell_cannot_hold_is_said(
    plain: LoneView, keys: str, held: float, is_said: bool
) -> None:
    value = plain.cell("W_Q", 0, 0).locator(".av-value")
    value.focus()
    for key in keys.split():
        plain.page.keyboard.press(key)
    assert_both_hold(plain, (0, 0, held))
    sentences = {2.0: "Type a number from −2 to 2. The cell now holds 2.00."}
    said = sentences.get(held, f"That is not a number. The cell still holds {held:.2f}.")
    assert plain.page.locator(".av-note").inner_text() == (said if is_said else "")
    assert has_focus(value)


def test_a_number_that_is_pasted_onto_a_cell_is_taken_and_words_are_refused(plain: LoneView) -> None:
    paste = """(cell, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', text);
        cell.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }));
    }"""
    for text in ("1.25", "밥"):
        plain.cell("W_Q", 0, 0).locator(".av-value").evaluate(paste, text)
        assert_both_hold(plain, (0, 0, 1.25))
    assert plain.page.locator(".av-note").inner_text() == "That is not a number. The cell still holds 1.25."


def test_left_and_right_move_between_cells(plain: LoneView) -> None:
    plain.press("W_Q", 0, 0, "ArrowRight")
    for key in ("ArrowRight", "ArrowLeft", "ArrowUp"):
        plain.page.keyboard.press(key)
    assert_both_hold(plain, (0, 1, -0.95))


def test_space_on_a_number_does_not_scroll_the_page(plain: LoneView) -> None:
    space = "new KeyboardEvent('keydown', { key: ' ', bubbles: true, cancelable: true })"
    for panel in ("W_Q", "weights"):
        assert not plain.cell(panel, 0, 0).evaluate(f"(cell) => cell.dispatchEvent({space})"), "it is not prevented"


def test_mask_cells_switch_by_click_and_by_space(plain: LoneView) -> None:
    assert plain.texts("mask")[0] == ["✓", "×", "×", "×"]
    plain.cell("mask", 0, 1).click()
    plain.page.keyboard.press("ArrowRight")
    plain.page.keyboard.press("Space")
    plain.settle()
    assert plain.texts("mask")[0] == ["✓", "✓", "✓", "×"]
    assert plain.view["mask"][0].tolist() == [True, True, True, False]
    switch = plain.page.get_by_role("checkbox", name="mask, query 나는, key 너무")
    assert switch.get_attribute("aria-checked") == "true"


def test_a_drag_paints_a_mask_in_one_gesture(plain: LoneView) -> None:
    gestures, follow = set(), plain.view.on_edit

    def heard(edit: Edit) -> None:
        gestures.add(edit.gesture)
        follow(edit)

    plain.view.on_edit = heard
    plain.grab("mask", 0, 1)
    for column in (2, 3):
        plain.page.mouse.move(*plain.middle("mask", 0, column))
    plain.page.mouse.up()
    plain.settle()
    assert plain.view["mask"][0].tolist() == [True] * 4
    assert len(gestures) == 1


def test_click_on_a_row_and_on_a_cell_tells_python(plain: LoneView) -> None:
    weights = plain.page.locator('[data-panel="weights"]')
    weights.get_by_role("rowheader", name="배가").click()
    plain.settle()
    assert tuple(plain.view.selected) == ("weights", 1, None)
    plain.cell("weights", 2, 3).click()
    plain.page.keyboard.press("ArrowUp")
    plain.page.keyboard.press("Home")
    plain.settle()
    assert tuple(plain.view.selected) == ("weights", 1, 0)
    assert weights.locator(".av-selected-line").get_by_role("rowheader").all_inner_texts() == ["배가"]


def test_what_changes_soon_after_new_panels_is_outlined(plain: LoneView) -> None:
    outlined = "(panel) => panel.querySelectorAll('.av-changed').length"
    ring = "(panel) => getComputedStyle(panel.querySelector('.av-changed')).boxShadow"
    view, (changed, other) = plain.view, [plain.page.locator(f'[data-panel="{name}"]') for name in ("W_Q", "Q")]
    view.show({**view.panels, "Q": Panel(view["Q"], limit=9)}, moves=True)
    view.show({**view.panels, "W_Q": replace(view.panels["W_Q"], values=view["W_Q"] + 0.3)})
    plain.settle()
    assert (changed.evaluate(outlined), other.evaluate(outlined)) == (W_Q.size, 0)
    assert changed.evaluate(ring) == "none", "a ring around every cell would point at nothing"
    view.show({**view.panels, "Q": Panel(view["Q"] + np.eye(1, 2))})
    plain.settle()
    assert other.evaluate(outlined) > 0 and other.evaluate(ring) != "none"


def test_python_changes_reach_the_page(plain: LoneView) -> None:
    view, (Q, weights) = plain.view, [plain.page.locator(f'[data-panel="{name}"]') for name in ("Q", "weights")]
    lit = Panel(view["weights"], TOKENS, TOKENS, kind="weights", marks=[(1, None)], caption="From Python.")
    infinite = Panel(np.full((4, 2), -np.inf), TOKENS, column_axis="dimension")  # nothing is built anew
    view.show({**view.panels, "Q": infinite, "weights": lit})
    plain.settle()
    assert plain.texts("Q")[0][0] == "-∞" and Q.locator(".av-forbidden").count() == 8
    assert weights.locator(".av-lit").count() == 4
    assert weights.locator(".av-caption").inner_text() == "From Python."
    view.show({"Q": Panel(np.ones((2, 5)))})
    plain.settle()
    assert plain.texts("Q") == [["1.00"] * 5] * 2


def test_two_views_of_one_matrix_keep_in_step(plain: LoneView) -> None:
    plain.page.evaluate("void draw()")
    plain.press("W_Q", 0, 0, "PageUp")
    plain.settle()
    both = [texts_of(panel) for panel in plain.page.locator('[data-panel="weights"]').all()]
    assert both == [texts_for(with_cells((0, 0, 1.0)))["weights"]] * 2


def test_a_large_matrix_drops_its_digits_but_tells_them(open_view: Callable[[MatrixView], LoneView]) -> None:
    weights = np.random.default_rng(0).dirichlet([0.1] * 32, 32)
    names = [f"token{i}" for i in range(32)]
    lone = open_view(MatrixView({"weights": Panel(weights, names, names, kind="weights")}))
    assert lone.texts("weights") == [[""] * 32] * 32
    assert lone.cell("weights", 3, 30).get_attribute("aria-label") == number_text(weights[3, 30], 2)
    box = lone.page.locator('[data-panel="weights"]').bounding_box()
    assert box["width"] < 1000 and box["height"] < 800


def test_a_label_tells_its_language_and_breaks_between_words(open_view: Callable[[MatrixView], LoneView]) -> None:
    weights = Panel([[1.0, 0.0]], ["배가"], ["밥을", "it"], kind="weights")
    page = open_view(MatrixView({"weights": weights})).page
    assert page.locator(".av-row-label").get_attribute("lang") == "ko"
    assert [label.get_attribute("lang") for label in page.locator(".av-column-label").all()] == ["ko", None]
    assert page.evaluate("getComputedStyle(document.querySelector('.av-caption')).wordBreak") == "keep-all"


# Before Python has answered


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
    lone.hear_all()
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
    lone.hear_all()
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
    assert has_focus(lone.cell("weights", 1, 2))


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
