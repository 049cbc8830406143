"""What notebook 06 claims, beyond what its cells show."""

import numpy as np
import pytest

from attention_lib.examples.small_models import load_writing_model
from attention_lib.training.two_languages import KOREAN, NOUNS, WALKERS, draw_sentence, in_english, in_korean


@pytest.fixture(scope="module")
def model():
    return load_writing_model()


@pytest.fixture(scope="module")
def sentences():
    """200 random sentences: subject, English words, Korean words."""
    rng = np.random.default_rng(0)
    drawn = [draw_sentence(rng) for _ in range(200)]
    return [(each.subject, in_english(each), in_korean(each)) for each in drawn]


def embedded(model, words):
    ids = model.ids(words)
    return model.W_E[ids] + model.W_P[: len(ids)]


def layer_1_guesses(model, rows):
    final = rows[-1:] + model.layers[1](rows[-1:], context=rows).output
    return model.words[(final @ model.W_U).argmax()]


def writes_by_the_shortcut(model, english, korean, common_part):
    """Whether the shortcut translates a sentence; `common_part` is added to the rows that it does not compute."""
    words = list(english)
    for right in korean:
        before = embedded(model, words)
        rows = before + common_part
        rows[-1:] = before[-1:] + model.layers[0](before[-1:], context=before).output
        words.append(layer_1_guesses(model, rows))
        if words[-1] != right:
            return False
    return True


@pytest.fixture(scope="module")
def thousand():
    rng = np.random.default_rng(0)
    return [draw_sentence(rng) for _ in range(1000)]


def test_the_shortcut_translates_8_of_1000_sentences_and_with_the_average_of_layer_0_those_about_things(
    model, thousand
):
    rng, changes = np.random.default_rng(1), []
    for _ in range(100):
        other = draw_sentence(rng)
        before = embedded(model, in_english(other) + in_korean(other))
        changes.append(model.layers[0](before, is_causal=True).output)
    average = np.concatenate(changes).mean(axis=0)
    assert np.linalg.norm(average) > 0.9 * np.linalg.norm(np.concatenate(changes), axis=1).mean()
    n_plain, n_sentences, n_repaired = 0, [0, 0], [0, 0]
    for each in thousand:
        english, korean, is_walker = in_english(each), in_korean(each), each.object_ in WALKERS
        n_plain += writes_by_the_shortcut(model, english, korean, 0)
        n_sentences[is_walker] += 1
        n_repaired[is_walker] += writes_by_the_shortcut(model, english, korean, average)
    assert (n_plain, n_sentences, n_repaired) == (8, [842, 158], [808, 4])


def test_the_object_has_to_look_at_the_verb_in_layer_0(model, thousand):
    n_wrong_without_the_verb = n_wrong_without_another = 0
    for each in thousand:
        if each.object_ not in WALKERS:
            continue
        english, korean, wanted = in_english(each), in_korean(each), NOUNS[each.object_]
        place, verb = len(english) - 2, english.index(each.verb)
        last = len(korean) - 1 - korean[::-1].index(wanted)  # the object is the last noun
        before = embedded(model, english + korean[:last])
        for hidden in range(place):
            mask = np.ones((len(before), len(before)), dtype=bool)
            mask[place, hidden] = False
            rows = before + model.layers[0](before, is_causal=True, mask=mask).output
            is_wrong = layer_1_guesses(model, rows) != wanted
            n_wrong_without_the_verb += is_wrong and hidden == verb
            n_wrong_without_another += is_wrong and hidden != verb
    assert (n_wrong_without_the_verb, n_wrong_without_another) == (108, 0)


def read_in_two_pieces(model, english, n_new):
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


def test_llama_2_7b_compares_little_in_a_prompt_and_25000_tokens_are_as_large_as_its_matrices():
    n_numbers, n = 32 * (4 * 4096**2 + 3 * 4096 * 11008), 1000
    assert round(100 * 4 * 4096 * 32 * (n * (n + 1) / 2) / (2 * n_numbers * n)) == 2
    assert round(100 * 32_000 * 4096 / n_numbers) == 2  # the matrix that computes the logits
    assert round(2 * n_numbers / (2 * 32 * 32 * 128 * 2), -3) == 25_000
