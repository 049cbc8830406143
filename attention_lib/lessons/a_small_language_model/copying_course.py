"""A training run of the copying task that can be looked at while it grows, or that is stored."""

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
        self.measures: dict[int, CopyingMeasure] = {}  # by step; of the stored run also between its models
        self._trainer: Trainer | None = None
        if seed is None:
            run = load_copying_run(n_layers)
            curves = zip(*(getattr(run, name) for name in CopyingMeasure._fields))
            self.steps, self.models = list(run.steps), list(run.models)
            self.measures = {step: CopyingMeasure(*values) for step, values in zip(run.measured_at.tolist(), curves)}
        else:
            self._trainer = copying_trainer(seed, n_layers=n_layers, n_heads=self.n_heads)
            self._store(self._trainer)

    def _store(self, trainer: Trainer) -> None:
        self.steps.append(trainer.step)
        self.models.append(trainer.model)
        self.measures[trainer.step] = measure_copying(trainer.model)

    @property
    def is_done(self) -> bool:
        return self.steps[-1] >= STEPS

    def go_on(self) -> bool:
        """Take steps up to the next that is stored, and store what came of them; False where no more will follow.

        An interrupt of the kernel ends it early, and what was learned stays.
        """
        if self._trainer is None or self.is_done:
            return False
        wanted = min(EVERY - self._trainer.step % EVERY, STEPS - self._trainer.step)
        taken = self._trainer.run(wanted)
        if taken:
            self._store(self._trainer)
        return taken == wanted and not self.is_done

    def place_near(self, step: int, here: int | None = None) -> int:
        """Return the place of what was stored nearest to a step; where that is `here`, the next in that direction.

        Examples
        --------
        >>> Course(2).steps[:3], Course(2).place_near(90), Course(2).place_near(10, here=0)
        ([0, 50, 100], 2, 1)
        """
        nearest = min(range(len(self.steps)), key=lambda i: abs(self.steps[i] - step))
        if nearest == here and step > self.steps[nearest]:
            return min(nearest + 1, len(self.steps) - 1)
        if nearest == here and step < self.steps[nearest]:
            return nearest - 1
        return nearest
