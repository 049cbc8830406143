"""The hand-made sentence pairs, and the pictures drawn of them."""

import numpy as np
import pytest

from attention_lib.examples.sentence_pairs import load_pairs, padded

PAIRS = load_pairs()
SHAPES = {"chicken": (5, 5), "cat": (6, 4), "rain": (3, 2), "school": (4, 3)}


def test_shapes():
    assert {name: pair.alignment.shape for name, pair in PAIRS.items()} == SHAPES
    for pair in PAIRS.values():
        assert pair.X.shape == (len(pair.english), 4) and pair.context.shape == (len(pair.korean), 4)
        assert {name: len(columns) for name, columns in pair.columns.items()} == {"X": 4, "context": 4, "V": 3}


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_every_word_reads_what_means_the_same(pair):
    """The largest weights of a word, ties included, are its own words and no others."""
    weights = pair.trace().weights
    largest = weights > weights.max(axis=-1, keepdims=True) - 1e-9
    meant = pair.alignment.any(axis=-1)
    assert np.array_equal(largest[meant], pair.alignment[meant])
    assert np.allclose(weights[~meant], 1 / len(pair.korean))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_numbers_are_small_and_whole(pair):
    for array in (pair.X, pair.context, pair.W_Q, pair.W_K, pair.W_V):
        assert np.array_equal(array, array.round()) and np.abs(array).max() <= 2
        assert not array.flags.writeable


def test_projections_bring_korean_columns_to_the_english_ones():
    pair = PAIRS["chicken"]
    own, english, handed = (pair.columns[name] for name in ("context", "X", "V"))
    for i, name in enumerate(own):
        assert pair.W_K[i].tolist() == [float(name == other) for other in english]
        assert pair.W_V[i].tolist() == [float(name == other) for other in handed]


def test_a_batch_holds_every_pair_and_zeros():
    X, context, lengths = padded(PAIRS.values())
    assert (X.shape, context.shape) == ((4, 6, 4), (4, 5, 4))
    for i, pair in enumerate(PAIRS.values()):
        (n_queries, n_keys) = pair.alignment.shape
        assert lengths[i] == n_keys
        assert np.array_equal(X[i, :n_queries], pair.X) and not X[i, n_queries:].any()
        assert np.array_equal(context[i, :n_keys], pair.context) and not context[i, n_keys:].any()
