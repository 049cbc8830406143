"""Learners are sent to attention.py, so its first screen shows the whole calculation."""

import re
from pathlib import Path

import attention_lib

SCREEN = 50  # lines


def test_the_first_screen_shows_the_calculation_one_line_per_step_with_its_shape():
    lines = (Path(attention_lib.__file__).parent / "attention.py").read_text("utf-8").splitlines()[:SCREEN]
    steps = [
        line.split(" = ")[0].strip() for line in lines if re.search(r"^    \w+ = .*  # \(\.\.\., \w+, \w+\)", line)
    ]
    assert steps == ["scores", "scaled_scores", "masked_scores", "weights", "output"]
