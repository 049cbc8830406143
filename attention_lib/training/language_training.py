"""Training a language model: a start that knows nothing, Adam, and a trainer that can be stopped and go on."""

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .._checks import as_count
from ..language_model import LanguageModel
from ..multi_head import MultiHeadAttention
from .language_gradients import language_gradients

KEEP_MEAN, KEEP_SQUARE, TINY = 0.9, 0.98, 1e-8  # Adam's


def random_language_model(
    words: Sequence[str],
    *,
    seed: int | np.random.Generator,
    n_layers: int = 2,
    n_heads: int = 2,
    n_kv_heads: int | None = None,
    d_model: int = 16,
    n_positions: int = 64,
    dtype: DTypeLike = np.float64,
) -> LanguageModel:
    """Draw a model that has learned nothing: small random numbers, heads of width d_model / n_heads.

    Parameters
    ----------
    words : sequence of str
    seed : int or Generator
    n_layers, n_heads, n_kv_heads, d_model, n_positions : int, optional
        n_heads divides d_model.
    dtype : dtype, optional

    Returns
    -------
    LanguageModel

    Raises
    ------
    ValueError, TypeError
        If the sizes do not fit.

    Examples
    --------
    >>> random_language_model(("a", "b"), seed=0, n_heads=4, n_kv_heads=1).layers[0].W_K.shape
    (16, 4)
    """
    rng = np.random.default_rng(seed)
    d_head, left = divmod(as_count("d_model", d_model, least=1), as_count("n_heads", n_heads, least=1))
    if left:
        raise ValueError(f"n_heads={n_heads} does not divide d_model={d_model}")
    kv = d_head * (n_heads if n_kv_heads is None else as_count("n_kv_heads", n_kv_heads, least=1))

    def draw(rows: int, columns: int) -> NDArray[Any]:
        return (rng.standard_normal((rows, columns)) / np.sqrt(d_model)).astype(dtype)

    layers = [
        MultiHeadAttention(
            draw(d_model, d_model), draw(d_model, kv), draw(d_model, kv), draw(d_model, d_model), n_heads, n_kv_heads
        )
        for _ in range(as_count("n_layers", n_layers))
    ]
    n_words = len(words)
    return LanguageModel(words, draw(n_words, d_model), draw(n_positions, d_model), layers, draw(d_model, n_words))


class Texts(NamedTuple):
    """A batch to learn from; see `language_gradients`.

    Attributes
    ----------
    ids : (batch, n + 1) ndarray of int
    positions : (batch, n) ndarray of int, optional
    counted : (batch, n) ndarray of bool, optional
    """

    ids: NDArray[np.intp]
    positions: NDArray[np.intp] | None = None
    counted: NDArray[np.bool_] | None = None


class Learned(NamedTuple):
    """All that a training run has come to: enough to go on from.

    Attributes
    ----------
    model : LanguageModel
    losses : tuple of float
        The loss before each step so far.
    mean, square : dict of str to ndarray
        What Adam remembers: running means of each gradient and of its square.
    """

    model: LanguageModel
    losses: tuple[float, ...]
    mean: dict[str, NDArray[Any]]
    square: dict[str, NDArray[Any]]


def adam_step(learned: Learned, loss: float, gradients: Mapping[str, NDArray[Any]], rate: float) -> Learned:
    """Take one step downhill, every number at its own pace: the mean of its gradients over the root of their squares.

    References
    ----------
    .. [1] Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.
    """
    step = len(learned.losses) + 1
    mean, square, moved = {}, {}, {}
    for name, W in learned.model.parameters().items():
        mean[name] = KEEP_MEAN * learned.mean[name] + (1 - KEEP_MEAN) * gradients[name]
        square[name] = KEEP_SQUARE * learned.square[name] + (1 - KEEP_SQUARE) * gradients[name] ** 2
        steady = mean[name] / (1 - KEEP_MEAN**step)  # both means begin at 0: make up for it
        size = np.sqrt(square[name] / (1 - KEEP_SQUARE**step)) + TINY
        moved[name] = W - rate * steady / size
    return Learned(learned.model.with_parameters(moved), (*learned.losses, loss), mean, square)


class Trainer:
    """Train a language model step by step; it can be stopped at any time and go on from there.

    Parameters
    ----------
    model : LanguageModel
        Where to begin.
    draw : callable
        Takes a random generator, returns the `Texts` of one step.
    rate : float or callable, optional
        The learning rate, or a function of the step.
    seed : int, optional
        Decides which texts are drawn.

    Examples
    --------
    >>> start = random_language_model(("tick", "tock"), seed=0, n_positions=8)
    >>> trainer = Trainer(start, lambda rng: Texts(np.tile([0, 1], (4, 4))))
    >>> trainer.run(60)
    60
    >>> trainer.model.generate(["tick"], 3)
    ['tick', 'tock', 'tick', 'tock']
    """

    def __init__(
        self,
        model: LanguageModel,
        draw: Callable[[np.random.Generator], Texts],
        *,
        rate: float | Callable[[int], float] = 0.003,
        seed: int = 0,
    ) -> None:
        nothing = {name: np.zeros_like(W) for name, W in model.parameters().items()}
        self.learned = Learned(model, (), nothing, nothing)
        self._draw, self._rng = draw, np.random.default_rng(seed)
        self._rate = rate if callable(rate) else lambda step: rate

    @property
    def model(self) -> LanguageModel:
        """The model as it is now."""
        return self.learned.model

    @property
    def losses(self) -> tuple[float, ...]:
        """The loss before each step so far."""
        return self.learned.losses

    @property
    def step(self) -> int:
        """Steps taken so far."""
        return len(self.learned.losses)

    def take_step(self) -> float:
        """Draw texts, guess, go back, move every number a little; return the loss before the step."""
        texts = self._draw(self._rng)
        loss, gradients = language_gradients(self.model, *texts)
        self.learned = adam_step(self.learned, loss, gradients, self._rate(self.step))  # all at once, or not at all
        return loss

    def run(
        self,
        steps: int,
        *,
        seconds: float = 60.0,
        progress: Callable[[int, float], None] = lambda step, loss: None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> int:
        """Take up to so many steps; call it again to go on.

        Parameters
        ----------
        steps : int
        seconds : float, optional
            After which no further step is begun.
        progress : callable, optional
            Told after every step how many there are so far, and the loss before it.
        clock : callable, optional
            Returns seconds.

        Returns
        -------
        int
            Steps taken by this call: fewer than asked for where the time was
            up or the kernel was interrupted. What was learned stays.

        Raises
        ------
        ValueError
            If the numbers leave the range of their dtype; the model is then as it was before that step.
        """
        end, before = clock() + seconds, self.step
        try:
            for _ in range(as_count("steps", steps)):
                if clock() >= end:
                    break
                loss = self.take_step()
                progress(self.step, loss)
        except KeyboardInterrupt:
            pass
        return self.step - before
