"""The goal of the head surgery lab: what is lost without a head, and how far the reader has come."""

import numpy as np
import pytest

from attention_lib.labs.head_surgery import OUTPUTS, SENTENCES, HeadSurgeryLab, SurgeryModel
from attention_lib.labs.surgery_words import goals
from attention_lib.view.lab import MESSAGES


def test_less_than_two_digits_show_is_not_said_to_be_nothing() -> None:
    model = SurgeryModel()
    model.set_sentence("miniature_eiffel_tower")
    assert model.summary().endswith("size −2.00, as it was made.")
    model.set_mode(1, "off")
    assert 0.0005 < np.abs(model.surgery.delta[model.row] - model.before[model.row]).max() < 0.005
    assert model.summary().endswith("size −2.00, to two digits as it was made.")


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("output", OUTPUTS)
def test_what_is_lost_without_a_head_is_what_the_word_lacks_then(name: str, output: str) -> None:
    model = SurgeryModel()
    model.set_sentence(name)
    model.set_output(output)
    whole = model.surgery.delta[model.row]
    for i in range(4):
        lost = model.lost_without(i)
        model.set_mode(i, "off")
        assert np.allclose(whole - lost, model.surgery.delta[model.row])
        model.set_mode(i, "on")


def test_the_goal_is_reached_by_switching_each_head_off_alone() -> None:
    model = SurgeryModel()
    assert goals(model)[0] == "Goal: find the heads that “barked” can go without. Switch one off at a time."
    model.set_mode(0, "averaged")
    model.set_mode(1, "off")  # not alone changed
    assert not model.tried
    model.set_mode(0, "on")
    assert goals(model)[0].endswith("Switch one off at a time: 1 of 4 tried.")
    assert model.captions()["head 1"] == "off. barked: man 0.98. Gone without it: company −0.98"
    model.set_mode(3, "off")
    assert model.tried == {1}, "two are off"
    model.set_mode(1, "on")
    model.follow_word(0)
    assert model.tried == {3} and "“the”" in goals(model)[0]
    model.follow_word(5)
    for i in (0, 2):
        model.start_from("made")
        model.set_mode(i, "off")
    assert goals(model)[0].endswith("Reached: of 4 heads it can go without head 2, head 3.")
    assert model.captions()["head 2"].endswith("Gone without it: nothing")
    model.set_sentence("miniature_eiffel_tower")
    model.start_from("needed")
    model.set_mode(1, "off")
    model.set_mode(2, "on")
    assert model.tried == {1, 2} and model.captions()["head 1"].endswith("Gone without it: 0.00")
    model.edit(0, 0, 0.5)
    assert not model.tried, "numbers of one's own move on"


def test_a_reset_begins_the_search_again() -> None:
    lab = HeadSurgeryLab()
    for i in range(4):
        lab.model.set_mode(i, "off")
        lab.model.set_mode(i, "on")
    assert "Reached" in goals(lab.model)[0]
    lab._reset()
    assert goals(lab.model)[0].endswith("Switch one off at a time.")
    assert lab._message.value == MESSAGES["began again"]
