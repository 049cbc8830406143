"""Judging: right answers pass and no others do, and the result shows the smallest case that fails."""

import ast
import re
import warnings

import numpy as np
import pytest
from answers import EXERCISES, function_of, judged, rows_of

import attention_lib
from attention_lib.checks import check, edits, exercise_names, judging
from attention_lib.checks.compare import size_of
from attention_lib.checks.exercise import compile_function
from attention_lib.checks.progress import PROGRESS

SEEDS = range(3)
RIGHT, ROOT_MISSING = "return scores / np.sqrt(d_k)", "return scores / d_k"
#: An array, a tuple, bools, whole numbers, pairs of arrays in a list.
OF_EACH_KIND = ("stable_softmax", "in_new_order", "may_see_past", "guess_by_copying", "stream_mask", "online_softmax")
OF_NUMBERS = [name for name in EXERCISES if not EXERCISES[name].is_test]


@pytest.mark.parametrize("name", EXERCISES)
def test_a_record_is_complete(name):
    exercise = EXERCISES[name]
    assert not hasattr(attention_lib, name), "a stub of this name would hide the library's function"
    assert exercise.difficulty in (1, 2, 3) and 1 <= exercise.minutes <= 30
    assert len(exercise.hints) == 2 and len(exercise.mistakes) <= 2
    assert name in exercise_names(exercise.notebook) and len(exercise_names(exercise.notebook)) in (3, 4)
    assert f"def {name}(" in exercise.stub and f"`{name}(" in exercise.task
    assert not exercise.has_bug or len(exercise.stub.strip().splitlines()) <= 8


def in_float32(value):
    if isinstance(value, tuple | list):
        return type(value)(map(in_float32, value))
    return np.float32(value) if np.asarray(value).dtype == float else value


HUGE = ("stable_softmax", "weights_with_dead_rows")  # with numbers that float32 cannot hold


@pytest.mark.parametrize("name", [name for name in OF_NUMBERS if name not in HUGE])
def test_float32_throughout_passes(name):
    def answer(*arguments):
        return in_float32(EXERCISES[name].reference()(*map(in_float32, arguments)))

    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        assert all(judging.judge(EXERCISES[name], answer, 5, seed=seed).passed for seed in SEEDS)


@pytest.mark.parametrize("name", EXERCISES)
@pytest.mark.usefixtures("no_repair")
def test_a_stub_is_not_tried(name):
    exercise = EXERCISES[name]
    renamed = exercise.stub.replace("exps", "powers").replace("scaled_scores", "s")  # the bug stays as it is
    for source in {exercise.stub, renamed if exercise.has_bug else exercise.stub}:
        result = check(name, compile_function(source, name))
        start = "The bug is still there: " if exercise.has_bug else "Not tried yet. Write the function"
        assert result.status == "not tried" and result.message.startswith(start)
    assert PROGRESS.summary() == "Exercises: 0 of 1 passed."
    assert (
        exercise.is_test or judged(name, "pass").message == "Your function returned None. Is the `return` line missing?"
    )
    assert judged(name, "raise NotImplementedError").status == judged(name, "return ...").status == "not tried"


@pytest.mark.parametrize("name", EXERCISES)
def test_an_input_that_is_changed_is_reported(name):
    exercise = EXERCISES[name]

    def answer(*arguments):
        right = exercise.reference()(*arguments)
        for argument in arguments:
            if isinstance(argument, list):
                argument[0] = argument[0] * 0 - 7
            elif isinstance(argument, np.ndarray):
                argument[...] = ~argument if argument.dtype == bool else argument * 0 - 7
        return right

    of_numbers = ("may_see_past", "online_softmax", "stream_mask", "rows_in_caches")
    can_change = name not in of_numbers and not exercise.is_test
    result = judging.judge(exercise, answer, 5, seed=1)
    assert result.status == ("changed" if can_change else "passed")
    assert not can_change or "but your function changed its input (" in result.message
    assert judging.judge(exercise, exercise.reference(), 5, seed=1).passed, "what it changed were copies"


# What never passes, never raises and never warns


class Unprintable:
    def __repr__(self):
        raise KeyError

    __array__ = __str__ = __repr__


ODD = {
    "least int64": lambda needed: np.full(needed.shape, -(2**63), dtype=np.int64),
    "nan": lambda needed: np.full(needed.shape, np.nan),
    "nothing": lambda needed: np.zeros(0),
    "an axis more": lambda needed: np.full((*needed.shape, 3), 7),
    "masked": lambda needed: np.ma.masked_equal(np.full(needed.shape, 7.0), 7),
    "a word": lambda needed: np.array("attention"),
    "rows of different lengths": lambda needed: [[1.0], [1.0, 2.0]],
    "a generator": lambda needed: (row for row in [needed]),
    "unprintable": lambda needed: Unprintable(),
    "what NumPy warns of": lambda needed: np.zeros(0).mean() + np.exp(needed * 1e6),
}


