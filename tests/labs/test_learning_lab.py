"""The learning lab without a browser: its numbers beside a training of its own, its goal, and what it refuses."""

import re

import numpy as np
import pytest

from attention_lib.labs.learning_lab import CASES, EVERY, STEPS, LearningLab, LearningState, at_end, found_at, in_run
from attention_lib.training.tasks import WORDS, bae_map, learn_bae, meaning_of_bae

WORD = re.compile(r'<text class="word [^>]*>([^<]+)<')
CELL = re.compile(r'fill-opacity="([\d.]+)"/><text [^>]*>([\d.]+)<')


@pytest.fixture
def lab():
    return LearningLab()


def cells(lab):
    return [float(text) for _, text in CELL.findall(lab.drawing.value)]


@pytest.mark.parametrize("name", LearningLab.presets)
def test_what_is_shown_is_what_the_training_gives(name):
    lab = LearningLab(name)
    state, options = lab.state, CASES[lab.state.case]
    shot = learn_bae(state.seed, steps=STEPS, every=EVERY, **options).snapshots[state.place]
    trace = bae_map(shot.layer, state.words, scale=options.get("scale"))
    row = trace.weights[state.words.index("배")]
    assert WORD.findall(lab.drawing.value) == state.words and cells(lab) == pytest.approx(row, abs=0.00501)
    assert f"loss {shot.loss:.2f}" in lab.drawing.value and f"{shot.accuracy:.0%} of 300" in lab.line.text
    meaning = meaning_of_bae(shot.layer, trace, state.words)
    assert re.findall(r"</i>([\d.]+)<", lab.drawing.value) == [f"{p:.2f}" for p in meaning.values()]


def test_the_cues_are_found_and_marked_on_the_curve(lab):
    assert lab.goal.text.startswith("Press play.") and "finds its cues" not in lab.drawing.value
    lab.step.box.value = "30"
    assert lab.goal.text.endswith("배 gives its cues 0.68, and has found them at 0.69.")
    lab.step.box.value = "35"
    found = "Found at step 35: 배 gives its cues 0.85. The loss halved at step 30."
    assert lab.goal.text == found and "step 35: 배 finds its cues" in lab.drawing.value
    lab.step.box.value = "0"
    assert lab.goal.text == found and cells(lab)[4] == 0.13, "what was found stays known"
    lab.undo()
    assert lab.state.step == 35


def test_what_each_run_comes_to():
    shares = np.array([[shot.loss for shot in learn_bae(0, steps=STEPS, every=EVERY).snapshots]])
    assert EVERY * int((shares[0] <= shares[0, 0] / 2).argmax()) == 30
    assert [found_at(in_run(at_end(), case=case)) for case in CASES] == [35, None, None, 25, 35, None, None]
    assert LearningLab("frozen").goal.text.startswith("배 never found its cues.")
    assert LearningLab("none").goal.text.startswith("No word here tells what 배 means")
    fast = LearningLab("fast")
    assert "by step 5 the numbers have grown beyond 100" in fast.goal.text
    assert fast.step.slider.disabled and fast.player.button.disabled


def test_another_run_has_not_been_shown_yet():
    state = in_run(LearningState(place=4, furthest=30), seed=1)
    assert (state.seed, state.place, state.furthest) == (1, 4, 4)


def test_play_goes_to_the_end_and_a_hand_stops_it(lab, waiting):
    lab.player.button.click()
    waiting.pop()()
    assert lab.state.place == 2 and 'class="moves"' in lab.drawing.value
    lab.step.slider.value = 10
    assert not waiting and not lab.player.plays and 'class="moves"' not in lab.drawing.value
    lab.player.button.click()
    while waiting:
        waiting.pop()()
    assert lab.state.step == STEPS and not lab.player.plays
    lab.undo()
    assert lab.state.place == 10, "each play is undone by itself"
    lab.player.button.click()


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("", "Type a sentence first"),
        ("배 nan", "“nan” is not one of the layer's words."),
        ("배 1e400 어제", "“1e400” is not one"),
        ("어제 밤에", "the sentence needs that word once"),
        ("배 배", "the sentence needs that word once"),
        (" ".join(["배"] * 100), "100"),
    ],
)
def test_other_sentences_are_refused(lab, text, answer):
    before = lab.state
    box = lab.own
    box.value = " ".join(reversed(WORDS[:3]))
    assert WORD.findall(lab.drawing.value) == list(reversed(WORDS[:3]))
    lab.undo()
    box.value = text
    assert lab.state == before and answer in lab.message.text and box.value == before.text


@pytest.mark.parametrize("typed", ["", "1e400", "NaN", "배"])
def test_other_steps_are_refused_or_become_the_nearest(lab, typed):
    lab.step.box.value = typed
    assert lab.state.step == (STEPS if typed == "1e400" else 0) and lab.step.said.text


def test_there_is_no_such_preset():
    with pytest.raises(ValueError, match="preset is 'later'"):
        LearningLab("later")
