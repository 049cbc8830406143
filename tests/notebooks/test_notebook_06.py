"""What notebook 06 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib.examples.small_models import load_writing_model
from attention_lib.examples.timing import stored_timing
from attention_lib.kv_cache import KVCache


@pytest.fixture(scope="module")
def model():
    return load_writing_model()


def test_without_a_cache_each_doubling_takes_longer_and_with_one_the_time_is_nearly_flat():
    anew, cached = (np.array(seconds) for seconds in stored_timing("writing_seconds").seconds.values())
    assert (np.diff(anew) > 0).all()
    assert cached.max() < 2 * cached.min()
    assert anew[-1] > 50 * cached[-1]


def keep_last(cache, n):
    """A new cache with the newest n rows."""
    heads, _, d = cache.K.shape
    shorter = KVCache(cache.capacity, heads, d, dtype=cache.K.dtype)
    shorter.append(cache.K[:, -n:], cache.V[:, -n:])
    return shorter


def logits_with_window(model, ids, keep, n_layers):
    """The last logits of a model of so many layers that remembers `keep` rows."""
    model = type(model)(model.words, model.W_E, model.W_P, model.layers[:n_layers], model.W_U)
    caches = model.new_caches()
    for place, one in enumerate(ids):
        logits = model([one], caches, positions=[place]).logits[-1]
        caches = [keep_last(cache, keep) if len(cache) > keep else cache for cache in caches]
    return logits


@pytest.mark.parametrize(("n_layers", "reach"), [(1, 16), (2, 32)])
def test_a_cache_of_16_rows_reaches_16_words_back_in_each_layer(model, n_layers, reach):
    ids = model.ids(model.generate(["the"], 59, temperature=0.8, seed=1))
    changed = {back: ids.copy() for back in (reach, reach + 1)}
    for back, other in changed.items():
        other[-1 - back] = (other[-1 - back] + 7) % len(model.words)
    logits = logits_with_window(model, ids, 16, n_layers)
    moved = {back: (logits_with_window(model, other, 16, n_layers) != logits).any() for back, other in changed.items()}
    assert moved == {reach: True, reach + 1: False}


def write_in_pieces(model, cut, is_wrong):
    """Eight words after the prompt, read in two pieces; is_wrong(n_new): the mask stands at the top left."""
    ids = model.ids(["today", "the", "young", "girl", "reads", "the", "book", "."])
    caches, new, written = model.new_caches(), ids[cut:], []
    model(ids[:cut], caches)
    while len(written) < 8:
        mask = np.tri(len(new), len(caches[0]) + len(new), dtype=bool) if is_wrong(len(new)) else None
        new = model(new, caches, mask=mask).logits[-1:].argmax(axis=-1)
        written.append(model.words[new[0]])
    return " ".join(written)


def test_a_mask_at_the_top_left_of_one_piece_stays_fluent_and_is_wrong(model):
    right = "오늘 어린 소녀 가 책 을 읽는다 ."
    assert write_in_pieces(model, 6, lambda n_new: False) == right
    assert write_in_pieces(model, 6, lambda n_new: n_new > 1) == "오늘 어린 소녀 가 어린 소녀 를 읽는다"
    assert set(write_in_pieces(model, 6, lambda n_new: True).split()[1:]) == {"the"}


def test_layer_2_needs_what_layer_1_wrote_for_girl(model):
    page = model.generate(["today", "the", "young", "girl", "reads", "the", "book", "."], 8)
    ids = model.ids(page[: page.index("어린") + 1])
    rows = model.W_E[ids] + model.W_P[: len(ids)]
    written = rows + model.layers[0](rows, is_causal=True).output
    for back in (None, page.index("girl")):
        read = written.copy()
        if back is not None:
            read[back] = rows[back]
        logits = (read + model.layers[1](read, is_causal=True).output)[-1] @ model.W_U
        assert model.words[logits.argmax()] == ("소녀" if back is None else "지금")


def test_the_likeliest_word_survives_pads_that_are_read_but_its_logits_do_not(model):
    text = ["the", "cat", "eats", "the", "apple", "."]
    alone = model(model.ids(text)).logits[-1]
    read = model(model.ids(["the", "the", *text])[None], positions=np.maximum(np.arange(8) - 2, 0)[None]).logits[0, -1]
    assert read.argmax() == alone.argmax()
    assert np.abs(read - alone).max() > 1
