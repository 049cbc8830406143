"""The checks are tested themselves: right answers pass, each wrong one is refused with its own name and no other."""

import collections
import time
import warnings

import numpy as np
import pytest
from mutants import mutants
from samples import SAMPLES
from wrong_answers import ANSWERS

import attention_lib
from attention_lib.exercises import EXERCISES, check, exercise_cells, exercise_names, rules_by_source
from attention_lib.exercises.compare import same
from attention_lib.exercises.describe import number
from attention_lib.exercises.diagnose import Known, diagnose, first_wrong, known_outcomes, whole_finding
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.loops import loops_taken
from attention_lib.exercises.progress import PROGRESS
from attention_lib.exercises.runner import Returned, run_cases, run_trusted
from attention_lib.mistakes.recipes import AND, RECIPES, RIGHT, attend, multi_head, two_at_once
from attention_lib.mistakes.said_by_rule import BY_RULE
from attention_lib.mistakes.sentences import MISTAKES

NAMES = [name for name, exercise in EXERCISES.items() if exercise.blanks is None]  # test_kinds.py has the others
WHAT_CAME = {"runs_only_where", "index_error", "reshape_error"}  # in words: another name may go before it
COUNTS: collections.Counter[str] = collections.Counter()


@pytest.fixture(scope="module", autouse=True)
def print_counts(request):
    yield
    counts = ", ".join(f"{COUNTS[key]} {key}" for key in sorted(COUNTS))
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(f"\n{len(NAMES)} exercises: {counts}")


def test_a_zero_has_no_sign():
    assert "needs 0." in str(check("row_entropy", lambda weights: -(weights * np.log(weights)).sum(axis=-1)))
    assert number(-0.0) == number(0.0) == "0" and number(-0.25) == "-0.25"


# The records


def test_every_notebook_has_four_to_six():
    asked = [exercise.notebook for name, exercise in EXERCISES.items() if name not in SAMPLES]
    per_notebook = collections.Counter(asked)
    assert {notebook[:2] for notebook in per_notebook} >= {"01", "02", "03", "04", "05", "06"}
    assert all(4 <= n <= 6 for n in per_notebook.values()), per_notebook


@pytest.mark.parametrize("name", NAMES)
def test_record_is_complete(name):
    exercise = EXERCISES[name]
    assert not hasattr(attention_lib, name), "a stub of this name would hide the library's function"
    assert exercise.difficulty in (1, 2, 3)
    assert 1 <= exercise.minutes <= 30
    assert len(exercise.hints) == 2
    assert len(exercise.others) >= 2
    assert len(exercise.wrong) >= 2
    assert {name for mistake in exercise.wrong for name in mistake.split(AND)} <= set(MISTAKES)
    assert f"def {name}(" in exercise.stub
    assert f"`{name}(" in exercise.spec


def test_no_sentence_speaks_of_an_output_projection_that_is_not_there():
    for name, exercise in EXERCISES.items():
        if name not in SAMPLES and "W_O" not in exercise.spec + exercise.stub:
            assert [mistake for mistake in exercise.wrong if "W_O" in str(MISTAKES.get(mistake))] == [], name


def test_every_mistake_is_used():
    used = {name for exercise in EXERCISES.values() for mistake in exercise.wrong for name in mistake.split(AND)}
    used |= {"changes_input"} | set(BY_RULE) | {"softmax_over_heads", "after_softmax"}  # rules name these too
    assert used == set(MISTAKES)
    assert set(RECIPES) <= used


@pytest.mark.parametrize("name", NAMES)
def test_stub_runs_and_counts_as_not_tried(name):
    exercise = EXERCISES[name]
    result = diagnose(exercise, compile_function(exercise.stub, name), 5)
    assert result.status == "not tried"
    assert exercise.has_bug or repr(result) == (
        f"{name}: Not tried yet. Write the function in the cell above, run it, then run this cell again."
    )


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cases_differ_from_the_example_of_the_spec_in_number(name):
    cases, expected = known_outcomes(name).cases, known_outcomes(name).expected
    assert len(cases) >= 4
    assert all(isinstance(outcome, Returned) for outcome in expected), "the solution fails on a case"
    assert len({tuple(part.tobytes() for part in outcome.parts) for outcome in expected}) >= (
        2 if EXERCISES[name].may_return_none else 3
    ), "cases are too alike"


