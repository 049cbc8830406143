"""The area of a KV cache: its sides against the published shapes, its goal, and odd input."""

import pytest

from attention_lib.examples.costs import load_model_shapes
from attention_lib.labs.cache_size import MODELS, MOST_TOKENS, CacheSize, choices_of, readable, shape_of


def percent(text):
    return float(text.removesuffix("%"))


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [(0, "0 bytes"), (1023, "1023 bytes"), (1024, "1 KiB"), (1536, "1.5 KiB"), (2**20, "1 MiB"), (2**43, "8 TiB")],
)
def test_bytes_are_written_with_the_unit_in_which_they_are_short(n_bytes, text):
    assert readable(n_bytes) == text


def test_llama_2_reaches_the_cache_of_mistral_with_two_changes():
    lab = CacheSize("Llama-2-7B", n_tokens=8192)
    assert lab.goal.text == "Make your cache an eighth as large: 512 MiB or less instead of 4 GiB. Move a slider."
    lab.heads.box.value = "8"
    assert (lab.size.text, lab.share.text) == ("1 GiB", "25% of Llama-2-7B") and "Make" in lab.goal.text
    lab.window.box.value = "4,096"
    mistral = {model.name: model for model in load_model_shapes()}["Mistral-7B-v0.1"]
    assert shape_of(lab.state).cache_bytes(8192) == mistral.cache_bytes(8192) == 2**29
    assert lab.goal.text.startswith("Goal reached") and "32 layers × 8 key/value heads" in lab.height.text
    lab.undo()
    assert lab.window.box.value == "all" and lab.size.text == "1 GiB"


@pytest.mark.parametrize("name", MODELS)
def test_the_area_is_the_number_of_bytes(name):
    lab = CacheSize(name, n_tokens=8192)
    assert shape_of(lab.state) == MODELS[name] and "Make" in lab.goal.text
    assert lab.area.layout.width == lab.outline.layout.width == lab.outline.layout.height == "100.00%"
    for change in ({"heads": 0}, {"window": 9}, {"tokens": 16}):
        for control, step in change.items():
            getattr(lab, control).slider.value = step
        sides = [percent(side) for box in (lab.area, lab.outline) for side in (box.layout.width, box.layout.height)]
        n, published = lab.state.n_tokens, MODELS[name]
        expected = shape_of(lab.state).cache_bytes(n) / published.cache_bytes(n)
        assert sides[0] * sides[1] / (sides[2] * sides[3]) == pytest.approx(expected, rel=0.02)
        assert max(sides[0], sides[2]) == max(sides[1], sides[3]) == 100


def test_heads_put_keys_and_values_in_place_of_a_latent():
    lab = CacheSize("DeepSeek-V2")
    assert "a latent: 60 layers × 576 numbers × 2 bytes = 67.5 KiB" in lab.height.text
    lab.heads.box.value = "64"
    assert lab.state.latent is None and "GQA: 2 × 60 layers × 64 key/value heads" in lab.height.text
    lab.undo()
    assert lab.state.latent == 576
    lab._starts.value = "Llama-3-8B"
    assert lab.heads.among == choices_of(MODELS["Llama-3-8B"]) == [1, 2, 4, 8, 16, 32] and lab.heads.value == 8


@pytest.mark.parametrize(("typed", "window"), [("", 512), ("nan", 512), ("배", 512), ("1e400", MOST_TOKENS), ("-3", 1)])
def test_odd_input(typed, window):
    lab = CacheSize()
    lab.window.box.value = "512"
    lab.window.box.value = typed
    assert lab.state.window == window and lab.window.said.text
    with pytest.raises(ValueError, match="there is no model 'GPT'"):
        CacheSize("GPT")


def test_the_stored_picture_has_no_bar_twice():
    lab = CacheSize("Mistral-7B-v0.1", n_tokens=8192)
    assert repr(lab) == "CacheSize. The cache of 8,192 tokens, in MiB: Mistral-7B-v0.1"
    assert lab.still_figure().description.endswith("MiB: MHA 4096, as published 512.")
    lab.heads.slider.value = 0
    assert "your setting 64" in lab.still_figure().description
