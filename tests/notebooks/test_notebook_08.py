"""Notebook 08: what its prose says of training, and no cell asserts, comes out of a calculation."""

import functools

import numpy as np

from attention_lib import load_example
from attention_lib.lessons.learning_attention.learning_lab import Reading, at_end, first_step
from attention_lib.lessons.training_lab import N_SEEDS
from attention_lib.training import learning, tasks
from attention_lib.training.learning import Layer

SEEDS = range(20)
CUE = "고파서"
ARTICLE = load_example("bae_hungry").tokens


@functools.cache
def runs(**options):
    return [tasks.learn_bae(seed, **options) for seed in SEEDS]


def last(name, trained):
    return np.array([getattr(run.last, name) for run in trained])


def sentences(seed):
    """Sentences of which no run has seen any: to learn from, and held out."""
    rng = np.random.default_rng(1000 + seed)
    return tasks.bae_batch(tasks.write_sentences(120, rng)), tasks.bae_batch(tasks.write_sentences(300, rng))


# Further: two ways to fail


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


def test_a_cue_never_seen_gets_less_than_an_even_share_in_most_runs():
    shares = tasks.bae_rows(runs(leave_out=(CUE,), every=150), ARTICLE)[:, ARTICLE.index(CUE)]
    assert (shares < 1 / 8).sum() == 18


def test_twelve_sentences_are_learned_by_heart():
    few = runs(n_sentences=12, every=150)
    assert last("loss", few).max() < 0.01
    assert last("accuracy", few).max() < 0.8


def test_after_twelve_sentences_nearly_half_of_the_mistakes_have_an_unseen_cue():
    unseen, seen = 0, 0
    for seed, run in enumerate(runs(n_sentences=12, every=150)):
        _, batch, held_out = tasks._draw_bae(seed, 4, 12, frozenset())
        is_wrong = learning.answer(run.last.layer, held_out.X, held_out.context)[1].argmax(axis=-1) != held_out.answers
        words = np.take_along_axis(held_out.context.argmax(axis=-1), held_out.keys, axis=1)  # the cue of each sentence
        is_known = batch.context.any(axis=(0, 1))[words]
        unseen += (is_wrong & ~is_known).sum()
        seen += (is_wrong & is_known).sum()
    assert 0.43 < unseen / (unseen + seen) < 0.5


# 7 · The lab


def test_what_the_lab_shows():
    eighth = tasks.learn_bae(8)
    rows = np.array([tasks.bae_map(shot.layer, ARTICLE).weights[2] for shot in eighth.snapshots])  # (n_snapshots, n)
    assert round(rows[:, 4].max(), 2) == 0.19 and round(rows[-1, 5], 2) == 0.59  # 고파서, 치킨을
    assert eighth.last.accuracy == 1
    meanings = tasks.meaning_of_bae(eighth.last.layer, tasks.bae_map(eighth.last.layer, ARTICLE), ARTICLE)
    assert max(meanings, key=meanings.get) == "belly"
    two = ["어제", "배", "타고", CUE]
    layers = [tasks.learn_bae(seed).last.layer for seed in (0, 2)]
    named = [tasks.meaning_of_bae(layer, tasks.bae_map(layer, two), two) for layer in layers]
    assert [max(each, key=each.get) for each in named] == ["belly", "ship"]
    sixty = [tasks.learn_bae(seed, every=150) for seed in range(60)]
    first = [ARTICLE[i] for i in tasks.bae_rows(sixty, ARTICLE).argmax(axis=1)]
    assert [first.count(word) for word in (CUE, "치킨을", "먹었다")] == [22, 20, 18]


def test_when_the_lab_finds_the_cues():
    readings = [Reading(at_end(seed=seed)) for seed in range(N_SEEDS)]
    assert round(readings[0].shares[6], 2) == 0.68  # at step 30
    assert [seed for seed, each in enumerate(readings) if each.found == each.halved] == [4]
    assert all(first_step(each.shares >= 0.5) <= each.halved for each in readings)
    assert sum(each.found > each.halved for each in readings) == 9


# Exercise 4


def test_a_layer_learns_even_if_the_scale_is_forgotten_on_the_way_back():
    for seed, run in enumerate(runs()):
        layer, (batch, held_out) = run.snapshots[0].layer, sentences(seed)
        for _ in range(150):
            d = learning.gradients_of(layer, batch)
            d = Layer(2 * d.W_Q, d.W_K, d.W_V, d.W_C)  # √d_k = 2 times too large
            layer = learning.descend(layer, d, 3.0)
        assert learning.look_at(150, layer, batch, held_out).found > 0.7
