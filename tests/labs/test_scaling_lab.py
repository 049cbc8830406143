"""The scaling lab: its session and its controls without a browser."""

import re

import ipywidgets as widgets
import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.analysis.scaling import DIVISORS, DTYPES, ScalingModel, ScalingState
from attention_lib.labs import scaling_lab as lab
from attention_lib.labs.overflow_lab import OverflowLab, OverflowModel, OverflowState
from attention_lib.labs.scaling_lab import ScalingLab, ScalingSession
from attention_lib.view import controls
from attention_lib.view.lab import CHANGED, MESSAGES


def test_the_overflow_model_closes_in_on_each_edge():
    model = OverflowModel()
    model.look(11.0)
    assert np.isfinite(model.weights["naive"]).all()
    model.look(12.0)
    shown = model.weights
    assert np.isnan(shown["naive"][0, 0])
    assert np.isfinite(shown["naive"][1:]).all()
    np.testing.assert_allclose(shown["safe"], [[1, 0]] * 3, atol=1e-4)
    assert model.state.edges[0] == (11.0, 12.0)
    assert "float16: works at 11, breaks at 12." in model.sentence()
    assert "float32: not broken yet." in model.sentence()
    model.look(11.1)
    assert "float16: found, works at 11 and breaks at 11.1." in model.sentence()
    model.look(800)
    model.look(5)
    assert dict(zip(DTYPES, model.state.edges)) == {
        "float16": (11.0, 11.1),
        "float32": (12.0, 800),
        "float64": (12.0, 800),
    }
    model.reset()
    assert model.state == OverflowModel().state


def test_an_edge_that_only_broke_says_where():
    state = OverflowState(800.0, ((None, 800.0),) * len(DTYPES))
    model = OverflowModel()
    model.load(state)
    assert model.sentence() == " ".join(f"{dtype}: breaks at 800." for dtype in DTYPES)


def test_what_was_found_is_taken_back_with_the_score():
    model = OverflowModel()
    first = model.state
    for score in (20.0, 30.0, 40.0):
        model.look(score, gesture="one move of the slider")
    assert model.state.edges[0] == (1.0, 20.0)
    assert model.undo()
    assert model.state == first
    assert not model.undo()


# -- the session -------------------------------------------------------------------------------------------


def test_moving_one_control_on_and_on_is_one_step_back():
    session = ScalingSession()
    for d_k in (65, 70, 128):
        session.change("slider", d_k=d_k)
    session.change(temperature=2.0)
    assert session.undo()
    assert session.state == ScalingState(d_k=128)
    assert session.comparison.state == session.state
    assert session.undo()
    assert session.state == ScalingState()
    assert not session.undo()


def test_each_new_draw_and_each_jump_is_a_step_of_its_own():
    session = ScalingSession()
    session.change(seed=1)
    session.change(seed=2)
    session.reset()
    for state in (ScalingState(seed=2), ScalingState(seed=1), ScalingState()):
        assert session.undo()
        assert session.state == state


def test_a_refused_state_leaves_all_as_it_was():
    session = ScalingSession()
    before = session.comparison
    with pytest.raises(ValueError, match="math domain"):
        session.change(alignment=2.0)
    assert session.state == ScalingState()
    assert session.comparison is before


@pytest.mark.parametrize(
    "state", [ScalingState(), ScalingState(d_k=9, n_heads=2, temperature=0.5, alignment=0.25, seed=7)]
)
def test_the_code_reproduces_the_weights(state):
    session = ScalingSession(state)
    names = {}
    exec(session.code(), names)
    for i, name in enumerate(DIVISORS):
        np.testing.assert_allclose(names["weights"][name], session.comparison.weights[i], atol=1e-12)


# -- the controls, without a browser -----------------------------------------------------------------------


def shown_equals(a_lab, state):
    comparison = ScalingModel().compare(state)
    assert a_lab.model.state == state
    np.testing.assert_allclose(a_lab.view["weights"], comparison.one_row())
    shares = [float(share) for share in re.findall(r"<title>[^:]*: (\d+)%</title>", a_lab._scores.value)]
    np.testing.assert_allclose(shares, 100 * comparison.shares().ravel(), atol=0.51)
    np.testing.assert_allclose(a_lab.view["entropy"], comparison.measures()["entropy"])


