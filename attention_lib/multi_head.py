"""Multi-head attention: several attention maps side by side, then mixed by W_O."""

from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from . import _checks
from ._checks import QUIET, Array, Given, Maybe, as_count, as_tokens, read_only, refuse, refuse_overflow
from .attention import AttentionTrace, attend, finite
from .kv_cache import KVCache
from .masks import as_mask


def split_heads(X: Given, n_heads: int) -> Array:
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
        If `n_heads` does not divide the columns, or X has fewer than two axes,
        or NaN or inf.

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
    X.shape[-1] % n_heads and refuse(f"X has {X.shape[-1]} columns, which n_heads={n_heads} does not divide")
    return _split(X, n_heads).copy()  # nothing written into it may reach X


def _split(X: Array, n_heads: int) -> Array:
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)  # (..., n, h, d)
    return pieces.swapaxes(-2, -3)  # (..., h, n, d): without this swap, heads would mix tokens


def merge_heads(X: Given) -> Array:
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
    X = as_tokens("X", X, "(..., h, n, d)", least_axes=3)
    return _merge(X).copy()


def _merge(X: Array) -> Array:
    X = X.swapaxes(-2, -3)  # (..., n, h, d)
    return X.reshape(*X.shape[:-2], X.shape[-2] * X.shape[-1])  # (..., n, h*d)


