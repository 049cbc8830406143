"""The pure parts of the browser's scripts, tested in node; the tests themselves stand in `js`."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

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
