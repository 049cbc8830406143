"""The head surgery lab: its model, and its controls without a browser."""

import re
from typing import Any

import numpy as np
import pytest

from attention_lib import MultiHeadAttention
from attention_lib.analysis.surgery import operate
from attention_lib.labs.head_surgery import (
    CUTS,
    EXAMPLE,
    MESSAGES,
    OUTPUTS,
    PRESETS,
    SENTENCES,
    HeadSurgeryLab,
    SurgeryModel,
)
from attention_lib.view.assets import style_sheet
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID

OUTLINED, NOT_OUTLINED = b"", b"\0"  # the view's word for "the browser compares" and "no outlines"
DOER, COMPANY = EXAMPLE.features.index("doer"), EXAMPLE.features.index("company")


# -- the operation ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SENTENCES)
@pytest.mark.parametrize("n_heads", CUTS)
def test_nothing_operated_leaves_the_layer_as_it_is(name: str, n_heads: int) -> None:
    trace = EXAMPLE.layer(n_heads)(EXAMPLE.sentences[name].X)
    left = operate(trace, ("on",) * n_heads, EXAMPLE.W_O)
    assert np.allclose(left.delta, trace.output)
    assert np.allclose(left.contributions, trace.contributions)
    assert np.array_equal(left.weights, trace.heads.weights)


def random_trace() -> Any:
    rng = np.random.default_rng(0)
    return MultiHeadAttention(*rng.normal(size=(4, 8, 8)), n_heads=4)(rng.normal(size=(5, 8)))


def test_a_head_that_is_off_takes_its_contribution_and_nothing_else() -> None:
    trace = random_trace()
    for i in range(4):
        modes = tuple("off" if j == i else "on" for j in range(4))
        left = operate(trace, modes, trace.W_O)
        assert np.allclose(left.delta, trace.output - trace.contributions[i])
        assert not left.contributions[i].any()
        assert np.array_equal(left.weights, trace.heads.weights)


def test_averaged_heads_share_their_mean_map_and_keep_their_values() -> None:
    trace = random_trace()
    left = operate(trace, ("averaged", "on", "averaged", "off"), trace.W_O)
    mean = (trace.heads.weights[0] + trace.heads.weights[2]) / 2
    assert np.allclose(left.weights[0], mean) and np.allclose(left.weights[2], mean)
    assert np.array_equal(left.weights[1], trace.heads.weights[1])
    for i in (0, 2):
        assert np.allclose(left.contributions[i], mean @ trace.heads.V[i] @ trace.W_O[2 * i : 2 * i + 2])
    assert np.allclose(left.contributions.sum(axis=0), left.delta)
    assert np.allclose(left.weights.sum(axis=-1), 1)


def test_one_averaged_head_is_as_it_was() -> None:
    trace = random_trace()
    assert np.allclose(operate(trace, ("on", "averaged", "on", "on"), trace.W_O).delta, trace.output)


# -- what the lab teaches -----------------------------------------------------------------------------


def entry(model: SurgeryModel, column: int) -> float:
    return float(model.surgery.delta[model.row, column])


def test_averaging_or_one_wide_head_forgets_who_barked() -> None:
    model = SurgeryModel()
    assert entry(model, DOER) > 0.97 and entry(model, COMPANY) < -0.97
    for preset in ("averaged", "wide"):
        model.start_from(preset)
        assert abs(entry(model, DOER)) < 1e-9 and abs(entry(model, COMPANY)) < 1e-9
    model.set_heads(8)
    assert entry(model, DOER) > 0.97 and entry(model, COMPANY) < -0.97


def test_six_of_eight_heads_find_nothing_for_barked() -> None:
    model = SurgeryModel()
    model.set_heads(8)
    assert int(np.isclose(model.surgery.weights[:, model.row], 1 / 6).all(axis=-1).sum()) == 6


