"""Start JupyterLab, open notebooks in a real Chromium, and read what the page shows.

Everything the server writes stays in one temporary folder. The browser can reach
the local machine only, and what it tried to reach besides is recorded.
"""

import ast
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from uuid import uuid4

import nbformat

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
KERNEL = "jupyterapp.shell.currentWidget.sessionContext.session.kernel"


def chromium_path() -> str | None:
    """Return the browser's path, from CHROMIUM or where Debian puts it; None where there is none."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM_NAMES)), None)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def write_notebook(path: Path, sources: Sequence[str]) -> None:
    """Write a notebook of code cells that were not yet run."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


def read_notebook(path: Path) -> list[str]:
    """Return the code cells of a stored notebook."""
    return [cell.source for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


class LabServer:
    """JupyterLab on a free port, with folders of its own under `home`; notebooks live in `root`.

    `program` starts another server that JupyterLab is part of, of another environment, say.
    """

    def __init__(
        self, home: Path, root: Path, program: Sequence[str | Path] = (sys.executable, "-m", "jupyterlab")
    ) -> None:
        self.home, self.root = home, root
        self.url = f"http://127.0.0.1:{free_port()}"
        settings = home / "settings" / "@jupyterlab" / "apputils-extension"
        settings.mkdir(parents=True)
        (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false", "checkForUpdates": false}')
        folders = {
            "JUPYTER_RUNTIME_DIR": "runtime",
            "JUPYTER_CONFIG_DIR": "config",
            "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
            "IPYTHONDIR": "ipython",
        }
        environment = {**os.environ, **{name: str(home / folder) for name, folder in folders.items()}}
        command = [
            *[*map(str, program), "--no-browser", f"--port={urlparse(self.url).port}"],
            *["--ip=127.0.0.1", "--IdentityProvider.token=", "--ServerApp.disable_check_xsrf=True"],
            *["--LabApp.expose_app_in_browser=True", "--LabApp.extension_manager=readonly"],
            f"--ServerApp.root_dir={root}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--allow-root")
        self.log = home / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._wait()

    def _wait(self) -> None:
        for _ in range(240):
            if self.process.poll() is not None:
                break
            try:
                self.api("/api")
                return
            except OSError:
                time.sleep(0.25)
        raise RuntimeError(f"JupyterLab did not start:\n{self.log.read_text()[-2000:]}")

    def api(self, path: str, method: str = "GET") -> Any:
        """Ask the server's own interface; return its answer."""
        with urllib.request.urlopen(urllib.request.Request(self.url + path, method=method), timeout=10) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def stop(self) -> None:
        """End the kernels and the server."""
        for session in self.api("/api/sessions"):
            self.api(f"/api/sessions/{session['id']}", "DELETE")
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)


class NotebookPage:
    """One notebook open in the browser, with what its console said and what it tried to fetch.

    `shell` is "doc" (the notebook alone) or "lab"; `address` opens the notebook by that path of the server instead.
    """

    def __init__(
        self, context: Any, server: LabServer, name: str, *, shell: str = "doc", address: str | None = None
    ) -> None:
        self.server, self.name = server, name
        self.problems: list[str] = []
        self.foreign: list[str] = []
        self.page = context.new_page()
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", self._on_request)
        # A workspace of its own: else JupyterLab opens the documents of earlier pages again, in front of this one.
        self.page.goto(f"{server.url}/{address or f'{shell}/workspaces/{uuid4().hex}/tree/{name}'}")
        self.page.wait_for_selector(".jp-Notebook .jp-Cell >> visible=true", timeout=60_000)
        self.wait_idle()

    def _on_console(self, message: Any) -> None:
        if message.type == "error":
            self.problems.append(f"{message.text} {message.location}")

    def _on_request(self, request: Any) -> None:
        address = urlparse(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in ("127.0.0.1", "localhost"):
            self.foreign.append(request.url)

    def wait_idle(self, timeout: float = 60_000) -> None:
        """Wait until the kernel is connected and has nothing to do."""
        ready = f"window.jupyterapp && {KERNEL}?.connectionStatus === 'connected' && {KERNEL}.status === 'idle'"
        self.page.wait_for_function(
            f"(() => {{ try {{ return {ready} }} catch {{ return false }} }})()", timeout=timeout
        )

    def command(self, name: str, **arguments: Any) -> None:
        """Run a command of JupyterLab."""
        self.page.evaluate(f"jupyterapp.commands.execute({json.dumps(name)}, {json.dumps(arguments)})")

    def run_all(self) -> None:
        """Run every cell and wait for the end."""
        self.command("notebook:run-all-cells")
        self.page.wait_for_timeout(200)
        self.wait_idle()

    def restart_kernel(self) -> None:
        """Restart the kernel, as the menu does after its question."""
        self.page.evaluate(f"{KERNEL}.restart()")
        self.page.wait_for_timeout(200)
        self.wait_idle()

    def python(self, expression: str, code: str = "") -> Any:
        """Run code in the notebook's kernel, without a cell; return the value of an expression."""
        request = {"code": code, "store_history": False, "user_expressions": {"value": expression}}
        reply = self.page.evaluate(
            f"(request) => {KERNEL}.requestExecute(request).done.then((r) => r.content)", request
        )
        if reply["status"] != "ok" or reply["user_expressions"]["value"]["status"] != "ok":
            raise RuntimeError(f"{expression}: {reply}")
        return ast.literal_eval(reply["user_expressions"]["value"]["data"]["text/plain"])

    def panel(self, name: str) -> Any:
        """Return the panel of a MatrixView."""
        return self.page.locator(f'[data-panel="{name}"]').first

    def cell(self, name: str, row: int, column: int) -> Any:
        """Return one cell of a panel."""
        return self.panel(name).locator(".av-grid > .av-line").nth(row + 1).locator(".av-cell").nth(column)

    def texts(self, name: str) -> list[list[str]]:
        """Return the text of every cell of a panel, with - for the typographic minus."""
        found: list[list[str]] = self.panel(name).evaluate(
            "(panel) => [...panel.querySelectorAll('.av-grid > .av-line:not(.av-head)')]"
            ".map((line) => [...line.querySelectorAll('.av-cell')].map((cell) => cell.textContent))"
        )
        return [[text.replace("\u2212", "-") for text in line] for line in found]

    def close(self) -> None:
        """Close the page and end its kernel."""
        self.page.evaluate("window.onbeforeunload = null")
        self.page.close()
        for session in self.server.api("/api/sessions"):
            if session["path"] == self.name:
                self.server.api(f"/api/sessions/{session['id']}", "DELETE")
