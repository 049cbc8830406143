"""The cells of an exercise as they stand in its notebook, written from its record."""

from .._words import _
from .registry import exercise_names, exercises

Cell = tuple[str, str]  # kind ("markdown" or "code"), source


def exercise_cells(name: str) -> list[Cell]:
    """Return the cells of one exercise: text, stub, check, and folded hints and solution."""
    exercise = exercises()[name]
    number = exercise_names(exercise.notebook).index(name) + 1
    heading = _("### Exercise {i}. {title}").format(i=number, title=exercise.title)
    label = _("*Difficulty {difficulty} of 3 · about {minutes} minutes*").format(
        difficulty=exercise.difficulty, minutes=exercise.minutes
    )
    solution = f"```python\n{exercise.solution.strip()}\n```\n\n{exercise.why}"
    folded = [fold(_("Hint {i}").format(i=i), hint) for i, hint in enumerate(exercise.hints, 1)]
    return [
        ("markdown", f"{heading}\n{label}\n\n{exercise.task}"),
        ("code", exercise.stub.strip()),
        ("code", f'check("{name}", {name})'),
        ("markdown", "\n\n".join([*folded, fold(_("A solution"), solution)])),
    ]


def fold(title: str, text: str) -> str:
    """Return Markdown that unfolds on a click."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
