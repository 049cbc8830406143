"""How soon each lab answers a step of the reader's: python tools/bench_labs.py [lab ...]

Times run from the event in the page to new digits in a panel, in milliseconds, over the steps that changed something.
A number of the Explorer is also dragged for a while. This fails where a lab needs more than 66 ms, which are four
frames, or where one of four moves of the drag shows no picture, so give it a machine that does nothing else.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from harness import CHROMIUM_FLAGS, NotebookPage, chromium_path  # noqa: E402
from lab_server import LabServer, write_notebook  # noqa: E402

SLOWEST = 66  # ms
STEPS, WARM_UP = 24, 4
UNSEEN = 3000  # ms after which a step has changed nothing that is shown
DRAG_SECONDS, DRAG_MOVES, FEWEST_PICTURES = 2.0, 120, 90  # of so many moves of the hand

WATCH = """([selector, event]) => {
    window.stepped = null;
    window.pictures = 0; // frames in which the digits changed
    let counted = false;
    new MutationObserver(() => {
        stepped ??= performance.now();
        if (counted) return;
        counted = true;
        pictures += 1;
        requestAnimationFrame(() => { counted = false; });
    }).observe(document.querySelector(selector), { subtree: true, characterData: true, childList: true });
    document.addEventListener(event, () => { window.pressed = performance.now(); window.stepped = null; }, true);
}"""
TAKEN = """(unseen) => new Promise((resolve) => {
    const look = () => {
        if (stepped !== null) resolve(stepped - pressed);
        else if (performance.now() - pressed > unseen) resolve(null);
        else setTimeout(look, 5);
    };
    look();
})"""

Step = Callable[[NotebookPage, int], Any]


class Bench(NamedTuple):
    """A cell, the selector of what to watch, the event that counts, and how the i-th step is taken on the page."""

    cell: str
    watched: str
    event: str
    step: Step


def lab_bench(lab: str, panel: str, event: str, step: Step, arguments: str = "", alone: bool = False) -> Bench:
    """Watch a panel of a lab, or the view in which it stands alone: a panel whose title changes is built anew."""
    cell = f"from attention_lib.lessons import {lab}\nlab = {lab}({arguments})\nlab"
    watched = f'[data-panel="{panel}"] .av-grid'
    return Bench(cell, f'.attention-view:has([data-panel="{panel}"])' if alone else watched, event, step)


def to_and_fro(keys: tuple[str, str], selector: str, times: int = 10) -> Step:
    """Press one key some times, then the other as often, on the first such element."""
    return lambda page, i: page.page.locator(selector).first.press(keys[i // times % 2])


def click(panel: str, row: int, column: int) -> Step:
    """Click one cell of a panel."""
    return lambda page, i: page.cell(panel, row, column).click()


WORDS = "'the fluffy blue creature roamed the verdant forest'.split()"
INPUTS = f"{WORDS}, np.random.default_rng(0).integers(0, 3, (8, 4)), np.eye(4), np.eye(4), np.eye(4)"
ACROSS, UP_DOWN = ("ArrowLeft", "ArrowRight"), ("ArrowDown", "ArrowUp")
SLIDER, VALUE = ".noUi-handle", '[data-panel="{}"] .av-value'
BENCHES = {
    "Explorer": lab_bench("Explorer", "score", "keydown", to_and_fro(UP_DOWN, VALUE.format("W_Q"))),
    "HeadBrowser": lab_bench(
        "HeadBrowser", "map", "keydown", to_and_fro(UP_DOWN, ".small-maps [aria-pressed=true]", 3), alone=True
    ),
    "HeadSurgeryLab": lab_bench("HeadSurgeryLab", "learned", "pointerdown", click("switch 2", 0, 0)),
    "MaskWorkbench": lab_bench("MaskWorkbench", "weights", "pointerdown", click("mask", 0, 7), INPUTS),
}


def measure(page: NotebookPage, bench: Bench) -> list[float]:
    """Take the steps; return the milliseconds of those that changed what is watched."""
    page.run_all()
    page.page.wait_for_selector(bench.watched, state="attached")  # some stand behind "More"
    page.settle()
    page.page.evaluate(WATCH, [bench.watched, bench.event])
    took = []
    for i in range(STEPS):
        bench.step(page, i)
        took.append(page.page.evaluate(TAKEN, UNSEEN))
    return [milliseconds for milliseconds in took[WARM_UP:] if milliseconds is not None]


def drag(page: NotebookPage) -> int:
    """Drag a number sideways, one step a frame; return how many pictures the moves bring about."""
    number = page.page.locator(VALUE.format("W_Q")).first
    number.press("Home")  # the smallest that it can be
    x, y = page.grab(number)
    page.page.evaluate("window.pictures = 0")
    start = time.perf_counter()
    for i in range(1, DRAG_MOVES + 1):
        page.page.mouse.move(x + 3 * i, y)
        time.sleep(max(0, start + i * DRAG_SECONDS / DRAG_MOVES - time.perf_counter()))
    page.page.mouse.up()
    return int(page.page.evaluate("pictures"))


def main() -> None:
    """Measure and print; fail where a lab is slow."""
    from playwright.sync_api import sync_playwright

    slow = []
    with tempfile.TemporaryDirectory() as folder, LabServer(Path(folder)) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        try:
            for name in sys.argv[1:] or BENCHES:
                write_notebook(server.root / f"{name}.ipynb", ["import numpy as np", BENCHES[name].cell])
                page = NotebookPage(chromium.new_context(), server, f"{name}.ipynb", size=(1440, 1500))
                took = measure(page, BENCHES[name])
                pictures = drag(page) if name == "Explorer" else None
                page.close()
                if len(took) < (STEPS - WARM_UP) / 2:
                    sys.exit(f"{name}: only {len(took)} steps changed anything")
                median, late = np.percentile(took, [50, 95])
                print(f"{name:16}{median:6.0f} ms at the median, {late:6.0f} ms for 19 steps of 20", flush=True)
                slow += [name] if median > SLOWEST else []
                if pictures is not None:
                    print(f"{name:16}{pictures:6} pictures for {DRAG_MOVES} moves of a number", flush=True)
                    slow += [f"{name}, dragged"] if pictures < FEWEST_PICTURES else []
        finally:
            chromium.close()
    if slow:
        sys.exit(f"More than {SLOWEST} ms a step, or fewer than {FEWEST_PICTURES} pictures: {', '.join(slow)}")


if __name__ == "__main__":
    main()
