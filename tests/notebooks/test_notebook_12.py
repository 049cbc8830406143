"""What notebook 12 claims about the articles, beyond what its cells show."""

import itertools

import numpy as np
import pytest

from attention_lib import load_example, softmax


def printed(name, quantity, row=None):
    (line,) = [line for line in load_example(name).printed if (line.quantity, line.row) == (quantity, row)]
    return line.values


def test_of_whole_number_scores_only_5_2_7_comes_near_the_printed_weights():
    weights = printed("kv_cache_three_tokens", "weights", 2)
    near = [
        (first, middle)  # their differences to the third score
        for first, middle in itertools.product(range(-10, 11), repeat=2)
        if np.abs(softmax([first, middle, 0]) - weights).max() <= 0.001
    ]
    assert near == [(5 - 7, 2 - 7)]


def test_no_tried_row_of_weights_gives_the_first_number_of_the_printed_output():
    example = load_example("kv_cache_three_tokens")
    output, V = printed("kv_cache_three_tokens", "output", 2), example.inputs["V"]
    assert V[1, 0] == 0  # so a term that is left out changes only the second number
    rows = [softmax(np.array(scores) / root) for scores in ([5, 1, 7], [5, 2, 7]) for root in (1, np.sqrt(2), 2)]
    assert min(abs((row @ V - output)[0]) for row in rows) > 0.0005


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
