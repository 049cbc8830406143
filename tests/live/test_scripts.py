"""The browser's scripts: their pure parts are tested in node, by the tests in `js`; what is joined is whole."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from attention_lib.live import assets
from attention_lib.live.assets import EXPORT, HERE, _plain, script, style_sheet
from attention_lib.live.drawing import Drawing
from attention_lib.live.keys import Keys
from attention_lib.live.lab import Lab
from attention_lib.live.matrix_view import MatrixView

FILES = sorted((Path(__file__).parent / "js").glob("*.test.js"))
NODE = shutil.which("node")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_in_node(path):
    if NODE is None:
        pytest.skip("no node found: install Node.js to test the browser's scripts")
    # The report of the runner itself: variables of an outer run would make it speak another language.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("NODE_")}
    command = [NODE, "--test", "--test-reporter=spec", str(path)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "pass 0" not in run.stdout, "no test was found"


SCRIPTED = [MatrixView, Keys]
BROUGHT = [
    *(str(view._esm) for view in [*SCRIPTED, Drawing]),
    script("lone"),
]  # the last by the pages that need no kernel


@pytest.fixture
def scripts(tmp_path, monkeypatch):
    """Write scripts and let them be those of the views."""
    (tmp_path / "js").mkdir()
    monkeypatch.setattr(assets, "HERE", tmp_path)

    def write(**sources):
        for name, source in sources.items():
            (tmp_path / "js" / f"{name}.js").write_text(source, encoding="utf-8")

    return write


def test_a_script_brings_what_it_imports_once_and_before_itself(scripts):
    scripts(
        low="export const one = 1;\n",
        left='import { one } from "./low.js";\nexport const two = one + one;\n',
        right='import {\n  one,\n} from "./low.js";\nexport const three = one + 2;\n',
        top='import { two } from "./left.js";\nimport { three } from "./right.js";\nexport default two + three;\n',
    )
    lines = [line for line in script("top").splitlines() if line]
    assert lines == [
        "const one = 1;",
        "const two = one + one;",
        "const three = one + 2;",
        "export default two + three;",
    ]


def test_what_only_the_type_checker_reads_stays_at_home(scripts):
    scripts(top='/** @import { A } from "./types.js" */\nclass B {\n  /**\n   * @param {A} a\n   */\n  c(a) {}\n}\n')
    assert script("top") == "class B {\n  c(a) {}\n}\n"


@pytest.mark.parametrize("path", sorted(HERE.glob("js/*.js")), ids=lambda path: path.name)
def test_every_script_is_brought_along_by_a_view(path):
    text = _plain(path.stem, keep_exports=False)
    assert any(text.split("export default")[0] in EXPORT.sub("", brought) for brought in BROUGHT)


@pytest.mark.parametrize("path", sorted(HERE.glob("css/*")), ids=lambda path: path.name)
def test_every_style_sheet_is_brought_along_by_a_view(path):
    brought = [*(str(view._css) for view in SCRIPTED), Lab.style(), style_sheet("lone")]
    assert any(path.read_text("utf-8") in sheet for sheet in brought)


def test_every_property_that_a_style_sheet_reads_is_set_somewhere():
    library = Path(__file__).parents[2] / "attention_lib"
    text = "".join(path.read_text("utf-8") for kind in ("css", "js", "py") for path in library.rglob(f"*.{kind}"))
    read = set(re.findall(r"var\((--[a-z-]+)\)", text))  # without a value of its own to fall back to
    ours = {name for name in read if not name.startswith("--jp-")}
    assert {name for name in ours if not re.search(rf"{name}[\"']?\s*[,:]", text)} == set()
