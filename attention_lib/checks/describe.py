"""An outcome that is not right, in words, and the case that shows it with the entries that differ."""

import unicodedata
from collections.abc import Sequence
from typing import Any

import numpy as np

from .._words import _
from .compare import close, same_array
from .exercise import Case, Exercise
from .runner import NotTried, Outcome, Raised, Returned, TimeUp, Unusable

MOST_SHOWN = 40  # entries of an array that is written out


def describe(exercise: Exercise, outcome: Outcome, needed: Outcome, seconds: float) -> tuple[str, str]:
    """Return the status and a sentence for one outcome that is not right."""
    if isinstance(outcome, NotTried):
        return "type", _("Your function returned None in this case. Is there a branch without `return`?")
    if isinstance(outcome, Raised):
        error = f"{outcome.kind}: {outcome.text}" if outcome.text else outcome.kind
        sentence = _("Your code raised {error}{where}.").format(error=error, where=_where(outcome))
        if outcome.shapes:
            sentence += " " + _("The shapes in this line are {shapes}.").format(shapes=outcome.shapes)
        return "raised", sentence
    if isinstance(outcome, TimeUp):
        sentence = _("There was still no answer after {seconds:g} seconds{where}. Is there a loop that never ends?")
        return "time up", sentence.format(seconds=seconds, where=_where(outcome))
    if isinstance(outcome, Unusable):
        sentence = _("Your function returned a value of type {found}; it should return an array of numbers.")
        if exercise.is_test:
            sentence = _("Your test returned a value of type {found}; a test should return a single True or False.")
        elif len(exercise.parts) > 1:
            sentence = _(
                "Your function returned a value of type {found}; it should return {n} values in this order: {names}."
            )
        names = ", ".join(exercise.parts)
        return "type", sentence.format(found=outcome.returned, n=len(exercise.parts), names=names)
    assert isinstance(outcome, Returned)
    assert isinstance(needed, Returned)
    for name, found, right in zip(exercise.parts, outcome.parts, needed.parts):
        if not same_array(found, right):
            return _describe_array(_("Your answer") if name == "answer" else f"`{name}`", found, right)
    raise AssertionError("called for an outcome that is right")


def _describe_array(part: str, found: np.ndarray, needed: np.ndarray) -> tuple[str, str]:
    """Say where an array first differs: by its shape, its type, or an entry."""
    if found.shape != needed.shape:
        sentence = _("{part} has shape {found}; it should be a single number.")
        if needed.ndim:
            sentence = _("{part} has shape {found}; it should be shape {needed}.")
        return "shape", sentence.format(part=part, found=found.shape, needed=needed.shape)
    if (found.dtype == bool) != (needed.dtype == bool):
        sentence = _("{part} holds {found}; it should hold numbers.")
        if needed.dtype == bool:
            sentence = _("{part} holds {found}; it should hold bool, that is, True or False in every entry.")
        return "type", sentence.format(part=part, found=found.dtype)
    index = tuple(int(i) for i in np.argwhere(~close(found, needed))[0])
    yours, right = number(found[index]), number(needed[index])
    if yours == right:  # a rounded answer: write enough digits to tell the two apart
        yours, right = f"{float(found[index]):.8g}", f"{float(needed[index]):.8g}"
    status = "nan" if found.dtype.kind == "f" and np.isnan(found[index]) else "differs"
    sentence = _("{part} is {yours} at [{index}]; it should be {right}.")
    if not index:
        sentence = _("{part} is {yours}; it should be {right}.")
    return status, sentence.format(part=part, yours=yours, index=", ".join(map(str, index)), right=right)


def _where(outcome: Raised | TimeUp) -> str:
    if outcome.line is None:
        return ""
    where = _(", at line {line}, `{code}`") if outcome.code else _(", at line {line}")
    return where.format(line=outcome.line, code=outcome.code)


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


def show_case(exercise: Exercise, case: Case, outcome: Outcome, needed: Outcome) -> str:
    """Write out a case: what the function is given, what it returns, and what it should return."""
    lines = [_("The smallest case that fails:")]
    lines += [f"  {name} = {written(value)}" for name, value in zip(exercise.argument_names(), case.arguments)]
    if isinstance(outcome, Returned) and isinstance(needed, Returned):
        for name, found, right in zip(exercise.parts, outcome.parts, needed.parts):
            if not same_array(found, right):
                lines += _show_part(name, found, right)
    call = f'r = check("{exercise.name}", {exercise.name})'
    more = _("To try it yourself, run {call} and then look at r.inputs and r.needed.").format(call=call)
    return "\n".join([*lines, more])


def _show_part(name: str, found: np.ndarray, needed: np.ndarray) -> list[str]:
    """Write what was returned above what is needed; where the shapes agree, a star marks each entry that differs."""
    if max(found.size, needed.size) > MOST_SHOWN:
        return []
    differs = ~close(found, needed) if found.shape == needed.shape else np.zeros(found.shape, dtype=bool)
    yours = _("  {name}, yours:  ").format(name=name)
    right = _("  {name}, needed: ").format(name=name)
    return [yours + _rows(found, differs, yours), right + _rows(needed, np.zeros(needed.shape, dtype=bool), right)]


def _rows(array: np.ndarray, marked: np.ndarray, label: str) -> str:
    """Write an array behind its label, in aligned columns, with a star behind each marked entry."""
    indent = len(label) + sum(
        unicodedata.east_asian_width(letter) == "W" for letter in label
    )  # Hangul is twice as wide
    texts = np.array([number(x) + ("*" if mark else "") for x, mark in zip(array.flat, marked.flat)], dtype=object)
    width = max(map(len, texts), default=0)
    if not array.ndim:
        return str(texts[0])
    formatter: Any = {"all": lambda text: text.ljust(width)}
    return np.array2string(texts.reshape(array.shape), prefix=" " * indent, formatter=formatter, separator=" ")


def written(value: Any) -> str:
    if isinstance(value, np.ndarray):
        if value.size > MOST_SHOWN:
            return _("array of shape {shape}").format(shape=value.shape)
        is_small = value.dtype.kind != "f" or bool(np.all(np.abs(value[np.isfinite(value)]) < 1e5))
        return " ".join(np.array2string(value, precision=3, separator=", ", suppress_small=is_small).split())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(written, value)) + "]"
    return repr(value)
