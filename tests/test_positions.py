"""Sinusoidal and rotary positions, against the papers' formulas and PyTorch."""

import math

import numpy as np
import pytest
from _profiles import close, matrices, repeatable
from hypothesis import given
from hypothesis import strategies as st

from attention_lib import KVCache, rotary_positions, scaled_dot_product_attention, sinusoidal_positions

pytestmark = pytest.mark.filterwarnings("error")

NO_TORCH = "torch is not installed: equality with PyTorch is not tested here"
widths = st.integers(1, 4).map(lambda pairs: 2 * pairs)
starts = st.integers(0, 5000)


# --- the formulas of the papers, one number at a time


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


# --- what is always true


@repeatable
@given(st.data(), st.integers(0, 4), st.integers(0, 4), widths, st.integers(0, 300), st.integers(0, 300))
def test_scores_of_turned_rows_hang_on_distances_alone(data, n_queries, n_keys, d, apart, moved):
    Q, K = data.draw(matrices(n_queries, d)), data.draw(matrices(n_keys, d))

    def scores(start):
        return rotary_positions(Q, start=start + apart) @ rotary_positions(K, start=start).T

    np.testing.assert_allclose(scores(moved), scores(0), atol=1e-9)


def test_a_score_does_hang_on_the_distance():
    ones = np.ones((1, 2))
    scores = [(rotary_positions(ones, start=apart) @ ones.T).item() for apart in (0, 1, 2, 3)]
    close(scores, [2 * math.cos(apart) for apart in (0, 1, 2, 3)])


@repeatable
@given(st.data(), st.integers(1, 4), widths, starts)
def test_turning_changes_no_length_and_position_0_changes_nothing(data, n, d, start):
    X = data.draw(matrices(n, d))
    close((rotary_positions(X, start=start) ** 2).sum(axis=-1), (X**2).sum(axis=-1))
    assert rotary_positions(X[:1]).tolist() == X[:1].tolist()


@repeatable
@given(st.data(), st.integers(0, 4), st.integers(0, 4), widths)
def test_a_start_is_a_slice_of_the_whole(data, skipped, n, d):
    X = data.draw(matrices(skipped + n, d))
    close(rotary_positions(X[skipped:], start=skipped), rotary_positions(X)[skipped:])
    close(sinusoidal_positions(n, d, start=skipped), sinusoidal_positions(skipped + n, d)[skipped:])


@repeatable
@given(widths, st.integers(0, 300), st.integers(0, 300))
def test_a_sinusoidal_row_further_on_is_the_same_row_turned(d_model, position, further):
    """Section 3.5: PE at position + k is a linear function of PE at position, whatever the position."""
    here, there = (sinusoidal_positions(1, d_model, start=at)[0] for at in (position, position + further))
    turn = further / 10000 ** (np.arange(0, d_model, 2) / d_model)  # (d_model/2,): known without the position
    sin, cos = here[0::2], here[1::2]
    np.testing.assert_allclose(there[0::2], sin * np.cos(turn) + cos * np.sin(turn), atol=1e-9)
    np.testing.assert_allclose(there[1::2], cos * np.cos(turn) - sin * np.sin(turn), atol=1e-9)


def test_each_pair_of_columns_is_slower_than_the_one_before():
    turns = np.abs(np.diff(sinusoidal_positions(2, 16)[:, ::2], axis=0))[0]  # how far each sine gets in one step
    assert (np.diff(turns) < 0).all()
    slow = rotary_positions(np.ones((2, 4)), base=1e9)[1]
    fast = rotary_positions(np.ones((2, 4)), base=10)[1]
    assert slow[:2].tolist() == fast[:2].tolist()  # the first pair turns by one radian, whatever the base
    close(slow[2:], [1 - 1e9**-0.5, 1 + 1e9**-0.5])
    assert abs(fast[2:] - 1).max() > 0.3


# --- conventions


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_stays_and_the_input_is_not_changed(dtype):
    X = np.array([[1, 2], [3, 4], [5, 6]], dtype)
    before = X.copy()
    turned = rotary_positions(X, start=2**20)
    assert turned.dtype == dtype
    turned[:] = 0
    assert np.array_equal(X, before)
    assert rotary_positions([[1, 2]]).dtype == np.float64


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_far_positions_are_rounded_once_at_the_end(dtype):
    """Angles are kept in float64: in float16, 4097 would be 4096 already."""
    X = np.random.default_rng(0).standard_normal((3, 8)).astype(dtype)
    exact = rotary_positions(X.astype(float), start=100_001)
    half_a_step = np.finfo(dtype).eps / 2
    np.testing.assert_allclose(rotary_positions(X, start=100_001), exact, rtol=1.05 * half_a_step, atol=1e-7)


