"""Exercises of other kinds, one example of each: find the bug, write the test, predict the shape, choose the mask."""

import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention, softmax
from attention_lib.exercises import EXERCISES, check, exercise_cells
from attention_lib.exercises.diagnose import diagnose
from attention_lib.exercises.exercise import Blank, Exercise, compile_function, normal
from attention_lib.exercises.kinds import writing_a_test
from attention_lib.exercises.progress import PROGRESS
from attention_lib.mistakes.recipes import MORE_RECIPES, RECIPES, attend

TEXT = {"notebook": "09_mistakes", "difficulty": 2, "minutes": 10, "hints": ("Look.", "Look again."), "why": "So."}


def three(rng):
    """Draw three cases of Q, K and V."""
    return [(normal(rng, n, 3), normal(rng, n, 3), normal(rng, n, 2)) for n in (2, 3, 5)]


BUG = Exercise(
    **TEXT,
    name="repaired_attention",
    title="Find the bug",
    spec="`repaired_attention(Q, K, V)` runs, and one of its lines is wrong. Find it and mend it.",
    stub="""
def repaired_attention(Q, K, V):
    d_k = Q.shape[-1]
    scores = Q @ K.T
    scaled_scores = scores / np.sqrt(d_k)
    largest = scaled_scores.max(axis=-1, keepdims=True)
    exps = np.exp(scaled_scores - largest)
    weights = exps / exps.sum(axis=0)
    return weights @ V
""",
    solution="""
def repaired_attention(Q, K, V):
    scaled_scores = Q @ K.T / np.sqrt(Q.shape[-1])
    exps = np.exp(scaled_scores - scaled_scores.max(axis=-1, keepdims=True))
    return exps / exps.sum(axis=-1, keepdims=True) @ V
""",
    cases=three,
    others=(lambda Q, K, V: scaled_dot_product_attention(Q, K, V).output,),
    wrong={"not_scaled": lambda Q, K, V: softmax(Q @ K.T) @ V},
    has_bug=True,
)


def with_recipe(recipe):
    return lambda Q, K, V: attend(recipe, Q, K, V)


TEST = writing_a_test(
    **TEXT,
    name="is_attention",
    title="Write the test",
    spec="Write `is_attention(attend)`: True where `attend(Q, K, V)` is right, False where it is not.",
    stub="def is_attention(attend):  # a function of Q, K, V\n    return ...  # True or False\n",
    solution="""
def is_attention(attend):
    rng = np.random.default_rng(0)
    Q, K, V = rng.standard_normal((3, 5, 4))
    exps = np.exp(Q @ K.T / np.sqrt(4))
    return np.allclose(attend(Q, K, V), exps / exps.sum(axis=-1, keepdims=True) @ V)
""",
    right=[
        lambda Q, K, V: scaled_dot_product_attention(Q, K, V).output,
        lambda Q, K, V: (V.T @ softmax(K @ Q.T / np.sqrt(Q.shape[1]), axis=0)).T,
    ],
    wrong={
        name: with_recipe((RECIPES | MORE_RECIPES)[name])
        for name in ("not_scaled", "softmax_over_queries", "sum_missing")
    },
    others=(),
)

SHAPES = Exercise(
    **TEXT,
    name="shapes_of_heads",
    title="Predict the shapes",
    spec="A batch of 2 sentences of 5 tokens, d_model = 12, 3 heads. Which shapes?",
    stub='shapes_of_heads = {"Q": ..., "weights": ..., "output": ...}',
    solution='shapes_of_heads = {"Q": (2, 3, 5, 4), "weights": (2, 3, 5, 5), "output": (2, 5, 12)}',
    blanks={
        "Q": Blank(
            (2, 3, 5, 4), {(2, 5, 3, 4): "The heads stand in front of the tokens."}, "Batch, heads, tokens, width."
        ),
        "weights": Blank((2, 3, 5, 5), {(2, 5, 5): "Each head has a map of its own."}),
        "output": Blank((2, 5, 12)),
    },
)

MASK = Exercise(
    **TEXT,
    name="mask_for_each",
    title="Choose the mask",
    spec="Which mask does each need: none, causal, padding?",
    stub='mask_for_each = {"a story is written": ..., "sentences of unequal length": ...}',
    solution='mask_for_each = {"a story is written": "causal", "sentences of unequal length": "padding"}',
    blanks={
        "a story is written": Blank("causal", {"none": "Then each word sees the words that are still to be written."}),
        "sentences of unequal length": Blank("padding", {"causal": "Causal is not padding."}),
    },
)


@pytest.fixture(autouse=True)
def known(monkeypatch):
    for exercise in (BUG, TEST, SHAPES, MASK):
        monkeypatch.setitem(EXERCISES, exercise.name, exercise)
    monkeypatch.setattr(PROGRESS, "entries", {})


def answer(exercise, source):
    return diagnose(exercise, compile_function(source, exercise.name), 5)


