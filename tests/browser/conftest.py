"""Fixtures for the tests that need a real browser; they are skipped, visibly, where there is none."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import CHROMIUM_FLAGS, LabServer, NotebookPage, chromium_path, write_notebook


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """JupyterLab, started once; notebooks are looked for in `lab.root`."""
    if chromium_path() is None:
        pytest.skip("no Chromium found: install Debian's chromium, or set CHROMIUM to a browser")
    pytest.importorskip("playwright", reason="playwright is not installed: see requirements-dev.txt")
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    server = LabServer(home, home / "notebooks")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def browser(lab: LabServer) -> Iterator[Any]:
    """Chromium, headless, able to reach this machine only."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_notebook(
    lab: LabServer, browser: Any, request: pytest.FixtureRequest
) -> Iterator[Callable[..., NotebookPage]]:
    """Open a notebook made of the given cells; at the end nothing may have gone wrong in it.

    `open_notebook(*cells, run=True, width=1280, height=900, shell="doc", dark=False)`
    """
    opened: list[NotebookPage] = []
    contexts = []

    def open_one(
        *cells: str, run: bool = True, width: int = 1280, height: int = 900, shell: str = "doc", dark: bool = False
    ) -> NotebookPage:
        context = browser.new_context(viewport={"width": width, "height": height})
        contexts.append(context)
        name = f"{request.node.name.split('[')[0]}_{len(opened)}.ipynb"
        write_notebook(lab.root / name, cells)
        page = NotebookPage(context, lab, name, shell=shell)
        opened.append(page)
        if dark:
            page.command("apputils:change-theme", theme="JupyterLab Dark")
        if run:
            page.run_all()
        return page

    yield open_one
    for page in opened:
        page.close()
    for context in contexts:
        context.close()
    assert [page.foreign for page in opened] == [[] for _ in opened], "something was fetched from outside"
    assert [page.problems for page in opened] == [[] for _ in opened], "the console reported errors"


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for screenshots; its path is printed by `pytest -s`."""
    folder = tmp_path_factory.mktemp("screenshots")
    print(f"\nscreenshots: {folder}")
    return folder
