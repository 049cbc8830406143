"""The benchmark of the labs watches panels that the labs have; without a browser."""

import numpy as np
import pytest

pytest.importorskip("playwright", reason="playwright is not installed: pip install -e '.[tests]'")
from bench_labs import BENCHES


@pytest.mark.parametrize("name", BENCHES)
def test_each_lab_has_the_panel_that_is_watched(name):
    names = {"np": np}
    exec(BENCHES[name].cell, names)
    panel = BENCHES[name].watched.split('"')[1]
    assert names["lab"].view[panel].size
