"""Open notebooks in a real Chromium, and read what the page shows.

The browser can reach the local machine only, and what it tried to reach besides is recorded.
"""

import ast
import contextlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import urlparse
from uuid import uuid4

import pytest
from lab_server import LIMIT, LabServer

CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome"]
CHROMIUM_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]
PATIENCE = 20.0  # seconds, for the page to show something
KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"
# Said of a widget that is closed while the page still loads its script, as where a kernel restarts right after it has
# run all. One that fails to come for another reason is missed by the test that waits for it.
GONE_TOO_SOON = "[anywidget] Failed to initialize model."
QUIET = 2  # looks at the page, one after the other, at which nothing moves: then it is at rest
PAUSE = 50  # ms between two; more than a view waits for an answer before it shows an edited cell alone

# What the page sent has been answered (JupyterLab keeps each message until the kernel is done with it, and what that
# brought about is on the page by then), every view has come, and nothing on the page changes from frame to frame.
# Returns null, or after the limit what was in the way.
AT_REST = """async ([limit, quiet, pause]) => {
    const isDone = 4;
    const open = () => {
        try {
            const { connectionStatus, status, _futures } = KERNEL;
            const sent = [...(_futures?.values() ?? [])].filter((one) => !(one._status & isDone));
            const busy = connectionStatus !== 'connected' || status !== 'idle' ? [`${connectionStatus} ${status}`] : [];
            if (Date.now() - moved > 10000) return busy; // an idle kernel's word that it is done can be lost
            return [...busy, ...sent.map(({ msg }) => JSON.stringify(msg.content).slice(0, 200))];
        } catch (problem) { return [String(problem)]; }
    };
    const all = (selector) => [...document.querySelectorAll(selector)];
    const coming = () => all('.attention-keys').length - all('.attention-spoken').length +
        all('.jp-OutputArea-output').filter((output) => output.textContent.startsWith('Loading widget')).length;
    let changes = 0, looks = 0, moved = Date.now();
    const observer = new MutationObserver(() => { changes += 1; });
    const what = { subtree: true, childList: true, characterData: true, attributes: true };
    observer.observe(document.querySelector('.jp-Notebook'), what);
    const end = Date.now() + limit;
    while (looks < quiet && Date.now() < end) {
        changes = 0;
        await new Promise((rested) => requestAnimationFrame(() => setTimeout(rested, pause)));
        if (changes || KERNEL?.status !== 'idle') moved = Date.now();
        looks = changes || open().length || coming() > 0 ? 0 : looks + 1;
    }
    observer.disconnect();
    return looks === quiet ? null : `open: ${open().join('; ')}; views to come: ${coming()}; changes: ${changes}`;
}""".replace("KERNEL", KERNEL)
# How things stand, for whoever waited in vain.
STATE = """() => [".jp-CodeCell .jp-InputPrompt", ".jp-OutputArea-output", ".jp-Dialog"].map((selector) =>
    [...document.querySelectorAll(selector)].map((node) => node.innerText.trim().slice(0, 100)).join(" / "))"""
# Other cells in the place of those that are there, where they differ; returns whether they did. The new ones come
# first, for a notebook is never empty.
LAY = """(sources) => {
    const { content, context } = jupyterapp.shell.currentWidget;
    const notebook = context.model.sharedModel;
    const before = notebook.cells.length;
    const differ = JSON.stringify(sources) !== JSON.stringify(notebook.cells.map(({ source }) => source));
    const cell = (source) => ({ cell_type: 'code', source, metadata: {}, outputs: [], execution_count: null });
    if (differ) {
        notebook.insertCells(0, sources.map(cell));
        notebook.deleteCellRange(sources.length, sources.length + before);
    }
    content.deselectAll();
    content.activeCellIndex = 0;
    content.mode = 'command';
    return differ;
}"""
# No names, no widgets, and, where FRESH is put before it, no modules of ours, as in a kernel just started.
FORGET = """\
import ipywidgets
ipywidgets.Widget.close_all()
get_ipython().reset(new_session=False)
"""
FRESH = """\
import sys
for name in [name for name in sys.modules if name.partition(".")[0] == "attention_lib"]:
    del sys.modules[name]
"""


