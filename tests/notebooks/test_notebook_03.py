"""Notebook 03: what its prose says and no cell prints comes out of a calculation."""

import functools
import re

import numpy as np
import pytest
import teaching
from notebook_tools import NOTEBOOKS

from attention_lib import causal_mask, self_attention, sliding_window_mask, softmax
from attention_lib.examples.made_up_words import masking_sentence
from attention_lib.lessons.masking.mask_workbench import dead_rows
from attention_lib.lessons.masking.reach import layers_needed

CELLS = teaching.read(NOTEBOOKS / "03_masking.ipynb").cells


@functools.cache
def scope():
    """Everything that the notebook has made after its last cell."""
    kept = {}
    for cell in CELLS:
        if cell.cell_type == "code" and not cell.source.startswith(("check(", "progress(")):
            teaching._run_cell(cell, cell.id, kept)
    return kept


@functools.cache
def prose():
    return "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")


def test_blue_by_hand():
    causal = scope()["causal"]
    assert np.array_equal(causal.Q[2], [-2, 0, 2, 0]) and np.array_equal(causal.K[1], [0, 2, 1, 0])
    assert causal.scores[2, 1] == 2 and causal.masked_scores[2, :3].tolist() == [-2, 1, 0]
    assert np.exp([-2, 1, 0]).round(3).tolist() == [0.135, 2.718, 1]
    assert "0.04, 0.71, 0.26 and five zeros" in prose()
    assert causal.weights[2].round(2).tolist() == [0.04, 0.71, 0.26, 0, 0, 0, 0, 0]


def test_the_workbench_opens_with_the_numbers_that_are_made_above_it():
    sentence = masking_sentence()
    assert list(sentence.tokens) == scope()["tokens"]
    for name, array in sentence.arrays().items():
        assert np.array_equal(array, scope()[name]), name


def test_without_words_of_two_kinds_three_of_them_would_be_one():
    X = scope()["X"]
    main = np.where(X.max(axis=1, keepdims=True) == X, X, 0)  # (n, d_model), each word of one kind
    assert (main[[1, 2, 6]] == main[1]).all() and len(np.unique(X[[1, 2, 6]], axis=0)) == 3


def test_the_sections_with_a_star_need_no_others():
    """The cells under the title and under headings with a star run alone, and use nothing explained elsewhere."""
    kept, starred = {}, True
    for cell in CELLS:
        heading = re.match(r"##? (.*)", cell.source) if cell.cell_type == "markdown" else None
        starred = heading[1].startswith(("★", "03")) if heading else starred
        if cell.cell_type == "code" and starred:
            assert cell.id == "imports" or "combine_masks" not in cell.source  # "joining masks" has no star
            teaching._run_cell(cell, cell.id, kept)
    assert "dead" in kept and "window" not in kept and "exported" not in kept


def test_the_second_the_reads_itself_and_five_words_before_it():
    weights = scope()["causal"].weights
    assert np.flatnonzero(weights[0]).tolist() == [0] and np.flatnonzero(weights[5]).tolist() == [0, 1, 2, 3, 4, 5]


def test_or_lets_the_future_and_the_pads_in_and_nothing_else_does():
    kept = scope()
    future, pads = np.triu(np.ones((8, 8), bool), k=1), np.broadcast_to(~kept["real"][1], (8, 8))
    closed = ~(kept["mask"] & kept["real"][1])
    assert np.array_equal(closed, future | pads)
    assert not (kept["good"] & closed).any()
    let_in = kept["bad"] & closed
    assert (let_in & future).any() and (let_in & pads).any() and not let_in[closed].all()


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
    assert layers_needed(window, 4)[7, 0] == 4 and layers_needed(window, 3)[7, 0] == 0
    assert layers_needed(window, 3)[7, 1] == 3  # forest and fluffy: six words back
    assert layers_needed(window | (np.arange(8) == 0), 4)[7, 0] == 1


def test_flipping_the_causal_mask_kills_the_last_row():
    assert dead_rows(~causal_mask(8)) == [7]


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
