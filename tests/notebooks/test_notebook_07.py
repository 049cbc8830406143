"""Notebook 07: what it says about chance and causes, and what only the model itself can show."""

from dataclasses import replace

import numpy as np
from notebook_tools import NOTEBOOKS, read

from attention_lib.examples.data import read_data
from attention_lib.examples.trained_heads import KINDS, load_sentence, sentence_names

CELLS = {cell.id: cell.source for cell in read(NOTEBOOKS / "07_trained_attention.ipynb").cells}
PAPER = load_sentence("paper")
FIVE = [load_sentence(name) for name in sentence_names("beforehand")]
NEW = read_data("minilm_heads")["new"]


def test_the_head_that_gives_the_noun_most_never_moves_it_furthest_with_0_in_its_place():
    assert {sentence.statistics()["pair"].argmax() for sentence in FIVE} == {3 * 12 + 1}
    assert all(sentence.moved["query"][3].argmax() != 1 for sentence in FIVE)


def test_most_articles_read_their_own_noun_in_the_finder():
    missed, first, count, adjectives = [], 0, 0, ("fluffy", "blue", "ve", "##rdan", "##t")
    for sentence in map(load_sentence, sentence_names(*KINDS)):
        for i in (i for i, token in enumerate(sentence.tokens) if token in ("the", "a")):
            count += 1
            own = next(j for j, token in enumerate(sentence.tokens) if j > i and token not in adjectives)
            row = sentence.head(3, 1).weights[i]
            first += row.argmax() == own
            if 1 + row[1:-1].argmax() != own:
                missed.append(sentence.tokens[own])
    assert f"{count - len(missed)} of the {count} articles" in CELLS["other-words-say"]
    assert f"only {first} of the {count} would" in CELLS["other-words-say"]
    assert sorted(missed) == ["boy", "table", "table"]


def test_the_finder_misses_the_last_of_three_things_and_a_second_rule_finds_one_more():
    finder = [record["read"][3].split()[1] for record in NEW]
    found, count = np.zeros(3, int), np.zeros(3, int)
    for record, word in zip(NEW[12:], finder[12:]):
        place = record["nouns"].index(record["it"])
        found[place] += word == record["it"]
        count[place] += 1
    assert (found.tolist(), count.tolist()) == ([4, 3, 0], [4, 4, 4])
    # Beside two people, the only thing is what both parts of the second rule find.
    objects = {"knife": "bread", "factory": "coal"} | {noun: noun for noun in ("bucket", "mirror", "hat", "fence")}
    by_second_rule = [objects.get(record["it"], record["nouns"][0]) for record in NEW[12:]]
    hits = 12 + sum(word == record["it"] for word, record in zip(by_second_rule, NEW[12:]))
    by_finder = sum(word == record["it"] for word, record in zip(finder, NEW))
    assert (hits, by_finder) == (19, 18) and f"finds {hits} of the 24" in CELLS["new-own"]


def test_in_one_of_the_five_sentences_cls_gets_more_than_the_noun():
    rows = {each.tokens[each.key]: each.head(3, 1).weights[each.query, [0, each.key]] for each in FIVE}
    assert [noun for noun, (cls, of_noun) in rows.items() if cls > of_noun] == ["report"]


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
    assert np.median(times) > 3 and 0.05 < (times < 1).mean() < 0.15


def test_two_heads_of_the_notebook_do_not_stand_in_for_each_other(model):
    outputs = [model.run(load_sentence(name).text).stacked("output") for name in sentence_names(*KINDS)]
    mean = np.concatenate(outputs, axis=2).mean(axis=2)  # (6, 12, 32)

    def times(*heads):
        """How many times as far as the separate effects add up to, in each of the five sentences."""
        off = {layer: [head for other, head in heads if other == layer] for layer, _ in heads}
        runs = [[model.run(each.text, off=heads_off, instead=mean) for heads_off in (None, off)] for each in FIVE]
        moved = [distance(*(run.hidden[-1, each.query] for run in both)) for each, both in zip(FIVE, runs)]
        return np.array(moved) / [sum(each.moved["query, mean"][head] for head in heads) for each in FIVE]

    two = times((3, 1), (4, 4))
    assert (two.min().round(2), two.max().round(2)) == (0.89, 1.09)
    whole = np.array([times(*((layer, head) for head in range(12))) for layer in range(6)])  # (6, 5)
    further = " | ".join(map(str, (whole > 1).sum(axis=1)))
    assert f"| sentences of five | {further} |" in CELLS["removed-together"]
    assert (whole > 2).sum() == 3 and 0.5 < whole.min() < 0.6


def test_replaced_at_it_alone_the_finder_comes_first_in_three_sentences(model, monkeypatch):
    outputs = [model.run(load_sentence(name).text).stacked("output") for name in sentence_names(*KINDS)]
    mean = np.concatenate(outputs, axis=2).mean(axis=2)[3]  # (12, 32)

    def moved(sentence, head):
        attention, before, at = model._attention[3], model.run(sentence.text).hidden[-1], sentence.query

        def call(x):
            trace = attention(x)
            output, rows = trace.output.copy(), slice(32 * head, 32 * (head + 1))
            output[at] += (mean[head] - trace.heads.output[head, at]) @ attention.W_O[rows]
            return replace(trace, output=output)

        with monkeypatch.context() as patch:
            patch.setattr(model, "_attention", [*model._attention[:3], call, *model._attention[4:]])
            return distance(model.run(sentence.text).hidden[-1][at], before[at])

    first = {each.tokens[each.key]: np.argmax([moved(each, head) for head in range(12)]) for each in FIVE}
    assert [noun for noun, head in first.items() if head == 1] == ["letter", "song", "tree"]
    assert "three of the five sentences (letter, song and tree)" in CELLS["off-say"]


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
