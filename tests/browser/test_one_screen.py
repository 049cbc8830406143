"""The labs on one screen, beside a side panel; before an audience and on a narrow page in test_every_lab."""

from typing import Any

import pytest
from harness import first_of

MASK = """\
import numpy as np
from attention_lib.labs import MaskWorkbench
X, W_Q = np.random.default_rng(0).integers(0, 3, (8, 4)), np.eye(4)
MaskWorkbench("the fluffy blue creature roamed the verdant forest".split(), X, W_Q, np.eye(4), np.eye(4))"""
LABS = {
    name: f"from attention_lib.labs import {name}\n{name}()"
    for name in (
        "Explorer",
        "ScalingLab",
        "LearningLab",
        "MistakeLab",
        "HeadBrowser",
        "CopyingLab",
        "AlignmentLab",
        "HeadSurgeryLab",
        "CacheStepper",
        "CacheSize",
    )
}
LABS |= {"MaskWorkbench": MASK}
LABS |= {
    f"TurningLab, {name}": f"from attention_lib.labs import TurningLab\nTurningLab({name!r})"
    for name in ("one", "four")
}
LABS["HeadSurgeryLab, eight"] = """\
from attention_lib.labs import HeadSurgeryLab
lab = HeadSurgeryLab()
lab._heads.box.value = "8"
lab._output.value = "random"
lab"""
REACHED = """\
from attention_lib.labs import ScalingLab
lab = ScalingLab()
lab.d_k.box.value = "1"
lab.d_k.box.value = "1024"
lab"""  # with the longest goal line
# As where the model for sentences of one's own is installed, and as where it is not, whatever is so on this machine.
CUP = """\
from unittest.mock import patch
from attention_lib.labs import HeadBrowser
with patch("attention_lib.labs.head_browser.weights_folder", return_value={folder}):
    lab = HeadBrowser("cup")
lab"""
CUPS = {"HeadBrowser, cup": CUP.format(folder="'there'"), "HeadBrowser, cup, no model": CUP.format(folder=None)}
AUDIENCE = LABS | {"ScalingLab, reached": REACHED} | CUPS
BOXES = """() => {
    const all = (selector) => [...document.querySelectorAll(`.attention-lab ${selector}`)];
    const lab = document.querySelector('.attention-lab').getBoundingClientRect();
    return {
        height: lab.height,
        seen: document.querySelector('.jp-WindowedPanel-outer').clientHeight,
        outside: all('[data-panel]').filter((panel) => panel.getBoundingClientRect().right > lab.right + 1)
            .map((panel) => panel.dataset.panel),
        cut: all('[data-panel]').filter((panel) => panel.scrollWidth > panel.clientWidth + 1
            && getComputedStyle(panel).overflowX !== 'auto' && panel.getBoundingClientRect().left + panel.scrollWidth
            > lab.right + 1).map((panel) => panel.dataset.panel),
    };
}"""

#: How high the digits of 01's map and of its bars are.
DIGITS = """() => ['[data-panel="weights"] .av-cell', '.attention-bars'].map((part) => {
    const pen = document.createElement('canvas').getContext('2d');
    const { fontSize, fontFamily } = getComputedStyle(document.querySelector(`.attention-explorer ${part}`));
    pen.font = `${fontSize} ${fontFamily}`;
    return pen.measureText('0').actualBoundingBoxAscent;
})"""

#: The smallest letters of what is seen in the panels.
LETTERS = """() => Math.min(...[...document.querySelectorAll('.attention-lab [data-panel] *')].filter((node) =>
    [...node.childNodes].some((part) => part.nodeType === Node.TEXT_NODE && part.textContent.trim())
    && node.checkVisibility({ opacityProperty: true, visibilityProperty: true }) && !node.closest('.av-axis')
    && getComputedStyle(node).color !== 'rgba(0, 0, 0, 0)')
    .map((node) => parseFloat(getComputedStyle(node).fontSize)))"""
#: Where every panel and every control stands.
PLACES = """() => {
    const parts = document.querySelectorAll('.attention-lab :is([data-panel], button, select, input)');
    return [...parts].map((part) => JSON.stringify(part.getBoundingClientRect()));
}"""
#: The goal becomes short, or as long as it can be.
SAY = """(long) => {
    const [said, room] = document.querySelectorAll('.lab-roomy .widget-html-content');
    said.innerHTML = long ? room.innerHTML : '<b>Reached.</b>';
}"""
WITH_GOALS = ("Explorer", "ScalingLab", "HeadBrowser", "AlignmentLab", "HeadSurgeryLab", "CacheSize")
# What cuts the words of a node.
CLIPPED = """(node) => {
    const { bottom } = node.querySelector('.widget-html-content').getBoundingClientRect();
    const cuts = (around) => getComputedStyle(around).overflowY !== 'visible'
        && around.getBoundingClientRect().bottom < bottom - 1;
    const found = [];
    for (let around = node; !around.matches('.jp-OutputArea-output'); around = around.parentElement) {
        if (cuts(around)) found.push(around.className);
    }
    return found;
}"""

# Whether a note lies on paper of its own: with an edge all around, and nothing below seen through.
ON_PAPER = """(node) => {
    const { backgroundColor, borderTopWidth, borderBottomWidth } =
        getComputedStyle(node.querySelector('.widget-html-content'));
    return [borderTopWidth, borderBottomWidth, backgroundColor.startsWith('rgb(')];
}"""

BAR = 17  # px: what the widest scroll bar takes from the page; the browser of the tests shows none


