"""A trained head computed from the means of other sentences."""

import numpy as np
import pytest

from attention_lib.examples.trained_heads import KINDS, SPECIAL, load_sentence, sentence_names
from attention_lib.lessons.positions.position_heads import compare_with_means


@pytest.mark.parametrize("name", ["keys", "creature", "paper"])
def test_no_word_of_the_sentence_has_a_part_in_the_means(name):
    """The means are taken again, by hand, over sentences with another word at that position."""
    compared, sentence = compare_with_means(name, 0, 2), load_sentence(name)
    others = [load_sentence(other) for other in sentence_names(*KINDS) if other != name]
    for i in range(1, len(compared.tokens)):
        chosen = [o for o in others if len(o.tokens) > i and o.tokens[i] not in {sentence.tokens[i], *SPECIAL}]
        expected = np.mean([o.head(0, 2).K[i] for o in chosen], axis=0)
        np.testing.assert_allclose(compared.means.K[i], expected, atol=1e-5)
