"""The sliders for the size of a cache."""

import re

import pytest

from attention_lib.analysis.costs import kind_of
from attention_lib.examples.stored_costs import load_model_shapes
from attention_lib.labs import MovingPoint
from attention_lib.labs.cache_size import EIGHTH, MOST_TOKENS, STARTED, CacheSize, SizeModel, readable
from attention_lib.view.lab import CHANGED


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (2**20, "1 MiB"), (2**43, "8 TiB")],
)
def test_readable(n_bytes, text):
    assert readable(n_bytes).replace(".0", "") == text


def test_kinds():
    assert [kind_of(32, h) for h in (32, 8, 1)] == ["MHA", "GQA", "MQA"]
    assert kind_of(1, 1) == "MHA"


def test_llama_2_with_the_heads_of_llama_3_is_as_large_as_llama_3():
    model = SizeModel()
    model.change(n_kv_heads=8)
    llama_3 = {shape.name: shape for shape in load_model_shapes()}["Llama-3-8B"]
    assert model.shape.cache_bytes(4096) == llama_3.cache_bytes(4096) == 2**29


def test_head_choices_divide_the_heads():
    assert SizeModel().head_choices() == [1, 2, 4, 8, 16, 32]


def test_changing_heads_leaves_the_latent():
    model = SizeModel()
    model.start_from("DeepSeek-V2")
    assert "60 layers × 576 numbers × 2 bytes = 67.5 KiB" in model.lines()[0]
    model.change(n_kv_heads=128)
    assert model.shape.latent == 576
    model.change(n_kv_heads=64)
    assert model.shape.latent is None and "64 key/value heads" in model.lines()[0]


def test_a_latent_is_no_mha_and_the_lab_says_when_it_goes():
    lab = CacheSize("DeepSeek-V2")
    assert "made from a latent" in lab._kind.value and "MHA" not in lab._kind.value
    for heads, kind in (("64", "GQA"), ("128", "MHA")):
        lab._kv.box.value = heads
        assert kind in lab._kind.value and "the latent is gone" in lab._message.value
    lab.buttons["undo"].click()
    lab.buttons["undo"].click()
    assert "made from a latent" in lab._kind.value and "gone" not in lab._message.value


def test_controls():
    lab = CacheSize()
    assert "= 512 KiB." in lab._lines.value and "Tokens: 4,096. Cache: 2 GiB." in lab._lines.value
    lab._kv.slider.value = 0
    assert "= 16 KiB." in lab._lines.value
    lab._window.box.value = "1,024"
    assert "of which the window keeps 1,024. Cache: 16 MiB." in lab._lines.value
    lab._tokens.slider.value = 9
    assert "Tokens: 512. Cache: 8 MiB." in lab._lines.value
    lab._bytes.value = 1
    assert "Tokens: 512. Cache: 4 MiB." in lab._lines.value
    lab.buttons["reset"].click()
    assert "= 512 KiB." in lab._lines.value
    assert (lab._kv.value, lab._window.value, lab._bytes.value) == (32, MOST_TOKENS, 2)
    assert lab._window.box.value == "all tokens"
    lab.buttons["undo"].click()
    assert "Tokens: 512. Cache: 4 MiB." in lab._lines.value


def test_a_typed_number_stays_and_any_can_be_typed():
    lab = CacheSize()
    lab._tokens.box.value = "3000"
    assert lab._tokens.box.value == "3000" and "Tokens: 3,000." in lab._lines.value
    lab._window.box.value = "all tokens"
    assert lab._window.said.value == "" and lab.model.shape.window is None
    lab._window.box.value = "9e9"
    assert lab._window.said.value == "window can be 1 to all tokens: 9e9 became all tokens."


def test_menu_and_numbers_agree():
    lab = CacheSize()
    lab._kv.slider.value = 0
    assert lab._preset.value == CHANGED  # no longer as published
    lab._kv.slider.value = 5
    assert lab._preset.value == "Llama-2-7B"


def test_each_model_fits_the_controls():
    lab = CacheSize()
    for name, shape in lab.model.models.items():
        lab._preset.value = name
        assert lab.model.shape == shape
        assert (lab._kv.value, lab._window.value) == (shape.n_kv_heads, shape.window or MOST_TOKENS)


def test_bars_say_the_same_as_the_lines():
    lab = CacheSize()
    lab._preset.value = "Mistral-7B-v0.1"
    lab._tokens.box.value = "131072"
    assert lab.model.bars() == {"MHA": 2**36, "as published": 2**29, "your setting": 2**29}
    widths = re.findall(r"--long: ([\d.]+)'", lab._bars.value)
    assert (
        widths == ["1.0000", "0.0078", "0.0078"] and "your setting" in lab._bars.value and "512 MiB" in lab._bars.value
    )
    assert "MiB: MHA 65536, as published 512" in lab.still_figure().description
    assert repr(lab) == "CacheSize: Mistral-7B-v0.1, 131,072 tokens, 512 MiB"


def test_it_starts_where_it_is_told_and_its_still_picture_has_no_bar_twice():
    lab = CacheSize("Mistral-7B-v0.1", n_tokens=8192)
    assert repr(lab) == "CacheSize: Mistral-7B-v0.1, 8,192 tokens, 512 MiB"
    assert lab._preset.value == "Mistral-7B-v0.1"
    assert lab.still_figure().description.endswith("MiB: MHA 4096, as published 512.")
    lab._kv.slider.value = 0
    assert "your setting 64" in lab.still_figure().description


def test_the_goal_counts_against_what_was_published():
    model = SizeModel("Llama-2-7B", 8192)
    assert model.goal_texts()[0].endswith("512 MiB or less. Now 4 GiB.")
    model.change(n_kv_heads=8)
    assert model.goal_texts()[0].endswith("Now 1 GiB.")
    model.change(window=4096)
    assert model.goal_texts()[0] == "Goal reached: 512 MiB, an eighth of the published cache or less."


@pytest.mark.parametrize("name", SizeModel().models)
def test_the_goal_can_be_reached_from_every_model_and_none_begins_there(name):
    model = SizeModel(name)
    assert model.goal_texts()[0].startswith("Goal: ")
    model.change(window=max(1, STARTED // EIGHTH // 8))
    assert model.goal_texts()[0].startswith("Goal reached")


def test_the_bar_that_the_reader_moves_is_marked():
    lab = CacheSize()
    assert lab._bars.value.count("<span class='strong'>your setting</span>") == 1
    assert lab._goal.said.value == f"<b>{lab.model.goal_texts()[0]}</b>"


@pytest.mark.parametrize("lab", [CacheSize, MovingPoint])
def test_a_lab_without_a_matrix_view_brings_the_style_of_the_labs_itself(lab):
    assert ".lab-message" in lab().children[-1]._css
