"""Diagnosis of an answer that raises, by the words of the error and by what met in the line."""

import re
from collections.abc import Sequence

from .exercise import Finding, Function, Operands, Seen
from .rules_of_errors import runs_only_where
from .sources import reduces_without_keepdims

ERRORS = (
    ("broadcast_error", ("could not be broadcast", "broadcastable")),
    ("product_error", ("matmul", "not aligned", "mismatch in its core dimension")),
    ("float_for_a_size", ("'float' object cannot be interpreted as an integer", "slice indices must be integers")),
    ("array_has_no_append", ("'numpy.ndarray' object has no attribute 'append'",)),
    ("other_arguments", ("positional argument but", "positional arguments but")),
    ("not_in_a_list", ("only integer scalar arrays can be converted", "only 0-dimensional arrays can be converted")),
    ("bool_of_an_array", ("truth value of an array",)),
    ("caret_for_a_power", ("for ^:", "'bitwise_xor'")),
    ("exp_too_large", ("math range error",)),
    ("softmax_given_nan", ("softmax needs finite numbers",)),
)


#: Errors whose words hold numbers.
NUMBERED = {
    "index_error": r"index (?P<index>-?\d+) is out of bounds for axis (?P<axis>\d+) with size (?P<size>\d+)",
    "reshape_error": r"cannot reshape array of size (?P<size>\d+) into shape \((?P<shape>[^)]*)\)",
}


def errors(seen: Sequence[Seen]) -> Finding | None:
    """See an error that every failing case raises, by its words."""
    raised = [one.error for one in seen if not one.right]
    for mistake, words in ERRORS:
        if raised and all(any(word in text for word in words) for text in raised):
            if mistake == "product_error":
                return _of_a_product(next((one.operands for one in seen if one.operands), None))
            where = runs_only_where(seen) if mistake == "broadcast_error" else None
            return where or Finding(mistake)
    for mistake, pattern in NUMBERED.items():
        if raised and all(re.search(pattern, text) for text in raised):
            told = re.search(pattern, raised[0])
            return Finding(mistake, told.groupdict()) if told else None
    return None


def _of_a_product(operands: Operands | None) -> Finding:
    """Say which two shapes met in a product that does not fit."""
    if operands is None:
        return Finding("product_error", also=(Finding("product_hint"),))
    (a, had), (b, other) = operands
    if b.endswith(".T") and len(other) > 2:
        return Finding("all_axes_transposed")
    values = {"a": a, "had": had, "b": b, "other": other, "last": had[-1], "second": other[max(len(other) - 2, 0)]}
    fits = len(other) > 1 and had[-1] == other[-1]
    hint = Finding("product_transpose" if fits else "product_no_transpose", values)
    return Finding("product_error", also=(Finding("product_shapes", values), hint))


HINTS = ("product_hint", "product_transpose", "product_no_transpose")


def without_hints(finding: Finding) -> Finding:
    """Leave out what may mend a product: the place that does mend it is known."""
    return finding._replace(also=tuple(one for one in finding.also if one.mistake not in HINTS))


def with_sums_lined_up(finding: Finding, function: Function) -> Finding:
    """Say that a sum of each row made as many columns as rows, where the source takes one without keepdims."""
    shapes = next((one.values for one in finding.also if one.mistake == "product_shapes"), None)
    if shapes is None or shapes["second"] != 1 or len(set(shapes["had"][-2:])) > 1 or len(shapes["had"]) < 2:
        return finding
    if not reduces_without_keepdims(function):
        return finding
    lined_up = Finding("product_lined_up", shapes)
    return finding._replace(also=(*without_hints(finding).also, lined_up))


def error_shown(seen: Sequence[Seen]) -> Finding | None:
    """See the error of the case that is shown, by its words, where other cases raise none."""
    return errors([one for one in seen if not one.right][:1])
