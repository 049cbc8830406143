"""MatrixView in a real JupyterLab: what the page shows, and what the hand does to it."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from harness import NotebookPage
from small_view import TOKENS, W_Q, texts_for, with_cells

from attention_lib import plots

LAB = f"""\
import sys
sys.modules.pop("small_view", None)  # else it would hold the library of a test before
sys.path.insert(0, {str(Path(__file__).parent)!r})
import ipywidgets
import numpy as np
import small_view
from attention_lib.live import Panel
from attention_lib.live.keys import furnish
view, tokens = small_view.make_view(chained=False), small_view.TOKENS
box = ipywidgets.VBox([view])
furnish(box)
box"""
AROUND = ("1 + 1", LAB, "2 + 2")  # cells around, for stolen keys to go to


@pytest.fixture
def notebook(open_notebook: Any) -> NotebookPage:
    page: NotebookPage = open_notebook(*AROUND)
    page.page.keyboard.press("Escape")
    page.shows({"W_Q": texts_for(W_Q)["W_Q"]})
    page.settle()
    return page


def assert_shows(notebook: NotebookPage, W: np.ndarray) -> None:
    """The page shows the numbers of attention_lib for this W_Q, and Python holds it."""
    notebook.shows(texts_for(W))
    np.testing.assert_allclose(notebook.python("view['W_Q'].tolist()"), W, atol=1e-12)


def value_of(notebook: NotebookPage) -> Any:
    return notebook.cell("W_Q", 0, 0).locator(".av-value")


def note(notebook: NotebookPage) -> str:
    text: str = notebook.page.locator(".av-note").inner_text()
    return text


def test_roles_and_names_for_screen_readers(notebook: NotebookPage) -> None:
    grid = notebook.page.get_by_role("grid", name="weights")
    assert grid.get_by_role("gridcell").count() == 16
    assert grid.get_by_role("rowheader").all_inner_texts() == TOKENS
    assert grid.get_by_role("columnheader").all_inner_texts()[1:] == TOKENS
    cell = notebook.page.get_by_role("spinbutton", name="W_Q, feature 1, dimension 0")
    assert cell.get_attribute("aria-valuenow") == "0.25"
    assert (cell.get_attribute("aria-valuemin"), cell.get_attribute("aria-valuemax")) == ("-2", "2")
    caption = notebook.panel("weights").locator(".av-caption")
    assert caption.inner_text() == "Click a word."
    assert grid.get_attribute("aria-describedby") == caption.get_attribute("id")


def test_no_number_is_wider_than_its_cell(notebook: NotebookPage) -> None:
    clipped = "(cells) => cells.filter((c) => c.scrollWidth > c.clientWidth || c.scrollHeight > c.clientHeight).length"
    assert notebook.page.locator(".av-cell").evaluate_all(clipped) == 0


def test_drag(notebook: NotebookPage) -> None:
    x, y = notebook.grab(notebook.cell("W_Q", 1, 0))
    notebook.page.mouse.move(x + 30, y, steps=10)  # 3 pixels a step of 0.05
    assert_shows(notebook, with_cells((1, 0, 0.75)))
    notebook.page.mouse.move(x - 30, y, steps=10)
    notebook.page.mouse.up()
    notebook.page.mouse.move(x + 90, y)
    assert_shows(notebook, with_cells((1, 0, -0.25)))


@pytest.mark.parametrize(
    ("key", "value"),
    [("ArrowUp", 0.55), ("PageDown", 0.0), ("Home", -2.0)],
)
def test_keys_change_the_cell_and_the_notebook_does_not_steal_them(
    notebook: NotebookPage, key: str, value: float
) -> None:
    value_of(notebook).click()
    before = notebook.cells_and_mode()
    notebook.page.keyboard.press(key)
    assert_shows(notebook, with_cells((0, 0, value)))
    assert value_of(notebook).evaluate("(cell) => cell === document.activeElement")
    assert notebook.cells_and_mode() == before


def test_a_slow_lab_hears_many_fast_keys_in_order_and_on_one_thread(notebook: NotebookPage) -> None:
    """JupyterLab asks the kernel for a second thread, and of two at once the older edit could win."""
    cells_run_on = notebook.python("threading.get_ident()", "import threading; told, small_view.SLOW = [], 0.3")
    heard = "told.append((threading.get_ident(), edit.value))"
    notebook.python("None", f"view.on_edit = lambda edit, follow=view.on_edit: ({heard}, follow(edit))")
    value_of(notebook).focus()
    for _ in range(20):
        notebook.page.keyboard.press("ArrowDown")
    assert_shows(notebook, with_cells((0, 0, -0.5)))
    threads, values = zip(*notebook.python("told"), strict=True)
    assert set(threads) == {cells_run_on}
    assert list(values) == sorted(values, reverse=True)


def test_left_and_right_move_between_cells(notebook: NotebookPage) -> None:
    value_of(notebook).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft", "ArrowUp"):
        notebook.page.keyboard.press(key)
    assert_shows(notebook, with_cells((0, 1, -0.95)))


def test_typing_a_number(notebook: NotebookPage) -> None:
    value_of(notebook).focus()
    for typed, value in {"-0.5": -0.5, "1.234": 1.234, ".3": 0.3, "0,7": 0.7, "-1e0": -1.0}.items():
        notebook.page.keyboard.type(typed)
        notebook.page.keyboard.press("Enter")
        assert_shows(notebook, with_cells((0, 0, value)))
        assert note(notebook) == ""
        assert value_of(notebook).evaluate("(cell) => cell === document.activeElement")
    notebook.page.keyboard.type("1.5")
    notebook.page.keyboard.press("Escape")
    assert_shows(notebook, with_cells((0, 0, -1.0)))


def test_what_a_cell_cannot_hold_is_said(notebook: NotebookPage) -> None:
    for typed, held in {"x": 0.5, "": 0.5, "9": 2.0}.items():
        value_of(notebook).dblclick()
        notebook.page.keyboard.press("Backspace")
        notebook.page.keyboard.type(typed)
        notebook.page.keyboard.press("Enter")
        assert_shows(notebook, with_cells((0, 0, held)))
        assert note(notebook) == f"Type a number from −2 to 2. The cell now holds {held:.2f}."
        notebook.page.keyboard.press("Shift")
        assert note(notebook) == "", "it goes with the next key"
    notebook.page.keyboard.type("NaN")
    notebook.page.keyboard.press("Enter")
    assert note(notebook).startswith("Type a number"), "letters are refused after they are seen"
    notebook.page.keyboard.press("ArrowDown")
    assert_shows(notebook, with_cells((0, 0, 1.95)))
    assert note(notebook) == ""


def test_what_changes_soon_after_new_panels_is_outlined(notebook: NotebookPage) -> None:
    new = "view.show({**view.panels, 'Q': Panel(view['Q'], limit=9)}, moves=True)"
    moved = "{**view.panels, 'W_Q': replace(view.panels['W_Q'], values=view['W_Q'] + 0.3)}"
    notebook.python("None", f"from dataclasses import replace\n{new}\nview.show({moved})")
    outlined = "(panel) => panel.querySelectorAll('.av-changed').length"
    notebook.eventually(lambda: notebook.panel("W_Q").evaluate(outlined), W_Q.size)
    assert notebook.panel("Q").evaluate(outlined) == 0
    ring = "(panel) => getComputedStyle(panel.querySelector('.av-changed')).boxShadow"
    assert notebook.panel("W_Q").evaluate(ring) == "none", "a ring around every cell would point at nothing"
    notebook.python("None", "view.show({**view.panels, 'Q': Panel(view['Q'] + np.eye(1, view['Q'].shape[1]))})")
    notebook.eventually(lambda: notebook.panel("Q").evaluate(outlined) > 0, True)
    assert notebook.panel("Q").evaluate(ring) != "none"


def test_mask_cells_switch_by_click_and_by_space(notebook: NotebookPage) -> None:
    assert notebook.texts("mask")[0] == ["✓", "×", "×", "×"]
    notebook.cell("mask", 0, 1).click()
    notebook.page.keyboard.press("ArrowRight")
    notebook.page.keyboard.press("Space")
    notebook.eventually(lambda: notebook.texts("mask")[0][2], "✓")
    notebook.eventually(lambda: notebook.python("view['mask'][0].tolist()"), [True, True, True, False])
    assert (
        notebook.page.get_by_role("checkbox", name="mask, query 나는, key 너무").get_attribute("aria-checked") == "true"
    )


def test_a_drag_paints_a_mask_in_one_gesture(notebook: NotebookPage) -> None:
    heard = "view.on_edit = lambda edit, follow=view.on_edit: (gestures.add(edit.gesture), follow(edit))"
    notebook.python("None", f"gestures = set(); {heard}")
    notebook.grab(notebook.cell("mask", 0, 1))
    for column in (2, 3):
        box = notebook.cell("mask", 0, column).bounding_box()
        notebook.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    notebook.page.mouse.up()
    notebook.eventually(lambda: notebook.python("view['mask'][0].tolist()"), [True] * 4)
    assert notebook.python("len(gestures)") == 1


def test_click_on_a_row_and_on_a_cell_tells_python(notebook: NotebookPage) -> None:
    notebook.panel("weights").get_by_role("rowheader", name="배가").click()
    notebook.eventually(lambda: notebook.python("tuple(view.selected)"), ("weights", 1, None))
    notebook.cell("weights", 2, 3).click()
    notebook.eventually(lambda: notebook.python("tuple(view.selected)"), ("weights", 2, 3))
    notebook.page.keyboard.press("ArrowUp")
    notebook.page.keyboard.press("Home")
    notebook.eventually(lambda: notebook.python("tuple(view.selected)"), ("weights", 1, 0))
    selected = notebook.panel("weights").locator(".av-selected-line").get_by_role("rowheader")
    notebook.eventually(selected.all_inner_texts, ["배가"])


def test_the_notebook_keeps_its_own_key_combinations(notebook: NotebookPage) -> None:
    notebook.cell("weights", 0, 0).click()
    notebook.settle()
    notebook.page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty = true")
    notebook.page.keyboard.press("Control+s")
    notebook.eventually(lambda: notebook.page.evaluate("jupyterapp.shell.currentWidget.context.model.dirty"), False)


def test_python_changes_reach_the_page(notebook: NotebookPage) -> None:
    lit = "Panel(view['weights'], tokens, tokens, kind='weights', marks=[(1, None)], caption='From Python.')"
    infinite = "Panel(np.full((4, 2), -np.inf), tokens, column_axis='dimension')"  # nothing is built anew
    notebook.python("None", f"view.show({{**view.panels, 'Q': {infinite}, 'weights': {lit}}})")
    notebook.eventually(lambda: notebook.texts("Q")[0][0], "-∞")
    assert notebook.panel("Q").locator(".av-forbidden").count() == 8
    assert notebook.panel("weights").locator(".av-lit").count() == 4
    assert notebook.panel("weights").locator(".av-caption").inner_text() == "From Python."
    notebook.python("None", "view.show({'Q': Panel(np.ones((2, 5)))})")
    notebook.shows({"Q": [["1.00"] * 5] * 2})


def test_two_views_of_one_matrix_keep_in_step(open_notebook: Any) -> None:
    notebook = open_notebook(LAB, "view")
    second = notebook.page.locator('[data-panel="weights"]').nth(1)
    second.scroll_into_view_if_needed()
    value_of(notebook).focus()
    notebook.page.keyboard.press("PageUp")
    assert_shows(notebook, with_cells((0, 0, 1.0)))
    weights = [text for row in texts_for(with_cells((0, 0, 1.0)))["weights"] for text in row]
    notebook.eventually(second.locator(".av-cell").all_inner_texts, weights)


def test_a_large_matrix_drops_its_digits_but_tells_them(open_notebook: Any) -> None:
    notebook = open_notebook(
        "import numpy as np\nfrom attention_lib.live import MatrixView, Panel\n"
        "names = [f'token{i}' for i in range(32)]\n"
        "weights = np.random.default_rng(0).dirichlet([0.1] * 32, 32)\n"
        "MatrixView({'weights': Panel(weights, names, names, kind='weights')})"
    )
    weights = np.random.default_rng(0).dirichlet([0.1] * 32, 32)
    notebook.settle()
    assert notebook.texts("weights") == [[""] * 32] * 32
    assert notebook.cell("weights", 3, 30).get_attribute("aria-label") == plots.number_text(weights[3, 30], 2)
    box = notebook.panel("weights").bounding_box()
    assert box["width"] < 1000
    assert box["height"] < 800


def test_a_number_that_is_pasted_onto_a_cell_is_taken_and_words_are_refused(notebook: NotebookPage) -> None:
    notebook.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    for text, shown in (("1.25", 1.25), ("밥", 1.25)):
        notebook.page.evaluate("(text) => navigator.clipboard.writeText(text)", text)
        value_of(notebook).focus()
        notebook.page.keyboard.press("Control+v")
        notebook.settle()
        assert_shows(notebook, with_cells((0, 0, shown)))
    assert note(notebook) == "Type a number from −2 to 2. The cell now holds 1.25."
