"""What an answer's own source says: the piece that one change mends, a division without effect, an edit without one.

And a learner's test, run again: what it feeds, what it asks for, how it compares.
"""

import ast

import numpy as np
import pytest
from answers import said
from mutants import mutants

from attention_lib.exercises import EXERCISES, check
from attention_lib.exercises.diagnose import diagnose, first_wrong, known_outcomes
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.kinds import check_blanks
from attention_lib.exercises.naming import is_right
from attention_lib.exercises.one_change import changes
from attention_lib.exercises.rules_by_source import mending_change
from attention_lib.exercises.rules_of_tests import fed, narrowed
from attention_lib.exercises.runner import run_cases
from attention_lib.exercises.sources import (
    COUNTER,
    Rounds,
    count_rounds,
    function_of,
    returns_in_loops_alone,
    source_of,
)

SPLIT = "Q, K, V = [(X @ W).reshape(len(X), n_heads, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V)]\n    "
END = "\n    e = np.exp(s)\n    return (e / e.sum(-1, keepdims=True) @ V).swapaxes(0, 1).reshape(len(X), -1) @ W_O"


@pytest.mark.parametrize(
    ("name", "body", "mistake", "words"),
    [
        ("mended_attention", "s = Q @ K.T // np.sqrt(K.shape[1])\n    e = np.exp(s)\n"
         "    return e / e.sum(1, keepdims=True) @ V", "cut_in_line", "Line 2, `Q @ K.T // np.sqrt(K.shape[1])`"),
        ("scale_scores", "return scores / int(d_k ** 0.5)", "cut_in_line", "`int(d_k ** 0.5)`"),
        ("attention_between", "e = np.exp(X @ W_Q @ (context @ W_K).T) / np.sqrt(W_K.shape[1])\n"
         "    return e / e.sum(1, keepdims=True) @ (context @ W_V)", "division_without_effect",
         "divides by `np.sqrt(W_K.shape[1])`"),
        ("scale_scores", "scaled = scores / np.sqrt(d_k)\n    return scores", "division_without_effect",
         "what comes of it is not used"),
        ("in_new_order", "return weights[queries][:, keys], output[queries][:, keys]", "index_error",
         "`output[queries][:, keys]` in"),
        ("head_contributions", "return np.array([head @ W_O for head in head_outputs])", "product_error",
         "Here `head` is (1, 1) and `W_O` is (2, 2): 1 meets 2. No transpose"),
        ("packed_heads", SPLIT + "s = Q @ K.T / np.sqrt(Q.shape[-1])" + END, "all_axes_transposed", "reverses"),
        ("packed_heads", "d = W_Q.shape[1] // n_heads\n    " + SPLIT.replace("-1", "d")
         + "s = Q @ K.swapaxes(1, 2) / np.sqrt(d)" + END, "reshape_error", "8 numbers do not fill the shape (2,2,1)"),
        ("in_new_order", "for i, q in enumerate(queries):\n        weights[i], output[i] = weights[q], output[q]\n"
         "    return weights[:, keys], output", "slices_twice", "It also changes its input (output, weights)"),
        ("share_keys", "return K[np.arange(len(K) * n_repeats) // len(K) % len(K)]", "slices_twice",
         "Counted in `K`, yours are the matrices [0, 0, 0, 1, 1, 1]; it needs [0, 0, 1, 1, 2, 2]"),
        ("divisor_of", "for d in range(1, 9):\n        e = np.exp(scores / d)\n"
         "        if np.allclose(e / e.sum(), weights):\n            return d", None, "without meeting a `return`"),
        ("makes_an_attention_map", "return weights_of(np.eye(3))", None, "It returned numbers, as a function"),
        ("makes_an_attention_map", "return weights_of(np.eye(3)) > 0", None, "`.all()` makes one"),
        ("stable_softmax", "e = np.exp(x)\n    e = e - e.max(axis, keepdims=True)\n"
         "    return e / e.sum(axis, keepdims=True)", "largest_after_exp", "Only before exp"),
        ("online_softmax", "m, t = -np.inf, 0.0\n    for b in blocks:\n        n = max(m, b[0])\n"
         "        t = t * np.exp(m - n) + np.exp(b[0] - n)\n        m = n\n    return m, t", "one_number_of_a_block",
         "one number has a say"),
        ("may_see_past", "return np.tri(n_keys, n_queries, dtype=bool).T", "causal_reversed", "upper right"),
        ("may_see_past", "i, j = np.ogrid[:n_queries, :n_keys]\n    i = i + n_keys - n_queries\n"
         "    return (j <= i) & (j > i - 3)", "window", "the last 3 at most"),
        ("may_see_past", "return np.hstack([np.tri(n_queries, dtype=bool), np.ones((n_queries, n_keys - n_queries), "
         "dtype=bool)])", "columns_moved", "the last 2 belong in front"),
        ("may_see_past", "return np.zeros((n_queries, n_keys), dtype=bool)", "false_everywhere", "False in"),
        ("real_keys", "return np.ones((len(lengths), 1, n_keys), dtype=bool)", "true_everywhere", "in 1 of 2"),
        ("real_keys", "return np.arange(n_keys) < n_keys - lengths[:, None, None]", "rest_counted", "must forbid"),
        ("weights_with_dead_rows", "e = np.exp(scaled_scores) * mask\n    t = e.sum(1, keepdims=True)\n"
         "    return e / np.where(t == 0, 1, t)", "inf_times_zero", "inf * 0 is nan"),
        ("weights_with_dead_rows", "m = np.where(mask, scaled_scores, -np.inf).max(1, keepdims=True)\n"
         "    e = np.exp(scaled_scores - np.where(np.isinf(m), 0, m)) * mask\n    t = e.sum(1, keepdims=True)\n"
         "    return e / np.where(t == 0, 1, t)", "inf_times_zero", "inf * 0 is nan"),
        ("padded_batch", "real = (np.arange(K.shape[1]) < lengths[:, None])[:, :, None]\n"
         "    s = Q @ (K * real).swapaxes(1, 2) / np.sqrt(Q.shape[-1])\n    e = np.exp(s - s.max(-1, keepdims=True))\n"
         "    return e / e.sum(-1, keepdims=True) @ (V * real)", "pads_keep_share", "its score must be -inf"),
        ("head_contributions", "out = np.zeros((*head_outputs.shape[:2], W_O.shape[1]))\n"
         "    out[0] = np.hstack(list(head_outputs)) @ W_O\n    return out", "sums_right", "Added up"),
        ("goes_back_right", "return bool(back(np.eye(2), np.eye(2)).any())", "compares_nothing", "no two things"),
    ],
)  # fmt: skip
def test_it_says_where_and_what(name, body, mistake, words):
    result = said(name, body)
    assert result.mistake == mistake, result
    assert words in str(result)


