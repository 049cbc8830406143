"""The hand-made sentence pairs, and the pictures drawn of them."""

import numpy as np
import pytest

from attention_lib.examples.sentence_pairs import load_pairs

PAIRS = load_pairs()


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_every_word_reads_what_means_the_same(pair):
    """The largest weights of a word, ties included, are its own words and no others."""
    weights = pair.trace().weights
    largest = weights > weights.max(axis=-1, keepdims=True) - 1e-9
    meant = pair.alignment.any(axis=-1)
    assert np.array_equal(largest[meant], pair.alignment[meant])
    assert np.allclose(weights[~meant], 1 / len(pair.korean))
