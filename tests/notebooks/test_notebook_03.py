"""Notebook 03: what its prose says and no cell prints comes out of a calculation."""

import functools

import numpy as np
import pytest
import teaching
from notebook_tools import NOTEBOOKS

from attention_lib import causal_mask, self_attention, sliding_window_mask, softmax
from attention_lib.analysis.reach import layers_needed
from attention_lib.labs.mask_workbench import MaskModel


@functools.cache
def scope():
    """Everything that the notebook has made after its last cell."""
    kept = {}
    for cell in teaching.read(NOTEBOOKS / "03_masking.ipynb").cells:
        if cell.cell_type == "code" and not cell.source.startswith(("check(", "progress(")):
            teaching._run_cell(cell, cell.id, kept)
    return kept


def test_the_hand_made_query_and_score():
    causal = scope()["causal"]
    assert np.array_equal(causal.Q[3], [0, 2, 1, -2])
    assert causal.scores[3, 1] == 5 and causal.masked_scores[3, 1] == 2.5


def test_every_row_but_the_last_looks_ahead_and_every_row_but_the_last_leaks():
    shares = (scope()["unmasked"].weights * scope()["later"]).sum(axis=-1)
    assert (shares[:-1] > 0.3).all() and shares[-1] == 0
    assert (scope()["leak"][:-1] > 0.02).all() and scope()["leak"][-1] == 0


def test_a_changed_last_word_moves_no_earlier_output():
    X, W_Q, W_K, W_V = (scope()[name] for name in ("X", "W_Q", "W_K", "W_V"))
    changed = np.vstack([X[:7], [0, 5, 0, 3]])
    masked = self_attention(changed, W_Q, W_K, W_V, causal_mask(8)).output
    assert np.array_equal(masked[:7], scope()["causal"].output[:7])
    zeros = [
        softmax(np.where(causal_mask(8), self_attention(each, W_Q, W_K, W_V).scaled_scores, 0)) @ each
        for each in (X, changed)
    ]
    assert (np.abs(zeros[0] - zeros[1])[:7].max(axis=1) > 0).all()


def test_the_two_the_are_alike_without_a_mask():
    assert np.array_equal(*scope()["unmasked"].weights[[0, 5]])


def test_windows_have_21_of_36_pairs_and_two_words_a_layer():
    window = sliding_window_mask(8, left=2)
    assert (window.sum(), causal_mask(8).sum()) == (21, 36)
    assert layers_needed(window, 4)[7, 0] == 4
    assert layers_needed(window | (np.arange(8) == 0), 4)[7, 0] == 1


def test_flipping_the_causal_mask_kills_the_last_row():
    model = MaskModel(*(scope()[name] for name in ("tokens", "X", "W_Q", "W_K", "W_V")))
    model.flip()
    assert model.dead_rows() == [7]


def test_one_word_at_a_time_under_the_aligned_mask_gives_the_rows_of_one_pass():
    causal = scope()["causal"]
    for n in range(1, 9):
        mask = causal_mask(1, n)[0]
        assert np.allclose(
            softmax(np.where(mask, causal.scaled_scores[n - 1, :n], -np.inf)) @ causal.V[:n], causal.output[n - 1]
        )


def test_numbers_near_the_fills_are_multiples_of_8_and_of_64():
    assert np.spacing(np.float16(1e4)) == 8 and np.spacing(np.float32(1e9)) == 64


def test_the_default_of_multihead_attention_gives_nan_in_a_dead_row_and_sdpa_0():
    torch = pytest.importorskip("torch")
    X, blocked = torch.ones(1, 2, 4), torch.tensor([[True, True], [False, False]])
    layer = torch.nn.MultiheadAttention(4, 1, batch_first=True)
    assert layer(X, X, X, attn_mask=blocked)[0][0, 0].isnan().all()
    assert (torch.nn.functional.scaled_dot_product_attention(X, X, X, attn_mask=~blocked)[0, 0] == 0).all()


def test_the_sdpa_backend_of_hugging_face_takes_true_as_take_part():
    masking = pytest.importorskip("transformers.masking_utils")
    mask = masking.sdpa_mask(batch_size=1, q_length=3, kv_length=3, allow_is_causal_skip=False)
    assert np.array_equal(mask[0, 0].numpy(), causal_mask(3))
