"""What notebook 05 claims, beyond what its cells show."""

import itertools
import math
import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import MultiHeadAttention
from attention_lib.examples.measures import rank_correlation
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example
from attention_lib.training.depth import random_stack

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()
DOG = EXAMPLE.sentences["dog_barked"]
READ = [load_sentence(name) for name in sentence_names("sentences", "beforehand", "one_word")]


def test_the_table_of_words_is_that_of_the_file():
    rows = [
        [each.strip().replace("−", "-") for each in line.strip("|").split("|")]
        for line in PROSE.splitlines()
        if re.match(r"\| (dog|man|barked) ", line)
    ]
    assert len(rows) == 3
    for word, *numbers in rows:
        assert DOG.X[DOG.tokens.index(word), :4].tolist() == [float(number) for number in numbers]
        assert not DOG.X[DOG.tokens.index(word), 4:].any()
    others = [i for i, token in enumerate(DOG.tokens) if token not in ("dog", "man", "barked")]
    assert not DOG.X[others].any()


def test_with_two_dogs_both_heads_pass_on_a_positive_number():
    X = DOG.X.copy()
    X[DOG.tokens.index("man"), EXAMPLE.features.index("animal")] = 1
    doer_and_company = EXAMPLE.layer()(X).output[DOG.row, 6:]
    assert (doer_and_company > 0.9).all()


@pytest.mark.parametrize("head", [2, 3])
def test_the_table_of_heads_2_and_3_has_their_numbers(head):
    for name, W in (("W_Q", EXAMPLE.W_Q), ("W_K", EXAMPLE.W_K)):
        (line,) = re.findall(rf"^\| head {head}(?: \(.*\))?, {name} \|.*$", PROSE, re.MULTILINE)
        for column, cell in zip((2 * head, 2 * head + 1), line.split(" | ")[1:], strict=True):
            (i,) = np.flatnonzero(W[:, column])
            assert f"{W[i, column]:g} at *{EXAMPLE.features[i]}*".replace("-", "−") in cell


def moved_by(ablation):
    """How far removing the sharp and the diffuse head of layer 0 moves each of the 18 sentences: (18, 2)."""
    return np.array([sentence.moved[ablation][0, [2, 0]] for sentence in READ])


def test_the_sharp_head_is_sharp_and_the_diffuse_one_diffuse_in_every_sentence():
    rows = [sentence.trace.weights[0, [2, 0]].max(axis=-1) for sentence in READ]  # (2, n) each
    largest = np.array([each.mean(axis=-1) for each in rows])  # (18, 2)
    assert largest[:, 0].min() > 0.95 and largest[:, 1].max() < 0.4
    assert round(float(np.concatenate(rows, axis=1)[1].mean()), 2) == 0.23


def test_each_of_them_moves_more_in_some_sentences_and_the_two_ways_of_removing_disagree_in_ten():
    by_zero, by_mean = (np.subtract(*moved_by(way).T) > 0 for way in ("sentence", "sentence, mean"))  # (18,) each
    assert (len(READ), by_zero.sum(), by_mean.sum(), (by_zero != by_mean).sum()) == (18, 12, 14, 10)
    assert ((by_zero & by_mean).sum(), (~by_zero & ~by_mean).sum()) == (8, 0)


def test_a_coin_is_as_uneven_as_12_to_6_in_one_of_four_series_and_as_14_to_4_in_one_of_32():
    three, five = (sum(math.comb(18, k) for k in range(19) if abs(k - 9) >= off) / 2**18 for off in (3, 5))
    assert (round(1 / three), round(1 / five)) == (4, 32)


def test_about_half_of_the_weight_lies_on_the_first_and_the_last_token():
    shares = [sentence.trace.weights[..., [0, -1]].sum(axis=-1).ravel() for sentence in READ]
    assert 0.45 < np.concatenate(shares).mean() < 0.55


def test_with_the_mean_the_rank_correlation_of_layer_0_is_negative():
    found = [
        rank_correlation(sentence.statistics()["entropy"][0], np.asarray(sentence.moved[way][0], dtype=float))
        for way in ("sentence", "sentence, mean")
        for sentence in READ
    ]
    by_zero, by_mean = np.reshape(found, (2, len(READ))).mean(axis=1)
    assert by_zero > 0 > by_mean


def test_some_sentences_differ_in_one_or_two_words():
    texts = [sentence.text.split() for sentence in READ]
    pairs = itertools.combinations(texts, 2)
    near = [1 for a, b in pairs if len(a) == len(b) and 1 <= sum(x != y for x, y in zip(a, b)) <= 2]
    assert len(near) >= 3


def without_skip(seed, query_length):
    """How far the rows lie from their mean after three random layers, as a share of their length."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((8, 32))
    for _ in range(3):
        W_Q, W_K, W_V, W_O = rng.standard_normal((4, 32, 32)) / np.sqrt(32)
        X = MultiHeadAttention(query_length * W_Q, W_K, W_V, W_O, 4)(X).output
    return np.linalg.norm(X - X.mean(axis=0)) / np.linalg.norm(X)


def test_with_longer_queries_the_rows_stay_different_for_longer():
    as_drawn, longer = (np.array([without_skip(seed, length) for seed in range(100)]) for length in (1, 4))
    assert as_drawn.max() < 0.005 and np.mean(longer > 0.05) > 0.6


def test_a_skip_connection_delays_but_does_not_prevent_that_the_rows_become_the_same():
    after = np.median([random_stack(24, skip=True, seed=seed).differ for seed in range(30)], axis=0)
    assert after[6] > 0.3 and after[24] < 0.005


def test_what_the_heads_that_find_nothing_add_to_tower():
    phrase = EXAMPLE.sentences["miniature_eiffel_tower"]
    asks = EXAMPLE.layer()(phrase.X).contributions[:2, phrase.row, EXAMPLE.features.index("asks")]
    assert asks.round(3).tolist() == [0.167, 0.001]


def test_in_47_of_the_72_maps_it_gives_its_largest_weight_to_a_sign():
    paper = load_sentence("paper")
    largest = paper.trace.weights[:, :, paper.query].argmax(axis=-1)  # (layers, heads)
    assert np.isin(largest, [0, len(paper.tokens) - 1]).sum() == 47
