"""Hidden cases that cannot be met by chance: orders, ties, wrong functions, numbers that float32 holds."""

import numpy as np
import pytest
from answers import said

from attention_lib.exercises import EXERCISES
from attention_lib.exercises.diagnose import diagnose, known_outcomes
from attention_lib.exercises.exercise import compile_function, direct

NOTEBOOKS = ("01", "02", "03", "04", "05", "06")
#: Answers of floats, of the notebooks whose exercises ask for no float64.
OF_FLOATS = [
    name
    for name, exercise in EXERCISES.items()
    if exercise.notebook[:2] in NOTEBOOKS
    and exercise.blanks is None
    and exercise.play is direct
    and not exercise.may_return_none
    and not any(part.dtype == bool for part in known_outcomes(name).expected[0].parts)
]


@pytest.mark.parametrize("seed", range(5))
def test_an_order_is_not_its_own_inverse(seed):
    for _, _, *orders in EXERCISES["in_new_order"].cases(np.random.default_rng(seed)):
        assert all((order[order] != np.arange(len(order))).any() for order in orders)
        assert list(orders[0]) != list(orders[1])


def test_scores_are_tied_in_every_pair_that_may_be_taken():
    fixed = [case.arguments[0] for case in known_outcomes("divisor_of").cases]
    for i, j in ((0, 1), (0, -1), (1, 2), (-2, -1), (0, 2)):
        assert any(scores[i] == scores[j] for scores in fixed if len(scores) > 2)


@pytest.mark.parametrize("name", OF_FLOATS)
def test_float32_throughout_is_right(name):
    exercise = EXERCISES[name]

    def singly(*arguments):
        floats = [isinstance(a, np.ndarray) and a.dtype == np.float64 for a in arguments]
        given = [a.astype(np.float32) if is_float else a for a, is_float in zip(arguments, floats)]
        answer = exercise.reference()(*given)
        return tuple(map(np.float32, answer)) if isinstance(answer, tuple) else np.float32(answer)

    with np.errstate(all="ignore"):
        results = [diagnose(exercise, singly, 5, seed=seed) for seed in range(3)]
    assert [str(result) for result in results if not result.passed] == []


def test_float32_does_not_excuse_a_finite_fill():
    solution = EXERCISES["weights_with_dead_rows"].solution
    solution = solution.replace("(mask, scaled_scores,", "(mask, np.float32(scaled_scores),")
    wrong = solution.replace("-np.inf", "np.float32(-1e4)")
    right, filled = (compile_function(text, "weights_with_dead_rows") for text in (solution, wrong))
    with np.errstate(all="ignore"):
        assert diagnose(EXERCISES["weights_with_dead_rows"], right, 5, seed=1).passed
        assert not diagnose(EXERCISES["weights_with_dead_rows"], filled, 5, seed=1).passed


def test_a_test_that_returns_an_array_is_asked_for_one_verdict():
    for name, body in (
        ("splits_heads", "return split(np.eye(4), 2) == 0"),
        ("makes_an_attention_map", "return weights_of(np.eye(3)) > 0"),
    ):
        assert "one True or False" in str(said(name, body))


def test_a_mask_of_int_is_not_said_to_stand_in_another_order():
    body = EXERCISES["pad_on_the_left"].solution.strip().split("\n    ", 1)[1]
    assert said("pad_on_the_left", body).passed
    *lines, last = body.splitlines()
    assert last.strip().startswith("return ")
    as_int = "\n".join(
        [*lines, "    mask, positions = " + last.strip().removeprefix("return "), "    return mask * 1, positions"]
    )
    result = said("pad_on_the_left", as_int)
    assert (result.status, result.mistake) == ("type", None)


def test_a_branch_of_zeros_is_not_said_to_be_all_zeros():
    body = "return np.zeros(mask.shape) if not mask.any(axis=1).all() else "
    rest = "np.exp(scaled_scores) * mask / (np.exp(scaled_scores) * mask).sum(1, keepdims=True)"
    assert said("weights_with_dead_rows", body + rest).mistake not in (None, "all_zeros")


OF_INTEGERS = [name for name, exercise in EXERCISES.items() if exercise.integers]


