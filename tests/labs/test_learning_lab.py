"""The learning lab without a browser: its model, and what its controls pass on."""

import doctest
import functools
import re

import numpy as np
import pytest

from attention_lib.labs import learning_lab
from attention_lib.labs.learning_lab import (
    CASES,
    EVERY,
    N_SEEDS,
    SENTENCES,
    STATES,
    STEPS,
    LearningLab,
    LearningModel,
    read_sentence,
    run_of,
)
from attention_lib.labs.learning_words import CASE_LABELS, LABELS, MESSAGES, PRESETS, SENTENCE_LABELS
from attention_lib.training.tasks import WORDS, bae_map, learn_bae, meaning_of_bae
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID

ARTICLE = SENTENCES["article"]


# of each preset: what is trained, step, what 배 looks at, what is said of the run
TALK = {
    "before": ("plain", 0, "고파서 0.13, 배 0.13, 시켜서 0.13", "35% of held-out"),
    "after": ("plain", 150, "고파서 0.50, 먹었다 0.25, 치킨을 0.20", "100% of held-out"),
    "unseen": ("unseen", 150, "먹었다 0.42, 치킨을 0.41, 고파서 0.11", "95% of held-out"),
    "frozen": ("frozen", 150, "고파서 0.13, 배 0.13, 시켜서 0.13", "100% of held-out"),
    "fast": ("fast", 0, "고파서 0.13, 배 0.13, 시켜서 0.13", "By step 5 the numbers of this run have grown beyond 100"),
}


@pytest.fixture
def lab():
    return LearningLab("after")


@functools.cache
def trained(case, seed):
    """The run that a lab should show, trained here, apart from the lab's own; once, since many tests look at it."""
    return learn_bae(seed, steps=STEPS, every=EVERY, **CASES[case])


def assert_shown(lab):
    """Everything on the page is of the model's state, recomputed here."""
    model, state = lab.model, lab.model.state
    shot = trained(state.case, state.seed).snapshots[state.place]
    trace = bae_map(shot.layer, state.tokens, scale=CASES[state.case].get("scale"))
    assert (lab.view["W_Q"] == shot.layer.W_Q).all()
    assert (lab.view["K"] == trace.K).all()
    assert (lab.view["weights"] == trace.weights).all()
    assert lab.view["meaning"][0].tolist() == list(meaning_of_bae(shot.layer, trace, state.tokens).values())
    assert f"Step {shot.step} of {STEPS}" in lab._status.value and f"{shot.accuracy:.0%}" in lab._status.value
    assert (lab._step.slider.value, lab._step.box.value) == (state.place, str(shot.step))
    assert (lab._case.value, lab._seed.value) == (state.case, state.seed)
    assert lab.view._captions["weights"] == model.row_text()


def test_doctests():
    assert doctest.testmod(learning_lab).failed == 0


def test_it_starts_with_the_sentence_made_true(lab):
    assert_shown(lab)
    assert lab.model.row_text().startswith("Here 배 looks most at 고파서 0.50, 먹었다 0.25, 치킨을 0.20.")


def test_the_slider_goes_through_training(lab):
    for place in (0, 7, 30):
        lab._step.slider.value = place
        assert lab.model.shot.step == place * EVERY
        assert_shown(lab)
    lab._step.box.value = "52"  # between two snapshots: the nearer one
    assert lab.model.shot.step == 50
    assert_shown(lab)


@pytest.mark.parametrize("case", CASES)
def test_every_case(lab, case):
    lab._case.value = case
    assert_shown(lab)
    lab._seed.value = 1
    assert (lab.model.state.case, lab.model.state.seed) == (case, 1)
    assert_shown(lab)


def test_a_run_that_overflows_says_so_and_stays_at_what_can_be_shown(lab):
    lab._case.value = "fast"
    lab._step.slider.value = 20
    assert MESSAGES["lost"].format(step=5, largest=100, left=MESSAGES["only"]) in lab._status.value
    assert np.isfinite(lab.view["W_Q"]).all() and np.abs(lab.view["W_Q"]).max() < learning_lab.LARGEST
    assert_shown(lab)


