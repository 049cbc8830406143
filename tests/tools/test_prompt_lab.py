"""JupyterLab as `make lab` starts it: a kernel's messages leave at once, and saved notebooks hold no live views."""

import json
import subprocess
import sys
from pathlib import Path

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
