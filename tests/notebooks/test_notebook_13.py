"""What notebook 13 claims, beyond what its cells show."""

import numpy as np

from attention_lib.layers import layer_norm
from attention_lib.training.depth import random_layer


def differ(X):
    return np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X)


def draw_parts(rng):
    attention = random_layer(rng)
    W_1 = rng.standard_normal((32, 128)) * np.sqrt(2 / 32)
    W_2 = rng.standard_normal((128, 32)) / np.sqrt(128)
    return lambda X: attention(X).output, lambda X: np.maximum(X @ W_1, 0) @ W_2


def after_twelve_blocks(seed):
    """How different the words are with pre-norm and post-norm, and when each adds as much as the other."""
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((8, 32))
    pre = post = pre_that_adds_more = post_that_adds_less = start
    for part in [part for _ in range(12) for part in draw_parts(rng)]:
        growth = np.linalg.norm(pre) / np.linalg.norm(start)
        pre = pre + part(layer_norm(pre))
        post = layer_norm(post + part(post))
        post_that_adds_less = layer_norm(post_that_adds_less + part(post_that_adds_less) / growth)
        more = np.linalg.norm(pre_that_adds_more) / np.linalg.norm(start)
        pre_that_adds_more = pre_that_adds_more + part(layer_norm(pre_that_adds_more)) * more
    return [differ(X) for X in (pre, post_that_adds_less, post, pre_that_adds_more)]


def test_how_much_is_added_makes_the_difference_between_pre_norm_and_post_norm():
    pre, post_that_adds_less, post, pre_that_adds_more = np.mean([after_twelve_blocks(s) for s in range(20)], axis=0)
    found = [pre, post_that_adds_less, post, pre_that_adds_more]
    assert np.round(found, 2).tolist() == [0.51, 0.53, 0.04, 0.04]  # as the notebook says


def added_by_each_part(seed):
    """How long what each part adds is, compared with the rows: first with pre-norm, then with post-norm."""
    rng = np.random.default_rng(seed)
    pre = post = rng.standard_normal((8, 32))
    compared = []
    for part in [part for _ in range(12) for part in draw_parts(rng)]:
        to_pre, to_post = part(layer_norm(pre)), part(post)
        compared.append([np.linalg.norm(to_pre) / np.linalg.norm(pre), np.linalg.norm(to_post) / np.linalg.norm(post)])
        pre, post = pre + to_pre, layer_norm(post + to_post)
    return np.transpose(compared)  # (2, n_parts)


def test_the_last_block_adds_less_than_the_first_with_pre_norm_and_as_much_as_the_rows_with_post_norm():
    pre, post = np.mean([added_by_each_part(seed) for seed in range(20)], axis=0)
    assert (pre[-2:] < 0.5 * pre[:2]).all()
    assert (abs(post[-2:] - 1) < 0.1).all()


def after_twelve_layers(seed):
    """How different the words are: without and with norms, and when each adds as much as the other."""
    rng = np.random.default_rng(seed)
    start = rng.standard_normal((8, 32))
    plain = shorter = normed = longer = start
    for layer in [random_layer(rng) for _ in range(12)]:
        plain = plain + layer(plain).output
        shorter = shorter + layer(shorter).output * np.linalg.norm(start) / np.linalg.norm(shorter)
        normed = normed + layer(layer_norm(normed)).output
        longer = longer + layer(layer_norm(longer)).output * np.linalg.norm(longer) / np.linalg.norm(start)
    return [differ(X) for X in (plain, shorter, normed, longer)]


def test_how_much_is_added_makes_the_difference_between_stacks_with_and_without_the_norm():
    found = np.mean([after_twelve_layers(seed) for seed in range(20)], axis=0)
    assert np.round(found, 2).tolist() == [0.15, 0.5, 0.43, 0.07]  # as the notebook says
