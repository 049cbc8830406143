"""Multi-head attention: several attention maps side by side, then mixed by W_O."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from ._arguments import (
    QUIET,
    Array,
    as_count,
    as_matrix,
    as_tokens,
    read_only,
    refuse_other_width,
    refuse_overflow,
    refuse_unlike_leading_axes,
)
from .attention import AttentionTrace, attend, refuse_bad_step
from .kv_cache import KVCache, unchanged_on_error
from .masks import Mask, as_mask


def split_heads(X: ArrayLike, n_heads: int) -> Array:
    """Cut each row into `n_heads` pieces and give every head its own matrix.

    Parameters
    ----------
    X : (..., n, h*d) array_like
        Rows are tokens; head 0 owns the first d columns, head 1 the next d.
    n_heads : int
        h; it divides the number of columns.

    Returns
    -------
    (..., h, n, d) ndarray

    Raises
    ------
    ValueError, TypeError
        If `n_heads` does not divide the columns, or X has fewer than two axes, or NaN or inf.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.

    Examples
    --------
    >>> split_heads([[1, 2, 3, 4], [5, 6, 7, 8]], n_heads=2)[0]
    array([[1., 2.],
           [5., 6.]])
    """
    X, n_heads = as_tokens("X", X, "(..., n, h*d)"), as_count("n_heads", n_heads, least=1)
    if X.shape[-1] % n_heads:
        raise ValueError(f"X has {X.shape[-1]} columns, which n_heads={n_heads} does not divide")
    return _split(X, n_heads).copy()  # a copy, so that writing into the heads does not change X


def _split(X: Array, n_heads: int) -> Array:
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)  # (..., n, h, d)
    return pieces.swapaxes(-2, -3)  # (..., h, n, d): without this swap, heads would mix tokens


def merge_heads(X: ArrayLike) -> Array:
    """Undo `split_heads`: write the heads side by side again.

    Parameters
    ----------
    X : (..., h, n, d) array_like

    Returns
    -------
    (..., n, h*d) ndarray

    Raises
    ------
    ValueError, TypeError
        If X has fewer than three axes, or NaN or inf.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2: Concat.

    Examples
    --------
    >>> merge_heads([[[1, 2], [5, 6]], [[3, 4], [7, 8]]])
    array([[1., 2., 3., 4.],
           [5., 6., 7., 8.]])
    """
    return _merge(as_tokens("X", X, "(..., h, n, d)", least_axes=3)).copy()


def _merge(X: Array) -> Array:
    X = X.swapaxes(-2, -3)  # (..., n, h, d)
    return X.reshape(*X.shape[:-2], X.shape[-2] * X.shape[-1])  # (..., n, h*d)


def repeat_kv(K: ArrayLike, n_repeats: int) -> Array:
    """Give each key/value head to `n_repeats` query heads in a row.

    Parameters
    ----------
    K : (..., h_kv, n, d) array_like
        Keys or values.
    n_repeats : int
        Query heads for each key/value head.

    Returns
    -------
    (..., h_kv*n_repeats, n, d) ndarray
        Head i is head i // n_repeats of `K`: each is repeated in place.

    Raises
    ------
    ValueError, TypeError
        If K has fewer than three axes, or NaN or inf, or `n_repeats` is below 1.

    References
    ----------
    .. [1] Ainslie et al., "GQA: Training Generalized Multi-Query Transformer
       Models from Multi-Head Checkpoints", 2023, section 2.2.

    Examples
    --------
    >>> repeat_kv([[[1]], [[2]]], n_repeats=2).ravel()
    array([1., 1., 2., 2.])
    """
    K = as_tokens("K", K, "(..., h_kv, n, d)", least_axes=3)
    return _repeat(K, as_count("n_repeats", n_repeats, least=1))


def _repeat(K: Array, n_repeats: int) -> Array:
    return np.repeat(K, n_repeats, axis=-3)  # heads 0, 0, 1, 1; tiling would give 0, 1, 0, 1


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every step of one multi-head attention calculation, as read-only arrays.

    Examples
    --------
    >>> W = np.eye(2)
    >>> trace = MultiHeadAttention(W, W, W, W, n_heads=2)([[1, 0], [0, 1]])
    >>> np.allclose(trace.contributions.sum(axis=-3), trace.output)
    True
    """

    heads: AttentionTrace  # all heads at once: its arrays have a head axis, (..., h, n, d)
    concat: Array  # (..., n_queries, h*d_v), the heads' outputs side by side
    W_O: Array  # (h*d_v, d_out), the output projection
    output: Array  # (..., n_queries, d_out), concat @ W_O

    def __post_init__(self) -> None:
        for name in ("concat", "W_O", "output"):
            vars(self)[name] = read_only(vars(self)[name])

    def __repr__(self) -> str:
        concat, W_O, output = self.concat.shape, self.W_O.shape, self.output.shape
        return f"MultiHeadTrace: concat {concat}, W_O {W_O}, output {output}; heads: {self.heads!r}"

    @cached_property
    def contributions(self) -> Array:
        """What each head adds to the output through its own rows of W_O, (..., h, n_queries, d_out).

        The contributions of all heads sum to `output`.
        """
        h, _, d_v = self.heads.output.shape[-3:]
        own_rows = self.W_O.reshape(h, d_v, -1)  # (h, d_v, d_out)
        return read_only(self.heads.output @ own_rows)  # (..., h, n_queries, d_v) @ (h, d_v, d_out)


