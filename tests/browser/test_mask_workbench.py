"""The mask workbench, driven by mouse and keyboard in a real browser."""

from typing import Any

import numpy as np
import pytest

from attention_lib import causal_mask, padding_mask, self_attention, sliding_window_mask
from attention_lib.analysis.mask_export import export_code
from attention_lib.analysis.reach import layers_needed
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
    choose(notebook, "part", "real words only (padding at the end)")
    press(notebook, "and")
    shows(notebook, sink & padding_mask(5, 8), n_layers=4)

    choose(notebook, "export for", "PyTorch nn.MultiheadAttention")
    notebook.page.get_by_text("True = blocked, the opposite.").first.wait_for()
    notebook.eventually(lambda: code(notebook), export_code("torch_multihead_attention", sink & padding_mask(5, 8)))
    press(notebook, "reset")  # to the preset chosen last
    shows(notebook, causal_mask(8) & (np.arange(8) >= 2), n_layers=3)
    notebook.panel("weights").locator(".av-row-label").nth(5).click()
    notebook.page.get_by_text("the (5) reads").first.wait_for()
