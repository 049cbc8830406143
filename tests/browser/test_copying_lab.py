"""The copying lab, driven in a real browser: it trains, stops, goes on, and shows what its model calculates."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from attention_lib.labs.copying_lab import MAPS, CopyingModel
from attention_lib.labs.copying_words import LABELS, PRESETS, RUN_LABELS

CELL = """\
from attention_lib.labs.copying_lab import CopyingLab
lab = CopyingLab("after")
lab"""


@pytest.fixture
def notebook(open_notebook: Any) -> Any:
    page = open_notebook(CELL, height=1300)
    page.page.wait_for_selector('[data-panel="head 0"] .av-cell')
    return page


def lab(notebook: Any) -> Any:
    return notebook.page.locator(".copying-lab")


def shows(notebook: Any, maps: dict[str, Any]) -> None:
    """The page shows these digits; where a sum falls on the edge of two digits, processors may round it differently."""
    for name in MAPS:
        notebook.eventually(partial(is_near, notebook, name, maps[name]), True)


def is_near(notebook: Any, name: str, numbers: Any) -> bool:
    shown = np.array(notebook.texts(name), float)
    return shown.shape == numbers.shape and bool(np.abs(shown - numbers).max() < 0.0101)


def step_of(notebook: Any) -> int:
    return int(lab(notebook).locator(".copying-status b").inner_text().split()[1])


def test_presets_cuts_and_own_words(notebook: Any, shots: Any) -> None:
    model = CopyingModel("after")
    shows(notebook, model.maps())
    notebook.page.screenshot(path=shots / "copying_lab.png")
    lab(notebook).get_by_label(LABELS["cut"], exact=True).select_option(label="layer 0, head 0")
    model.cut(0)
    shows(notebook, model.maps())
    lab(notebook).locator(".copying-status", has_text=model.status()).wait_for()
    menu = lab(notebook).get_by_label("start from", exact=True)
    menu.select_option(label=PRESETS["one"])
    shows(notebook, CopyingModel("one").maps())
    menu.select_option(label=PRESETS["after"])
    shows(notebook, CopyingModel("after").maps())
    words = lab(notebook).get_by_label(LABELS["text"], exact=True)
    notebook.type_into(words, "jar pizza jar")
    lab(notebook).get_by_text("pizza is none of these words").first.wait_for()
    notebook.type_into(words, "ink jar key owl jar")
    model = CopyingModel("after")
    model.read("ink jar key owl jar")
    shows(notebook, model.maps())
    lab(notebook).locator(".copying-guess", has_text=model.guess_text()).wait_for()
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, CopyingModel("after").maps())


def test_it_trains_stops_and_goes_on_with_what_it_has_learned(notebook: Any, shots: Any) -> None:
    lab(notebook).get_by_label(LABELS["run"], exact=True).select_option(label=RUN_LABELS["own two"])
    button = lab(notebook).get_by_role("button", name=LABELS["play"], exact=True)
    button.click()
    notebook.eventually(lambda: step_of(notebook) >= 30, True)
    lab(notebook).get_by_role("button", name=LABELS["stop"], exact=True).click()
    lab(notebook).get_by_text("What was learned stays").first.wait_for()
    notebook.settle()
    stopped = step_of(notebook)
    bar = lab(notebook).locator(".copying-bar", has_text=f"step {stopped} of 1000, loss")
    bar.wait_for()
    of_the_kernel = notebook.python("{name: shown.tolist() for name, shown in lab.model.maps().items()}")
    shows(notebook, {name: np.array(numbers) for name, numbers in of_the_kernel.items()})
    untrained = CopyingModel("own").maps()  # other sums on another processor lead a run elsewhere, but not here
    assert np.abs(of_the_kernel["head 0"] - untrained["head 0"]).max() > 0.02

    handle = lab(notebook).locator(".noUi-handle")
    handle.focus()
    handle.press("ArrowLeft")  # back: the run stays
    notebook.eventually(lambda: step_of(notebook), stopped - 10)
    button.click()
    notebook.eventually(lambda: step_of(notebook) >= stopped + 20, True)
    lab(notebook).get_by_role("button", name=LABELS["stop"], exact=True).click()
    lab(notebook).get_by_text("What was learned stays").first.wait_for()
    notebook.page.screenshot(path=shots / "copying_lab_trained.png")
