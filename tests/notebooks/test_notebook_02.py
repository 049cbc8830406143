"""Notebook 02: what its prose says and no cell prints comes out of a calculation."""

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.checks import exercises
from attention_lib.checks.exercise import compile_function
from attention_lib.lessons.scaling import scaling


def has_learned(divisor, rate, seed):
    """Which of 128 queries have learned after 200 steps, (16, 8)."""
    Q, K = scaling.draw_tokens(64, n_draws=16, seed=seed)
    wanted = np.eye(8, 16)
    for _ in range(201):
        weights = softmax(Q @ K.swapaxes(-1, -2) / divisor)
        error = weights - wanted
        Q -= rate * (weights * (error - (weights * error).sum(axis=-1, keepdims=True))) @ K / divisor
    return weights[:, wanted == 1] > 0.5


def test_the_six_words_are_a_typical_draw_of_the_400():
    Q, K = scaling.draw_tokens(64, n_draws=400, n_queries=6, n_keys=6)
    sharp_rows = (softmax(Q @ K.swapaxes(-1, -2)).max(axis=-1) > 0.9).sum(axis=1)  # (400,), of six rows each
    assert sharp_rows[20] == np.bincount(sharp_rows).argmax() == 4


@pytest.mark.parametrize("d_k", [1, 2, 4, 9, 16, 64])
def test_the_bug_to_be_found_is_wrong_at_every_length_and_with_brackets_at_all_but_4(d_k):
    exercise, root = exercises()["scale_scores"], "d_k ** 1 / 2"
    assert f"scores / ({root})" in exercise.why
    given, bracketed = (
        compile_function(exercise.stub.replace(root, written), exercise.name) for written in (root, f"({root})")
    )
    assert given(6.0, d_k) == 6 / (2 * d_k) != 6 / d_k**0.5
    assert (bracketed(6.0, d_k) == 6 / d_k**0.5) == (d_k == 4)


def test_the_root_keeps_its_largest_weight_at_every_length_of_the_slider():
    lengths = dict.fromkeys(round(2 ** (step / 10)) for step in range(101))  # all that the slider reaches
    found = (scaling.compare(scaling.ScalingState(d_k)).weights for d_k in lengths)
    largest = np.array([weights.max(axis=-1).mean(axis=(1, 2)) for weights in found])  # (lengths, 3)
    ranges = np.array([largest.min(axis=0), largest.max(axis=0)]).T.round(2)  # (3, 2)
    assert ranges[1].tolist() == [0.21, 0.26]


def test_the_step_sizes_of_the_notebook_are_the_best_of_four():
    for divisor, chosen in ((8, 3), (1, 0.5)):
        for seed in range(3):
            shares = {rate: has_learned(divisor, rate, seed).mean() for rate in (0.1, 0.5, 3, 10)}
            assert shares[chosen] == max(shares.values())
