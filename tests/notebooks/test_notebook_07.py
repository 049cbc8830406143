"""Notebook 07: the numbers that its prose says and no cell prints come out of a calculation."""

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib.analysis.measures import rank_correlation, strongest_heads
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


def places():
    found = [1 + int((far > far[3, 1]).sum()) for sentence in FIVE for far in sentence.moved.values()]
    return (f"the finder is between {min(found)}th and {max(found)}th of 72",)


def agreement():
    both = [rank_correlation(s.moved["query"], s.moved["query, mean"]) for s in map(load_sentence, sentence_names())]
    return (f"Zero and mean agree (rank correlation {np.mean(both):.2f} for the token)",)


def suitcase():
    small = load_sentence("trophy_small")
    (layer, head, weight), *_ = strongest_heads(small.statistics()["pair"], 1, digits=2)
    return (f"Head {layer}.{head} gives the suitcase {weight}",)


def sink():
    row = PAPER.head(4, 5).weights[PAPER.query]
    return (f"gives [CLS] {row[0]:.2f} of its weight, and all other tokens together {row[1:].sum():.2f}",)


@pytest.mark.parametrize(
    "said", [products, one_of_the_best_three, creature, report, third, places, agreement, suitcase, sink]
)
def test_the_prose_says_what_comes_out(said):
    for words in said():
        assert words in PROSE, words


def test_one_head_finds_the_noun_in_all_five_and_no_other_in_more_than_three():
    found = np.sum([sentence.finds_key() for sentence in FIVE], axis=0)
    assert found[3, 1] == 5 and np.sort(found, axis=None)[-2] == 3 and found[4, 4] == 1
    texts = PROSE.replace("*", "")
    assert all(sentence.text in texts for sentence in FIVE)


def test_head_44_is_first_to_fourth_in_its_own_sentence():
    found = [1 + int((far > far[4, 4]).sum()) for far in PAPER.moved.values()]
    assert (min(found), max(found)) == (1, 4)


def test_head_02_gives_every_word_the_one_before():
    previous = np.diagonal(PAPER.trace.weights[0, 2], -1)
    assert previous.min() > 0.99


def test_head_18_looks_ahead_with_half_of_its_weight():
    (layer, head, share), *_ = strongest_heads(PAPER.statistics()["next"], 1, digits=1)
    assert (layer, head, share) == (1, 8, 0.5)


def test_what_head_31_finds_elsewhere():
    """The noun in three other sentences; not the letter, not the street, not the suitcase."""
    finds = {s.name: bool(s.finds_key()[3, 1]) for s in map(load_sentence, sentence_names("sentences", "one_word"))}
    wanted = {"paper": True, "animal_tired": True, "trophy_big": True, "late_it": False}
    wanted |= {"animal_wide": False, "trophy_small": False}
    assert {name: finds[name] for name in wanted} == wanted


def test_half_of_the_weight_lies_on_cls_and_a_tenth_of_what_arrives():
    sentences = [load_sentence(name) for name in sentence_names()]
    on = {arriving: np.mean([s.maps(arriving)[1:, :, 1:, 0].mean() for s in sentences]) for arriving in (False, True)}
    assert 0.45 < on[False] < 0.55 and 0.07 < on[True] < 0.12
