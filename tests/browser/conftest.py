"""Fixtures for the tests that need a real browser; they are skipped, visibly, where there is none."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import CHROMIUM_FLAGS, NotebookPage, chromium_path
from lab_server import LIMIT, LabServer, write_notebook

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
    pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[tests]'")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def lab(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabServer]:
    """JupyterLab, started once; notebooks are looked for in `lab.root`."""
    with LabServer(tmp_path_factory.mktemp("lab"), sparing=True) as server:
        yield server


@pytest.fixture(scope="session")
def context(browser: Any) -> Iterator[Any]:
    """What all pages share, JupyterLab's own files above all: read once, they open sooner."""
    shared = browser.new_context()
    shared.set_default_timeout(1000 * LIMIT)  # as all that waits here
    yield shared
    shared.close()


class Desk:
    """Notebooks made of given cells, each in a known state, on one page of JupyterLab for each shell.

    To open a page costs as much as ten tests, so what lies on it is exchanged: its cells, and all that the kernel
    knows but modules; where the same cells are asked for, they run again. A test that failed leaves its page to nobody.
    """

    def __init__(self, lab: LabServer, context: Any) -> None:
        self.lab, self.context = lab, context
        self.pages: dict[str, NotebookPage] = {}
        self.opened = 0

    def open(self, *, shell: str = "doc") -> NotebookPage:
        """Open a page that nobody else gets, for the test to close."""
        self.opened += 1
        name = f"notebook_{self.opened}.ipynb"
        write_notebook(self.lab.root / name, [""])
        page = NotebookPage(self.context, self.lab, name, shell=shell)
        page.use_theme(False)
        return page

    def hand(self, page: NotebookPage, width: int = 1280, height: int = 900, dark: bool = False) -> None:
        """Put a page before the others: behind one, Chromium draws one picture a second, and opens no menu."""
        page.page.bring_to_front()
        page.page.mouse.move(0, 0)
        page.use_size(width, height)
        page.use_theme(dark)

    def __call__(self, *cells: str, shell: str = "doc", fresh: bool = False, **look: Any) -> NotebookPage:
        """Lay a notebook of these cells on the page of this shell, "doc" or "lab", and run them.

        `fresh`: before modules that remember nothing.
        """
        page = self.pages.get(shell)
        if page is None:
            page = self.pages[shell] = self.open(shell=shell)
        self.hand(page, **look)
        page.begin(cells, fresh=fresh)
        page.run_all()
        return page

    def look_at(self, *cells: str, shell: str = "doc", **look: Any) -> NotebookPage:
        """Lay a notebook there for a test that looks and changes nothing: several in a row share what was run once."""
        page = self.pages.get(shell)
        if page is None or page.cells != cells or not page.as_it_opened:
            page = self(*cells, shell=shell, **look)
        else:
            self.hand(page, **look)
        page.page.locator(".jp-OutputArea-output > *").first.wait_for()
        page.settle()
        page.as_it_opened = True
        return page

    def look_over(self) -> None:
        assert [problem for page in self.pages.values() for problem in (*page.foreign, *page.problems)] == []

    def clear(self) -> None:
        pages, self.pages = list(self.pages.values()), {}
        for page in pages:
            page.close()


@pytest.fixture(scope="session")
def desk(lab: LabServer, context: Any) -> Iterator[Desk]:
    shared = Desk(lab, context)
    yield shared
    shared.clear()


@pytest.fixture
def open_notebook(desk: Desk, request: pytest.FixtureRequest) -> Iterator[Desk]:
    """Open notebooks for one test; see `Desk` for what can be chosen."""
    yield desk
    if request.node.stash.get(FAILED, False):
        desk.clear()
        return
    try:
        desk.look_over()
    except AssertionError:
        desk.clear()
        raise


@pytest.fixture(scope="session")
def page_without_jupyter(context: Any) -> Iterator[Any]:
    page = context.new_page()
    yield page
    page.close()


@pytest.fixture
def bare_page(page_without_jupyter: Any) -> Any:
    """A page without Jupyter, for one LoneView after the other: each begins with an empty document."""
    page_without_jupyter.bring_to_front()
    return page_without_jupyter
