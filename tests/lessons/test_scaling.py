"""The statistics of scaling against closed forms, the comparison of divisors, and where exp breaks."""

import math

import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention, softmax
from attention_lib.examples.measures import entropy
from attention_lib.lessons.scaling import scaling
from attention_lib.lessons.scaling.scaling import ScalingState, compare

# -- the statistics ----------------------------------------------------------------------------------------


def random_rows(n_keys, spread=1.0, n_rows=20):
    return softmax(spread * np.random.default_rng(n_keys).standard_normal((n_rows, n_keys)))


def test_divisors_are_one_root_whole_and_root_of_the_width():
    assert scaling.divisors(64, n_heads=8).tolist() == [1, 8, 64, math.sqrt(512)]


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_scores_of_independent_components_have_variance_d_k(d_k):
    Q, K = scaling.draw_tokens(d_k, n_draws=400, n_queries=1)
    mean, error = scaling.mean_and_error((Q @ K.swapaxes(-1, -2)) ** 2)
    assert abs(mean - d_k) < 4 * error
    assert error < 0.1 * d_k + 0.1  # else the line above says nothing


def test_a_longer_draw_appends_components():
    Q, K = scaling.draw_tokens(8, seed=3)
    longer_Q, longer_K = scaling.draw_tokens(64, seed=3)
    assert np.array_equal(longer_Q[..., :8], Q)
    assert np.array_equal(longer_K[..., :8], K)
    assert not np.array_equal(scaling.draw_tokens(8, seed=4)[0], Q)


@pytest.mark.parametrize("alignment", [0.0, 0.3, 1.0])
def test_alignment_is_the_correlation_of_query_i_and_key_i(alignment):
    Q, K = scaling.draw_tokens(1024, alignment=alignment)
    own, other = (Q * K[:, :8]).mean(), (Q * K[:, 8:]).mean()
    assert Q.shape == (32, 8, 1024)
    assert own == pytest.approx(alignment, abs=0.01)
    assert other == pytest.approx(0, abs=0.01)
    assert Q.var() == pytest.approx(1, abs=0.02)


def test_the_error_counts_draws_and_not_the_numbers_that_share_one():
    values = np.array([1.0, 2.0, 4.0, 5.0])
    mean, error = scaling.mean_and_error(values)
    assert (mean, error) == (3, pytest.approx(values.std(ddof=1) / 2))
    assert scaling.mean_and_error(np.repeat(values[:, None], 50, axis=1)) == (mean, pytest.approx(error))


def test_score_shares_count_by_nearest_whole_number_and_gather_the_ends():
    shares = scaling.score_shares([[0.4, -0.4], [1.2, 300.0]])
    assert shares.tolist() == [0] * 8 + [0.5, 0.25] + [0] * 6 + [0.25]
    assert scaling.score_shares([-8.7, -100.0])[0] == 1


# -- the comparison ----------------------------------------------------------------------------------------


def test_each_divisor_gives_the_weights_of_the_library():
    state = ScalingState(d_k=36, n_heads=4, temperature=0.5, alignment=0.2, seed=1)
    comparison = compare(state)
    Q, K = scaling.draw_tokens(36, alignment=0.2, seed=1)
    for i, divisor in enumerate([1, 6, 36, 12]):
        trace = scaled_dot_product_attention(Q, K, K, scale=1 / (divisor * 0.5))
        np.testing.assert_allclose(comparison.weights[i], trace.weights, atol=1e-12)
        np.testing.assert_allclose(comparison.scaled_scores[i], trace.scaled_scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(comparison.shares().sum(axis=1), 1)


def test_measures_agree_with_the_functions_row_by_row():
    comparison = compare(ScalingState(d_k=16))
    measures = comparison.measures()
    assert list(measures) == ["largest weight", "entropy"]
    mean, error = scaling.mean_and_error(entropy(comparison.weights[2]))
    assert measures["entropy"][2].tolist() == [mean, error]
    assert comparison.one_row().tolist() == comparison.weights[:, 0, 0].tolist()


def test_undivided_saturates_and_the_root_stays_level():
    small, large = (compare(ScalingState(d_k=d_k)).measures() for d_k in (16, 1024))
    assert large["largest weight"][0, 0] > 0.9 > small["largest weight"][0, 0]
    for name in small:  # √d_k
        difference = abs(small[name][1, 0] - large[name][1, 0])
        assert difference < 4 * np.hypot(small[name][1, 1], large[name][1, 1])
    assert large["entropy"][2, 0] == pytest.approx(math.log(16), abs=0.001)  # d_k: flat


def test_one_head_makes_both_roots_the_same_and_temperature_multiplies():
    comparison = compare(ScalingState(d_k=64, n_heads=1))
    assert np.array_equal(comparison.weights[1], comparison.weights[3])
    warmer = compare(ScalingState(d_k=64, temperature=8))
    np.testing.assert_allclose(warmer.weights[1], comparison.weights[2])  # √d_k · 8 = d_k


# -- where exp breaks --------------------------------------------------------------------------------------


def test_naive_softmax_agrees_where_it_works_and_breaks_where_exp_does():
    np.testing.assert_allclose(scaling.naive_softmax(np.array([1.0, 2.0])), softmax([1.0, 2.0]))
    assert np.isnan(scaling.naive_softmax(np.array([1000.0, 999.0]))).all()
    assert scaling.naive_softmax(np.array([1, 0], np.float16)).dtype == np.float16


@pytest.mark.parametrize(("dtype", "about"), [("float16", 11.1), ("float32", 88.7), ("float64", 709.8)])
def test_the_last_finite_exp_is_the_last(dtype, about):
    edge = np.dtype(dtype).type(scaling.last_finite_exp(dtype))
    assert round(float(edge), 1) == about
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(edge))
        assert np.isinf(np.exp(np.nextafter(edge, np.dtype(dtype).type(np.inf))))


def test_tokens_are_drawn_once_for_all_lengths(monkeypatch):
    whole = compare(ScalingState(d_k=1024, seed=7))
    monkeypatch.setattr(scaling, "draw_tokens", None)
    short = compare(ScalingState(d_k=1023, seed=7))
    assert 0 < np.abs(whole.scores - short.scores).max() < 25  # a product of two normal numbers is missing


def test_no_capped_score_goes_beyond_the_cap_and_small_ones_stay():
    free, capped = compare(ScalingState(1024)), compare(ScalingState(1024, cap=5))
    assert np.abs(free.scaled_scores[0]).max() > 50 > 5 >= np.abs(capped.scaled_scores[0]).max()
    np.testing.assert_allclose(capped.scaled_scores[2], free.scaled_scores[2], atol=1e-3)
    np.testing.assert_array_equal(np.sign(capped.scaled_scores), np.sign(free.scaled_scores))
