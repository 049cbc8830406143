"""Fixtures for the tests that need a real browser; they are skipped, visibly, where there is none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import CHROMIUM_FLAGS, LabServer, NotebookPage, chromium_path, write_notebook

HERE = Path(__file__).parent
FAILED = pytest.StashKey[bool]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder drives a browser."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember that a test failed: then nobody knows in what state it left its page."""
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, headless, able to reach this machine only."""
    if chromium_path() is None:
        pytest.skip("no Chromium found: install Debian's chromium, or set CHROMIUM to a browser")
    pytest.importorskip("playwright", reason="playwright is not installed: see requirements-test.txt")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """JupyterLab, started once; notebooks are looked for in `lab.root`."""
    home = tmp_path_factory.mktemp("lab")
    (home / "notebooks").mkdir()
    server = LabServer(home, home / "notebooks")
    yield server
    server.stop()


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Any]:
    """What all pages share, JupyterLab's own files above all: read once, they open sooner."""
    shared = browser.new_context()
    yield shared
    shared.close()


class Opener:
    """Opens notebooks made of given cells; `close` asserts that nothing went wrong in them.

    `opener(*cells, run=True, width=1280, height=900, shell="doc" or "lab", dark=False)`
    """

    def __init__(self, lab: LabServer, context: Any, name: str) -> None:
        self.lab, self.context, self.name = lab, context, name
        self.pages: list[NotebookPage] = []
        self.opened: dict[Any, NotebookPage] = {}

    def __call__(
        self,
        *cells: str,
        run: bool = True,
        width: int = 1280,
        height: int = 900,
        shell: str = "doc",
        dark: bool = False,
    ) -> NotebookPage:
        name = f"{self.name}_{len(self.pages)}.ipynb"
        write_notebook(self.lab.root / name, cells)
        page = NotebookPage(self.context, self.lab, name, shell=shell, size=(width, height))
        self.pages.append(page)
        page.use_theme(dark)
        if run:
            page.run_all()
        return page

    def again(
        self,
        *cells: str,
        only: str | None = None,
        width: int = 1280,
        height: int = 900,
        shell: str = "doc",
        dark: bool = False,
    ) -> NotebookPage:
        """Open a notebook the first time; after that, run the one that is open anew, which is sooner there.

        `only` is the cell to run again where the others need not; without it, all are.
        """
        page = self.opened.get((cells, shell))
        if page is None:
            page = self(*cells, width=width, height=height, shell=shell, dark=dark)
            self.opened[cells, shell] = page
            return page
        page.page.mouse.move(0, 0)  # off whatever the test before pointed at
        page.page.set_viewport_size({"width": width, "height": height})
        page.use_theme(dark)
        if only is None:
            page.run_anew()
        else:
            page.run_cell(only)
        return page

    def forget(self) -> None:
        """Open the next notebook on a page of its own."""
        self.opened.clear()

    def close(self) -> None:
        for page in self.pages:
            page.close()
        assert not any(page.foreign for page in self.pages), [page.foreign for page in self.pages]
        assert not any(page.problems for page in self.pages), [page.problems for page in self.pages]


@pytest.fixture
def open_notebook(lab: LabServer, context: Any, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open notebooks for one test; see `Opener` for what can be chosen."""
    opener = Opener(lab, context, request.node.name.split("[")[0])
    yield opener
    opener.close()


@pytest.fixture(scope="module")
def shared_opener(lab: LabServer, context: Any, request: pytest.FixtureRequest) -> Iterator[Opener]:
    opener = Opener(lab, context, request.path.stem)
    yield opener
    opener.close()


@pytest.fixture
def open_shared_notebook(shared_opener: Opener, request: pytest.FixtureRequest) -> Iterator[Opener]:
    """Open notebooks that the tests of a module share, each time in a known state: with `again`."""
    yield shared_opener
    if request.node.stash.get(FAILED, False):
        shared_opener.forget()


@pytest.fixture(scope="session")
def shots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for screenshots; its path is printed by `pytest -s`."""
    folder = tmp_path_factory.mktemp("screenshots")
    print(f"\nscreenshots: {folder}")
    return folder
