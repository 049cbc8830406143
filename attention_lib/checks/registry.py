"""All exercises by name, in the order of the notebooks. Each notebook's lesson is looked up when it is first needed."""

import dataclasses
import functools
import importlib
import importlib.resources
import tomllib
from typing import Any

from .. import _LESSONS
from .exercise import Exercise


def notebooks() -> tuple[str, ...]:
    """Return the names of all notebooks that ask something, as "01_self_attention"."""
    return tuple(importlib.import_module(_LESSONS).find_notebooks())


@functools.cache
def exercises() -> dict[str, Exercise]:
    found: dict[str, Exercise] = {}
    for notebook in notebooks():
        folder = notebook[3:]
        if importlib.resources.files(_LESSONS).joinpath(folder, "exercises.py").is_file():
            lesson = vars(importlib.import_module(f"{_LESSONS}.{folder}.exercises"))
            own = {name: one for name, one in lesson.items() if isinstance(one, Exercise)}
            found |= {name: dataclasses.replace(one, name=name, notebook=notebook) for name, one in own.items()}
    return found


def exercise_names(notebook: str | None = None) -> list[str]:
    """Return the names of all exercises, or of those of one notebook, in order.

    Examples
    --------
    >>> exercise_names("01_self_attention")[:2]
    ['attention_from_embeddings', 'mended_attention']
    """
    return [name for name, exercise in exercises().items() if notebook in (None, exercise.notebook)]


@functools.cache
def predictions(number: str) -> dict[str, dict[str, Any]]:
    """Return what the file of predictions says, by name, for the notebook with this number ("01")."""
    for notebook in notebooks():
        if notebook[:2] == number:
            text = importlib.resources.files(_LESSONS).joinpath(notebook[3:], "predictions.toml").read_text("utf-8")
            return tomllib.loads(text)
    return {}
