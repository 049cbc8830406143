"""The learning lab plays its training, without a browser: what stops it, and what is undone."""

import pytest

from attention_lib.labs.learning_lab import EVERY, STEPS, LearningLab
from attention_lib.labs.learning_words import LABELS, MESSAGES


@pytest.mark.parametrize(
    ("hand", "place"),
    [
        (lambda lab: setattr(lab._step.slider, "value", 0), 0),
        (lambda lab: setattr(lab._step.box, "value", "50"), 10),
        (lambda lab: setattr(lab._seed, "value", 4), 2),
        (lambda lab: setattr(lab._sentence, "value", "ship"), 2),
        (lambda lab: setattr(lab._preset, "value", "after"), 30),
        (lambda lab: lab.buttons["undo"].click(), 0),
        (lambda lab: lab.buttons["reset"].click(), 0),
    ],
)
def test_the_hand_stops_the_play(waiting, hand, place):
    lab = LearningLab()
    lab.player.button.click()
    waiting.pop()()
    assert lab.model.state.place == 2 and lab.player.plays
    hand(lab)
    assert not waiting and not lab.player.plays and lab.player.button.description == LABELS["play"]
    assert lab.model.state.place == place
    assert f"Step {lab.model.shot.step} of {STEPS}" in lab._status.value


def test_each_play_is_undone_by_itself(waiting):
    lab = LearningLab()
    for _ in range(2):
        lab.player.button.click()
        waiting.pop()()
        lab.player.button.click()
    places = []
    for _ in range(2):
        lab.buttons["undo"].click()
        places.append(lab.model.state.place)
    assert places == [2, 0]


def test_what_has_no_other_step_cannot_be_played():
    lab = LearningLab("after")
    lab._preset.value = "fast"
    assert lab.player.button.disabled and MESSAGES["only"] in lab._status.value
    lab.buttons["undo"].click()
    assert not lab.player.button.disabled


def test_play_goes_step_by_step_to_the_end_and_can_be_stopped(waiting):
    lab = LearningLab()
    lab.player.button.click()
    assert lab.model.shot.step == EVERY and lab.player.plays and lab.player.button.description == LABELS["stop"]
    waiting.pop()()
    assert lab.model.shot.step == 2 * EVERY
    lab.player.button.click()
    assert not waiting and not lab.player.plays and lab.player.button.description == LABELS["play"]
    lab.player.button.click()
    while waiting:
        waiting.pop()()
    assert lab.model.shot.step == STEPS and not lab.player.plays
    lab.player.button.click()  # from the start again
    assert lab.model.shot.step == 0 and lab.player.plays
    lab.player.stop()
