"""The worked examples of the five study articles, as data, and their audit: what is printed, computed again."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._words import _
from ..attention import AttentionTrace, scaled_dot_product_attention, self_attention, softmax
from .data import DATA, fixed, read_data

INPUTS = ("X", "W_Q", "W_K", "W_V", "Q", "K", "V")


@dataclass(frozen=True, eq=False)
class Printed:
    """One line of numbers as an article prints it."""

    quantity: str  # a step of `AttentionTrace`, or "exp" / "exp_sum" of the scaled scores
    row: int | None  # the query whose row is printed; None for a whole matrix
    values: NDArray[Any]  # (...), as printed
    decimals: NDArray[Any]  # (...), digits printed after the point; inf where a number is exact
    follows_from: tuple[str, ...]  # the quantities of the article that this line is calculated from

    @property
    def half_digit(self) -> NDArray[Any]:
        """How far rounding alone can move each number: half a unit of its last digit."""
        return 0.5 * 10.0**-self.decimals


@dataclass(frozen=True, eq=False)
class WorkedExample:
    """A published worked example: its sentence, its inputs, and its results as printed."""

    name: str
    source: str  # the article
    tokens: tuple[str, ...]
    query: str | None  # the token whose row the article follows
    inputs: dict[str, NDArray[Any]]  # of X, W_Q, W_K, W_V, Q, K and V those that the article gives
    is_causal: bool  # whether each token sees only itself and earlier ones
    printed: tuple[Printed, ...]  # in the article's order
    glosses: Mapping[str, str]  # what Korean tokens mean, where `load_meanings` does not say it

    def trace(self) -> AttentionTrace:
        """Calculate the example from its own inputs; ValueError if the article prints no numbers to calculate from."""
        if "X" in self.inputs:
            X, W_Q, W_K, W_V = (self.inputs[name] for name in ("X", "W_Q", "W_K", "W_V"))
            return self_attention(X, W_Q, W_K, W_V, is_causal=self.is_causal)
        if "Q" in self.inputs:
            Q, K, V = (self.inputs[name] for name in ("Q", "K", "V"))
            return scaled_dot_product_attention(Q, K, V, is_causal=self.is_causal)
        raise ValueError(f"{self.name} has no numbers to calculate from; its article prints none")

    def index(self, token: str | None = None) -> int:
        """Return the row of a token, by default of the query."""
        return self.tokens.index(token or self.query or "")


@dataclass(frozen=True, eq=False)
class AuditLine:
    """What the audit found about one printed line."""

    label: str  # the quantity, and the token where only its row is printed
    printed: NDArray[Any]  # (...)
    computed: NDArray[Any]  # (...), from the article's own inputs, not rounded
    differs: NDArray[Any]  # (...), where `computed`, rounded to the digits printed, is another number
    follows: NDArray[Any]  # (...), where the number follows from the article's lines before it and their rounding

    @property
    def n_differ(self) -> int:
        return int(self.differs.sum())

    @property
    def largest_gap(self) -> float:
        """The largest |printed - computed| of the entries that differ; 0 where none does."""
        return float(np.abs(self.printed - self.computed)[self.differs].max(initial=0))

    def __str__(self) -> str:
        wrong = int((~self.follows).sum())
        if wrong:
            sentence = _("{label}: {n} of {total} differ, by up to {gap:.3f}; {wrong} do not follow")
        elif self.n_differ:
            sentence = _("{label}: {n} of {total} differ, by up to {gap:.3f}; follows")
        else:
            sentence = _("{label}: none of {total} differs; follows")
        counts = {"n": self.n_differ, "total": self.differs.size, "wrong": wrong}
        return sentence.format(label=self.label, gap=self.largest_gap, **counts)


def example_names() -> list[str]:
    """List the names of the worked examples.

    Examples
    --------
    >>> [name for name in example_names() if name.startswith("c")]
    ['cat_sat']
    """
    return sorted(path.stem for path in DATA.glob("*.json") if "printed" in json.loads(path.read_text("utf-8")))


def load_example(name: str) -> WorkedExample:
    """Load one published worked example; `example_names()` lists them, and data/README.md says where each comes from.

    Raises
    ------
    ValueError
        If there is no such example.

    Examples
    --------
    >>> example = load_example("cat_sat")
    >>> example.trace().scores[example.index("sat")]
    array([2., 2., 4., 2., 2., 2.])
    """
    if name not in example_names():
        raise ValueError(f"there is no example {name!r}; the examples are {', '.join(example_names())}")
    record = read_data(name)
    return WorkedExample(
        name=record["name"],
        source=record["source"],
        tokens=tuple(record["tokens"]),
        query=record.get("query"),
        inputs={key: fixed(record[key]) for key in INPUTS if key in record},
        is_causal=record.get("is_causal", False),
        printed=tuple(_printed(line) for line in record["printed"]),
        glosses=record.get("glosses", {}),
    )


def audit(example: WorkedExample) -> list[AuditLine]:
    """Calculate every printed number of an example again: an `AuditLine` for each printed line, in the article's order.

    Examples
    --------
    >>> for line in audit(load_example("kv_cache_three_tokens"))[6:]:
    ...     print(line)
    scores of 뛰어나다: none of 3 differs; follows
    weights of 뛰어나다: 3 of 3 differ, by up to 0.080; 3 do not follow
    output of 뛰어나다: 2 of 2 differ, by up to 0.050; 2 do not follow
    """
    if not example.printed:
        return []
    trace = example.trace()
    return [_audit_line(example, trace, i) for i in range(len(example.printed))]


def _printed(line: dict[str, Any]) -> Printed:
    values, digits = fixed(line["values"]), line["decimals"]
    decimals = np.broadcast_to(np.inf if digits is None else np.array(digits, float), values.shape)  # read-only
    return Printed(line["quantity"], line.get("row"), values, decimals, tuple(line["follows_from"]))


def _audit_line(example: WorkedExample, trace: AttentionTrace, i: int) -> AuditLine:
    line = example.printed[i]
    computed = _computed(trace, line)
    previous = [_as_printed_before(example, i, name) for name in line.follows_from]
    follow = partial(STEPS[line.quantity, line.follows_from], trace.Q.shape[-1])
    expected = follow(*(values for values, _ in previous)).reshape(line.values.shape)
    slack = line.half_digit + _reach(follow, previous).reshape(line.values.shape)
    label = line.quantity
    if line.row is not None:
        label = _("{quantity} of {token}").format(quantity=line.quantity, token=example.tokens[line.row])
    tiny = 1e-9  # rounding of binary fractions, far below any printed digit
    return AuditLine(
        label,
        line.values,
        computed,
        differs=np.abs(line.values - computed) > line.half_digit + tiny,
        follows=np.abs(line.values - expected) <= slack + tiny,
    )


def _computed(trace: AttentionTrace, line: Printed) -> NDArray[Any]:
    if line.quantity == "exp":
        matrix = np.exp(trace.scaled_scores)
    elif line.quantity == "exp_sum":
        matrix = np.exp(trace.scaled_scores).sum(axis=-1, keepdims=True)
    else:
        matrix = dict(trace.steps())[line.quantity]
    if line.row is None:
        return matrix
    return matrix[line.row, : line.values.shape[-1]]  # a causal row is printed without its later keys


def _as_printed_before(example: WorkedExample, i: int, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """The latest printing of `name` before line i, as rows, and how far rounding may have moved it."""
    row, n_keys = example.printed[i].row, len(example.tokens)
    if row is not None and example.is_causal:
        n_keys = row + 1
    lines = [line for line in example.printed[:i] if line.quantity == name and line.row in (None, row)]
    if lines:
        values, moved = lines[-1].values, lines[-1].half_digit
    else:
        values, moved = example.inputs[name], np.zeros_like(example.inputs[name])
    if name in ("K", "V"):
        values, moved = values[:n_keys], moved[:n_keys]
    elif row is not None and values.ndim == 2 and name not in ("X", "W_Q", "W_K", "W_V"):
        values, moved = values[row], moved[row]
    return np.atleast_2d(values), np.atleast_2d(moved)


def _reach(follow: Callable[..., NDArray[Any]], previous: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> NDArray[Any]:
    """How far the result can move when every input moves within its own rounding (to first order)."""
    values = [array for array, _ in previous]
    start = follow(*values)
    reach = np.zeros_like(start)
    for k, (array, moved) in enumerate(previous):
        for index in np.argwhere(moved > 0):
            nudged = array.copy()
            nudged[tuple(index)] += moved[tuple(index)]
            reach += np.abs(follow(*values[:k], nudged, *values[k + 1 :]) - start)
    return reach


# How each printed quantity follows from the ones before it; d_k, for the two that scale, comes first.
STEPS: dict[tuple[str, tuple[str, ...]], Callable[..., NDArray[Any]]] = {
    ("Q", ("X", "W_Q")): lambda d_k, X, W_Q: X @ W_Q,
    ("K", ("X", "W_K")): lambda d_k, X, W_K: X @ W_K,
    ("V", ("X", "W_V")): lambda d_k, X, W_V: X @ W_V,
    ("scores", ("Q", "K")): lambda d_k, Q, K: Q @ K.T,
    ("scaled_scores", ("scores",)): lambda d_k, scores: scores / np.sqrt(d_k),
    ("exp", ("scaled_scores",)): lambda d_k, scaled_scores: np.exp(scaled_scores),
    ("exp_sum", ("exp",)): lambda d_k, exps: exps.sum(axis=-1),
    ("weights", ("exp", "exp_sum")): lambda d_k, exps, exp_sum: exps / exp_sum,
    ("weights", ("scaled_scores",)): lambda d_k, scaled_scores: softmax(scaled_scores),
    ("weights", ("scores",)): lambda d_k, scores: softmax(scores / np.sqrt(d_k)),
    ("output", ("weights", "V")): lambda d_k, weights, V: weights @ V,
}
