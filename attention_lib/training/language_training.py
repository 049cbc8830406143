"""Training a language model: a random start, the gradients, Adam, and a trainer."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from .._arguments import Array, as_count
from ..language_model import LanguageModel
from ..multi_head import MultiHeadAttention
from .gradients import loss_backward, loss_of, multi_head_backward, projection_backward

KEEP_MEAN, KEEP_SQUARE, TINY = 0.9, 0.98, 1e-8  # beta_1, beta_2 and epsilon of Adam


def random_language_model(
    words: Sequence[str],
    *,
    seed: int | np.random.Generator,
    n_layers: int = 2,
    n_heads: int = 2,
    d_model: int = 16,
    n_positions: int = 64,
    dtype: DTypeLike = np.float64,
) -> LanguageModel:
    """Draw a model that has learned nothing: small random numbers, heads of width d_model / n_heads.

    Sizes that do not fit raise ValueError.

    Examples
    --------
    >>> random_language_model(("a", "b"), seed=0).layers[0].W_K.shape
    (16, 16)
    """
    rng = np.random.default_rng(seed)

    def draw(rows: int, columns: int) -> Array:
        return (rng.standard_normal((rows, columns)) / np.sqrt(d_model)).astype(dtype)

    layers = []
    for _ in range(as_count("n_layers", n_layers)):
        W_Q, W_K, W_V, W_O = (draw(d_model, d_model) for _ in range(4))
        layers.append(MultiHeadAttention(W_Q, W_K, W_V, W_O, n_heads))
    n_words = len(words)
    return LanguageModel(words, draw(n_words, d_model), draw(n_positions, d_model), layers, draw(d_model, n_words))


def language_gradients(
    model: LanguageModel, ids: ArrayLike, positions: ArrayLike | None = None
) -> tuple[float, dict[str, Array]]:
    """Let the model guess every next word of some texts; return its loss and how that changes with each parameter.

    The other arguments are those of `Texts`: the model reads the first n tokens of each text and guesses the
    word after each. The gradients are named and shaped as `model.parameters()`.

    References
    ----------
    .. [1] Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors", 1986.
    """
    ids = np.asarray(ids)
    read, answers = ids[..., :-1], ids[..., 1:]  # (..., n)
    trace = model(read, positions=positions)
    loss = loss_of(trace.logits, answers)

    d_logits = loss_backward(trace.logits, answers) / np.float32(answers.size)  # (..., n, n_words)
    d_rows, d_W_U = projection_backward(trace.rows[-1], model.W_U, d_logits)  # (..., n, d_model)
    gradients = {"W_U": d_W_U}
    for i in reversed(range(len(model.layers))):
        d_X, d_W = multi_head_backward(model.layers[i], trace.rows[i], trace.layers[i], d_rows)
        d_rows = d_rows + d_X  # along the skip connection, and through the heads
        gradients |= {f"{i}.{name}": d for name, d in d_W.items()}
    places = np.arange(read.shape[-1]) if positions is None else np.asarray(positions)
    gradients["W_E"] = _collected(read, d_rows, model.W_E)
    gradients["W_P"] = _collected(np.broadcast_to(places, read.shape), d_rows, model.W_P)
    return loss, {name: gradients[name] for name in model.parameters()}


def _collected(places: NDArray[np.intp], d_rows: Array, table: Array) -> Array:
    """Go back through table[places]: each row of the table collects the gradients of all places where it was used."""
    d_table = np.zeros_like(table)
    np.add.at(d_table, places, d_rows)
    return d_table


class Texts(NamedTuple):
    """A batch to learn from."""

    ids: NDArray[np.intp]  # (batch, n + 1)
    positions: NDArray[np.intp] | None = None  # (batch, n), as in LanguageModel.__call__


class Progress(NamedTuple):
    """The state of a training run, enough to continue it."""

    model: LanguageModel
    losses: tuple[float, ...]  # before each step so far
    mean: dict[str, Array]  # Adam's running means of each gradient
    square: dict[str, Array]  # and of its square


def adam_step(before: Progress, loss: float, gradients: Mapping[str, Array], rate: float) -> Progress:
    """Take one step downhill, every number at its own pace: the mean of its gradients over the root of their squares.

    References
    ----------
    .. [1] Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1.
    """
    step = len(before.losses) + 1
    mean, square, moved = {}, {}, {}
    for name, W in before.model.parameters().items():
        mean[name] = KEEP_MEAN * before.mean[name] + (1 - KEEP_MEAN) * gradients[name]
        square[name] = KEEP_SQUARE * before.square[name] + (1 - KEEP_SQUARE) * gradients[name] ** 2
        unbiased_mean = mean[name] / (1 - KEEP_MEAN**step)  # both means begin at 0, which this makes up for
        unbiased_square = square[name] / (1 - KEEP_SQUARE**step)
        moved[name] = W - rate * unbiased_mean / (np.sqrt(unbiased_square) + TINY)
    return Progress(before.model.with_parameters(moved), (*before.losses, loss), mean, square)


class Trainer:
    """Train a language model step by step.

    Parameters
    ----------
    model : LanguageModel
        The start.
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
        zeros = {name: np.zeros_like(W) for name, W in model.parameters().items()}
        self.progress = Progress(model, (), zeros, zeros)
        self._draw, self._rng = draw, np.random.default_rng(seed)
        self._rate = rate if callable(rate) else lambda step: rate

    @property
    def model(self) -> LanguageModel:
        return self.progress.model

    @property
    def losses(self) -> tuple[float, ...]:
        return self.progress.losses

    @property
    def step(self) -> int:
        return len(self.progress.losses)

    def take_step(self) -> float:
        """Draw texts, guess, go back, move every number a little; return the loss before the step."""
        texts = self._draw(self._rng)
        loss, gradients = language_gradients(self.model, *texts)
        self.progress = adam_step(self.progress, loss, gradients, self._rate(self.step))  # all at once or not at all
        return loss

    def run(self, steps: int) -> None:
        """Take `steps` steps; call it again to continue.

        If the numbers leave the range of their dtype, it raises ValueError; the model is as it was before that step.
        """
        for _ in range(as_count("steps", steps)):
            self.take_step()
