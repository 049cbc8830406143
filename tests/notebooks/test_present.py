"""What `make present` asks of JupyterLab, without starting it."""

import json
from pathlib import Path

import nbformat
import present
import pytest
import run_first
from jupyterlab.commands import get_app_dir
from notebook_tools import paths

from attention_lib import lessons
from attention_lib._kept import OFF, VARIABLE

SCHEMAS = Path(get_app_dir()) / "schemas"
EXTENSIONS = Path(get_app_dir()).parent / "labextensions"  # what ipywidgets brings to JupyterLab stands here


def schema_of(setting):
    """The schema of one plugin's settings, of JupyterLab itself or of an extension."""
    (found,) = [*SCHEMAS.glob(str(setting)), *EXTENSIONS.glob(f"**/schemas/{setting}")]
    return found


def test_a_notebook_that_does_not_exist_gets_a_sentence():
    with pytest.raises(SystemExit, match="no notebook that begins with 77"):
        present.find("77")


def test_the_settings_are_known_to_jupyterlab(tmp_path):
    present.prepare(tmp_path)
    written = list((tmp_path / "settings").rglob("*.jupyterlab-settings"))
    assert len(written) == len(present.SETTINGS)
    for path in written:
        schema = json.loads(schema_of(path.relative_to(tmp_path / "settings").with_suffix(".json")).read_text())
        assert set(json.loads(path.read_text())) <= set(schema["properties"]) | {"toolbar"}
    assert list((tmp_path / "workspaces").glob("default*.jupyterlab-workspace"))


@pytest.mark.parametrize(("lab", "module"), lessons.LABS.items())
def test_a_lab_is_found_by_its_name_and_one_of_a_notebook_by_its_heading(lab, module):
    lesson = "start_here" if lab == "MovingPoint" else module.partition(".")[0]
    (path,) = [path for path in paths() if path.stem[3:] == lesson]
    notebook = nbformat.read(path, 4)

    def opened(name):
        return notebook.cells[run_first.lab_cell(notebook, name)].source.splitlines()[-1].partition("(")[0]

    assert opened(lab) == lab and opened("lab") in lessons.LABS


def test_a_lab_that_answers_a_prediction_is_run_and_seen_where_it_was_asked_for():
    hidden = {"tags": ["reveal"], "jupyter": {"outputs_hidden": True}}
    cell = nbformat.v4.new_code_cell('reveal("02.naive")\nScalingLab()', metadata=hidden)
    assert not run_first.to_be_run(cell)
    run_first.open_up(cell)
    assert run_first.to_be_run(cell) and not cell.metadata["jupyter"]
    assert "reveal(" not in cell.source, "the page would hide it"


def test_a_lab_that_is_not_there_gets_a_sentence_with_those_that_are():
    with pytest.raises(SystemExit, match=r"no lab 'Explorer'. Its labs: ScalingLab"):
        present.main("02", "--at=Explorer")


@pytest.mark.parametrize("at", [[], ["--at=lab"]], ids=["whole", "at its lab"])
def test_what_the_presenter_answered_alone_is_not_on_the_screen(at, tmp_path, monkeypatch):
    class StartedError(Exception):
        """Nothing is started here."""

    def start(command, *, env):
        assert env[VARIABLE] == OFF
        raise StartedError

    monkeypatch.setenv(VARIABLE, str(tmp_path))  # the tests keep nothing by themselves
    monkeypatch.setattr(present, "BUILD", tmp_path)
    monkeypatch.setattr(present.subprocess, "run", start)
    monkeypatch.setattr(present.subprocess, "Popen", start)
    with pytest.raises(StartedError):
        present.main("04", *at)
