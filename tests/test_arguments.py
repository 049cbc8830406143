"""The checks of arguments: what no public function shows by itself."""

import numpy as np
import pytest

from attention_lib import _arguments


@pytest.mark.parametrize("shape", [(3,), (64, 64), (120, 8, 19), (300, 8, 19), (0, 4)])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_one_number_that_is_not_finite_is_found_wherever_it_is(shape, dtype):
    array = np.full(shape, 200, dtype)  # squares of it leave float16
    assert _arguments.all_finite(array)
    for place in {0, array.size // 2, array.size - 1} if array.size else ():
        for odd in (np.nan, np.inf, -np.inf):
            spoiled = array.copy()
            spoiled.flat[place] = odd
            assert not _arguments.all_finite(spoiled)
            assert not _arguments.all_finite(spoiled.T)


def test_only_short_arrays_are_given_to_blas(monkeypatch):
    """Its threads wait for each other on a busy machine: training in notebook 08 took 13 s instead of 2."""
    lengths, vdot = [], np.vdot
    monkeypatch.setattr(_arguments.np, "vdot", lambda a, b: lengths.append(a.size) or vdot(a, b))
    for size in (10, 8192, 8193, 100_000):
        assert _arguments.all_finite(np.ones(size))
    assert lengths == [10, 8192]
