"""Chains: which panel of a view follows from which, as data that the page calculates with.

Python's answer to an edit takes the time of the wire. So that the picture need not wait, the page calculates what an
edit brings about, and Python's numbers replace it when they come. There is one evaluator,
`attention_lib/live/js/chain.js`, and a test holds it, and the chain of each lab, to attention_lib.
"""

import math
from collections.abc import Mapping, Sequence

from numpy.typing import ArrayLike

Step = list[str | float]  # what it makes, how, and from what: panels, steps before it, given matrices, numbers
Chain = Sequence[Step]
Given = Mapping[str, ArrayLike]  # matrices that no panel shows


def step(result: str, operation: str, *operands: str | float) -> Step:
    """Return a step.

    Parameters
    ----------
    result : str
        What it makes.
    operation : str
        How: "matmul" (a @ b), "transpose" (a.T), "divide" (a by a number), "add" (a + b), "mask" (a where b is True,
        -inf elsewhere), "softmax" (over the last axis; a row of nothing but -inf becomes zeros), "row" and "column"
        (row i of a, as a row or as a column), "layers" (after how many layers with the mask a, b at most, each word
        has heard of each other; -inf where it has not).
    *operands : str or float
        From what.
    """
    return [result, operation, *operands]


def attention_steps(d_k: int) -> list[Step]:
    """Return the steps from Q, K and V to the output, under the names that the labs give their panels."""
    return [
        step("K.T", "transpose", "K"),
        step("scores", "matmul", "Q", "K.T"),
        step("scaled scores", "divide", "scores", math.sqrt(d_k)),
        step("weights", "softmax", "scaled scores"),
        step("output", "matmul", "weights", "V"),
    ]
