"""The hand-made words of 배: others are refused, and nobody changes their numbers."""

import pytest

from attention_lib.examples.three_meanings import load_meanings

WORDS = load_meanings()


def test_a_word_without_numbers_is_refused_by_name():
    with pytest.raises(ValueError, match="“boat” is not among the words"):
        WORDS.embed("배 boat")
    with pytest.raises(ValueError, match="Type a sentence"):
        WORDS.embed("  ")


def test_numbers_cannot_be_changed_in_place():
    with pytest.raises(ValueError, match="read-only"):
        WORDS.W_Q[0, 0] = 1
