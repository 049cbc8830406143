"""A random attention layer, to stack: what many layers do to the rows, without any training."""

import numpy as np

from ..multi_head import MultiHeadAttention

D_MODEL, N_HEADS = 32, 4


def random_layer(rng: np.random.Generator) -> MultiHeadAttention:
    """Draw a layer whose projections keep the length of a row about as it is."""
    W_Q, W_K, W_V, W_O = rng.standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return MultiHeadAttention(W_Q, W_K, W_V, W_O, N_HEADS)
