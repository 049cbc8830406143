"""The sliders for the size of a cache."""

import pytest

from attention_lib.analysis.costs import kind_of
from attention_lib.examples.stored_costs import load_model_shapes
from attention_lib.labs.cache_size import ALL, CacheSize, SizeModel, readable


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
    assert SizeModel().head_choices() == [32, 16, 8, 4, 2, 1]


def test_changing_heads_leaves_the_latent():
    model = SizeModel()
    model.load("DeepSeek-V2")
    assert "60 layers × 576 numbers × 2 bytes = 67.5 KiB" in model.lines()[0]
    model.change(n_kv_heads=128)
    assert model.shape.latent == 576
    model.change(n_kv_heads=64)
    assert model.shape.latent is None and "64 key/value heads" in model.lines()[0]


def test_controls():
    lab = CacheSize()
    assert "= 512 KiB." in lab._lines.value and "4,096 tokens: 2 GiB." in lab._lines.value
    lab._kv.value = 1
    assert "= 16 KiB." in lab._lines.value
    lab._window.value = 1024
    assert "of which the window keeps 1,024: 16 MiB." in lab._lines.value
    lab._tokens.value = 512
    assert "512 tokens: 8 MiB." in lab._lines.value
    lab._bytes.value = 1
    assert "512 tokens: 4 MiB." in lab._lines.value
    lab._reset.click()
    assert "= 512 KiB." in lab._lines.value and (lab._kv.value, lab._window.value, lab._bytes.value) == (32, ALL, 2)


def test_each_model_fits_the_controls():
    lab = CacheSize()
    for name, shape in lab.model.models.items():
        lab._model.value = name
        assert lab.model.shape == shape
        assert (lab._kv.value, lab._window.value or None) == (shape.n_kv_heads, shape.window)


def test_bars_say_the_same_as_the_lines():
    lab = CacheSize()
    lab._model.value = "Mistral-7B-v0.1"
    lab._tokens.value = 131072
    assert lab.model.bars() == {"MHA": 65536, "as published": 512, "your setting": 512}
    assert "your setting" in lab._lines.value and "512 MiB" in lab._lines.value
    assert "MiB: MHA 65536, as published 512" in lab.still_figure().description
    assert repr(lab) == "CacheSize: Mistral-7B-v0.1, 131,072 tokens, 512 MiB"
