"""What notebook 10 claims, beyond what its cells show."""

import importlib.util
import re

import numpy as np
import pytest

from attention_lib import LanguageModel, self_attention, sinusoidal_positions
from attention_lib.examples import minilm
from attention_lib.examples.data import DATA
from attention_lib.examples.small_models import load_writing_model
from attention_lib.examples.three_meanings import load_meanings
from attention_lib.examples.trained_heads import load_sentence, sentence_names
from attention_lib.lessons.positions.position_heads import by_distance, step_matrix, take_apart
from attention_lib.training.two_languages import KINDS, NOUNS, TIMES, VERBS, as_lines, judge

WORDS = load_meanings()
X = WORDS.embed(WORDS.sentences["three"])
PROJECTIONS = WORDS.W_Q, WORDS.W_K, WORDS.W_V
ASKING = [0, 3, 7]


def test_the_opening_is_the_end_of_01():
    trace = self_attention(X, *PROJECTIONS)
    np.testing.assert_allclose(trace.output[ASKING, :3], np.tile([0.96, 0.96, 0.86], (3, 1)), atol=0.005)
    bonus = self_attention(X, *PROJECTIONS, mask=3 * np.eye(10, k=2))
    assert bonus.output[ASKING, :3].argmax(axis=1).tolist() == [2, 0, 1]  # ship, pear, belly


def test_without_its_table_the_writing_model_translates_nothing_and_with_it_all():
    model = load_writing_model()
    without = LanguageModel(model.words, model.W_E, np.zeros_like(model.W_P), model.layers, model.W_U)
    for seed in (1, 2, 3):
        found, bare = (judge(one.generate(["the"], 199, temperature=0.8, seed=seed)) for one in (model, without))
        assert found.korean >= 0.9 * found.pairs > 0
        assert bare.korean <= 1
        assert bare.korean == 0 or seed != 1  # the notebook's
    with pytest.raises(ValueError, match="511 are left"):
        model.generate(["the"], 512)


def in_order(korean):
    """Whether a Korean sentence has its kinds of words in their places, whatever they mean."""
    times, kinds, nouns, verbs = ("|".join(table.values()) for table in (TIMES, KINDS, NOUNS, VERBS))
    who, what = f"(({kinds}) )?({nouns})[이가]", f"(({kinds}) )?({nouns})[을를]"
    return bool(re.fullmatch(rf"(({times}) )?{who} {what} ({verbs})[.]", korean))


def test_without_its_table_most_korean_sentences_still_stand_in_order():
    model = load_writing_model()
    without = LanguageModel(model.words, model.W_E, np.zeros_like(model.W_P), model.layers, model.W_U)
    for seed in range(1, 6):
        lines = as_lines(without.generate(["the"], 199, temperature=0.8, seed=seed)).splitlines()
        korean = [line for line in lines if line.endswith(".") and re.match("[가-힣]", line)]
        assert len(korean) > 10
        assert sum(map(in_order, korean)) >= 0.75 * len(korean)
    assert not in_order("어린 곰이 bread.") and not in_order("가 곰이 빵을 먹는다.")


def test_hand_0_is_nearly_alike_at_0_25_and_44_and_hand_2_tells_them_apart():
    hands = sinusoidal_positions(45, 16)[[0, 25, 44]].reshape(3, 8, 2)  # positions, hands, sine and cosine
    alike = np.einsum("ahx,bhx->hab", hands, hands)  # cosines of the angles between two positions, hand by hand
    assert (alike[0] > 0.98).all()
    assert (alike[2][~np.eye(3, dtype=bool)] < 0.5).all()


def test_its_table_began_as_sines_and_cosines_halved():
    spec = importlib.util.spec_from_file_location("make_writing_model", DATA / "make_writing_model.py")
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    waves, first = 0.5 * sinusoidal_positions(512, 64), script.first_positions()
    np.testing.assert_allclose(np.concatenate([waves[:, ::2], waves[:, 1::2]], axis=1), first)


def test_a_step_of_two_makes_the_bonus_and_the_nearest_to_minus_one_is_0():
    P = sinusoidal_positions(10, 16)
    bonus = 10 * P @ step_matrix(16, 2) @ P.T / 2
    rows = bonus[:8]  # two on is still in the sentence
    assert (rows.argmax(axis=1) == np.arange(2, 10)).all()
    assert (sinusoidal_positions(1, 16) @ step_matrix(16, -1) @ P.T).argmax() == 0


def test_both_heads_prefer_the_one_before_and_rise_again_ours_six_off_and_the_trained_one_five():
    P = sinusoidal_positions(10, 16)
    ours = self_attention(P, 40 * step_matrix(16, -1), np.eye(16), np.eye(16)).scaled_scores
    trained = take_apart("creature", 0, 2).positions.scaled_scores
    for scores, peaks in ((ours, [-5, 1, 7]), (trained, [-4, 1, 6])):
        means = by_distance(scores, 8)  # at distances -8 to 8
        inner = means[1:-1]
        found = np.flatnonzero((inner > means[:-2]) & (inner > means[2:])) - 7
        assert found.tolist() == peaks


def test_in_further():
    distance = np.abs(np.subtract.outer(np.arange(10), np.arange(10)))
    food, body, sea = self_attention(X, *PROJECTIONS, mask=-1.0 * distance).output[ASKING, :3].T
    assert sea[0] > 2 and sea[1] > food[1] > body[1]
    assert food[2] == pytest.approx(body[2])
    turn = 2 * np.pi * 10000 ** (126 / 128)
    assert 54_000 < turn < 54_900


needs_model = pytest.mark.skipif(minilm.weights_folder() is None, reason="the model's weights are not installed")


@pytest.fixture(scope="module")
def model():
    return minilm.MiniLM()


def on_previous(model):
    """The weight of head 2, layer 0, on the token before, in each stored sentence."""
    texts = [load_sentence(name).text for name in sentence_names()]
    return [np.diagonal(model.run(text).layers[0].heads.weights[2], -1).mean() for text in texts]


@needs_model
@pytest.mark.parametrize(("part", "low", "high"), [("position", 0.065, 0.215), ("word", 0.995, 1.0)])
def test_with_one_row_for_all_positions_the_head_is_lost_and_with_one_for_all_words_it_is_not(
    model, monkeypatch, part, low, high
):
    assert min(on_previous(model)) > 0.995
    name = f"embeddings.{part}_embeddings.weight"
    table = model.parts[name]
    monkeypatch.setitem(model.parts, name, np.repeat(table.mean(axis=0, keepdims=True), len(table), axis=0))
    found = on_previous(model)
    assert low <= min(found) and max(found) <= high + 1e-5