def chromium_path() -> str | None:
    """Return the browser's path, from CHROMIUM or where Debian puts it; None where there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def is_ready(path: str) -> str:
    """Return the expression that says whether the page shows this notebook, its kernel connected and idle.

    "The kernel" can be that of another notebook, which the workspace restored first; and while the session is not
    ready, "Run All" opens a dialog that asks for a kernel, and waits for an answer for ever.
    """
    notebook = "jupyterapp.shell.currentWidget"
    session = f"{notebook}.context.path === {json.dumps(path)} && {notebook}.sessionContext.isReady"
    return f"{session} && {KERNEL}.connectionStatus === 'connected' && {KERNEL}.status === 'idle'"


def first_of(names: Iterable[Any]) -> list[Any]:
    """Return parameters of which `make test` runs the first alone, and `make looks` the others."""
    first, *others = names
    return [first, *(pytest.param(name, marks=pytest.mark.looks) for name in others)]


@contextlib.contextmanager
def asking_nobody(page: Any, faults: Sequence[str] = ("error",)) -> Iterator[None]:
    """Watch a page that is opened from a file: nothing is asked of a network, and its console tells of no fault."""
    asked: list[str] = []
    problems: list[str] = []
    hear = {
        "request": lambda request: asked.append(request.url),
        "pageerror": lambda error: problems.append(str(error)),
        "console": lambda message: problems.append(message.text) if message.type in faults else None,
    }
    for what, heard in hear.items():
        page.on(what, heard)
    yield
    page.goto("about:blank")
    for what, heard in hear.items():
        page.remove_listener(what, heard)
    assert [address for address in asked if not address.startswith(("file:", "data:"))] == []
    assert problems == []


def texts_of(panel: Any) -> list[list[str]]:
    """Return the text of every cell of a panel, with - for the typographic minus."""
    found: list[list[str]] = panel.evaluate(
        "(panel) => [...panel.querySelectorAll('.av-grid > .av-line:not(.av-head)')]"
        ".map((line) => [...line.querySelectorAll('.av-cell')].map((cell) => cell.textContent))"
    )
    return [[text.replace("\u2212", "-") for text in line] for line in found]


class NotebookPage:
    """One notebook open in the browser, with what its console said and what it tried to fetch.

    `shell` is "doc" (the notebook alone) or "lab"; `address` opens the notebook by that path of the server instead.
    `size` is that of the page, (width, height) in pixels.
    """

    def __init__(
        self,
        context: Any,
        server: LabServer,
        name: str,
        *,
        shell: str = "doc",
        address: str | None = None,
        size: tuple[int, int] = (1280, 900),
    ) -> None:
        self.server, self.name = server, name
        self.cells: tuple[str, ...] = ()  # those that `begin` put there
        self.ready = False  # whether `begin` has met this kernel
        self.as_it_opened = False  # whether nobody has done anything to the cells but look at them
        self.problems: list[str] = []
        self.foreign: list[str] = []
        self.page = context.new_page()
        self.use_size(*size)
        self.page.on("console", self._on_console)
        self.page.on("pageerror", self._on_error)
        self.page.on("request", self._on_request)
        # A workspace of its own: else JupyterLab opens the documents of earlier pages again, in front of this one.
        self.page.goto(f"{server.url}/{address or f'{shell}/workspaces/{uuid4().hex}/tree/{name}'}")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell >> visible=true", timeout=60_000)
        self.wait_idle()

    def _on_console(self, message: Any) -> None:
        if message.type == "error" and message.text != GONE_TOO_SOON:
            self.problems.append(f"{message.text} {message.location}")

    def _on_error(self, error: Any) -> None:
        if str(error) != GONE_TOO_SOON:
            self.problems.append(str(error))

    def _on_request(self, request: Any) -> None:
        address = urlparse(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(request.url)

    def wait_idle(self, limit: float = LIMIT) -> None:
        """Wait until this notebook is in front, and its kernel is connected and has nothing to do."""
        look = f"() => {{ try {{ return {is_ready(self.name)} }} catch {{ return false }} }}"
        self.eventually(lambda: bool(self.page.evaluate(look)), True, limit, "the kernel to be connected and idle")

    def await_(self, what: str, promise: str, argument: Any = None, limit: float = LIMIT) -> Any:
        """Return what a promise of the page gives, `promise` being a function of the argument; not for ever."""
        race = f"""([argument, limit]) => Promise.race([
            ({promise})(argument).then((value) => [value]),
            new Promise((resolve) => setTimeout(() => resolve(null), limit)),
        ])"""
        given = self.page.evaluate(race, [argument, 1000 * limit])
        if given is None:
            raise AssertionError(f"waited {limit:.0f} s for {what}; {self.state()}")
        return given[0]

    def state(self) -> str:
        prompts, outputs, dialogs = self.page.evaluate(STATE)
        return f"prompts: {prompts}; outputs: {outputs}; dialogs: {dialogs}"

    def cells_and_mode(self) -> list[Any]:
        """How many cells there are, which is active, and in what mode: what a stolen key would change."""
        content = "jupyterapp.shell.currentWidget.content"
        found: list[Any] = self.page.evaluate(f"[{content}.widgets.length, {content}.activeCellIndex, {content}.mode]")
        return found

    def command(self, name: str, **arguments: Any) -> None:
        run = "([name, given]) => Promise.resolve(jupyterapp.commands.execute(name, given)).then(() => null)"
        self.await_(f"the command {name}", run, [name, arguments])

    def use_theme(self, dark: bool) -> None:
        """Take the dark theme or the light one, and wait until it is there; later pages of the server begin with it."""
        light = partial(self.page.evaluate, "document.body.dataset.jpThemeLight")
        wanted = "false" if dark else "true"
        if light() == wanted:
            return
        self.eventually(lambda: light() is not None, True, what="any theme")
        if light() != wanted:
            self.command("apputils:change-theme", theme=f"JupyterLab {'Dark' if dark else 'Light'}")
            self.eventually(light, wanted, what="the theme")

    def use_size(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        if self.page.viewport_size != size:
            self.page.set_viewport_size(size)

    def run_all(self) -> None:
        self.command("notebook:run-all-cells")  # ends when the last cell has run
        self.wait_idle()

    def run_cell(self, source: str) -> None:
        """Run the one cell with this source again, with no old output in between that could be taken for the new."""
        find = "jupyterapp.shell.currentWidget.content.widgets.findIndex((cell) => cell.model.sharedModel.source === s)"
        place = self.page.evaluate(f"(s) => {find}", source)
        assert place >= 0, f"{self.name} has no such cell: {source}"
        self.page.evaluate(f"jupyterapp.shell.currentWidget.content.activeCellIndex = {place}")
        self.page.evaluate("jupyterapp.shell.currentWidget.content.deselectAll()")
        self.command("notebook:clear-cell-output")
        self.command("notebook:run-cell")
        self.wait_idle()

    def restart_kernel(self) -> None:
        """Restart the kernel, as the menu does after its question."""
        self.ready = False
        self.await_("the kernel to restart", f"() => {KERNEL}.restart().then(() => null)")
        # Its first word "idle" may be said before this page hears it. JupyterLab ignores the status that comes with an
        # answer to a request for information, so it has to run something, if only nothing.
        nothing = "{ code: '', store_history: false }"
        run = f"() => {KERNEL}.requestExecute({nothing}).done.then(() => null)"
        self.await_("the restarted kernel to answer", run)
        self.wait_idle()
        # What a view sent while no kernel listened is never answered, and nobody is to wait for it.
        lost = f"[...{KERNEL}._futures.values()].filter(({{ msg }}) => msg.header.msg_type === 'comm_msg')"
        self.page.evaluate(f"for (const sent of {lost}) sent.dispose()")

    def python(self, expression: str, code: str = "") -> Any:
        """Run code in the notebook's kernel, without a cell; return the value of an expression."""
        request = {"code": code, "store_history": False, "user_expressions": {"value": expression}}
        ask = f"(request) => {KERNEL}.requestExecute(request).done.then((reply) => reply.content)"
        reply = self.await_(f"Python's answer to {expression}", ask, request)
        if reply["status"] != "ok" or reply["user_expressions"]["value"]["status"] != "ok":
            raise RuntimeError(f"{expression}: {reply}")
        return ast.literal_eval(reply["user_expressions"]["value"]["data"]["text/plain"])

    def panel(self, name: str) -> Any:
        return self.page.locator(f'[data-panel="{name}"]').first

    def cell(self, name: str, row: int, column: int) -> Any:
        return self.panel(name).locator(".av-grid > .av-line").nth(row + 1).locator(".av-cell").nth(column)

    def grab(self, thing: Any) -> tuple[float, float]:
        """Press the mouse in the middle of a thing, once it stands still, and return where that is."""
        thing.scroll_into_view_if_needed()
        self.settle()
        box = thing.bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        return x, y

    def texts(self, name: str) -> list[list[str]]:
        return texts_of(self.panel(name))

    def eventually(self, read: Callable[[], Any], expected: Any, limit: float = PATIENCE, what: str = "") -> None:
        """Wait until the page reads as expected: on a busy machine that can take seconds."""
        end = time.monotonic() + limit
        while (found := read()) != expected:
            if time.monotonic() > end:
                awaited = f"waited {limit:.0f} s for {what or expected}"
                raise AssertionError(f"the page shows {found}, not {expected}: {awaited}; {self.state()}")
            self.page.wait_for_timeout(30)

    def shows(self, panels: Mapping[str, list[list[str]]]) -> None:
        self.eventually(lambda: {name: self.texts(name) for name in panels}, dict(panels))

    def settle(self) -> None:
        """Wait until nothing is on its way between page and kernel any more, and the page stands still."""
        in_the_way = self.page.evaluate(AT_REST, [1000 * LIMIT, QUIET, PAUSE])
        if in_the_way:
            raise AssertionError(f"waited {LIMIT:.0f} s for the page to come to rest; {in_the_way}; {self.state()}")

    def begin(self, cells: Sequence[str], *, fresh: bool = False) -> None:
        """Hold these cells, not run, before a kernel without names and widgets.

        Where the page holds them already, only what they showed goes: what they do is done anew when they run, and
        `fresh` makes the modules forget what they remember too.
        """
        self.page.mouse.move(0, 0)  # off whatever the test before pointed at
        self.settle()
        self.as_it_opened = False
        differ = self.page.evaluate(LAY, list(cells))
        if differ or fresh or not self.ready:
            self.python("None", FRESH + FORGET if fresh else FORGET)
            self.ready = True
        if not differ:
            self.command("notebook:clear-all-cell-outputs")
        self.cells = tuple(cells)

    def close(self) -> None:
        self.page.evaluate("window.onbeforeunload = null")
        self.page.close()
        for session in self.server.api("/api/sessions"):
            if session["path"] == self.name:
                self.server.api(f"/api/sessions/{session['id']}", "DELETE")