# Right answers pass


@pytest.mark.parametrize("name", NAMES)
def test_solution_in_the_notebook_passes(name):
    folded = exercise_cells(name)[3][1]
    source = folded.split("```python\n")[1].split("\n```")[0]
    assert diagnose(EXERCISES[name], compile_function(source, name), 5).passed
    COUNTS["solutions accepted"] += 1


def test_right_without_the_loops_that_were_asked_for_passes_and_is_told_so():
    name = "weights_by_double_loop"
    broadcast = """
def weights_by_double_loop(Q, K):
    exps = np.exp((Q[:, None] * K[None]).sum(axis=-1) / np.sqrt(Q.shape[1]))
    return exps / exps.sum(axis=-1, keepdims=True)
"""
    result = diagnose(EXERCISES[name], compile_function(broadcast, name), 5)
    assert result.passed
    assert " cases. It takes fewer than 2 loops. The loops are the" in result.message


@pytest.mark.parametrize("product", ["Q @ K.T", "np.dot(Q, K.T)", "Q.dot(K.T)", "np.einsum('id,jd->ij', Q, K)"])
@pytest.mark.parametrize(
    "idle", ["", "    for i in range(len(Q)):\n        for j in range(len(K)):\n            i + j\n"]
)
def test_a_matrix_product_where_loops_are_the_task_is_refused(product, idle):
    name = "weights_by_double_loop"
    source = (
        f"def {name}(Q, K):\n{idle}    exps = np.exp({product} / np.sqrt(Q.shape[1]))\n"
        "    return exps / exps.sum(axis=-1, keepdims=True)"
    )
    assert diagnose(EXERCISES[name], compile_function(source, name), 5).mistake == "matrix_product"


LOOPED = {
    "for": "rows = []\n    for q in Q:\n        rows.append(one(q, K, V))\n    return np.array(rows)",
    "comprehension": "return np.array([one(q, K, V) for q in Q])",
    "map": "return np.array(list(map(lambda q: one(q, K, V), Q)))",
    "vectorize": "return np.vectorize(lambda q: one(q, K, V), signature='(d)->(v)')(Q)",
    "apply_along_axis": "return np.apply_along_axis(one, 1, Q, K, V)",
}


@pytest.mark.parametrize("way", LOOPED)
def test_right_with_a_loop_where_none_was_asked_for_passes_and_is_told_so(way):
    source = f"""
def one(q, K, V):
    exps = np.exp(K @ q / np.sqrt(len(q)))
    return exps / exps.sum() @ V

def attention_of(Q, K, V):
    {LOOPED[way]}
"""
    result = diagnose(EXERCISES["attention_of"], compile_function(source, "attention_of"), 5)
    assert result.passed and "It loops over the queries." in result.message


def test_a_loop_over_three_projections_is_no_loop_over_heads():
    source = """
def packed_heads(X, W_Q, W_K, W_V, W_O, h):
    Q, K, V = [(X @ W).reshape(len(X), h, -1).swapaxes(0, 1) for W in (W_Q, W_K, W_V)]
    e = np.exp(Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]))
    out = e / e.sum(-1, keepdims=True) @ V
    return out.swapaxes(0, 1).reshape(len(X), -1) @ W_O
"""
    result = diagnose(EXERCISES["packed_heads"], compile_function(source, "packed_heads"), 5)
    assert result.passed and result.message.endswith(" cases.")


