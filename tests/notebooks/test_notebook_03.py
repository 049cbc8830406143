"""Notebook 03: what its prose says and no cell prints comes out of a calculation."""

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import causal_mask, self_attention
from attention_lib.examples.made_up_words import masking_sentence

SENTENCE = masking_sentence()
X, *MATRICES = SENTENCE.arrays().values()


def test_the_workbench_opens_with_the_numbers_that_are_made_above_it():
    made = {"np": np}
    for cell in read(NOTEBOOKS / "03_masking.ipynb").cells:
        if cell.id in ("sentence", "X", "W"):
            exec(cell.source, made)
    assert list(SENTENCE.tokens) == made["tokens"]
    for name, array in SENTENCE.arrays().items():
        assert np.array_equal(array, made[name]), name


def test_the_beginnings_find_every_single_wrong_cell_among_different_words():
    different = np.random.default_rng(0).normal(size=(8, 4))

    def wrong_rows(words, mask):
        alone = np.array([self_attention(words[:n], *MATRICES).output[-1] for n in range(1, 9)])
        return np.flatnonzero(~np.isclose(self_attention(words, *MATRICES, mask).output, alone).all(axis=1)).tolist()

    assert wrong_rows(X, causal_mask(8)) == wrong_rows(different, causal_mask(8)) == []
    assert wrong_rows(X, causal_mask(8).T), "the triangle of papers that write tokens as columns"
    for i, j in np.ndindex(8, 8):
        mask = causal_mask(8)
        mask[i, j] = not mask[i, j]
        assert wrong_rows(different, mask) == [i]
        # The first "the" has a copy of itself in place 5.
        assert wrong_rows(X, mask) == ([] if (i, j) == (0, 5) else [i])
