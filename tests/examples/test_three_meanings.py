"""The hand-made words of 배: what notebook 01 says of them holds."""

import numpy as np
import pytest

from attention_lib.examples.three_meanings import load_meanings

WORDS = load_meanings()


@pytest.mark.parametrize(("column", "name"), list(enumerate(["pear", "belly", "ship"])))
def test_with_the_projections_배_takes_nearly_all_from_the_word_that_explains_it(column, name):
    trace = WORDS.trace(WORDS.sentences[name])
    share = np.exp(3) / (np.exp(3) + 3)
    assert np.allclose(trace.weights[1], [*[(1 - share) / 3] * 3, share])
    assert np.allclose(trace.output[1, column], 3 * share + (1 - share) / 3)


def test_only_배_asks_and_it_does_not_answer_itself():
    trace = WORDS.trace(WORDS.sentences["belly"])
    assert np.array_equal(trace.Q, [[0] * 4, [2, 2, 2, 0], [0] * 4, [0] * 4])
    assert not trace.K[1].any()
    assert np.allclose(trace.weights[[0, 2, 3]], 1 / 4)


def test_a_word_without_numbers_is_refused_by_name():
    with pytest.raises(ValueError, match="“boat” is not among the words"):
        WORDS.embed("배 boat")
    with pytest.raises(ValueError, match="Type a sentence"):
        WORDS.embed("  ")


def test_numbers_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="read-only"):
        WORDS.W_Q[0, 0] = 1
