"""Notebook 05: the numbers that its prose says and no cell prints come out of a calculation."""

import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import MultiHeadAttention, scaled_dot_product_attention
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.multi_head_attention.made_up_heads import load_heads_example
from attention_lib.training.depth import random_stack

CELLS = read(NOTEBOOKS / "05_multi_head_attention.ipynb").cells
PROSE = "\n".join(cell.source for cell in CELLS if cell.cell_type == "markdown")
EXAMPLE = load_heads_example()
DOG = EXAMPLE.sentences["dog_barked"]
SIZE_HEAD = EXAMPLE.head_names.index("size")
PARIS, SIZE = EXAMPLE.features.index("Paris"), EXAMPLE.features.index("size")


def of_tower(phrase):
    sentence = EXAMPLE.sentences[phrase]
    trace = EXAMPLE.layer()(sentence.X)
    return trace.output[sentence.row], trace.heads.weights[:, sentence.row], trace.heads.scores[:, sentence.row]


def both_portions():
    row = scaled_dot_product_attention([[8, 0], [0, 8]], DOG.X[:, :2], DOG.X[:, [3]]).weights
    dog, man = row[0, 1], row[1, 4]
    return f"{dog:.3f} + {man:.3f} = {dog + man:.2f}"


def wide_head():
    exp = np.exp(8 / np.sqrt(8))
    weight = EXAMPLE.layer(1)(DOG.X).heads.weights[0, DOG.row, 1]
    assert np.isclose(weight, exp / (2 * exp + 4))
    return f"8/√8 = {8 / np.sqrt(8):.2f}, e^2.83 = {exp:.1f}, and {exp:.1f}/(2·{exp:.1f} + 4) = {weight:.2f}"


def both_words():
    delta, *_ = of_tower("miniature_eiffel_tower")
    return f"Paris {delta[PARIS]:+.2f} and size −{-delta[SIZE]:.2f}"


def lifted():
    delta, weights, _ = of_tower("eiffel_tower")
    assert weights[SIZE_HEAD, 1] > 0.9  # the size head reads Tower itself
    return f"lifts the size by {delta[SIZE]:.2f}"


def of_the_layers():
    """Mean effect of a head's removal in each layer, in thousandths, over ten sentences."""
    moved = 1000 * np.array([load_sentence(name).moved["sentence"] for name in sentence_names()])  # (10, layers, heads)
    means = moved.mean(axis=2)  # (10, layers)
    last, others = means[:, -1], means[:, :-1]
    return (
        f"the vector moves by {last.min():.0f} to {last.max():.0f} thousandths on average, "
        f"of the others by {others.min():.0f} to {others.max():.0f}"
    )


def inside_one_layer():
    """The rank correlation of entropy and effect among the heads of one layer: of each layer, mean of ten sentences."""
    found = []  # (10, layers)
    for name in sentence_names():
        sentence = load_sentence(name)
        layers = zip(sentence.statistics()["entropy"], sentence.moved["sentence"])
        ranks = [[np.argsort(np.argsort(values)) for values in layer] for layer in layers]
        found.append([np.corrcoef(*each)[0, 1] for each in ranks])
    *others, last = np.mean(found, axis=0)  # (layers,)
    assert last < 0
    each = ", ".join(f"{mean:.1f}" for mean in others)
    return f"inside one layer, mean of the ten sentences, it is {each}, and −{-last:.1f} in the last"


def after_more_layers():
    differ = np.median([random_stack(20, skip=True, seed=seed).differ for seed in range(100)], axis=0)
    assert differ[20] < 0.01
    return f"it does not end it: {differ[6]:.2f} after six layers, below 0.01 after twenty"


def correlations():
    found = []
    for name in sentence_names():
        sentence = load_sentence(name)
        flat, effect = sentence.statistics()["entropy"].ravel(), sentence.moved["sentence"].ravel()
        ranks = [np.argsort(np.argsort(values)) for values in (flat, effect)]
        found.append(np.corrcoef(*ranks)[0, 1])
    return f"rank correlation, 1 for the same order: {min(found):.2f} to {max(found):.2f}"


@pytest.mark.parametrize(
    "sentence",
    [
        both_portions(),
        wide_head(),
        both_words(),
        of_the_layers(),
        inside_one_layer(),
        after_more_layers(),
        lifted(),
        correlations(),
    ],
)
def test_the_prose_says_what_comes_out(sentence):
    assert sentence in PROSE


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


