"""What notebook 15 claims, beyond what its cells show."""

import numpy as np

from attention_lib import scaled_dot_product_attention
from attention_lib.linear_attention import linear_attention


def draw_lines(n, seed, d=64):
    rows = np.random.default_rng(seed).standard_normal((2, n, d))
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def read_back(keys, values, **options):
    return keys @ linear_attention(keys, keys, values, **options).states[-1]


def test_of_64_lines_every_one_is_still_the_nearest_and_softmax_loses_none_of_256():
    for seed in range(20):
        keys, values = draw_lines(64, seed)
        assert ((read_back(keys, values) @ values.T).argmax(axis=1) == np.arange(64)).all()
        keys, values = draw_lines(256, seed)
        output = scaled_dot_product_attention(8 * keys, 8 * keys, values).output
        assert ((output @ values.T).argmax(axis=1) == np.arange(256)).all()


def test_the_square_of_the_error_is_about_the_number_of_other_lines_over_d_k():
    for n in (16, 64, 256):
        squares = []
        for seed in range(20):
            keys, values = draw_lines(n, seed)
            squares.append(((read_back(keys, values) - values) ** 2).sum(axis=1).mean())
        assert abs(np.mean(squares) / ((n - 1) / 64) - 1) < 0.1


def test_a_line_that_overwrites_is_exact_and_disturbs_keys_that_are_not_at_right_angles():
    keys, values = np.vstack([np.eye(3), np.full(3, 3**-0.5)]), np.eye(4)
    read = read_back(keys, values, overwrite=True)
    np.testing.assert_allclose(read[3], values[3], atol=1e-12)
    assert read[0, 0] < 0.7


def test_the_sizes_of_real_keys():
    """Rows of 64 random numbers are about 8 long."""
    lengths = np.linalg.norm(np.random.default_rng(0).standard_normal((1000, 64)), axis=1)
    assert abs(lengths.mean() - 8) < 0.1
