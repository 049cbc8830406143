"""What the tests of masks for other libraries share: masks of one size, and how near is near in float32."""

import numpy as np

from attention_lib import causal_mask, sliding_window_mask

N, D = 6, 4
DEAD = 2  # the row that `WITH_DEAD_ROW` leaves without a key
MASKS = {
    "causal": causal_mask(N),
    "window": sliding_window_mask(N, left=1, right=2),
    "holes": np.random.default_rng(3).random((N, N)) < 0.5,
}
MASKS["holes"][:, 0] = True  # no dead row
WITH_DEAD_ROW = causal_mask(N).copy()
WITH_DEAD_ROW[DEAD] = False


def close(actual, expected):
    np.testing.assert_allclose(np.asarray(actual), expected, atol=2e-6)
