"""The scaling lab: its statistics against closed forms, its models, and its controls without a browser."""

import math

import ipywidgets as widgets
import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention, softmax
from attention_lib.labs import scaling_lab as lab
from attention_lib.labs.scaling_lab import (
    DTYPES,
    OverflowLab,
    OverflowModel,
    ScalingLab,
    ScalingModel,
    ScalingSession,
    ScalingState,
)
from attention_lib.view import controls

# -- the statistics ----------------------------------------------------------------------------------------


def random_rows(n_keys, spread=1.0, n_rows=20):
    return softmax(spread * np.random.default_rng(n_keys).standard_normal((n_rows, n_keys)))


def test_divisors_are_one_root_whole_and_root_of_the_width():
    assert lab.divisors(64, n_heads=8).tolist() == [1, 8, 64, math.sqrt(512)]


@pytest.mark.parametrize("d_k", [1, 4, 64, 1024])
def test_scores_of_independent_components_have_variance_d_k(d_k):
    Q, K = lab.draw_tokens(d_k, n_draws=400, n_queries=1)
    mean, error = lab.mean_and_error((Q @ K.swapaxes(-1, -2)) ** 2)
    assert abs(mean - d_k) < 4 * error
    assert error < 0.1 * d_k + 0.1  # else the line above says nothing


def test_a_longer_draw_appends_components():
    Q, K = lab.draw_tokens(8, seed=3)
    longer_Q, longer_K = lab.draw_tokens(64, seed=3)
    assert np.array_equal(longer_Q[..., :8], Q)
    assert np.array_equal(longer_K[..., :8], K)
    assert not np.array_equal(lab.draw_tokens(8, seed=4)[0], Q)


@pytest.mark.parametrize("alignment", [0.0, 0.3, 1.0])
def test_alignment_is_the_correlation_of_query_i_and_key_i(alignment):
    Q, K = lab.draw_tokens(1024, alignment=alignment)
    own, other = (Q * K[:, :8]).mean(), (Q * K[:, 8:]).mean()
    assert Q.shape == (32, 8, 1024)
    assert own == pytest.approx(alignment, abs=0.01)
    assert other == pytest.approx(0, abs=0.01)
    assert Q.var() == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize("n_keys", [1, 2, 16, 100])
def test_entropy_of_equal_weights_is_ln_n(n_keys):
    assert lab.entropy(np.full(n_keys, 1 / n_keys)) == pytest.approx(math.log(n_keys), abs=1e-12)


def test_entropy_of_one_key_is_zero_and_of_a_pair_as_by_hand():
    assert lab.entropy([0.0, 1.0, 0.0]) == 0
    assert lab.entropy([0.25, 0.75]) == pytest.approx(0.25 * math.log(4) + 0.75 * math.log(4 / 3))
    assert lab.entropy(random_rows(5)).shape == (20,)


def test_largest_weight_is_taken_in_each_row():
    assert lab.largest_weight([[0.2, 0.8], [0.5, 0.5]]).tolist() == [0.8, 0.5]


@pytest.mark.parametrize("spread", [0.1, 1, 5])
def test_the_jacobian_is_what_a_small_nudge_does(spread):
    scores = spread * np.random.default_rng(0).standard_normal(6)
    nudges = 1e-6 * np.eye(6)
    numeric = (softmax(scores + nudges) - softmax(scores - nudges)) / 2e-6  # row = nudged score
    jacobian = lab.softmax_jacobian(softmax(scores))
    np.testing.assert_allclose(jacobian, numeric.T, atol=1e-9)
    np.testing.assert_allclose(jacobian.sum(axis=1), 0, atol=1e-15)


def test_the_jacobian_norm_has_its_closed_forms():
    for n_keys in (2, 16):
        assert lab.jacobian_norm(np.full(n_keys, 1 / n_keys)) == pytest.approx(math.sqrt(n_keys - 1) / n_keys)
    assert lab.jacobian_norm([1.0, 0.0, 0.0]) == 0
    assert lab.jacobian_norm([0.5, 0.5, 0.0]) == pytest.approx(0.5)  # the largest there is
    assert lab.jacobian_norm(random_rows(8, spread=3)).max() <= 0.5


