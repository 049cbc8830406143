"""Notebook 07: what it says about chance and causes, and what only the model itself can show."""

import functools
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
    for far in (sentence.moved["query, mean"] for sentence in FIVE):
        assert (far[5] > far[3, 1]).all()


@pytest.fixture(scope="module")
def model():
    return MiniLM()


@pytest.fixture(scope="module")
def new_sentences():
    """Each new sentence and the noun that “it” is."""
    rows = [line.split("|")[3] for line in CELLS["new-sentences"].splitlines() if line.startswith("| the ")]
    texts = [text.strip() for row in rows for text in row.split("<br>")]
    return [(text.replace("*", ""), re.search(r"\*\*(\w+)\*\*", text)[1]) for text in texts]


@pytest.fixture(scope="module")
def words(model, new_sentences):
    """The word that “it” reads first in each new sentence and head, (24, 6, 12)."""
    read = []
    for run in (model.run(text) for text, _ in new_sentences):
        rows = run.stacked("weights")[:, :, run.tokens.index("it"), 1:-1]
        read.append(np.array(run.tokens)[1 + rows.argmax(axis=-1)])
    return np.array(read)


def distance(a, b):
    return 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)


@needs_the_model
def test_the_24_new_sentences(words, new_sentences):
    found = words == np.array([noun for _, noun in new_sentences])[:, None, None]  # (24, 6, 12)
    assert " ".join(words[:, 3, 1]) in " ".join(CELLS["new-predict"].split())
    assert found[20:].sum(axis=0).max() == 2  # the third of three things
    for (_, noun), word in zip(new_sentences, words[:, 3, 1]):
        assert noun == word or f"*{noun}* ({'it reads ' * (noun == 'ticket')}*{word}*)" in CELLS["new-sentences"]


@needs_the_model
def test_luck_does_not_find_18_of_24(words):
    nouns = np.array([line.split() for line in NOUNS.split(",")])  # (24, 3)
    is_noun = words[:, None] == nouns[:, :, None, None]  # (24, 3, 6, 12)
    reads_a_noun = is_noun.any(axis=1).sum(axis=0)  # (6, 12), of 24 sentences
    assert reads_a_noun[3, 1] == 24
    luck = {n: sum(math.comb(n, k) * 2 ** (n - k) for k in range(18, n + 1)) / 3**n for n in range(25)}
    assert round(1 / luck[24], -3) == 28_000
    assert 72 * luck[24] < 1 / 300


@needs_the_model
def test_without_the_value_of_cls_little_changes(model, new_sentences, monkeypatch):
    texts = [load_sentence(name).text for name in sentence_names(*KINDS)] + [text for text, _ in new_sentences]
    nothing, of_cls, of_words = np.zeros((12, 32)), [], []
    for text in texts[::6]:  # all of them give 0.003
        run, attention = model.run(text), model._attention
        words = range(1, len(run.tokens) - 1)
        for place in (0, *words):
            with monkeypatch.context() as patch:
                layers = [changed(each, place, nothing) for each in attention[1:]]
                patch.setattr(model, "_attention", [attention[0], *layers])
                after = model.run(text).hidden[-1]
            far = np.mean([distance(after[j], run.hidden[-1][j]) for j in words if j != place])
            (of_words if place else of_cls).append(far)
    times = np.array(of_words) / np.mean(of_cls)
    assert len(texts) == 42 and 0.002 < np.mean(of_cls) < 0.004
    assert np.median(times) > 3 and 0.05 < (times < 1).mean() < 0.15


@pytest.fixture(scope="module")
def moved(model):
    """How far the last vector of “it” moves where heads give their means over all tokens of the stored sentences."""
    run = functools.cache(model.run)
    outputs = [run(load_sentence(name).text).stacked("output") for name in sentence_names(*KINDS)]
    mean = np.concatenate(outputs, axis=2).mean(axis=2)  # (6, 12, 32)

    def far(text, off):
        before = run(text)
        query, x = before.tokens.index("it"), before.hidden[min(off)]
        for layer in range(min(off), 6):  # the layers below stay as they are
            x, _ = model._layer(layer, x, off.get(layer, ()), mean[layer])
        return distance(x[query], before.hidden[-1][query])

    return far


@needs_the_model
def test_in_7_of_the_24_new_sentences_head_31_comes_first_in_its_layer(moved, new_sentences):
    far = [[moved(text, {3: [head]}) for head in range(12)] for text, _ in new_sentences]
    assert (np.argmax(far, axis=1) == 1).sum() == 7


@needs_the_model
def test_two_heads_of_the_notebook_do_not_stand_in_for_each_other_and_those_of_layer_2_do(moved):
    def times(*heads):
        """How many times as far as the separate effects add up to, in each of the five sentences."""
        off = {layer: [head for other, head in heads if other == layer] for layer, _ in heads}
        texts = [sentence.text for sentence in FIVE]
        alone = [sum(moved(text, {layer: [head]}) for layer, head in heads) for text in texts]
        return np.array([moved(text, off) for text in texts]) / alone

    two, whole = times((3, 1), (4, 4)), times(*((2, head) for head in range(12)))
    assert (two.min().round(2), two.max().round(2)) == (0.89, 1.09)
    assert (whole > 1).sum() == 4 and dict(zip(sentence_names("beforehand"), whole.round(1)))["report"] == 2.1


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
