"""A sentence decoded step by step, with a KV cache and without: what each step reuses, and how far the two differ."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...examples.made_up_words import seeded
from ...kv_cache import KVCache
from ...masks import sliding_window_mask
from ...multi_head import MultiHeadAttention

N_HEADS, D_MODEL = 4, 8  # few enough to see
REUSED, NEW, NEVER, AGAIN, NOT_YET = range(5)
States = NDArray[np.int_]


def allowed_pairs(n: int, window: int | None) -> NDArray[np.bool_]:
    """Which query may see which key, for all n tokens: (n, n)."""
    return sliding_window_mask(n, left=None if window is None else window - 1)


def row_states(n: int, before: int, now: int, window: int | None = None, recompute: bool = False) -> States:
    """Say for each token what happens to its rows of Q, K, V and output in one step, (n, 4).

    Each is one of REUSED, NEW, NEVER, AGAIN and NOT_YET.

    Examples
    --------
    >>> row_states(3, before=1, now=2)
    array([[2, 0, 0, 2],
           [1, 1, 1, 1],
           [4, 4, 4, 4]])
    """
    states = np.full((n, 4), NOT_YET)
    states[before:now] = NEW
    states[:before] = AGAIN if recompute else NEVER
    if not recompute and now > before:
        is_read = allowed_pairs(n, window)[before:now, :before].any(axis=0)  # (before,): by a new query
        states[:before, 1:3] = np.where(is_read, REUSED, NEVER)[:, None]
    return states


def score_states(n: int, before: int, now: int, window: int | None = None, recompute: bool = False) -> States:
    """Say for each pair of query (row) and key (column) what happens to its score in one step, (n, n).

    Examples
    --------
    >>> score_states(3, before=1, now=2)
    array([[2, 2, 4],
           [1, 1, 4],
           [4, 4, 4]])
    """
    allowed = allowed_pairs(n, window)
    states = np.full((n, n), NOT_YET)
    states[:now, :now] = NEVER
    states[before:now, :now][allowed[before:now, :now]] = NEW
    if recompute:
        states[:before, :now][allowed[:before, :now]] = AGAIN
    return states


@dataclass(frozen=True)
class DecodingSetting:
    """What is decoded, and how."""

    tokens: tuple[str, ...]
    prompt: int = 1  # tokens of the first step, all at once
    window: int | None = None  # keys that a token sees, itself included; None = all


def layer_of(setting: DecodingSetting) -> tuple[NDArray[np.float64], MultiHeadAttention]:
    """Return embeddings (n, d_model) that depend on each word alone, and the attention layer."""
    X = np.array([seeded(word).standard_normal(D_MODEL) for word in setting.tokens])  # (n, d_model)
    W_Q, W_K, W_V, W_O = seeded("W").standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    return X, MultiHeadAttention(2 * W_Q, W_K, W_V, W_O, N_HEADS)


def gaps_of(setting: DecodingSetting) -> list[tuple[int, float]]:
    """Decode a sentence both ways; return for each step the tokens so far and max |cached - full| of the new rows."""
    X, layer = layer_of(setting)
    n = len(X)
    cache = KVCache(n, layer.n_kv_heads, layer.d_k)
    allowed = allowed_pairs(n, setting.window)
    gaps = []
    for before, now in zip([0, *range(setting.prompt, n)], range(setting.prompt, n + 1)):
        cached = layer(X[before:now], mask=allowed[before:now, :now], cache=cache).output
        full = layer(X[:now], mask=allowed[:now, :now]).output[before:]
        gaps.append((now, float(np.abs(cached - full).max())))
    return gaps
