"""The goal of the scaling lab: which divisors keep the largest weight, and how far the reader has come."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib.analysis.scaling import DIVISORS, ScalingModel, ScalingState
from attention_lib.labs.scaling_lab import APART, STATES, TIMES, ScalingLab, ScalingSession
from attention_lib.view.lab import MESSAGES

BEFORE = "Goal: find the divisors that keep the largest weight nearly the same from d_k = 1 to 1024. "


def walk(state: ScalingState, lengths: tuple[int, ...] = (1, 4, 16, 64, 256, 1024)) -> ScalingSession:
    """Let a reader see these lengths, all else as the state says."""
    session = ScalingSession(replace(state, d_k=lengths[0]))
    for d_k in lengths[1:]:
        session.change(d_k=d_k)
    return session


def test_the_goal_says_how_far_one_is_and_names_no_divisor_before_both_ends_were_seen() -> None:
    session = ScalingSession()
    assert session.goal_text() == BEFORE + "Longer vectors then neither saturate nor flatten softmax. Try both ends."
    session.change(d_k=1024)
    assert session.goal_text() == BEFORE + (
        "So far, 64 to 1024: under 1: 0.836 to 0.964; under √d_k: 0.237 to 0.237; "
        "under d_k: 0.066 to 0.077; under √d_model: 0.109 to 0.110."
    )
    session.change(d_k=2)
    assert not session.reached and "Reached" not in session.goal_text()
    session.change(d_k=1)
    assert session.goal_text() == BEFORE + (
        "Reached, 4 lengths tried: under 1: no, 0.209 to 0.964; under √d_k: yes, 0.209 to 0.237; "
        "under d_k: no, 0.066 to 0.209; under √d_model: yes, 0.103 to 0.110. "
        "(Yes: less than 0.1 and 1.5 times apart.)"
    )


def test_another_draw_or_setting_is_another_question_and_each_is_remembered() -> None:
    session = walk(ScalingState())
    for change in ({"seed": 1}, {"temperature": 2.0}, {"alignment": 0.1}, {"n_heads": 4}):
        session.change(**change)
        assert not session.reached and list(session.tried) == [1024]
        session.undo()
        assert session.reached
    session.start_from("bae")
    assert len(session.tried) == 6, "a start is a length like others"


def test_at_another_temperature_the_line_says_what_leads_to_the_goal() -> None:
    session = ScalingSession(ScalingState(temperature=2.0))
    assert session.goal_text() == BEFORE + "T = 2 divides too: for the goal, set T to 1, then try both ends."
    for d_k in (1, 1024):
        session.change(d_k=d_k)
    assert session.goal_text().endswith("For the goal, set T to 1: T divides too.")
    session.change(temperature=1.0)
    assert session.goal_text().endswith("Try both ends.")


def test_a_reset_begins_the_search_again() -> None:
    lab = ScalingLab()
    lab.model.change(d_k=1)
    lab.model.change(d_k=1024)
    assert lab.model.reached
    lab.model.change(seed=1)
    lab._reset()
    lab.model.change(seed=1)
    assert list(lab.model.tried) == [64], "what was seen of another draw is forgotten too"
    lab._reset()
    assert list(lab.model.tried) == [lab.model.state.d_k] and not lab.model.reached
    lab._reset()
    assert lab._message.value == MESSAGES["nothing to reset"]
    lab._undo()
    assert not lab.model.reached


@pytest.mark.parametrize("seed", range(30))
def test_in_every_draw_the_two_roots_keep_it_and_the_others_do_not(seed: int) -> None:
    assert walk(ScalingState(seed=seed)).kept() == [False, True, False, True]


@pytest.mark.parametrize("n_heads", [1, 8, 32])
@pytest.mark.parametrize("alignment", [0.0, 0.05, 0.1, 0.3, 1.0])
@pytest.mark.parametrize("temperature", [0.1, 0.5, 1.0, 2.0, 8.0])
def test_in_every_setting_the_line_says_what_the_panel_showed(
    temperature: float, alignment: float, n_heads: int
) -> None:
    rng = np.random.default_rng([int(10 * temperature), int(100 * alignment), n_heads])
    state = ScalingState(1, n_heads, temperature, alignment, seed=int(rng.integers(3)))
    lengths = (1, 1024, *(int(d_k) for d_k in 2 ** rng.uniform(0, 10, 3)))
    session, model = walk(state, lengths), ScalingModel()
    compared = [model.compare(replace(state, d_k=d_k)) for d_k in lengths]
    shown = np.array([each.measures()["largest weight"][:, 0] for each in compared])  # (5, 4)
    for divisor, column, kept in zip(DIVISORS, shown.T, session.kept(), strict=True):
        least, most = column.min(), column.max()
        assert kept == (most - least < APART and most / least < TIMES)
        verdict = f"{'yes' if kept else 'no'}, " if temperature == 1 else ""
        assert f"under {divisor}: {verdict}{least:.3f} to {most:.3f}" in session.goal_text()
    reached = temperature == 1 and any(session.kept())
    assert session.reached == reached == ("Reached" in session.goal_text())
    assert session.is_judged == (temperature == 1)
    assert (f"ρ = {alignment:g}" in session.goal_text()) == (temperature == 1 and alignment > 0)
    assert ("set T to 1" in session.goal_text()) == (temperature != 1)
    assert len(session.goal_text()) <= len(ScalingSession(state).goal_text("reached")) + 10, "room"
    if n_heads == 1:
        assert session.kept()[1] == session.kept()[3], "one divisor under two names"


@pytest.mark.parametrize("alignment", [0.1, 0.3])  # at 0.1, √d_model's lie less than 0.1 apart, from 0.103 to 0.168
def test_no_divisor_that_saturates_or_flattens_is_said_to_keep_it(alignment: float) -> None:
    session = walk(ScalingState(alignment=alignment))
    assert session.kept() == [False] * 4 and not session.reached
    assert f"With ρ = {alignment} none does: under 1: no" in session.goal_text()


@pytest.mark.parametrize("name", STATES)
def test_no_start_reaches_the_goal(name: str) -> None:
    assert not ScalingSession(STATES[name]).reached


def test_the_line_stands_first_follows_and_is_bold_when_reached() -> None:
    lab = ScalingLab()
    shown = [part for part in lab.children if part in (lab._goal, lab.view) or lab.d_k in getattr(part, "children", ())]
    assert shown[0] is lab._goal and "lab-says" in lab._goal.said._dom_classes
    for d_k in ("1", "1024"):
        assert "<b>" not in lab._goal.said.value
        lab.d_k.box.value = d_k
    assert lab._goal.said.value == f"<b>{lab.model.goal_text()}</b>" and lab.model.reached
