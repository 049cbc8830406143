"""How far a mask reaches through several layers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lib import self_attention, sliding_window_mask
from attention_lib.lessons.masking.reach import layers_needed


def walk(mask, start, n_layers):
    """The tokens that `start` has heard of: step from token to token, once a layer."""
    here = {start}
    for _ in range(n_layers):
        here = {key for token in here for key in range(len(mask)) if mask[token][key]}
    return here


@given(arrays(bool, st.integers(1, 5).map(lambda n: (n, n))), st.integers(1, 4))
def test_layers_needed_is_the_first_layer_that_reaches(mask, n_layers):
    needed = layers_needed(mask, n_layers)
    for row, column in np.ndindex(mask.shape):
        reached = [layer for layer in range(1, n_layers + 1) if column in walk(mask, row, layer)]
        assert needed[row, column] == (reached[0] if reached else 0)


def test_reach_is_what_stacked_layers_really_pass_on():
    N = 8
    X = np.random.default_rng(0).integers(-2, 3, (N, 4))
    W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 4, 4)).round(1)
    mask = sliding_window_mask(N, left=2)
    for n_layers in (1, 2, 3):
        reached = layers_needed(mask, n_layers) > 0
        for changed in range(N):
            before, after = X / 4, X / 4  # small, so that no weight is lost in rounding
            after[changed] += 0.5
            for _ in range(n_layers):
                before, after = (self_attention(x, W_Q, W_K, W_V, mask).output for x in (before, after))
            moved = ~np.isclose(before, after, rtol=0, atol=1e-12).all(axis=-1)
            assert (moved == reached[:, changed]).all()
