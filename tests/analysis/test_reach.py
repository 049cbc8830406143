"""How far a mask reaches through several layers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lib import causal_mask, self_attention, sliding_window_mask
from attention_lib.analysis.reach import layers_needed, receptive_field


def walk(mask, start, n_layers, skip):
    """The tokens that `start` has heard of: step from token to token, once a layer."""
    here = {start}
    for _ in range(n_layers):
        here = {key for token in here for key in range(len(mask)) if mask[token][key] or (skip and key == token)}
    return here


@given(arrays(bool, st.integers(1, 5).map(lambda n: (n, n))), st.integers(1, 4), st.booleans())
def test_receptive_field_is_a_walk_from_token_to_token(mask, n_layers, skip):
    field = receptive_field(mask, n_layers, skip=skip)
    for token in range(len(mask)):
        assert set(np.flatnonzero(field[token]).tolist()) == walk(mask, token, n_layers, skip)


@given(arrays(bool, st.integers(1, 5).map(lambda n: (n, n))), st.integers(1, 4), st.booleans())
def test_layers_needed_is_the_first_layer_that_reaches(mask, n_layers, skip):
    needed = layers_needed(mask, n_layers, skip=skip)
    for row, column in np.ndindex(mask.shape):
        reached = [layer for layer in range(1, n_layers + 1) if column in walk(mask, row, layer, skip)]
        assert needed[row, column] == (reached[0] if reached else 0)


def test_reach_is_what_stacked_layers_really_pass_on():
    N = 8
    X = np.random.default_rng(0).integers(-2, 3, (N, 4))
    W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 4, 4)).round(1)
    mask = sliding_window_mask(N, left=2)
    for n_layers in (1, 2, 3):
        field = receptive_field(mask, n_layers)
        for changed in range(N):
            before, after = X / 4, X / 4  # small, so that no weight is lost in rounding
            after[changed] += 0.5
            for _ in range(n_layers):
                before, after = (self_attention(x, W_Q, W_K, W_V, mask).output for x in (before, after))
            moved = ~np.isclose(before, after, rtol=0, atol=1e-12).all(axis=-1)
            assert (moved == field[:, changed]).all()


def test_a_window_reaches_one_window_a_layer():
    assert receptive_field(sliding_window_mask(20, left=3), 4)[-1].sum() == 1 + 3 * 4
    assert (receptive_field(causal_mask(6), 5) == causal_mask(6)).all()  # never against the causal mask


def test_skip_keeps_the_token_itself():
    nothing = np.zeros((3, 3), dtype=bool)
    assert not receptive_field(nothing, 2).any()
    assert (receptive_field(nothing, 2, skip=True) == np.eye(3, dtype=bool)).all()


def test_odd_masks_and_layers_are_refused():
    with pytest.raises(ValueError, match=r"mask has shape \(2, 3\) and dtype bool; it needs \(n, n\) of bool"):
        receptive_field(np.ones((2, 3), dtype=bool), 1)
    with pytest.raises(ValueError, match="dtype float64"):
        layers_needed(np.zeros((2, 2)), 1)
    with pytest.raises(ValueError, match="n_layers is 0; it needs to be at least 1"):
        layers_needed(causal_mask(2), 0)
