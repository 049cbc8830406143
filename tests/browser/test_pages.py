"""The pages that need no kernel, in a real Chromium: opened as files, with no network, wide and as wide as a phone."""

import contextlib
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import make_pages
import pytest
from harness import asking_nobody, first_of, texts_of

from attention_lib._numbers import number_text
from attention_lib.lessons.self_attention import explorer

PATIENCE = 10_000  # ms
WIDTHS = {"wide": (1280, 720), "phone": (390, 844)}
FINGER = 40  # px, of all that a finger taps or drags
SMALL = """(least) => [...document.querySelectorAll('a, button, select, :is(.av-editable, .av-clickable) .av-cell')]
    .map((node) => [node.textContent, node.getBoundingClientRect()])
    .filter(([, { width, height }]) => Math.min(width, height) < least - 0.5).map(([text]) => text)"""
SCREENS = [(1280, 720), (1600, 900), (1024, 768), (390, 844)]
DRAWN = "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(null))))"
EDITS = {  # panel, row, column, value
    "explorer": ("W_Q", 0, 1, 1.5),
    "mask_workbench": ("mask", 2, 6, 1),
    "alignment": ("context", 1, 0, -0.75),
    "head_surgery": ("switch 1", 0, 0, 0),
}


OUTSIDE = """() => [...document.querySelectorAll('.av-panel')].flatMap((panel) => {
    const around = panel.getBoundingClientRect();
    return [...panel.querySelectorAll('.av-axis, .av-title, .av-grid')]
        .filter((part) => part.checkVisibility() && !getComputedStyle(part).clipPath.startsWith('inset'))
        .filter((part) => part.getBoundingClientRect().left < around.left - 1)
        .map((part) => `${panel.dataset.panel}: ${part.textContent.slice(0, 30)}`);
})"""
OVERLAPS = """() => {
    const lines = ['gloss', 'controls', 'do', 'only'].map((name) => `.lone-${name}`);
    const parts = [...document.querySelectorAll(['.av-grid', ...lines])];
    const nameOf = (part) => part.parentElement.dataset.panel || part.className;
    const boxes = parts.map((part) => [nameOf(part), part.getBoundingClientRect()]);
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
    return boxes.flatMap(([one, a], i) => boxes.slice(i + 1).filter(([, b]) => over(a, b)).map(([two]) => [one, two]));
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("pages")
    make_pages.write(out)
    return out


@pytest.fixture(scope="module")
def window(browser: Any) -> Iterator[Any]:
    """A window of a size, with no network, for one page after the other."""
    pages: dict[str, Any] = {}

    def window_(size: str) -> Any:
        if size not in pages:
            pages[size] = browser.new_context(offline=True, has_touch=size == "phone").new_page()
            pages[size].set_default_timeout(PATIENCE)
        return pages[size]

    yield window_
    for page in pages.values():
        page.context.close()


@pytest.fixture
def open_page(window: Any, folder: Path) -> Iterator[Any]:
    """Open a page from its file."""
    with contextlib.ExitStack() as watched:

        def open_(name: str, size: str = "wide", start: str = "") -> Any:
            page = window(size)
            watched.enter_context(asking_nobody(page, ("error", "warning")))
            width, height = WIDTHS[size]
            page.set_viewport_size({"width": width, "height": height})
            page.goto((folder / f"{name}.html").as_uri() + (f"#{start}" if start else ""))
            return page

        yield open_


def edit(page: Any, panel: str, row: int, column: int, value: float) -> None:
    """Type a number into a cell, or switch it where it is one of a mask."""
    line = page.locator(f'[data-panel="{panel}"] .av-grid > .av-line').nth(row + 1)
    target = line.locator(".av-value").nth(column)
    if target.get_attribute("role") == "checkbox":
        target.click()
        return
    target.focus()
    page.keyboard.type(f"{value:g}")
    page.keyboard.press("Enter")


def played(name: str) -> Any:
    """Return the lab in Python, after the edit of its page."""
    lab: Any = make_pages.PAGES[name].make()
    panel, row, column, value = EDITS[name]
    message = {"do": "edit", "panel": panel, "row": row, "column": column, "value": value, "gesture": "one"}
    lab.view._act(message)
    return lab


def digits_of(lab: Any) -> dict[str, list[list[str]]]:
    panels = {name: panel for name, panel in lab.view.panels.items() if not panel.dense}
    numbers = {name: panel for name, panel in panels.items() if panel.kind in ("weights", "signed")}
    return {
        name: [[number_text(value, panel.digits).replace("−", "-") for value in row] for row in lab.view[name]]
        for name, panel in numbers.items()
    }


def shows(page: Any, digits: dict[str, list[list[str]]]) -> None:
    """Wait until the page shows these."""
    end = time.monotonic() + PATIENCE / 1000
    panels = {name: page.locator(f'[data-panel="{name}"]') for name in digits}
    while (found := {name: texts_of(panels[name]) for name in digits}) != digits and time.monotonic() < end:
        page.wait_for_timeout(30)
    assert found == digits


def says(page: Any, sentence: str) -> None:
    """Wait until this, and nothing else, is what the page says."""
    page.wait_for_function("(said) => document.querySelector('.lone-said').textContent === said", arg=sentence)


@pytest.mark.parametrize("size", first_of(WIDTHS))
@pytest.mark.parametrize("name", make_pages.PAGES)
def test_an_edit_is_followed_to_the_digit_and_nothing_is_fetched(name: str, size: str, open_page: Any) -> None:
    page = open_page(name, size)
    shows(page, digits_of(make_pages.PAGES[name].make()))
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert size != "phone" or page.evaluate(SMALL, FINGER) == []
    edit(page, *EDITS[name])
    lab = played(name)
    shows(page, digits_of(lab))
    page.evaluate(DRAWN)
    shown = page.locator(".av-caption:not(:empty)").all_inner_texts()
    told = "\n".join(lab.view._captions.values())
    assert all(words in told for words in shown)  # Python may have more to say than what still holds
    assert page.locator(".av-alarm").inner_text() == ""


@pytest.mark.parametrize("name", make_pages.PAGES)
def test_no_part_of_a_page_lies_on_another_or_beside_it(name: str, open_page: Any) -> None:
    page = open_page(name)
    page.locator(".av-cell").first.wait_for()

    def fits(*where: Any) -> None:
        page.evaluate("new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))")
        assert page.evaluate(OVERLAPS) == [], where
        assert page.evaluate(OUTSIDE) == [], where
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), where

    for width, height in SCREENS:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("(size) => innerWidth === size[0] && innerHeight === size[1]", arg=[width, height])
        fits(width, height)
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_function("innerWidth === 1280")
    for preset in page.locator("option:enabled").evaluate_all("(options) => options.map(({ value }) => value)"):
        page.locator("select").select_option(preset)
        fits(preset)


def test_starts_and_reset_say_what_they_did(open_page: Any) -> None:
    page = open_page("alignment", start="setting")
    lab: Any = make_pages.PAGES["alignment"].make()
    shows(page, digits_of(lab))  # no start of that name: the first one
    names = list(lab.presets)
    assert page.locator("select").input_value() == names[0]
    page.locator("select").select_option(names[1])
    lab._start_from(names[1])
    shows(page, digits_of(lab))
    says(page, make_pages.SAID["loaded"])
    assert (
        page.locator(".lone-gloss").inner_text()
        == make_pages.data_of(make_pages.PAGES["alignment"])["starts"][1]["gloss"]
    )
    begun = digits_of(lab)
    edit(page, "W_K", 0, 0, 2.25)
    page.wait_for_function("document.querySelector('.lone-said').textContent === ''")
    assert page.locator("option:checked").inner_text() == "changed by you"
    page.get_by_role("button", name="Start again", exact=True).click()
    shows(page, begun)
    says(page, make_pages.SAID["reset"])
    assert page.locator("select").input_value() == names[1]


def test_a_finger_drags_a_number_on_a_phone_and_the_weights_stay_in_sight(open_page: Any) -> None:
    page = open_page("explorer", "phone")
    cell = page.locator('[data-panel="W_K"] .av-value').first
    cell.scroll_into_view_if_needed()
    box = cell.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)
    for kind, by in [("touchStart", 0), *(("touchMove", 6 * i) for i in range(1, 11)), ("touchEnd", 0)]:
        points = [] if kind == "touchEnd" else [{"x": x + by, "y": y}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    page.wait_for_function(
        "document.querySelector('[data-panel=\"W_K\"] .av-value').textContent !== '1.00'", timeout=PATIENCE
    )
    page.evaluate(DRAWN)  # what the finger did last
    value = float(cell.inner_text())
    lab: Any = make_pages.PAGES["explorer"].make()
    lab.change(explorer.with_number(replace(lab.state, cell=("W_K", 0, 0)), value))
    shows(page, digits_of(lab))
    says(page, "Bars past their red line: 1 of 3.")
    weights = page.locator('[data-panel="weight"]').bounding_box()
    assert value > 1 and weights["y"] >= 0 and weights["y"] + weights["height"] <= box["y"]
