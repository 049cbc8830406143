"""Servers of ours: a kernel's messages leave at once, and saved notebooks hold no live views."""

import json
import runpy
import subprocess
import sys
from pathlib import Path

import nbformat
from classroom.start import ROOT, SERVER_FILES
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from saved_notebooks import WIDGET_VIEW
from traitlets.config import Config

SCRIPT = Path(__file__).parents[2] / "tools" / "prompt_lab.py"


def test_wherever_it_is_started_the_address_opens_notebook_00_and_the_server_takes_the_settings_and_flags(tmp_path):
    command = [sys.executable, SCRIPT, "--show-config-json", "--ServerApp.port=8765"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True).stdout
    settings = json.loads(told)
    root, opens = settings["ServerApp"]["root_dir"], settings["LabApp"]["default_url"]
    assert Path(root) == SCRIPT.parents[1]
    assert (Path(root) / opens.removeprefix("/lab/tree/")).name == "00_start_here.ipynb"
    assert (Path(root) / opens.removeprefix("/lab/tree/")).exists()

    server = settings["ServerApp"]
    assert server["kernel_websocket_connection_class"] == "prompt_lab.PromptConnection"
    assert settings["ContentsManager"]["pre_save_hook"] == "saved_notebooks.before_saving"
    assert server["port"] == 8765


def test_a_connection_does_not_hold_back(monkeypatch):
    import prompt_lab  # JupyterLab with it, which takes seconds: not where tests are collected

    asked = []

    class Socket:
        def set_nodelay(self, value):
            asked.append(value)

    class Connection(prompt_lab.PromptConnection):
        websocket_handler = Socket()

        def __init__(self):
            pass

    monkeypatch.setattr(prompt_lab.ZMQChannelsWebsocketConnection, "connect", lambda self: "connected")
    assert Connection().connect() == "connected"
    assert asked == [True]


VIEW = {WIDGET_VIEW: {"model_id": "1", "version_major": 2, "version_minor": 0}}
TEXT, PICTURE, WORDS = {"text/plain": "Lab"}, {"image/png": "AAAA"}, {"text/html": "In words"}
STATE = {"application/vnd.jupyter.widget-state+json": {"state": {"1": {}}, "version_major": 2, "version_minor": 0}}
HOOK = "saved_notebooks.before_saving"
CONFIG = ROOT / "tools" / "classroom" / "jupyter_server_config.py"


def test_a_lab_is_saved_as_its_picture_and_a_prediction_as_its_text(tmp_path):
    shown = [{**VIEW, **PICTURE, **TEXT}, WORDS, {**VIEW, **TEXT}, VIEW]
    outputs = [nbformat.v4.new_output("display_data", data) for data in shown]
    cells = [nbformat.v4.new_markdown_cell("# Title"), nbformat.v4.new_code_cell("lab", outputs=outputs)]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"widgets": STATE})
    config = Config({"ContentsManager": {"pre_save_hook": HOOK}})
    LargeFileManager(root_dir=str(tmp_path), config=config).save(
        {"type": "notebook", "format": "json", "content": notebook}, "a.ipynb"
    )
    saved = nbformat.read(tmp_path / "a.ipynb", as_version=4)
    assert [output.data for output in saved.cells[1].outputs] == [{**PICTURE, **TEXT}, WORDS, TEXT, VIEW]
    assert "widgets" not in saved.metadata


def test_the_servers_of_a_class_do_the_same_and_have_the_modules_for_it(monkeypatch):
    found = Config()
    monkeypatch.setattr(sys, "path", [*sys.path])  # which the settings change
    runpy.run_path(str(CONFIG), {"get_config": lambda: found})
    named = [found.ServerApp.kernel_websocket_connection_class, found.ContentsManager.pre_save_hook]
    assert HOOK in named
    for name in named:
        assert SERVER_FILES[f"tools/{name.split('.')[0]}.py"] == SERVER_FILES[CONFIG.relative_to(ROOT).as_posix()]
