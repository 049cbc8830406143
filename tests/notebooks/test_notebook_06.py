"""What notebook 06 claims, beyond what its cells show."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import softmax
from attention_lib.examples.small_models import load_writing_model
from attention_lib.lessons.kv_cache.cache_stepper import PRESETS, tiles_so_far
from attention_lib.training.two_languages import KOREAN, NOUNS, draw_sentence, in_english, in_korean


@pytest.fixture(scope="module")
def model():
    return load_writing_model()


@pytest.fixture(scope="module")
def sentences():
    """200 random sentences: subject, English words, Korean words."""
    rng = np.random.default_rng(0)
    drawn = [draw_sentence(rng) for _ in range(200)]
    return [(each.subject, in_english(each), in_korean(each)) for each in drawn]


def test_the_tiles_of_the_stepper():
    last = replace(PRESETS["bae"][1], now=8)
    assert (tiles_so_far(last, False), tiles_so_far(last, True)) == (24, 108)
    assert [tiles_so_far(PRESETS["prefill"][1], recompute) for recompute in (False, True)] == [15, 15]


def guess_by_the_shortcut(model, ids):
    rows = model.W_E[ids] + model.W_P[: len(ids)]
    for layer in model.layers:
        rows = np.vstack([rows[:-1], rows[-1:] + layer(rows[-1:], context=rows).output])
    return (rows[-1] @ model.W_U).argmax()


def test_the_shortcut_translates_2_of_200_sentences(model, sentences):
    n_whole = n_shortcut = 0
    for _, english, korean in sentences:
        n_whole += model.generate(english, len(korean))[len(english) :] == korean
        ids = list(model.ids(english))
        for _ in korean:
            ids.append(guess_by_the_shortcut(model, np.array(ids)))
        n_shortcut += [model.words[i] for i in ids[len(english) :]] == korean
    assert (n_whole, n_shortcut) == (200, 2)


def test_layer_1_needs_a_row_and_is_misled_by_one_that_was_set_back(model, sentences):
    def after_layer_0(words):
        ids = model.ids(words)
        before = model.W_E[ids] + model.W_P[: len(ids)]
        return before, before + model.layers[0](before, is_causal=True).output

    n_needing = 0
    for subject, english, korean in sentences:
        words = english + korean[: korean.index(NOUNS[subject])]
        _, rows = after_layer_0(words)
        masks = np.ones((len(words) - 1, 1, len(words), len(words)), dtype=bool)
        masks[np.arange(len(words) - 1), 0, -1, np.arange(len(words) - 1)] = False  # each hides one word from the last
        final = [rows + model.layers[1](rows, is_causal=True, mask=mask[0]).output for mask in masks]
        right = [softmax(each[-1] @ model.W_U)[model.ids([NOUNS[subject]])[0]] for each in final]
        n_needing += min(right) < 0.5
    assert n_needing == 198
    before, rows = after_layer_0(["today", "the", "young", "girl", "reads", "the", "book", ".", "오늘", "어린"])
    for place in range(9):
        changed = rows.copy()
        changed[place] = before[place]
        assert (model.layers[1](changed, is_causal=True).heads.weights[:, -1, place] > 0.995).all()


def read_in_two_pieces(model, english, n_new):
    """Words after a sentence whose last two words were read under a mask aligned at the top left."""
    ids, caches, written = model.ids(english), model.new_caches(), []
    model(ids[:-2], caches)
    new, mask = ids[-2:], np.tri(2, len(ids), dtype=bool)
    while len(written) < n_new:
        new, mask = model(new, caches, mask=mask).logits[-1:].argmax(axis=-1), None
        written.append(model.words[new[0]])
    return written


def test_a_wrong_mask_in_one_piece_still_writes_korean(model, sentences):
    pairs = [(read_in_two_pieces(model, english, len(korean)), korean) for _, english, korean in sentences]
    wrong = [written for written, korean in pairs if written != korean]
    assert len(wrong) == 105
    assert all(set(written) <= {*KOREAN, "."} for written in wrong)


def test_pads_on_the_left_spoil_the_logits_and_not_the_best_guess(model, sentences):
    for _, english, _ in sentences:
        alone = model(model.ids(english)).logits[-1]
        column = np.arange(len(english) + 2)
        mask, positions = (column >= 2)[None, None, None], np.maximum(column - 2, 0)[None]
        for known in ({"mask": mask}, {"positions": positions}):
            logits = model(model.ids(["the", "the", *english])[None], **known).logits[0, -1]
            assert logits.argmax() == alone.argmax()
            assert np.abs(logits - alone).max() > 0.8