class MultiHeadAttention:
    """Attention with several heads, each with its own slice of the projections.

    With fewer key/value heads than query heads this is grouped-query
    attention; with one, multi-query attention.

    Parameters
    ----------
    W_Q : (d_model, h*d_k) array_like
        Head i owns columns i*d_k to (i+1)*d_k, and likewise in W_K and W_V.
    W_K : (d_context, h_kv*d_k) array_like
    W_V : (d_context, h_kv*d_v) array_like
    W_O : (h*d_v, d_out) array_like
    n_heads : int
        h, query heads.
    n_kv_heads : int, optional
        h_kv, key/value heads; divides `n_heads`. Default: `n_heads`.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit each other, or a number is NaN or inf.

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    .. [2] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019.
    .. [3] Ainslie et al., "GQA", 2023, section 2.2.

    Examples
    --------
    >>> W = np.eye(4)
    >>> mha = MultiHeadAttention(W, W, W, W, n_heads=2)
    >>> mha(np.eye(4), is_causal=True).heads.weights.shape
    (2, 4, 4)
    """

    def __init__(
        self,
        W_Q: ArrayLike,
        W_K: ArrayLike,
        W_V: ArrayLike,
        W_O: ArrayLike,
        n_heads: int,
        n_kv_heads: int | None = None,
    ) -> None:
        self.n_heads = as_count("n_heads", n_heads, least=1)
        self.n_kv_heads = self.n_heads if n_kv_heads is None else as_count("n_kv_heads", n_kv_heads, least=1)
        self.W_Q, self.W_K = as_matrix("W_Q", W_Q), as_matrix("W_K", W_K)
        self.W_V, self.W_O = as_matrix("W_V", W_V), as_matrix("W_O", W_O)
        self.d_k, self.d_v = self.W_Q.shape[1] // self.n_heads, self.W_V.shape[1] // self.n_kv_heads
        self._refuse_unlike_shapes()

    @QUIET
    def __call__(
        self,
        X: ArrayLike,
        context: ArrayLike | None = None,
        mask: Mask = None,
        is_causal: bool = False,
        cache: KVCache | None = None,
    ) -> MultiHeadTrace:
        """Attend from X to the context (default: X itself), or to a cache and X.

        Parameters
        ----------
        X : (..., n_queries, d_model) array_like
            With a cache: only the new tokens, (n_new, d_model).
        context : (..., n_keys, d_context) array_like, optional
            Where keys and values come from.
        mask : array_like of bool or float, optional
            Broadcasts to (..., h, n_queries, n_keys).
        is_causal : bool, optional
            Also forbid later keys; the last query lines up with the last key.
        cache : KVCache, optional
            Takes the new keys and values, and supplies the earlier ones.

        Raises
        ------
        ValueError, TypeError
            If something does not fit, the cache is full, or both a context and
            a cache are given. The cache is then unchanged.
        """
        X, source = self._checked(X, context, cache)
        Q = _split(X @ self.W_Q, self.n_heads)  # (..., h, n_queries, d_k)
        K = _split(source @ self.W_K, self.n_kv_heads)  # (..., h_kv, n_keys, d_k)
        V = _split(source @ self.W_V, self.n_kv_heads)  # (..., h_kv, n_keys, d_v)
        with unchanged_on_error(cache):
            if cache is not None:
                K, V = cache.append(K, V)  # (h_kv, n_keys, d): those of earlier tokens first
            if self.n_kv_heads < self.n_heads:
                n_repeats = self.n_heads // self.n_kv_heads
                K, V = _repeat(K, n_repeats), _repeat(V, n_repeats)  # (..., h, n_keys, d)
            heads = attend(Q, K, V, as_mask(mask, is_causal, Q, K))
            refuse_bad_step(heads)
            concat = _merge(heads.output)  # (..., n_queries, h*d_v)
            output = concat @ self.W_O  # (..., n_queries, d_out)
            refuse_overflow("output", output)
        return MultiHeadTrace(heads, concat, self.W_O, output)

    def _checked(self, X: ArrayLike, context: ArrayLike | None, cache: KVCache | None) -> tuple[Array, Array]:
        """Return X, and the rows that keys and values come from."""
        X = as_tokens("X", X, "(..., n_queries, d_model)")
        if cache is not None:
            if not isinstance(cache, KVCache):
                raise TypeError(f"cache is a {type(cache).__name__}; it needs a KVCache")
            if context is not None:
                raise ValueError("context and cache are both given; a cache continues X itself, so give one of them")
            if X.ndim != 2:
                raise ValueError(f"X has shape {X.shape}; with a cache it needs (n_new, d_model), one sequence")
        source = X if context is None else as_tokens("context", context, "(..., n_keys, d_context)")
        refuse_unlike_leading_axes(X=X, context=source)
        refuse_other_width("X", X, "W_Q", self.W_Q)
        refuse_other_width("X" if context is None else "context", source, "W_K", self.W_K)
        return X, source

    def _refuse_unlike_shapes(self) -> None:
        h, h_kv, d_k = self.n_heads, self.n_kv_heads, self.d_k
        if h % h_kv:
            raise ValueError(f"n_kv_heads={h_kv} does not divide n_heads={h}")
        for name, W, n_heads in (("W_Q", self.W_Q, h), ("W_K", self.W_K, h_kv), ("W_V", self.W_V, h_kv)):
            if W.shape[1] % n_heads:
                raise ValueError(f"{name} has {W.shape[1]} columns, which {n_heads} heads do not divide")
        d_context, columns = self.W_K.shape
        if columns != h_kv * d_k:
            raise ValueError(f"W_K has {columns} columns for {h_kv} heads, but each head of W_Q has d_k={d_k}")
        if len(self.W_V) != d_context:
            raise ValueError(f"W_V has {len(self.W_V)} rows but W_K has {d_context}")
        if len(self.W_O) != h * self.d_v:
            raise ValueError(f"W_O has {len(self.W_O)} rows; it needs n_heads * d_v = {h * self.d_v}")
