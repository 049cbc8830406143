"""The copying lab without a browser: its model, its training, and what its controls pass on."""

import doctest
import itertools
import re

import numpy as np
import pytest

from attention_lib.examples import copying_course
from attention_lib.examples.copying_course import EVERY, Course
from attention_lib.examples.copying_starts import RUNS, STATES, TEXT
from attention_lib.examples.small_models import load_copying_run, measure_copying
from attention_lib.labs import copying_lab
from attention_lib.labs.copying_lab import (
    COLUMNS,
    MAPS,
    MOST_TOKENS,
    MOST_WITH_DIGITS,
    CopyingLab,
)
from attention_lib.labs.copying_words import LABELS, MESSAGES, PRESETS, RUN_LABELS
from attention_lib.training.copying import STEPS, copying_trainer
from attention_lib.training.language_training import Trainer
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID


@pytest.fixture
def lab():
    return CopyingLab("after")


def assert_shown(lab):
    """Everything on the page is of the model's state, calculated here again."""
    model, state = lab.model, lab.model.state
    whole = model.course.models[state.place]
    language = whole if state.cut is None else whole.without_head(*divmod(state.cut, model.course.n_heads))
    trace, found = language(language.ids(state.text)), measure_copying(language)
    for i, name in enumerate(MAPS):
        layer, head = divmod(i, model.course.n_heads)
        assert (lab.view[name] == trace.layers[layer].heads.weights[head]).all()
        said = "cut: adds nothing" if state.cut == i else f"induction score {found.induction[layer, head]:.2f}"
        assert lab.view._captions[name] == said
    assert f"Step {model.step} of {STEPS}" in lab._status.value and f"{found.accuracy:.0%} right" in lab._status.value
    assert " ".join(language.generate(state.text, 4)[len(state.text) :]) in lab._guess.value
    assert (lab._step.slider.value, lab._step.box.value) == (model.step // EVERY, str(model.step))
    assert (lab._run.value, lab._cut.value) == (state.run, -1 if state.cut is None else state.cut)
    assert lab._text.value == " ".join(state.text)


def test_doctests():
    assert doctest.testmod(copying_lab).failed == doctest.testmod(copying_course).failed == 0


def test_labels_for_all():
    assert set(PRESETS) == set(STATES) and set(RUN_LABELS) == set(RUNS)


TALK = {  # of each preset: step, and what is said of it
    "before": (0, "6% right"),
    "drop": (160, "55% right"),
    "after": (1000, "100% right"),
    "cut": (1000, "10% right"),
    "one": (1000, "18% right"),
    "own": (0, "Where they are new: loss 3.0"),
}


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_everything_in_one_step(lab, name):
    lab._text.value = "key jar key"
    lab._preset.value = name
    step, said = TALK[name]
    assert lab.model.step == step and said in lab.model.status()
    assert lab._preset.value == lab.model.preset == name
    assert_shown(lab)
    if name != "after":
        lab.buttons["undo"].click()
        assert lab.model.state.text == ("key", "jar", "key")
        assert_shown(lab)


def test_the_slider_goes_through_what_was_kept_by_hand_and_by_keys(lab):
    steps = load_copying_run().steps
    lab._step.box.value = "170"  # between two: the nearer, or the first of them
    assert lab.model.step in (160, 180)
    lab._step.box.value = "1000"
    assert lab.model.step == 1000
    lab._preset.value = "before"
    for step in steps[1:]:
        lab._step.slider.value += 1  # an arrow key
        assert lab.model.step == step
        assert_shown(lab)
    for step in steps[-2::-1]:
        lab._step.slider.value -= 1
        assert lab.model.step == step


def test_every_head_can_be_cut_and_mended(lab):
    for head in range(4):
        lab._cut.value = head
        assert f"off-{head}" in lab._dom_classes
        assert_shown(lab)
    lab._cut.value = -1
    assert not [name for name in lab._dom_classes if name.startswith("off-")]
    assert_shown(lab)


def test_one_layer_has_its_own_maps_and_names(lab):
    lab._run.value = "one"
    assert [name for name, _ in lab._cut.options] == ["none", *(f"layer 0, head {i}" for i in range(4))]
    lab._cut.value = 3
    assert_shown(lab)
    lab._run.value = "two"
    assert lab._cut.options[4][0] == "layer 1, head 1"
    assert_shown(lab)


def test_own_words(lab):
    lab._text.value = "ink jar key owl jar"
    assert lab.model.continued()[0] == "key" and lab._preset.value == CHANGED
    assert_shown(lab)
    lab._text.value = "ink jar key owl pear door egg ink"  # more words: small cells without digits
    assert all(lab._panels()[name].dense for name in MAPS) and len(lab.model.state.text) > MOST_WITH_DIGITS
    assert_shown(lab)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("jar pizza", "pizza is none of these words."),
        ("jar internationalism", "international… is none of these words."),
        ("jar " * (MOST_TOKENS + 1), f"{MOST_TOKENS + 1} tokens"),
        ("   ", "Type a sentence first"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(lab, text, words):
    lab._text_given(text)
    assert words in lab._answer.said.value and "stays as it was" in lab._answer.said.value
    assert all(word in lab._answer.hint.value for word in lab.model.whole.words)
    lab._step.slider.value -= 1
    assert not lab._answer.said.value
    assert lab.model.state.text == TEXT
    assert_shown(lab)


def test_undo_and_reset(lab):
    lab._cut.value = 1
    lab._run.value = "one"
    lab.buttons["undo"].click()
    assert (lab.model.state.run, lab.model.state.cut) == ("two", 1)
    lab.buttons["reset"].click()
    assert lab.model.preset == "after" and SAID["reset"] in lab._message.value
    assert_shown(lab)


def test_the_button_trains_and_what_was_learned_stays(lab, waiting):
    lab._run.value = "own two"
    lab.player.button.click()
    for _ in range(3):
        waiting.pop()()
    assert lab.model.step == 40 and lab.player.plays and lab._bar.value == 40
    assert f"step 40 of {STEPS}, loss" in lab._bar_text.value
    assert_shown(lab)
    lab.player.button.click()
    assert MESSAGES["stopped"].format(step=40) in lab._message.value and not waiting
    trainer = copying_trainer(0)
    trainer.run(40)
    for name, W in trainer.model.parameters().items():
        assert (lab.model.whole.parameters()[name] == W).all()
    lab._run.value = "two"  # away, and back: it is still there
    assert (lab._bar.value, MESSAGES["no bar"] in lab._bar_text.value) == (0, True)
    lab._run.value = "own two"
    assert lab._bar.value == 40
    assert lab.model.step == 40
    lab.buttons["undo"].click()
    lab.buttons["undo"].click()
    lab.buttons["undo"].click()  # before the training: what was learned is there all the same
    assert lab.model.step == 0 and lab.model.course.steps[-1] == 40
    lab.player.button.click()
    assert lab.model.step == 50
    lab.player.stop()


def test_each_training_is_undone_by_itself(waiting):
    lab = CopyingLab("own")
    for _ in range(2):
        lab.player.button.click()
        waiting.pop()()
        lab.player.button.click()
    steps = []
    for _ in range(2):
        lab.buttons["undo"].click()
        steps.append(lab.model.step)
    assert steps == [20, 0]


def test_with_a_head_cut_curve_and_bar_say_that_they_are_of_the_whole_model(waiting):
    lab = CopyingLab("own")
    lab.player.button.click()
    lab.player.button.click()
    for cut, said in ((1, True), (-1, False)):
        lab._cut.value = cut
        assert ("nothing cut" in lab._loss.value, "nothing cut" in lab._bar_text.value) == (said, said)
        assert lab.view._captions["through time"] == (MESSAGES["time uncut"] if said else "")
    lab._preset.value = "cut"
    whole = f"nothing cut: loss {load_copying_run().again_loss[-1]:.2f}"
    assert whole in lab._loss.value and whole.split(": ")[1] not in lab._status.value


def test_the_mark_of_the_overview_stands_where_something_is_shown(waiting, monkeypatch):
    marked = []
    lab = CopyingLab("own")
    monkeypatch.setattr(lab.view, "update", lambda *_, highlight, **__: marked.append(highlight["through time"][0][1]))
    lab.player.button.click()
    for _ in range(3):
        waiting.pop()()
    lab.player.stop()
    assert marked == [0, 1, 1, 2]  # steps 10 to 40
    marked.clear()
    lab._preset.value = "after"
    lab._preset.value = "before"
    assert marked == [len(COLUMNS) - 1, 0]


def test_the_curve_goes_as_far_along_its_axis_as_the_run(waiting):
    lab = CopyingLab("own")
    lab.player.button.click()
    waiting.pop()()
    lab.player.stop()
    ends = re.findall(r'points="([^"]*)"', lab._loss.value)[0].split()
    assert [float(point.split(",")[0]) for point in ends] == pytest.approx([5, 7.4, 9.8], abs=0.06)
    assert f">{STEPS}</text>" in lab._loss.value


def test_a_stored_run_gives_way_to_one_that_can_be_trained(lab, waiting):
    lab._run.value = "one"
    lab.player.button.click()
    assert lab.model.state.run == lab._run.value == "own one" and lab.model.step == EVERY
    lab.player.stop()


def test_who_looks_elsewhere_while_it_trains_is_left_there(lab, waiting):
    lab._preset.value = "own"
    lab.player.button.click()
    waiting.pop()()
    lab._step.slider.value = 1
    waiting.pop()()
    assert (lab.model.step, lab._bar.value) == (10, 30)
    lab._preset.value = "after"
    waiting.pop()()
    assert (lab.model.step, lab._bar.value) == (1000, 40)
    assert "training seed 0, layers 2: step 40" in lab._bar_text.value
    assert_shown(lab)
    lab.player.button.click()
    assert "The other run ended at step 40 and is kept (seed 0, layers 2)." in lab._message.value


@pytest.mark.parametrize("other", [{"_seed": 5}, {"_run": "own one"}])
def test_the_bar_is_of_the_run_that_is_shown(lab, waiting, other):
    lab._preset.value = "own"
    lab.player.button.click()
    waiting.pop()()
    lab.player.button.click()
    (name, value), step = next(iter(other.items())), lab._bar.value
    before, menu = getattr(lab, name).value, getattr(lab, name)
    menu.value = value  # never trained
    assert (lab._bar.value, MESSAGES["no bar"] in lab._bar_text.value) == (0, True)
    menu.value = before
    assert lab._bar.value == step > 0 and f"step {step} of {STEPS}" in lab._bar_text.value


def test_the_seconds_of_one_press_are_counted_and_the_next_has_as_many(waiting):
    times = iter(range(1000))
    lab = CopyingLab("own", seconds=3, clock=lambda: next(times))  # each turn takes a second
    for last in (30, 60):
        lab.player.button.click()
        while waiting:
            waiting.pop()()
        assert lab.model.step == last and not lab.player.plays
        assert MESSAGES["time is up"].format(seconds=3, step=last) in lab._message.value


def test_an_interrupt_of_the_kernel_ends_it_and_keeps_what_was_learned(waiting, monkeypatch):
    lab, take = CopyingLab("own"), Trainer.take_step

    def interrupted(trainer):
        if trainer.step == 14:
            raise KeyboardInterrupt
        return take(trainer)

    monkeypatch.setattr(Trainer, "take_step", interrupted)
    lab.player.button.click()
    waiting.pop()()
    assert lab.model.step == 14 and not waiting and not lab.player.plays
    assert MESSAGES["interrupted"].format(step=14) in lab._message.value
    monkeypatch.setattr(Trainer, "take_step", take)
    lab.player.button.click()
    assert lab.model.step == 20  # where the overview has a column
    assert np.isfinite(lab.view["through time"]).all(axis=0).tolist()[:3] == [True, True, False]
    lab.player.stop()


def test_at_the_end_it_says_so(waiting, monkeypatch):
    monkeypatch.setattr(copying_course, "STEPS", 25)
    lab = CopyingLab("own")
    lab.player.button.click()
    while waiting:
        waiting.pop()()
    assert lab.model.course.steps == [0, 10, 20, 25] and lab.model.course.is_done
    assert MESSAGES["done"].format(step=25) in lab._message.value
    lab.player.button.click()
    assert lab.model.course.steps[-1] == 25 and not lab.player.plays


def test_a_course_that_is_stored_is_the_run_and_does_not_go_on():
    for n_layers in (1, 2):
        course, run = Course(n_layers), load_copying_run(n_layers)
        assert course.steps == list(run.steps) and not course.go_on() and course.is_stored
        steps, losses = course.again_losses()
        assert (np.float32(losses) == run.again_loss).all() and steps == run.measured_at.tolist()
        assert (run.induction[::2].reshape(len(COLUMNS), -1) == course.induction_over(COLUMNS).T).all()


def test_the_scores_over_the_training_are_empty_where_nothing_was_trained(lab):
    assert np.isfinite(lab.view["through time"]).all()
    lab._preset.value = "own"
    assert np.isfinite(lab.view["through time"]).sum() == 4


@pytest.mark.parametrize("name", ["after", "cut", "one", "own"])
def test_the_code_gives_the_first_map_shown(lab, name):
    lab._preset.value = name
    lab._code.switch.value = True
    *lines, last = lab._code.area.value.splitlines()
    scope = {}
    exec("\n".join(lines), scope)
    np.testing.assert_allclose(eval(last, scope), lab.view["head 0"], atol=0.0051)  # rounded to two digits


def test_one_message_a_step(lab):
    sent = []
    lab.view.comm.send = lambda *args, **kwargs: sent.append(kwargs.get("data", args[0] if args else None))
    lab._step.slider.value = 4
    lab._cut.value = 2
    assert len(sent) == 2


def test_the_still_picture_is_that_of_the_end_wherever_it_opens():
    lab = CopyingLab()
    data, _ = lab._repr_mimebundle_()
    assert data["text/plain"] == repr(lab) == repr(CopyingLab("cut"))
    assert data["text/plain"].startswith("Copying lab. Step 1000 of 1000.")
    assert "hat attends most to ship" in lab.still_figure().description
    assert LABELS["play"] == lab.player.button.description


def test_a_stored_run_says_why_no_seed_can_be_chosen(lab):
    assert (lab._seed.label, lab._seed.tooltip) == (LABELS["stored"], MESSAGES["seed stored"]) and lab._seed.disabled
    lab._run.value = "own two"
    lab._seed.value = 3
    lab._run.value = "two"
    assert lab._seed.label == LABELS["stored"] and lab.model.state.seed == 3
    lab._run.value = "own two"
    assert (lab._seed.label, lab._seed.tooltip, lab._seed.disabled) == ("3", LABELS["seed"], False)


def test_what_followed_the_very_first_word_is_found_less_surely_and_the_lab_says_so():
    lab = CopyingLab("after")
    for text, first in [("door egg door", True), ("ink door egg door", False), ("door door egg door", False)]:
        lab._text_given(text)
        said = MESSAGES["own first" if first else "own"]
        assert lab._answer.said.value == f"<b>{said}</b>", text
    model = lab.model.whole
    pairs = list(itertools.permutations(model.words, 2))[::3]
    before = next(iter(model.words))

    def right(*front):
        found = [model.generate((*front, a, b, a), 1)[-1] == b for a, b in pairs if before not in (a, b)]
        return np.mean(found)

    assert right() < 0.6 and right(before) > 0.95  # 0.4 and 0.99, of some 110


def test_a_run_that_has_ended_elsewhere_leaves_the_bar(waiting):
    times = itertools.count()
    lab = CopyingLab("own", seconds=3, clock=lambda: next(times))  # each turn takes a second
    lab.player.button.click()
    lab._seed.value = 5
    assert "training seed 0, layers 2" in lab._bar_text.value
    while waiting:
        waiting.pop()()
    assert "The other run ended at step" in lab._message.value
    assert (lab._bar.value, MESSAGES["no bar"] in lab._bar_text.value) == (0, True)


def test_capitals_are_read_as_small_letters():
    model = copying_lab.CopyingModel("after")
    model.read("HAT Moon hat")
    assert model.state.text == ("hat", "moon", "hat")
