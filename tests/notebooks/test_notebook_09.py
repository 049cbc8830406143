"""Notebook 09: what its prose says and no cell prints comes out of a calculation."""

import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import self_attention
from attention_lib.checks.registry import exercises, predictions
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.lessons.mistakes.invariants import (
    INVARIANTS,
    caught_by,
    make_setup,
    overview,
    spread_at,
    try_check,
)
from attention_lib.lessons.mistakes.recipes import MISTAKES, RECIPES, RIGHT, as_function, attend, suspects

CELLS = {cell.id: cell for cell in read(NOTEBOOKS / "09_mistakes.ipynb").cells}
PROSE = "\n".join(cell.source for cell in CELLS.values() if cell.cell_type == "markdown")
EXERCISES = exercises()
SETUP = make_setup(["나는", "어제", "배가", "너무", "고파서", "밥을", "먹었다"], "causal")
CAUGHT = overview(SETUP)


def output_of(cell):
    return "".join(str(each.get("text", "")) for each in CELLS[cell].outputs)


def spread_of(name, n=50, d_k=64):
    recipe = RIGHT if name is None else RECIPES[name]
    return spread_at(as_function(recipe), n, d_k)


def test_the_two_functions_of_the_opening_cannot_be_told_apart_by_the_meaning():
    words = load_meanings()
    for text, meaning in {"어제 배 가 고파서": 1, "어제 배 를 깎아서": 0, "어제 배 를 타고": 2}.items():
        X = words.embed(text)
        ends = [self_attention(X, 1.5 * words.W_Q, words.W_K, words.W_V, scale=1 / d).output[1, :3] for d in (2, 4)]
        assert [np.argmax(end) for end in ends] == [meaning, meaning]
        before = words.trace(text).output[1, :3]
        assert ends[0].max() > before.max() > ends[1].max()  # neither is what 01 drew


def test_what_the_prose_says_and_no_cell_prints():
    assert len(INVARIANTS) == 12 and len(RECIPES) == 24
    seen_by_spread = [names for name, names in CAUGHT.items() if "spread" in names and name != "softmax_missing"]
    assert seen_by_spread == [["spread"]] * 4 + [["cache", "spread"]]  # the five wrong scales
    assert sum(len(names) == 1 for names in CAUGHT.values()) == 10
    assert f"{spread_of(None, 200):.2f}" == "0.99"
    assert abs(spread_of("half_power", d_k=4) - 1) < 0.1 and spread_of("half_power") < 0.5
    assert CAUGHT["no_W_O"] == ["W_O"]  # here h·d_v is d_model, so the shape says nothing
    assert "large scores" in CAUGHT["softmax_not_stable"]
    assert caught_by(MISTAKES["projections_exchanged"].recipe, SETUP) == []


def test_the_suspects_are_the_mistakes_that_are_said_of_them():
    names = ["softmax_over_queries", "scores_transposed", "reshape_without_transpose", "finite_fill"]
    assert suspects() == [MISTAKES[name].recipe for name in (*names, "scaled_by_root_n", "projections_exchanged")]
    assert "RECIPES[" not in CELLS["setup"].source


def test_only_torchs_attention_gives_a_dead_row_0_and_a_plain_softmax_gives_nan():
    torch = pytest.importorskip("torch")
    Q, allowed = torch.ones(3, 4), torch.tensor([[True] * 3, [False] * 3, [True] * 3])
    output = torch.nn.functional.scaled_dot_product_attention(Q, Q, Q, attn_mask=allowed)
    assert not output[1].any() and output[0].all()
    assert torch.softmax(torch.full((3,), -torch.inf), dim=0).isnan().all()


def test_no_sentence_says_that_no_test_finds_them():
    said = PROSE + str(predictions("09")) + str(MISTAKES)
    assert not re.search(r"no such test|no (cheap )?(test|check|invariant) (finds|catches|sees) (it|them)", said)


# The exercises


def test_each_line_to_choose_a_check_for_is_caught_by_that_check_alone():
    lines = EXERCISES["check_for"].blanks
    recipes = dict(
        zip(lines, ("finite_fill", "scaled_by_root_d_model", "causal_excludes_itself", "causal_top_left",
                    "heads_averaged", "no_W_O"), strict=True)
    )  # fmt: skip
    assert {line: CAUGHT[recipes[line]] for line in lines} == {line: [blank.right] for line, blank in lines.items()}


@pytest.mark.parametrize(
    ("name", "broken"),
    [("mended_mask", "future"), ("mended_heads", "heads apart"), ("mended_largest", "large scores")],
)
def test_the_bug_is_found_by_the_check_of_the_hint_and_by_no_other_first_guess(name, broken):
    exercise = EXERCISES[name]
    space = {"np": np}
    exec(exercise.stub, space)
    assert f'"{broken}"' in exercise.hints[0]
    assert try_check(broken, space[name]).catches
    for others in {"mended_mask": ["row sums", "key order"], "mended_heads": ["W_O", "values"],
                   "mended_largest": ["row sums", "key order", "one query", "values", "spread"]}[name]:  # fmt: skip
        assert not try_check(others, space[name]).catches
    assert not try_check(broken, exercise.reference()).catches
    assert len(exercise.stub.strip().splitlines()) <= 8


def test_the_largest_of_all_is_right_on_every_sentence_of_the_notebook():
    space = {"np": np}
    exec(EXERCISES["mended_largest"].stub, space)
    Q, K, V = (SETUP.X @ W for W in (SETUP.W_Q, SETUP.W_K, SETUP.W_V))
    assert np.abs(space["mended_largest"](Q, K, V) - attend(RIGHT, Q, K, V)).max() < 1e-12
