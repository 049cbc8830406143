"""Chains: which panel of a view follows from which, as data that the page calculates with.

Python's answer to an edit takes the time of the wire. So that the picture need not wait,
the page calculates what an edit brings about, and Python's numbers replace it when they
come. A lab declares its chain once; there is one evaluator, `attention_lib/live/js/chain.js`, and a test
holds it to attention_lib.
"""

import math
from collections.abc import Collection, Mapping, Sequence

from numpy.typing import ArrayLike

#: What a step can do, and with how many operands.
OPERATIONS = {
    "matmul": 2,  # a @ b
    "transpose": 1,  # a.T
    "divide": 2,  # a / a number
    "add": 2,  # a + b
    "times": 2,  # a * b, entry by entry, or by a number
    "reach": 2,  # 1 where a @ b is not 0, else 0: who reaches whom over someone between
    "sooner": 2,  # a where it is not 0, else b
    "turn": 2,  # the pairs of columns (0, 1), (2, 3), … of a, each by its angle in b
    "mask": 2,  # a where b is True, -inf elsewhere
    "row": 2,  # row i of a, (1, columns)
    "column": 2,  # row i of a as a column, (columns, 1)
    "softmax": 1,  # over the last axis; a row of nothing but -inf becomes zeros
}


Step = list[str | float]  # what it makes, how, and from what: panels, steps before it, given matrices, numbers
Chain = Sequence[Step]
Given = Mapping[str, ArrayLike]  # matrices that no panel shows


def step(result: str, operation: str, *operands: str | float) -> Step:
    """Return a step.

    Raises
    ------
    ValueError
        If there is no such operation, or it takes another number of operands.

    Examples
    --------
    >>> step("Q", "matmul", "X", "W_Q")
    ['Q', 'matmul', 'X', 'W_Q']
    """
    if operation not in OPERATIONS:
        raise ValueError(f"there is no operation {operation!r}; there are {', '.join(OPERATIONS)}")
    if len(operands) != OPERATIONS[operation]:
        raise ValueError(f"{operation} takes {OPERATIONS[operation]} operands; {result} gives it {len(operands)}")
    return [result, operation, *operands]


def attention_steps(d_k: int, mask: str | None = None) -> list[Step]:
    """Return the steps from Q, K and V to the output, under the names that the labs give their panels.

    Parameters
    ----------
    d_k : int
        Columns of Q and K.
    mask : str, optional
        The panel that holds the mask.

    Examples
    --------
    >>> [result for result, *how in attention_steps(4)]
    ['K.T', 'scores', 'scaled scores', 'weights', 'output']
    """
    return [
        step("K.T", "transpose", "K"),
        step("scores", "matmul", "Q", "K.T"),
        step("scaled scores", "divide", "scores", math.sqrt(d_k)),
        *weights_steps(mask),
        step("output", "matmul", "weights", "V"),
    ]


def weights_steps(mask: str | None = None) -> list[Step]:
    """Return the steps from the scaled scores to the weights."""
    if mask is None:
        return [step("weights", "softmax", "scaled scores")]
    return [step("masked scores", "mask", "scaled scores", mask), step("weights", "softmax", "masked scores")]


def reach_steps(mask: str, n_layers: int) -> list[Step]:
    """Return the steps from a mask to "layers needed": after how many layers, up to `n_layers`, who has heard of whom.

    Parameters
    ----------
    mask : str
        The panel that holds the mask.
    n_layers : int

    Examples
    --------
    >>> [operation for _, operation, *operands in reach_steps("mask", 2)]
    ['reach', 'times', 'sooner', 'mask']
    """
    steps = []
    reached = needed = mask
    for n in range(2, n_layers + 1):
        before, reached = reached, f"reached after {n}"
        steps += [step(reached, "reach", mask, before), step(f"{reached}, counted", "times", reached, n)]
        steps.append(step(f"needed of {n}", "sooner", needed, f"{reached}, counted"))
        needed = f"needed of {n}"
    return [*steps, step("layers needed", "mask", needed, needed)]  # not within them: no number


def check_chain(chain: Chain, known: Collection[str]) -> None:
    """Refuse a chain with a step that needs what is not there before it.

    Raises
    ------
    ValueError
        If a step needs a matrix that is neither known nor made by a step before it.
    """
    there: set[str | float] = set(known)
    for result, _operation, *operands in chain:
        missing = [name for name in operands if isinstance(name, str) and name not in there]
        if missing:
            raise ValueError(f"{result} needs {', '.join(missing)}, which is no panel and not made before it")
        there.add(result)
