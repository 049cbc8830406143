"""An outcome that is not right, in words, and the case that shows it with the entries that differ."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .compare import close, is_right_kind, same_array
from .exercise import Case, Exercise
from .runner import Died, NotTried, Outcome, Raised, Returned, TimeUp, Unusable

MOST_SHOWN = 40  # entries of an array that is written out


def describe(exercise: Exercise, outcome: Outcome, needed: Outcome, seconds: float) -> tuple[str, str]:
    """Return the status and a sentence for one outcome that is not right."""
    if isinstance(outcome, NotTried):
        return "type", "Your function returned None in this case. Is there a branch without `return`?"
    if isinstance(outcome, Raised):
        text = f": {outcome.text}" if outcome.text else ""
        shapes = f" The shapes in this line are {outcome.shapes}." if outcome.shapes else ""
        return "raised", f"Your code raised {outcome.kind}{text}{_where(outcome)}.{shapes}"
    if isinstance(outcome, TimeUp):
        sentence = f"There was still no answer after {seconds:g} seconds{_where(outcome)}."
        return "time up", f"{sentence} Is there a loop that never ends?"
    if isinstance(outcome, Died):
        sentence = f"Your code ended Python itself ({outcome.how})."
        return "raised", f"{sentence} It ran in a separate process, so nothing is lost."
    if isinstance(outcome, Unusable):
        if exercise.is_test:
            sentence = f"Your test returned a value of type {outcome.returned}"
            return "type", f"{sentence}; a test should return a single True or False."
        wanted = f"{len(exercise.parts)} values in this order: {', '.join(exercise.parts)}"
        wanted = wanted if len(exercise.parts) > 1 else "an array of numbers"
        return "type", f"Your function returned a value of type {outcome.returned}; it should return {wanted}."
    assert isinstance(outcome, Returned)
    assert isinstance(needed, Returned)
    for name, found, right in zip(exercise.parts, outcome.parts, needed.parts):
        if not same_array(found, right) or not is_right_kind(exercise, found, right):
            return _describe_array(exercise, "Your answer" if name == "answer" else f"`{name}`", found, right)
    raise AssertionError("called for an outcome that is right")


def _describe_array(exercise: Exercise, part: str, found: np.ndarray, needed: np.ndarray) -> tuple[str, str]:
    """Say where an array first differs: by its shape, its type, or an entry."""
    if found.shape != needed.shape:
        wanted = f"shape {needed.shape}" if needed.ndim else "a single number"
        return "shape", f"{part} has shape {found.shape}; it should be {wanted}."
    if (found.dtype == bool) != (needed.dtype == bool):
        wanted = "bool, that is, True or False in every entry" if needed.dtype == bool else "numbers"
        return "type", f"{part} holds {found.dtype}; it should hold {wanted}."
    if not is_right_kind(exercise, found, needed):
        return "type", f"{part} holds {found.dtype}; it should hold whole numbers (int), because they are indices."
    index = tuple(int(i) for i in np.argwhere(~close(found, needed))[0])
    yours, right = number(found[index]), number(needed[index])
    if yours == right:  # a rounded answer: write enough digits to tell the two apart
        yours, right = f"{float(found[index]):.8g}", f"{float(needed[index]):.8g}"
    status = "nan" if found.dtype.kind == "f" and np.isnan(found[index]) else "differs"
    where = f" at [{', '.join(map(str, index))}]" if index else ""
    return status, f"{part} is {yours}{where}; it should be {right}."


def _where(outcome: Raised | TimeUp) -> str:
    if outcome.line is None:
        return ""
    return f", at line {outcome.line}, `{outcome.code}`" if outcome.code else f", at line {outcome.line}"


def number(value: Any) -> str:
    """Write one number with at most four digits after the point, or as many as it takes to see it.

    Examples
    --------
    >>> number(0.25), number(2 / 3), number(1e-7), number(True)
    ('0.25', '0.6667', '1e-07', 'True')
    """
    value = value.item() if isinstance(value, np.generic | np.ndarray) else value  # Python's own do not overflow
    if isinstance(value, bool):
        return str(value)
    value = value + 0  # -0.0 becomes 0
    return f"{value:.4g}" if abs(value) < 1e-3 or abs(value) >= 1e5 else f"{value:.4f}".rstrip("0").rstrip(".")


# The case


def show_case(exercise: Exercise, case: Case, outcome: Outcome, needed: Outcome) -> str:
    """Write out a case: what the function is given, what it returns, and what it should return."""
    lines = ["The smallest case that fails:"]
    lines += [f"  {name} = {written(value)}" for name, value in zip(exercise.argument_names(), case.arguments)]
    if isinstance(outcome, Returned) and isinstance(needed, Returned):
        for name, found, right in zip(exercise.parts, outcome.parts, needed.parts):
            if not same_array(found, right):
                lines += _show_part(name, found, right)
    call = f'r = check("{exercise.name}", {exercise.name})'
    return "\n".join([*lines, f"To try it yourself, run {call} and then look at r.inputs and r.needed."])


def _show_part(name: str, found: np.ndarray, needed: np.ndarray) -> list[str]:
    """Write what was returned above what is needed; where the shapes agree, a star marks each entry that differs."""
    if max(found.size, needed.size) > MOST_SHOWN:
        return []
    differs = ~close(found, needed) if found.shape == needed.shape else np.zeros(found.shape, dtype=bool)
    yours = f"  {name}, yours:  "
    right = f"  {name}, needed: "
    return [yours + _rows(found, differs, len(yours)), right + _rows(needed, np.zeros(needed.shape, bool), len(right))]


def _rows(array: np.ndarray, marked: np.ndarray, indent: int) -> str:
    """Write an array in aligned columns, with a star behind each marked entry."""
    texts = np.array([number(x) + ("*" if mark else "") for x, mark in zip(array.flat, marked.flat)], dtype=object)
    width = max(map(len, texts), default=0)
    if not array.ndim:
        return str(texts[0])
    formatter: Any = {"all": lambda text: text.ljust(width)}
    return np.array2string(texts.reshape(array.shape), prefix=" " * indent, formatter=formatter, separator=" ")


def written(value: Any) -> str:
    """Write an argument in one line."""
    if isinstance(value, np.ndarray):
        if value.size > MOST_SHOWN:
            return f"array of shape {value.shape}"
        is_small = value.dtype.kind != "f" or bool(np.all(np.abs(value[np.isfinite(value)]) < 1e5))
        return " ".join(np.array2string(value, precision=3, separator=", ", suppress_small=is_small).split())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(written, value)) + "]"
    return repr(value)
