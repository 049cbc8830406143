"""Heads that look by position: steps as matrices, and trained heads taken apart."""

import numpy as np
import pytest

from attention_lib import self_attention, sinusoidal_positions
from attention_lib.examples.trained_heads import KINDS, SPECIAL, load_sentence, sentence_names
from attention_lib.lessons.positions.position_heads import by_distance, step_matrix, take_apart


@pytest.mark.parametrize("by", [-3, -1, 0, 2, 40])
@pytest.mark.parametrize("d_model", [2, 6, 16])
def test_a_step_leads_from_every_position_to_the_one_so_far_on(d_model, by):
    there = sinusoidal_positions(30, d_model, start=60 + by)
    np.testing.assert_allclose(sinusoidal_positions(30, d_model, start=60) @ step_matrix(d_model, by), there, atol=1e-9)


def test_steps_add_up_and_turn_without_stretching():
    M = step_matrix(8, 5)
    np.testing.assert_allclose(M @ step_matrix(8, -5), np.eye(8), atol=1e-12)
    np.testing.assert_allclose(step_matrix(8, 2) @ step_matrix(8, 3), M, atol=1e-12)
    assert np.count_nonzero(M) == 16  # four blocks of two by two


def test_words_and_positions_add_up_to_the_head():
    apart = take_apart("keys", 0, 2)
    n = len(apart.tokens)
    for role in ("Q", "K"):
        mean = getattr(apart.positions, role)
        together = mean + getattr(apart.words, role) - mean.mean(axis=0)
        np.testing.assert_allclose(together, getattr(apart.whole, role), atol=1e-5)
    np.testing.assert_allclose(apart.whole.weights, load_sentence("keys").head(0, 2).weights[:n, :n], atol=0.01)


@pytest.mark.parametrize("name", sentence_names(*KINDS))
def test_no_word_of_the_sentence_has_a_part_in_its_positions(name):
    """The means are taken again, by hand, over sentences with another word at that position."""
    apart, sentence = take_apart(name, 0, 2), load_sentence(name)
    others = [load_sentence(other) for other in sentence_names(*KINDS) if other != name]
    for i in range(1, len(apart.tokens)):
        chosen = [o for o in others if len(o.tokens) > i and o.tokens[i] not in {sentence.tokens[i], *SPECIAL}]
        expected = np.mean([o.head(0, 2).K[i] for o in chosen], axis=0)
        np.testing.assert_allclose(apart.positions.K[i], expected, atol=1e-5)


def test_scores_by_distance():
    trained = by_distance(take_apart("creature", 0, 2).positions.scaled_scores, 7)
    P = sinusoidal_positions(10, 16)
    ours = by_distance(self_attention(P, 40 * step_matrix(16, -1), np.eye(16), np.eye(16)).scaled_scores, 7)
    for scores in (trained, ours):
        assert scores.argmax() == 8  # distance 1
        assert np.sort(scores)[-1] - np.sort(scores)[-2] > 5
        falls, rises = np.sign(np.diff(scores[8:])), np.sign(np.diff(scores[8::-1]))
        assert falls[0] == rises[0] == -1 and 1 in falls and 1 in rises
