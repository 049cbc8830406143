"""The hand-made sentence pairs, and the pictures drawn of them."""

import numpy as np
import pytest

from attention_lib import example_names, plots
from attention_lib.examples.sentence_pairs import load_pairs

PAIRS = load_pairs()
SHAPES = {"chicken": (5, 5), "cat": (6, 4), "rain": (3, 2), "school": (4, 3)}


def test_shapes_and_source():
    assert {name: pair.alignment.shape for name, pair in PAIRS.items()} == SHAPES
    for pair in PAIRS.values():
        assert "by hand" in pair.source
        assert pair.X.shape == (len(pair.english), 4) and pair.context.shape == (len(pair.korean), 4)
        assert {name: len(columns) for name, columns in pair.columns.items()} == {"X": 4, "context": 4, "V": 3}


def test_they_are_not_among_the_published_examples():
    assert "korean_to_english" not in example_names()


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_every_word_reads_what_means_the_same(pair):
    """The largest weights of a word, ties included, are its own words and no others."""
    weights = pair.trace().weights
    largest = weights > weights.max(axis=-1, keepdims=True) - 1e-9
    meant = pair.alignment.any(axis=-1)
    assert np.array_equal(largest[meant], pair.alignment[meant])
    assert np.allclose(weights[~meant], 1 / len(pair.korean))


@pytest.mark.parametrize("pair", PAIRS.values(), ids=PAIRS.keys())
def test_numbers_are_small_and_whole(pair):
    for array in (pair.X, pair.context, pair.W_Q, pair.W_K, pair.W_V):
        assert np.array_equal(array, array.round()) and np.abs(array).max() <= 2
        assert not array.flags.writeable


def test_projections_bring_korean_columns_to_the_english_ones():
    pair = PAIRS["chicken"]
    own, english, handed = (pair.columns[name] for name in ("context", "X", "V"))
    for i, name in enumerate(own):
        assert pair.W_K[i].tolist() == [float(name == other) for other in english]
        assert pair.W_V[i].tolist() == [float(name == other) for other in handed]


def test_alignment_picture_draws_a_stroke_for_each_weight_that_counts():
    pair = PAIRS["chicken"]
    weights = pair.trace().weights
    picture = plots.alignment(weights, pair.english, pair.korean, title="They cross")
    (axes,) = picture.axes
    assert len(axes.lines) == (weights >= 0.2).sum() == 7
    thickest = max(axes.lines, key=lambda line: line.get_linewidth())
    assert thickest.get_linewidth() == pytest.approx(7 * weights.max())
    ate = next(line for line in axes.lines if line.get_xdata()[0] == pytest.approx(0.3))  # the second of five words
    assert ate.get_xdata()[1] == pytest.approx(0.9)  # the fifth of five
    texts = [text.get_text() for text in axes.texts]
    assert {"나는", "먹었다", "I\n0.70", "ate\n0.65"} <= set(texts)
    assert picture.description.startswith("They cross. I attends most to 나는, 0.70")


def test_alignment_picture_of_unequal_lengths():
    pair = PAIRS["school"]
    picture = plots.alignment(pair.trace().weights, pair.english, pair.korean, title="t", least=0.5)
    ends = [[*line.get_xdata()] for line in picture.axes[0].lines]
    middle = pytest.approx(0.5)  # 학교에, the second of three
    assert [end for _, end in ends].count(middle) == 2


def test_encoder_decoder_names_its_words_and_is_described():
    picture = plots.encoder_decoder("나는 먹었다", "I", "ate")
    texts = [text.get_text() for text in picture.axes[0].texts]
    assert {"나는 먹었다", "I", "next word: ate", "K, V", "Q"} <= set(texts)
    for word in ("encoder", "decoder", "cross-attention", "causal mask", "K and V", "Q comes up from the decoder"):
        assert word in picture.description


def test_long_titles_are_broken_not_cut():
    picture = plots.heatmap(np.eye(2), "ab", "ab", title="A title much longer than two columns are wide")
    assert "\n" in picture.axes[0].get_title()
    assert picture.get_size_inches()[1] > plots.heatmap(np.eye(2), "ab", "ab", title="short").get_size_inches()[1]
    pair = plots.heatmaps({"a": np.eye(2), "b": np.eye(2)}, "ab", "ab", title="word " * 20)
    assert "\n" in pair.get_suptitle()
