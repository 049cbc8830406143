"""How soon each lab answers a step of the reader's: python tools/benchmarks/bench_labs.py [lab ...]

From the event in the page to new digits in a panel, in milliseconds, at the median of the
steps that changed something; the view and the explorer are measured more finely by bench_live.py.
It fails where a lab needs more than 66 ms, four frames, so give it a machine that does nothing else.
"""

import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from harness import CHROMIUM_FLAGS, NotebookPage, chromium_path  # noqa: E402
from lab_server import LabServer, write_notebook  # noqa: E402

SLOWEST = 66  # ms
STEPS, WARM_UP = 24, 4
UNSEEN = 300  # ms after which a step has changed nothing that is shown

WATCH = """([panel, event]) => {
    window.stepped = null;
    new MutationObserver(() => { stepped ??= performance.now(); }).observe(
        document.querySelector(`[data-panel="${panel}"] .av-grid`),
        { subtree: true, characterData: true, childList: true });
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


class Bench(NamedTuple):
    """A lab, the panel to watch, the event that counts, and how the i-th step is taken on the page."""

    cell: str
    panel: str
    event: str
    step: Callable[[NotebookPage, int], Any]


def cell_of(lab: str, arguments: str = "") -> str:
    """Return the cell that shows a lab."""
    return f"import numpy as np\nfrom attention_lib.labs import {lab}\nlab = {lab}({arguments})\nlab"


def to_and_fro(
    keys: tuple[str, str], selector: str, place: int = 0, times: int = 10
) -> Callable[[NotebookPage, int], Any]:
    """Press one key some times, then the other as often, on one element."""
    return lambda page, i: page.page.locator(selector).nth(place).press(keys[i // times % 2])


X = "np.random.default_rng(0).integers(0, 3, (8, 4))"
SENTENCE = "'the fluffy blue creature roamed the verdant forest'.split()"
ACROSS, UP_DOWN = ("ArrowLeft", "ArrowRight"), ("ArrowDown", "ArrowUp")
BENCHES = {
    "HeadBrowser": Bench(
        cell_of("HeadBrowser"), "map", "keydown", to_and_fro(UP_DOWN, ".at-map[aria-pressed=true]", times=3)
    ),
    "HeadSurgeryLab": Bench(
        cell_of("HeadSurgeryLab"), "learned", "pointerdown", lambda page, _: page.cell("switch 0", 0, 0).click()
    ),
    "MaskWorkbench": Bench(
        cell_of("MaskWorkbench", f"{SENTENCE}, {X}, np.eye(4), np.eye(4), np.eye(4)"),
        "weights",
        "pointerdown",
        lambda page, _: page.cell("mask", 0, 7).click(),
    ),
    "TurningLab": Bench(cell_of("TurningLab"), "turned", "keydown", to_and_fro(ACROSS, ".lab-turninglab .noUi-handle")),
    "TurningLab, a cell": Bench(
        cell_of("TurningLab"), "score", "keydown", to_and_fro(UP_DOWN, '[data-panel="moves"] .av-value')
    ),
}


def measure(page: NotebookPage, bench: Bench) -> list[float]:
    """Take the steps; return the milliseconds of those that changed what the panel shows."""
    page.run_all()
    page.page.wait_for_selector(f'[data-panel="{bench.panel}"] .av-cell')
    page.settle()
    page.page.evaluate(WATCH, [bench.panel, bench.event])
    took = []
    for i in range(STEPS):
        bench.step(page, i)
        took.append(page.page.evaluate(TAKEN, UNSEEN))
    return [milliseconds for milliseconds in took[WARM_UP:] if milliseconds is not None]


def main() -> None:
    """Measure and print; fail where a lab is slow."""
    from playwright.sync_api import sync_playwright

    slow = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        home = Path(folder)
        (home / "notebooks").mkdir()
        server = LabServer(home, home / "notebooks")
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        try:
            for name in sys.argv[1:] or BENCHES:
                write_notebook(server.root / f"{name}.ipynb", [BENCHES[name].cell])
                page = NotebookPage(chromium.new_context(), server, f"{name}.ipynb", size=(1440, 1500))
                took = measure(page, BENCHES[name])
                page.close()
                seen = statistics.median(took) if len(took) >= (STEPS - WARM_UP) / 2 else float("inf")
                print(f"{name:16}{seen:6.0f} ms a step, at the median of {len(took)}", flush=True)
                slow += [name] if seen > SLOWEST else []
        finally:
            chromium.close()
            server.stop()
    if slow:
        sys.exit(f"More than {SLOWEST} ms a step: {', '.join(slow)}")


if __name__ == "__main__":
    main()
