"""The copying lab without a browser: its numbers beside the models', its training, its goal, and what it refuses."""

import re
from dataclasses import replace

import numpy as np
import pytest

from attention_lib.examples.small_models import load_copying_run, measure_copying
from attention_lib.lessons.a_small_language_model.copying_lab import NONE, STORED, CopyingLab, Reading, goal_of
from attention_lib.training.copying import STEPS

ARC = re.compile(r'class="arc row-\d" d="[^"]+" stroke-width="([\d.]+)"')
CELL = re.compile(r'fill-opacity="[\d.]+"/><text [^>]*>([\d.]+)<')


@pytest.mark.parametrize("name", CopyingLab.presets)
def test_what_is_shown_is_what_the_stored_models_give(name):
    lab = CopyingLab(name)
    run, state = load_copying_run({"two": 2, "one": 1}[lab.state.run]), lab.state
    model = run.models[run.steps.index(state.step)]
    if state.cut != NONE:
        model = model.without_head(0, state.cut)
    trace = model(model.ids(state.words))
    rows = [weights[-1] for layer in trace.layers for weights in layer.heads.weights]  # of the last word, (4, n)
    shown = np.array(CELL.findall(lab.drawing._markup), float).reshape(4, -1)
    assert shown == pytest.approx(np.array(rows), abs=0.00501)
    assert f"{measure_copying(model).accuracy:.0%} of repeats right" in lab.line.text
    assert model.words[trace.probabilities[-1].argmax()] == next(iter(lab.reading.guesses()))


def test_the_curves_end_where_the_reader_is_and_one_layer_is_told_that_it_ends_without_the_goal():
    bends = [CopyingLab(name).drawing._markup.split('class="line line-0"')[1].count("L") for name in CopyingLab.presets]
    assert bends[0] == 0 < bends[1] < bends[2]
    is_told = ["the best head gives" in CopyingLab(name).drawing._markup for name in ("drop", "after")]
    assert is_told == [False, True], "what happens later is not told before"
    assert "no head gives" in CopyingLab("one").goal.text and "no head" not in CopyingLab("drop").goal.text


def test_it_plays_from_one_stored_model_to_the_next_and_a_hand_stops_it(waiting):
    lab, steps = CopyingLab(), load_copying_run().steps
    lab.player.button.click()
    waiting.pop()()
    assert lab.state.step == steps[2] and f"training step {steps[2]}" in lab.drawing._markup
    lab.step.slider.value = 0
    assert lab.state.step == 0 and not lab.player.plays and not waiting
    lab.undo()
    assert lab.state.step == steps[2]
    while lab.state.step < STEPS:
        lab.player.button.click() if not waiting else waiting.pop()()
    assert not lab.player.plays and lab.goal.text.startswith("Goal reached")


def test_the_slider_stops_at_the_stored_models_and_says_how_many_there_are(waiting):
    lab = CopyingLab("drop")
    assert STORED == load_copying_run(1).steps == load_copying_run(2).steps
    for place, step in enumerate(STORED):
        lab.step.slider.value = place
        assert lab.state.step == step
    assert lab.step.label == "step (12 stored)" and lab.step.slider.max == 11
    lab.step.box.value = "137"
    assert lab.state.step == 140 and lab.message.text == "step (12 stored): 137 became 140."


def test_a_layer_may_be_guessed_first_and_the_answer_says_why():
    def is_seen(control):
        return control.layout.display != "none"

    lab = CopyingLab()
    assert all(map(is_seen, [*lab.answers, lab.player.button])) and not is_seen(lab.step), "play skips the guess"
    assert 'class="strong"' not in lab.drawing._markup, "no head stands out before training"
    assert lab.goal.text == "Which layer learns to look from “hat” to “ship”? Guess, or press play."
    for place, verdict in enumerate(("✗ Not layer 0: “hat” finds “ship”", "Right: “hat” finds “ship” in layer 1")):
        lab.start_again()
        lab.answers[place].click()
        assert is_seen(lab.step) and not any(map(is_seen, lab.answers)) and lab.goal.text.startswith("Press play.")
        assert "Only layer 1" not in lab.line.text, "no verdict before a head is found"
        lab.step.box.value = str(STEPS)
        assert lab.goal.text.startswith(verdict) and ("is-reached" in lab.goal._dom_classes) == place
    assert not any(Reading(state).is_asked for name, (_, state) in lab.presets.items() if name != "before")


def test_other_words_are_refused():
    lab = CopyingLab("after")
    before = lab.state
    box = lab.own
    box.value = "hat hat hat"
    assert lab.state == before and "two different words" in lab.message.text
    box.value = "Moon egg moon"
    assert lab.state.text == "moon egg moon" and lab.reading.wanted == [1]
    box.value = "moon egg"
    assert lab.goal.text.startswith("egg is new in this text")


@pytest.mark.parametrize(("share", "is_reached"), [(0.494, False), (0.496, True)])
def test_the_goal_is_reached_exactly_when_the_table_says_so(share, is_reached):
    reading = CopyingLab("after").reading
    reading.shares = np.array([0.0, 0.1, share - 0.2, share])
    reading.most = 3
    text = goal_of(reading)[1]
    assert text.startswith("Goal reached") == is_reached


def test_the_head_that_is_named_looks_there_most_and_is_not_the_one_that_is_cut():
    lab = CopyingLab("after")
    for cut in (NONE, 0, 2, 3):
        lab.cut.value = cut
        assert lab.reading.most != cut and Reading(replace(lab.state, text="moon egg moon")).most != cut
        shares = {name: share for i, (name, share) in enumerate(zip(lab.reading.names, lab.reading.shares)) if i != cut}
        assert max(shares, key=shares.get) in lab.goal.text


def test_a_head_that_looks_one_word_back_has_not_found_anything_and_a_cut_head_neither():
    lab = CopyingLab("after")
    lab.own.value = "hat ship hat"
    assert (
        lab.reading.shares.max() > 0.8
        and not lab.reading.finders
        and lab.goal.text.startswith("Training is over: no head")
    )
    lab.own.value = "goat key goat key goat"
    assert lab.reading.shares[0] > 0.9 and lab.reading.finders == [3], "head 0 of layer 0 looks one word back"
    lab = CopyingLab("after")
    assert lab.reading.finders == [2, 3] and "is-reached" in lab.goal._dom_classes
    to_ship = slice(4 * 4, 5 * 4)  # the fifth word, for four heads
    assert ARC.findall(lab.drawing._markup)[to_ship] == ["0.0", "0.0", "9.6", "9.9"], "each has its arc until it is cut"
    lab.cut.value = 2
    assert 2 not in lab.reading.finders and ARC.findall(lab.drawing._markup)[to_ship] == ["0.0", "0.0", "0.0", "9.9"]
