"""Every lab in a real browser: read at a glance, before an audience and on a phone, by keys and by axe-core.

After an edit the page holds what Python holds: tests/live/test_pages.py asks every lab that calculates in the page.
"""

import base64
import io
import json
import os
from pathlib import Path
from typing import Any

import present
import pytest
from harness import first_of
from PIL import Image
from PIL.PngImagePlugin import PngInfo
from test_for_everyone import AXE, CELLS, LABS, OUTPUT, RUN_AXE, STOPS_OF_PARTS

from attention_lib import lessons
from attention_lib.live.lab import SHARPNESS

SMALLEST, GOAL = 12, 15  # px, as drawn beside the file browser
AUDIENCE = {(1280, 720): 18, (1920, 1080): 26}  # px, at these sizes of the page
#: Every text that is seen, with the size of its letters as drawn: [size, text].
LETTERS = """() => {
    const lab = document.querySelector('.attention-lab');
    const walk = document.createTreeWalker(lab, NodeFilter.SHOW_TEXT);
    const found = [];
    for (let text; (text = walk.nextNode()); ) {
        const node = text.parentElement;
        const { width, height } = node.getBoundingClientRect();
        const seen = { opacityProperty: true, visibilityProperty: true };
        if (!text.data.trim() || !width || !height || !node.checkVisibility(seen)) continue;
        if (node.closest('.attention-keeper, .av-hidden, option, style, title')) continue;
        let size = parseFloat(getComputedStyle(node).fontSize);
        const svg = node.closest('svg');
        if (svg?.viewBox.baseVal.width) size *= svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
        found.push([Number(size.toFixed(2)), text.data.trim()]);
    }
    return found;
}"""
#: How many lines the rows of controls take that are seen, and how the goal is set.
ROWS = """() => {
    const rows = [...document.querySelectorAll('.attention-lab .lab-row')].filter((row) => row.checkVisibility());
    const tops = rows.map((row) => new Set([...row.querySelectorAll('button, select, input, .noUi-target')]
        .filter((node) => node.checkVisibility()).map((node) => {
            const { top, height } = node.getBoundingClientRect();
            return Math.round((top + height / 2) / 12);
        })).size);
    const { fontSize, fontWeight } = getComputedStyle(document.querySelector('.lab-goal .widget-html-content'));
    return { lines: tops, goal: [parseFloat(fontSize), Number(fontWeight)] };
}"""
#: What sticks out of the output and is in nothing that scrolls.
OUTSIDE = """(output) => {
    const edge = output.getBoundingClientRect().right + 1;
    const scrolls = (node) => node !== output && (
        ['auto', 'scroll'].includes(getComputedStyle(node).overflowX) && node.getBoundingClientRect().right <= edge
        || scrolls(node.parentElement));
    const parts = 'select, input, button, [data-panel], .av-cell, .widget-html-content, svg, img';
    return [...output.querySelectorAll(parts)].filter((node) => node.checkVisibility({ visibilityProperty: true })
        && node.getBoundingClientRect().right > edge && !scrolls(node.parentElement))
        .map((node) => `${node.tagName} ${node.getAttribute('class')} ${node.textContent.slice(0, 30)}`);
}"""
#: Buttons whose names are cut, and captions that are narrower than a word.
CUT = """(output) => [...output.querySelectorAll('button, .av-caption:not(:empty)')].filter((node) =>
    node.checkVisibility() && node.scrollWidth > node.clientWidth + 1).map((node) => node.textContent)"""
ENLARGE = """(sizes) => {
    document.body.classList.add('jp-mod-presentationMode');
    for (const [name, size] of Object.entries(sizes)) document.documentElement.style.setProperty(name, size);
}"""
AS_BEFORE = """(names) => {
    document.body.classList.remove('jp-mod-presentationMode');
    for (const name of names) document.documentElement.style.removeProperty(name);
}"""
TYPE = {
    f"--jp-{name}": size
    for name, size in present.SETTINGS["@jupyterlab/apputils-extension:themes"]["overrides"].items()
}
NARROW = (800, 640, 390)  # a tablet, a page at 200 %, a phone
PICTURED = [*LABS, "MovingPoint.ko", "Explorer.ko"]
WINDOW = {"width": 1280, "height": 1000}  # pixels: in it no picture is cut
FROM_KERNEL = "from attention_lib import language\nfrom attention_lib.live.lab import is_a_picture"
VALUES = """(lab) => [...lab.querySelectorAll('input, select')].filter((box) => box.checkVisibility())
    .map((box) => box.value)"""