def test_a_head_silent_in_one_sentence_carries_a_pull_in_another() -> None:
    model = SurgeryModel("idle")
    assert "as it was made." in model.summary() and "now" not in model.summary()
    model.start_from("needed")
    assert model.summary() == (
        "ΔE of Tower is now asks 0.17, size −2.00; as it was made, asks 0.17, Paris 1.99, size −2.00."
    )


@pytest.mark.parametrize("name", OUTPUTS)
def test_no_output_matrix_moves_a_map_or_traces_again(name: str) -> None:
    model = SurgeryModel()
    before, trace = model.surgery.weights, model.trace
    model.set_output(name)
    model.set_mode(0, "off")
    assert model.trace is trace
    assert np.array_equal(model.surgery.weights, before)


def test_output_matrices() -> None:
    assert np.array_equal(EXAMPLE.output_matrix("identity", 4), np.eye(8))
    swapped = EXAMPLE.output_matrix("exchanged", 4)
    assert np.array_equal(swapped[:2], EXAMPLE.W_O[2:4]) and np.array_equal(swapped[2:4], EXAMPLE.W_O[:2])
    for h in CUTS:
        model = SurgeryModel()
        model.set_heads(h)
        model.set_output("stacked")  # the sum of the heads, in the first columns
        assert np.allclose(model.surgery.delta[:, : 8 // h], model.trace.heads.output.sum(axis=0))
        assert not model.surgery.delta[:, 8 // h :].any()
    with pytest.raises(ValueError, match="no W_O 'x'"):
        EXAMPLE.output_matrix("x", 4)


def test_stacked_follows_the_cut() -> None:
    model = SurgeryModel()
    model.set_output("stacked")
    model.set_heads(2)
    assert np.array_equal(model.state.W_O, EXAMPLE.output_matrix("stacked", 2))


# -- the model ----------------------------------------------------------------------------------------


def test_undo_leads_back_through_everything() -> None:
    model = SurgeryModel()
    start = model.matrices()
    model.set_mode(1, "off")
    model.set_sentence("eiffel_tower")
    model.set_heads(2)
    model.set_output("random")
    model.edit(0, 0, 1.0, gesture="g")
    model.edit(0, 0, 1.5, gesture="g")  # one gesture
    model.start_from("wide")
    for _ in range(6):
        assert model.undo()
    assert not model.undo()
    assert all(np.array_equal(model.matrices()[name], value) for name, value in start.items())


def test_what_changes_nothing_is_no_step_back() -> None:
    model = SurgeryModel()
    model.start_from("made")
    assert not model.undo()
    model.edit(0, 0, 0.5)
    model.edit(0, 0, 0.5)
    model.set_mode(1, "on")
    assert model.undo() and model.state.W_O[0, 0] == 0 and not model.undo()


def test_a_new_cut_has_all_heads_on_and_keeps_an_enlarged_head() -> None:
    model = SurgeryModel()
    model.set_mode(3, "off")
    model.enlarge(3)
    model.set_heads(2)
    assert model.state.modes == ("on", "on") and model.head == 1
    model.set_heads(1)
    assert model.head == 0
    assert model.undo() and model.undo()
    assert model.head == 3 and model.state.modes[3] == "off"


@pytest.mark.parametrize("preset", PRESETS)
def test_code_gives_the_same_delta(preset: str) -> None:
    model = SurgeryModel(preset)
    model.edit(3, 4, 0.7)
    scope: dict[str, Any] = {}
    exec(model.code(), scope)
    assert np.allclose(scope["delta"], model.surgery.delta)


def test_an_unknown_preset_is_named() -> None:
    with pytest.raises(ValueError, match="no preset 'x'; the presets are made"):
        HeadSurgeryLab("x")


def test_captions_say_mode_and_keys() -> None:
    model = SurgeryModel("averaged")
    assert model.captions()["head 0"] == "averaged. barked: dog 0.49, man 0.49"
    assert model.captions()["head 2"] == "on. barked: all 6 words alike, 0.17"
    model.set_mode(0, "off")
    assert model.captions()["head 0"].startswith("off. ")
    assert model.captions()["head 1"] == "averaged (alone: as it is). barked: man 0.98"


# -- the lab ------------------------------------------------------------------------------------------


@pytest.fixture
def lab() -> HeadSurgeryLab:
    return HeadSurgeryLab()


def tell(lab: HeadSurgeryLab, do: str, panel: str, row: int, column: int | None, **more: Any) -> None:
    """Play the message that a browser sends."""
    cell = {"do": do, "view": "t", "n": 1, "panel": panel, "row": row, "column": column}
    lab.view._receive(lab.view, cell | more, [])
    assert lab.view.last_error is None


def shows(lab: HeadSurgeryLab) -> None:
    for name, matrix in lab.model.matrices().items():
        assert np.array_equal(lab.view[name], matrix), name
    assert lab.model.summary() in lab._summary.value


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_shows_its_model_and_leads_back(lab: HeadSurgeryLab, preset: str) -> None:
    lab._preset.value = preset
    shows(lab)
    assert lab._preset.value == preset
    assert lab._sentence.value == lab.model.state.sentence and lab._heads.value == lab.model.state.n_heads
    if preset != "made":  # it stands there at the start
        lab._undo()
        shows(lab)
        assert lab._message.value == SAID["undone"]
    lab._undo()
    assert lab._message.value == SAID["nothing to undo"]


@pytest.mark.parametrize("n_heads", CUTS)
def test_the_slider_cuts_and_the_other_controls_follow(lab: HeadSurgeryLab, n_heads: int) -> None:
    lab._sentence.value = "miniature_eiffel_tower"
    lab._heads.slider.value = CUTS.index(n_heads)
    shows(lab)
    assert lab._heads.box.value == str(n_heads)
    assert [choice.layout.display == "" for choice in lab._mode_choices] == [i < n_heads for i in range(8)]


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "Type a number; H, heads stays 4."),
        ("4.5", "4.5 is not a whole number; H, heads stays 4."),
        ("two", "“two” is not a number; H, heads stays 4."),
        ("<b>", "“&lt;b&gt;” is not a number; H, heads stays 4."),
        ("3", "H, heads can be 1, 2, 4, 8: 3 became 2."),
        ("0", "H, heads can be 1, 2, 4, 8: 0 became 1."),
        ("-4", "H, heads can be 1, 2, 4, 8: -4 became 1."),
    ],
)
def test_a_bad_number_of_heads_is_a_sentence(lab: HeadSurgeryLab, typed: str, answer: str) -> None:
    lab._heads.box.value = typed
    assert lab._heads.said.value == answer
    kept = re.search(r"(\d)\.$", answer)
    assert kept and lab._heads.box.value == kept[1] == str(lab.model.state.n_heads)
    shows(lab)
    lab._mode_choices[0].value = "off"
    assert lab._heads.said.value == ""


