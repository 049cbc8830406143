"""Dictionaries that are filled in: shapes, numbers and words, each wrong one with its reason."""

import numpy as np
import pytest
from answers import EXERCISES

from attention_lib.checks import check
from attention_lib.checks.blanks import fits


def filled_in(name):
    return {key: blank.right for key, blank in EXERCISES[name].blanks.items()}


@pytest.mark.parametrize("name", [name for name, exercise in EXERCISES.items() if exercise.blanks])
def test_what_is_right_passes_and_every_wrong_answer_has_its_reason(name):
    space, blanks = {}, EXERCISES[name].blanks
    exec(EXERCISES[name].solution, space)
    assert check(name, space[name]).passed and check(name, filled_in(name)).passed
    exec(EXERCISES[name].stub, space)
    assert check(name, space[name]).status == "not tried"
    for key, blank in blanks.items():
        assert blank.wrong or blank.hint, key
        for answer, sentence in blank.wrong.items():
            result = check(name, {**dict.fromkeys(blanks, ...), key: answer})
            assert result.example.startswith(f"{key}: {answer!r} is not right. {sentence}"), "taken for right"


def test_a_wrong_shape_gets_its_sentence_and_an_open_one_is_named():
    right = filled_in("shapes_of_attention")
    result = check("shapes_of_attention", {**right, "Q": [12, 4], "output": None})
    assert (result.status, result.message) == ("differs", f"Not yet: {len(right) - 2} of {len(right)} are right.")
    reason = EXERCISES["shapes_of_attention"].blanks["Q"].wrong[12, 4]
    assert result.example == f"Q: [12, 4] is not right. {reason}\nStill open: output."
    hint = EXERCISES["shapes_of_attention"].blanks["Q"].hint
    assert (
        f"in your shape is 3, but it should be 2. {hint}"
        in check("shapes_of_attention", right | {"Q": (5, 4, 1)}).example
    )
    assert "A shape is a tuple of numbers" in check("shapes_of_attention", right | {"Q": 5}).example
    assert check("shapes_of_attention", right | {"Q": np.array((5.0, 4))}).passed
    for odd in ("x", object(), True, np.nan, {}, (np.nan, "x"), ("5", "4"), 10**400, np.zeros((5, 4))):
        assert check("shapes_of_attention", right | {"Q": odd}).status == "differs"
    for odd in (None, 3, [], {}, {"Q": 1}, len):
        assert check("shapes_of_attention", odd).status == "type"


def test_words_are_taken_in_any_case_and_order():
    right = filled_in("mask_for")
    assert check("mask_for", {key: f" {value.upper()}" for key, value in right.items()}).passed
    for written in ("causal and padding", "Padding + CAUSAL", " padding and causal "):
        assert fits(written, "causal and padding") and not fits(written, "causal")
    assert fits(1.0, 1) and not fits(True, 1) and not fits("1", 1)
