"""What the tests of the math share: small matrices, the same in every run."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

repeatable = settings(derandomize=True, max_examples=50, deadline=None)
sizes = st.integers(1, 5)


def matrices(*shape, dtype=np.float64, largest=4):
    """Arrays of this shape with numbers from -largest to largest."""
    width = np.dtype(dtype).itemsize * 8
    return arrays(dtype, shape, elements=st.floats(-largest, largest, width=width, allow_subnormal=False))


@st.composite
def attention_inputs(draw):
    """Q, K, V with sizes that differ where they may."""
    n_queries, n_keys, d_k, d_v = (draw(sizes) for _ in range(4))
    return draw(matrices(n_queries, d_k)), draw(matrices(n_keys, d_k)), draw(matrices(n_keys, d_v))


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=1e-9, atol=1e-11)