def test_the_gradient_at_the_query_is_what_a_small_nudge_of_the_query_does():
    rng = np.random.default_rng(0)
    q, K, divisor = rng.standard_normal((1, 5)), rng.standard_normal((4, 5)), 3.0

    def weights(query):
        return scaled_dot_product_attention(query, K, np.eye(4), scale=1 / divisor).weights

    nudges = 1e-6 * np.eye(5)
    numeric = (weights(q + nudges) - weights(q - nudges)) / 2e-6  # (5, 4)
    assert lab.query_gradient_norm(weights(q), K, divisor) == pytest.approx(np.linalg.norm(numeric), rel=1e-6)


def test_the_error_counts_draws_and_not_the_numbers_that_share_one():
    values = np.array([1.0, 2.0, 4.0, 5.0])
    mean, error = lab.mean_and_error(values)
    assert (mean, error) == (3, pytest.approx(values.std(ddof=1) / 2))
    assert lab.mean_and_error(np.repeat(values[:, None], 50, axis=1)) == (mean, pytest.approx(error))


def test_score_shares_count_by_nearest_whole_number_and_gather_the_ends():
    shares = lab.score_shares([[0.4, -0.4], [1.2, 300.0]])
    assert shares.tolist() == [0] * 8 + [0.5, 0.25] + [0] * 6 + [0.25]
    assert lab.score_shares([-8.7, -100.0])[0] == 1


# -- the comparison ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def model():
    return ScalingModel()


