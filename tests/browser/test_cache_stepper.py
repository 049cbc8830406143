"""The cache stepper in a real JupyterLab, driven by mouse and keyboard."""

from pathlib import Path
from typing import Any

import numpy as np
from harness import NotebookPage

from attention_lib.labs.cache_stepper import CATEGORIES, StepperModel

LAB = "from attention_lib.labs.cache_stepper import CacheStepper\nlab = CacheStepper()\nlab"


def shown_by(model: StepperModel, head: int = 0) -> dict[str, list[list[str]]]:
    """What the model says that the page should show."""
    rows, scores = ([[CATEGORIES[kind].symbol for kind in row] for row in states] for states in model.states())
    weights = [["" if np.isnan(value) else f"{value:.3f}" for value in row] for row in model.weights(head)]
    return {"rows": rows, "scores": scores, "weights": weights}


def assert_shows(notebook: NotebookPage, model: StepperModel, head: int = 0) -> None:
    notebook.shows(shown_by(model, head))
    lab, said = notebook.page.locator(".cache-stepper"), [line.split(" in this step")[0] for line in model.lines()]
    notebook.eventually(lambda: [line for line in said if line not in lab.inner_text()], [])  # they follow the picture


def test_stepper_by_mouse_and_keyboard(open_notebook: Any, shots: Path) -> None:
    notebook = open_notebook(LAB, width=1280, height=1000)
    page, model = notebook.page, StepperModel("bae")
    lab = page.locator(".cache-stepper")
    model.go(3)
    assert_shows(notebook, model)
    lab.screenshot(path=shots / "stepper_start.png")

    lab.get_by_role("button", name="forward").click()
    model.go(4)
    assert_shows(notebook, model)
    for _ in range(2):
        lab.get_by_role("button", name="back").click()
    model.go(2)
    assert_shows(notebook, model)

    readout = lab.locator(".number-slider:has-text('step') input[type=text]").first
    notebook.type_into(readout, "7")
    model.go(7)
    assert_shows(notebook, model)

    lab.locator("select").nth(1).select_option(label="1 (MQA)")
    model.change(n_kv_heads=1)
    assert_shows(notebook, model)
    lab.get_by_role("button", name="recompute everything").click()
    model.change(recompute=True)
    assert_shows(notebook, model)
    lab.screenshot(path=shots / "stepper_recompute.png")
    lab.get_by_role("button", name="undo").click()
    model.undo()
    assert_shows(notebook, model)

    lab.locator("select").first.select_option(label="ChatGPT 는 뛰어나다 · article 003")
    article = StepperModel("article")
    assert_shows(notebook, article)
    lab.get_by_role("button", name="forward").click()
    article.go(2)
    assert_shows(notebook, article)
    lab.get_by_role("button", name="play").click()
    article.go(3)
    assert_shows(notebook, article)
    assert notebook.texts("weights")[2] == ["0.193", "0.011", "0.795"]


def test_stepper_keeps_the_picture_when_the_input_is_odd(open_notebook: Any, shots: Path) -> None:
    notebook = open_notebook(LAB, dark=True, width=1280, height=1000)
    page, model = notebook.page, StepperModel("bae")
    model.go(3)
    box = page.locator(".cache-stepper input[type=text]").first
    notebook.type_into(box, "word " * 40)
    page.get_by_text("That is 40 tokens").first.wait_for()
    assert_shows(notebook, model)
    page.locator(".cache-stepper").screenshot(path=shots / "stepper_dark.png")
    notebook.type_into(box, "오늘 🙂 <b>좋다</b>")
    page.get_by_text("Your sentence, with").first.wait_for()
    notebook.settle()
    assert np.array(notebook.texts("rows")).shape == (3, 4)
    assert np.array(notebook.texts("weights")).shape == (3, 3)


def test_cache_size_by_mouse(open_notebook: Any, shots: Path) -> None:
    notebook = open_notebook("from attention_lib.labs.cache_size import CacheSize\nCacheSize()")
    page = notebook.page
    page.get_by_text("Tokens: 4,096. Cache: 2 GiB.").first.wait_for()
    page.locator(".cache-size select").first.select_option(label="Mistral-7B-v0.1")
    page.get_by_text("Tokens: 4,096. Cache: 512 MiB.").first.wait_for()
    handle = page.locator(".cache-size .number-slider:has-text('tokens') .noUi-handle").last
    notebook.settle()
    handle.focus()
    page.keyboard.press("ArrowRight")
    page.get_by_text("Tokens: 8,192, of which the window keeps 4,096. Cache: 512 MiB.").first.wait_for()
    page.locator(".cache-size").screenshot(path=shots / "cache_size.png")


def test_decode_timer_by_mouse(open_notebook: Any, shots: Path) -> None:
    steps = "{'recompute everything': lambda n: sum(range(50 * n)), 'with a cache': lambda n: sum(range(n))}"
    notebook = open_notebook(
        f"from attention_lib.labs.decode_timer import DecodeTimer\nDecodeTimer({steps}, (512, 1024, 2048))"
    )
    page = notebook.page
    page.get_by_text("Measured once: one core").first.wait_for()
    picture = page.locator("img[alt*='stays cheap']")
    notebook.settle()
    stored = picture.get_attribute("src")
    page.get_by_role("button", name="Measure on this machine").click()
    page.get_by_text("Measured on this machine").first.wait_for()
    notebook.eventually(lambda: picture.get_attribute("src") != stored, True, what="the new picture")
    notebook.eventually(lambda: "at 512" in (picture.get_attribute("alt") or ""), True)
    lab = page.locator(".decode-timer")
    lab.screenshot(path=shots / "decode_timer_measured.png")
    lab.get_by_role("button", name="undo").click()
    page.get_by_text("Measured once: one core").first.wait_for()
    notebook.eventually(lambda: picture.get_attribute("src"), stored)
    lab.screenshot(path=shots / "decode_timer_undone.png")
