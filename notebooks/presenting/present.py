"""Open a notebook for an audience: one document, large type, no side bars; nobody's own settings are touched.

`python notebooks/presenting/present.py [05]` opens the notebook that begins with 05.
"""

import json
import subprocess
import sys
from pathlib import Path

from jupyterlab_server.workspaces_handler import WorkspacesManager

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "build" / "present"
TOOLBAR = ["save", "insert", "cut", "copy", "paste", "cellType", "executionProgress"]
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyter-widgets/jupyterlab-manager:plugin": {"saveState": True},  # a lab that is opened again stands as it was
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


def prepare(build):
    """Write settings and an empty layout; return the flags that make JupyterLab use them."""
    for name, values in SETTINGS.items():
        package, _, plugin = name.partition(":")
        settings = build / "settings" / package / f"{plugin}.jupyterlab-settings"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(values, indent=2))
    layout = {"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "default"}}
    WorkspacesManager(str(build / "workspaces")).save("default", json.dumps(layout))
    return [
        f"--LabApp.user_settings_dir={build / 'settings'}",
        f"--LabApp.workspaces_dir={build / 'workspaces'}",
        f"--ServerApp.root_dir={ROOT}",
    ]


def address(path):
    """Where JupyterLab shows one document alone."""
    return f"/doc/tree/notebooks/{path.name}"


def main(start="01", *flags):
    command = [sys.executable, "-m", "jupyterlab", *prepare(BUILD), f"--LabApp.default_url={address(find(start))}"]
    subprocess.run([*command, *flags])


if __name__ == "__main__":
    main(*sys.argv[1:])
