"""Notebook 09: what its prose says and no cell prints comes out of a calculation."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib.checks.registry import exercises
from attention_lib.lessons.mistakes.invariants import (
    INVARIANTS,
    SPREAD_LENGTHS,
    SPREAD_MAY_MISS,
    caught_by,
    caught_by_any,
    make_setup,
    spread_at,
    try_check,
)
from attention_lib.lessons.mistakes.recipes import MISTAKES, RECIPES, as_function

EXERCISES = exercises()
SETUP = make_setup(["나는", "어제", "배가", "너무", "고파서", "밥을", "먹었다"], "causal")
CAUGHT = {name: caught_by_any(recipe, SETUP) for name, recipe in RECIPES.items()}


def test_what_the_prose_says_and_no_cell_prints():
    seen_by_spread = [names for name, names in CAUGHT.items() if "spread" in names and name != "softmax_missing"]
    assert seen_by_spread == [["spread"]] * 4 + [["cache", "spread"]]  # the five wrong scales
    softmax = {"softmax_missing", "softmax_over_queries", "softmax_over_everything", "mask_after_softmax"}
    dead_rows = {"mask_inverted", "causal_excludes_itself", "pad_rows_masked"}
    assert {name for name, names in CAUGHT.items() if "row sums" in names} == softmax | dead_rows
    alone = [names[0] for names in CAUGHT.values() if len(names) == 1]
    assert len(alone) == 10
    assert max(sum(check in names for names in CAUGHT.values()) for check in INVARIANTS) == 13 and all(CAUGHT.values())
    assert CAUGHT["finite_fill"] == ["dead row"]  # D passes all the others
    at_both = [spread_at(as_function(RECIPES["scaled_by_root_n"]), n) for n in SPREAD_LENGTHS]
    assert [abs(found - 1) > SPREAD_MAY_MISS for found in at_both] == [False, True]  # one length fits by chance
    assert caught_by(RECIPES["causal_excludes_itself"], replace(SETUP, kind="cache")) == []
    wider = replace(SETUP, W_V=np.ones((6, 8)), W_O=np.ones((8, 6)))  # d_v is 4, and d_k is 3
    assert caught_by(MISTAKES["projections_exchanged"].recipe, wider) == ["shape"]
    assert SPREAD_LENGTHS == (50, 200) and SPREAD_MAY_MISS == 0.2  # from 0.8 to 1.2
    kept = RECIPES.keys() - {"no_W_O", "heads_averaged", "causal_top_left"}
    assert all(set(CAUGHT[name]) - {"W_O", "heads apart", "cache"} for name in kept)


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
    for others in {"mended_mask": ["row sums", "key order"], "mended_heads": ["W_O", "values"]}[name]:
        assert not try_check(others, space[name]).catches
    assert not try_check(broken, exercise.reference()).catches
    assert len(exercise.stub.strip().splitlines()) <= 8
