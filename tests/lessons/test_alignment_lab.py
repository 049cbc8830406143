"""The alignment lab: its sentence pairs, its numbers, its goals, and what a learner may type."""

import lab_hands
import numpy as np
import pytest

import attention_lib as al
from attention_lib.lessons.cross_attention.alignment_goals import (
    GOALS,
    HIGH,
    INPUTS,
    LOW,
    PAIRS,
    STEP,
    progress,
    start_of,
)
from attention_lib.lessons.cross_attention.alignment_lab import AlignmentLab, with_value, with_way


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_every_word_reads_what_means_the_same(pair):
    """The largest weights of a word, ties included, are its own words and no others."""
    weights = pair.trace().weights
    largest = weights > weights.max(axis=-1, keepdims=True) - 1e-9
    meant = pair.alignment.any(axis=-1)
    assert np.array_equal(largest[meant], pair.alignment[meant])
    assert np.allclose(weights[~meant], 1 / len(pair.korean))


@pytest.mark.parametrize("name", GOALS)
def test_no_goal_is_reached_at_its_start_and_its_way_is_shown_and_reaches_it(name):
    lab = AlignmentLab(name)
    assert not progress(lab.state)[0] and lab.goal.text.startswith(GOALS[name].ask)
    assert lab.next.layout.display == "none"
    lab._show_way()
    assert progress(lab.state)[0] and lab.goal.text.startswith("Goal reached. ") and not lab.next.layout.display
    changed = [key for key in INPUTS if not np.array_equal(getattr(lab.state, key), getattr(start_of(name), key))]
    assert set(changed) <= set(GOALS[name].inputs), "what changes is in sight"
    assert {value for _, value in GOALS[name].way} <= set(np.arange(LOW, HIGH + STEP, STEP))
    start = start_of(name)
    drags = [with_value(start, start.value + by).trace().weights for by in (-1, 1)]
    assert np.abs(drags - start.trace().weights).max() > 0.15, "the first drag shows something"


@pytest.mark.parametrize("name", GOALS)
def test_every_panel_shows_the_trace_of_the_library(name):
    lab = AlignmentLab(name)
    lab.slider.box.value = "1.25"
    state = lab.state
    trace = al.cross_attention(state.X, state.context, state.W_Q, state.W_K, state.W_V)
    for panel in lab.view.panels:
        assert np.array_equal(lab.view[panel], getattr(state if panel in INPUTS else trace, panel)), panel
    assert next(iter(lab.view.panels)) == "weights"


def test_the_goals_start_from_the_pairs_and_w_k_is_broken():
    for name, goal in GOALS.items():
        wanted = np.eye(4) if name == "mend" else PAIRS[goal.pair].W_K
        assert np.array_equal(start_of(name).W_K, wanted)
    assert "0 of 5" in progress(start_of("mend"))[1]


def test_the_first_goal_allows_one_number():
    state = with_way(start_of("last")).with_numbers((("W_V", 0, 0), 2.5))
    there = "Put X: last, hour back to −1.00."
    assert progress(state) == (False, f"2 numbers differ from the start, and only one should. {there}")
    assert progress(state.with_numbers((("W_V", 0, 0), 0)))[0]


def test_what_reads_as_enough_is_enough_and_a_tie_is_not_the_most():
    state = start_of("article").with_numbers((("X", 0, 0), 0.88))
    assert state.trace().weights[0, 0] < 0.5 and progress(state) == (True, "Now 고양이가 has 0.50, 위에 0.21.")
    tied = start_of("last").with_numbers((("X", 3, 3), 0))
    assert progress(tied) == (False, "Now 밤에 and 어제 have 0.42 each, a tie.")


def test_a_click_on_a_weight_writes_out_how_it_comes_about_and_an_edit_follows():
    def lines():
        return lab.view.panels["weights"].caption.replace("\u00a0", " ").splitlines()

    lab = AlignmentLab()
    assert lines()[0] == "“last” and 밤에: query · key = setting 2 · 2 + hour (−1) · 1 = 3" and len(lines()) == 4
    lab_hands.select(lab, "weights", 3, 1)
    softmax = "softmax: e^2.5 / (e^0 + e^2.5 + e^1.5 + e^0 + e^0) = 0.62"
    assert lines()[1:] == ["score 5 / √4 = 2.5", softmax]
    assert lab.state.chosen == ("X", 0, 0) != GOALS["last"].way[0][0], "neither the click nor the start gives it away"
    assert tuple(lab.view.selected) == ("weights", 3, 1)
    lab_hands.select(lab, "X", 3, 3)
    lab.slider.box.value = "1"
    assert lines()[0].endswith("2 · 2 + hour 1 · (−1) = 3") and tuple(lab.view.selected) == ("X", 3, 3)
    lab.start_again()
    assert lines()[0].startswith("“last” and 밤에"), "which weight is explained begins again, too"
    assert AlignmentLab("article").view.panels["weights"].caption.startswith("“The” and 고양이가: query · key = 0\n")


def test_the_map_says_what_the_korean_words_mean():
    assert AlignmentLab("last").view.panels["weights"].columns[:2] == ["나는\nI, the topic", "어제\nyesterday"]
