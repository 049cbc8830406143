"""What a Jupyter server of ours writes to the disk when a notebook is saved."""

import runpy
import sys

import nbformat
from classroom.start import ROOT, SERVER_FILES
from jupyter_server.services.contents.largefilemanager import LargeFileManager
from saved_notebooks import WIDGET_VIEW
from traitlets.config import Config

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
