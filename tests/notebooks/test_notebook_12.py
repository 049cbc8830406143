"""What notebook 12 claims about the articles, beyond what its cells show."""

import numpy as np

from attention_lib import load_example


def test_what_makes_the_key_of_hungry_small_is_its_row_of_x():
    """Its row of X has the second smallest sum, and so has its key; and no number is negative."""
    example = load_example("bae_hungry")
    X, trace = example.inputs["X"], example.trace()
    for sums in (X.sum(axis=1), trace.K.sum(axis=1)):
        assert [example.tokens[i] for i in sums.argsort()[:2]] == ["가", "고파서"]
    assert min(X.min(), trace.Q.min(), trace.K.min()) >= 0


def test_both_sums_of_embeddings_agree():
    relation = [1, 0, 1, -2, 0, 1, -1, -1]
    assert np.abs(relation @ load_example("bae_hungry").inputs["X"]).max() < 1e-9