@pytest.mark.parametrize(
    ("body", "mistake", "words"),
    [
        ("return True", "never_called", "same whatever"),
        ("return np.allclose(weights_of(np.zeros((3, 4))), 0.25)", "fed_alike", "holds one number all over"),
        ("s = np.array([[0.0, 1.0, 3.0]])\n    e = np.exp(s)\n    return np.allclose(weights_of(s), e / e.sum())",
         "fed_one_row", "has one row"),
        ("s = np.array([[0.0, 1.0], [1.0, 0.0]])\n    e = np.exp(s)\n"
         "    return np.allclose(weights_of(s), e / e.sum(1, keepdims=True))", "fed_symmetric", "its own transpose"),
        ("s = np.eye(3, 4)\n    return np.allclose(weights_of(s).sum(axis=1)[0], 1)", "sees_too_little", "not look at"),
        ("s = np.eye(3, 4)\n    e = np.exp(s)\n    e /= e.sum(1, keepdims=True)\n"
         "    return np.allclose(weights_of(s), e, atol=1)", "tolerance_too_wide", "1 is as large"),
        ("s = np.eye(3, 4)\n    e = np.exp(s)\n    return np.allclose(weights_of(s), e / e.sum(0))",
         "asks_for_a_mistake", "have this mistake: Softmax over the wrong axis"),
        ("s = np.array([[999.0, 0.0]])\n    e = np.exp(s)\n    return np.allclose(weights_of(s), e / e.sum())",
         "nan_in_the_test", "line 4"),
        ("s = np.random.default_rng(8).normal(size=(5, 7))\n    e = np.exp(s)\n"
         "    return bool((weights_of(s) == e / e.sum(1, keepdims=True)).all())", "compared_exactly", "a late digit"),
        ("s = np.eye(3, 4)\n    e = np.exp(s)\n    return not np.allclose(weights_of(s), e / e.sum(1, keepdims=True))",
         "verdict_turned_round", "Every right function is refused"),
    ],
)  # fmt: skip
def test_a_test_is_told_what_it_feeds_and_asks_for(body, mistake, words):
    result = said("makes_an_attention_map", body)
    assert result.mistake == mistake, result
    assert words in result.message


