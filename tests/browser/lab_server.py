"""JupyterLab for the browser tests: a server on a free port, with folders of its own, and the notebooks it opens."""

import json
import os
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

import nbformat

LIMIT = 120.0  # seconds, for the server, the kernel or a whole notebook
PROGRAM = (sys.executable, Path(__file__).parents[2] / "tools" / "prompt_lab.py")  # as `make lab` starts it
OVERRIDES = Path(__file__).parents[2] / "tools" / "overrides.json"  # the project's own settings
# What JupyterLab draws anew at every message beside what the tests are about. What learners have, all of it, is opened
# by test_present_at_lab, the benchmarks and the checks of Binder and the classroom.
SPARED = [
    "application-extension:faviconbusy",
    "apputils-extension:announcements",
    "notebook-extension:execution-indicator",
    "notebook-extension:kernel-status",
]
NO_NEWS = {"fetchNews": "false", "checkForUpdates": False}


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def write_notebook(path: Path, sources: Sequence[str]) -> None:
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(notebook, path)


class LabServer:
    """JupyterLab on a free port, with folders of its own under `home`, for a `with` block.

    Notebooks live in `root`, by default a folder of `home`. `program` starts another server that JupyterLab is part
    of, of another environment, say; `sparing` leaves out what the tests do without.
    """

    def __init__(
        self, home: Path, root: Path | None = None, program: Sequence[str | Path] = PROGRAM, *, sparing: bool = False
    ) -> None:
        self.home, self.root = home, root or home / "notebooks"
        self.root.mkdir(exist_ok=True)
        self.url = f"http://127.0.0.1:{free_port()}"
        self._set("@jupyterlab/apputils-extension:notification", NO_NEWS)
        if sparing:
            self._spare(home / "config")
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
            f"--ServerApp.root_dir={self.root}",
        ]
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            command.append("--allow-root")
        self.log = home / "server.log"
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
            )
        self._wait()

    def __enter__(self) -> "LabServer":
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def _set(self, part: str, chosen: dict[str, Any]) -> None:
        """Choose settings of a part of JupyterLab, before a page opens."""
        extension, _, name = part.partition(":")
        folder = self.home / "settings" / extension
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{name}.jupyterlab-settings").write_text(json.dumps(chosen))

    def _spare(self, config: Path) -> None:
        """Write down what this server and its pages do without, and what `make lab` chooses."""
        page = {"disabledExtensions": {f"@jupyterlab/{name}": True for name in SPARED}, "buildCheck": False}
        toolbar = {"toolbar": [{"name": "kernelStatus", "disabled": True}]}
        settings = json.loads(OVERRIDES.read_text("utf-8")) | {"@jupyterlab/notebook-extension:panel": toolbar}
        for part, chosen in settings.items():
            self._set(part, chosen)
        (config / "labconfig").mkdir(parents=True)
        (config / "labconfig" / "page_config.json").write_text(json.dumps(page))

    def _wait(self) -> None:
        end = time.monotonic() + LIMIT
        while time.monotonic() < end and self.process.poll() is None:
            try:
                self.api("/api")
                return
            except OSError:
                time.sleep(0.1)
        self.process.kill()
        ended = f"it ended with {self.process.wait()}"
        why = ended if time.monotonic() < end else f"waited {LIMIT:.0f} s for its first answer"
        raise RuntimeError(f"JupyterLab did not start: {why}. It said:\n{self.log.read_text()[-2000:]}")

    def api(self, path: str, method: str = "GET") -> Any:
        with urllib.request.urlopen(urllib.request.Request(self.url + path, method=method), timeout=10) as answer:
            body = answer.read()
        return json.loads(body) if body else None

    def stop(self) -> None:
        for session in self.api("/api/sessions"):
            self.api(f"/api/sessions/{session['id']}", "DELETE")
        os.killpg(self.process.pid, signal.SIGTERM)
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