#: A sentence in a strip above the lab; returns the room of both.
PUT_ABOVE = """(lab, sentence) => {
    const look = 'background: #e8e8e8; padding: 6px; margin-bottom: 12px; text-align: center; line-height: 1.4;';
    lab.insertAdjacentHTML('afterbegin', `<div style="${look}">${sentence}</div>`);
    lab.getAnimations({ subtree: true }).forEach((motion) => motion.finish());
    const { x, y, width, height } = lab.getBoundingClientRect();
    return { x: x - 4, y: y - 4, width: width + 8, height: height + 8 };
}"""
COLOURS = 256  # as many as one byte tells apart; this method takes those that differ most
# The scope of what follows makes pytest run all tests of one lab one after the other.


@pytest.mark.parametrize("dark", first_of([False, True]), ids=["light", "dark"])
@pytest.mark.parametrize("name", CELLS, scope="module")
def test_a_lab_is_read_at_a_glance_its_tab_stops_are_few_and_axe_finds_nothing(
    name: str, dark: bool, open_notebook: Any
) -> None:
    """Beside the file browser. Each matrix is one stop, and so is each row of buttons."""
    notebook = open_notebook.look_at(CELLS[name], width=1280, height=720, shell="lab", dark=dark)

    def is_read() -> None:
        output = notebook.page.locator(f"{OUTPUT} .jp-OutputArea-output").first
        assert [text for text in notebook.page.evaluate(LETTERS) if text[0] < SMALLEST] == []
        assert (output.evaluate(OUTSIDE), output.evaluate(CUT)) == ([], [])

    if name in LABS:
        rows = notebook.page.evaluate(ROWS)
        assert rows["lines"] in ([], [1]), "one row of controls, in one line"
        assert rows["goal"][0] >= GOAL and rows["goal"][1] >= 600
        words = notebook.page.locator("details", has_text="The stored picture, in words")
        assert words.count() and not words.first.is_visible(), "they are for who sees no live lab"
        parts = notebook.page.locator(f"{OUTPUT} .attention-lab").evaluate(STOPS_OF_PARTS)
        assert {name: set(counts) for name, counts in parts.items() if set(counts) - {1}} == {}, parts
        is_read()
    if not AXE.exists():
        assert os.environ.get("CI") != "true", "axe-core is not installed: make tools/javascript/node_modules/installed"
        pytest.skip("axe-core is not installed: make tools/javascript/node_modules/installed")
    if notebook.page.evaluate("typeof axe") == "undefined":
        notebook.page.evaluate(AXE.read_text("utf-8"))
    for switch in notebook.page.locator(f"{OUTPUT} .widget-toggle-button:text-is('More') >> visible=true").all():
        notebook.as_it_opened = False
        switch.click()
        notebook.settle()
        is_read()
    assert notebook.await_("axe", RUN_AXE) == []


@pytest.mark.parametrize("name", PICTURED, scope="module")
def test_the_stored_picture_shows_the_words_and_numbers_of_the_lab(name: str, open_notebook: Any) -> None:
    """`make pictures` runs this alone, and takes the pictures before it compares."""
    lab, _, edition = name.partition(".")
    cell = f"import attention_lib\nattention_lib.language({edition!r})\n{LABS[lab]}" if edition else LABS[lab]
    notebook = open_notebook.look_at(cell, shell="lab", **WINDOW)
    shown = notebook.page.locator(f"{OUTPUT} .attention-lab")
    sentence = notebook.python("is_a_picture()", FROM_KERNEL)
    if edition:
        notebook.python("language('en')", FROM_KERNEL)  # the kernel is the next test's too
    words = [sentence, *(text for _, text in notebook.page.evaluate(LETTERS)), *shown.evaluate(VALUES)]
    path = (lessons.FOLDER / lessons.LABS[lab].replace(".", "/")).with_suffix(f".{edition}.png" if edition else ".png")
    if os.environ.get("PICTURES") == "taken":
        take(notebook, path, words)
    stored = json.loads(Image.open(path).text["words"]) if path.exists() else []
    assert words == stored, "the lab has changed since its picture was taken: run make pictures, then make notebooks"


