"""Learning: gradients that are slopes, snapshots, and rows of trained maps."""

import numpy as np
import pytest

from attention_lib import load_example
from attention_lib.training.gradients import finite_differences
from attention_lib.training.learning import Batch, Layer, answer, gradients_of, loss_of, train
from attention_lib.training.tasks import WORDS, bae_map, bae_rows, embed, learn_bae

ARTICLE = load_example("bae_hungry").tokens


def test_the_words_of_the_article_are_known_and_all_differ():
    assert len(set(WORDS)) == len(WORDS) <= 20  # 20 rows is what a live view shows with digits
    assert (embed(ARTICLE).sum(axis=0) <= 1).all() and (embed(ARTICLE).sum(axis=1) == 1).all()
    with pytest.raises(ValueError, match="pizza is not a word of this task; its words are 배, "):
        embed(["배", "pizza"])


def small_problem():
    rng = np.random.default_rng(3)
    batch = Batch(
        rng.standard_normal((2, 2, 3)),
        rng.standard_normal((2, 4, 5)),
        rng.integers(0, 3, (2, 2)),
        np.zeros((2, 2), int),
    )
    return Layer(*(rng.standard_normal(shape) for shape in ((3, 2), (5, 2), (5, 4), (4, 3)))), batch


@pytest.mark.parametrize("scale", [None, 1.0])
def test_the_gradients_are_the_measured_slopes(scale):
    layer, batch = small_problem()
    found = gradients_of(layer, batch, scale=scale).matrices()
    for name, W in layer.matrices().items():

        def loss(changed, name=name):
            moved = Layer(**{**layer.matrices(), name: changed})
            return loss_of(answer(moved, batch.X, batch.context, scale=scale)[1], batch.answers)

        np.testing.assert_allclose(found[name], finite_differences(loss, W), rtol=1e-6, atol=1e-9)


def test_the_loss_is_large_where_it_is_sure_and_wrong_and_stays_finite():
    assert loss_of(np.array([[1000.0, 0.0]]), np.array([0])) == 0
    assert loss_of(np.array([[1000.0, 0.0]]), np.array([1])) == 1000


def test_snapshots_come_every_few_steps_and_at_the_end():
    layer, batch = small_problem()
    assert [shot.step for shot in train(layer, batch, batch, steps=7, every=3).snapshots] == [0, 3, 6, 7]
    assert train(layer, batch, batch, steps=0).last.layer is layer
    with pytest.raises(ValueError, match="every is 0; it needs to be at least 1"):
        train(layer, batch, batch, every=0)


def test_a_row_a_run():
    runs = [learn_bae(seed, steps=20) for seed in range(2)]
    for row, run in zip(bae_rows(runs, ARTICLE), runs, strict=True):
        assert (row == bae_map(run.last.layer, ARTICLE).weights[2]).all()
