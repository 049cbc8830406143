"""The scaling lab and the statistics behind it: against closed forms, its numbers, its goal, what is typed into it."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.lessons.scaling.scaling import LONGEST, ScalingState, align, draw_tokens, score_shares
from attention_lib.lessons.scaling.scaling_lab import ENOUGH, ScalingLab, compare, mean_weights


@pytest.mark.parametrize("alignment", [0.0, 0.3, 1.0])
def test_alignment_is_the_correlation_of_query_i_and_key_i(alignment):
    Q, K = draw_tokens(1024)
    Q = align(Q, K, alignment)
    own, other = (Q * K[:, :8]).mean(), (Q * K[:, 8:]).mean()
    assert Q.shape == (32, 8, 1024)
    assert own == pytest.approx(alignment, abs=0.01)
    assert other == pytest.approx(0, abs=0.01)
    assert Q.var() == pytest.approx(1, abs=0.02)


def test_score_shares_count_by_nearest_whole_number_and_leave_out_what_lies_beyond():
    shares = score_shares([[0.4, -0.4], [1.2, 300.0]])
    assert shares.tolist() == [0] * 8 + [0.5, 0.25] + [0] * 7
    assert score_shares([-8.4, -8.7])[0] == 0.5


@pytest.fixture
def lab():
    return ScalingLab()


def test_the_bars_are_the_weights_of_the_library(lab):
    lab.d_k.box.value = "36"
    lab.temperature.box.value = "2"
    lab.act(lambda state: replace(state, alignment=0.3))
    Q, K = draw_tokens(36)
    scores = align(Q, K, 0.3) @ K.swapaxes(-1, -2) / np.array([2, 12, 72])[:, None, None, None]  # (3, 32, 8, 16)
    weights = np.sort(softmax(scores))[..., ::-1].mean(axis=(1, 2))  # (3, 16)
    drawn = [float(share) / 100 for share in re.findall(r"<i style='width:([\d.]+)%", lab.table._markup)]
    np.testing.assert_allclose(drawn, weights.ravel(), atol=1e-4)
    assert lab.table._markup.count(" × 2</strong>") == 3
    said = re.findall(r"spread ([\d.]+)<.*?<span><strong>(0\.\d\d)</strong>", lab.table._markup)
    assert said == [(f"{row.std():.2f}", f"{line[0]:.2f}") for row, line in zip(scores, weights)]


def test_the_goal_is_a_length_of_which_the_undivided_bar_is_seen_to_be_long(lab):
    for d_k in (1, 64):
        lab.d_k.box.value = str(d_k)
        assert lab.goal.text == "Drag d_k up until one key takes 0.9 of the weight in the first row."
    lab.d_k.box.value = "1024"
    assert lab.goal.text == "Goal reached: one key takes 0.96. Divided by √d_k, the spread is still 1."
    assert re.findall(r"(\d+)% lie beyond", lab.table._markup) == ["80"], "in one row most scores are out of sight"
    heights = np.reshape(re.findall(r"<i style='height:([\d.]+)%", lab.table._markup), (3, -1)).astype(float)
    assert heights.max(axis=1).tolist() == [100] * 3 and heights[0].min() > 40 > 1 > np.median(heights[1:])
    lab._start_from("paper")
    lab.act(lambda state: replace(state, d_k=LONGEST, temperature=10.0))
    assert lab.goal.text == "Even at d_k = 1024, no key takes 0.9 here. Lower T."
    starts = {name: mean_weights(compare(state))[0, 0] for name, (_, state) in lab.presets.items()}
    assert [name for name, largest in starts.items() if largest >= ENOUGH] == ["correlated"]
    lab._starts.value = "correlated"
    assert lab.goal.text.endswith("no divisor keeps the spread at 1.") and "<mark>" not in lab.table._markup


def test_each_line_has_its_mark_where_d_k_was_1(lab):
    lab.act(lambda state: replace(state, alignment=0.3))
    lab.d_k.box.value = "256"
    begun = mean_weights(compare(ScalingState(1, alignment=0.3)))[:, 0]  # (3,)
    marks = [float(share) / 100 for share in re.findall(r"<u style='left:([\d.]+)%'", lab.table._markup)]
    np.testing.assert_allclose(marks, begun, atol=1e-4)
    assert re.findall(r"d_k = 1: (0\.\d\d)", lab.table._markup) == [f"{weight:.2f}" for weight in begun]
