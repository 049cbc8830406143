"""Notebook 07: what it says about chance and causes, and what only the model itself can show."""

from dataclasses import replace

import numpy as np

from attention_lib.examples.data import read_data
from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names

PAPER = load_sentence("paper")
FIVE = [load_sentence(name) for name in sentence_names("beforehand")]
NEW = read_data("minilm_heads")["new"]


def test_the_finder_gives_the_noun_more_than_any_other_head_does():
    assert {sentence.statistics()["pair"].argmax() for sentence in FIVE} == {3 * 12 + 1}


def test_the_articles_of_the_lab_s_sentence_read_their_nouns_in_the_finder():
    creature = load_sentence("creature")
    rows = [creature.head(3, 1).weights[i] for i, token in enumerate(creature.tokens) if token == "the"]
    assert [creature.tokens[row.argmax()] for row in rows] == ["creature", "forest"]


def test_the_finder_stays_with_the_first_noun_when_one_word_changes_what_it_stands_for():
    for name, last in {"trophy": ("big", "small"), "animal": ("tired", "wide")}.items():
        two = [load_sentence(f"{name}_{word}") for word in last]
        assert len({sentence.tokens[sentence.key] for sentence in two}) == 2, "one word changes the meaning"
        rows = [sentence.head(3, 1).weights[sentence.query, 1:-1] for sentence in two]
        assert [sentence.tokens[1 + row.argmax()] for sentence, row in zip(two, rows)] == [name, name]


def distance(a, b):
    return 1 - a @ b / np.linalg.norm(a) / np.linalg.norm(b)


def test_the_word_that_it_reads_in_each_new_sentence_is_the_model_s(model):
    for record in NEW:
        run = model.run(record["text"])
        rows = run.stacked("weights")[:, :, run.tokens.index("it"), 1:-1]  # (6, 12, n)
        words = np.array(run.tokens)[1 + rows.argmax(axis=-1)]
        assert words.tolist() == [line.split() for line in record["read"]]
        places = [run.tokens.index(noun) for noun in record["nouns"]]
        assert places == sorted(places) and record["it"] in record["nouns"]


def test_without_the_value_of_cls_little_changes(model, monkeypatch):
    texts = [load_sentence(name).text for name in sentence_names(*KINDS)] + [record["text"] for record in NEW]
    nothing, of_cls, of_words = np.zeros((12, 32)), [], []
    for text in texts[::14]:  # all of them give 0.003
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
    assert 3 < np.median(times) < 6 and 0.05 < (times < 1).mean() < 0.15


def test_w_o_leaves_the_ratio_of_the_parts_in_head_4_5_nearly_the_same(model):
    run, W_O = model.run(PAPER.text), model._attention[4].W_O[5 * 32 : 6 * 32]
    parts = run.stacked("weights")[4, 5, PAPER.query][:, None] * run.stacked("V")[4, 5]  # (n, 32)
    before, after = (np.linalg.norm(each[0]) / np.linalg.norm(each[1:].sum(axis=0)) for each in (parts, parts @ W_O))
    assert abs(before - after) < 0.02 < 0.1 < before < 0.12


def changed(attention, place, value):
    """The same attention, in which one token hands over another value, (12, 32)."""

    def call(x):
        trace = attention(x)
        change = value - trace.heads.V[:, place]  # (12, 32)
        added = np.einsum("hq,hd->qhd", trace.heads.weights[:, :, place], change).reshape(len(x), -1) @ attention.W_O
        return replace(trace, output=trace.output + added)

    return call


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
