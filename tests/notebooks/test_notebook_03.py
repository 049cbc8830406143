"""Notebook 03: what its prose says and no cell prints comes out of a calculation."""

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib import causal_mask, self_attention, softmax
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


def test_a_changed_last_word_moves_earlier_outputs_under_every_mask_but_the_causal_one():
    changed, mask = np.vstack([X[:7], [0, 4.7, 1.3, 2.1]]), causal_mask(8)

    def moved(output):
        return np.abs(output(changed) - output(X))[:7].max(axis=1) > 0

    def scaled(words):
        return self_attention(words, *MATRICES).scaled_scores

    assert not moved(lambda words: self_attention(words, *MATRICES, mask).output).any()
    assert moved(lambda words: softmax(np.where(mask, scaled(words), 0)) @ words).all()
    assert moved(lambda words: np.where(mask, softmax(scaled(words)), 0) @ words).all()
    assert moved(lambda words: self_attention(words, *MATRICES, mask.T).output).all()


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


def test_in_a_stack_of_layers_the_beginnings_agree_only_if_they_have_the_causal_mask_too():
    def stack(words, n_layers, mask):
        for _ in range(n_layers):
            words = self_attention(words, *MATRICES, mask).output
        return words

    for n_layers in (2, 3):
        whole = stack(X, n_layers, causal_mask(8))
        assert np.allclose([stack(X[:n], n_layers, causal_mask(n))[-1] for n in range(1, 9)], whole)
        open_beginnings = np.array([stack(X[:n], n_layers, None)[-1] for n in range(1, 9)])
        assert np.flatnonzero(~np.isclose(open_beginnings, whole).all(axis=1)).tolist() == [1, 2, 3, 4, 5, 6, 7]
