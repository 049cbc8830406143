"""Do what Binder does, without docker: `make binder`.

A clean clone and a clean virtual environment with the Python that repo2docker's recipe names
and Binder's own JupyterLab; the recipe's steps; its server; and notebooks 00 and 01 opened in
a real Chromium by the very path of the launch address, run, and compared with what is stored.
What it cannot play: the operating system of the image, conda, and Binder's own network.
"""

import argparse
import contextlib
import importlib.resources
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import address
import nbformat

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "browser"))
from harness import CHROMIUM_FLAGS, NotebookPage, chromium_path  # noqa: E402
from lab_server import LabServer  # noqa: E402

NOTEBOOKS = ["notebooks/00_start_here.ipynb", "notebooks/01_self_attention.ipynb"]
LIMIT = 600  # seconds for one step: a first install over a slow network takes minutes
VERSION = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"
OUTPUTS = "jupyterapp.shell.currentWidget.content.model.cells"
#: What Binder's own environment has that the notebooks meet, by the names pip knows. It is there
#: before requirements.txt is installed, in versions that repo2docker fixes.
BASE = ["jupyterlab", "notebook", "jupyter_server", "ipykernel", "ipywidgets", "jupyterlab_widgets"]


def main() -> None:
    """Play the recipe and say after each step how long it took."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", help="the Python that the recipe names, if it is not on the PATH")
    given = options.parse_args().python
    _, dockerfile = recipe(ROOT)
    version = python_of(dockerfile)
    python = find_python(version, given, "make binder BINDER_PYTHON")
    if chromium_path() is None:
        sys.exit("This needs Chromium: install Debian's chromium, or set CHROMIUM to a browser")
    with tempfile.TemporaryDirectory() as home:
        clone, venv = Path(home, "clone"), Path(home, "venv")
        step("a clean clone", ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(clone)])
        step(f"a clean environment, Python {version}", [python, "-m", "venv", str(venv)])
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        step("Binder's own " + ", ".join(base_versions(version)), [*pip, *base_versions(version)])
        for line in installs(dockerfile):
            step(line, line.replace("${KERNEL_PYTHON_PREFIX}", str(venv)), cwd=clone)
        program = json.loads(re.findall(r"^CMD (.*)$", dockerfile, re.MULTILINE)[-1])[:2]  # without its address
        with LabServer(Path(home), clone, [venv / "bin" / program[0], *program[1:]]) as server:
            for path in NOTEBOOKS:
                open_and_run(server, path, venv)
    print("Binder's steps work.")


def recipe(root: Path) -> tuple[Any, str]:
    """Return the build pack that repo2docker picks for a repository, and its Dockerfile."""
    from repo2docker.app import Repo2Docker

    app = Repo2Docker()
    with contextlib.chdir(root):  # it looks at the current folder
        packs = (pack(app.base_image) for pack in app.buildpacks)
        pack = next(pack for pack in packs if pack.detect())
        pack.platform = "linux/amd64"
        return pack, pack.render({"NB_UID": "1000"})


def python_of(dockerfile: str) -> str:
    """Return the version of Python, from the name of the environment that the recipe copies."""
    named = dockerfile.replace("-2d", "-").replace("-2e", ".")  # as repo2docker writes - and . in file names
    return re.findall(r"environment\.py-(\d+\.\d+)-linux-64\.lock", named)[0]


def installs(dockerfile: str) -> list[str]:
    """Return what is run after the repository was copied, in order."""
    _, copied, after = dockerfile.partition("src/ ${REPO_DIR}/\n")
    return re.findall(r"^RUN (.*)$", after if copied else "", re.MULTILINE)


def base_versions(python: str) -> list[str]:
    """Return the packages of Binder's own environment as requirements for pip."""
    folder = importlib.resources.files("repo2docker") / "buildpacks" / "conda"
    lock = (folder / f"environment.py-{python}-linux-64.lock").read_text()
    found = dict(re.findall(r"/([a-z][a-z0-9_-]*)-(\d[^-/]*)-[^/]*\.conda", lock))
    return [f"{name}=={found[name]}" for name in BASE]


def find_python(version: str, given: str | None, option: str) -> str:
    """Return the Python that was named, or the first of that version on the PATH that runs; else end with a sentence.

    A version manager puts stubs on the PATH that do not run. `option` is how to name another.
    """
    on_the_path = (shutil.which(f"python{version}", path=folder) for folder in os.get_exec_path())
    tried = [given] if given else [python for python in on_the_path if python]
    for python in tried:
        try:
            told = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, timeout=30)
        except (OSError, subprocess.TimeoutExpired):
            continue
        if told.returncode == 0 and told.stdout.strip() == version:
            return python
    why = f"these do not run as such: {', '.join(tried)}" if tried else "there is none on the PATH"
    sys.exit(f"This needs Python {version} with venv, and {why}. Name one: {option}=/path/to/python{version}")


def step(what: str, command: Any, limit: float = LIMIT, **options: Any) -> None:
    """Run one command; end with what it said if it fails, or is not done after `limit` seconds."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+") as said:
        run = subprocess.Popen(
            command, shell=isinstance(command, str), stdout=said, stderr=said, start_new_session=True, **options
        )
        try:
            code, how = run.wait(limit), "failed"
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)  # what it started, too
            code, how = run.wait(), f"not done after {limit:.0f} s, so it was ended"
        if code:
            said.seek(0)
            sys.exit(f"{what}: {how}\n{said.read()}")
    print(f"{what}: {time.perf_counter() - start:.1f} s", flush=True)


def open_and_run(server: LabServer, path: str, venv: Path) -> None:
    """Open a notebook by the path of its launch address, run it, and compare its words with the stored ones."""
    from playwright.sync_api import sync_playwright

    start = time.perf_counter()
    (wanted,) = parse_qs(urlparse(address.binder_link("owner/name", path)).query)["urlpath"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=chromium_path(), args=CHROMIUM_FLAGS)
        page = NotebookPage(chromium.new_context(), server, path, address=wanted)
        assert urlparse(page.page.url).path == f"/{wanted}", page.page.url
        assert page.python("__import__('sys').prefix") == str(venv)
        page.run_all()
        cells = page.page.evaluate(f"[...{OUTPUTS}].map((cell) => cell.toJSON())")
        stored = nbformat.read(server.root / path, as_version=4).cells
        differing = [cell.id for cell, now in zip(stored, cells, strict=True) if words(cell) != words(now)]
        problems = [*page.problems, *page.foreign]
        page.close()
        chromium.close()
    if differing or problems:
        sys.exit(f"{path}: cells that differ from the stored ones: {differing}; problems: {problems}")
    print(f"/{wanted}: opened and run, {time.perf_counter() - start:.1f} s", flush=True)


def words(cell: Any) -> str:
    """Return the text that a code cell has put out, with the names of its errors, however it was cut into messages."""
    outputs = cell.get("outputs", [])
    found = [out.get("text") or out.get("data", {}).get("text/plain") or out.get("ename", "") for out in outputs]
    return "".join("".join(text) for text in found)


if __name__ == "__main__":
    main()
