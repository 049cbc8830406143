"""`check` itself: it never raises, leaves no thread, tells its own errors from a learner's, and hands the case over."""

import contextlib
import threading
import time
import warnings

import numpy as np
import pytest

import attention_lib.exercises.diagnose as engine
from attention_lib.exercises import EXERCISES, apart, check
from attention_lib.exercises.compare import close
from attention_lib.exercises.describe import number
from attention_lib.exercises.diagnose import diagnose, known_outcomes
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.progress import PROGRESS

NAMES = list(EXERCISES)


@pytest.fixture(autouse=True)
def clean(monkeypatch):
    monkeypatch.setattr(PROGRESS, "entries", {})
    monkeypatch.setattr(engine, "_failed_fresh", {})


def threads():
    return {thread for thread in threading.enumerate() if thread is not threading.current_thread()}


# It never raises


ODD = {
    "bool of the shape": lambda needed: needed.astype(bool),
    "bool equal to 0 and 1": lambda needed: np.ones(needed.shape, dtype=bool),
    "least int32": lambda needed: np.full(needed.shape, -(2**31), dtype=np.int32),
    "least int64": lambda needed: np.full(needed.shape, -(2**63), dtype=np.int64),
    "largest uint8": lambda needed: np.full(needed.shape, 255, dtype=np.uint8),
    "float16": lambda needed: np.ones(needed.shape, dtype=np.float16),
    "nan": lambda needed: np.full(needed.shape, np.nan),
    "inf": lambda needed: np.full(needed.shape, np.inf),
    "a string": lambda needed: "attention",
    "a word": lambda needed: np.array("attention"),
    "an object": lambda needed: object(),
    "a dict": lambda needed: {"answer": needed},
    "rows of different lengths": lambda needed: [[1.0], [1.0, 2.0]],
    "an empty list": lambda needed: [],
    "nothing in a list": lambda needed: [None],
    "a tuple": lambda needed: (needed, needed),
    "a number": lambda needed: 1.0,
    "a matrix class": lambda needed: np.asmatrix(np.atleast_2d(needed)[..., 0]),
    "a masked array": lambda needed: np.ma.masked_all(needed.shape),
    "dates": lambda needed: np.zeros(needed.shape, dtype="datetime64[s]"),
    "complex": lambda needed: needed + 0j,
    "a function": lambda needed: print,
    "a generator": lambda needed: (row for row in [needed]),
    "a transposed one": lambda needed: needed.T,
    "a scalar array": lambda needed: np.float64(3),
}


def oddly(reference, odd):
    """Return the right answer, each part of it made odd."""

    def answer(*arguments):
        needed = reference(*arguments)
        parts = needed if isinstance(needed, tuple) else (needed,)
        wrong = tuple(odd(np.asarray(part)) for part in parts)
        return wrong if isinstance(needed, tuple) else wrong[0]

    return answer


def checked_oddly(name, odd):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = check(name, oddly(EXERCISES[name].reference(), odd))
    assert result.status != "broken", result
    assert repr(result)
    assert result._repr_html_()


@pytest.mark.parametrize("name", NAMES)
def test_it_never_raises_and_never_warns(name, monkeypatch):
    """Here and now: first in a copy of the kernel, where the same is done, it takes six times as long."""
    monkeypatch.setattr(apart, "can_be_copied", lambda: False)
    for odd in ODD.values():
        checked_oddly(name, odd)


@pytest.mark.parametrize("odd", ODD)
def test_nor_does_it_where_a_copy_of_the_kernel_meets_the_odd_answer_first(odd):
    for name in ("softmax_rows", "online_softmax", "read_the_source"):  # one part, two, and given functions
        checked_oddly(name, ODD[odd])


def test_bool_where_numbers_are_needed_is_said():
    result = check("weights_with_dead_rows", lambda scores, mask: mask)
    assert "it needs numbers" in str(result) or result.mistake == "argument_returned"


