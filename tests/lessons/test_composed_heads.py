"""The heads put together by hand, and what a model would guess if it ended earlier."""

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.lessons.a_small_language_model.composed_heads import compose_heads


def shares(model, words):
    """The probability of each word as the next, before the first layer and after each: (n_layers + 1, n_words)."""
    return softmax(model(model.ids(words)).guesses[:, -1])


def test_the_heads_put_together_by_hand_copy():
    heads = compose_heads()
    trace = heads.model(heads.model.ids(heads.tokens))
    first, second = (layer.heads.weights[0] for layer in trace.layers)
    assert (np.diagonal(first, -1) > 0.98).all() and second[4, 2] > 0.98
    assert len(heads.features) == trace.rows.shape[-1]
    *earlier, last = shares(heads.model, heads.tokens)
    assert heads.model.words[last.argmax()] == "fox" and last.max() > 0.9
    assert np.array(earlier) == pytest.approx(0.25)  # the guess is written by the last head
    for layer in (0, 1):  # and each of the two is needed
        assert shares(heads.model.without_head(layer, 0), heads.tokens)[-1].max() < 0.6
