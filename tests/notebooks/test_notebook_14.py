"""What notebook 14 claims, beyond what its cells show, and the functions that it stands on."""

import numpy as np
import pytest

from attention_lib.examples.small_models import load_writing_model
from attention_lib.language_model import choose
from attention_lib.lessons.long_texts.forgetting import kept_rows, write_pages
from attention_lib.training.two_languages import KINDS, NOUNS, TIMES, VERBS, draw_sentence, in_english, in_korean


@pytest.fixture(scope="module")
def model():
    return load_writing_model()


def test_an_english_word_is_at_most_12_rows_from_the_word_that_writes_its_translation():
    longest = draw_sentence(np.random.default_rng(0))._replace(
        time="today", subject_kind="small", subject="cat", verb="sees", object_kind="big", object_="dog"
    )
    rng, furthest = np.random.default_rng(1), {}
    translations = NOUNS | VERBS | KINDS | TIMES
    for sentence in [longest, *(draw_sentence(rng) for _ in range(2000))]:
        english, korean = in_english(sentence), in_korean(sentence)
        for part, word in sentence._asdict().items():
            if word and part != "object_kind":  # both kinds may be the same word, and then its first place is found
                place = len(english) + korean.index(translations[word])
                n_rows = place - english.index(word)  # from the English word to the one that writes its translation
                furthest[part] = max(furthest.get(part, 0), n_rows)
    assert furthest["verb"] == max(furthest.values()) == 12


def test_a_page_is_what_a_cache_with_dropped_rows_writes(model):
    page = write_pages(model, [kept_rows(60, first=1, last=9)] * 2, n_pages=1)[0]
    rng, caches, ids = np.random.default_rng(0), model.new_caches(), list(model.ids(["the"]))
    while len(ids) < 60:
        logits = model(ids[-1:], caches, positions=[len(ids) - 1]).logits[-1]
        ids.append(choose(logits, 0.8, rng))
        shorter = model.new_caches()
        for old, new in zip(caches, shorter):
            kept = [i for i in range(len(old)) if i == 0 or i > len(old) - 9]  # the next word is the ninth
            new.append(old.K[:, kept], old.V[:, kept])
        caches = shorter
    assert [model.words[i] for i in ids] == page
