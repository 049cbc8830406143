"""Notebook 08: what its prose says of training, and no cell asserts, comes out of a calculation."""

import functools

import numpy as np

from attention_lib import load_example
from attention_lib.training import learning, tasks
from attention_lib.training.learning import Layer

SEEDS = range(20)
CUE = "고파서"
ARTICLE = load_example("bae_hungry").tokens


@functools.cache
def runs(**options):
    return [tasks.learn_bae(seed, **options) for seed in SEEDS]


def curve(name, trained):
    return np.array([[getattr(shot, name) for shot in run.snapshots] for run in trained])  # (n_runs, n_snapshots)


def last(name, trained):
    return np.array([getattr(run.last, name) for run in trained])


def sentences(seed):
    """Sentences of which no run has seen any: to learn from, and held out."""
    rng = np.random.default_rng(1000 + seed)
    return tasks.bae_batch(tasks.write_sentences(120, rng)), tasks.bae_batch(tasks.write_sentences(300, rng))


# 5 · What is learned first?


def test_at_step_20_many_answers_are_right_and_the_map_is_flat():
    right, found = curve("accuracy", runs()).mean(axis=0), curve("found", runs()).mean(axis=0)
    assert (round(right[4], 1), round(found[4], 2), round(found[0], 2)) == (0.6, 0.14, 0.13)


# Further: three ways to fail


def test_of_the_sentences_with_a_cue_never_seen_alone_some_runs_get_all_and_some_none_and_of_the_others_all():
    right, others = [], []
    for seed, run in enumerate(runs(leave_out=(CUE,), every=150)):
        held_out = sentences(seed)[1]
        alone = held_out.context[:, :, tasks.WORDS.index(CUE)].any(axis=1)
        logits = learning.answer(run.last.layer, held_out.X, held_out.context)[1]
        is_right = (logits.argmax(axis=-1) == held_out.answers)[:, 0]
        right.append(is_right[alone].mean())
        others.append(is_right[~alone].mean())
    assert (np.array(right) > 0.95).sum() >= 2 and (np.array(right) < 0.15).sum() >= 2
    assert np.mean(others) > 0.99


def test_twelve_sentences_are_learned_by_heart():
    few = runs(n_sentences=12, every=150)
    assert last("loss", few).max() < 0.01
    assert last("accuracy", few).max() < 0.8


# 7 · The lab


def test_what_the_lab_shows():
    eighth = tasks.learn_bae(8)
    rows = np.array([tasks.bae_map(shot.layer, ARTICLE).weights[2] for shot in eighth.snapshots])  # (n_snapshots, n)
    assert round(rows[:, 4].max(), 2) == 0.19 and round(rows[-1, 5], 2) == 0.59  # 고파서, 치킨을
    assert eighth.last.accuracy == 1
    meanings = tasks.meaning_of_bae(eighth.last.layer, tasks.bae_map(eighth.last.layer, ARTICLE), ARTICLE)
    assert max(meanings, key=meanings.get) == "belly"
    layer = runs()[0].last.layer
    assert layer.W_Q[0].argmax() == 2
    keys = layer.W_K[[tasks.WORDS.index(token) for token in ARTICLE], 2]
    assert [token for token, key in zip(ARTICLE, keys) if key > 0] == [CUE, "치킨을", "먹었다"]
    two = ["어제", "배", "타고", CUE]
    named = [tasks.meaning_of_bae(run.last.layer, tasks.bae_map(run.last.layer, two), two) for run in runs()]
    assert [max(named[seed], key=named[seed].get) for seed in (0, 2)] == ["belly", "ship"]


# Exercise 4


def test_a_layer_learns_even_if_the_scale_is_forgotten_on_the_way_back():
    for seed, run in enumerate(runs()):
        layer, (batch, held_out) = run.snapshots[0].layer, sentences(seed)
        for _ in range(150):
            d = learning.gradients_of(layer, batch)
            d = Layer(2 * d.W_Q, d.W_K, d.W_V, d.W_C)  # √d_k = 2 times too large
            layer = learning.descend(layer, d, 3.0)
        assert learning.look_at(150, layer, batch, held_out).found > 0.7