def test_feeding_is_named_only_where_all_calls_have_it():
    assert fed([(np.zeros((3, 4)),), (np.eye(3, 4),)]) == ("fed_hides", "")
    assert fed([(np.eye(3, 4), 1)], ["X", "n_heads"]) == ("fed_one", "n_heads")


def test_a_tolerance_that_is_no_number_of_its_own_stays():
    assert narrowed(compile_function("def f(x):\n    return np.allclose(x(1), 2)\n", "f")) is None


# One change of the source


@pytest.mark.parametrize("name", ["packed_heads", "stable_softmax", "may_see_past", "online_softmax"])
def test_trying_changes_leaves_a_function_as_it_was(name):
    exercise = EXERCISES[name]
    function = compile_function(exercise.solution, name)
    before = source_of(function)
    cases = [case.arguments for case in known_outcomes(name).cases]
    mending_change(exercise, function, known_outcomes(name), 0, 5)
    again = function_of(before.tree, function)
    outcomes = run_cases(exercise, again, cases, 5)
    assert all(is_right(exercise, *pair) for pair in zip(outcomes, known_outcomes(name).expected))


@pytest.mark.parametrize("name", ["scale_scores", "stable_softmax", "may_see_past", "mended_attention"])
def test_the_changed_piece_of_most_mutants_is_found(name):
    exercise, known = EXERCISES[name], known_outcomes(name)
    found, refused = 0, 0
    for source in mutants(exercise.solution):
        function = compile_function(source, name)
        outcomes = run_cases(exercise, function, [case.arguments for case in known.cases], 5)
        first = first_wrong(exercise, outcomes, known.expected)
        if first is not None:
            refused += 1
            found += mending_change(exercise, function, known, first, 5) is not None
    assert found >= 0.5 * refused > 0


def test_every_kind_of_change_is_met_and_each_compiles_or_is_left_out():
    kinds = set()
    for exercise in EXERCISES.values():
        if exercise.blanks is None:
            kinds |= {
                change.kind for change in changes(source_of(compile_function(exercise.solution, exercise.name)).tree)
            }
    assert kinds >= {
        "brackets",
        "constant",
        "keyword",
        "operator",
        "transpose",
        "family",
        "argument",
        "omission",
        "name",
    }


def test_a_search_ends_in_time_and_prints_nothing(capsys):
    body = "print('hello')\n    while d_k:\n        pass"
    result = diagnose(EXERCISES["scale_scores"], compile_function(f"def scale_scores(scores, d_k):\n    {body}\n",
                      "scale_scores"), 0.3, seed=1)  # fmt: skip
    assert result.status == "time up"
    said("stable_softmax", "print('once')\n    e = np.exp(x - x.max(axis=0, keepdims=True)) ** 1.5\n"
         "    return e / e.sum(axis=axis, keepdims=True)")  # fmt: skip
    assert capsys.readouterr().out.count("once") < 200


