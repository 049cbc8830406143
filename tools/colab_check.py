"""Run every notebook under the versions that Colab publishes: `make colab`.

The lines of notebooks/where_it_runs.md are run as a first cell, in a clean environment of Python 3.13 with the
packages of colab_versions.txt; then every cell, so that each lab is built, and its words are
compared with the stored ones. What this cannot play is Colab's page: whether the labs show and
follow there, and google.colab itself, for which a module that does nothing stands in.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import nbformat
from launch_check import find_python, step, words
from nbclient import NotebookClient
from notebook_tools import paths

ROOT = Path(__file__).parent.parent
PYTHON = "3.13"
LINES = re.compile(r"^```\n(!git clone .*?)^```", re.DOTALL | re.MULTILINE)
STAND_IN = "def enable_custom_widget_manager():\n    pass\n"


def main() -> None:
    """Make the environment, run the notebooks, and print what differs."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--python", help=f"Python {PYTHON}, if it is not on the PATH")
    python = find_python(PYTHON, options.parse_args().python, "make colab COLAB_PYTHON")
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        content, venv = home / "content", home / "venv"
        step("a clean environment", [python, "-m", "venv", str(venv)])
        pip = [str(venv / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"]
        step("Colab's versions", [*pip, "-r", str(ROOT / "tools" / "colab_versions.txt")])
        add_kernel(home, venv)
        first = first_cell(content)
        content.mkdir()
        wrong = 0
        for path in paths():
            wrong += run(path, first, content)
            first = re.sub("^!.*\n", "", first, flags=re.MULTILINE)  # fetched and installed now
    if wrong:
        sys.exit(f"{wrong} cells are not as stored")
    print("Every cell is as stored.")


def first_cell(content: Path) -> str:
    """Return the page's lines, which fetch this tree instead of the public one."""
    lines = LINES.findall((ROOT / "notebooks" / "where_it_runs.md").read_text("utf-8"))[0]
    lines = re.sub(r"https://github\.com/\S+", ROOT.as_uri(), lines)
    return lines.replace("/content/", f"{content}/")


def add_kernel(home: Path, venv: Path) -> None:
    """Register the environment's kernel under the name colab, with a stand-in for google.colab."""
    package = home / "stand_in" / "google" / "colab"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "output.py").write_text(STAND_IN)
    command = [str(venv / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    path = f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {"PYTHONPATH": str(home / "stand_in"), "PATH": path, "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
    kernel = home / "jupyter" / "kernels" / "colab"
    kernel.mkdir(parents=True)
    spec = {"argv": command, "display_name": "Colab", "language": "python", "env": environment}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    os.environ["JUPYTER_PATH"] = str(home / "jupyter")


def run(path: Path, first: str, content: Path) -> int:
    """Run one notebook after the first lines; return how many cells are not as stored."""
    stored, notebook = (nbformat.read(path, as_version=4) for _ in range(2))
    notebook.cells.insert(0, nbformat.v4.new_code_cell(first))
    notebook.metadata.kernelspec = {"name": "colab", "display_name": "Colab", "language": "python"}
    start = time.perf_counter()
    NotebookClient(
        notebook, timeout=120, kernel_name="colab", allow_errors=True, resources={"metadata": {"path": str(content)}}
    ).execute()
    pairs = zip(stored.cells, notebook.cells[1:], strict=True)
    wrong = [(words(cell), words(now)) for cell, now in pairs if not alike(cell, now)]
    print(f"{path.stem}: {time.perf_counter() - start:.1f} s, {len(wrong)} cells not as stored", flush=True)
    for told in wrong:
        print("   stored {}\n   now    {}".format(*told))
    return len(wrong)


def alike(stored: Any, now: Any) -> bool:
    """Compare what a cell put out; ipywidgets 7 cuts the words of a widget at 110 characters."""
    if stored.cell_type != "code":
        return True
    then, found = words(stored), words(now)
    return found == then or (found.endswith("…") and then.startswith(found[:-1]))


if __name__ == "__main__":
    main()
