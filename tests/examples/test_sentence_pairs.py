"""The hand-made sentence pairs, and the pictures drawn of them."""

import numpy as np
import pytest

from attention_lib.examples.sentence_pairs import load_pairs, padded

PAIRS = load_pairs()


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_every_word_reads_what_means_the_same(pair):
    """The largest weights of a word, ties included, are its own words and no others."""
    weights = pair.trace().weights
    largest = weights > weights.max(axis=-1, keepdims=True) - 1e-9
    meant = pair.alignment.any(axis=-1)
    assert np.array_equal(largest[meant], pair.alignment[meant])
    assert np.allclose(weights[~meant], 1 / len(pair.korean))


def test_a_batch_holds_every_pair_and_zeros():
    X, context, lengths = padded(PAIRS.values())
    assert (X.shape, context.shape) == ((4, 6, 4), (4, 5, 4))
    for i, pair in enumerate(PAIRS.values()):
        (n_queries, n_keys) = pair.alignment.shape
        assert lengths[i] == n_keys
        assert np.array_equal(X[i, :n_queries], pair.X) and not X[i, n_queries:].any()
        assert np.array_equal(context[i, :n_keys], pair.context) and not context[i, n_keys:].any()
