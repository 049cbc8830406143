"""Notebook 02: what its prose says and no cell prints comes out of a calculation."""

import functools

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.checks import exercises
from attention_lib.checks.exercise import compile_function
from attention_lib.examples.measures import largest_weight
from attention_lib.lessons.scaling import scaling
from attention_lib.training.gradients import softmax_backward


@functools.cache
def compare(d_k, alignment=0.0):
    return scaling.compare(scaling.ScalingState(d_k, alignment=alignment))


def opening(seed):
    """Mean largest weights of six words: short, long, and both divided, (4,)."""
    Q, K = (drawn[0] for drawn in scaling.draw_tokens(64, n_draws=1, n_queries=6, n_keys=6, seed=seed))
    cases = (4, 1), (64, 1), (4, 2), (64, 8)
    return np.mean([softmax(Q[:, :d_k] @ K[:, :d_k].T / divisor).max(axis=1) for d_k, divisor in cases], axis=1)


def test_the_draw_of_the_opening_lies_near_the_mean_of_400():
    found, means = opening(20), np.mean([opening(seed) for seed in range(400)], axis=0)
    assert np.abs(found - means).max() < 0.04
    assert found[:2].round(2).tolist() == [0.56, 0.90]
    assert means[:2].round(2).tolist() == [0.57, 0.89]


def has_learned(divisor, rate, seed, each_times=1):
    """Which of 128 queries have learned after 200 steps, (16, 8); queries and keys are drawn `each_times` as large."""
    Q, K = (each_times * drawn for drawn in scaling.draw_tokens(64, n_draws=16, seed=seed))
    wanted = np.eye(8, 16)
    for _ in range(201):
        weights = softmax(Q @ K.swapaxes(-1, -2) / divisor)
        Q -= rate * softmax_backward(weights, weights - wanted) @ K / divisor
    return weights[:, wanted == 1] > 0.5


@pytest.mark.parametrize("d_k", [1, 2, 4, 9, 16, 64])
def test_the_bug_to_be_found_is_wrong_at_every_length_and_with_brackets_at_all_but_4(d_k):
    exercise, root = exercises()["scale_scores"], "d_k ** 1 / 2"
    assert f"scores / ({root})" in exercise.why
    given, bracketed = (
        compile_function(exercise.stub.replace(root, written), exercise.name) for written in (root, f"({root})")
    )
    assert given(6.0, d_k) == 6 / (2 * d_k) != 6 / d_k**0.5
    assert (bracketed(6.0, d_k) == 6 / d_k**0.5) == (d_k == 4)


def test_the_start_of_gpt_2_needs_the_division_too():
    spreads, largest = [], []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((16, 768))
        X = (X - X.mean(axis=1, keepdims=True)) / X.std(axis=1, keepdims=True)
        Q, K = (X @ W for W in 0.02 * rng.standard_normal((2, 768, 64)))
        scores = Q @ K.T
        spreads.append(scores.std())
        largest.append([softmax(scores / divisor).max(axis=1).mean() for divisor in (1, 8)])
    assert abs(np.mean(spreads) - 2.5) < 0.1
    assert np.abs(np.mean(largest, axis=0) - [0.54, 0.10]).max() < 0.005


def test_from_the_start_of_gpt_2_nearly_all_undivided_queries_learn():
    each_times = 768**0.5 * 0.02  # what the start of GPT-2 does to a component of a query and of a key
    shares = [has_learned(1, 0.5, seed, each_times).mean() for seed in range(40)]
    assert round(np.mean(shares), 2) == 0.96


def test_the_two_roots_keep_their_largest_weight_at_every_length_of_the_slider():
    lengths = dict.fromkeys(round(2 ** (step / 10)) for step in range(101))  # all that the slider reaches
    largest = np.array([largest_weight(compare(d_k).weights).mean(axis=(1, 2)) for d_k in lengths])  # (lengths, 4)
    ranges = np.array([largest.min(axis=0), largest.max(axis=0)]).T.round(2)  # (4, 2)
    assert ranges[[1, 3]].tolist() == [[0.21, 0.26], [0.1, 0.11]]


def test_the_step_sizes_of_the_notebook_are_the_best_of_four():
    for divisor, chosen in ((8, 3), (1, 0.5)):
        for seed in range(3):
            shares = {rate: has_learned(divisor, rate, seed).mean() for rate in (0.1, 0.5, 3, 10)}
            assert shares[chosen] == max(shares.values())
