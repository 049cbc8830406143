"""A learner's test that fails gets a reason: the place that mends it, the promise it forgets, the property it sees."""

import numpy as np
import pytest
from answers import said

from attention_lib.exercises import EXERCISES
from attention_lib.exercises.rules_of_loosening import all_near, near, unlike

ROWS = "q, k = np.array([0.51, 1.47]), np.array([1.03, -0.62])\n    before = place(q, 3) @ place(k, 1)\n    "
MEASURED = EXERCISES["goes_back_right"].solution.strip().split("\n    ", 1)[1]
MAP = "s = np.array([[1.0, 3.0, 2.0], [-1.0, 0.0, 4.0]])\n    w = weights_of(s)\n    "
SAID = {
    "or": ("tells_the_distance", ROWS + "stays = np.isclose(place(q, 13) @ place(k, 11), before)\n"
           "    return bool(stays or not np.isclose(place(q, 13) @ place(k, 1), before))", "or_for_and",
           "line 5, `stays or"),
    "any": ("tells_the_distance", ROWS + "promises = [np.isclose(place(q, 13) @ place(k, 11), before),\n"
            "        not np.isclose(place(q, 13) @ place(k, 1), before)]\n    return any(promises)", "any_for_all",
            "line 6, `any(promises)`"),
    "exact": ("tells_the_distance",
              ROWS + "stays = all(place(q, 3 + s) @ place(k, 1 + s) == before for s in range(1, 30))\n"
              "    return bool(stays and place(q, 4) @ place(k, 1) != before)", "compared_exactly",
              "line 4, `place(q, 3 + s) @ place(k, 1 + s) == before`"),
    "measured": ("goes_back_right", MEASURED.replace("np.allclose(", "np.array_equal(").replace(", atol=1e-6", ""),
                 "compared_exactly", "small step of a measurement"),
    "refused": ("tells_the_distance", ROWS + "stays = np.allclose(place(q, 3), place(q, 13))\n"
                "    return bool(stays and not np.isclose(place(q, 13) @ place(k, 1), before))", "refuses_everything",
                "line 4: `np.allclose(place(q, 3), place(q, 13))` is False for each right function"),
    "stays": ("tells_the_distance", ROWS + "return not np.isclose(place(q, 8) @ place(k, 1), before)",
              "promise_not_asked", "whether the score stays when both move"),
    "changes": ("tells_the_distance", ROWS + "return bool(np.isclose(place(q, 13) @ place(k, 11), before))",
                "promise_not_asked", "whether the score changes when one moves alone"),
    "sums": ("makes_an_attention_map", MAP + "return w.shape == s.shape and bool(np.allclose(w.sum(axis=1), 1))",
             "sees_a_property", "made of the numbers"),
    "order": ("makes_an_attention_map", MAP + "return bool(np.allclose(w.sum(axis=1), 1) and (w >= 0).all()"
              " and (w.argsort(axis=-1) == s.argsort(axis=-1)).all())", "sees_a_property", "compare each number"),
    "one head": ("splits_heads",
                 "X = np.arange(24.0).reshape(4, 6)\n    return np.array_equal(split(X, 2)[0], X[:, :3])",
                 "sees_too_little", "Which numbers of the answer"),
    "places": ("makes_an_attention_map", MAP + "e = np.exp(s[0])\n    return bool(np.allclose(w[0], e / e.sum()))",
               "sees_too_little", "Which numbers of the answer"),
}  # fmt: skip


@pytest.mark.parametrize("which", SAID)
def test_a_test_that_fails_gets_a_reason(which):
    name, body, mistake, words = SAID[which]
    result = said(name, body)
    assert result.mistake == mistake and words in result.message, result.message


def test_what_a_test_prints_is_not_printed_for_each_look_at_it(capsys):
    said("makes_an_attention_map", MAP + "print('looked')\n    return bool(np.allclose(w.sum(axis=1), 1))")
    subjects = EXERCISES["makes_an_attention_map"].cases(np.random.default_rng(0))
    assert capsys.readouterr().out.count("looked") <= 2 * len(subjects)


def test_each_mistake_of_a_test_with_promises_breaks_one():
    for exercise in EXERCISES.values():
        assert not exercise.promises or set(exercise.promises) == {
            case[0].mistake for case in exercise.cases(np.random.default_rng(0)) if case[0].mistake
        }


def test_looser_comparisons_are_those_of_python_but_for_rounding():
    tenth = 0.1 + 0.2
    assert near(tenth, 0.3) and near([tenth], [0.3]) is True and not near(tenth, 0.31)
    assert not unlike(tenth, 0.3) and unlike(1.0, 2.0)
    assert near((2, 3), (2, 3)) is True and near("a", "a") and not near(1, 2)
    assert all_near(np.array([tenth]), np.array([0.3])) and not all_near(np.ones(2), np.ones((2, 1)))
