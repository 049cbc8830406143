"""The README's moving picture shows numbers of the library, and ends where attention puts the word."""

import front_picture
import numpy as np
from PIL import Image

from attention_lib.examples.three_meanings import N_MEANINGS


def test_the_word_goes_from_the_middle_to_what_attention_gives():
    words = front_picture.WORDS
    for text, panel in front_picture.moves(1.0).items():
        row = words.tokens(text).index(words.word)
        start, end = panel[words.word]
        assert np.array_equal(start, [1, 1, 1])
        assert np.allclose(end, words.trace(text).output[row, :N_MEANINGS])
        assert (end - start).argmax() == words.meaning_of(text)[-1].argmax()
    assert all(np.array_equal(*panel[words.word]) for panel in front_picture.moves(0.0).values())


def test_the_stored_picture_moves_and_stays_small():
    with Image.open(front_picture.TARGET) as picture:
        assert picture.n_frames == front_picture.STEPS + 1
    assert front_picture.TARGET.stat().st_size < 200_000