def test_where_a_run_is_lost_leaves_room_for_other_processors():
    for seed in range(N_SEEDS):
        assert run_of("fast", seed).lost == EVERY
        lost = learn_bae(seed, steps=EVERY, every=EVERY, **CASES["fast"]).last.layer
        assert max(np.abs(W).max() for W in lost.matrices().values()) > 10 * learning_lab.LARGEST


@pytest.mark.parametrize("name", SENTENCES)
def test_every_sentence(lab, name):
    lab._sentence.value = name
    assert lab.model.state.tokens == SENTENCES[name]
    assert_shown(lab)
    lab._step.slider.value = 0
    assert_shown(lab)


@pytest.mark.parametrize("name", PRESETS)
def test_a_preset_sets_everything_in_one_step(lab, name):
    lab._seed.value = 3
    lab._sentence.value = "pear"
    lab._step.slider.value = 7
    lab._preset.value = name
    case, step, looks, said = TALK[name]
    state = lab.model.state
    assert (state.case, state.seed, lab.model.shot.step, state.tokens) == (case, 0, step, ARTICLE)
    assert f"looks most at {looks}. The" in lab.model.row_text() and said in lab.model.status()
    assert lab._preset.value == lab.model.preset == name
    assert_shown(lab)
    lab.buttons["undo"].click()
    state = lab.model.state
    assert (state.case, state.seed, state.place, state.tokens) == ("plain", 3, 7, SENTENCES["pear"])
    assert lab._preset.value == CHANGED
    assert_shown(lab)


def test_the_preset_menu_follows(lab):
    assert set(PRESETS) == set(STATES) == set(TALK)
    assert lab._preset.value == "after"
    lab._step.slider.value = 29
    assert lab._preset.value == CHANGED
    lab._step.slider.value = 0
    assert lab._preset.value == "before"
    lab._sentence.value = "ship"
    assert lab._preset.value == CHANGED
    lab.buttons["reset"].click()
    assert lab._preset.value == "after"


def test_labels_for_all():
    assert set(CASE_LABELS) == set(CASES) and set(SENTENCE_LABELS) == set(SENTENCES)


def test_an_own_sentence(lab):
    lab._own.value = "오늘 배 아프다"
    assert lab.model.state.tokens == ("오늘", "배", "아프다")
    assert lab._sentence.label == LABELS["typed"]
    assert MESSAGES["own"] in lab._answer.said.value and not lab._message.value  # beside its field
    assert lab.model.row_text().startswith("Here 배 looks most at 아프다")
    assert_shown(lab)


def test_the_name_of_an_own_sentence_says_what_is_and_is_no_choice(lab):
    lab._sentence.value = learning_lab.OWN
    assert (lab._sentence.value, lab.model.state.tokens) == ("article", ARTICLE)
    assert_shown(lab)


def all_of(part):
    return {part}.union(*map(all_of, getattr(part, "children", ())))


def test_what_is_said_and_all_controls_stand_above_the_picture(lab):
    above = lab.children[: lab.children.index(lab.view)]
    shown = {part for child in above for part in all_of(child)}
    assert {lab._own, lab._message, lab.buttons["undo"], lab.buttons["reset"], lab._step, lab.player.button} <= shown
    assert lab._loss in shown and any(LABELS["goal"] in getattr(part, "value", "") for part in above)


