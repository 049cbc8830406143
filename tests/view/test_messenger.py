"""The Messenger between page and Python, in node, over a line that loses messages: see messenger.mjs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from attention_lib.view.assets import script

SCENARIOS = Path(__file__).with_name("messenger.mjs")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node found: install Node.js")
def test_no_edit_is_lost_whatever_the_line_loses(tmp_path):
    program = tmp_path / "messenger.mjs"
    program.write_text(script("messenger") + SCENARIOS.read_text("utf-8"), "utf-8")
    run = subprocess.run(["node", "--test", str(program)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "# fail 0" in run.stdout and "# pass 0" not in run.stdout