@pytest.mark.parametrize("exercise", [BUG, TEST, SHAPES, MASK], ids=lambda exercise: exercise.name)
def test_the_solution_passes_and_the_stub_is_not_tried(exercise):
    assert check(exercise.name, exercise.reference()).passed
    assert check(exercise.name, compile_function(exercise.stub, exercise.name)).status == "not tried"
    assert exercise_cells(exercise.name)[2] == ("code", f'check("{exercise.name}", {exercise.name})')
    assert PROGRESS.summary() == "Exercises: 1 of 1 passed."


# Find the bug


def test_what_still_does_what_it_did_is_told_so():
    renamed = BUG.stub.replace("largest", "top").replace("scores", "s")
    assert "The bug is still there" in answer(BUG, renamed).message


def test_a_bug_mended_by_another_is_named():
    half = BUG.stub.replace("exps.sum(axis=0)", "exps.sum(axis=-1, keepdims=True)").replace("np.sqrt(d_k)", "1")
    result = answer(BUG, half)
    assert result.mistake == "division_without_effect" and "Line 5 divides by `1`" in result.message
    assert answer(BUG, half.replace(" / 1", "")).mistake == "not_scaled"


def test_a_bug_has_eight_lines():
    assert len(BUG.stub.strip().splitlines()) <= 8


# Write the test


def test_a_test_may_assert_or_return():
    body = TEST.solution.replace("return np.allclose", "assert np.allclose")
    assert answer(TEST, body).passed


def test_false_for_the_wrong_and_nothing_for_the_right_is_no_verdict():
    body = TEST.solution.replace("return np.allclose", "if not np.allclose").rstrip() + ":\n        return False"
    assert "return False" in body and not answer(TEST, body).passed
    assert answer(TEST, body).mistake == "no_verdict"
    assert answer(TEST, body + "\n    return True").passed


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        ("return True", "never_called"),
        ("pass", "no_verdict"),
        ("return False", "never_called"),
        ("assert not attend(np.ones((2, 3)), np.ones((2, 3)), np.zeros((2, 2))).any()", "fed_alike"),
        ("Q = np.eye(3)\n    return np.allclose(attend(Q, Q, Q).sum(axis=-1), 1)", "lets_through"),
        ("return attend(np.ones((2, 3)), np.ones((2, 3)), np.eye(2)).flags['C_CONTIGUOUS']", "refuses_right"),
    ],
)
def test_a_test_that_does_not_tell_is_told_what_it_misses(body, mistake):
    assert answer(TEST, f"def is_attention(attend):\n    {body}").mistake == mistake


def test_the_function_that_is_missed_can_be_taken_into_the_hand():
    result = answer(TEST, "def is_attention(attend):\n    return True")
    assert "function = a function with a mistake: The scores are not scaled" in result.example
    (attend_wrongly,) = result.inputs
    assert attend_wrongly(np.eye(2), np.eye(2), np.eye(2)).shape == (2, 2)


def test_an_error_of_a_right_function_is_the_tests_own():
    result = answer(TEST, "def is_attention(attend):\n    return attend(np.ones(3)) is not None")
    assert result.status == "raised"


def test_a_verdict_that_is_none_is_refused():
    assert answer(TEST, "def is_attention(attend):\n    return 'yes'").status == "type"


# Fill in


def test_a_wrong_shape_gets_its_sentence_and_an_open_one_is_named():
    result = check("shapes_of_heads", {"Q": (2, 5, 3, 4), "weights": [2, 3, 5, 5], "output": ...})
    assert result.message == "Not yet: 1 of 3 are right."
    assert result.example == "Q: (2, 5, 3, 4) is not it. The heads stand in front of the tokens.\nStill open: output."
    right = {"Q": np.zeros((2, 3, 5, 4)).shape, "weights": (2, 3, 5, 5), "output": ...}
    assert check("shapes_of_heads", right).message == "Not yet. Still open: output."
    assert "Batch, heads, tokens, width." in check("shapes_of_heads", {**right, "Q": (9,)}).example


@pytest.mark.parametrize("odd", [None, 3, [], {}, {"Q": 1}, {"Q": "x", "weights": object(), "output": True}, len])
def test_odd_answers_never_raise(odd):
    assert check("shapes_of_heads", odd).status in ("type", "differs")


def test_a_mask_is_chosen_by_its_name_in_any_case():
    right = {"a story is written": " Causal", "sentences of unequal length": "padding"}
    assert check("mask_for_each", right).passed
    result = check("mask_for_each", {**right, "sentences of unequal length": "causal"})
    assert "Causal is not padding." in result.example


def test_blanks_have_reasons_for_wrong_answers():
    of_notebooks = [one for one in EXERCISES.values() if one.blanks is not None and one not in (SHAPES, MASK)]
    for exercise in of_notebooks:
        assert check(exercise.name, exercise.reference()).passed
        assert all(blank.wrong or blank.hint for blank in exercise.blanks.values()), exercise.name
