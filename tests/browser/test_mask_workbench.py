"""The mask workbench, driven by mouse and keyboard in a real browser."""

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from test_every_lab import LARGE_TYPE, OWN_TYPE, TYPE
from test_mistake_lab import CUT
from test_one_screen import BAR, PLACES

from attention_lib import causal_mask, padding_mask, self_attention, sliding_window_mask
from attention_lib.analysis.mask_export import export_code
from attention_lib.analysis.reach import layers_needed
from attention_lib.labs.mask_workbench import JOINS, PARTS, PRESETS, MaskModel
from attention_lib.view.lab import MESSAGES as SAID

TOKENS = ["the", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]
X = np.random.default_rng(0).integers(0, 3, (8, 4))
W_Q = np.random.default_rng(1).integers(-1, 2, (4, 4))
CELL = f"""\
import numpy as np
from attention_lib.labs.mask_workbench import MaskWorkbench
X, W_Q = np.array({X.tolist()}), np.array({W_Q.tolist()})
workbench = MaskWorkbench({TOKENS!r}, X, W_Q, np.eye(4), np.eye(4))
workbench"""

# Of some captions of a panel those that have more lines than there is room for.
TOO_LONG = """([name, lines, captions]) => {
    const caption = document.querySelector(`[data-panel="${name}"] .av-caption`);
    const room = (lines + 0.5) * parseFloat(getComputedStyle(caption).lineHeight);
    return captions.filter((said) => {
        caption.textContent = said;
        return caption.getBoundingClientRect().height > room;
    });
}"""
# Titles that are not read whole.
CUT_TITLES = """() => [...document.querySelectorAll('.attention-lab .av-title')]
    .filter((title) => title.scrollWidth > title.clientWidth).map((title) => title.textContent)"""


def menus_cut(notebook: Any) -> list[str]:
    """Name what is not read whole in any menu."""
    menus = (notebook.page.get_by_label(name, exact=True) for name in ("start from", "part", "export for"))
    return [name for menu in menus for name in menu.evaluate(CUT)]


def models() -> Iterator[MaskModel]:
    """Yield every preset, each after every operation, and then each after a click on every cell or on one of them."""
    model = MaskModel(TOKENS, X, W_Q, np.eye(4), np.eye(4))
    operations = [None, "flip", *itertools.product(PARTS, JOINS)]
    for preset, first, then in itertools.product(PRESETS, operations, (None, "flip", ("first", "or"))):
        model.start_from(preset)
        for operation in (first, then):
            if operation == "flip":
                model.flip()
            elif operation:
                model.compose(*operation)
        yield model
        composed = model.state
        every = itertools.product(range(8), range(8))
        for row, column in every if first in (None, "flip") and then is None else [(3, 3)]:
            model.load(composed)
            model.toggle(row, column, not composed.mask[row, column])
            yield model


def test_no_caption_is_longer_than_the_room_it_has(open_notebook: Any) -> None:
    said: dict[str, set[str]] = {"mask": set(), "weights": set()}
    for model in models():
        for name, caption in model.captions().items():
            said.get(name, set()).add(caption)
    assert all(len(captions) > 10 for captions in said.values())
    page = open_notebook(CELL, width=1280 - BAR, height=720, shell="lab").page
    page.wait_for_selector('[data-panel="weights"] .av-cell')
    for name, captions in said.items():
        assert page.evaluate(TOO_LONG, [name, 3, sorted(captions)]) == []


def test_what_one_word_reads_has_its_room_at_every_width(open_notebook: Any) -> None:
    notebook = open_notebook(CELL, width=1280, height=660)
    said = notebook.page.locator(".mask-workbench-said .widget-html-content")
    said.wait_for()
    longest = MaskModel(TOKENS, np.zeros((8, 4)), W_Q, np.eye(4), np.eye(4))
    longest.compose("everything")
    notebook.page.evaluate(LARGE_TYPE, {f"--jp-{variable}": size for variable, size in TYPE.items()})
    for width in (1280, 1200, 1100, 1000):
        notebook.use_size(width, 660)
        notebook.settle()
        said.evaluate("(said) => { said.textContent = 'the reads the 1.00.'; }")
        before = notebook.page.evaluate(PLACES)
        said.evaluate("(said, text) => { said.textContent = text; }", longest.row_text(3))
        assert notebook.page.evaluate(PLACES) == before, width
        below = notebook.page.locator(".mask-workbench .noUi-handle").bounding_box()["y"]
        box = said.bounding_box()
        assert box["y"] + box["height"] <= below + 4, width
    notebook.page.evaluate(OWN_TYPE, [f"--jp-{variable}" for variable in TYPE])


def test_how_far_words_come_is_read_beside_the_slider_and_no_name_is_cut(open_notebook: Any, shots: Any) -> None:
    notebook = open_notebook(CELL, width=1280 - BAR, height=720, shell="lab")
    notebook.page.wait_for_selector('[data-panel="weights"] .av-cell')
    notebook.settle()
    assert notebook.page.evaluate(CUT_TITLES) == []
    needed = notebook.panel("layers needed")
    assert needed.locator(".av-caption").is_visible()
    handle = notebook.page.locator(".mask-workbench .noUi-handle")
    handle.focus()
    handle.press("ArrowRight")
    needed.get_by_text("0: not within 4 layers.").wait_for()
    seen = notebook.cell("layers needed", 7, 0).evaluate("(cell) => getComputedStyle(cell).color")
    assert seen != "rgba(0, 0, 0, 0)", "a number, not a colour alone"
    notebook.page.screenshot(path=shots / "layers.png")
    assert menus_cut(notebook) == []


