"""The memory lab: its numbers against a loop, its keys, and what its goal asks for."""

import numpy as np
import pytest

from attention_lib.lessons.attention_as_a_memory.memory_lab import (
    CLOSE,
    DRUNK,
    LINES,
    MemoryLab,
    MemoryState,
    goal_of,
    keys_of,
    matrices_of,
    wanted_of,
)
from attention_lib.linear_attention import linear_attention

PRESETS = {name: state for name, (_, state) in MemoryLab().presets.items()}


@pytest.mark.parametrize("rule", ["add", "overwrite"])
def test_what_is_read_is_what_the_library_gives(rule):
    keys = keys_of(0.3)[list(LINES)]  # (5, 4)
    states = linear_attention(keys, keys, DRUNK, gate=0.8, overwrite=rule == "overwrite").states
    for n_lines, S in enumerate([np.zeros((4, 4)), *states]):
        state = MemoryState(rule=rule, gate=0.8, alike=0.3, n_lines=n_lines)
        np.testing.assert_allclose(matrices_of(state)["read"], keys_of(0.3) @ S, atol=1e-12)


def test_the_goal_needs_lines_that_overwrite_and_keys_nearly_at_right_angles():
    reached = {name for name, state in PRESETS.items() if goal_of(state)[0]}
    assert reached == {"apart"}
    for rule in ("add", "overwrite"):
        for gate in (0, 0.5, 0.9, 1):
            for alike in (0, 0.05, 0.1, 0.4):
                read = matrices_of(state := MemoryState(rule=rule, gate=gate, alike=alike))["read"]
                works = np.abs(read - wanted_of(state)).max() <= CLOSE
                assert works == (rule == "overwrite" and gate == 1 and alike <= 0.05), (rule, gate, alike)


def test_the_goal_names_the_number_that_is_farthest_away_as_its_cell_does():
    assert goal_of(PRESETS["added"])[1].endswith("Now Ann reads 1.00 of tea, not 0.00.")
    half = MemoryState(rule="overwrite", alike=0.5)
    assert 0.625 in matrices_of(half)["read"].round(9) and "Ben reads 0.62 of juice" in goal_of(half)[1], "as its cell"


def test_play_writes_one_line_after_the_other_and_begins_again():
    lab = MemoryLab()
    assert lab.goal.text.endswith("Press write.") and not np.any(lab.view["S"])
    seen = []
    while lab.write_on():
        seen.append(lab.goal.text)
    assert seen[0] == "1 of 5 lines are in S. What Ann reads most is tea: 1.00." and len(seen) == 4
    assert lab.goal.text == goal_of(PRESETS["added"])[1]
    lab.write_on()
    panels = lab.panels(lab.state)
    assert lab.state.n_lines == 1 and panels["written"].marks == [(0, None)]
    shares = [f"{share:.2f} ×" for share in keys_of(lab.state.alike)[0]]
    assert panels["S"].rows == shares, "what the key gives to each row"
    assert lab.panels(PRESETS["added"])["read"].marks == [(0, 2), (1, 1), (2, 2), (3, 3)]