@pytest.mark.parametrize("name", NAMES)
def test_no_solution_is_remarked_on(name):
    exercise = EXERCISES[name]
    assert diagnose(exercise, exercise.reference(), 5).message.endswith(" cases.")
    assert exercise.loops is None or "loop" in exercise.spec.lower(), "the reader is not told"
    assert (exercise.loops is None) == (exercise.grown is None)


def test_loops_of_a_function_without_source_are_counted_too():
    nameless = eval("lambda Q, K: [[a @ b for a in Q] for b in K]", {"np": np})
    assert loops_taken(EXERCISES["weights_by_double_loop"], nameless) == 2


@pytest.mark.parametrize("name", NAMES)
def test_other_ways_pass(name):
    for other in EXERCISES[name].others:
        result = diagnose(EXERCISES[name], other, 5)
        assert result.passed, result
        COUNTS["other ways accepted"] += 1


@pytest.mark.parametrize("name", NAMES)
def test_float32_inside_passes(name):
    exercise = EXERCISES[name]

    def rounded(*arguments):
        answer = exercise.reference()(*arguments)
        return answer if not isinstance(answer, np.ndarray) or answer.dtype != float else answer.astype(np.float32)

    assert diagnose(exercise, rounded, 5).passed


# Wrong answers are refused by name


@pytest.mark.parametrize("name", NAMES)
def test_each_known_mistake_is_named_and_no_other(name):
    exercise = EXERCISES[name]
    met: list[tuple[str, list]] = []
    for mistake, form in exercise.wrong_forms():
        if AND in mistake:
            continue
        result = diagnose(exercise, form, 5, seed=1)
        named = (
            "never_called" if exercise.may_return_none else mistake
        )  # these return True or False, and look at nothing
        assert (result.status, result.mistake) == ("mistake", named), result
        assert MISTAKES[named].title in result.message
        known = known_outcomes(name)
        outcomes = run_trusted(exercise, form, [case.arguments for case in known.cases])
        assert not [other for other, theirs in met if other != mistake and all(map(same, outcomes, theirs))]
        met.append((mistake, outcomes))
        shown = [
            isinstance(found, Returned) and not same(found, right) for found, right in zip(outcomes, known.expected)
        ]
        assert any(shown), "a mistake that shows only in errors would give its name to every error"
        COUNTS["known mistakes refused by name"] += 1


@pytest.mark.parametrize("name", [name for name in NAMES if any(AND in mistake for mistake in EXERCISES[name].wrong)])
def test_two_mistakes_at_once_are_both_named(name):
    named = 0
    for mistake, form in EXERCISES[name].wrong_forms():
        if AND in mistake:
            result = diagnose(EXERCISES[name], form, 5)
            assert result.status == "mistake"
            if result.mistake == mistake:
                assert all(MISTAKES[one].title in result.message for one in mistake.split(AND))
                named += 1
    assert named >= 2
    COUNTS["pairs of mistakes named both"] += named


@pytest.mark.parametrize("name", NAMES)
def test_mistakes_stay_apart_on_other_numbers(name):
    exercise = EXERCISES[name]
    cases = [case.arguments for seed in (1, 2) for case in exercise.draw(np.random.default_rng(seed))]
    right = run_trusted(exercise, exercise.reference(), cases)
    for _, form in exercise.wrong_forms():
        differs = (not same(run_trusted(exercise, form, [case])[0], one) for case, one in zip(cases, right))
        assert any(differs)


@pytest.mark.parametrize(
    ("name", "mistake", "source"),
    [(name, *answer) for name, answers in ANSWERS.items() for answer in answers],
)
def test_wrong_answers_in_learners_words(name, mistake, source):
    result = diagnose(EXERCISES[name], compile_function(source, name), 5)
    assert result.mistake == mistake, result
    COUNTS["learners' wrong answers refused by name"] += 1


def test_every_exercise_has_a_wrong_answer_in_learners_words():
    assert set(ANSWERS) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("wrong_forms_once")