def test_leading_axes_are_turned_alike():
    X = np.random.default_rng(0).standard_normal((2, 3, 5, 4))
    turned = rotary_positions(X, start=7)
    for index in np.ndindex(2, 3):
        close(turned[index], rotary_positions(X[index], start=7))


def test_no_rows_are_no_rows():
    assert sinusoidal_positions(0, 4).shape == (0, 4)
    assert rotary_positions(np.ones((2, 0, 4))).shape == (2, 0, 4)


def test_with_a_cache_the_offset_is_its_length():
    """Token by token, each turned by where it stands, gives what the whole sequence gives at once."""
    Q, K, V = np.random.default_rng(0).standard_normal((3, 2, 6, 4))  # 2 heads, 6 tokens
    whole = scaled_dot_product_attention(rotary_positions(Q), rotary_positions(K), V, is_causal=True)
    cache = KVCache(6, 2, 4)
    for new in range(6):
        row, at = slice(new, new + 1), len(cache)
        keys, values = cache.append(rotary_positions(K[:, row], start=at), V[:, row])
        step = scaled_dot_product_attention(rotary_positions(Q[:, row], start=at), keys, values)
        close(step.output, whole.output[:, row])


# --- against PyTorch; test_transformers.py has the rest


def test_rotary_positions_equal_complex_multiplication_in_pytorch():
    torch = pytest.importorskip("torch", reason=NO_TORCH)
    X = np.random.default_rng(0).standard_normal((2, 5, 8))
    speeds = 10000.0 ** (-torch.arange(0, 8, 2, dtype=torch.float64) / 8)
    angles = torch.outer(torch.arange(3, 8, dtype=torch.float64), speeds)
    pairs = torch.view_as_complex(torch.from_numpy(X).reshape(2, 5, 4, 2))
    turned = torch.view_as_real(pairs * torch.polar(torch.ones_like(angles), angles)).reshape(2, 5, 8)
    close(rotary_positions(X, start=3), turned.numpy())


# --- bad input

BAD = {
    "odd d_model": (lambda: sinusoidal_positions(2, 3), ValueError, "d_model is 3; it needs to be even, for columns"),
    "no d_model": (lambda: sinusoidal_positions(2, 0), ValueError, "d_model is 0; it needs to be at least 1"),
    "n": (lambda: sinusoidal_positions(-1, 2), ValueError, "n is -1; it needs to be at least 0"),
    "n fraction": (lambda: sinusoidal_positions(1.5, 2), TypeError, "n is 1.5; it needs a whole number"),
    "start": (lambda: sinusoidal_positions(1, 2, start=-1), ValueError, "start is -1; it needs to be at least 0"),
    "odd d": (
        lambda: rotary_positions([[1, 2, 3]]),
        ValueError,
        "X has 3 columns; it needs an even number",
    ),
    "one axis": (lambda: rotary_positions([1, 2]), ValueError, "X has shape (2,); it needs (..., n, d)"),
    "NaN": (lambda: rotary_positions([[1, np.nan]]), ValueError, "X has nan at [0, 1]; it needs finite numbers"),
    "rotary start": (lambda: rotary_positions([[1, 2]], start=0.5), TypeError, "start is 0.5; it needs a whole number"),
    "base": (lambda: rotary_positions([[1, 2]], base=0), ValueError, "base is 0.0; it needs a number above 0"),
    "base type": (lambda: rotary_positions([[1, 2]], base="10"), TypeError, "base is '10'; it needs a number"),
    "range": (
        lambda: rotary_positions(np.full((2, 2), 60000, np.float16)),
        ValueError,
        "a turned number left the range of float16, which ends at 65504; use smaller numbers or a wider dtype",
    ),
    "tiny base": (lambda: rotary_positions(np.ones((2, 64)), start=10**9, base=5e-324), ValueError, "left the range"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_by_name(name):
    call, kind, sentence = BAD[name]
    with pytest.raises(kind) as error:
        call()
    assert sentence in str(error.value)
