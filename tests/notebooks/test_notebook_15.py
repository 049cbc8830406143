"""What notebook 15 claims, beyond what its cells show."""

import numpy as np

from attention_lib.linear_attention import linear_attention


def draw_lines(n, seed, d=64):
    rows = np.random.default_rng(seed).standard_normal((2, n, d))
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def read_back(keys, values, **options):
    return keys @ linear_attention(keys, keys, values, **options).states[-1]


def test_the_square_of_the_error_is_about_the_number_of_other_lines_over_d_k():
    for n in (16, 64, 256):
        squares = []
        for seed in range(20):
            keys, values = draw_lines(n, seed)
            squares.append(((read_back(keys, values) - values) ** 2).sum(axis=1).mean())
        assert abs(np.mean(squares) / ((n - 1) / 64) - 1) < 0.1


def test_a_wrong_value_gets_a_little_more_than_a_random_direction():
    scores, random = [], []
    for seed in range(40):
        keys, values = draw_lines(256, seed)
        read = read_back(keys, values)
        scores.append((read @ values.T)[~np.eye(256, dtype=bool)].std())
        random.append(((read - values) @ draw_lines(256, 1000 + seed)[1].T).std())
    assert round(np.mean(scores), 1) == 0.3 and round(np.mean(random), 2) == 0.25


def test_a_score_other_than_the_right_one_is_mostly_between_minus_2_and_2():
    keys, _ = draw_lines(1024, 0)
    others = (8 * keys @ keys.T)[~np.eye(1024, dtype=bool)]
    assert (np.abs(others) < 2).mean() > 0.95