def test_mutants_of_the_solution_are_refused_and_not_misnamed(name, monkeypatch):
    monkeypatch.setattr(rules_by_source, "TRIES", 0)  # test_rules_by_source.py looks for the changed piece
    exercise = EXERCISES[name]
    fresh = [case for seed in (1, 2) for case in exercise.draw(np.random.default_rng(seed))]
    arguments = [case.arguments for case in fresh]
    right = Known(fresh, run_trusted(exercise, exercise.reference(), arguments))
    refused = 0
    for source in mutants(exercise.solution):
        mutant = compile_function(source, name)
        result = diagnose(exercise, mutant, 2, seed=3)
        outcomes = run_cases(exercise, mutant, arguments, 2)
        first = first_wrong(exercise, outcomes, right.expected)
        if first is not None:
            assert not result.passed, f"accepted, but it differs on other numbers:\n{source}"
            refused += 1
        if result.mistake and result.mistake != "changes_input":
            again = whole_finding(exercise, mutant, outcomes, right, first, 2, seed=5)
            assert again is not None, f"called {result.mistake}, but not with other numbers:\n{source}"
            came = {result.mistake, again.mistake} & WHAT_CAME
            assert again.mistake == result.mistake or came, f"called {result.mistake}, then {again.mistake}:\n{source}"
            COUNTS["mutants named"] += 1
        COUNTS["mutants refused" if not result.passed else "equivalent mutants accepted"] += 1
    assert refused >= 3


# What a check says when something else is wrong


def answer(source: str, name: str = "scale_scores"):
    return diagnose(EXERCISES[name], compile_function(f"def {name}{source}", name), 5)


@pytest.mark.parametrize("value", ["None", "...", "NotImplemented"])
def test_not_tried(value):
    assert answer(f"(s, d):\n    return {value}").status == "not tried"


def test_not_implemented_error_is_not_tried():
    assert answer("(s, d):\n    raise NotImplementedError").status == "not tried"


def test_forgotten_return():
    assert answer("(s, d):\n    s / d ** 0.5").message == "It returned None. Is the `return` line missing?"


def test_exception_names_type_and_line():
    result = answer("(s, d):\n    t = s\n    return t / np.sqrt(dk)")
    assert result.status == "raised"
    assert "NameError" in result.message
    assert "line 3: return t / np.sqrt(dk)" in result.message


def test_exception_inside_numpy_is_placed_in_the_learners_line():
    result = answer("(s, d):\n    return np.linalg.inv(np.ones((2, 3)))")
    assert "LinAlgError" in result.message
    assert "line 2: return np.linalg.inv" in result.message


def test_an_exception_that_cannot_say_what_it_is_does_not_pass():
    class Broken(Exception):
        def __str__(self):
            raise KeyError

    def scale_scores(scores, d_k):
        raise Broken

    result = diagnose(EXERCISES["scale_scores"], scale_scores, 5)
    assert result.status == "raised" and "Your code raised Broken, at line" in result.message


@pytest.mark.parametrize("call", ["exit()", "raise SystemExit", "raise KeyboardInterrupt"])
def test_leaving_python_does_not_leave_the_notebook(call):
    assert answer(f"(s, d):\n    {call}").status == "raised"


@pytest.mark.parametrize("value", ["'text'", "{1: 2}", "len", "[[1, 2], [3]]", "1j", "object()", "{1, 2}"])
def test_wrong_type(value):
    result = answer(f"(s, d):\n    return {value}")
    assert result.status == "type", result
    assert "array of numbers" in result.message


def test_an_array_of_anything_but_numbers_is_named_with_its_dtype():
    assert "type ndarray of dtype complex128" in answer("(s, d):\n    return s / d ** 0.5 + 0j").message


def test_a_trace_in_place_of_an_array():
    source = "(Q, K, V):\n    import attention_lib\n    return attention_lib.scaled_dot_product_attention(Q, K, V)"
    result = answer(source, "attention_of")
    assert "whole AttentionTrace" in result.message


