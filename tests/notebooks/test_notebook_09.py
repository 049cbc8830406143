"""Notebook 09: what its prose says and no cell prints comes out of a calculation."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib.checks.registry import exercises
from attention_lib.lessons.mistakes.invariants import (
    INVARIANTS,
    SPREAD_MAY_MISS,
    SPREAD_SIZES,
    caught_by_any,
    make_setup,
    spread_at,
    try_check,
)
from attention_lib.lessons.mistakes.recipes import MISTAKES, RECIPES, RIGHT, as_function, pad_columns

EXERCISES = exercises()
SETUP = make_setup(["나는", "어제", "배가", "너무", "고파서", "밥을", "먹었다"], "causal")
CAUGHT = {name: caught_by_any(recipe, SETUP) for name, recipe in RECIPES.items()}


def test_what_the_prose_says_and_no_cell_prints():
    eleven = {name: [check for check in names if check != "reach"] for name, names in CAUGHT.items()}
    seen_by_spread = [names for name, names in eleven.items() if "spread" in names and name != "softmax_missing"]
    assert seen_by_spread == [["spread"]] * 4 + [["cache", "spread"]]  # the five wrong scales
    softmax = {"softmax_missing", "softmax_over_queries", "softmax_over_everything", "mask_after_softmax"}
    dead_rows = {"mask_inverted", "causal_excludes_itself", "pad_rows_masked"}
    assert {name for name, names in eleven.items() if "row sums" in names} == softmax | dead_rows
    assert len(INVARIANTS) == 12 and len(CAUGHT) == 24 and all(eleven.values())
    assert sum(len(names) == 1 for names in eleven.values()) == 11
    assert max(sum(check in names for names in eleven.values()) for check in INVARIANTS) == 13
    assert eleven["finite_fill"] == ["dead row"]  # D passes all the others
    assert SPREAD_SIZES == ((50, 64), (200, 16)) and SPREAD_MAY_MISS == 0.2  # from 0.8 to 1.2
    kept = RECIPES.keys() - {"no_W_O", "heads_averaged", "causal_top_left"}
    assert all(set(eleven[name]) - {"W_O", "heads apart", "cache"} for name in kept)


@pytest.mark.parametrize("divisor", [RECIPES["scaled_by_root_n"].divisor, lambda *_: 8, lambda d_k, *_: d_k / 8])
def test_a_wrong_divisor_that_fits_one_size_does_not_fit_the_other(divisor):
    function = as_function(replace(RIGHT, divisor=divisor))
    off = [abs(spread_at(function, n, d_k) - 1) > SPREAD_MAY_MISS for n, d_k in SPREAD_SIZES]
    assert off == [False, True] and try_check("spread", function).catches


def only_the_last_two(n, m):
    return np.tri(n, m, m - n, dtype=bool) & ~np.tri(n, m, m - n - 2, dtype=bool)


@pytest.mark.parametrize(
    "recipe",
    [
        MISTAKES["causal_only_itself"].recipe,
        replace(RIGHT, causal=lambda n, m: np.tile(np.arange(m) == 0, (n, 1))),  # only the first word
        replace(RIGHT, causal=only_the_last_two),
        replace(RIGHT, padding=lambda n_real, n, m: pad_columns(n_real - 1, n, m)),
    ],
)
def test_a_mask_that_forbids_too_much_is_caught_by_reach_alone(recipe):
    assert caught_by_any(recipe, SETUP) == ["reach"]


@pytest.mark.parametrize("step", [{"score": lambda Q, K: -Q @ K.mT}, {"project_out": lambda heads, W_O: heads @ W_O.T}])
def test_a_wrong_sign_and_a_transposed_W_O_pass_all_twelve(step):
    for X, *W in np.random.default_rng(0).standard_normal((20, 5, 6, 6)) / 2:
        setup = replace(SETUP, X=2 * X, W_Q=W[0], W_K=W[1], W_V=W[2], W_O=W[3])
        assert caught_by_any(replace(RIGHT, **step), setup) == []


@pytest.mark.parametrize(
    ("name", "broken"),
    [("mended_mask", "future"), ("mended_heads", "heads apart")],
)
def test_the_bug_is_found_by_the_check_of_the_hint_and_by_no_other_first_guess(name, broken):
    exercise = EXERCISES[name]
    space = {"np": np}
    exec(exercise.stub, space)
    assert f'"{broken}"' in exercise.hints[1]
    assert try_check(broken, space[name]).catches
    for others in {"mended_mask": ["row sums", "shift", "reach"], "mended_heads": ["W_O", "values"]}[name]:
        assert not try_check(others, space[name]).catches
    assert not try_check(broken, exercise.reference()).catches
    assert len(exercise.stub.strip().splitlines()) <= 8