def test_each_divisor_gives_the_weights_of_the_library(model):
    state = ScalingState(d_k=36, n_heads=4, temperature=0.5, alignment=0.2, seed=1)
    comparison = model.compare(state)
    Q, K = lab.draw_tokens(36, alignment=0.2, seed=1)
    for i, divisor in enumerate([1, 6, 36, 12]):
        trace = scaled_dot_product_attention(Q, K, K, scale=1 / (divisor * 0.5))
        np.testing.assert_allclose(comparison.weights[i], trace.weights, atol=1e-12)
        np.testing.assert_allclose(comparison.scaled_scores[i], trace.scaled_scores, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(comparison.shares().sum(axis=1), 1)


def test_measures_agree_with_the_functions_row_by_row(model):
    comparison = model.compare(ScalingState(d_k=16))
    measures = comparison.measures()
    assert list(measures) == ["largest weight", "entropy", "Jacobian norm"]
    mean, error = lab.mean_and_error(lab.entropy(comparison.weights[2]))
    assert measures["entropy"][2].tolist() == [mean, error]
    assert comparison.one_row().tolist() == comparison.weights[:, 0, 0].tolist()


def test_undivided_saturates_and_the_root_stays_level(model):
    small, large = (model.compare(ScalingState(d_k=d_k)).measures() for d_k in (16, 1024))
    assert large["largest weight"][0, 0] > 0.9 > small["largest weight"][0, 0]
    for name in small:  # √d_k
        difference = abs(small[name][1, 0] - large[name][1, 0])
        assert difference < 4 * np.hypot(small[name][1, 1], large[name][1, 1])
    assert large["entropy"][2, 0] == pytest.approx(math.log(16), abs=0.001)  # d_k: flat


def test_one_head_makes_both_roots_the_same_and_temperature_multiplies(model):
    comparison = model.compare(ScalingState(d_k=64, n_heads=1))
    assert np.array_equal(comparison.weights[1], comparison.weights[3])
    warmer = model.compare(ScalingState(d_k=64, temperature=8))
    np.testing.assert_allclose(warmer.weights[1], comparison.weights[2])  # √d_k · 8 = d_k


# -- where exp breaks --------------------------------------------------------------------------------------


def test_naive_softmax_agrees_where_it_works_and_breaks_where_exp_does():
    np.testing.assert_allclose(lab.naive_softmax(np.array([1.0, 2.0])), softmax([1.0, 2.0]))
    assert np.isnan(lab.naive_softmax(np.array([1000.0, 999.0]))).all()
    assert lab.naive_softmax(np.array([1, 0], np.float16)).dtype == np.float16


@pytest.mark.parametrize(("dtype", "about"), [("float16", 11.1), ("float32", 88.7), ("float64", 709.8)])
def test_the_last_finite_exp_is_the_last(dtype, about):
    edge = np.dtype(dtype).type(lab.last_finite_exp(dtype))
    assert round(float(edge), 1) == about
    with np.errstate(over="ignore"):
        assert np.isfinite(np.exp(edge))
        assert np.isinf(np.exp(np.nextafter(edge, np.dtype(dtype).type(np.inf))))


def test_the_overflow_model_closes_in_on_each_edge():
    model = OverflowModel()
    assert np.isfinite(model.look(11.0)["naive"]).all()
    shown = model.look(12.0)
    assert np.isnan(shown["naive"][0, 0])
    assert np.isfinite(shown["naive"][1:]).all()
    np.testing.assert_allclose(shown["safe"], [[1, 0]] * 3, atol=1e-4)
    assert model.found["float16"] == (11.0, 12.0)
    assert "float16: works at 11, breaks at 12." in model.sentence()
    assert "float32: not broken yet." in model.sentence()
    model.look(11.1)
    assert "float16: found, works at 11 and breaks at 11.1." in model.sentence()
    model.look(800)
    model.look(5)
    assert model.found == {"float16": (11.0, 11.1), "float32": (12.0, 800), "float64": (12.0, 800)}
    model.reset()
    assert model.found["float16"] == (None, None)
    model.look(800)
    assert model.sentence() == " ".join(f"{dtype}: breaks at 800." for dtype in DTYPES)


# -- the session -------------------------------------------------------------------------------------------


def test_moving_one_control_on_and_on_is_one_step_back():
    session = ScalingSession()
    for d_k in (65, 70, 128):
        session.change(d_k=d_k)
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
    for i, name in enumerate(lab.DIVISORS):
        np.testing.assert_allclose(names["weights"][name], session.comparison.weights[i], atol=1e-12)


# -- the controls, without a browser -----------------------------------------------------------------------


def shown_equals(a_lab, state):
    comparison = ScalingModel().compare(state)
    assert a_lab.session.state == state
    np.testing.assert_allclose(a_lab.view["weights"], comparison.one_row())
    np.testing.assert_allclose(a_lab.view["scores"], 100 * comparison.shares())
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
    before = a_lab.session.comparison
    a_lab.d_k.slider.value = 3
    assert a_lab.d_k.box.value == "1"
    assert a_lab.session.comparison is before
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
        ("0", "between 1 and 1024"),
        ("inf", "between 1 and 1024"),
        ("2000", "between 1 and 1024"),
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
    a_lab.presets.value = "d_k = 1024"
    assert len(updates) == 3


def test_presets_undo_reset_and_new_draw():
    a_lab = ScalingLab()
    a_lab.temperature.box.value = "2"
    for name, state in lab.PRESETS.items():
        a_lab.presets.value = name
        shown_equals(a_lab, state)
        assert a_lab.d_k.box.value == str(state.d_k)
        assert a_lab.alignment.box.value == f"{state.alignment:.2f}"
        assert a_lab.temperature.box.value == f"{state.temperature:.2f}"
        assert a_lab.heads.value == state.n_heads
        assert a_lab.presets.value == name
    a_lab.buttons["reset"].click()
    shown_equals(a_lab, ScalingState())
    assert a_lab.presets.value == a_lab.session.preset
    a_lab.buttons["draw"].click()
    assert a_lab.presets.value is None
    shown_equals(a_lab, ScalingState(seed=1))
    for _ in range(len(lab.PRESETS) + 3):
        a_lab.buttons["undo"].click()
    shown_equals(a_lab, ScalingState())
    assert a_lab.view.note == ""
    a_lab.buttons["undo"].click()
    assert a_lab.view.note == "There is nothing to undo."
    shown_equals(a_lab, ScalingState())


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
    assert (a_lab.code.area.layout.display, a_lab.code.area.value) == ("none", "")
    a_lab.code.switch.value = True
    assert a_lab.code.area.layout.display != "none"
    assert "draw_tokens(11," in a_lab.code.area.value
    a_lab.d_k.box.value = "12"
    assert "draw_tokens(12," in a_lab.code.area.value
    a_lab.code.switch.value = False
    assert a_lab.code.area.layout.display == "none"


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
    a_lab.again.click()
    assert a_lab.score.box.value == "1.0"
    assert "float16: not broken yet." in a_lab.said.value
    assert np.isfinite(a_lab.view["naive"]).all()


@pytest.mark.parametrize("kind", [ScalingLab, OverflowLab])
def test_each_lab_stores_a_picture_and_a_stable_line(kind):
    data, metadata = kind()._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["image/png"]
    assert data["text/plain"] == repr(kind())
    assert len(data["text/plain"]) > 20
    assert len(metadata["image/png"]["alt"]) > 20