def test_an_own_sentence_can_be_given_again(lab):
    lab._own.value = "오늘 배 아프다"
    lab.buttons["undo"].click()
    assert lab._own.value == "" and lab.model.state.tokens == ARTICLE
    lab._own.value = "오늘 배 아프다"
    assert lab.model.state.tokens == ("오늘", "배", "아프다")
    lab._step.slider.value = 3
    assert lab._own.value == "오늘 배 아프다"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("  ", "Type a sentence first"),
        ("배 pizza", "pizza is none of these words."),
        ("배 internationalism", "international… is none of these words."),
        ("오늘 고파서", MESSAGES["no 배"]),
        ("배 배 타고", MESSAGES["no 배"]),
        ("배 " + "오늘 " * 12, "13 tokens"),
    ],
)
def test_what_cannot_be_shown_is_refused_in_a_sentence(lab, text, words):
    with pytest.raises(ValueError, match=words.split("(")[0]):
        read_sentence(text)
    if text.strip():
        lab._own.value = text
        assert words in lab._answer.said.value and "stays as it was" in lab._answer.said.value
        assert lab._own.value == text and not lab._message.value
        lab._seed.value = 1  # a change: the field has what is shown, and nothing is refused
        assert lab._own.value == lab._answer.said.value == ""
        lab._seed.value = 0
    assert lab.model.state.tokens == ARTICLE
    assert_shown(lab)


def test_only_the_row_of_bae_moves_in_W_Q(lab):
    after = lab.view["W_Q"]
    lab._step.slider.value = 0
    moved = (lab.view["W_Q"] != after).any(axis=1)
    assert [word for word, row in zip(WORDS, moved) if row] == ["배"]


def test_one_column_of_K_tells_the_cues_as_the_notebook_says(lab):
    cues = [ARTICLE.index(cue) for cue in ("고파서", "치킨을", "먹었다")]
    column = lab.view["K"][:, 2]
    assert min(column[cues]) > 0 > max(np.delete(column, cues))
    assert lab.view["W_Q"][0].argmax() == 2 and lab.view["W_Q"][0, 2].round(1) == 3.5


def test_undo_goes_back_change_by_change_and_slides_count_once(lab):
    lab._step.slider.value = 3
    lab._step.slider.value = 5
    lab._sentence.value = "ship"
    lab._case.value = "few"
    for case, tokens, place in (("plain", SENTENCES["ship"], 5), ("plain", ARTICLE, 5), ("plain", ARTICLE, 30)):
        lab.buttons["undo"].click()
        state = lab.model.state
        assert (state.case, state.tokens, state.place) == (case, tokens, place)
        assert_shown(lab)
    lab.buttons["undo"].click()
    assert lab._message.value == SAID["nothing to undo"]
    assert_shown(lab)


def test_a_slide_beyond_the_last_sound_step_is_no_step(lab):
    lab._preset.value = "fast"
    lab._step.slider.value = 30
    assert lab._step.slider.value == 0 and lab._step.slider.disabled and lab._step.box.disabled
    lab.buttons["undo"].click()
    assert lab.model.preset == "after" and not lab._step.box.disabled


def test_reset_can_be_undone(lab):
    lab._sentence.value = "pear"
    lab._step.slider.value = 2
    lab.buttons["reset"].click()
    assert lab.model.state == LearningModel("after").state
    lab.buttons["undo"].click()
    assert lab.model.state.place == 2 and lab.model.state.tokens == SENTENCES["pear"]
    assert_shown(lab)


@pytest.mark.parametrize("case", ["plain", "unscaled", "unseen"])
def test_the_code_gives_the_map_shown(lab, case):
    lab._case.value = case
    lab._step.slider.value = 8
    lab._code.switch.value = True
    *lines, last = lab._code.area.value.splitlines()
    scope = {}
    exec("\n".join(lines), scope)
    assert (eval(last, scope) == lab.view["weights"].round(2)).all()


def test_one_message_a_step(lab):
    sent = []
    lab.view.comm.send = lambda *args, **kwargs: sent.append(kwargs.get("data", args[0] if args else None))
    lab._step.slider.value = 4
    assert len(sent) == 1
    lab._sentence.value = "ship"
    assert len(sent) == 2
    lab._preset.value = "frozen"  # another run, step and sentence
    assert len(sent) == 3


