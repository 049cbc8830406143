"""The learning lab, driven by mouse and keyboard in a real browser."""

from functools import partial
from typing import Any

import pytest

from attention_lib.labs.learning_lab import EVERY, LARGEST, SENTENCES, STEPS
from attention_lib.labs.learning_words import LABELS, MESSAGES, PRESETS
from attention_lib.training.tasks import bae_map, learn_bae
from attention_lib.view.lab import MESSAGES as SAID

CELL = """\
from attention_lib.labs.learning_lab import LearningLab
lab = LearningLab("after")
lab"""


@pytest.fixture
def notebook(open_notebook: Any) -> Any:
    page = open_notebook(CELL, height=1300)
    page.page.wait_for_selector('[data-panel="weights"] .av-cell')
    return page


def shows(notebook: Any, place: int, seed: int = 0, sentence: str = "article", **options: Any) -> None:
    """The page shows the digits of a run that is trained here."""
    layer = learn_bae(seed, steps=STEPS, every=EVERY, **options).snapshots[place].layer
    weights = bae_map(layer, SENTENCES[sentence]).weights
    expected = {"weights": weights, "W_Q": layer.W_Q}
    for panel, numbers in expected.items():
        texts = [[f"{number:.2f}".replace("-0.00", "0.00") for number in row] for row in numbers]
        notebook.eventually(partial(without_minus_zero, notebook, panel), texts)


def without_minus_zero(notebook: Any, panel: str) -> list[list[str]]:
    return [[text.replace("-0.00", "0.00") for text in row] for row in notebook.texts(panel)]


def lab(notebook: Any) -> Any:
    return notebook.page.locator(".learning-lab")


def test_the_lab_follows_keys_menus_and_buttons(notebook: Any, shots: Any) -> None:
    shows(notebook, 30)
    notebook.page.screenshot(path=shots / "learning_lab.png")
    handle = lab(notebook).locator(".noUi-handle")
    handle.focus()
    for place in (29, 28, 27):
        handle.press("ArrowLeft")
        shows(notebook, place)
    notebook.settle()
    track = lab(notebook).locator(".noUi-base").bounding_box()
    notebook.page.mouse.click(track["x"] + 1, track["y"] + track["height"] / 2)
    shows(notebook, 0)
    lab(notebook).locator("b", has_text="Step 0 of 150").wait_for()
    notebook.page.screenshot(path=shots / "learning_lab_start.png")

    box = lab(notebook).locator(".number-box input")
    notebook.type_into(box, "40")
    shows(notebook, 8)
    lab(notebook).get_by_label("what is trained", exact=True).select_option(label="고파서 never seen")
    shows(notebook, 8, leave_out=["고파서"])
    lab(notebook).get_by_label("seed", exact=True).select_option(label="3")
    shows(notebook, 8, seed=3, leave_out=["고파서"])
    lab(notebook).get_by_label("sentence", exact=True).select_option(label="a ship")
    shows(notebook, 8, seed=3, sentence="ship", leave_out=["고파서"])

    own = lab(notebook).get_by_label("own sentence", exact=True)
    notebook.type_into(own, "배 pizza")
    refusal = lab(notebook).locator(".lab-refusal", has_text="pizza is none of these words")
    refusal.wait_for()
    field, said = own.bounding_box(), refusal.bounding_box()
    assert 0 <= said["y"] - field["y"] < 3 * field["height"] and own.input_value() == "배 pizza"
    shows(notebook, 8, seed=3, sentence="ship", leave_out=["고파서"])
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, 8, seed=3, leave_out=["고파서"])
    notebook.page.get_by_role("button", name="reset", exact=True).click()
    shows(notebook, 30)
    lab(notebook).get_by_text(SAID["reset"]).first.wait_for()


def test_presets(notebook: Any, shots: Any) -> None:
    menu = lab(notebook).get_by_label("start from", exact=True)
    for name, place, case in [
        ("before", 0, {}),
        ("unseen", 30, {"leave_out": ["고파서"]}),
        ("frozen", 30, {"learn_map": False}),
        ("after", 30, {}),
    ]:
        menu.select_option(label=PRESETS[name])
        shows(notebook, place, **case)
        lab(notebook).get_by_text(f"Step {place * EVERY} of 150").first.wait_for()
    menu.select_option(label=PRESETS["fast"])
    lab(notebook).get_by_text(MESSAGES["lost"].format(step=5, largest=LARGEST, left=MESSAGES["only"])).first.wait_for()
    shows(notebook, 0)
    notebook.page.screenshot(path=shots / "learning_lab_preset.png")
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, 30)


def test_every_word_of_the_history_has_its_name_and_no_frame_covers_its_colours(notebook: Any) -> None:
    history = lab(notebook).locator('[data-panel="through time"]')
    names = history.locator(".av-row-label > span")
    assert names.all_inner_texts() == list(SENTENCES["article"])
    assert [name.evaluate("(node) => getComputedStyle(node).opacity") for name in names.all()] == ["1"] * 8
    lab(notebook).get_by_label("seed", exact=True).select_option(label="3")
    shows(notebook, 30, seed=3)
    changed = history.locator(".av-changed")
    assert changed.count() > 0
    assert changed.first.evaluate("(node) => getComputedStyle(node).boxShadow") == "none"


def test_while_it_plays_no_frame_covers_a_colour(notebook: Any) -> None:
    framed = lab(notebook).locator(".av-changed")
    lab(notebook).get_by_label("start from", exact=True).select_option(label=PRESETS["unseen"])
    notebook.settle()
    assert framed.count() > 0  # of the preset
    lab(notebook).get_by_role("button", name=LABELS["play"]).click()
    shows(notebook, 30, leave_out=["고파서"])  # from the first step to the last
    lab(notebook).get_by_role("button", name=LABELS["play"]).wait_for()  # it has stopped
    notebook.settle()
    notebook.eventually(framed.count, 0)  # cells of closed strips follow late
