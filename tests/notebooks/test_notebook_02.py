"""Notebook 02: what its prose says and no cell prints comes out of a calculation."""

import functools

import numpy as np
import pytest

from attention_lib import load_example, softmax
from attention_lib.analysis import scaling
from attention_lib.training.gradients import softmax_backward


@functools.cache
def compare(d_k, alignment=0.0):
    return scaling.ScalingModel().compare(scaling.ScalingState(d_k, alignment=alignment))


def opening(seed):
    """Mean largest weights of six words: short, long, and both divided; and each row's, short and long."""
    Q, K = (drawn[0] for drawn in scaling.draw_tokens(64, n_draws=1, n_queries=6, n_keys=6, seed=seed))
    cases = (4, 1), (64, 1), (4, 2), (64, 8)
    rows = [softmax(Q[:, :d_k] @ K[:, :d_k].T / divisor).max(axis=1) for d_k, divisor in cases]
    return np.mean(rows, axis=1), rows[0], rows[1]


def test_the_draw_of_the_opening_lies_near_the_mean_of_400():
    found, short, long = opening(22)
    means = np.mean([opening(seed)[0] for seed in range(400)], axis=0)  # (4,)
    assert np.abs(found - means).max() < 0.04
    assert short.max() < 0.7  # every word takes in something of several
    assert (long > 0.9).sum() == 5  # most words take in only one


def test_under_the_root_the_largest_weight_stays_between_0_2_and_0_26():
    under_root = [compare(2**i).measures()["largest weight"][1, 0] for i in range(11)]
    assert min(under_root) > 0.2 and max(under_root) < 0.26


def test_correlated_queries_saturate_under_the_root():
    largest = {rho: compare(1024, rho).measures()["largest weight"][1, 0] for rho in (0.1, 0.3)}
    assert round(largest[0.1], 2) == 0.50 and round(largest[0.3], 2) == 1.00


def test_more_than_half_of_the_undivided_rows_start_saturated():
    assert (compare(64).weights[0].max(axis=-1) > 0.9).mean() > 0.5


def learned(shrink, divisor, rate, seed):
    """Share of 128 queries that have learned after 200 steps."""
    Q, K = scaling.draw_tokens(64, n_draws=16, seed=seed)
    Q, wanted = Q / shrink, np.eye(8, 16)
    for _ in range(200):
        weights = softmax(Q @ K.swapaxes(-1, -2) / divisor)
        Q -= rate * softmax_backward(weights, weights - wanted) @ K / divisor
    return (weights[:, wanted == 1] > 0.5).mean()


@pytest.mark.parametrize("seed", [1, 2])
def test_saturation_at_the_start_is_what_holds_queries_back_with_other_draws_too(seed):
    assert max(learned(1, 1, rate, seed) for rate in (0.1, 0.5, 3, 10)) < 0.5
    assert learned(8, 1, 0.1, seed) > 0.98  # no divisor, an unsaturated start
    assert learned(1, 8, 10, seed) > 0.98


def test_the_rival_d_k_learns_with_steps_ten_times_as_large():
    assert learned(1, 64, 3, 0) < 0.1 < 0.98 < learned(1, 8, 3, 0)
    assert learned(1, 64, 30, 0) > 0.98


def test_most_undivided_queries_get_next_to_nothing_at_length_1024():
    K = scaling.draw_tokens(1024)[1]
    assert np.median(scaling.query_gradient_norm(compare(1024).weights[0], K, 1)) < 0.005


def test_matching_scores_four_above_the_others():
    assert round(np.exp(4) / (np.exp(4) + 15), 2) == 0.78
    scores = compare(1024, 0.5).scores / (1024 / 8)
    own = np.arange(8)
    assert abs(scores[:, own, own].mean() - 4) < 0.1


def test_components_of_article_000_lie_near_0_2():
    trace = load_example("bae_hungry").trace()
    assert 0.1 < np.median([trace.Q, trace.K]) < 0.3


@pytest.mark.parametrize("d_k", [1, 2, 4, 9, 16, 64])
def test_the_slip_is_never_right_and_with_brackets_only_at_4(d_k):
    assert 6 / d_k**1 / 2 == 6 / (2 * d_k) != 6 / d_k**0.5
    assert (d_k**1 / 2 == d_k**0.5) == (d_k == 4)
