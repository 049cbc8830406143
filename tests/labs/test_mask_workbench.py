"""The mask workbench: reach against a walk over the graph, the model, and the controls without a browser."""

import itertools

import numpy as np
import pytest

from attention_lib import causal_mask, padding_mask, self_attention, sliding_window_mask
from attention_lib.analysis.mask_export import TARGETS, export_code
from attention_lib.analysis.mask_parts import PartSizes, mask_part
from attention_lib.labs.mask_workbench import (
    HERE,
    MESSAGES,
    PARTS,
    PRESET_STEPS,
    PRESETS,
    RECIPES,
    MaskModel,
    MaskWorkbench,
)
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID

TOKENS = ["the", "fluffy", "blue", "creature", "roamed", "the", "verdant", "forest"]
N = len(TOKENS)
X = np.random.default_rng(0).integers(-2, 3, (N, 4))
W_Q, W_K, W_V = np.random.default_rng(1).normal(size=(3, 4, 4)).round(1)


@pytest.fixture
def model():
    return MaskModel(TOKENS, X, W_Q, W_K, W_V)


@pytest.fixture
def lab():
    return MaskWorkbench(TOKENS, X, W_Q, W_K, W_V)


# -- the model -----------------------------------------------------------------------------------


def test_it_starts_causal(model):
    assert (model.state.mask == causal_mask(N)).all()
    expected = self_attention(X, W_Q, W_K, W_V, is_causal=True)
    shown = model.pictures()
    for name, step in [("scaled scores", "scaled_scores"), ("masked scores", "masked_scores"), ("weights", "weights")]:
        assert (shown[name] == getattr(expected, step)).all()
    assert (shown["layers needed"] == causal_mask(N)).all()  # everything allowed is reached in one layer


def test_one_trace_a_change_and_the_pictures_read_it(model):
    model.toggle(0, 7, True)
    assert model.pictures()["weights"] is model.trace.weights
    assert model.trace.weights[0, 7] > 0
    assert model.needed[0, 7] == 1


@pytest.mark.parametrize("part", PARTS)
def test_parts_are_square_masks_of_their_own(part):
    first, second = mask_part(part, 5), mask_part(part, 5)
    assert first.shape == (5, 5) and first.dtype == bool
    first[...] = ~first  # writable, and nobody else's
    assert (second == mask_part(part, 5)).all()


def test_parts_are_what_they_say():
    sizes = PartSizes(left=1, right=2, real=3)
    assert (mask_part("window", 5, sizes) == sliding_window_mask(5, left=1, right=2)).all()
    assert (mask_part("padding", 5, sizes) == [True, True, True, False, False]).all()
    assert (mask_part("left_padding", 5, sizes) == [False, False, True, True, True]).all()
    assert (mask_part("first", 5, sizes) == [True, False, False, False, False]).all()
    assert (mask_part("itself", 5, sizes) == np.eye(5)).all()
    assert mask_part("everything", 5).all() and not mask_part("nothing", 5).any()
    assert mask_part("padding", 5, PartSizes(real=99)).all()
    assert set(PARTS) == set(RECIPES)


def test_and_or_use(model):
    sizes = PartSizes(left=1, right=1)
    window = sliding_window_mask(N, left=1, right=1)
    model.compose("window", "and", sizes)
    assert (model.state.mask == (causal_mask(N) & window)).all()
    assert model.state.recipe == "causal, and window (left 1, right 1)"
    model.compose("first", "or")
    assert (model.state.mask == ((causal_mask(N) & window) | (np.arange(N) == 0))).all()
    assert model.state.recipe == "causal, and window (left 1, right 1), or the first word"
    model.compose("everything")
    assert model.state.mask.all() and model.state.recipe == "everything"


def test_flip_gives_the_opposite(model):
    model.flip()
    assert (model.state.mask == ~causal_mask(N)).all()
    assert model.dead_rows() == [N - 1]  # the last word may read nothing


def test_dead_rows_and_unread_words_are_named(model):
    model.start_from("dead")
    assert model.dead_rows() == [0, 1] and model.unread() == [0, 1]
    assert "the (0), fluffy" in model.captions()["weights"]
    assert "Nobody reads the (0), fluffy." in model.captions()["mask"]
    assert model.row_text(1).startswith("fluffy reads nothing")
    assert (model.trace.weights[:2] == 0).all()
    assert MESSAGES["alive"] == MaskModel(TOKENS, X, W_Q, W_K, W_V).captions()["weights"]


