"""Learning: the backward pass, held to slopes that are measured; and snapshots."""

import numpy as np
import pytest

from attention_lib import causal_mask, load_example, scaled_dot_product_attention
from attention_lib.training.gradients import attention_backward, finite_differences, projection_backward
from attention_lib.training.learning import Batch, Layer, answer, gradients_of, loss_of, train
from attention_lib.training.tasks import WORDS, embed


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def near(actual, measured):
    np.testing.assert_allclose(actual, measured, rtol=1e-6, atol=1e-8)


MASKS = {"none": None, "causal": causal_mask(3, 4), "dead row": np.arange(3)[:, None] > 0, "float": draw(3, 4, seed=9)}


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_attention_backward_is_the_measured_slope(mask, scale):
    given_ = {"Q": draw(3, 2), "K": draw(4, 2, seed=1), "V": draw(4, 5, seed=2)}
    d_output = draw(3, 5, seed=3)

    def loss(**changed):
        trace = scaled_dot_product_attention(**(given_ | changed), mask=mask, scale=scale)
        return float((trace.output * d_output).sum())

    found = attention_backward(scaled_dot_product_attention(**given_, mask=mask, scale=scale), d_output, scale=scale)
    for name, array in given_.items():
        near(getattr(found, name), finite_differences(lambda x, name=name: loss(**{name: x}), array))


def test_the_gradient_of_a_projection_is_the_measured_slope():
    X, W, d_projected = draw(2, 3, 4, 3), draw(3, 2, seed=1), draw(2, 3, 4, 2, seed=2)
    found = projection_backward(X, W, d_projected)
    near(found.X, finite_differences(lambda x: float((x @ W * d_projected).sum()), X))
    near(found.W, finite_differences(lambda x: float((X @ x * d_projected).sum()), W))


@pytest.mark.parametrize("leading", [((2,), ()), ((2, 1), (3,)), ((2, 3), (1, 3)), ((0,), (1,))])
def test_what_is_broadcast_adds_up(leading):
    of_Q, of_K = leading
    given_ = {"Q": draw(*of_Q, 2, 3), "K": draw(*of_K, 4, 3, seed=1), "V": draw(*of_K, 4, 2, seed=2)}
    trace = scaled_dot_product_attention(**given_)
    d_output = draw(*trace.output.shape, seed=3)
    found = attention_backward(trace, d_output)
    for name, array in given_.items():
        assert getattr(found, name).shape == array.shape

        def loss(x, name=name):
            return float((scaled_dot_product_attention(**(given_ | {name: x})).output * d_output).sum())

        near(getattr(found, name), finite_differences(loss, array))


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
    assert loss_of(np.array([[1000.0, 0.0], [0.0, 0.0]]), np.array([0, 0])) == np.log(2) / 2  # the mean of 0 and log 2
    assert loss_of(np.array([[1000.0, 0.0]]), np.array([1])) == 1000


def test_snapshots_come_every_few_steps_and_at_the_end():
    layer, batch = small_problem()
    assert [shot.step for shot in train(layer, batch, batch, steps=7, every=3).snapshots] == [0, 3, 6, 7]
    assert train(layer, batch, batch, steps=0).last.layer is layer
    with pytest.raises(ValueError, match="every is 0; it needs to be at least 1"):
        train(layer, batch, batch, every=0)