def test_slider_and_box_say_the_same_and_the_picture_follows():
    a_lab = ScalingLab()
    shown_equals(a_lab, ScalingState())
    a_lab.d_k.slider.value = 70  # tenths of an octave
    assert a_lab.d_k.box.value == "128"
    shown_equals(a_lab, ScalingState(d_k=128))
    a_lab.d_k.box.value = " 36 "
    assert a_lab.d_k.box.value == "36"
    assert a_lab.d_k.slider.value == 52
    a_lab.temperature.box.value = "2"
    a_lab.alignment.slider.value = 30
    a_lab.heads.value = 4
    shown_equals(a_lab, ScalingState(d_k=36, n_heads=4, temperature=2, alignment=0.3))


def test_a_slider_step_that_rounds_to_the_same_number_changes_nothing():
    a_lab = ScalingLab()
    a_lab.d_k.box.value = "1"
    before = a_lab.model.comparison
    a_lab.d_k.slider.value = 3
    assert a_lab.d_k.box.value == "1"
    assert a_lab.model.comparison is before
    assert a_lab.d_k.slider.value == 3  # the hand keeps the slider


@pytest.mark.parametrize("typed", [str(d_k) for d_k in (2, 3, 5, 36, 97, 100, 1023)])
def test_a_typed_number_between_two_steps_of_the_slider_stays(typed):
    a_lab = ScalingLab()
    a_lab.d_k.box.value = typed
    step = a_lab.d_k.slider.value
    a_lab.d_k.slider.set_state({"value": step})  # what the page may send back
    assert a_lab.d_k.box.value == typed
    shown_equals(a_lab, ScalingState(d_k=int(typed)))


def test_each_slider_reaches_both_ends_and_the_numbers_of_the_presets():
    a_lab = ScalingLab()
    for knob in (a_lab.d_k, a_lab.temperature, a_lab.alignment, OverflowLab().score):
        assert knob.number_at(0) == knob.low
        assert knob.number_at(knob.n_steps) == knob.high
        assert [knob.step_of(knob.number_at(step)) for step in (0, knob.n_steps)] == [0, knob.n_steps]
        assert isinstance(knob.slider, widgets.IntSlider)  # a slider of real numbers sends its rounding back
    assert a_lab.temperature.number_at(50) == 1
    assert [a_lab.d_k.number_at(step) for step in (20, 60, 100)] == [4, 64, 1024]


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "Type a number"),
        ("ten", "“ten” is not a number"),
        ("nan", "“nan” is not a number"),
        ("inf it", "is not a number"),
        ("6.5", "6.5 is not a whole number"),
        ("😀" * 500, "is not a number"),
    ],
)
def test_odd_input_gets_a_sentence_and_the_picture_stays(typed, said):
    a_lab = ScalingLab()
    a_lab.d_k.box.value = typed
    assert said in a_lab.d_k.said.value
    assert len(a_lab.d_k.said.value) < 120
    shown_equals(a_lab, ScalingState())
    a_lab.d_k.slider.value = 10
    assert a_lab.d_k.said.value == ""
    shown_equals(a_lab, ScalingState(d_k=2))


def test_one_change_is_one_update_of_the_view(monkeypatch):
    a_lab = ScalingLab()
    updates = []
    monkeypatch.setattr(a_lab.view, "update", lambda *values, **options: updates.append(values))
    a_lab.d_k.slider.value = 66
    assert len(updates) == 1
    a_lab.d_k.box.value = "50"
    assert len(updates) == 2
    a_lab._preset.value = "long"
    assert len(updates) == 3


def test_presets_undo_reset_and_new_draw():
    a_lab = ScalingLab()
    a_lab.temperature.box.value = "2"
    for name, state in lab.STATES.items():
        a_lab._preset.value = name
        shown_equals(a_lab, state)
        assert a_lab.d_k.box.value == str(state.d_k)
        assert a_lab.alignment.box.value == f"{state.alignment:.2f}"
        assert a_lab.temperature.box.value == f"{state.temperature:.2f}"
        assert a_lab.heads.value == state.n_heads
        assert a_lab._preset.value == name
    a_lab.buttons["draw"].click()
    assert a_lab._preset.value == CHANGED
    shown_equals(a_lab, ScalingState(n_heads=1, seed=1))
    a_lab.buttons["reset"].click()  # to where the reader began last
    shown_equals(a_lab, ScalingState(n_heads=1))
    assert a_lab._preset.value == "one_head"
    for _ in range(len(lab.STATES) + 3):
        a_lab.buttons["undo"].click()
    shown_equals(a_lab, ScalingState())
    assert a_lab._message.value == MESSAGES["undone"]
    a_lab.buttons["undo"].click()
    assert a_lab._message.value == MESSAGES["nothing to undo"]
    shown_equals(a_lab, ScalingState())


