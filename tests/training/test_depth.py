"""Stacks of random layers: what replacing each row does, what adding does, and that the gradient is right."""

import numpy as np
import pytest

from attention_lib.training import depth
from attention_lib.training.depth import random_stack
from attention_lib.training.gradients import finite_differences

SEEDS = range(20)


def test_without_skip_three_layers_make_all_rows_alike_and_with_it_none_of_the_draws_does():
    without = np.array([random_stack(3, skip=False, seed=seed).differ for seed in SEEDS])
    added = np.array([random_stack(3, skip=True, seed=seed).differ for seed in SEEDS])
    assert without[:, 3].max() < 0.005
    assert added[:, 3].min() > 0.4


def test_two_layers_without_skip_leave_an_even_share_of_the_gradient():
    without = np.median([random_stack(3, skip=False, seed=seed).own_share for seed in SEEDS], axis=0)
    added = np.median([random_stack(3, skip=True, seed=seed).own_share for seed in SEEDS], axis=0)
    assert without[1:] == pytest.approx(1 / depth.N_TOKENS, abs=0.02)
    assert (added > 2 * without).all()


@pytest.mark.parametrize("skip", [False, True])
def test_the_share_is_that_of_the_gradient_by_finite_differences(skip):
    rng = np.random.default_rng(3)
    X, towards = rng.standard_normal((depth.N_TOKENS, depth.D_MODEL)), rng.standard_normal(depth.D_MODEL)
    layers = [depth.random_layer(rng) for _ in range(2)]

    def read(start):
        for layer in layers:
            start = layer(start).output + (start if skip else 0)
        return float(start[0] @ towards)

    d_X = finite_differences(read, X)
    share = random_stack(2, skip=skip, seed=3).own_share[1]
    assert share == pytest.approx((d_X[0] ** 2).sum() / (d_X**2).sum(), rel=1e-4)
