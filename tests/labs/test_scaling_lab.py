"""The scaling lab: its numbers, its goal, and what is typed into it."""

import re

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.labs.scaling_lab import ScalingLab, Search, is_judged, level, moved, search_from
from attention_lib.lessons.scaling.scaling import LONGEST, divisors, draw_tokens


@pytest.fixture
def lab():
    return ScalingLab()


def walk(*lengths, **setting):
    """Let a reader see these lengths."""
    state = search_from(Search(lengths[0], **setting))
    for d_k in lengths[1:]:
        state = moved("d_k", state, d_k)
    return state


def test_the_bars_are_the_weights_of_the_library(lab):
    lab.d_k.box.value = "36"
    lab.temperature.box.value = "2"
    lab.heads.value = 4
    lab.alignment.box.value = "0.3"
    Q, K = draw_tokens(36, alignment=0.3)
    scores = Q @ K.swapaxes(-1, -2) / (2 * divisors(36, 4))[:, None, None, None]  # (4, 32, 8, 16)
    weights = np.sort(softmax(scores))[..., ::-1].mean(axis=(1, 2))  # (4, 16)
    drawn = [float(share) / 100 for share in re.findall(r"<i style='width:([\d.]+)%", lab.table.value)]
    np.testing.assert_allclose(drawn, weights.ravel(), atol=1e-4)
    said = re.findall(r"spread ([\d.]+)<.*?<strong>(0\.\d\d)</strong>", lab.table.value)
    assert said == [(f"{row.std():.2f}", f"{line[0]:.2f}") for row, line in zip(scores, weights)]


def test_the_goal_is_reached_by_both_ends_and_not_before(lab):
    assert lab.goal.text.endswith("Guess, then drag d_k from 1 to 1024.") and "✓ level" not in lab.table.value
    lab.d_k.box.value = "1023"
    assert "Seen so far: d_k = 1 to 1023 of 1 to 1024." in lab.goal.text and not is_judged(lab.state)
    lab.d_k.box.value = "1024"
    assert "level: 2 of 4 (✓)" in lab.goal.text
    assert (lab.table.value.count("✓ level"), lab.table.value.count("✗ drifts")) == (2, 2)
    assert level(lab.state) == [False, True, False, True]
    assert [[round(end, 2) for end in ends] for ends in lab.state.ranges[:2]] == [[0.21, 0.96], [0.21, 0.24]]
    lab.undo()
    assert not is_judged(lab.state), "what was seen is taken back too"


@pytest.mark.parametrize("seed", range(5))
def test_in_other_draws_the_two_roots_keep_it_and_the_others_do_not(seed):
    assert level(walk(1, 16, 256, LONGEST, seed=seed)) == [False, True, False, True]


def test_another_setting_begins_the_search_again_and_related_queries_break_it(lab):
    lab.d_k.box.value = "1024"
    lab.alignment.box.value = "0.3"
    assert lab.state.lengths == (1024, 1024) and not is_judged(lab.state)
    lab.d_k.box.value = "1"
    assert lab.goal.text.startswith("With ρ = 0.3, none of the 4 divisors")
    lab.temperature.box.value = "2"
    assert lab.goal.text.startswith("T = 2 divides too.") and "d_k × 2 = 2" in lab.table.value
    assert not is_judged(walk(1, LONGEST, temperature=2.0)), "T divides too"
    # at 0.1 the weights under √d_model lie less than 0.1 apart, but 0.168 is much more than 0.103
    assert level(walk(1, LONGEST, alignment=0.1)) == [False] * 4
    state = walk(1, LONGEST, n_heads=1)
    assert state.ranges[1] == state.ranges[3], "with one head √d_model is √d_k"
    assert not any(is_judged(state) for _, state in lab.presets.values()), "no start reaches the goal"


def test_a_drag_does_not_move_by_itself_and_a_click_does(lab):
    def moves():
        return any(now != was for now, was in re.findall(r"width:([\d.]+)%;--was:([\d.]+)%", lab.table.value))

    lab.d_k.slider.value = 40
    assert not moves()
    lab.d_k.box.value = "1000"
    assert moves()


@pytest.mark.parametrize("typed", ["", "nan", "배고파", "6.5", "word " * 100])
def test_what_is_no_length_changes_nothing(lab, typed):
    before = lab.state
    lab.d_k.box.value = typed
    assert lab.state == before and lab.d_k.said.text


def test_a_length_beyond_the_range_becomes_its_end(lab):
    lab.d_k.box.value = "1e400"
    assert lab.state.d_k == LONGEST and "1e400 became 1024" in lab.d_k.said.text
