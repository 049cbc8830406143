"""Notebook 07: what it says about chance and causes, and what only the model itself can show."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib.examples.minilm import MiniLM, weights_folder
from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names

CELLS = {cell.id: cell.source for cell in read(NOTEBOOKS / "07_trained_attention.ipynb").cells}
PAPER = load_sentence("paper")
FIVE = [load_sentence(name) for name in sentence_names("beforehand")]
NOUNS = """ticket clerk tourist, bicycle boy uncle, story teacher student, window guest owner, nurse bottle patient,
farmer wagon miller, queen ring prince, lawyer contract widow, student teacher key, king painter portrait,
mother driver package, guard thief diamond, knife bread plate, lamp desk carpet, train bridge tunnel, soup pot stove,
rain bucket yard, hammer mirror wall, wind hat river, truck fence road, milk jug cup, keys table box, ship coal factory,
money purse safe"""  # of the new sentences, in their order
needs_the_model = pytest.mark.skipif(weights_folder() is None, reason="the model is not installed")


def test_every_head_of_the_last_layer_moves_the_result_further_than_the_finder():
    assert {sentence.statistics()["pair"].argmax() for sentence in FIVE} == {3 * 12 + 1}
    for far in (sentence.moved[what] for sentence in FIVE for what in ("query", "query, mean")):
        assert (far[5] > far[3, 1]).all()


def test_7_of_12_may_be_luck():
    assert round(100 * sum(math.comb(12, k) * 2 ** (12 - k) for k in range(7, 13)) / 3**12) == 7


@needs_the_model
def test_right_after_its_layer_head_31_ranks_between_first_and_fourth(model):
    for sentence, rank in zip(FIVE, (1, 4, 4, 2, 3)):
        hidden, query = model.run(sentence.text).hidden, sentence.query
        without = [model._layer(3, hidden[3], [head], None)[0][query] for head in range(12)]
        moved = np.array([distance(row, hidden[4][query]) for row in without])
        assert 1 + (moved > moved[1]).sum() == rank


@needs_the_model
def test_a_full_stop_or_another_noun_changes_the_weight(model):
    for text, weight in ((PAPER.text + ".", "0.66"), (PAPER.text.replace("paper", "letter"), "0.46")):
        assert f"{model.run(text).stacked('weights')[4, 4, PAPER.query, PAPER.key]:.2f}" == weight
        assert weight in CELLS["pairs-say"]


@needs_the_model
def test_in_a_long_text_head_02_has_exceptions(model, new_sentences):
    weights = model.run(". ".join(text for text, _ in new_sentences) + ".").stacked("weights")[0, 2]
    n_exceptions = (weights[1:].argmax(axis=-1) != np.arange(len(weights) - 1)).sum()
    assert f"one text of {len(weights)} tokens, {n_exceptions} tokens" in CELLS["position-say"]


def test_head_31_gives_keys_more_than_any_other_head():
    pair = load_sentence("keys").statistics()["pair"]
    assert pair.argmax() == 3 * 12 + 1 and f"{pair.max():.2f}" in CELLS["lab-try"]


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture(scope="module")
def new_sentences():
    """Each new sentence and the noun that “it” is."""
    rows = [line.split("|")[3] for line in CELLS["new-sentences"].splitlines() if line.startswith("| the ")]
    texts = [text.strip() for row in rows for text in row.split("<br>")]
    return [(text.replace("*", ""), re.search(r"\*\*(\w+)\*\*", text)[1]) for text in texts]


def words_read(model, new_sentences):
    """The word that “it” reads first in each new sentence and head, (24, 6, 12)."""
    words = []
    for run in (model.run(text) for text, _ in new_sentences):
        rows = run.stacked("weights")[:, :, run.tokens.index("it"), 1:-1]
        words.append(np.array(run.tokens)[1 + rows.argmax(axis=-1)])
    return np.array(words)


def distance(a, b):
    return 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@needs_the_model
def test_the_24_new_sentences(model, new_sentences):
    words = words_read(model, new_sentences)
    found = words == np.array([noun for _, noun in new_sentences])[:, None, None]  # (24, 6, 12)
    assert " ".join(words[:, 3, 1]) in " ".join(CELLS["new-predict"].split())
    others = np.where(np.arange(72).reshape(6, 12) == 37, 0, found.sum(axis=0))
    assert (others.max(), others.argmax(), np.sort(others.ravel())[-2]) == (17, 5 * 12 + 7, 13)
    assert sum(sentence.finds_key()[5, 7] for sentence in FIVE) == 1
    for (_, noun), word in zip(new_sentences, words[:, 3, 1]):
        assert noun == word or f"*{noun}* ({'it reads ' * (noun == 'ticket')}*{word}*)" in CELLS["new-sentences"]


@needs_the_model
def test_luck_does_not_find_18_of_24(model, new_sentences):
    words = words_read(model, new_sentences)
    nouns = np.array([line.split() for line in NOUNS.split(",")])  # (24, 3)
    is_noun = words[:, None] == nouns[:, :, None, None]  # (24, 3, 6, 12)
    reads_a_noun = is_noun.any(axis=1).sum(axis=0)  # (6, 12), of 24 sentences
    assert reads_a_noun[3, 1] == 24
    luck = {n: sum(math.comb(n, k) * 2 ** (n - k) for k in range(18, n + 1)) / 3**n for n in range(25)}
    assert round(1 / luck[24], -3) == 28_000
    assert sum(luck[n] for n in reads_a_noun.ravel()) < 1 / 3000


@needs_the_model
def test_without_the_value_of_cls_little_changes(model, new_sentences, monkeypatch):
    texts = [load_sentence(name).text for name in sentence_names(*KINDS)] + [text for text, _ in new_sentences]
    rng, nothing = np.random.default_rng(0), np.zeros((12, 32))
    far = {"cls": [], "word": []}
    for text in texts[::3]:  # all of them give 0.003
        run = model.run(text)
        random_word = rng.integers(1, len(run.tokens) - 1)
        others = [j for j in range(1, len(run.tokens) - 1) if j != random_word]
        for what, place in (("cls", 0), ("word", random_word)):
            with monkeypatch.context() as patch:
                layers = [changed(each, place, nothing) for each in model._attention[1:]]
                patch.setattr(model, "_attention", [model._attention[0], *layers])
                after = model.run(text).hidden[-1]
            far[what].append(np.mean([distance(after[j], run.hidden[-1][j]) for j in others]))
    of_cls, of_word = np.mean(far["cls"]), np.mean(far["word"])
    assert len(texts) == 42 and 0.002 < of_cls < 0.004 and 7 < of_word / of_cls < 13


def changed(attention, place, value):
    """The same attention, in which one token hands over another value, (12, 32)."""

    def call(x):
        trace = attention(x)
        change = value - trace.heads.V[:, place]  # (12, 32)
        added = np.einsum("hq,hd->qhd", trace.heads.weights[:, :, place], change).reshape(len(x), -1) @ attention.W_O
        return replace(trace, output=trace.output + added)

    return call


@needs_the_model
def test_untrained_models_have_nearly_even_maps(model, monkeypatch):
    trained = model.parts

    def as_for_bert(rng, name):
        if trained[name].dtype.kind != "f":
            return trained[name]
        if name.endswith("weight") and "LayerNorm" not in name:
            return 0.02 * rng.standard_normal(trained[name].shape).astype(np.float32)
        return np.full_like(trained[name], name.endswith("weight"))

    for seed in range(3):  # in all twenty draws it is so; each takes half a second
        rng = np.random.default_rng(seed)
        monkeypatch.setattr(model, "parts", {name: as_for_bert(rng, name) for name in sorted(trained)})
        monkeypatch.setattr(model, "_attention", [model._heads(layer) for layer in range(6)])
        assert model.run(PAPER.text).stacked("weights")[:, :, PAPER.query, PAPER.key].max() < 0.15
