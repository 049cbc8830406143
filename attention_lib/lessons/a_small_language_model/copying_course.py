"""A training run of the copying task that can be looked at while it grows, or that is stored."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examples.small_models import CopyingMeasure, load_copying_run, measure_copying
from ...language_model import LanguageModel
from ...training.copying import STEPS, copying_trainer
from ...training.language_training import Trainer

EVERY = 10  # steps between two measures; as in data/make_copying_run.py
HEADS = {1: 4, 2: 2}  # layers, and heads in each: four in all


class Course:
    """How a model learns to copy: the model at some steps, and what was measured.

    Without a seed it is the stored run, which does not go on. With a seed it begins
    at step 0, and `go_on` adds to it; nothing is ever changed or dropped.

    Examples
    --------
    >>> course = Course(2, seed=0)
    >>> course.go_on(), course.steps
    (True, [0, 10])
    >>> Course(2).steps[-1]
    1000
    """

    def __init__(self, n_layers: int, seed: int | None = None) -> None:
        self.n_layers, self.n_heads, self.seed = n_layers, HEADS[n_layers], seed
        self.steps: list[int] = []  # at which the model was stored
        self.models: list[LanguageModel] = []  # the model after so many steps
        self.measures: list[CopyingMeasure] = []  # one for each model
        self._measured: dict[int, CopyingMeasure] = {}  # of the stored run also between its models
        self._trainer: Trainer | None = None
        if seed is None:
            self._take_stored()
        else:
            self._trainer = copying_trainer(seed, n_layers=n_layers, n_heads=self.n_heads)
            self._store(self._trainer)

    def _take_stored(self) -> None:
        run = load_copying_run(self.n_layers)
        curves = zip(*(getattr(run, name) for name in CopyingMeasure._fields))
        self._measured = {step: CopyingMeasure(*values) for step, values in zip(run.measured_at.tolist(), curves)}
        self.steps, self.models = list(run.steps), list(run.models)
        self.measures = [self._measured[step] for step in self.steps]

    def _store(self, trainer: Trainer) -> None:
        self.steps.append(trainer.step)
        self.models.append(trainer.model)
        self.measures.append(measure_copying(trainer.model))
        self._measured[trainer.step] = self.measures[-1]

    @property
    def is_stored(self) -> bool:
        """Whether this is the stored run."""
        return self._trainer is None

    @property
    def is_done(self) -> bool:
        """Whether all steps are taken."""
        return self.steps[-1] >= STEPS

    def go_on(self) -> bool:
        """Take steps up to the next that is stored, and store what came of them; False where no more will follow.

        An interrupt of the kernel ends it early, and what was learned stays.
        """
        if self._trainer is None or self.is_done:
            return False
        wanted = min(EVERY - self._trainer.step % EVERY, STEPS - self._trainer.step)
        taken = self._trainer.run(wanted, seconds=np.inf)
        if taken:
            self._store(self._trainer)
        return taken == wanted and not self.is_done

    def place_near(self, step: int, here: int) -> int:
        """Return the place of what was stored nearest to a step; where that is `here`, the next in that direction.

        Examples
        --------
        >>> Course(2).steps[:3], Course(2).place_near(90, 0), Course(2).place_near(10, 0)
        ([0, 50, 100], 2, 1)
        """
        nearest = min(range(len(self.steps)), key=lambda i: abs(self.steps[i] - step))
        if nearest == here and step != self.steps[here]:
            nearest = min(max(here + (1 if step > self.steps[here] else -1), 0), len(self.steps) - 1)
        return nearest

    def again_losses(self) -> tuple[list[int], list[float]]:
        """Return the steps that were measured, and the loss at each where words come again."""
        return list(self._measured), [float(measure.again_loss) for measure in self._measured.values()]

    def induction_over(self, steps: list[int]) -> NDArray[Any]:
        """Return the induction score of each head at some steps, (n_layers * n_heads, n); NaN where none was measured.

        Examples
        --------
        >>> Course(2).induction_over([0, 1000, 2000])[2].round(1)
        array([0. , 0.9, nan])
        """
        unknown = np.full((self.n_layers, self.n_heads), np.nan)
        columns = [self._measured[step].induction if step in self._measured else unknown for step in steps]
        return np.array([np.ravel(column) for column in columns]).T

    def code(self, place: int, text: Sequence[str], cut: tuple[int, ...] = ()) -> str:
        """Return lines that give the map of the first head over a text, at a stored step, with a head cut or none."""
        if self.is_stored:
            lines = ["from attention_lib.examples.small_models import load_copying_run", ""]
            lines += [f"model = load_copying_run({self.n_layers}).models[{place}]  # step {self.steps[place]}"]
        else:
            lines = ["from attention_lib.training.copying import copying_trainer", ""]
            lines += [f"trainer = copying_trainer({self.seed}, n_layers={self.n_layers}, n_heads={self.n_heads})"]
            lines += [f"trainer.run({self.steps[place]})", "model = trainer.model"]
        if cut:
            lines.append("model = model.without_head({}, {})".format(*cut))
        lines += [f"words = {list(text)!r}", "model(model.ids(words)).layers[0].heads.weights[0].round(2)"]
        return "\n".join(lines)
