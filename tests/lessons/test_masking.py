"""How far a mask reaches through several layers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

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
