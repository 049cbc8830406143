"""What `make present` asks of JupyterLab, without starting it."""

import json
from pathlib import Path

import present
import pytest
from jupyterlab.commands import get_app_dir
from notebook_tools import paths, read
from test_slides import LABS

SCHEMAS = Path(get_app_dir()) / "schemas"


@pytest.mark.parametrize("path", paths()[1:], ids=lambda path: path.stem)
def test_a_notebook_is_opened_at_its_lab(path):
    assert present.find(path.stem[:2]) == path
    cell = next(cell for cell in read(path).cells if cell.id == present.lab_cell(path))
    assert LABS[path.stem[:2]] in cell.source
    assert present.address(path).endswith(f"{path.name}#cell-id={cell.id}")


def test_a_notebook_without_a_lab_is_opened_at_the_top():
    assert present.address(paths()[0]).endswith(paths()[0].name)


def test_a_notebook_that_does_not_exist_gets_a_sentence():
    with pytest.raises(SystemExit, match="no notebook that begins with 77"):
        present.find("77")


def test_the_settings_are_known_to_jupyterlab(tmp_path):
    present.prepare(tmp_path)
    for name, values in json.loads((tmp_path / "settings" / "overrides.json").read_text()).items():
        package, _, plugin = name.partition(":")
        schema = json.loads((SCHEMAS / package / f"{plugin}.json").read_text())
        assert set(values) <= set(schema["properties"]) | {"toolbar"}
    assert list((tmp_path / "workspaces").glob("present*.jupyterlab-workspace"))