@pytest.mark.parametrize("name", first_of(LABS), scope="module")
def test_a_lab_stands_on_one_screen_beside_the_side_panel(name: str, open_notebook: Any, shots: Any) -> None:
    notebook = open_notebook.look_at(LABS[name], width=1440, height=790, shell="lab", dark=True)
    assert notebook.page.locator("#filebrowser >> visible=true").count()
    boxes = look(notebook, shots / f"beside_{name}.png")
    assert boxes["height"] <= boxes["seen"]
    assert (boxes["outside"], boxes["cut"]) == ([], [])


@pytest.mark.parametrize(
    "name",
    [
        "Explorer",
        "AlignmentLab",
        "MaskWorkbench",
        "HeadSurgeryLab",
        "MistakeLab",
        "TurningLab, four",
        "LearningLab",
        "CopyingLab",
    ],
    scope="module",  # one lab after the other
)
def test_a_small_window_beside_the_file_browser_shows_what_an_edit_does(
    name: str, open_notebook: Any, shots: Any
) -> None:
    notebook = open_notebook.look_at(LABS[name], width=1280 - BAR, height=720, shell="lab", dark=True)
    assert notebook.page.locator("#filebrowser >> visible=true").count()
    boxes = look(notebook, shots / f"small_{name}.png")
    assert boxes["height"] <= boxes["seen"]
    assert (boxes["outside"], boxes["cut"]) == ([], [])
    if name == "HeadSurgeryLab":  # the lab with the most panels
        assert notebook.page.evaluate(LETTERS) >= 10.5
    halves = "(menu) => getComputedStyle(menu).backgroundImage.split(getComputedStyle(menu).color).length - 1"
    assert notebook.page.locator(".attention-lab select").first.evaluate(halves) == 2, "its arrow is seen in the dark"


@pytest.mark.parametrize("name", first_of(WITH_GOALS))
def test_a_goal_that_is_reached_moves_nothing_at_any_width(name: str, open_notebook: Any) -> None:
    notebook = open_notebook(LABS[name])
    for width in (400, 700, 860, 940, 1020, 1280):
        notebook.use_size(width, 900)
        notebook.settle()
        before = notebook.page.evaluate(PLACES)
        for long in (True, False):
            notebook.page.evaluate(SAY, long)
            assert notebook.page.evaluate(PLACES) == before, (width, long)


def test_neither_a_click_in_the_mask_nor_what_is_said_then_moves_anything(open_notebook: Any) -> None:
    notebook = open_notebook(LABS["MaskWorkbench"], width=1280, height=720, shell="lab")
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    before = notebook.page.evaluate(PLACES)
    buttons = [notebook.page.get_by_role("button", name=name, exact=True) for name in ("reset", "flip all")]
    for thing in (notebook.cell("mask", 0, 3), notebook.cell("mask", 2, 4), *buttons):
        thing.click()
        notebook.settle()
        assert notebook.page.evaluate(PLACES) == before
    start = notebook.page.get_by_label("start from", exact=True)
    for name in ("causal, padding at the end", "everything, padding at the end"):
        start.select_option(label=name)
        notebook.settle()
        assert notebook.page.evaluate(PLACES) == before, name


def test_the_explorers_steps_stay_under_the_pointer_and_its_slider_beside_its_box(open_notebook: Any) -> None:
    notebook = open_notebook(LABS["Explorer"], width=1280, height=720, shell="lab")
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    track, box = (notebook.page.locator(f".explorer-value {part}").bounding_box() for part in (".noUi-target", "input"))
    assert track["x"] + track["width"] <= box["x"]
    before = notebook.page.evaluate(PLACES)
    for _ in range(5):
        notebook.page.get_by_role("button", name="step ▶", exact=True).click()
        notebook.settle()
        assert notebook.page.evaluate(PLACES) == before


def test_a_caption_of_the_alignment_lab_moves_nothing(open_notebook: Any) -> None:
    notebook = open_notebook(LABS["AlignmentLab"], width=1280, height=720, shell="lab")
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    before = notebook.page.evaluate(PLACES)
    caption = notebook.panel("weights").locator(".av-caption")
    for said in ("Short.", "I reads 배가, 너무, 고파서, 밥을 alike (0.25); " * 5):
        caption.evaluate("(caption, said) => { caption.textContent = said; }", said)
        assert notebook.page.evaluate(PLACES) == before


@pytest.mark.parametrize("name", first_of(LABS))
def test_a_long_sentence_of_a_lab_moves_nothing(name: str, open_notebook: Any) -> None:
    notebook = open_notebook(LABS[name])
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    before = notebook.page.evaluate(PLACES)
    message = notebook.page.locator(".lab-message").first
    assert message.evaluate(ON_PAPER)[:2] == ["0px", "0px"], "where nothing is said, nothing lies there"
    notebook.python("None", "_._message.say('a sentence that goes on ' * 20)")
    notebook.page.locator(".lab-message", has_text="a sentence that goes on").wait_for()
    notebook.settle()
    assert notebook.page.evaluate(PLACES) == before
    assert message.evaluate(CLIPPED) == []
    assert message.evaluate(ON_PAPER) == ["1px", "1px", True], "over what is below, it is seen to lie there"


def look(notebook: Any, shot: Any) -> Any:
    """Bring the lab to the top of the page, take a picture, and return how large its parts are."""
    notebook.page.locator(".attention-lab").first.wait_for()
    notebook.settle()
    notebook.page.evaluate("document.querySelector('.attention-lab').scrollIntoView({ block: 'start' })")
    notebook.page.screenshot(path=shot)
    return notebook.page.evaluate(BOXES)