def test_one_thing_in_place_of_two():
    result = answer("(blocks):\n    return sum(map(sum, blocks))", "online_softmax")
    assert result.status == "type"
    assert "2 things in this order: largest, total" in result.message


def test_numbers_in_place_of_bool():
    result = answer("(n, m):\n    return np.tri(n, m, m - n)", "may_see_past")
    assert result.status == "type"
    assert "needs bool" in result.message


def test_wrong_shape():
    result = answer("(s, d):\n    return (s / d ** 0.5).ravel()")
    assert result.mistake == "reshaped"
    assert "has shape (2,); it needs (1, 2), that is (n_queries, n_keys)." in result.example
    assert answer("(s, d):\n    return np.ones((7, 5))").mistake == "same_answer_always"
    assert answer("(s, d):\n    return np.ones((7, 5)) * s.sum() ** 3 * np.sin(d)").status == "shape"


def test_nan():
    result = answer("(s, d):\n    return s / d ** 0.5 * np.nan")
    assert result.mistake == "nan_found"
    assert "nan at [0, 0]" in result.example


def test_an_unknown_mistake_is_described_and_not_named():
    result = answer("(s, d):\n    return np.sin(np.sin(s)) / d ** 0.5")
    assert (result.status, result.mistake) == ("differs", None)
    assert "at [0, 0]; it needs" in result.message
    assert result.example.startswith("Case 1 of 7, the smallest that fails:\n  scores = [[")


def test_a_rounded_answer_is_told_from_the_right_one():
    """Never "is 0.018; it needs 0.018"."""
    softmax_rows = EXERCISES["softmax_rows"].reference()
    result = diagnose(EXERCISES["softmax_rows"], lambda scores: softmax_rows(scores).round(4), 5)
    assert "The answer is 0.018 at [0, 0]; it needs 0.01798621." in result.example


def test_right_until_the_last_case():
    result = answer("(s, d):\n    return s / d ** 0.5 + (d == 64)")
    assert not result.passed
    assert "Case 6 of 7" in result.example


def test_changed_input_is_named():
    result = answer("(s, d):\n    s /= d ** 0.5\n    return s")
    assert (result.status, result.mistake) == ("changed", "changes_input")
    assert "changed its input (scores)" in result.message


@pytest.mark.parametrize("entry", ["[0.0]", "np.zeros(1)", "None"])
def test_another_thing_put_into_a_list_it_was_given_is_named_too(entry):
    one_head_after_the_other = EXERCISES["heads_one_by_one"].reference()

    def answer(*given):
        right = one_head_after_the_other(*given)
        for argument in given:
            if isinstance(argument, list):
                argument[0] = eval(entry)
        return right

    result = diagnose(EXERCISES["heads_one_by_one"], answer, 5)
    assert (result.status, result.mistake) == ("changed", "changes_input")


def test_a_changed_input_does_not_reach_the_next_check():
    answer("(s, d):\n    s *= 0\n    return s")
    assert diagnose(EXERCISES["scale_scores"], EXERCISES["scale_scores"].reference(), 5).passed


def test_html_is_escaped():
    result = answer("(s, d):\n    raise ValueError('<b>bold</b>')")
    assert "<b>bold" not in result._repr_html_()
    assert "&lt;b&gt;bold" in result._repr_html_()


def test_numpys_warnings_do_not_fill_the_notebook():
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        answer("(s, d):\n    return np.zeros((0, 2)).mean(axis=0) + np.exp(s * 1e6)")
    assert heard == []


def test_an_answer_kept_by_the_learner_may_be_used_again():
    room = np.zeros(100)

    def scale_scores(scores, d_k):
        answer = room[: scores.size].reshape(scores.shape)  # the same memory in every case
        answer[:] = scores / np.sqrt(d_k)
        return answer

    assert diagnose(EXERCISES["scale_scores"], scale_scores, 5).passed