def repeat_kv(K: Given, n_repeats: int) -> Array:
    """Give each key/value head to `n_repeats` query heads in a row.

    Parameters
    ----------
    K : (..., h_kv, n, d) array_like
        Keys or values of the few heads.
    n_repeats : int
        Query heads for each of them.

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
    return np.repeat(K, as_count("n_repeats", n_repeats, least=1), axis=-3)  # 0, 0, 1, 1; tiled would be 0, 1, 0, 1


@dataclass(frozen=True, eq=False)
class MultiHeadTrace:
    """Every step of one multi-head attention calculation, as read-only arrays.

    Attributes
    ----------
    heads : AttentionTrace
        All heads at once: its arrays have a head axis, (..., h, n, d).
    concat : (..., n_queries, h*d_v) ndarray
        The heads' outputs side by side.
    W_O : (h*d_v, d_out) ndarray
        The output projection that was used.
    output : (..., n_queries, d_out) ndarray
        concat @ W_O.

    Examples
    --------
    >>> one = np.eye(2)
    >>> trace = MultiHeadAttention(one, one, one, one, n_heads=2)([[1, 0], [0, 1]])
    >>> np.allclose(trace.contributions.sum(axis=-3), trace.output)
    True
    """

    heads: AttentionTrace
    concat: Array
    W_O: Array
    output: Array

    def __post_init__(self) -> None:
        vars(self).update({name: read_only(vars(self)[name]) for name in ("concat", "W_O", "output")})

    def __repr__(self) -> str:
        concat, W_O, output = self.concat.shape, self.W_O.shape, self.output.shape
        return f"MultiHeadTrace: concat {concat}, W_O {W_O}, output {output}; heads: {self.heads!r}"

    @cached_property
    def contributions(self) -> Array:
        """What each head adds to the output through its own rows of W_O, (..., h, n_queries, d_out).

        Their sum over the heads is `output`: concat and W_O are a sum written as one product.
        """
        own_rows = self.W_O.reshape(*self.heads.output.shape[-3::2], -1)  # (h, d_v, d_out)
        return read_only(self.heads.output @ own_rows)  # (..., h, n_queries, d_v) @ (h, d_v, d_out)


class MultiHeadAttention:
    """Attention with several heads, each with its own slice of the projections.

    With fewer key/value heads than query heads this is grouped-query
    attention; with one, multi-query attention.

    Parameters
    ----------
    W_Q : (d_model, h*d_k) array_like
        Head i owns columns i*d_k to (i+1)*d_k; likewise below.
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
    >>> one = np.eye(4)
    >>> mha = MultiHeadAttention(one, one, one, one, n_heads=2)
    >>> mha(np.eye(4), is_causal=True).heads.weights.shape
    (2, 4, 4)
    """

    def __init__(
        self, W_Q: Given, W_K: Given, W_V: Given, W_O: Given, n_heads: int, n_kv_heads: int | None = None
    ) -> None:
        self.n_heads = as_count("n_heads", n_heads, least=1)
        self.n_kv_heads = self.n_heads if n_kv_heads is None else as_count("n_kv_heads", n_kv_heads, least=1)
        self.W_Q, self.W_K = _as_matrix("W_Q", W_Q), _as_matrix("W_K", W_K)
        self.W_V, self.W_O = _as_matrix("W_V", W_V), _as_matrix("W_O", W_O)
        self.d_k, self.d_v = self.W_Q.shape[1] // self.n_heads, self.W_V.shape[1] // self.n_kv_heads
        self._refuse_unlike_shapes()

    @QUIET
    def __call__(
        self, X: Given, context: Maybe = None, mask: Maybe = None, is_causal: bool = False, cache: KVCache | None = None
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
            Takes the new keys and values, and supplies the earlier ones. It is
            left as it was where the call raises.

        Returns
        -------
        MultiHeadTrace

        Raises
        ------
        ValueError, TypeError
            If something does not fit, the cache is full, or both a context and
            a cache are given.

        Examples
        --------
        >>> one = np.eye(2)
        >>> MultiHeadAttention(one, one, one, one, n_heads=1)([[1, 0]]).output
        array([[1., 0.]])
        """
        X, read = self._checked(X, context, cache)
        Q = _split(X @ self.W_Q, self.n_heads)  # (..., h, n_queries, d_k)
        K = _split(read @ self.W_K, self.n_kv_heads)  # (..., h_kv, n_keys, d_k)
        V = _split(read @ self.W_V, self.n_kv_heads)  # (..., h_kv, n_keys, d_v)
        with ExitStack() as way_back:
            if cache is not None:
                way_back.callback(cache.truncate, len(cache))  # if anything stops this step
                K, V = cache.append(K, V)  # (h_kv, n_keys, d): those of earlier tokens first
            if self.n_kv_heads < self.n_heads:
                K, V = (np.repeat(A, self.n_heads // self.n_kv_heads, axis=-3) for A in (K, V))  # (..., h, n_keys, d)
            heads = finite(attend(Q, K, V, as_mask(mask, is_causal, Q, K)))
            concat = _merge(heads.output)  # (..., n_queries, h*d_v)
            output = concat @ self.W_O  # (..., n_queries, d_out)
            refuse_overflow("output", output)
            way_back.pop_all()  # nothing did
        return MultiHeadTrace(heads, concat, self.W_O, output)

    def _checked(self, X: Given, context: Maybe, cache: KVCache | None) -> tuple[Array, Array]:
        """Return X and what keys and values come from, or say why not."""
        X = as_tokens("X", X, "(..., n_queries, d_model)")
        if cache is not None:
            isinstance(cache, KVCache) or refuse(f"cache is a {type(cache).__name__}; it needs a KVCache", TypeError)
            both = "context and cache are both given; a cache continues X itself, so give one of them"
            context is not None and refuse(both)
            X.ndim != 2 and refuse(f"X has shape {X.shape}; with a cache it needs (n_new, d_model), one sequence")
        read = X if context is None else as_tokens("context", context, "(..., n_keys, d_context)")
        _checks.refuse_unlike_leading_axes(X=X, context=read)
        _checks.refuse_other_width("X", X, "W_Q", self.W_Q)
        _checks.refuse_other_width("X" if context is None else "context", read, "W_K", self.W_K)
        return X, read

    def _refuse_unlike_shapes(self) -> None:
        """Raise ValueError where heads and projections do not fit each other."""
        h, h_kv, d_k = self.n_heads, self.n_kv_heads, self.d_k
        h % h_kv and refuse(f"n_kv_heads={h_kv} does not divide n_heads={h}")
        for name, n_heads in (("W_Q", h), ("W_K", h_kv), ("W_V", h_kv)):
            columns = getattr(self, name).shape[1]
            columns % n_heads and refuse(f"{name} has {columns} columns, which {n_heads} heads do not divide")
        (context, columns), (rows, _), (inner, _) = self.W_K.shape, self.W_V.shape, self.W_O.shape
        columns != h_kv * d_k and refuse(f"W_K has {columns} columns for {h_kv} heads but W_Q has d_k={d_k} a head")
        rows != context and refuse(f"W_V has {rows} rows but W_K has {context}")
        inner != h * self.d_v and refuse(f"W_O has {inner} rows; it needs n_heads * d_v = {h * self.d_v}")


def _as_matrix(name: str, value: Given) -> Array:
    W = np.array(as_tokens(name, value, "(rows, columns)"))  # a copy: later edits must not reach in
    W.ndim != 2 and refuse(f"{name} has shape {W.shape}; it needs two axes, heads side by side in one")
    return read_only(W)
