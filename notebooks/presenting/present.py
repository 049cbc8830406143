"""Open a notebook for an audience: one document, large type, no side bars; nobody's own settings are touched.

`python notebooks/presenting/present.py [05]` opens the notebook that begins with 05. With
`--at=lab` its cells are run first, in a copy, all but the reveals, and it opens at its lab; where
there are several, the name of one chooses, such as `--at=CacheStepper`.
"""

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import webbrowser
from pathlib import Path

import nbformat
from jupyter_server.serverapp import list_running_servers
from jupyterlab_server.workspaces_handler import WorkspacesManager
from run_first import copy_notebooks, lab_cell, labs_of, run_in_jupyter

from attention_lib._kept import OFF, VARIABLE

ROOT = Path(__file__).parent.parent.parent
BUILD = ROOT / "build" / "present"
JUPYTERLAB = [sys.executable, str(ROOT / "tools" / "prompt_lab.py")]
STYLE = Path(__file__).with_name("present.css")
FONTS = ROOT / "attention_lib" / "fonts"  # what every page of `make lab` gets
LIMIT = 60  # seconds for JupyterLab to start, and to end
TOOLBAR = ["save", "insert", "cut", "copy", "paste", "cellType", "executionProgress"]
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {
        "overrides": {"content-font-size1": "20px", "code-font-size": "18px", "ui-font-size1": "16px"}
    },
    "@jupyterlab/statusbar-extension:plugin": {"visible": False},
    "@jupyterlab/notebook-extension:panel": {"toolbar": [{"name": name, "disabled": True} for name in TOOLBAR]},
}
WHOLE = {"@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"}}  # so that the page can go to any cell
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
        raise SystemExit(f"There is no notebook that begins with {start}: give two digits, such as 05.")
    return found[0]


def prepare(build, root=ROOT, more=()):
    """Write settings and an empty layout; return the flags that make JupyterLab use them, and serve `root`."""
    for name, values in {**SETTINGS, **dict(more)}.items():
        package, _, plugin = name.partition(":")
        settings = build / "settings" / package / f"{plugin}.jupyterlab-settings"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text(json.dumps(values, indent=2))
    custom = build / "custom"
    shutil.copytree(FONTS, custom, dirs_exist_ok=True)
    (custom / "custom.css").write_text((FONTS / "custom.css").read_text("utf-8") + STYLE.read_text("utf-8"), "utf-8")
    layout = {"data": {"layout-restorer:data": LAYOUT}, "metadata": {"id": "default"}}
    WorkspacesManager(str(build / "workspaces")).save("default", json.dumps(layout))
    return [
        f"--LabApp.user_settings_dir={build / 'settings'}",
        f"--LabApp.workspaces_dir={build / 'workspaces'}",
        f"--ServerApp.tornado_settings=static_custom_path={custom}",
        f"--ServerApp.root_dir={root}",
    ]


def environment():
    """The environment of an audience: what the presenter once answered alone would be an answer before its reveal."""
    return {**os.environ, VARIABLE: OFF}


def address(path):
    """Where JupyterLab shows one document alone."""
    return f"/doc/tree/{path.relative_to(ROOT).as_posix()}"


def wait_for(server):
    """The address of a JupyterLab that was just started."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end and server.poll() is None:
        for known in list_running_servers():
            if known["pid"] == server.pid:
                return known["url"]
        time.sleep(0.1)
    raise SystemExit(f"JupyterLab did not start, or not within {LIMIT} seconds. What it said stands above.")


def present_at(name, start, flags):
    """Run a copy of the notebook, all but its reveals, and open it at one of its labs."""
    source = find(start)
    notebook = nbformat.read(source, 4)
    at = lab_cell(notebook, name)
    if at is None:
        labs = [notebook.cells[i].source.splitlines()[-1] for i in labs_of(notebook)] or ["none"]
        raise SystemExit(f"{source.name} has no lab {name!r}. Its labs: {'; '.join(labs)}")
    build, token = BUILD / "at" / source.stem, secrets.token_hex(16)
    tree = build / "tree"
    copy_notebooks(ROOT, tree)
    hidden = ["--no-browser", f"--IdentityProvider.token={token}"]
    server = subprocess.Popen([*JUPYTERLAB, *prepare(build, tree, WHOLE), *hidden, *flags], env=environment())
    try:
        url = wait_for(server)
        run_in_jupyter(url, token, tree, tree / source.relative_to(ROOT), at)
        opened = f"{url}{address(source)[1:]}?token={token}"
        print(f"Open: {opened}", flush=True)
        if "--no-browser" not in flags:
            webbrowser.open(opened)
        server.wait()
    except KeyboardInterrupt:
        pass
    finally:
        server.terminate()
        server.wait(LIMIT)


def main(*given):
    at = next((flag.removeprefix("--at=") for flag in given if flag.startswith("--at=")), None)
    start, *flags = [flag for flag in given if not flag.startswith("--at=")] or ["01"]
    if at:
        return present_at(at, start, flags)
    command = [*JUPYTERLAB, *prepare(BUILD), f"--LabApp.default_url={address(find(start))}"]
    subprocess.run([*command, *flags], env=environment())


if __name__ == "__main__":
    main(*sys.argv[1:])
