"""Learning attention: one layer, its loss, and plain gradient descent. The tasks are in `tasks.py`."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._checks import as_count
from ..attention import AttentionTrace, cross_attention, softmax
from .gradients import attention_backward, projection_backward, projection_gradient

MESSAGES = {"stopped": "stopped at step {step}: {problem}"}


@dataclass(frozen=True, eq=False)
class Layer:
    """One head of attention with a classifier behind it; or the gradients of all of it.

    Attributes
    ----------
    W_Q : (d_queries, d_k) ndarray
    W_K : (d_model, d_k) ndarray
    W_V : (d_model, d_v) ndarray
    W_C : (d_v, n_classes) ndarray
        Turns the output into one number a class.
    """

    W_Q: NDArray[Any]
    W_K: NDArray[Any]
    W_V: NDArray[Any]
    W_C: NDArray[Any]

    def matrices(self) -> dict[str, NDArray[Any]]:
        """Return the four matrices by name."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Batch(NamedTuple):
    """Sentences to learn from, and what each query should answer.

    Attributes
    ----------
    X : (batch, n_queries, d_queries) ndarray
        Who asks.
    context : (batch, n_keys, d_model) ndarray
        Who is read.
    answers : (batch, n_queries) ndarray of int
        The right class of each query.
    keys : (batch, n_queries) ndarray of int
        Which key tells the answer. Only for us to look at: learning never sees it.
    """

    X: NDArray[Any]
    context: NDArray[Any]
    answers: NDArray[Any]
    keys: NDArray[Any]


def random_layer(rng: np.random.Generator, d_queries: int, d_model: int, d_k: int, n_classes: int) -> Layer:
    """Draw a layer that knows nothing: small random numbers, so that its maps are nearly flat."""
    shapes = [(d_queries, d_k), (d_model, d_k), (d_model, d_k), (d_k, n_classes)]
    return Layer(*(0.3 * rng.standard_normal(shape) for shape in shapes))


def answer(
    layer: Layer, X: NDArray[Any], context: NDArray[Any], *, scale: float | None = None
) -> tuple[AttentionTrace, NDArray[Any]]:
    """Run the layer; return its trace, and the logits of the classes, (..., n_queries, n_classes)."""
    trace = cross_attention(X, context, layer.W_Q, layer.W_K, layer.W_V, scale=scale)
    return trace, trace.output @ layer.W_C


def loss_of(logits: NDArray[Any], answers: NDArray[Any]) -> float:
    """Return the cross-entropy: the mean of -log(probability given to the right answer).

    Examples
    --------
    >>> round(loss_of(np.array([[0.0, 0.0, 0.0]]), np.array([1])), 3)  # three classes, no idea: log 3
    1.099
    """
    logits = logits - logits.max(axis=-1, keepdims=True)  # exp cannot overflow, and nothing else changes
    right = np.take_along_axis(logits, answers[..., None], axis=-1)[..., 0]  # (..., n_queries)
    return float((np.log(np.exp(logits).sum(axis=-1)) - right).mean())


def gradients_of(layer: Layer, batch: Batch, *, scale: float | None = None) -> Layer:
    """Return how the loss changes with each matrix of the layer: last step first, back to W_Q and W_K."""
    trace, logits = answer(layer, batch.X, batch.context, scale=scale)
    right = np.eye(logits.shape[-1])[batch.answers]  # (batch, n_queries, n_classes): 1 at the right answer
    d_logits = (softmax(logits) - right) / batch.answers.size  # what was said minus what is right
    d_output, d_W_C = projection_backward(trace.output, layer.W_C, d_logits)
    back = attention_backward(trace, d_output, scale=scale)
    return Layer(
        W_Q=projection_gradient(batch.X, back.Q),
        W_K=projection_gradient(batch.context, back.K),
        W_V=projection_gradient(batch.context, back.V),
        W_C=d_W_C,
    )


def descend(layer: Layer, gradients: Layer, rate: float) -> Layer:
    """Take one step downhill with every matrix: W - rate * d_W."""
    d = gradients.matrices()
    return Layer(**{name: W - rate * d[name] for name, W in layer.matrices().items()})


class Snapshot(NamedTuple):
    """The layer after some steps, and how it does on sentences it has not seen.

    Attributes
    ----------
    step : int
    layer : Layer
    loss : float
        On the sentences it learns from.
    accuracy : float
        Share of right answers on held-out sentences.
    found : float
        Mean weight, on held-out sentences, of the key that tells the answer.
    """

    step: int
    layer: Layer
    loss: float
    accuracy: float
    found: float


@dataclass(frozen=True, eq=False)
class Training:
    """What became of one run.

    Attributes
    ----------
    snapshots : list of Snapshot
        Step 0 (random) first.
    stopped : str
        Why it ended early; empty where it did not.
    """

    snapshots: list[Snapshot]
    stopped: str = ""

    @property
    def last(self) -> Snapshot:
        """The layer as it was left."""
        return self.snapshots[-1]


def look_at(step: int, layer: Layer, batch: Batch, held_out: Batch, scale: float | None = None) -> Snapshot:
    """Measure a layer."""
    _, logits = answer(layer, batch.X, batch.context, scale=scale)
    trace, held_logits = answer(layer, held_out.X, held_out.context, scale=scale)
    accuracy = (held_logits.argmax(axis=-1) == held_out.answers).mean()
    found = np.take_along_axis(trace.weights, held_out.keys[..., None], axis=-1).mean()
    return Snapshot(step, layer, loss_of(logits, batch.answers), float(accuracy), float(found))


def train(
    layer: Layer,
    batch: Batch,
    held_out: Batch,
    *,
    steps: int = 150,
    rate: float = 3.0,
    scale: float | None = None,
    learn_map: bool = True,
    map_waits: int = 0,
    every: int = 5,
) -> Training:
    """Learn by plain gradient descent, all sentences at every step.

    Parameters
    ----------
    layer : Layer
        Where to begin.
    batch, held_out : Batch
        What to learn from, and what to be measured on.
    steps : int, optional
    rate : float, optional
        The learning rate: how far a step goes.
    scale : float, optional
        As in `cross_attention`. Default: 1 / sqrt(d_k).
    learn_map : bool, optional
        False leaves W_Q and W_K as they are.
    map_waits : int, optional
        Steps before W_Q and W_K begin to learn; W_V and W_C begin at once.
    every : int, optional
        Steps between snapshots.

    Returns
    -------
    Training
        If numbers leave the range of float64, it ends there and says so.

    Raises
    ------
    ValueError
        If `steps` is negative or `every` below 1.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 4.3.
    """
    snapshots: list[Snapshot] = []
    as_count("every", every, least=1)
    for step in range(as_count("steps", steps) + 1):
        try:
            with np.errstate(over="ignore", invalid="ignore"):  # told as a sentence below
                if step % every == 0 or step == steps:
                    snapshots.append(look_at(step, layer, batch, held_out, scale))
                d = gradients_of(layer, batch, scale=scale)
        except ValueError as overflow:
            return Training(snapshots, MESSAGES["stopped"].format(step=step, problem=overflow))
        if not learn_map or step < map_waits:
            d = Layer(0 * d.W_Q, 0 * d.W_K, d.W_V, d.W_C)
        layer = descend(layer, d, rate)
    return Training(snapshots)


def mean_and_spread(values: Sequence[float] | NDArray[Any]) -> str:
    """Write the mean of several runs and their standard deviation.

    Examples
    --------
    >>> mean_and_spread([0.7, 0.9])
    '0.80 ± 0.10'
    """
    return f"{np.mean(values):.2f} ± {np.std(values):.2f}"