@pytest.mark.parametrize("name", OF_INTEGERS)
def test_an_answer_cut_off_where_ints_come_is_refused_and_named(name):
    exercise = EXERCISES[name]

    def cut_off(*arguments):
        answer = exercise.reference()(*arguments)
        if any(isinstance(each, np.ndarray) and each.dtype.kind == "f" for each in arguments):
            return answer
        return tuple(map(whole, answer)) if isinstance(answer, tuple) else whole(answer)

    def whole(part):
        return np.asarray(part).astype(int)

    assert any(each.dtype.kind == "i" for case in known_outcomes(name).cases for each in arrays_in(case.arguments))
    with np.errstate(all="ignore"):
        assert diagnose(exercise, exercise.reference(), 5, seed=1).passed
        if exercise.play is direct and name not in WITH_SHARES:
            assert diagnose(exercise, cut_off, 5, seed=1).mistake == "whole_part"


WITH_SHARES = ("what_arrives", "query_gradient")  # their weights stay floats


def arrays_in(arguments):
    return [each for each in arguments if isinstance(each, np.ndarray)]


def test_division_in_place_which_numpy_refuses_on_ints_is_right():
    body = "scores = Q @ K.T; scores /= np.sqrt(Q.shape[1]); e = np.exp(scores)"
    body = body.replace("; ", "\n    ")
    assert said("attention_from_memory", f"{body}\n    return e / e.sum(1, keepdims=True) @ V").passed


@pytest.mark.parametrize("fill", ["-1e2", "-1e4", "-1e8"])
def test_a_fill_above_what_is_allowed_is_refused_by_name(fill):
    lines = EXERCISES["mended_mask"].solution.strip().replace("-np.inf", fill).split("\n    ", 1)[1]
    assert said("mended_mask", lines).mistake == "finite_fill"


@pytest.mark.parametrize("least", [0.02, 0.1, 0.2])
def test_a_least_temperature_is_refused_by_name(least):
    body = f"z = logits / max(temperature, {least})\n    e = np.exp(z - z.max(axis=1, keepdims=True))"
    result = said("shares_at_temperature", f"{body}\n    return e / e.sum(axis=1, keepdims=True)")
    assert result.mistake in ("temperature_raised", "piece_wrong")
    assert not result.passed
    assert least > 0.05 or result.mistake == "piece_wrong"


@pytest.mark.parametrize(
    ("subtracted", "mistake"),
    [
        ("logits.max(axis=-1, keepdims=True)", "undivided_largest"),
        ("z.mean(axis=-1, keepdims=True)", "mean_subtracted"),
        ("z.min(axis=-1, keepdims=True)", "smallest_subtracted"),
        ("z.argmax(axis=-1)[:, None]", "place_subtracted"),
        ("0", "softmax_not_stable"),
        ("z.max()", "largest_of_everything"),
    ],
)
def test_what_is_subtracted_before_exp_is_told_by_the_rows_that_fail(subtracted, mistake):
    body = f"z = logits / temperature\n    e = np.exp(z - {subtracted})\n    return e / e.sum(axis=-1, keepdims=True)"
    assert said("shares_at_temperature", body).mistake == mistake
    body = "logits = Q @ K.T\n    " + body.replace("temperature", "np.sqrt(Q.shape[1])") + " @ V"
    assert said("mended_largest", body).mistake == (None if subtracted == "z.max()" else mistake)  # None: as given


@pytest.mark.parametrize(
    ("keys", "mistake"),
    [
        ("k[:] = k @ turn\n    keys = np.vstack([K, k])", "changes_input"),
        ("new = np.empty_like(k)\n    new[:] = k @ turn\n    keys = np.vstack([K, new])", "cut_off_by_ints"),
    ],
)
def test_what_is_cut_off_on_the_way_is_told_apart_from_an_input_that_is_changed(keys, mistake):
    turn = "position = len(K)\n    cos, sin = np.cos(position), np.sin(position)"
    turn += "\n    turn = np.array([[cos, sin], [-sin, cos]])\n    q = q @ turn"
    assert said("turned_step", f"{turn}\n    {keys}\n    return keys @ q").mistake == mistake
