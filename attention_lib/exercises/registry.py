"""All exercises by name, in the order of the notebooks."""

from .content import CONTENT, content_of
from .exercise import Exercise

EXERCISES: dict[str, Exercise] = {
    exercise.name: exercise for number in CONTENT for exercise in getattr(content_of(number), "EXERCISES", ())
}


def exercise_names(notebook: str | None = None) -> list[str]:
    """Return the names of all exercises, or of those of one notebook, in order.

    Examples
    --------
    >>> exercise_names("01_self_attention")[:2]
    ['shapes_of_attention', 'attention_from_embeddings']
    """
    return [name for name, exercise in EXERCISES.items() if notebook in (None, exercise.notebook)]
