"""A view in small, for tests of what every view does: a matrix that is edited, and the map that follows from it."""

import time

import numpy as np

import attention_lib as al
from attention_lib.live.chain import attention_steps, step
from attention_lib.live.matrix_view import Edit, MatrixView
from attention_lib.live.panel import Panel
from attention_lib.plots import number_text

TOKENS = ["나는", "배가", "너무", "고파서"]
X = np.array([[1.0, 0.5], [0.0, -1.0], [2.0, 1.0], [-1.0, 0.5]])
W_Q = np.array([[0.5, -1.0], [0.25, 0.0]])
W_K = np.array([[1.0, 0.5], [-0.5, 1.0]])
CHAIN = [step("Q", "matmul", "X", "W_Q"), *attention_steps(2)]
SLOW = 0.0  # seconds that Python takes for an edit


def panels_of(W: np.ndarray, mask: np.ndarray) -> dict[str, Panel]:
    trace = trace_of(W)
    return {
        "W_Q": Panel(W, editable=True, row_axis="feature", column_axis="dimension", limit=2.0),
        "Q": Panel(trace.Q, TOKENS, column_axis="dimension"),
        "weights": Panel(trace.weights, TOKENS, TOKENS, kind="weights", caption="Click a word."),
        "mask": Panel(mask, TOKENS, TOKENS, kind="mask", editable=True),
    }


def make_view(chained: bool = True) -> MatrixView:
    """W_Q, Q, the weights and a mask that does nothing; Python fails at 1.9, and makes 1 of 1.8."""
    trace = trace_of(W_Q)
    follows = {"chain": CHAIN, "given": {"X": X, "K": trace.K, "V": trace.V}} if chained else {}
    view = MatrixView(panels_of(W_Q, np.tri(4, dtype=bool)), **follows)

    def follow(edit: Edit) -> None:
        if edit.value == 1.9:
            raise ValueError("a mistake of the lab")
        time.sleep(SLOW)
        edited = {name: view[name] for name in ("W_Q", "mask")}
        edited[edit.panel][edit.row, edit.column] = 1.0 if edit.value == 1.8 else edit.value
        view.show(panels_of(*edited.values()), **follows)

    view.on_edit = follow
    return view


def trace_of(W: np.ndarray) -> al.AttentionTrace:
    return al.self_attention(X, W, W_K, np.eye(2))


def with_cells(*cells: tuple[int, int, float]) -> np.ndarray:
    """W_Q with other numbers in these cells."""
    W = W_Q.copy()
    for row, column, value in cells:
        W[row, column] = value
    return W


def texts_for(W: np.ndarray) -> dict[str, list[list[str]]]:
    """What attention_lib says that the page should show, with - for the typographic minus."""
    trace = trace_of(W)
    shown = {"W_Q": W, "Q": trace.Q, "weights": trace.weights}
    return {
        name: [[number_text(value).replace("−", "-") for value in row] for row in matrix]
        for name, matrix in shown.items()
    }