@pytest.mark.parametrize(
    ("preset", "expected"),
    [
        ("causal", causal_mask(N)),
        ("window", sliding_window_mask(N, left=2)),
        ("sink", causal_mask(N) & (sliding_window_mask(N, left=2) | (np.arange(N) == 0))),
        ("padding", causal_mask(N) & padding_mask(5, N)),
        ("dead", causal_mask(N) & (np.arange(N) >= 2)),
        ("encoder", np.broadcast_to(padding_mask(5, N), (N, N))),
    ],
)
def test_presets(model, preset, expected):
    model.flip()
    model.start_from(preset)
    assert (model.state.mask == expected).all()
    assert model.undo() and (model.state.mask == ~causal_mask(N)).all()  # one step


def test_every_preset_has_a_label():
    assert set(PRESETS) == set(PRESET_STEPS)


def test_undo_goes_back_through_everything(model):
    model.toggle(0, 1, True, "a")
    model.toggle(0, 2, True, "a")  # the same gesture
    model.toggle(0, 3, True, "b")
    model.compose("window", "and")
    model.set_layers(4, False, "slider")
    model.set_layers(5, False, "slider")  # the same move of it
    model.reset()
    assert model.state.recipe == "causal" and model.state.n_layers == 3
    masks = []
    while model.undo():
        masks.append((model.state.n_layers, int(model.state.mask.sum())))
    window = int((sliding_window_mask(N, left=2)).sum())
    assert masks == [(5, window), (3, window), (3, 39), (3, 38), (3, 36)]
    assert not model.undo()


def test_what_changes_nothing_is_no_step(model):
    model.reset()
    model.start_from("causal")
    model.compose("causal")
    model.toggle(0, 1, True)
    model.toggle(0, 1, True)
    model.set_layers(3, False)
    assert model.undo() and (model.state.mask == causal_mask(N)).all()
    assert not model.undo()


def test_a_mask_clicked_by_hand_says_so_once(model):
    model.toggle(0, 1, True)
    model.toggle(0, 2, True)
    assert model.state.recipe == "causal, then cells by hand"


def test_a_long_recipe_tells_its_last_steps(model):
    for _ in range(20):
        model.compose("window", "or", PartSizes(left=1))
    assert model.state.recipe == "… or window (left 1, right 0)"
    model.compose("first", "or")
    assert model.state.recipe == "… or window (left 1, right 0), or the first word"
    model.flip()
    assert model.state.recipe == "the opposite of (… or the first word)"
    model.compose("itself", "or")
    model.compose("causal", "and")
    assert model.state.recipe == "… or itself, and causal"


def test_the_recipe_of_every_preset_is_told_whole(model):
    for name in PRESETS:
        model.start_from(name)
        assert "…" not in model.state.recipe


def test_the_opposite_of_the_opposite_is_the_mask_itself(model):
    model.start_from("window")
    recipe = model.state.recipe
    model.flip()
    model.flip()
    assert model.state.recipe == recipe
    model.flip()
    model.compose("first", "or")  # no longer an opposite as a whole
    model.flip()
    assert model.state.recipe.startswith("the opposite of (…")


def test_of_many_words_it_is_said_how_many_they_are(model):
    model.start_from("encoder")
    assert model.captions()["mask"].endswith("3 words are read by nobody.")
    model.compose("nothing")
    assert model.captions()["weights"].startswith("Dead, no allowed key: 8 rows. ")


def test_row_text_names_what_a_row_reads(model):
    weights = model.trace.weights[1]
    order = sorted([0, 1], key=lambda j: -weights[j])
    names = ["the (0)", "fluffy"]
    reads = ", ".join(f"{names[j]} {weights[j]:.2f}" for j in order)
    assert model.row_text(1) == f"fluffy reads {reads}. After 3 layers: heard of 2 of 8 words."
    model.set_layers(1, True)
    assert "After 1 layer: " in model.row_text(1)


