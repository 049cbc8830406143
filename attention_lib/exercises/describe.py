"""An outcome that is not right, in words: what it is, and what is needed."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compare import close, same, same_array
from .exercise import Arguments, Exercise, Function
from .runner import Died, NotTried, Outcome, Raised, Returned, TimeUp, Unusable
from .sources import returns_in_loops_alone

MESSAGES = {
    "raised": "Your code raised {kind}{text}{where}.",
    "text": " ({text})",
    "where": ", at line {line}",
    "where code": ", at line {line}: {code}",
    "time up": "No answer after {seconds:g} seconds{where}. Is there a loop that does not end?",
    "died": "It ended Python itself ({how}). It was tried in a process of its own, so the notebook goes on.",
    "nothing here": "It returned None in this case. Is there a branch without `return`?",
    "nothing found": "It returned None in this case: the loop came to its end without meeting a `return`. Trying finds "
    "only what is tried; calculate it, or try what belongs to this case too.",
    "type one": "It returned a value of type {returned}; it needs an array of numbers.",
    "type verdict": "It returned a value of type {returned}; a test returns one True or False.",
    "type verdict bools": "It returned an array of True and False; a test returns one True or False. `.all()` makes "
    "one of an array.",
    "type verdict numbers": "It returned numbers, as a function makes them; a test judges them. Compare "
    "them with what they must be, and return True or False.",
    "type played": "It returned an array of shape {shape}, with which the next step cannot go on.",
    "type trace": "It returned a whole {returned}; return only the array that is asked for.",
    "type parts": "It returned {returned}; it needs {n_parts} things in this order: {parts}.",
    "type bool": "{Part} holds {dtype}; it needs bool, True or False in every place.",
    "type numbers": "{Part} holds bool, True and False; it needs numbers.",
    "type whole": "{Part} holds {dtype}; it needs whole numbers (int), since a position can be used as an index.",
    "shape": "{Part} has shape {had}; it needs {needed}.",
    "shape words": "{Part} has shape {had}; it needs {needed}, that is {words}.",
    "shape number": "{Part} has shape {had}; it needs a single number.",
    "number shape": "{Part} is a single number; it needs shape {needed}.",
    "nan": "{Part} is {value} at {index}; it needs {needed}.",
    "differs": "{Part} is {value} at {index}; it needs {needed}.",
    "differs number": "{Part} is {value}; it needs {needed}.",
    "part": "The {part}",
    "case": "Case {i} of {n}, the smallest that fails:",
    "fresh": "A case drawn afresh, kept until it passes:",
    "argument": "  {name} = {value}",
    "array": "array of shape {shape}",
    "by hand": 'Try it: r = check("{name}", {name}), then {name}(*r.inputs) beside r.needed.',
}


#: Kinds of a value that a test returned, and what is said.
VERDICTS = {
    "bool array": "type verdict bools",
    "number array": "type verdict numbers",
    "number": "type verdict numbers",
}


def describe(
    exercise: Exercise,
    outcome: Outcome | Died,
    needed: Outcome | None,
    time_limit: float,
    function: Function | None = None,
) -> tuple[str, str]:
    """Return the status and a sentence for one outcome that is not right."""
    if isinstance(outcome, NotTried):
        return "type", MESSAGES["nothing found" if function and returns_in_loops_alone(function) else "nothing here"]
    if isinstance(outcome, Raised):
        text = MESSAGES["text"].format(text=outcome.text) if outcome.text else ""
        return "raised", MESSAGES["raised"].format(kind=outcome.kind, text=text, where=_where(outcome))
    if isinstance(outcome, TimeUp):
        return "time up", MESSAGES["time up"].format(seconds=time_limit, where=_where(outcome))
    if isinstance(outcome, Died):
        return "raised", MESSAGES["died"].format(how=outcome.how)
    if isinstance(outcome, Unusable):
        if outcome.shape is not None:
            return "shape", MESSAGES["type played"].format(shape=outcome.shape)
        asked = exercise.parts[: len(exercise.parts) - exercise.counts]
        key = "type one" if len(asked) == 1 or outcome.n_parts == 1 else "type parts"
        key = VERDICTS.get(outcome.returned, "type verdict") if exercise.may_return_none else key
        key = "type trace" if outcome.returned.endswith("Trace") else key
        return "type", MESSAGES[key].format(returned=outcome.returned, n_parts=len(asked), parts=", ".join(asked))
    assert isinstance(needed, Returned)
    for name, had, right in zip(exercise.parts, outcome.parts, needed.parts):
        if not same_array(had, right) or not right_kind(exercise, had, right):
            return _describe_array(exercise, MESSAGES["part"].format(part=name), had, right)
    raise AssertionError("called for an outcome that is right")


def right_kind(exercise: Exercise, had: NDArray[Any], needed: NDArray[Any]) -> bool:
    """Whether an array holds whole numbers where they are asked for."""
    return not exercise.whole_numbers or had.dtype.kind in "iu" or needed.dtype.kind not in "iu"


def is_right(exercise: Exercise, outcome: Outcome, needed: Outcome) -> bool:
    """Whether an outcome is what is needed, whole numbers where they are asked for."""
    if not isinstance(outcome, Returned) or not isinstance(needed, Returned):
        return False
    return same(outcome, needed) and all(right_kind(exercise, *pair) for pair in zip(outcome.parts, needed.parts))


def _describe_array(exercise: Exercise, part: str, had: NDArray[Any], needed: NDArray[Any]) -> tuple[str, str]:
    """Say where an array first differs: by its shape, its type, a nan, or an entry."""
    if had.shape != needed.shape:
        return "shape", _describe_shape(exercise, part, had, needed)
    for wrong, key in (
        (needed.dtype == bool and had.dtype != bool, "type bool"),
        (needed.dtype != bool and had.dtype == bool, "type numbers"),
        (not right_kind(exercise, had, needed), "type whole"),
    ):
        if wrong:
            return "type", MESSAGES[key].format(Part=part, dtype=had.dtype)
    index = tuple(int(i) for i in np.argwhere(~close(had, needed))[0])
    value, right = had[index], needed[index]
    status = "nan" if had.dtype.kind == "f" and np.isnan(value) else "differs"
    key = "differs number" if not index else status
    where = "[" + ", ".join(map(str, index)) + "]"
    said, needs = number(value), number(right)
    if said == needs:  # a rounded answer, say: write enough digits to tell the two apart
        said, needs = f"{float(value):.8g}", f"{float(right):.8g}"
    return status, MESSAGES[key].format(Part=part, value=said, index=where, needed=needs)


def _describe_shape(exercise: Exercise, part: str, had: NDArray[Any], needed: NDArray[Any]) -> str:
    words = shape_in_words(exercise, needed)
    key = "shape words" if words else "shape"
    key = "shape number" if not needed.ndim else "number shape" if not had.ndim else key
    return MESSAGES[key].format(Part=part, had=had.shape, needed=needed.shape, words=words)


def shape_in_words(exercise: Exercise, needed: NDArray[Any]) -> str:
    """Return the shape as the stub writes it, "(n_queries, n_keys)"; "" where it says nothing of the kind."""
    said = re.search(r"return [^#\n]+# *(\([^)]*\))", exercise.stub)
    words = said[1] if said and len(exercise.parts) == 1 else ""
    return words if words.strip("(),").count(",") + 1 == needed.ndim and "..." not in words else ""


def _where(outcome: Raised | TimeUp) -> str:
    if outcome.line is None:
        return ""
    key = "where code" if outcome.code else "where"
    return MESSAGES[key].format(line=outcome.line, code=outcome.code)


def number(value: Any) -> str:
    """Write one number in at most four digits after the point, or as many as it needs to be seen."""
    value = value.item() if isinstance(value, np.generic | np.ndarray) else value  # Python's own do not overflow
    if isinstance(value, bool):
        return str(value)
    value = value + 0  # -0.0 becomes 0
    return f"{value:.4g}" if abs(value) < 1e-3 or abs(value) >= 1e5 else f"{value:.4f}".rstrip("0").rstrip(".")


def describe_case(exercise: Exercise, arguments: Arguments, heading: str) -> str:
    """Write the input of a case: small arrays in full, large ones by their shape; then how to run it."""
    named = zip(exercise.argument_names(), arguments)
    lines = [MESSAGES["argument"].format(name=name, value=written(value)) for name, value in named]
    return "\n".join([heading, *lines, MESSAGES["by hand"].format(name=exercise.name)])


def heading_of(i: int, n: int) -> str:
    """Return what stands above a case: its number, or that it was drawn afresh (i beyond n)."""
    return MESSAGES["case"].format(i=i + 1, n=n) if i < n else MESSAGES["fresh"]


def written(value: Any) -> str:
    """Write an argument in one line."""
    if isinstance(value, np.ndarray):
        if value.size > 16:
            return MESSAGES["array"].format(shape=value.shape)
        digits = np.array2string(value, precision=3, separator=", ", suppress_small=bool(_small(value)))
        return " ".join(digits.split())
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(written, value)) + "]"
    return repr(value)


def _small(value: NDArray[Any]) -> bool:
    return value.dtype.kind != "f" or bool(np.all(np.abs(value[np.isfinite(value)]) < 1e5))
