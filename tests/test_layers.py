"""Layer norm, and the tower that two heads pull."""

import numpy as np
import pytest

from attention_lib.layers import layer_norm


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(2, 3, size=(2, 4, 6))


def test_layer_norm_is_that_of_the_paper_row_by_row(X):
    gain, bias = np.arange(1.0, 7), np.linspace(-1, 1, 6)
    normed = layer_norm(X, gain, bias, eps=0.1)
    for index in np.ndindex(X.shape[:-1]):
        row = X[index]
        variance = sum((value - row.mean()) ** 2 for value in row) / len(row)  # over d, not d - 1
        assert np.allclose(normed[index], gain * (row - row.mean()) / np.sqrt(variance + 0.1) + bias)


@pytest.mark.filterwarnings("error")
def test_large_rows_of_float16_are_normed_too():
    X = np.array([[400, -400], [60000, 1]], np.float16)
    assert np.array_equal(layer_norm(X), np.array([[1, -1], [1, -1]], np.float16))
