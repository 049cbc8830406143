"""All exercises by name, in the order of the notebooks."""

import importlib

from .exercise import Exercise

MODULES = (
    "notebook_01",
    "notebook_02",
    "notebook_03",
    "notebook_04",
    "notebook_05",
    "notebook_06",
    "notebook_07",
    "notebook_08",
)

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise
    for module in MODULES
    for exercise in importlib.import_module(f".{module}", __package__).EXERCISES
}


def exercise_names(notebook: str | None = None) -> list[str]:
    """Return the names of all exercises, or of those of one notebook, in order.

    Examples
    --------
    >>> exercise_names("01_self_attention")[:2]
    ['scores_of_pairs', 'softmax_rows']
    """
    return [name for name, exercise in EXERCISES.items() if notebook in (None, exercise.notebook)]