@pytest.mark.parametrize(
    ("value", "said"),
    [(np.int32(-(2**31)), "-2.147e+09"), (np.uint8(255), "255"), (np.float16(0.5), "0.5"), (np.bool_(True), "True")],
)
def test_a_number_of_any_kind_is_written(value, said):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert number(value) == said


@pytest.mark.parametrize("function", [None, 3, "scale_scores", [len]])
def test_what_is_no_function(function):
    assert check("scale_scores", function).status == "type"


@pytest.mark.parametrize("function", [lambda: 1, lambda scores: scores, lambda *a, **k: a, len, np.sqrt, dict])
def test_what_takes_other_arguments(function):
    assert check("scale_scores", function).status in ("raised", "type", "mistake", "differs", "shape")


def test_a_fault_of_our_own_is_not_called_the_learners(monkeypatch):
    monkeypatch.setattr(engine, "diagnose", lambda *_: 1 / 0)
    result = check("scale_scores", lambda scores, d_k: scores)
    assert result.status == "broken"
    assert "not your code" in result.message and "ZeroDivisionError" in result.message


# It leaves no thread


def test_a_check_inside_the_checked_function_is_told_so():
    before = threads()
    inner = []

    def scale_scores(scores, d_k):
        inner.append(check("scale_scores", scale_scores))
        return scores / np.sqrt(d_k)

    assert check("scale_scores", scale_scores).passed
    assert {result.status for result in inner} == {"nested"}
    assert threads() <= before


def test_a_check_in_a_thread_of_the_checked_function_comes_to_an_end():
    before = threads()

    def scale_scores(scores, d_k):
        inside = threading.Thread(target=check, args=("scale_scores", scale_scores), daemon=True)
        inside.start()
        inside.join()
        return scores / np.sqrt(d_k)

    check("scale_scores", scale_scores, time_limit=0.5)
    for _ in range(200):
        if threads() <= before:
            break
        time.sleep(0.01)
    assert threads() <= before


@pytest.mark.parametrize(
    "stubborn", ["pass", "continue", "try:\n                    1 / 0\n                except: pass"]
)
def test_a_loop_that_swallows_everything_is_ended(stubborn):
    before = threads()
    source = f"""
def scale_scores(scores, d_k):
    n = 0
    while True:
        while True:
            try:
                n += 1
            except:
                {stubborn}
"""
    result = diagnose(EXERCISES["scale_scores"], compile_function(source, "scale_scores"), 0.1)
    assert result.status == "time up"
    assert threads() <= before


# Whose error it is


@pytest.mark.parametrize("value", ["'text'", "{1: 2}", "len", "[[1], [2, 3]]", "object()", "3", "np.array('a')"])
@pytest.mark.parametrize("name", ["read_the_source", "pad_on_the_left", "mended_step", "online_softmax"])
def test_a_value_that_cannot_be_played_on_with_is_no_error_of_the_learners_code(name, value):
    source = f"def {name}(*arguments):\n    return {value}"
    result = diagnose(EXERCISES[name], compile_function(source, name), 5)
    assert "Your code raised" not in result.message, result


def test_an_error_in_a_function_that_was_handed_over_is_placed_in_the_learners_line():
    source = "def read_the_source(X, source, to_q, to_kv):\n    K, V = to_kv(source[:, :0])\n    return V"
    result = diagnose(EXERCISES["read_the_source"], compile_function(source, "read_the_source"), 5)
    assert "at line 2" in str(result)


def test_none_in_one_branch_is_not_called_not_tried():
    def may_see_past(n_queries, n_keys):
        if n_queries > 2:
            return np.tri(n_queries, n_keys, n_keys - n_queries, dtype=bool)

    result = check("may_see_past", may_see_past)
    assert result.status == "type" and "branch without `return`" in result.message


