"""What `make present` asks of JupyterLab, without starting it."""

import json
from pathlib import Path

import present
import pytest
from jupyterlab.commands import get_app_dir
from notebook_tools import paths

SCHEMAS = Path(get_app_dir()) / "schemas"
EXTENSIONS = Path(get_app_dir()).parent / "labextensions"  # what ipywidgets brings to JupyterLab stands here


def schema_of(setting):
    """The schema of one plugin's settings, of JupyterLab itself or of an extension."""
    (found,) = [*SCHEMAS.glob(str(setting)), *EXTENSIONS.glob(f"**/schemas/{setting}")]
    return found


@pytest.mark.parametrize("path", paths(), ids=lambda path: path.stem)
def test_two_digits_name_a_notebook(path):
    assert present.find(path.stem[:2]) == path
    assert present.address(path) == f"/doc/tree/notebooks/{path.name}"


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


def test_the_letters_that_are_enlarged_are_known_to_jupyterlab():
    schema = json.loads((SCHEMAS / "@jupyterlab" / "apputils-extension" / "themes.json").read_text())
    enlarged = present.SETTINGS["@jupyterlab/apputils-extension:themes"]["overrides"]
    assert {"content-font-size1", "code-font-size"} <= set(enlarged)
    assert set(enlarged) <= set(schema["definitions"]["cssOverrides"]["properties"])