def test_the_minus_four_is_why_the_size_head_reads_tower():
    _, weights, scores = of_tower("eiffel_tower")
    assert scores[SIZE_HEAD].tolist() == [-8, -4] and round(weights[SIZE_HEAD, 1], 2) == 0.94
    W_Q = EXAMPLE.W_Q.copy()
    W_Q[SIZE, 2 * SIZE_HEAD + 1] = 0
    layer = MultiHeadAttention(W_Q, EXAMPLE.W_K, EXAMPLE.W_V, EXAMPLE.W_O, 4)
    assert round(layer(EXAMPLE.sentences["eiffel_tower"].X).heads.weights[SIZE_HEAD, 1, 0], 2) == 0.94


def test_every_number_of_heads_two_and_three_is_in_the_table():
    """Row and column of each number that is not 0, as the table under Further says them."""
    numbers = {
        (name, EXAMPLE.features[i], int(j)): float(W[i, j])
        for name, W in (("W_Q", EXAMPLE.W_Q), ("W_K", EXAMPLE.W_K))
        for i, j in zip(*np.nonzero(W))
        if j >= 4
    }
    assert numbers == {
        ("W_Q", "asks", 4): 4,
        ("W_Q", "Paris", 5): 4,
        ("W_K", "Paris", 4): 1,
        ("W_K", "size", 5): 1,
        ("W_Q", "asks", 6): 4,
        ("W_Q", "size", 7): -4,
        ("W_K", "size", 6): -1,
        ("W_K", "Paris", 7): 1,
    }
    through = {(i, j): float(EXAMPLE.W_O[i, j]) for i, j in zip(*np.nonzero(EXAMPLE.W_O)) if i >= 4}
    assert through == {(4, PARIS): 1, (5, SIZE): 0.5, (6, SIZE): 1, (7, PARIS): 0.5}
    assert {(int(i), int(j)) for i, j in zip(*np.nonzero(EXAMPLE.W_V)) if j >= 4} == {
        (PARIS, 4),
        (SIZE, 5),
        (SIZE, 6),
        (PARIS, 7),
    }


def test_the_sharp_head_is_sharp_and_the_diffuse_one_diffuse_in_all_ten_sentences():
    for name in sentence_names():
        weights = load_sentence(name).trace.weights[0]
        assert weights[2].max(axis=-1).mean() > 0.95
        assert weights[0].max(axis=-1).mean() < 0.4


def test_each_of_them_moves_more_in_some_sentences():
    moved = np.array([load_sentence(name).moved["sentence"][0, [2, 0]] for name in sentence_names()])
    assert int((moved[:, 0] > moved[:, 1]).sum()) == 6 and len(moved) == 10


def test_which_heads_can_go():
    layer, asks = EXAMPLE.layer(), EXAMPLE.features.index("asks")
    barked = np.abs(layer(DOG.X).contributions[:, DOG.row]).max(axis=-1)  # (h,)
    assert "Heads 2 and 3 can go without any change to *barked*" in PROSE
    assert (barked[:2] > 0.9).all() and (barked[2:] == 0).all()
    phrase = EXAMPLE.sentences["miniature_eiffel_tower"]
    tower = layer(phrase.X).contributions[:, phrase.row]  # (h, d_model)
    assert "there head 1 can go (0.001 of *asks*)" in PROSE and tower[1, asks].round(3) == 0.001
    assert np.abs(np.delete(tower[1], asks)).max() == 0
    assert [head for head in range(4) if np.abs(tower[head]).max() < 0.005] == [1]


def test_what_heads_add_that_find_nothing_of_theirs():
    layer = EXAMPLE.layer()
    phrase = EXAMPLE.sentences["miniature_tower"]
    sizes = layer(phrase.X).contributions[:, phrase.row, SIZE].round(2).tolist()  # (h,)
    assert "*Miniature* lowers it by 2.25, not 2" in PROSE and "/2/2 = −0.25" in PROSE
    assert sizes == [0, 0, -0.25, -2]


def test_post_norm_starts_level_with_pre_norm_and_ends_far_below():
    cell = next(cell for cell in CELLS if "post, pre, old" in cell.source)
    post, pre = (np.fromstring(line.split("[")[1].rstrip("]"), sep=" ") for line in cell.outputs[0].text.splitlines())
    assert abs(post[0] - pre[0]) < 0.05 and post[-1] < pre[-1] / 3
    assert (post[1:] < 0.6 * post[:-1]).all()
