"""Learning attention: one layer, its loss, and plain gradient descent. The tasks are in `tasks.py`."""

from collections.abc import Collection
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np

from .._arguments import Array, as_count
from ..attention import AttentionTrace, cross_attention
from .gradients import attention_backward, loss_backward, loss_of, projection_backward


@dataclass(frozen=True, eq=False)
class Layer:
    """One head of attention with a classifier behind it; or the gradients of its matrices."""

    W_Q: Array  # (d_queries, d_k)
    W_K: Array  # (d_model, d_k)
    W_V: Array  # (d_model, d_v)
    W_C: Array  # (d_v, n_classes): turns the output into one number per class

    def matrices(self) -> dict[str, Array]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


class Batch(NamedTuple):
    """Sentences to learn from, and what each query should answer."""

    X: Array  # (batch, n_queries, d_queries): the rows that become queries
    context: Array  # (batch, n_keys, d_model): the rows that become keys and values
    answers: Array  # (batch, n_queries): the right class of each query
    keys: Array  # (batch, n_queries): which key holds the answer; we look at it, but learning never sees it


def random_layer(rng: np.random.Generator, d_queries: int, d_model: int, d_k: int, n_classes: int) -> Layer:
    """Draw a layer that knows nothing: small random numbers, so that its maps are nearly flat."""
    shapes = [(d_queries, d_k), (d_model, d_k), (d_model, d_k), (d_k, n_classes)]
    return Layer(*(0.3 * rng.standard_normal(shape) for shape in shapes))


def answer(layer: Layer, X: Array, context: Array, *, scale: float | None = None) -> tuple[AttentionTrace, Array]:
    """Run the layer; return its trace, and the logits of the classes, (..., n_queries, n_classes)."""
    trace = cross_attention(X, context, layer.W_Q, layer.W_K, layer.W_V, scale=scale)
    return trace, trace.output @ layer.W_C


def gradients_of(layer: Layer, batch: Batch, *, scale: float | None = None) -> Layer:
    """Return how the loss changes with each matrix of the layer: last step first, back to W_Q and W_K."""
    trace, logits = answer(layer, batch.X, batch.context, scale=scale)
    d_logits = loss_backward(logits, batch.answers) / batch.answers.size  # (batch, n_queries, n_classes)
    d_output, d_W_C = projection_backward(trace.output, layer.W_C, d_logits)
    back = attention_backward(trace, d_output, scale=scale)
    return Layer(
        W_Q=projection_backward(batch.X, layer.W_Q, back.Q).W,
        W_K=projection_backward(batch.context, layer.W_K, back.K).W,
        W_V=projection_backward(batch.context, layer.W_V, back.V).W,
        W_C=d_W_C,
    )


def descend(layer: Layer, gradients: Layer, rate: float) -> Layer:
    """Take one step downhill with every matrix: W - rate * d_W."""
    d = gradients.matrices()
    return Layer(**{name: W - rate * d[name] for name, W in layer.matrices().items()})


class Snapshot(NamedTuple):
    step: int
    layer: Layer
    loss: float  # on the sentences it learns from
    accuracy: float  # share of right answers on held-out sentences
    found: float  # mean weight, on held-out sentences, of the key that holds the answer


@dataclass(frozen=True, eq=False)
class Training:
    snapshots: list[Snapshot]  # step 0 (random) first

    @property
    def last(self) -> Snapshot:
        return self.snapshots[-1]


def look_at(step: int, layer: Layer, batch: Batch, held_out: Batch, scale: float | None = None) -> Snapshot:
    logits = answer(layer, batch.X, batch.context, scale=scale)[1]
    trace, held_out_logits = answer(layer, held_out.X, held_out.context, scale=scale)
    accuracy = (held_out_logits.argmax(axis=-1) == held_out.answers).mean()
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
    frozen: Collection[str] = (),
    every: int = 5,
) -> Training:
    """Learn by plain gradient descent, with all sentences at every step.

    If numbers leave the range of float64, the run ends there.

    Parameters
    ----------
    layer : Layer
        The start.
    batch, held_out : Batch
        The sentences to learn from, and those to measure on.
    rate : float, optional
        The learning rate: how far a step goes.
    scale : float, optional
        As in `cross_attention`.
    frozen : collection of str, optional
        The matrices that stay as they are, such as ("W_Q", "W_K").
    every : int, optional
        Steps between snapshots.

    References
    ----------
    .. [1] Goodfellow, Bengio and Courville, "Deep Learning", 2016, section 4.3.
    """
    snapshots: list[Snapshot] = []
    as_count("every", every, least=1)
    for step in range(as_count("steps", steps) + 1):
        try:
            with np.errstate(over="ignore", invalid="ignore"):
                if step % every == 0 or step == steps:
                    snapshots.append(look_at(step, layer, batch, held_out, scale))
                d = gradients_of(layer, batch, scale=scale)
        except ValueError:
            break
        layer = descend(layer, replace(d, **{name: 0 * d.matrices()[name] for name in frozen}), rate)
    return Training(snapshots)