def test_on_a_phone_names_are_whole_and_what_a_click_does_is_next_to_it(open_notebook: Any) -> None:
    notebook = open_notebook(CELL, width=390)
    notebook.page.wait_for_selector('[data-panel="weights"] .av-cell')
    notebook.settle()
    assert menus_cut(notebook) == []
    names = ("mask", "weights", "scaled scores", "masked scores", "layers needed")
    places = [notebook.panel(name).bounding_box()["y"] for name in names]
    assert places == sorted(places)


def test_another_part_moves_no_button(open_notebook: Any) -> None:
    notebook = open_notebook(CELL, width=1280, height=720, shell="lab")
    notebook.page.wait_for_selector('[data-panel="weights"] .av-cell')
    for width in (1280, 1000):  # the second: a narrow page
        notebook.use_size(width, 720)
        notebook.settle()
        before = notebook.page.evaluate(PLACES)
        for part in ("all but padding at the end", "causal", "window"):
            choose(notebook, "part", part)
            notebook.settle()
            assert notebook.page.evaluate(PLACES) == before, (width, part)


@pytest.fixture
def notebook(open_notebook: Any) -> Any:
    page = open_notebook(CELL, height=1500)
    page.page.wait_for_selector('[data-panel="weights"] .av-cell')
    return page


def shows(notebook: Any, mask: np.ndarray, n_layers: int = 3) -> None:
    """The page shows the digits that `attention_lib` calculates for this mask."""
    trace = self_attention(X, W_Q, np.eye(4), np.eye(4), mask)
    needed = layers_needed(mask, n_layers)
    notebook.shows(
        {
            "weights": [[f"{weight:.2f}" for weight in row] for row in trace.weights],
            "masked scores": [["-∞" if s == -np.inf else f"{s:.1f}" for s in row] for row in trace.masked_scores],
            "mask": [["✓" if cell else "×" for cell in row] for row in mask],
            "layers needed": [[str(layers) for layers in row] for row in needed],
        }
    )


def press(notebook: Any, name: str) -> None:
    notebook.page.get_by_role("button", name=name, exact=True).click()


def choose(notebook: Any, label: str, option: str) -> None:
    notebook.page.locator(".mask-workbench").get_by_label(label, exact=True).select_option(label=option)


def code(notebook: Any) -> str:
    return str(notebook.page.locator(".mask-workbench textarea").input_value())


def test_the_workbench_follows_clicks_keys_and_buttons(notebook: Any, shots: Any) -> None:
    mask = causal_mask(8)
    shows(notebook, mask)
    notebook.page.screenshot(path=shots / "mask_workbench.png")

    notebook.cell("mask", 0, 7).click()  # by mouse
    mask[0, 7] = True
    shows(notebook, mask)
    notebook.page.keyboard.press("ArrowLeft")  # by keyboard: one cell to the left, and switch it
    notebook.page.keyboard.press("Space")
    mask[0, 6] = True
    shows(notebook, mask)
    press(notebook, "show as code")
    notebook.eventually(lambda: code(notebook), export_code("torch_sdpa", mask))

    press(notebook, "undo")
    press(notebook, "undo")
    shows(notebook, causal_mask(8))
    press(notebook, "undo")
    notebook.page.get_by_text(SAID["nothing to undo"]).first.wait_for()

    choose(notebook, "start from", "causal, padding on the left: dead rows")
    shows(notebook, causal_mask(8) & (np.arange(8) >= 2))
    notebook.page.get_by_text("Dead, no allowed key: the (0), fluffy.").first.wait_for()
    notebook.page.screenshot(path=shots / "mask_workbench_dead.png")

    choose(notebook, "part", "window")
    box = notebook.page.locator(".mask-workbench").get_by_label("left", exact=True)
    notebook.type_into(box, "99")
    notebook.page.get_by_text("left can be 0 to 8: 99 became 8.").first.wait_for()
    notebook.eventually(box.input_value, "8")
    notebook.type_into(box, "")
    notebook.eventually(box.input_value, "8")  # a cleared box is no number
    notebook.type_into(box, "1")
    press(notebook, "use it alone")
    window = sliding_window_mask(8, left=1)
    shows(notebook, window)
    layers = notebook.page.locator(".mask-workbench .noUi-handle")
    layers.focus()
    layers.press("ArrowRight")
    shows(notebook, window, n_layers=4)
    choose(notebook, "part", "the first word")
    press(notebook, "or")
    sink = window | (np.arange(8) == 0)
    shows(notebook, sink, n_layers=4)
    choose(notebook, "part", "all but padding at the end")
    press(notebook, "and")
    shows(notebook, sink & padding_mask(5, 8), n_layers=4)

    choose(notebook, "export for", "PyTorch nn.MultiheadAttention")
    notebook.page.get_by_text("True = blocked, the opposite.").first.wait_for()
    notebook.eventually(lambda: code(notebook), export_code("torch_multihead_attention", sink & padding_mask(5, 8)))
    press(notebook, "reset")  # to the preset chosen last
    shows(notebook, causal_mask(8) & (np.arange(8) >= 2), n_layers=3)
    notebook.panel("weights").locator(".av-row-label").nth(5).click()
    notebook.page.get_by_text("the (5) reads").first.wait_for()
