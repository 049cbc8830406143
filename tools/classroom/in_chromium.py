"""One learner of the trial in a real Chromium: the log-in page, all of 01 run, the explorer by key."""

import sys
import time
from pathlib import Path
from typing import Any

from .learner import Learner

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from harness import CHROMIUM_FLAGS, NotebookPage, chromium_path  # noqa: E402

PRESSES = 20


class OnHub:
    """What `NotebookPage` has to know of a server: here one behind a hub."""

    dark = False

    def __init__(self, learner: Learner) -> None:
        self.url, self.api = learner.home.rstrip("/"), lambda *_: []


def visit(found: Any, learner: Learner, hub: str) -> None:
    """Log in, open 01, run it, press keys in the explorer; say what held and what it took."""
    from playwright.sync_api import sync_playwright

    if chromium_path() is None:
        print("  skipped: there is no Chromium")
        return
    print("One in Chromium")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        context = chromium.new_context()
        enter(context, learner, hub)
        start = time.perf_counter()
        page = NotebookPage(context, OnHub(learner), "notebooks/01_self_attention.ipynb")  # type: ignore[arg-type]
        found.took("01 open, its kernel idle", [time.perf_counter() - start])
        page.restart_kernel()  # the one of this learner's earlier page is still there
        start = time.perf_counter()
        page.run_all()
        found.took("Run All of 01", [time.perf_counter() - start])
        keys(found, page)
        found.held("nothing was fetched from elsewhere", not page.foreign, page.foreign)
        page.page.evaluate("window.onbeforeunload = null")
        chromium.close()


def enter(context: Any, learner: Learner, hub: str) -> None:
    """Type name and password, and wait for one's own page."""
    page = context.new_page()
    page.goto(f"{hub}/hub/login")
    page.fill("#username_input", learner.name)
    page.fill("#password_input", learner.password)
    page.click("#login_submit")
    page.wait_for_url("**/lab/**", timeout=120_000)
    page.close()


def keys(found: Any, page: NotebookPage) -> None:
    """Press a key in the explorer again and again: the page must show at its end what Python computed."""
    cell = page.cell("W_Q", 0, 0)
    cell.scroll_into_view_if_needed()
    cell.click()
    before = page.texts("weights")
    start = time.perf_counter()
    for _ in range(PRESSES):
        page.page.keyboard.press("ArrowDown")
    page.settle()
    took = time.perf_counter() - start
    held = page.python(
        "[[f'{w:.3f}' for w in row] for row in _explorer.view['weights']]",
        "import gc; _explorer = next(o for o in gc.get_objects() if type(o).__name__ == 'Explorer')",
    )
    shown = page.texts("weights")
    found.held(f"after {PRESSES} keys, {took:.1f} s, the page shows what Python computed", shown == held, (shown, held))
    found.held("and the keys moved something", shown != before)