@pytest.mark.parametrize("write", ["out.append(text)", "out[i] = text"])
def test_a_list_that_is_written_into_is_put_nowhere_else(write):
    """`out.append(out)` makes a list that holds itself; np.array(out) would not come back, and no thread ends it."""
    source = f"def f(ids, i):\n    out = [0]\n    for text in ids:\n        {write}\n    return out\n"
    tree = ast.parse(source).body[0]
    assert "out" not in [change.new.id for change in changes(tree) if isinstance(change.new, ast.Name)]


def test_a_loop_that_a_change_makes_endless_ends():
    tree = ast.parse("def f(n):\n    while n < 1_000_000:\n        n = n + 1\n").body[0]
    count_rounds(tree)
    with pytest.raises(RuntimeError):
        function_of(tree, compile_function("def f(n):\n    return n\n", "f"), **{COUNTER: Rounds()})(0)


def test_returns_in_loops():
    assert returns_in_loops_alone(compile_function("def f(x):\n    for y in x:\n        return y\n", "f"))
    assert not returns_in_loops_alone(compile_function("def f(x):\n    for y in x:\n        pass\n    return y\n", "f"))


# An edit without effect


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "", "No line of it is changed yet."),
        ("len(K)", "K.shape[0]", "Line 3 is changed, and does nothing new: `size` is in every case what it was before"),
        ("np.exp(scaled_scores)", "np.exp(scaled_scores - 1)", "Line 5 is changed, and does nothing new: `exps`"),
        ("weights @ V", "np.matmul(weights, V)", "Line 7 is changed, and does nothing new: what is"),
    ],
)  # fmt: skip
def test_an_edit_that_leaves_the_bug_is_told_what_it_did(old, new, words):
    source = EXERCISES["mended_attention"].stub.strip()
    source = source.replace(old, new) if old else source
    result = diagnose(EXERCISES["mended_attention"], compile_function(source, "mended_attention"), 5)
    assert result.status == "not tried" and words in result.message


# Blanks


def test_none_for_the_word_none_and_what_is_open_are_said():
    blanks = {name: blank.right for name, blank in EXERCISES["mask_for"].blanks.items()}
    first, second, *_ = blanks
    result = check_blanks(EXERCISES["mask_for"], {**blanks, first: None, second: "causal"})
    assert 'The answer "none" is a word, in quotes.' in result.example and f"Still open: {first}." in result.example


def test_what_follows_from_a_wrong_answer_is_said_to_follow():
    right = {name: blank.right for name, blank in EXERCISES["shapes_of_attention"].blanks.items()}
    wrong = {**right, "output": (5, 9), "output of two sentences": (2, 5, 9)}
    assert "It follows from output above" in check("shapes_of_attention", wrong).example
    alone = {**right, "output of two sentences": (2, 5, 9)}
    assert "follows" not in check("shapes_of_attention", alone).example


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("mended_attention", "axis=-1", "axis=0", 6),
        ("mended_attention", "np.exp(scaled_scores)", "scaled_scores", 5),
        ("mended_largest", "weights @ V", "weights.T @ V", 8),
        ("mended_attention", "scores / np.sqrt(size)", "scores / Q.shape[1]", None),  # without what the bug made
        ("mended_attention", "len(K)", "len(Q)", None),  # the line with the bug
        ("mended_mask", "weights @ V", "weights.T @ V", 8),
        ("mended_mask", "largest)", "largest + 1000)", 6),  # a slip without a name
        ("mended_score", ".mean(axis=-1)", ".sum(axis=-1)", None),  # the bug may be mended in either of two lines
    ],
)
def test_a_line_that_was_right_as_it_was_given_is_said_to_be(name, old, new, line):
    body = EXERCISES[name].stub.strip().split("\n    ", 1)[1]
    assert old in body
    result = said(name, body.replace(old, new))
    assert ("The bug is in another line" in result.message) is (line is not None), result.message
    assert line is None or f"Line {line} was right as it was given." in result.message, result.message
