"""What notebook 12 claims about the articles, beyond what its cells show."""

import itertools

import numpy as np
import pytest

from attention_lib import load_example


def printed(name, quantity, row=None):
    (line,) = [line for line in load_example(name).printed if (line.quantity, line.row) == (quantity, row)]
    return line.values


@pytest.mark.parametrize("computed", [True, False])
def test_no_output_of_bae_comes_near_the_quoted_one(computed):
    example = load_example("bae_hungry")
    outputs = example.trace().output if computed else printed("bae_hungry", "output")
    assert outputs.shape[1] == 4
    assert outputs.max() < 0.28


def test_the_largest_weight_of_bae_is_about_1_09_times_the_smallest():
    example = load_example("bae_hungry")
    spread = np.ptp(example.trace().scaled_scores[example.index("배")])
    assert (round(spread, 3), round(np.exp(spread), 2)) == (0.089, 1.09)


def test_no_exchanged_or_reordered_matrix_gives_more_than_9_of_the_32_numbers_of_a_table():
    inputs = load_example("bae_hungry").inputs
    matrices = [W for name in ("W_Q", "W_K", "W_V") for W in (inputs[name], inputs[name].T)]
    orders = [list(order) for order in itertools.permutations(range(4))]
    tried = [inputs["X"] @ W for W_ in matrices for order in orders for W in (W_[order], W_[:, order])]
    for name in ("Q", "K", "V"):
        table = printed("bae_hungry", name)
        assert max(int((np.abs(product - table) <= 0.005 + 1e-9).sum()) for product in tried) <= 9


def test_the_key_of_hungry_is_the_second_smallest_and_all_numbers_of_the_queries_are_positive():
    example = load_example("bae_hungry")
    trace = example.trace()
    assert [example.tokens[i] for i in trace.K.sum(axis=1).argsort()[:2]] == ["가", "고파서"]
    assert trace.Q.min() > 0


@pytest.mark.parametrize("relation", [[1, 0, 1, -2, 0, 1, -1, -1], [0, 1, 0, 0, -5, -7, 6, 4]])
def test_both_sums_of_embeddings_agree(relation):
    assert np.abs(relation @ load_example("bae_hungry").inputs["X"]).max() < 1e-9