@pytest.mark.parametrize("name", OF_EACH_KIND)
@pytest.mark.usefixtures("plain")
def test_an_odd_answer_is_refused_without_an_error_or_a_warning(name):
    exercise = EXERCISES[name]
    for odd, make in ODD.items():

        def answer(*arguments, make=make):
            needed = exercise.reference()(*arguments)
            is_tuple = isinstance(needed, tuple)
            return tuple(make(np.asarray(part)) for part in needed) if is_tuple else make(np.asarray(needed))

        with warnings.catch_warnings(action="error"):
            result = judging.judge(exercise, answer, 5, seed=1)
        assert (not result.passed or exercise.is_test) and "Your code raised" not in result.message, odd
        assert repr(result) and result._repr_html_()


def test_an_unknown_exercise_and_what_is_no_function():
    assert check("scale_score", len).message.endswith("Did you mean 'scale_scores'?")
    assert check(len, "scale_scores").status == "unknown" and PROGRESS.asked == {}
    for odd in (None, 3, "scale_scores", [len], np.ones(3)):
        result = check("scale_scores", odd)
        assert result.status == "type" and "without brackets: `check('scale_scores', scale_scores)`" in result.message
    for function in (lambda: 1, lambda scores: scores, len, np.sqrt, dict):
        assert check("scale_scores", function).status in ("raised", "type", "mistake", "differs", "shape")


@pytest.mark.parametrize(("fails_in", "after"), [("run_case", 0), ("run_case", 3), ("judge", 0)])
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_fault_of_our_own_is_told_and_a_case_without_an_outcome_does_not_pass(monkeypatch, fails_in, after):
    calls, works = [], getattr(judging, fails_in)

    def breaks(*given):
        calls.append(given)
        return works(*given) if len(calls) <= after else 1 / 0

    monkeypatch.setattr(judging, fails_in, breaks)
    result = check("scale_scores", function_of("scale_scores", RIGHT))
    assert result.status == "broken" and "Your code is not to blame" in result.message


# What is said, and the case that shows it


