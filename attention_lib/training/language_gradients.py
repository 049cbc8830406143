"""The backward pass of a language model: from the loss of its guesses back to every number it was calculated with.

It undoes `LanguageModel.__call__`, last step first. d_A stands for the gradient
of the loss with respect to A and has the shape of A, as in `gradients`.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..attention import softmax
from ..language_model import LanguageModel
from ..multi_head import MultiHeadAttention, MultiHeadTrace, merge_heads, split_heads
from .gradients import attention_backward, projection_backward
from .learning import loss_of


def multi_head_backward(
    mha: MultiHeadAttention, X: NDArray[Any], trace: MultiHeadTrace, d_output: NDArray[Any]
) -> tuple[NDArray[Any], dict[str, NDArray[Any]]]:
    """Go back through W_O, the heads, and W_Q, W_K and W_V.

    Parameters
    ----------
    mha : MultiHeadAttention
    X : (..., n, d_model) ndarray
        What it was called with: queries, keys and values all come from X.
    trace : MultiHeadTrace
        What it returned.
    d_output : (..., n, d_model) ndarray
        How the loss changes with its output.

    Returns
    -------
    d_X : (..., n, d_model) ndarray
    d_W : dict of str to ndarray
        "W_Q", "W_K", "W_V", "W_O".

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit, or a number is NaN or inf.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2: the forward calculation.
    """
    d_concat, d_W_O = projection_backward(trace.concat, mha.W_O, d_output)  # (..., n, h*d_v)
    back = attention_backward(trace.heads, split_heads(d_concat, mha.n_heads))
    d_projected = {
        "W_Q": merge_heads(back.Q),  # (..., n, h*d_k)
        "W_K": merge_heads(_of_shared_heads(back.K, mha.n_kv_heads)),  # (..., n, h_kv*d_k)
        "W_V": merge_heads(_of_shared_heads(back.V, mha.n_kv_heads)),  # (..., n, h_kv*d_v)
    }
    parts = {name: projection_backward(X, getattr(mha, name), d) for name, d in d_projected.items()}
    d_X = parts["W_Q"].X + parts["W_K"].X + parts["W_V"].X  # X was used three times, so three gradients add up
    return d_X, {name: part.W for name, part in parts.items()} | {"W_O": d_W_O}


def _of_shared_heads(d_K: NDArray[Any], n_kv_heads: int) -> NDArray[Any]:
    """Add up what the query heads ask of the key/value head that they share: (..., h, n, d) -> (..., h_kv, n, d)."""
    *leading, n_heads, n, d = d_K.shape
    if n_heads == n_kv_heads:
        return d_K
    return d_K.reshape(*leading, n_kv_heads, n_heads // n_kv_heads, n, d).sum(axis=-3)


def language_gradients(
    model: LanguageModel, ids: ArrayLike, positions: ArrayLike | None = None, counted: ArrayLike | None = None
) -> tuple[float, dict[str, NDArray[Any]]]:
    """Let the model guess every next word of some texts; return its loss and how that changes with each parameter.

    Parameters
    ----------
    model : LanguageModel
    ids : (..., n + 1) array_like of int
        Texts. The first n tokens are read; the word after each is what should be guessed.
    positions : (..., n) array_like of int, optional
        As in `LanguageModel.__call__`.
    counted : (..., n) array_like of bool, optional
        Which guesses count. Default: all.

    Returns
    -------
    loss : float
        The cross-entropy: the mean of -log(probability given to the right word).
    gradients : dict of str to ndarray
        Named and shaped as `model.parameters()`.

    Raises
    ------
    ValueError, TypeError
        If a shape does not fit, or no guess counts.

    References
    ----------
    .. [1] Rumelhart, Hinton and Williams, "Learning representations by back-propagating errors", 1986.
    """
    ids = np.asarray(ids)
    read, answers = ids[..., :-1], ids[..., 1:]  # (..., n)
    counted = np.ones(read.shape, bool) if counted is None else np.broadcast_to(counted, read.shape)
    if not counted.any():
        raise ValueError("counted is False everywhere; at least one guess must count")
    trace = model(read, positions=positions)
    loss = loss_of(trace.logits[counted], answers[counted])

    right = np.eye(len(model.words), dtype=trace.logits.dtype)[answers]  # (..., n, n_words): 1 at the right word
    d_logits = (softmax(trace.logits) - right) * counted[..., None] / np.float32(counted.sum())
    d_rows, d_W_U = projection_backward(trace.rows[-1], model.W_U, d_logits)  # (..., n, d_model)
    found = {"W_U": d_W_U}
    for i in reversed(range(len(model.layers))):
        d_X, d_W = multi_head_backward(model.layers[i], trace.rows[i], trace.layers[i], d_rows)
        d_rows = d_rows + d_X  # along the skip connection, and through the heads
        found |= {f"{i}.{name}": d for name, d in d_W.items()}
    found["W_E"] = _collected(read, d_rows, model.W_E)
    places = np.arange(read.shape[-1]) if positions is None else np.asarray(positions)
    found["W_P"] = _collected(np.broadcast_to(places, read.shape), d_rows, model.W_P)
    return loss, {name: found[name] for name in model.parameters()}


def _collected(places: NDArray[Any], d_rows: NDArray[Any], table: NDArray[Any]) -> NDArray[Any]:
    """Go back through table[places]: each row of the table collects the gradients of all places it was used at."""
    d_table = np.zeros_like(table)
    np.add.at(d_table, places, d_rows)
    return d_table
