"""The learning lab without a browser: its numbers beside a training of its own, its goal, and what it refuses."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_lib.lessons.learning_attention.learning_lab import (
    CASES,
    EVERY,
    N_SEEDS,
    STEPS,
    LearningLab,
    Reading,
    at_end,
    goal_of,
)
from attention_lib.training.tasks import WORDS, bae_map, learn_bae, meaning_of_bae

WORD = re.compile(r'<text class="word [^>]*>([^<]+)<')
CELL = re.compile(r'fill-opacity="([\d.]+)"/><text [^>]*>([\d.]+)<')


@pytest.fixture
def lab():
    return LearningLab()


def cells(lab):
    return [float(text) for _, text in CELL.findall(lab.drawing._markup)]


@pytest.mark.parametrize("name", [*LearningLab.presets][::2])
def test_what_is_shown_is_what_the_training_gives(name):
    lab = LearningLab(name)
    state, options = lab.state, CASES[lab.state.case]
    shot = learn_bae(state.seed, steps=STEPS, every=EVERY, **options).snapshots[state.place]
    trace = bae_map(shot.layer, state.words)
    row = trace.weights[state.words.index("배")]
    assert WORD.findall(lab.drawing._markup) == state.words and cells(lab) == pytest.approx(row, abs=0.00501)
    assert f"loss {shot.loss:.2f}" in lab.drawing._markup and f"{shot.accuracy:.0%} of 300" in lab.line.text
    meaning = meaning_of_bae(shot.layer, trace, state.words)
    assert re.findall(r"</i>([\d.]+)<", lab.drawing._markup) == [f"{p:.2f}" for p in meaning.values()]


def is_seen(control):
    return control.layout.display == ""


def test_a_guess_comes_first_and_the_answer_waits_until_the_run_is_over(lab):
    assert lab.goal.text.endswith("Guess before you train.")
    assert all(map(is_seen, lab.answers)) and not any(map(is_seen, (lab.player.button, lab.step)))
    lab.answers[1].click()
    assert all(map(is_seen, (lab.player.button, lab.step))) and not any(map(is_seen, lab.answers))
    lab.step.box.value = "145"
    assert "gives its cues 0.95 of" in lab.goal.text and "finds its cues" not in lab.drawing._markup
    lab.step.box.value = "150"
    found = "Right: the loss had halved by step 30, and 배 had found its cues by step 30."
    assert lab.goal.text == found and "by step 30: 배 finds its cues" in lab.drawing._markup
    assert "by step 30: half of the loss" in lab.drawing._markup and "hungry" in lab.drawing._markup
    lab.step.box.value = "0"
    assert lab.goal.text == found and cells(lab)[4] == 0.13, "what was found stays known"
    lab.act(lambda state: replace(state, guess="before"))
    assert lab.goal.text.startswith("✗ Not “before the loss halves”: the loss halved by step 30")


def test_one_snapshot_decides_no_guess(lab):
    for seed in range(N_SEEDS):
        reading = Reading(at_end(seed=seed, guess="with"))
        assert reading.found - reading.halved in (0, EVERY) and goal_of(reading)[0]


def test_nothing_is_asked_where_nothing_can_be_found_or_is_known():
    assert [name for name in LearningLab.presets if is_seen(LearningLab(name).answers[0])] == ["before"]


def test_what_each_run_comes_to():
    shares = np.array([[shot.loss for shot in learn_bae(0, steps=STEPS, every=EVERY).snapshots]])
    assert EVERY * int((shares[0] <= shares[0, 0] / 2).argmax()) == 30
    assert [Reading(at_end(case=case)).found for case in CASES] == [30, 35, None]
    assert LearningLab("frozen").goal.text.startswith("배 never found its cues.")
    assert LearningLab("none").goal.text.startswith("No word here tells what 배 means")


def test_every_word_that_it_knows_is_explained_where_it_refuses_another(lab):
    lab.own.value = "어제 banana"
    listed = lab.message.text.split(": ", 1)[1].split(". ")[0].split(", ")
    assert len(listed) == len(WORDS) and [word for word in listed if "(" not in word] == ["배"]
