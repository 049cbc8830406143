"""The math begins with the calculation, because learners are sent to read it."""

import inspect
import re
from pathlib import Path

import attention_lib
from attention_lib import MultiHeadAttention, self_attention

SCREEN = 50  # lines


def has_in_order(function, pieces):
    """Whether the source of a function has the pieces, each after the one before."""
    return re.search(".*".join(map(re.escape, pieces)), inspect.getsource(function), re.DOTALL) is not None


def test_the_calculation_is_on_the_first_screen_with_one_line_and_one_shape_per_step():
    screen = Path(attention_lib.attention.__file__).read_text("utf-8").splitlines()[:SCREEN]
    steps = [re.match(r"    (\w+) = .*  # \(\.\.\., \w+, \w+\)", line) for line in screen]
    names = [step[1] for step in steps if step]
    assert names == ["scores", "scaled_scores", "masked_scores", "weights", "output"]


def test_self_attention_shows_where_Q_K_and_V_come_from():
    assert has_in_order(self_attention, ["X @ W_Q, X @ W_K, X @ W_V"])


def test_several_heads_are_split_attended_merged_and_mixed():
    pieces = ["Q = _split(", "K = _split(", "V = _split(", "attend(", "_merge(", "@ self.W_O"]
    assert has_in_order(MultiHeadAttention.__call__, pieces)
