"""The overflow lab: where each dtype breaks, and how close the reader has come."""

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.lessons.scaling.overflow_lab import (
    OverflowLab,
    weights_of,
)
from attention_lib.lessons.scaling.scaling import DTYPES


@pytest.fixture
def lab():
    return OverflowLab()


def test_weights_are_those_of_each_dtype():
    naive, safe = weights_of("naive", 11.1), weights_of("safe", 11.1)
    assert np.isnan(naive[0, 0]) and np.isfinite(naive[1:]).all()
    np.testing.assert_allclose(naive[2], np.exp([11.1, 0]) / np.exp([11.1, 0]).sum())
    for row, dtype in zip(safe, DTYPES):
        np.testing.assert_array_equal(row, softmax(np.array([11.1, 0], dtype)).astype(float))


def test_the_goal_names_the_dtype_to_look_for_and_how_close_the_reader_is(lab):
    goals = {
        12: "float16 breaks between 10 and 12.",
        8: "float16 breaks between 10 and 12.",  # nothing breaks at 8, so the goal says nothing of inf
        11: "float16 breaks between 11 and 12.",
        11.1: "Now raise your score until float32 breaks.",
        100: "float32 breaks between 12 and 100.",
    }
    for score, goal in goals.items():
        lab.score.box.value = str(score)
        assert lab.goal.text.startswith(goal)
    assert "inf / inf" in lab.table._markup
    lab.score.box.value = "8"
    assert "inf" not in lab.table._markup


def test_the_headline_speaks_of_the_dtype_that_was_tried_last():
    lab = OverflowLab()
    for score in ("12", "100", "70"):
        lab.score.box.value = score
    assert lab.goal.text.startswith("float32 breaks between 70 and 100."), "float16 is not found either"
