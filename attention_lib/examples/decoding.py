"""A sentence decoded step by step, with a KV cache and without: its numbers, and what each step gave."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..kv_cache import KVCache
from ..masks import sliding_window_mask
from ..multi_head import MultiHeadAttention
from .made_up_words import seeded
from .worked import load_example

N_HEADS, D_K = 4, 2  # of the reader's own sentences: few enough to see
D_MODEL = N_HEADS * D_K


@dataclass(frozen=True)
class DecodingSetting:
    """What is decoded, and how.

    Attributes
    ----------
    tokens : tuple of str
    prompt : int
        Tokens of the first step, all at once.
    n_kv_heads : int
        Key/value heads; divides the number of heads.
    window : int or None
        Keys that a token sees, itself included; None = all.
    recompute : bool
        Show the decoder that has no cache.
    article : bool
        Take Q, K and V of article 003 in place of random projections.
    """

    tokens: tuple[str, ...]
    prompt: int = 1
    n_kv_heads: int = N_HEADS
    window: int | None = None
    recompute: bool = False
    article: bool = False

    @property
    def n_heads(self) -> int:
        """Query heads."""
        return 1 if self.article else N_HEADS


class Step(NamedTuple):
    """One step: how many tokens before and after it, and what came out."""

    before: int
    now: int
    weights: NDArray[Any]  # (h, now - before, now), of the decoder with a cache
    gap: float  # max |cached - full| of the new rows


def layer_of(setting: DecodingSetting) -> tuple[NDArray[Any], MultiHeadAttention]:
    """Return the embeddings (n, d_model) and the attention layer of a setting.

    The numbers depend on the words alone. For GQA and MQA, the key/value heads
    of a group are averaged, as Ainslie et al., "GQA", 2023, section 2.2, do.
    """
    if setting.article:  # X holds q, k and v side by side, and each W picks its own columns
        inputs = load_example("kv_cache_three_tokens").inputs
        X = np.hstack([inputs["Q"], inputs["K"], inputs["V"]])  # (3, 6)
        W_Q, W_K, W_V = np.split(np.eye(6), 3, axis=1)  # (6, 2) each
        return X, MultiHeadAttention(W_Q, W_K, W_V, np.eye(2), n_heads=1)
    X = np.array([seeded(word).standard_normal(D_MODEL) for word in setting.tokens])  # (n, d_model)
    W_Q, W_K, W_V, W_O = seeded("W").standard_normal((4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    W_K, W_V = (_averaged(W, setting.n_kv_heads) for W in (W_K, W_V))  # (d_model, h_kv*d_k)
    return X, MultiHeadAttention(2 * W_Q, W_K, W_V, W_O, N_HEADS, setting.n_kv_heads)


def _averaged(W: NDArray[Any], n_kv_heads: int) -> NDArray[Any]:
    groups = W.reshape(D_MODEL, n_kv_heads, N_HEADS // n_kv_heads, D_K)
    return groups.mean(axis=2).reshape(D_MODEL, n_kv_heads * D_K)


def steps_of(setting: DecodingSetting) -> list[Step]:
    """Decode the whole sentence both ways; step 0 is before the first token."""
    X, layer = layer_of(setting)
    n = len(X)
    cache = KVCache(n, layer.n_kv_heads, layer.d_k, layer.d_v)
    steps = [Step(0, 0, np.zeros((layer.n_heads, 0, 0)), 0.0)]
    for before, now in zip([0, *range(setting.prompt, n)], range(setting.prompt, n + 1)):
        left = None if setting.window is None else setting.window - 1
        cached = layer(X[before:now], mask=sliding_window_mask(now - before, now, left=left), cache=cache)
        full = layer(X[:now], mask=sliding_window_mask(now, left=left))
        gap = np.abs(cached.output - full.output[before:]).max()
        steps.append(Step(before, now, cached.heads.weights, float(gap)))
    return steps