def test_modes_are_heard(lab: HeadSurgeryLab) -> None:
    lab._mode_choices[1].value = "off"
    shows(lab)
    assert "off. barked" in str(lab.view._captions["head 1"])
    assert entry(lab.model, COMPANY) == 0


def test_one_averaged_head_is_told_that_it_has_no_other(lab: HeadSurgeryLab) -> None:
    for i, said in ((0, MESSAGES["one averaged"]), (1, MESSAGES["averaged"])):
        lab._mode_choices[i].value = "averaged"
        assert lab._message.value == said
    lab._mode_choices[0].value = "on"
    assert lab._message.value == MESSAGES["one averaged"]


def test_a_head_that_is_off_is_marked_on_the_page(lab: HeadSurgeryLab) -> None:
    lab._mode_choices[1].value = "off"
    assert "off-1" in lab._dom_classes
    lab._heads.slider.value = 1  # a new cut: all heads are on
    assert not any(name.startswith("off-") for name in lab._dom_classes)
    lab._undo()
    assert "off-1" in lab._dom_classes
    sheet = style_sheet("labs")
    assert all(f'.off-{i} [data-panel="head {i}"]' in sheet for i in range(8))


def test_an_edit_of_W_O_is_one_message_and_moves_no_map(lab: HeadSurgeryLab, monkeypatch: pytest.MonkeyPatch) -> None:
    before, sent = lab.view["head 0"], []
    monkeypatch.setattr(lab.view, "_send", lambda message, buffers=None: sent.append(message))
    tell(lab, "edit", "W_O", 0, DOER, value=0.5, gesture="g")
    assert len(sent) == 1
    shows(lab)
    assert np.array_equal(lab.view["head 0"], before)
    assert lab._output.value == "" and 0.48 < entry(lab.model, DOER) < 0.5


