"""Notebook 02: what its prose says and no cell prints comes out of a calculation."""

import ast

import numpy as np
import pytest
from notebook_tools import paths, read

from attention_lib import softmax
from attention_lib.checks import exercises
from attention_lib.checks.exercise import compile_function
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.scaling import scaling


def has_learned(divisor, rate, seed, size=1):
    """Which of 128 queries have learned after 200 steps, (16, 8)."""
    Q, K = scaling.draw_tokens(64, n_draws=16, seed=seed)
    Q *= size
    wanted = np.eye(8, 16)
    for _ in range(201):
        weights = softmax(Q @ K.swapaxes(-1, -2) / divisor)
        error = weights - wanted
        Q -= rate * (weights * (error - (weights * error).sum(axis=-1, keepdims=True))) @ K / divisor
    return weights[:, wanted == 1] > 0.5


def test_the_six_words_are_a_typical_draw_of_the_400():
    Q, K = np.random.default_rng(1).standard_normal((2, 400, 6, 64))
    sharp_rows = (softmax(Q @ K.mT).max(axis=-1) > 0.9).sum(axis=1)  # (400,), of six rows each
    assert sharp_rows[0] == np.bincount(sharp_rows).argmax() == 4


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


def test_the_step_sizes_of_the_notebook_are_the_best_that_it_tried():
    tried = (0.1, 0.5, 3, 10)
    for divisor, size, chosen, rates in ((8, 1, 3, tried), (1, 1, 0.5, tried), (8, 8, 30, (0.5, 3, 10, 30, 100))):
        for seed in range(3):
            shares = {rate: has_learned(divisor, rate, seed, size).mean() for rate in rates}
            assert shares[chosen] == max(shares.values())


def test_half_of_the_undivided_queries_start_more_than_13_behind():
    draws = [scaling.draw_tokens(64, n_draws=16, seed=seed) for seed in range(40)]
    scores = np.array([Q @ K.mT for Q, K in draws])  # (40, 16, 8, 16)
    others = np.where(np.eye(8, 16) == 1, -np.inf, scores).max(axis=-1)
    assert 13 < np.median(others - np.einsum("...ii->...i", scores[..., :8])) < 14


def test_exp_can_store_the_limits_that_the_notebook_prints():
    cells = {cell.id: cell for cell in read(next(path for path in paths() if path.stem == "02_scaling")).cells}
    printed = "".join(output.get("text", "") for output in cells["naive"].outputs)
    limits = ast.literal_eval(printed[printed.index("{") :].strip())
    assert len(limits) == 3
    with np.errstate(over="ignore"):
        for name, limit in limits.items():
            dtype = np.dtype(name).type
            assert np.isfinite(np.exp(dtype(limit))) and np.isinf(np.exp(dtype(limit + 0.1)))


def test_the_head_of_the_last_part_has_by_far_the_largest_scores_of_the_72():
    largest = {}
    for trace in (load_sentence(name).trace for name in sentence_names()):
        for head in np.ndindex(trace.Q.shape[:2]):
            peak = np.abs(trace.Q[head] @ trace.K[head].T).max()
            largest[head] = max(peak, largest.get(head, 0))
    first, second = sorted(largest, key=largest.get, reverse=True)[:2]
    assert len(largest) == 72 and first == (0, 2) and largest[first] > 2.5 * largest[second]
