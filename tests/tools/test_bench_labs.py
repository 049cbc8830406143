"""The benchmark of the labs watches panels that the labs have; without a browser."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("playwright", reason="playwright is not installed: see requirements-test.txt")
sys.path.append(str(Path(__file__).parents[2] / "tools" / "benchmarks"))

from bench_labs import BENCHES


@pytest.mark.parametrize("name", BENCHES)
def test_each_lab_has_the_panel_that_is_watched(name):
    made: dict = {}
    exec(BENCHES[name].cell, made)
    assert made["lab"].view[BENCHES[name].panel].size