def test_the_state_as_code_reproduces_the_picture(model):
    model.start_from("sink")
    model.toggle(0, 5, True)
    names = {}
    exec(model.code().replace("print(", "shown = ("), names)
    assert (names["trace"].weights == model.trace.weights).all()
    assert names["tokens"] == TOKENS
    assert (names["shown"] == model.trace.weights.round(2)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_the_export_box_is_mask_export(model, target):
    model.start_from("sink")
    assert model.code(target) == export_code(target, model.state.mask)


def test_edits_never_reach_what_was_given():
    mine = X.astype(float)
    model = MaskModel(TOKENS, mine, W_Q, W_K, W_V)
    mine[0] = 99
    model.flip()
    assert model.inputs["X"][0, 0] == X[0, 0]


def test_inputs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match=r"X has shape \(8, 4\); it needs one row for each of 2 tokens"):
        MaskModel(["a", "b"], X, W_Q, W_K, W_V)


# -- the controls, without a browser -------------------------------------------------------------

counter = itertools.count()


def click(lab, row, column, value):
    i = next(counter)
    message = {"do": "edit", "view": "t", "n": i, "gesture": f"g{i}", "panel": "mask"}
    lab.view._receive(lab.view, message | {"row": row, "column": column, "value": value}, [])
    assert lab.view.last_error is None


def select(lab, panel, row):
    message = {"do": "select", "view": "t", "n": next(counter), "panel": panel, "row": row, "column": None}
    lab.view._receive(lab.view, message, [])


def assert_shown(lab):
    for name, array in lab.model.pictures().items():
        assert (lab.view[name] == array).all(), name


def test_a_click_reaches_every_panel(lab):
    click(lab, 0, 7, 1.0)
    assert lab.model.state.mask[0, 7]
    assert_shown(lab)
    assert lab._said.value.startswith("the (0) reads ")
    assert lab._preset.value == CHANGED
    assert "[1, 0, 0, 0, 0, 0, 0, 1]," in lab.model.code()


def test_what_changes_is_framed_unless_it_is_most_of_a_panel(lab):
    framed, none = b"", b"\x00"  # what the page compares, nothing
    click(lab, 0, 7, 1.0)
    assert lab.view._changed == framed
    lab.buttons["flip"].click()
    assert lab.view._changed == none
    lab._preset.value = "causal"
    lab._preset.value = "window"
    assert lab.view._changed == framed
    lab._part.value = "everything"
    lab.buttons["use"].click()
    assert lab.view._changed == none


def test_what_was_said_of_a_size_goes_with_the_next_act(lab):
    for act in (lambda: lab.buttons["flip"].click(), lambda: setattr(lab._part, "value", "causal")):
        lab._part.value = "window"
        lab._left.box.value = "99"
        assert "99 became 8" in lab._left.said.value
        act()
        assert lab._left.said.value == ""


def test_no_box_of_a_part_gives_up_its_room(lab):
    boxes = (lab._left, lab._right, lab._real)
    for part, seen in {"window": "vvh", "padding": "hhv", "causal": "hhh"}.items():
        lab._part.value = part
        assert "".join(box.layout.visibility[0] for box in boxes) == seen
        assert not any(box.layout.display == "none" for box in boxes)


def test_a_dead_row_is_marked_and_named(lab):
    click(lab, 0, 0, 0.0)
    assert lab.view._highlight == {name: [[0, None]] for name in ("mask", "masked scores", "weights")}
    assert "the (0)" in lab.view._captions["weights"]
    click(lab, 0, 0, 1.0)
    assert lab.view._highlight == {name: [] for name in ("mask", "masked scores", "weights")}


def test_buttons_compose_undo_and_reset(lab):
    lab._part.value = "padding"
    lab._real.box.value = "3"
    lab.buttons["and"].click()
    assert (lab.view["mask"] == (causal_mask(N) & padding_mask(3, N))).all()
    lab._part.value = "first"
    lab.buttons["use"].click()
    lab._part.value = "itself"
    lab.buttons["or"].click()
    assert (lab.view["mask"] == (np.eye(N, dtype=bool) | (np.arange(N) == 0))).all()
    lab.buttons["flip"].click()
    assert_shown(lab)
    lab.buttons["reset"].click()
    assert (lab.view["mask"] == causal_mask(N)).all()
    lab.buttons["undo"].click()
    assert lab.model.state.recipe.startswith("the opposite of")
    assert_shown(lab)


