"""The cells of an exercise as they stand in its notebook, written from its record."""

from .registry import exercise_names, exercises

Cell = tuple[str, str]  # kind ("markdown" or "code"), source

MESSAGES = {
    "heading": "### Exercise {i}. {title}",
    "label": "*Difficulty {difficulty} of 3 · about {minutes} minutes*",
    "hint": "Hint {i}",
    "solution": "A solution",
}


def exercise_cells(name: str) -> list[Cell]:
    """Return the cells of one exercise: text, stub, check, and folded hints and solution."""
    exercise = exercises()[name]
    number = exercise_names(exercise.notebook).index(name) + 1
    heading = MESSAGES["heading"].format(i=number, title=exercise.title)
    label = MESSAGES["label"].format(difficulty=exercise.difficulty, minutes=exercise.minutes)
    solution = f"```python\n{exercise.solution.strip()}\n```\n\n{exercise.why}"
    folded = [fold(MESSAGES["hint"].format(i=i), hint) for i, hint in enumerate(exercise.hints, 1)]
    return [
        ("markdown", f"{heading}\n{label}\n\n{exercise.task}"),
        ("code", exercise.stub.strip()),
        ("code", f'check("{name}", {name})'),
        ("markdown", "\n\n".join([*folded, fold(MESSAGES["solution"], solution)])),
    ]


def fold(title: str, text: str) -> str:
    """Return Markdown that unfolds on a click."""
    return f"<details><summary>{title}</summary>\n\n{text}\n\n</details>"
