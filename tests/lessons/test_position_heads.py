"""A trained head taken apart into words and positions."""

import numpy as np
import pytest

from attention_lib.examples.trained_heads import KINDS, SPECIAL, load_sentence, sentence_names
from attention_lib.lessons.positions.position_heads import take_apart


def test_words_and_positions_add_up_to_the_head():
    apart = take_apart("keys", 0, 2)
    n = len(apart.tokens)
    for role in ("Q", "K"):
        mean = getattr(apart.positions, role)
        together = mean + getattr(apart.words, role) - mean.mean(axis=0)
        np.testing.assert_allclose(together, getattr(apart.whole, role), atol=1e-5)
    np.testing.assert_allclose(apart.whole.weights, load_sentence("keys").head(0, 2).weights[:n, :n], atol=0.01)


@pytest.mark.parametrize("name", sentence_names(*KINDS))
def test_no_word_of_the_sentence_has_a_part_in_its_positions(name):
    """The means are taken again, by hand, over sentences with another word at that position."""
    apart, sentence = take_apart(name, 0, 2), load_sentence(name)
    others = [load_sentence(other) for other in sentence_names(*KINDS) if other != name]
    for i in range(1, len(apart.tokens)):
        chosen = [o for o in others if len(o.tokens) > i and o.tokens[i] not in {sentence.tokens[i], *SPECIAL}]
        expected = np.mean([o.head(0, 2).K[i] for o in chosen], axis=0)
        np.testing.assert_allclose(apart.positions.K[i], expected, atol=1e-5)
