"""The worked examples and their audit, and the measures of maps, held to loops and closed forms."""

import math
import re

import numpy as np
import pytest

from attention_lib import example_names, load_example
from attention_lib.examples.measures import arriving_share, induction_share, key_share, offset_share
from attention_lib.examples.worked import audit

BAE = "bae_hungry"


def test_what_differs_are_the_entries_that_round_to_another_number():
    (line,) = [line for line in audit(load_example(BAE)) if line.label == "weights"]
    assert line.differs.sum() == line.n_differ
    for i in np.ndindex(line.printed.shape):
        assert line.differs[i] == (round(float(line.computed[i]), 3) != line.printed[i])


def test_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match="there is no example 'bae'; the examples are bae_hungry, cat_sat"):
        load_example("bae")


@pytest.mark.parametrize("name", example_names())
def test_every_example_names_its_source_and_labels_every_row(name):
    example = load_example(name)
    assert re.search(r"\d{4}|undated", example.source), "its author, title and year"
    for key in ("X", "Q", "K", "V"):
        assert key not in example.inputs or len(example.inputs[key]) == len(example.tokens)


@pytest.fixture
def maps():
    raw = np.random.default_rng(7).exponential(size=(2, 3, 5, 5)) ** 3
    raw[0, 0, 1, 2] = 0  # a weight of exactly 0
    return raw / raw.sum(-1, keepdims=True)


@pytest.mark.parametrize("offset", [-4, -1, 0, 1, 3])
def test_offset_share_against_a_loop(maps, offset):
    for i, j in np.ndindex(2, 3):
        weights = [maps[i, j, q, q + offset] for q in range(5) if 0 <= q + offset < 5]
        assert offset_share(maps, offset)[i, j] == pytest.approx(sum(weights) / len(weights))


def test_key_share_against_a_loop(maps):
    for i, j in np.ndindex(2, 3):
        weights = [maps[i, j, q, 0] + maps[i, j, q, 4] for q in (1, 2, 3)]
        assert key_share(maps, [4, 0])[i, j] == pytest.approx(sum(weights) / 3)


def test_what_arrives_against_a_loop(maps):
    V = np.random.default_rng(8).standard_normal((2, 3, 5, 4))
    shares = arriving_share(maps, V)
    for i, j, q in np.ndindex(2, 3, 5):
        arriving = [maps[i, j, q, k] * math.sqrt(sum(v * v for v in V[i, j, k])) for k in range(5)]
        np.testing.assert_allclose(shares[i, j, q], np.array(arriving) / sum(arriving))
    assert arriving_share(maps, np.zeros((2, 3, 5, 4))).tolist() == np.zeros((2, 3, 5, 5)).tolist()


def test_induction_share_is_what_its_sentence_says():
    rng = np.random.default_rng(0)
    ids, weights = rng.integers(0, 4, (3, 9)), rng.random((3, 2, 9, 9)) * np.tri(9)
    for text, head in np.ndindex(3, 2):
        sums = []
        for query in range(9):
            keys = [key for key in range(1, query + 1) if ids[text, key - 1] == ids[text, query]]
            if keys:
                sums.append(weights[text, head, query, keys].sum())
        assert induction_share(weights, ids)[text, head] == pytest.approx(np.mean(sums))
    with pytest.raises(ValueError, match="ids has a text in which no word stands twice"):
        induction_share(np.ones((1, 3, 3)), [0, 1, 2])
