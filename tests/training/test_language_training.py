"""The backward pass of the language model, held to measured slopes and to PyTorch; Adam; stopping and going on."""

import numpy as np
import pytest

from attention_lib.training.gradients import finite_differences, loss_of
from attention_lib.training.language_training import Texts, Trainer, language_gradients, random_language_model

WORDS = ("a", "b", "c", "d", "e")


def model_of(**sizes):
    sizes = {"seed": 0, "n_heads": 4, "d_model": 8, "n_positions": 7} | sizes
    model = random_language_model(WORDS, **sizes)
    return model.with_parameters({name: 2 * W for name, W in model.parameters().items()})  # maps that are not flat


def some_ids(*shape, seed=0):
    return np.random.default_rng(seed).integers(0, len(WORDS), shape)


POSITIONS = np.array([[0, 1, 2, 3], [3, 4, 5, 6]])
TEXTS = {
    "one text": Texts(some_ids(5)),
    "a batch": Texts(some_ids(2, 5)),
    "other positions": Texts(some_ids(2, 5), POSITIONS),
    "one position twice": Texts(some_ids(2, 5), np.array([0, 0, 1, 1])),
}


def loss_alone(model, texts):
    """The loss without its gradients: measuring slopes asks for it a thousand times."""
    return loss_of(model(texts.ids[..., :-1], positions=texts.positions).logits, texts.ids[..., 1:])


def slopes(loss, W, rng):
    """Measure how a loss changes along W itself and four ways drawn at random: an entry that is wrong shows in each."""
    for way in (W, *rng.standard_normal((4, *W.shape))):
        way = way / np.linalg.norm(way)
        yield way, finite_differences(lambda step, way=way: loss(W + step * way), 0.0)


@pytest.mark.parametrize("texts", TEXTS.values(), ids=TEXTS.keys())
def test_every_gradient_is_the_measured_slope(texts):
    model = model_of()
    found, gradients = language_gradients(model, *texts)
    assert found == loss_alone(model, texts)
    assert list(gradients) == list(model.parameters())
    for name, W in model.parameters().items():

        def loss(x, name=name):
            return loss_alone(model.with_parameters({name: x}), texts)

        for way, slope in slopes(loss, W, np.random.default_rng(0)):
            np.testing.assert_allclose((gradients[name] * way).sum(), slope, rtol=1e-6, atol=1e-7, err_msg=name)


def draw(rng):
    return Texts(np.tile(rng.permuted(np.tile(np.arange(5), (4, 1)), axis=1), 2)[:, :8])


def test_adam_is_pytorchs():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e '.[oracles]'")
    trainer = Trainer(model_of(), draw, rate=0.01)
    W = {name: torch.tensor(array) for name, array in trainer.model.parameters().items()}
    theirs = torch.optim.Adam(W.values(), lr=0.01, betas=(0.9, 0.98), eps=1e-8)
    for _ in range(5):
        before = trainer.model
        trainer._rng, same = np.random.default_rng(trainer.step), np.random.default_rng(trainer.step)
        _, gradients = language_gradients(before, *draw(same))
        for name, gradient in gradients.items():
            W[name].grad = torch.from_numpy(gradient)
        theirs.step()
        trainer.take_step()
    for name, array in trainer.model.parameters().items():
        np.testing.assert_allclose(array, W[name].numpy(), rtol=1e-9, atol=1e-12)


def same_model(one, other):
    return all((other.parameters()[name] == W).all() for name, W in one.parameters().items())


def test_the_rate_may_change_with_the_step():
    trainer = Trainer(model_of(), draw, rate=lambda step: 0.01 if step < 2 else 0.0)
    trainer.run(2)
    learned = trainer.model
    trainer.run(2)
    assert same_model(trainer.model, learned)


def test_where_numbers_overflow_the_last_good_model_stays():
    trainer = Trainer(model_of(dtype=np.float32), draw, rate=1e30)
    with pytest.raises(ValueError, match="left the range of float32"):
        trainer.run(10)
    assert all(np.isfinite(W).all() for W in trainer.model.parameters().values())
