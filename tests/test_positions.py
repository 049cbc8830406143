"""Sinusoidal and rotary positions, against the formulas of the papers; test_other_libraries.py has other libraries."""

import math

import numpy as np
import pytest
from _profiles import close, matrices, repeatable
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import rotary_positions, sinusoidal_positions

pytestmark = pytest.mark.filterwarnings("error")

widths = st.integers(1, 4).map(lambda pairs: 2 * pairs)
starts = st.integers(0, 5000)


@repeatable
@given(st.integers(0, 6), widths, starts)
def test_sinusoidal_positions_are_those_of_the_paper(n, d_model, start):
    rows = sinusoidal_positions(n, d_model, start=start)
    assert rows.shape == (n, d_model) and rows.dtype == np.float64
    for row, column in np.ndindex(n, d_model):
        pair = column // 2
        angle = (start + row) / 10000 ** (2 * pair / d_model)
        close(rows[row, column], math.cos(angle) if column % 2 else math.sin(angle))


@repeatable
@given(st.data(), st.integers(1, 4), widths, starts, st.floats(1.5, 1e6))
def test_rotary_positions_turn_each_pair_by_its_angle(data, n, d, start, base):
    X = data.draw(matrices(n, d))
    turned = rotary_positions(X, start=start, base=base)
    for row, pair in np.ndindex(n, d // 2):
        angle = (start + row) * base ** (-2 * pair / d)
        x, y = X[row, 2 * pair], X[row, 2 * pair + 1]
        expected = complex(x, y) * complex(math.cos(angle), math.sin(angle))
        close(turned[row, 2 * pair : 2 * pair + 2], [expected.real, expected.imag])


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_far_positions_are_rounded_once_at_the_end(dtype):
    """Angles are kept in float64: in float16, 4097 would be 4096 already."""
    X = np.random.default_rng(0).standard_normal((2, 3, 8)).astype(dtype)
    exact = rotary_positions(X.astype(float), start=100_001, base=10000.0)
    half_a_step = np.finfo(dtype).eps / 2
    np.testing.assert_allclose(rotary_positions(X, start=100_001), exact, rtol=1.05 * half_a_step, atol=1e-7)
