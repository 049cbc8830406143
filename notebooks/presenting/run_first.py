"""Run a notebook before it is shown, all but its reveals, in the kernel that its page will use.

JupyterLab is asked for a kernel for the notebook, the cells are run in it, and what came out is
stored in a copy. Whoever opens the copy meets the same kernel: sliders and matrices are alive.
"""

import ast
import json
import re
import shutil
import time
import urllib.request
from pathlib import Path
from typing import Any

import nbformat
from jupyter_client import BlockingKernelClient
from jupyter_core.paths import jupyter_runtime_dir
from nbformat.sign import NotebookNotary

LIMIT = 300  # seconds for a cell
# A view without height that brings itself to the top while the page is put together, however long that takes on a
# busy machine, until somebody touches it.
HERE = """
import anywidget as _anywidget
_anywidget.AnyWidget(_esm='''
export default { render({ el }) {
  let touched = false;
  for (const event of ["wheel", "keydown", "pointerdown"])
    window.addEventListener(event, () => { touched = true; }, { once: true, capture: true });
  const follow = () => {
    if (touched || !el.isConnected) return;
    el.scrollIntoView({ block: "start" });
    requestAnimationFrame(follow);
  };
  requestAnimationFrame(follow);
} };
''')
"""
WAITS = re.compile(r"^reveal\(.*\)\n")  # the line that hides what a cell shows until it is answered
SHARED = ("data", "README.md")  # what the notebooks link to, beside them


def copy_notebooks(root: Path, tree: Path) -> None:
    """Put a fresh copy of the notebooks under `tree`: what is run and typed there leaves the stored ones alone."""
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(root / "notebooks", tree / "notebooks")
    for name in SHARED:
        (tree / name).symlink_to(root / name)


def labs_of(notebook: Any) -> dict[int, str]:
    """Return the code cells that end by showing a lab, each with the heading above it."""
    found, heading, names = {}, "", set()
    for i, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            heading = (re.findall(r"^#+ +(.+)$", cell.source, re.MULTILINE) or [heading])[-1]
        elif cell.cell_type == "code":
            lines = ast.parse(cell.source).body
            imports = [line for line in lines if isinstance(line, ast.ImportFrom)]
            names |= {alias.name for line in imports if line.module == "attention_lib.lessons" for alias in line.names}
            shown = [line.value for line in lines[-1:] if isinstance(line, ast.Expr)]
            if any(isinstance(call, ast.Call) and ast.unparse(call.func) in names for call in shown):
                found[i] = heading
    return found


def lab_cell(notebook: Any, name: str) -> int | None:
    """Return the cell of the lab with this name; of "lab", the first that a heading calls so, or the last there is."""
    labs = labs_of(notebook)
    if name.lower() != "lab":
        return next((i for i in labs if name.lower() in notebook.cells[i].source.lower()), None)
    called = [i for i, heading in labs.items() if re.search(r"\b(lab|workbench)\b", heading, re.IGNORECASE)]
    return next(iter(called), max(labs, default=None))


def to_be_run(cell: Any) -> bool:
    """All code but what reveals an answer."""
    return cell.cell_type == "code" and "reveal" not in cell.metadata.get("tags", [])


def open_up(cell: Any) -> None:
    """Let a lab that was asked for be run and seen, also where it answers a prediction."""
    cell.source = WAITS.sub("", cell.source)
    cell.metadata["tags"] = [tag for tag in cell.metadata.get("tags", []) if tag != "reveal"]
    cell.metadata.get("jupyter", {}).pop("outputs_hidden", None)


def start_kernel(url: str, token: str, path: str) -> str:
    """Ask JupyterLab for a kernel for the notebook at `path`; return the kernel's name on this machine."""
    asked = {"path": path, "name": Path(path).name, "type": "notebook", "kernel": {"name": "python3"}}
    request = urllib.request.Request(
        f"{url}api/sessions", json.dumps(asked).encode(), {"Authorization": f"token {token}"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=60) as answer:
        return str(json.load(answer)["kernel"]["id"])


def run(notebook: Any, kernel: str, at: int) -> None:
    """Run the cells in a kernel that is there, and keep what they show; the page will go to the output of cell `at`."""
    client = BlockingKernelClient(connection_file=str(Path(jupyter_runtime_dir()) / f"kernel-{kernel}.json"))
    client.load_connection_file()
    client.start_channels(hb=False)
    open_up(notebook.cells[at])
    try:
        client.kernel_info(reply=True, timeout=60)
        for count, cell in enumerate(filter(to_be_run, notebook.cells), 1):
            shown: list[Any] = []
            client.execute_interactive(
                cell.source, timeout=LIMIT, allow_stdin=False, output_hook=lambda message, to=shown: keep(message, to)
            )
            cell.outputs, cell.execution_count = shown, count
        here: list[Any] = []
        client.execute_interactive(HERE, timeout=LIMIT, store_history=False, output_hook=lambda m: keep(m, here))
        notebook.cells[at].outputs = [*here, *notebook.cells[at].outputs]
    finally:
        client.stop_channels()


def keep(message: Any, shown: list[Any]) -> None:
    """Add what a kernel shows to the outputs of a cell."""
    kind = message["header"]["msg_type"]
    if kind == "clear_output":
        shown.clear()
    elif kind in ("stream", "display_data", "execute_result", "error"):
        shown.append(nbformat.v4.output_from_msg(message))


def run_in_jupyter(url: str, token: str, tree: Path, path: Path, at: int) -> None:
    """Run one copied notebook in a kernel of its own, and store what came out; it opens at the output of cell `at`."""
    since = time.monotonic()
    notebook = nbformat.read(path, 4)
    run(notebook, start_kernel(url, token, path.relative_to(tree).as_posix()), at)
    nbformat.write(notebook, path)
    NotebookNotary().sign(notebook)  # else JupyterLab shows no live view of what it did not run itself
    print(f"{path.name}: run in {time.monotonic() - since:.0f} s, all but the reveals", flush=True)