@pytest.mark.parametrize(("typed", "kept"), [("0", 1), ("inf", 1024), ("2000", 1024), ("12,000", 1024)])
def test_a_number_out_of_range_becomes_the_nearest_and_the_reader_is_told(typed, kept):
    a_lab = ScalingLab()
    a_lab.d_k.box.value = typed
    assert a_lab.d_k.said.value == f"d_k can be 1 to 1024: {typed} became {kept}."
    assert a_lab.d_k.box.value == str(kept)
    shown_equals(a_lab, ScalingState(d_k=kept))


def test_numbers_typed_one_after_the_other_are_taken_back_one_by_one(monkeypatch):
    a_lab = ScalingLab()
    monkeypatch.setattr(controls, "SLIDER_PAUSE", -1.0)  # every change comes after a rest
    a_lab.d_k.box.value = "36"
    a_lab.d_k.box.value = "100"
    a_lab.buttons["undo"].click()
    shown_equals(a_lab, ScalingState(d_k=36))
    monkeypatch.setattr(controls, "SLIDER_PAUSE", 60.0)  # a slider that does not rest
    for step in (60, 61, 62):
        a_lab.d_k.slider.value = step
    a_lab.buttons["undo"].click()
    shown_equals(a_lab, ScalingState(d_k=36))


def test_the_code_box_opens_closes_and_follows():
    a_lab = ScalingLab()
    a_lab.d_k.box.value = "11"
    assert (a_lab._code.area.layout.display, a_lab._code.area.value) == ("none", "")
    a_lab._code.switch.value = True
    assert a_lab._code.area.layout.display != "none"
    assert "draw_tokens(11," in a_lab._code.area.value
    a_lab.d_k.box.value = "12"
    assert "draw_tokens(12," in a_lab._code.area.value
    a_lab._code.switch.value = False
    assert a_lab._code.area.layout.display == "none"


def test_the_sentences_say_the_numbers_of_the_picture():
    sentences = lab.sentences(ScalingModel().compare(ScalingState(d_k=64, temperature=2)))
    assert sentences["scores"].startswith("Divisors: 1, √d_k = 8, d_k = 64, √d_model = 22.63, each times T = 2.")
    assert "ln 16 = 2.773" in sentences["entropy"]
    assert "256 queries" in sentences["Jacobian norm"]


def test_the_overflow_slider_breaks_float16_and_starts_over():
    a_lab = OverflowLab()
    a_lab.score.box.value = "11.1"
    assert np.isnan(a_lab.view["naive"][0, 0])
    np.testing.assert_allclose(a_lab.view["naive"][2], softmax([11.1, 0.0]))
    assert "float16: between" not in a_lab.said.value
    assert "float16: works at 1, breaks at 11.1." in a_lab.said.value
    a_lab.score.box.value = "nine"
    assert "not a number" in a_lab.score.said.value
    assert np.isnan(a_lab.view["naive"][0, 0])
    a_lab.buttons["reset"].click()
    assert a_lab._message.value == MESSAGES["reset"]
    assert a_lab.score.box.value == "1.0"
    assert "float16: not broken yet." in a_lab.said.value
    assert np.isfinite(a_lab.view["naive"]).all()
    a_lab.buttons["undo"].click()
    assert a_lab.score.box.value == "11.1"
    assert "float16: works at 1, breaks at 11.1." in a_lab.said.value
    assert np.isnan(a_lab.view["naive"][0, 0])


@pytest.mark.parametrize("kind", [ScalingLab, OverflowLab])
def test_each_lab_stores_a_picture_and_a_stable_line(kind):
    data, metadata = kind()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/png"]
    assert data["text/plain"] == repr(kind())
    assert len(data["text/plain"]) > 20
    assert len(metadata["image/png"]["alt"]) > 20


def test_what_the_goal_speaks_of_stands_first_and_is_marked() -> None:
    assert lab.ARRANGEMENT[0][0] == "largest weight"
    assert "goal" in lab.TITLES["largest weight"] and "largest weight" in lab.MESSAGES["goal"]
