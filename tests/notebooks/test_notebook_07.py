"""Notebook 07: the numbers that its prose says and no cell prints come out of a calculation."""

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib.examples.measures import rank_correlation, strongest_heads
from attention_lib.examples.trained_heads import load_sentence, sentence_names

CELLS = read(NOTEBOOKS / "07_trained_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
PAPER = load_sentence("paper")
FIVE = [load_sentence(name) for name in sentence_names("beforehand")]


def products():
    head = PAPER.head(4, 4)
    each = head.Q[PAPER.query] * head.K[PAPER.key]  # (32,)
    up, down = each[each > 0], each[each < 0]
    return f"Of q · k = {each.sum():.1f}, the {len(up)} positive products give +{up.sum():.1f}", f"−{-down.sum():.1f}"


def one_of_the_best_three():
    best = PAPER.trace.weights.max(axis=(0, 1))[1:-1, 1:-1]  # (9, 9)
    apart = np.abs(np.subtract.outer(np.arange(9), np.arange(9))) > 1
    as_good = int((best[apart] >= best[PAPER.query - 1, PAPER.key - 1]).sum())
    assert as_good == 3
    return (f"one of the best three of {apart.sum()}",)


def creature():
    sentence = load_sentence("creature")
    best = sentence.trace.weights.max(axis=(0, 1))  # (n, n)
    found, n = best[sentence.query, sentence.key], len(sentence.tokens)
    apart = [(i, j) for i in range(1, n - 1) for j in range(1, n - 1) if abs(i - j) > 1]
    as_good = sum(best[pair] >= found for pair in apart)
    return (f"have {found:.2f} in their best head, which {as_good} of {len(apart)} such pairs",)


def report():
    row = FIVE[1].head(3, 1).weights[FIVE[1].query]
    return (f"in *report*, [CLS] has {row[0]:.2f} and the noun {row[FIVE[1].key]:.2f}",)


def third():
    heads = strongest_heads(PAPER.statistics()["pair"], 3, digits=2)
    assert heads[2][:2] == (3, 1)
    return (f"It was third in *paper*, {heads[2][2]}",)


def places(result="query"):
    """Of head 3.1 in the five sentences, by zero and by mean: among the 72 heads, and among the 12 of its layer."""
    tables = [far[result] for far in map(both_ways, FIVE)]
    among = [1 + int((far > far[3, 1]).sum()) for pair in tables for far in pair]
    in_layer = [1 + int((far[3] > far[3, 1]).sum()) for pair in tables for far in pair]
    return among, in_layer


def both_ways(sentence):
    return {what: (sentence.moved[what], sentence.moved[f"{what}, mean"]) for what in ("query", "sentence")}


def place_of_the_finder():
    among, in_layer = places()
    assert (min(in_layer), max(in_layer)) == (1, 7)
    first_to_last = f"the finder is {min(among)}th to {max(among)}th"
    return first_to_last, "within its own layer it is first to seventh"


def place_for_the_sentence():
    in_layer = places("sentence")[1]
    assert (min(in_layer), max(in_layer)) == (2, 10)
    return ("second to tenth of its layer",)


def luck():
    hits, tries = sum(int(s.finds_key().sum()) for s in FIVE), 5 * 72
    chance = 1 - (1 - (hits / tries) ** 5) ** 72
    return (f"were the {hits} hits of {tries} luck, a five would come up in {1000 * chance:.0f} of 1,000",)


def agreement():
    both = [rank_correlation(s.moved["query"], s.moved["query, mean"]) for s in map(load_sentence, sentence_names())]
    return (f"Zero and mean agree (rank correlation {np.mean(both):.2f} for the token)",)


def within_layers():
    """Rank correlations with how far the token moves by zero: the mean over layers, each ranked alone."""

    def agree(s, measure):
        return [rank_correlation(measure[layer], s.moved["query"][layer]) for layer in range(6)]

    def measures(s):
        weight = s.statistics()["pair"]
        output = np.linalg.norm(s.trace.output[:, :, s.query], axis=-1)
        return output, weight, weight * np.linalg.norm(s.trace.V[:, :, s.key], axis=-1)

    ten = list(map(load_sentence, sentence_names()))
    output, weight, arriving = np.mean([[agree(s, each) for each in measures(s)] for s in ten], axis=(0, 2))
    return (f"leads by more: {output:.2f}, the others {weight:.2f} and {arriving:.2f} (token, by zero)",)


def keys():
    sentence = load_sentence("keys")
    (layer, head, weight), *_ = strongest_heads(sentence.statistics()["pair"], 1, digits=2)
    assert (sentence.tokens[sentence.query], sentence.tokens[sentence.key]) == ("are", "keys")
    return (f"Head {layer}.{head} gives *keys* {weight}, the most of all 72",)


def sink():
    row = PAPER.head(4, 5).weights[PAPER.query]
    return (f"gives [CLS] {row[0]:.2f} of its weight, and all other tokens together {row[1:].sum():.2f}",)


@pytest.mark.parametrize(
    "said",
    [products, one_of_the_best_three, creature, report, third, place_of_the_finder, place_for_the_sentence, luck,
     agreement, within_layers, keys, sink],
)  # fmt: skip
def test_the_prose_says_what_comes_out(said):
    for words in said():
        assert words in PROSE, words


def test_one_head_finds_the_noun_in_all_five_and_no_other_in_more_than_three():
    found = np.sum([sentence.finds_key() for sentence in FIVE], axis=0)
    assert found[3, 1] == 5 and np.sort(found, axis=None)[-2] == 3 and found[4, 4] == 1
    texts = PROSE.replace("*", "")
    assert all(sentence.text in texts for sentence in FIVE)


def test_every_head_of_the_last_layer_moves_the_result_further_than_the_finder():
    for sentence in FIVE:
        for pair in both_ways(sentence).values():
            assert all((far[5] > far[3, 1]).all() for far in pair)
    assert (FIVE[0].moved["query"] > FIVE[0].moved["query"][3, 1]).sum() == 25  # 12 of them in the last layer
    assert places()[1][0] == 3  # of its layer, in the sentence of the cup


def test_head_44_is_first_of_its_layer_in_its_own_sentence_and_fails_in_four_of_the_five():
    assert all(far[4].argmax() == 4 for far in PAPER.moved.values())
    assert [bool(sentence.finds_key()[4, 4]) for sentence in FIVE] == [True, False, False, False, False]


def test_head_02_gives_every_word_the_one_before():
    previous = np.diagonal(PAPER.trace.weights[0, 2], -1)
    assert previous.min() > 0.99


def test_head_18_looks_ahead_with_half_of_its_weight():
    (layer, head, share), *_ = strongest_heads(PAPER.statistics()["next"], 1, digits=1)
    assert (layer, head, share) == (1, 8, 0.5)


def test_what_head_31_finds_elsewhere():
    """The noun in three other sentences; not the letter, not the street, not the suitcase."""
    names = sentence_names("sentences", "one_word")
    finds = {name: bool(load_sentence(name).finds_key()[3, 1]) for name in names}
    wanted = {"paper": True, "animal_tired": True, "trophy_big": True, "late_it": False}
    wanted |= {"animal_wide": False, "trophy_small": False}
    assert {name: finds[name] for name in wanted} == wanted


def test_half_of_the_weight_lies_on_cls_and_a_tenth_of_what_arrives():
    sentences = [load_sentence(name) for name in sentence_names()]
    on = {arriving: np.mean([s.maps(arriving)[1:, :, 1:, 0].mean() for s in sentences]) for arriving in (False, True)}
    assert 0.45 < on[False] < 0.55 and 0.07 < on[True] < 0.12
