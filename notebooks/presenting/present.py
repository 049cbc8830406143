"""Open a notebook for an audience: one document, large type, no bars; nobody's own settings are touched.

`python notebooks/presenting/present.py [05]` opens the notebook that begins with 05, at its lab.
"""

import json
import subprocess
import sys
from pathlib import Path

import nbformat
from jupyterlab_server.workspaces_handler import WorkspacesManager

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "build" / "present"
LABS = {"lab", "lab-run", "the-lab"}  # what the cell of a lab is called
TOOLBAR = ["save", "insert", "cut", "copy", "paste", "cellType", "executionProgress"]
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {
        "overrides": {"content-font-size1": "20px", "code-font-size": "18px", "ui-font-size1": "16px"}
    },
    "@jupyterlab/statusbar-extension:plugin": {"visible": False},
    "@jupyterlab/notebook-extension:panel": {"toolbar": [{"name": name, "disabled": True} for name in TOOLBAR]},
}
LAYOUT = {
    "main": None,
    "down": {"size": 0, "widgets": []},
    "left": {"collapsed": True, "visible": False, "widgets": []},
    "right": {"collapsed": True, "visible": False, "widgets": []},
    "relativeSizes": [0, 1, 0],
    "top": {"simpleVisibility": False},
}


def find(start):
    """The notebook whose name begins so."""
    found = sorted((ROOT / "notebooks").glob(f"{start}*.ipynb"))
    if not found:
        raise SystemExit(f"There is no notebook that begins with {start}: give two digits, such as NOTEBOOK=05.")
    return found[0]


def lab_cell(path):
    """The id of the cell that starts the lab; None where there is none."""
    cells = nbformat.read(path, as_version=4).cells
    return next((cell.id for cell in cells if cell.cell_type == "code" and cell.id in LABS), None)


def prepare(build):
    """Write settings and an empty layout; return the flags that make JupyterLab use them."""
    settings, workspaces = build / "settings", build / "workspaces"
    settings.mkdir(parents=True, exist_ok=True)
    (settings / "overrides.json").write_text(json.dumps(SETTINGS, indent=2))
    layout = {"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "present"}}
    WorkspacesManager(str(workspaces)).save("present", json.dumps(layout))
    return [
        f"--LabApp.app_settings_dir={settings}",
        f"--LabApp.user_settings_dir={build / 'user'}",
        f"--LabApp.workspaces_dir={workspaces}",
        f"--ServerApp.root_dir={ROOT}",
    ]


def address(path):
    """Where JupyterLab shows one document, scrolled to the lab."""
    lab = lab_cell(path)
    return f"/doc/workspaces/present/tree/notebooks/{path.name}" + (f"#cell-id={lab}" if lab else "")


def main(start="01", *flags):
    command = [sys.executable, "-m", "jupyterlab", *prepare(BUILD), f"--LabApp.default_url={address(find(start))}"]
    subprocess.run([*command, *flags])


if __name__ == "__main__":
    main(*sys.argv[1:])