@pytest.mark.parametrize(
    ("name", "body", "status", "words"),
    [
        ("scale_scores", "t = scores; return t / dk + d_k", "raised", "name 'dk' is not defined, at line 3, `return t"),
        ("scale_scores", "np.linalg.inv(scores[:1] / d_k)", "raised", "at line 2, `return np.linalg.inv(scores[:1] /"),
        ("scale_scores", "scores + np.ones((7, d_k))", "raised", " The shapes in this line are scores (1, 2)."),
        ("scale_scores", "f'{scores / d_k}'", "type", "a value of type str; it should return an array of numbers."),
        ("scale_scores", "scores / d_k + 0j", "type", "ndarray of shape (1, 2) and dtype complex128; it should retu"),
        ("scale_scores", "np.sin(np.sin(scores / d_k))", "differs", " at [0, 0]; it should be "),
        ("scale_scores", "if len(scores) < 2: return scores / d_k**0.5", "type", "Is there a branch without `return`?"),
        ("in_new_order", "weights[queries][:, keys] + output.sum()", "type", "2 values in this order: map, output"),
        ("may_see_past", "SOLUTION(n_queries, n_keys) * 1", "type", "should hold bool, that is, True or False"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("plain")
def test_an_answer_without_a_name_is_described(name, body, status, words):
    function = function_of(name, body)
    function.__globals__["SOLUTION"] = EXERCISES[name].reference()
    result = judging.judge(EXERCISES[name], function, 5, seed=1)
    assert result.status == status and words in result.message, result


@pytest.mark.parametrize("name", OF_NUMBERS)
@pytest.mark.usefixtures("plain")
def test_the_smallest_case_that_fails_can_be_taken_into_the_hand(name):
    exercise = EXERCISES[name]
    result = judging.judge(exercise, lambda *_: np.full((2, 3), 7.5), 5, seed=1)
    sizes = [size_of(case.arguments) for case in judging.draw_trial(exercise, 1).cases if not case.hard]
    assert size_of(result.inputs) == min(sizes)
    np.testing.assert_equal(result.needed, exercise.reference()(*result.inputs))
    assert len(exercise.parts) > 1 or np.array_equal(result.yours, np.full((2, 3), 7.5))
    assert re.findall(r"^  (\w+) = ", result.example, re.MULTILINE) == exercise.argument_names()
    assert result.example.endswith(f'run r = check("{name}", {name}) and then look at r.inputs and r.needed.')


def test_what_is_done_to_the_case_does_not_change_the_next_check():
    function = function_of("scale_scores", ROOT_MISSING)
    result = check("scale_scores", function)
    result.inputs[0][:] = 7
    assert check("scale_scores", function).example == result.example


def test_the_entries_that_differ_have_a_star_and_can_be_told_apart_and_html_is_escaped():
    exercise = EXERCISES["stable_softmax"]
    rounded = judging.judge(exercise, lambda *given: exercise.reference()(*given).round(4), 5, seed=1)
    yours, right = re.search(r"is ([\d.]+) at \[.*\]; it should be ([\d.]+)\.", str(rounded)).groups()
    assert yours != right, "never 0.018 and 0.018"
    example = judged("may_see_past", "np.tri(n_queries, n_keys, dtype=bool)").example
    assert "  n_queries = 1\n  n_keys = 2\n" in example
    assert "yours:  [[True   False*]]" in example and "needed: [[True True]]" in example
    assert "*" not in judged("may_see_past", "np.ones((2, 9), dtype=bool)").example, "the shapes differ"
    page = judged("scale_scores", "raise ValueError(f'<b>{scores}</b>', d_k)")._repr_html_()
    assert "<b>[" not in page and "&lt;b&gt;[" in page


@pytest.mark.usefixtures("patient")
def test_the_place_is_told_first_and_what_puts_it_right_when_it_fails_again():
    body = "size = scores.shape[-1]; return scores / np.sqrt(size)"
    first, second = judged("scale_scores", body).message, judged("scale_scores", body).message
    assert "line 2" in first and "`size = scores.shape[-1]`" in first and "size = d_k" not in first
    assert second.startswith(first) and "`size = d_k`" in second
    assert judged("scale_scores", RIGHT).passed and judged("scale_scores", body).message == first, "told anew"
    other = judged("scale_scores", "size = d_k + 1; return scores / np.sqrt(size)").message
    assert "`size = d_k + 1`" in other and "`size = d_k`" not in other, "another place"


def test_what_a_test_lacks_has_no_place():
    rows = "rng = np.random.default_rng(0); q, k = rng.normal(size=2), rng.normal(size=2)"
    body = f"{rows}; return np.isclose(place(q, 5) @ place(k, 2), place(q, 12) @ place(k, 9))"
    message = judged("tells_the_distance", body).message
    assert "it ignores the position" in message and "line" not in message


ONE_LINE = [name for name in EXERCISES if len(edits.tree_of(EXERCISES[name].reference()).body) == 1]


@pytest.mark.parametrize("name", ONE_LINE)  # of a longer solution, a quote is never the whole
def test_feedback_on_a_wrong_answer_never_holds_the_whole_solution(name):
    exercise, tree = EXERCISES[name], edits.tree_of(EXERCISES[name].reference())
    (solution,) = (ast.unparse(line).removeprefix("return ") for line in tree.body)
    bodies = {}  # an answer for each kind of change; what it holds itself may be quoted
    for edit in edits.find_edits(tree):
        with edit.applied():
            bodies.setdefault(edit.kind, ast.unparse(tree.body[0]))
    rows = [row[3] for row in rows_of("answers.tsv") if row[1] == name]
    answers = [function_of(name, body) for body in (*bodies.values(), *rows) if solution not in body]
    for answer in answers:
        for _ in range(2):  # the second time, more is said
            result = judging.judge(exercise, answer, 5, seed=1)
            assert result.passed or solution not in str(result), result
    assert len(answers) > 5


def test_prints_are_seen_once(capsys):
    for body in (f"print('called'); {RIGHT}", "print('called'); return scores", ROOT_MISSING):
        judged("scale_scores", body)
    assert capsys.readouterr().out == "called\n" * 2


# From one check to the next


def test_cases_stay_until_an_answer_passes_and_are_the_same_with_a_seed():
    def seen(answer, seed=None):
        given = []

        def noted(*case):
            given.append(str(case))
            return answer(*case)

        judging.judge(EXERCISES["scale_scores"], noted, 5, seed=seed)
        return given

    right, wrong = (function_of("scale_scores", body) for body in (RIGHT, ROOT_MISSING))
    first, again, passed, anew = seen(wrong), seen(wrong), seen(right), seen(right)
    assert first[: len(passed)] == again[: len(passed)] == passed
    assert len(set(anew) - set(passed)) >= 4 and seen(right, 5) == seen(right, 5)
