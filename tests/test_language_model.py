"""The small language model: every row by hand, with and without caches, and what it refuses."""

import numpy as np
import pytest
from _profiles import close

from attention_lib import KVCache, MultiHeadAttention, softmax
from attention_lib.language_model import choose
from attention_lib.training.language_training import random_language_model

WORDS = ("the", "cat", "sat", "on", "a", "mat", "배")


def model_of(**sizes):
    return random_language_model(WORDS, **({"seed": 0, "n_heads": 4} | sizes))


def some_ids(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, len(WORDS), shape)


def test_each_step_is_what_its_name_says():
    model, ids = model_of(), some_ids(5)
    trace = model(ids)
    close(trace.rows[0], model.W_E[ids] + model.W_P[:5])
    for i, layer in enumerate(model.layers):
        assert (trace.rows[i + 1] == trace.rows[i] + layer(trace.rows[i], is_causal=True).output).all()
    close(trace.logits, trace.rows[-1] @ model.W_U)
    close(trace.probabilities, softmax(trace.logits))


def test_a_batch_is_every_text_by_itself():
    model, ids = model_of(), some_ids(2, 3, 5)
    for place in np.ndindex(2, 3):
        close(model(ids).logits[place], model(ids[place]).logits)


@pytest.mark.parametrize("cuts", [[8], [3, 5], [1] * 8, [2, 1, 1, 4]])
def test_token_by_token_with_caches_gives_the_rows_of_the_whole_text(cuts):
    model, ids = model_of(), some_ids(8)
    caches, found, start = model.new_caches(), [], 0
    for n in cuts:
        found.append(model(ids[start : start + n], caches).logits)
        start += n
    close(np.concatenate(found), model(ids).logits)
    assert [len(cache) for cache in caches] == [8, 8]


@pytest.mark.parametrize("temperature", [0.0, 0.5, 1.0])
def test_generating_with_and_without_caches_gives_the_same_words(temperature):
    model = model_of()
    ways = [
        model.generate(["the", "배"], 40, temperature=temperature, seed=1, use_cache=use_cache)
        for use_cache in (True, False)
    ]
    assert ways[0] == ways[1]
    assert ways[0][:2] == ["the", "배"] and len(ways[0]) == 42


def test_what_each_way_computes(monkeypatch):
    asked = []
    whole = MultiHeadAttention.__call__

    def counting(self, X, *args, **kwargs):
        asked.append(len(X))
        return whole(self, X, *args, **kwargs)

    monkeypatch.setattr(MultiHeadAttention, "__call__", counting)
    model = model_of()
    model.generate(["the", "cat"], 3, use_cache=False)
    assert asked == [2, 2, 3, 3, 4, 4]  # all rows of both layers, again for each new word
    asked.clear()
    model.generate(["the", "cat"], 3)
    assert asked == [2, 2, 1, 1, 1, 1]  # the prompt once, then one row a layer


def test_a_failure_in_a_later_layer_leaves_every_cache_as_it_was():
    model = model_of()
    caches = model.new_caches()
    model([1, 2], caches)
    small = [caches[0], KVCache(2, 4, 4)]
    model([1, 2], [model.new_caches()[0], small[1]])
    with pytest.raises(ValueError, match="the cache holds 2 of 2 tokens"):
        model([3], small)
    assert [len(cache) for cache in small] == [2, 2]


def test_words_are_drawn_as_often_as_the_temperature_says():
    logits, rng = np.array([2.0, 1.0, -1.0]), np.random.default_rng(0)
    for temperature in (0.5, 1.0, 3.0):
        drawn = [choose(logits, temperature, rng) for _ in range(4000)]
        np.testing.assert_allclose(np.bincount(drawn, minlength=3) / 4000, softmax(logits / temperature), atol=0.03)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("temperature", [1e-320, 1e-9])
def test_a_temperature_near_0_takes_the_likeliest(temperature):
    assert choose([1.0, 3.0, 2.0], temperature, np.random.default_rng(0)) == 1


def test_writing_ends_with_the_positions():
    model = model_of(n_positions=10)
    assert len(model.generate(["the", "cat"], 8)) == 10
    assert model.generate(["the"] * 10, 0) == ["the"] * 10


def test_a_head_that_is_cut_adds_nothing_and_the_others_stay():
    model, ids = model_of(), some_ids(6)
    before, after = model(ids).layers[1], model.without_head(1, 2)(ids).layers[1]
    close(after.output, before.output - before.contributions[2])
    assert (after.heads.weights == before.heads.weights).all()