def test_undo_at_the_start_says_so(lab):
    lab.buttons["undo"].click()
    assert lab._message.value == SAID["nothing to undo"]
    assert (lab.view["mask"] == causal_mask(N)).all()


def test_presets_load_again_after_an_edit(lab):
    lab._preset.value = "window"
    assert (lab.view["mask"] == sliding_window_mask(N, left=2)).all()
    click(lab, 7, 0, 1.0)
    lab._preset.value = "window"
    assert (lab.view["mask"] == sliding_window_mask(N, left=2)).all()


def test_layers_by_slider_and_by_number(lab):
    lab._preset.value = "window"
    assert lab.view["layers needed"][7, 0] == 0
    lab._layers.slider.value = 3
    assert lab.view["layers needed"][7, 0] == 4 and lab._layers.box.value == "4"
    lab._layers.box.value = "1"
    assert lab._layers.slider.value == 0 and lab.view["layers needed"].max() == 1
    lab._skip.value = True
    assert lab.model.state.skip and lab.model.state.n_layers == 1
    shown = []
    while lab._message.value != SAID["nothing to undo"]:  # box, slider and switch: a step each
        lab.buttons["undo"].click()
        shown.append((lab._layers.value, int(lab._layers.box.value), lab._skip.value))
    assert shown[:3] == [(1, 1, False), (4, 4, False), (3, 3, False)]


def test_one_move_of_the_slider_is_one_step(lab):
    for layers in (4, 5, 6):
        lab._layers.slider.value = layers - 1
    lab._layers._slides.end()  # a pause
    lab._layers.slider.value = 7
    lab.buttons["undo"].click()
    assert lab.model.state.n_layers == 6
    lab.buttons["undo"].click()
    assert lab.model.state.n_layers == 3


def test_a_number_outside_its_range_becomes_the_nearest_and_says_so(lab):
    lab._part.value = "padding"
    lab._real.box.value = "99"
    assert str(lab._real.value) == lab._real.box.value == str(N)
    assert lab._real.said.value == f"real words can be 0 to {N}: 99 became {N}."
    lab.buttons["use"].click()
    assert lab.view["mask"].all()
    lab._real.box.value = "2"
    assert lab._real.said.value == ""
    lab._layers.box.value = "-4"
    assert lab.model.state.n_layers == lab._layers.value == int(lab._layers.box.value) == 1
    assert lab._layers.said.value == "layers can be 1 to 8: -4 became 1."
    lab._layers.slider.value = 1
    assert lab._layers.said.value == "" and lab._layers.box.value == "2"


def test_only_the_sizes_that_count_are_offered(lab):
    offered = {}
    for part in PARTS:
        lab._part.value = part
        boxes = {"left": lab._left, "right": lab._right, "real": lab._real}
        offered[part] = {name for name, box in boxes.items() if box.layout.visibility == "visible"}
    assert offered.pop("window") == {"left", "right"}
    assert offered.pop("padding") == offered.pop("left_padding") == {"real"}
    assert not any(offered.values())


def test_the_chosen_row_is_read_out(lab):
    select(lab, "weights", 5)
    assert lab._said.value.startswith("the (5) reads ")
    select(lab, "scaled scores", 6)
    assert lab._said.value.startswith("verdant reads ")


def test_the_export_box_follows_library_and_mask(lab):
    lab._code.switch.value = True
    for target in [*TARGETS, HERE]:
        lab._target.value = target
        assert lab._code.area.value == lab.model.code(target)
    lab._target.value = "torch_multihead_attention"
    assert "True = blocked" in lab._meaning.value and "NaN" in lab._meaning.value
    lab.buttons["flip"].click()
    assert lab._code.area.value == export_code("torch_multihead_attention", ~causal_mask(N))


def test_one_message_a_change(lab):
    sent = []
    lab.view.comm.send = lambda *args, **kwargs: sent.append(kwargs.get("data", args[0] if args else None))
    click(lab, 0, 7, 1.0)
    assert len(sent) == 1


def test_the_still_picture(lab):
    data, _ = lab._repr_mimebundle_()
    assert data["text/plain"] == "Mask workbench: causal: 36 of 64 pairs may attend." == repr(lab)
    assert data["image/png"].startswith("iVBOR")
    assert "36 of 64 pairs may attend" in lab.still_figure().description