def test_a_slide_outlines_what_it_changed_and_a_new_sentence_does_not(lab, monkeypatch):
    outlined = []
    monkeypatch.setattr(lab.view, "update", lambda *_, changed, **__: outlined.append(changed))
    lab._step.slider.value = 4
    lab._sentence.value = "ship"
    assert outlined == [True, False]


def test_the_still_picture(lab):
    data, _ = lab._repr_mimebundle_()
    assert data["text/plain"] == repr(lab) and data["text/plain"].startswith("Learning lab. Step 150 of 150")
    assert data["image/png"].startswith("iVBOR")
    assert "고파서" in lab.still_figure().description


def test_a_run_is_trained_once(monkeypatch, lab):
    lab._case.value = "slow"
    monkeypatch.setattr(learning_lab, "learn_bae", None)
    lab._case.value = "plain"
    lab._case.value = "slow"
    assert_shown(lab)


def test_it_opens_before_training_and_its_still_picture_shows_the_end():
    lab = LearningLab()
    assert lab.model.shot.step == 0 and lab._preset.value == "before"
    assert repr(lab) == repr(LearningLab("after"))
    assert "고파서" in lab.still_figure().description


def test_the_words_that_it_knows_stand_beside_the_field(lab):
    field, answer = lab._words.children[-2:]
    assert (field, answer) == (lab._own, lab._answer)
    assert all(word in answer.hint.value for word in WORDS)


def test_the_loss_is_drawn_as_far_as_the_run_was_shown():
    lab = LearningLab()
    lab._step.slider.value = 6
    lab._step.slider.value = 2
    losses = [shot.loss for shot in trained("plain", 0).snapshots]
    here = re.search(r'cx="([\d.]+)" cy="([\d.]+)"', lab._loss.value).groups()
    points = re.search('points="([^"]*)"', lab._loss.value)[1].split()
    assert len(points) == 7 and points[2] == ",".join(here)
    x, y = zip(*(map(float, point.split(",")) for point in points))
    assert x == pytest.approx([5 + 220 * i * EVERY / STEPS for i in range(7)], abs=0.06)
    assert y == pytest.approx([22 + 80 * (1 - loss / max(losses[:7])) for loss in losses[:7]], abs=0.06)


def test_the_row_through_time_is_that_of_each_step(lab):
    shown = lab.view["through time"]
    assert np.allclose(shown[:, -1], lab.view["weights"][ARTICLE.index("배")])
    lab._preset.value = "before"
    assert np.allclose(shown[:, 0], lab.view["weights"][ARTICLE.index("배")])
    assert lab.view._highlight["through time"] == [[None, 0]]
    lab._preset.value = "fast"  # lost after the first step: the rest stays empty
    assert np.isnan(lab.view["through time"][:, 1:]).all()


def test_the_row_through_time_shows_no_step_before_the_reader_has_been_there():
    lab = LearningLab()

    def filled():
        return int((~np.isnan(lab.view["through time"])).all(axis=0).sum())

    assert filled() == 1
    lab._step.slider.value = 7
    lab._step.slider.value = 3
    assert filled() == 8  # what was seen stays
    lab._sentence.value = "ship"
    assert filled() == 8
    lab._step.slider.value = 0
    lab._seed.value = 1
    assert filled() == 1  # another run
    lab._seed.value = 0
    assert filled() == 8


def test_the_loss_curve_marks_the_step(lab):
    assert f"loss {lab.model.shot.loss:.3f}" in lab._loss.value
    points = re.findall(r"[\d.]+,[\d.]+", re.search(r'points="([^"]+)"', lab._loss.value)[1])
    assert len(points) == 31
    lab._step.slider.value = 10
    x, y = points[10].split(",")
    assert f'cx="{x}" cy="{y}"' in lab._loss.value


def test_what_was_said_of_words_goes_with_a_number_that_is_none(lab):
    lab._own.value = "오늘 배 아프다"
    lab._step.box.value = "abc"
    assert "abc" in lab._step.said.value and not lab._answer.said.value