def take(notebook: Any, path: Path, words: list[str]) -> None:
    """Store what the page shows of a lab, in few colours, under the first of the words, and all words with it."""
    notebook.as_it_opened = False
    room = notebook.page.locator(f"{OUTPUT} .attention-lab").evaluate(PUT_ABOVE, words[0])
    screen = notebook.page.context.new_cdp_session(notebook.page)
    shot = screen.send("Page.captureScreenshot", {"clip": {**room, "scale": SHARPNESS}})["data"]
    screen.detach()
    picture = Image.open(io.BytesIO(base64.b64decode(shot))).convert("RGB")
    told = PngInfo()
    told.add_itxt("words", json.dumps(words, ensure_ascii=False), zip=True)
    few = picture.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, kmeans=3, dither=Image.Dither.NONE)
    few.save(path, pnginfo=told, optimize=True)


@pytest.mark.parametrize("name", first_of(LABS), scope="module")
def test_a_lab_is_read_from_the_last_row_and_on_a_phone(name: str, open_notebook: Any) -> None:
    notebook = open_notebook.look_at(LABS[name])
    output = notebook.page.locator(f"{OUTPUT} .jp-OutputArea-output").first
    notebook.page.evaluate(ENLARGE, TYPE)
    style = notebook.page.add_style_tag(content=present.STYLE.read_text("utf-8"))
    for (width, height), smallest in AUDIENCE.items():
        notebook.use_size(width, height)
        notebook.settle()
        assert [text for text in notebook.page.evaluate(LETTERS) if text[0] < smallest] == []
        assert output.evaluate(OUTSIDE) == []
    style.evaluate("(style) => style.remove()")
    notebook.page.evaluate(AS_BEFORE, list(TYPE))
    for width in NARROW:
        notebook.use_size(width, 900)
        notebook.settle()
        assert (width, output.evaluate(OUTSIDE), output.evaluate(CUT)) == (width, [], [])


def test_what_is_only_heard_makes_no_room(open_notebook: Any) -> None:
    """A sentence for a screen reader stands beside the lab, unseen; it must not make the output wider."""
    notebook = open_notebook(LABS["CacheStepper"])
    notebook.page.get_by_role("button", name="Check ▶").click()
    notebook.settle()
    spoken = notebook.page.locator(".attention-spoken").first
    notebook.eventually(lambda: "Click the tiles" in spoken.inner_text(), True)
    output = notebook.page.locator(f"{OUTPUT} .jp-OutputArea-output").first
    assert output.evaluate("(output) => output.scrollWidth - output.clientWidth") <= 0


def test_a_followed_word_lights_up_on_its_way_to_its_output_and_nothing_does_under_the_hand(open_notebook: Any) -> None:
    notebook = open_notebook("from attention_lib.lessons import Explorer\nExplorer('plain')")
    steps = """() => Object.fromEntries([...document.querySelectorAll('[data-panel]')].map((panel) => {
        const cell = panel.querySelector('.av-lit') ?? panel.querySelector('.av-cell');
        const { animationName, animationDelay } = getComputedStyle(cell);
        return [panel.dataset.panel, animationName === 'none' ? null : parseFloat(animationDelay)];
    }))"""
    notebook.page.locator('[data-panel="X"] .av-row-label').nth(3).click()
    notebook.settle()
    delays = notebook.page.evaluate(steps)
    order = [delays[name] for name in ("X", "query", "score", "scaled score", "weight")]
    assert None not in order and order == sorted(set(order)) and delays["W_Q"] is None
    notebook.page.emulate_media(reduced_motion="reduce")
    assert set(notebook.page.evaluate(steps).values()) == {None}
    notebook.page.emulate_media(reduced_motion="no-preference")
    x, y = notebook.grab(notebook.cell("W_Q", 0, 0))
    notebook.page.mouse.move(x + 60, y, steps=6)
    notebook.page.mouse.up()
    notebook.settle()
    assert set(notebook.page.evaluate(steps).values()) == {None}


def test_the_checks_of_the_mistake_lab_answer_in_view(open_notebook: Any) -> None:
    """Beside the file browser, at 1280 × 720 and with "More" open, below the cell that opens the lab."""
    notebook = open_notebook(LABS["MistakeLab"], width=1280, height=720, shell="lab")
    for name in ("More", "Run the checks"):
        notebook.page.get_by_role("button", name=name, exact=True).click()
    last = notebook.page.locator(".mistake-checks li", has_text="notice nothing")
    bottom = "(node) => node.getBoundingClientRect().bottom"
    status = notebook.page.locator("#jp-bottom-panel").evaluate("(node) => node.getBoundingClientRect().top")
    notebook.eventually(lambda: last.evaluate(bottom) <= status, True)