# Loops without an end


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n        pass",
        "while True:\n        try:\n            s = s + 1\n        except Exception:\n            pass",
        "n = 0\n    while True:\n        try:\n            n = n + 1\n        except:\n            pass",
    ],
)
def test_endless_loop(body):
    function = compile_function(f"def scale_scores(s, d):\n    {body}", "scale_scores")
    start = time.monotonic()
    result = diagnose(EXERCISES["scale_scores"], function, time_limit=0.2)
    assert time.monotonic() - start < 2
    assert result.status == "time up"
    assert "No answer after 0.2 seconds, at line" in result.message


@pytest.mark.parametrize("swallows", [0, 1, 3])
def test_an_endless_loop_is_ended(swallows):
    ticks = []

    def scale_scores(s, d):
        for _ in range(swallows):
            try:
                while True:
                    ticks.append(1)
            except BaseException:
                continue
        while True:
            ticks.append(1)

    diagnose(EXERCISES["scale_scores"], scale_scores, time_limit=0.1)
    stopped_at = len(ticks)
    np.random.default_rng(0).standard_normal((200, 200)) @ np.ones((200, 200))
    assert len(ticks) == stopped_at


def test_recursion_without_end():
    assert "RecursionError" in answer("(s, d):\n    return scale_scores(s, d)").message


# check itself


@pytest.fixture
def clean_progress(monkeypatch):
    monkeypatch.setattr(PROGRESS, "entries", {})


def test_check_records_progress(clean_progress):
    check("scale_scores", lambda scores, d_k: scores / d_k**1 / 2)  # its stub
    assert PROGRESS.summary() == "Exercises: 0 of 1 passed."
    check("scale_scores", lambda scores, d_k: scores / d_k)
    assert PROGRESS.summary() == "Exercises: 0 of 1 passed. Look again at: Find the bug: the scale."
    check("scale_scores", lambda scores, d_k: scores / d_k**0.5)
    assert PROGRESS.summary() == "Exercises: 1 of 1 passed."


def test_unknown_exercise(clean_progress):
    result = check("scale_score", len)
    assert result.message == "There is no exercise called 'scale_score'. Did you mean 'scale_scores'?"
    assert check(len, "scale_scores").status == "unknown"
    assert PROGRESS.entries == {}


def test_the_result_in_place_of_the_function(clean_progress):
    result = check("scale_scores", np.ones(3))
    assert "without brackets after it: check('scale_scores', scale_scores)" in result.message


def test_names_of_one_notebook():
    assert exercise_names("02_scaling") == [name for name in NAMES if EXERCISES[name].notebook == "02_scaling"]
    assert exercise_names("no such notebook") == []


# The recipes that mistakes are made from


def test_the_recipe_without_a_mistake_is_the_library():
    rng = np.random.default_rng(5)
    Q, K, V = rng.standard_normal((2, 3, 4)), rng.standard_normal((2, 5, 4)), rng.standard_normal((2, 5, 2))
    mask = rng.random((3, 5)) < 0.6
    mask[1] = False  # a dead row
    trace = attention_lib.scaled_dot_product_attention(Q, K, V, mask)
    np.testing.assert_allclose(attend(RIGHT, Q, K, V, mask), trace.output)


def test_two_mistakes_in_one_step_are_no_pair():
    assert two_at_once("not_scaled", "scaled_by_d_k") is None
    assert two_at_once("not_scaled", "mask_ignored") is not None


def test_the_recipe_with_heads_is_the_library():
    rng = np.random.default_rng(6)
    X, W_O = rng.standard_normal((4, 6)), rng.standard_normal((6, 5))
    W_Q, W_K, W_V = rng.standard_normal((3, 6, 6))
    maps, output = multi_head(RIGHT, X, W_Q, W_K, W_V, W_O, 3, attention_lib.causal_mask(4))
    trace = attention_lib.MultiHeadAttention(W_Q, W_K, W_V, W_O, 3)(X, is_causal=True)
    np.testing.assert_allclose(output, trace.output)
    np.testing.assert_allclose(maps.weights, trace.heads.weights)
