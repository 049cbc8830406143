"""Layer norm, and attention without softmax as a memory: against loops of plain numbers."""

import numpy as np
import pytest

from attention_lib.layers import layer_norm
from attention_lib.linear_attention import linear_attention


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(2, 3, size=(2, 4, 6))


def test_layer_norm_is_that_of_the_paper_row_by_row(X):
    gain, bias = np.arange(1.0, 7), np.linspace(-1, 1, 6)
    normed = layer_norm(X, gain, bias, eps=0.1)
    for index in np.ndindex(X.shape[:-1]):
        row = X[index]
        variance = sum((value - row.mean()) ** 2 for value in row) / len(row)  # over d, not d - 1
        expected = gain * (row - row.mean()) / np.sqrt(variance + 0.1) + bias
        np.testing.assert_allclose(normed[index], expected, rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_large_rows_of_float16_are_normed_too():
    X = np.array([[400, -400], [60000, 1]], np.float16)
    assert np.array_equal(layer_norm(X), np.array([[1, -1], [1, -1]], np.float16))


def looped(Q, K, V, gates, strengths, overwrite):
    """One sentence with nothing but lists: S as a list of rows."""
    d_k, d_v = len(K[0]), len(V[0])
    S = [[0.0] * d_v for _ in range(d_k)]
    outputs = []
    for q, k, v, gate, strength in zip(Q, K, V, gates, strengths, strict=True):
        S = [[gate * number for number in row] for row in S]
        read = [sum(k[i] * S[i][j] for i in range(d_k)) for j in range(d_v)]
        new = [v[j] - (read[j] if overwrite else 0) for j in range(d_v)]
        S = [[S[i][j] + strength * k[i] * new[j] for j in range(d_v)] for i in range(d_k)]
        outputs.append([sum(q[i] * S[i][j] for i in range(d_k)) for j in range(d_v)])
    return S, outputs


@pytest.mark.parametrize("overwrite", [False, True])
def test_it_agrees_with_a_loop_of_plain_numbers_also_for_a_batch(overwrite):
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, 2, 3, 6, 4))  # (2, 3) sentences and heads, n = 6, d_k = 4
    V = rng.standard_normal((2, 3, 6, 5))
    gates, strengths = rng.uniform(0.5, 1, (2, 3, 6)), rng.uniform(0, 1, (2, 3, 6))
    trace = linear_attention(Q, K, V, gate=gates, strength=strengths, overwrite=overwrite)
    assert trace.states.shape == (2, 3, 6, 4, 5)
    for place in np.ndindex(2, 3):
        args = (array[place].tolist() for array in (Q, K, V, gates, strengths))
        S, outputs = looped(*args, overwrite)
        np.testing.assert_allclose(trace.states[place][-1], S)
        np.testing.assert_allclose(trace.output[place], outputs)
