"""Layer norm, and the tower that two heads pull."""

import numpy as np
import pytest

from attention_lib.layers import layer_norm
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example


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


def test_a_constant_row_becomes_the_bias():
    assert np.array_equal(layer_norm([[3, 3, 3]], bias=[1, 2, 3]), [[1, 2, 3]])


@pytest.mark.filterwarnings("error")
def test_large_rows_of_float16_are_normed_too():
    X = np.array([[400, -400], [60000, 1]], np.float16)
    assert np.array_equal(layer_norm(X), np.array([[1, -1], [1, -1]], np.float16))


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        (lambda: layer_norm([[1, 2]], gain=[1, 2, 3]), r"gain has shape \(3,\); it needs \(2,\)"),
        (lambda: layer_norm([[1, 2]], bias=[np.inf, 0]), "bias has NaN or inf"),
        (lambda: layer_norm([[1, 2]], eps=0), "eps is 0"),
        (lambda: layer_norm([[1e200, -1e200]]), "variance"),
    ],
)
def test_bad_input_is_a_sentence(bad, sentence):
    with pytest.raises(ValueError, match=sentence):
        bad()


def test_tower_is_pulled_two_ways():
    """Eiffel moves Tower along Paris, Miniature against size, and both together do both."""
    example = load_heads_example()
    paris, size = example.features.index("Paris"), example.features.index("size")

    def delta(name):
        sentence = example.sentences[name]
        return example.layer()(sentence.X).output[sentence.row]

    eiffel, miniature, both = map(delta, ("eiffel_tower", "miniature_tower", "miniature_eiffel_tower"))
    assert eiffel[paris] > 1.9 and abs(miniature[paris]) < 0.01
    assert miniature[size] < -1.9 and eiffel[size] > 0
    assert both[paris] > 1.9 and both[size] < -1.9
