"""The counts of `costs` against real matrices, and against a pass that counts its own operations."""

import numpy as np
import pytest

from attention_lib import MultiHeadAttention
from attention_lib.costs import attention_flops, parameter_count, projection_flops, softmax_entries

SHAPES = [(6, 8, 4, 2, 4), (6, 8, 4, 2, 2), (5, 8, 4, 3, 1), (3, 5, 1, 7, 1)]  # n, d_model, h, d_head, h_kv


def layer(d_model, h, d_head, h_kv):
    rng = np.random.default_rng(0)
    widths = [(d_model, h * d_head), (d_model, h_kv * d_head), (d_model, h_kv * d_head), (h * d_head, d_model)]
    return MultiHeadAttention(*(rng.normal(size=shape) for shape in widths), n_heads=h, n_kv_heads=h_kv)


class Counted:
    """Multiplies matrices and counts each multiplication and each addition."""

    def __init__(self):
        self.flops = 0

    def product(self, a, b):
        result = np.zeros((a.shape[0], b.shape[1]))
        for i, j in np.ndindex(result.shape):
            for k in range(a.shape[1]):
                result[i, j] += a[i, k] * b[k, j]
                self.flops += 2
        return result


@pytest.mark.parametrize(("n", "d_model", "h", "d_head", "h_kv"), SHAPES)
def test_counts_are_those_of_a_pass_that_counts(n, d_model, h, d_head, h_kv):
    mha = layer(d_model, h, d_head, h_kv)
    X = np.random.default_rng(1).normal(size=(n, d_model))
    trace = mha(X)
    projections, maps = Counted(), Counted()
    Q, K, V = (projections.product(X, W) for W in (mha.W_Q, mha.W_K, mha.W_V))
    outputs = []
    for i in range(h):
        own, group = slice(i * d_head, (i + 1) * d_head), i // (h // h_kv)
        shared = slice(group * d_head, (group + 1) * d_head)
        assert np.allclose(maps.product(Q[:, own], K[:, shared].T), trace.heads.scores[i])
        outputs.append(maps.product(trace.heads.weights[i], V[:, shared]))
    assert np.allclose(projections.product(np.hstack(outputs), mha.W_O), trace.output)
    assert projection_flops(n, d_model, h, d_head, h_kv) == projections.flops
    assert attention_flops(n, h, d_head) == maps.flops
    assert softmax_entries(n, h) == trace.heads.weights.size
    assert parameter_count(d_model, h, d_head, h_kv) == sum(W.size for W in (mha.W_Q, mha.W_K, mha.W_V, mha.W_O))


def test_many_narrow_heads_cost_one_wide_head_but_for_the_softmax():
    assert parameter_count(512, 8, 64) == parameter_count(512, 1, 512)
    assert projection_flops(100, 512, 8, 64) == projection_flops(100, 512, 1, 512)
    assert attention_flops(100, 8, 64) == attention_flops(100, 1, 512)
    assert softmax_entries(100, 8) == 8 * softmax_entries(100, 1)