def test_pointing_enlarges_and_clicking_follows(lab: HeadSurgeryLab) -> None:
    tell(lab, "hover", "head 2", 0, 0)
    assert lab.model.head == 2 and lab.view._captions["enlarged"] == f"{lab.model.head_label(2)}, enlarged"
    shows(lab)
    tell(lab, "select", "head 1", 4, None)
    assert (lab.model.head, lab.model.query) == (1, "man")
    assert lab.view._highlight["ΔE"] == lab.view._highlight["head 3"] == [[4, None]]
    shows(lab)
    tell(lab, "select", "ΔE", 1, 3)
    assert (lab.model.head, lab.model.query) == (1, "dog")
    tell(lab, "select", "terms", 4, 0)
    tell(lab, "hover", "W_O", 7, 0)
    assert (lab.model.head, lab.model.query) == (1, "dog")


def test_the_menu_follows_the_state_so_that_a_preset_can_be_chosen_again(lab: HeadSurgeryLab) -> None:
    assert lab._preset.value == "made"
    lab._preset.value = "one_off"
    lab._mode_choices[0].value = "off"
    assert lab._preset.value == CHANGED
    lab._preset.value = "one_off"
    assert lab.model.state.modes == ("on", "off", "on", "on")
    lab._undo()
    lab._mode_choices[0].value = "on"
    assert lab._preset.value == "one_off"


def test_controls_are_quiet_while_python_moves_them(lab: HeadSurgeryLab) -> None:
    lab._preset.value = "needed"
    assert len(lab.model._past) == 1


def test_a_way_back_leaves_no_outline(lab: HeadSurgeryLab) -> None:
    for back in (lab._undo, lab._reset, lab._undo):
        lab._mode_choices[1].value = "off"
        assert lab.view._changed == OUTLINED
        back()
        assert lab.view._changed == NOT_OUTLINED
    tell(lab, "edit", "W_O", 0, DOER, value=0.5, gesture="g")
    assert lab.view._changed == OUTLINED
    lab._undo()
    assert lab.view._changed == NOT_OUTLINED


def test_four_heads_are_an_overview_and_the_enlarged_one_has_digits(lab: HeadSurgeryLab) -> None:
    dense = {spec["name"]: spec["dense"] for spec in lab.view._spec}
    assert [name for name, is_dense in dense.items() if is_dense] == [f"head {i}" for i in range(4)]


def test_code_follows(lab: HeadSurgeryLab) -> None:
    lab._code.switch.value = True
    lab._mode_choices[0].value = "off"
    assert "head_output[[0]] = 0" in lab._code.area.value and lab._code.area.layout.display == ""
    lab._code.switch.value = False
    assert lab._code.area.layout.display == "none"


def test_two_labs_share_nothing(lab: HeadSurgeryLab) -> None:
    other = HeadSurgeryLab()
    tell(lab, "edit", "W_O", 0, 0, value=1.0, gesture="g")
    assert other.view["W_O"][0, 0] == 0 and EXAMPLE.W_O[0, 0] == 0


def test_the_still_picture_shows_the_maps_and_its_words_never_vary(lab: HeadSurgeryLab) -> None:
    data, _ = lab._repr_mimebundle_()
    assert data["text/plain"] == repr(HeadSurgeryLab()) == f"Head surgery. {lab.model.summary()}"
    axes = lab.still_figure().axes
    for axis, weights in zip(axes, lab.model.trace.heads.weights):
        assert np.array_equal(axis.images[0].get_array(), weights)
