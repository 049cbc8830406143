"""Two small language models that were trained for this set: one writes, the other copies; see data/README.md."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .._arguments import read_only
from ..language_model import LanguageModel
from ..multi_head import MultiHeadAttention
from ..training.copying import held_out_ids
from ..training.learning import loss_of
from .data import DATA, read_data
from .measures import induction_share, offset_share


def load_writing_model() -> LanguageModel:
    """Load the model that writes English sentences, each with its Korean translation.

    Two layers of four heads, d_model 64, 512 positions; its texts are those of
    `training.two_languages`. Stored as float16, calculated as float32, made by
    data/make_writing_model.py.

    Examples
    --------
    >>> " ".join(load_writing_model().generate("today the cat sees the moon .".split(), 7))
    'today the cat sees the moon . 오늘 고양이 가 달 을 본다 .'
    """
    with np.load(DATA / "writing_model.npz") as stored:
        return _model_of(dict(stored))


class CopyingMeasure(NamedTuple):
    """How a model does on texts of sixteen different words and the same sixteen again."""

    first_loss: float  # where every word is new, so that nobody can know it
    again_loss: float  # where the words come again
    accuracy: float  # share of right guesses where the words come again
    induction: NDArray[Any]  # (n_layers, n_heads), the mean `induction_share`
    previous: NDArray[Any]  # (n_layers, n_heads), mean weight on the word before


def measure_copying(model: LanguageModel) -> CopyingMeasure:
    """Measure a model of the copying task on texts that it has not seen.

    Examples
    --------
    >>> run = load_copying_run()
    >>> measure_copying(run.models[0]).accuracy < 0.1, measure_copying(run.models[-1]).accuracy > 0.95
    (True, True)
    """
    ids = held_out_ids()
    half = ids.shape[-1] // 2
    trace = model(ids)
    guesses, answers = trace.logits[:, :-1], ids[:, 1:]  # the last word has no next one
    right = guesses[:, half:].argmax(axis=-1) == answers[:, half:]
    maps = [layer.heads.weights for layer in trace.layers]  # (n_texts, h, n, n) of each layer
    return CopyingMeasure(
        loss_of(guesses[:, : half - 1], answers[:, : half - 1]),
        loss_of(guesses[:, half:], answers[:, half:]),
        float(right.mean()),
        np.array([induction_share(weights, ids).mean(axis=0) for weights in maps]),
        np.array([offset_share(weights, -1).mean(axis=0) for weights in maps]),
    )


@dataclass(frozen=True, eq=False)
class CopyingRun:
    """One stored training run of the copying task."""

    steps: tuple[int, ...]  # at which the model was stored
    models: tuple[LanguageModel, ...]  # the model after so many steps
    losses: NDArray[Any]  # (n_steps,), the loss before each step, on the texts of that step
    measured_at: NDArray[Any]  # (n_measures,), the steps at which `measure_copying` was run; its results follow
    first_loss: NDArray[Any]  # (n_measures,)
    again_loss: NDArray[Any]  # (n_measures,)
    accuracy: NDArray[Any]  # (n_measures,)
    induction: NDArray[Any]  # (n_measures, n_layers, n_heads)
    previous: NDArray[Any]  # (n_measures, n_layers, n_heads)


def load_copying_run(n_layers: int = 2) -> CopyingRun:
    """Load the run in which two layers of two heads learn to copy, or the one in which one layer of four does not.

    data/make_copying_run.py made both.

    Examples
    --------
    >>> model = load_copying_run().models[-1]
    >>> model.generate("hat ship moon tree owl hat ship".split(), 2)[-2:]
    ['moon', 'tree']
    """
    names = {2: "copying_run.npz", 1: "copying_run_one_layer.npz"}
    if n_layers not in names:
        raise ValueError(f"n_layers is {n_layers}; runs are stored for 1 and 2")
    with np.load(DATA / names[n_layers]) as stored:
        arrays = dict(stored)
    steps = tuple(arrays.pop("steps").tolist())
    measured = ("losses", "measured_at", *CopyingMeasure._fields)
    curves = {name: read_only(arrays.pop(name)) for name in measured}
    shared = {name: arrays.pop(name) for name in ("words", "n_heads")}
    models = (_model_of(shared | {name: stack[i] for name, stack in arrays.items()}) for i in range(len(steps)))
    return CopyingRun(steps, tuple(models), **curves)


def load_copying_seeds() -> dict[str, Any]:
    """Load what data/measure_copying_seeds.py measured over twenty seeds and two settings of the processor.

    "two layers of two heads", "one layer of two heads", "one layer of four
    heads" and "two layers, one row for all positions" hold for each number its
    [least, largest]; the heads of a layer are sorted, the least first. Beside
    them are "steps", "seeds" and "processors".

    Examples
    --------
    >>> two, one = (load_copying_seeds()[f"{name} of two heads"] for name in ("two layers", "one layer"))
    >>> two["again_loss"][1] < 0.2 and one["again_loss"][0] > 1.9  # the worst of two layers, the best of one
    True
    """
    return read_data("copying_seeds")


def _model_of(stored: dict[str, NDArray[Any]]) -> LanguageModel:
    """Make a model of stored arrays, named as in `LanguageModel.parameters`."""
    W = {name: array.astype(np.float32) for name, array in stored.items() if name not in ("words", "n_heads")}
    n_heads, n_layers = int(stored["n_heads"]), sum(name.endswith(".W_Q") for name in W)
    layers = [
        MultiHeadAttention(W[f"{i}.W_Q"], W[f"{i}.W_K"], W[f"{i}.W_V"], W[f"{i}.W_O"], n_heads) for i in range(n_layers)
    ]
    return LanguageModel(stored["words"].tolist(), W["W_E"], W["W_P"], layers, W["W_U"])