def test_output_and_weights_are_told_apart():
    def attention_of(Q, K, V):
        exps = np.exp(Q @ K.T / np.sqrt(Q.shape[1]))
        weights = exps / exps.sum(axis=-1, keepdims=True)
        return weights @ V, weights

    result = check("attention_of", attention_of)
    assert result.mistake == "tuple_returned"
    assert "It returned 2 things. The one at position 0 is right" in result.message


def test_a_single_number_is_asked_for_in_words():
    result = check("previous_token_share", lambda weights: np.ones((9, 9)))
    assert "needs a single number" in str(result) and "()" not in result.message


# The failing case


def test_the_failing_case_can_be_taken_into_the_hand():
    def scale_scores(scores, d_k):
        return scores / d_k

    result = check("scale_scores", scale_scores)
    np.testing.assert_allclose(scale_scores(*result.inputs), result.yours)
    np.testing.assert_allclose(EXERCISES["scale_scores"].reference()(*result.inputs), result.needed)
    assert not close(result.yours, result.needed).all()
    line = 'Try it: r = check("scale_scores", scale_scores), then scale_scores(*r.inputs) beside r.needed.'
    assert result.example.endswith(line)


@pytest.mark.parametrize("name", NAMES)
def test_the_case_is_what_the_function_itself_is_given(name):
    exercise = EXERCISES[name]
    for mistake, form in exercise.wrong_forms()[:2]:
        result = diagnose(exercise, form, 5, seed=1)
        assert result.inputs, mistake
        with contextlib.suppress(Exception), np.errstate(all="ignore"):  # some mistakes are errors
            form(*result.inputs)
        exercise.reference()(*result.inputs)


def test_the_case_is_a_copy():
    def scale_scores(scores, d_k):
        return scores / d_k

    check("scale_scores", scale_scores).inputs[0][:] = 7
    assert known_outcomes("scale_scores").cases[0].arguments[0].max() < 7


def test_the_function_that_is_handed_over_is_shown():
    result = check("measured_gradient", lambda f, x, step: x)
    assert "f = lambda x: (x**3).sum()" in result.example


# Fresh cases


def right_but_for(is_wrong):
    def scale_scores(scores, d_k):
        return scores / np.sqrt(d_k) + is_wrong(scores, d_k)

    return scale_scores


def fixed_first(scores):
    fixed = [case.arguments[0] for case in known_outcomes("scale_scores").cases]
    return any(scores.shape == one.shape and np.array_equal(scores, one) for one in fixed)


def test_fresh_cases_are_others_at_each_call():
    seen = []

    def scale_scores(scores, d_k):
        seen.append(scores.tobytes())
        return scores / np.sqrt(d_k)

    check("scale_scores", scale_scores)
    first = set(seen)
    seen.clear()
    check("scale_scores", scale_scores)
    assert len(set(seen) - first) >= 4


def test_an_answer_that_knows_the_fixed_cases_is_refused_and_the_fresh_case_is_kept():
    first = check("scale_scores", right_but_for(lambda scores, d_k: not fixed_first(scores)))
    assert not first.passed
    assert "A case drawn afresh, kept until it passes:" in first.example
    again = check("scale_scores", right_but_for(lambda scores, d_k: not fixed_first(scores)))
    assert all(np.array_equal(a, b) for a, b in zip(first.inputs, again.inputs))
    assert check("scale_scores", right_but_for(lambda scores, d_k: 0)).passed
    third = check("scale_scores", right_but_for(lambda scores, d_k: not fixed_first(scores)))
    assert not all(np.array_equal(a, b) for a, b in zip(first.inputs, third.inputs)), "kept after it passed"


def test_a_seed_draws_the_same_cases():
    seen = []

    def scale_scores(scores, d_k):
        seen.append(scores.tobytes())
        return scores / np.sqrt(d_k)

    for _ in range(2):
        diagnose(EXERCISES["scale_scores"], scale_scores, 5, seed=5)
    assert seen[: len(seen) // 2] == seen[len(seen) // 2 :]
