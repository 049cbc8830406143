"""Multi-head attention: several attention maps side by side, then mixed by W_O."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import as_count, as_tokens, read_only, refuse_unlike_leading_axes
from .attention import QUIET, AttentionTrace, attend, refuse_other_width, refuse_overflow
from .kv_cache import KVCache


def split_heads(X: ArrayLike, n_heads: int) -> NDArray[Any]:
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
    X = as_tokens("X", X, "(..., n, h*d)")
    n_heads = as_count("n_heads", n_heads, least=1)
    if X.shape[-1] % n_heads:
        raise ValueError(f"X has {X.shape[-1]} columns, which n_heads={n_heads} does not divide")
    return _split(X, n_heads).copy()  # nothing written into it may reach X


def _split(X: NDArray[Any], n_heads: int) -> NDArray[Any]:
    pieces = X.reshape(*X.shape[:-1], n_heads, X.shape[-1] // n_heads)  # (..., n, h, d)
    return pieces.swapaxes(-2, -3)  # (..., h, n, d): without this swap, heads would mix tokens


def merge_heads(X: ArrayLike) -> NDArray[Any]:
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


def _merge(X: NDArray[Any]) -> NDArray[Any]:
    X = X.swapaxes(-2, -3)  # (..., n, h, d)
    return X.reshape(*X.shape[:-2], X.shape[-2] * X.shape[-1])  # (..., n, h*d)


def repeat_kv(K: ArrayLike, n_repeats: int) -> NDArray[Any]:
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
    n_repeats = as_count("n_repeats", n_repeats, least=1)
    return _repeat(K, n_repeats)


def _repeat(K: NDArray[Any], n_repeats: int) -> NDArray[Any]:
    return np.repeat(K, n_repeats, axis=-3)  # head by head: 0, 0, 1, 1; tiled heads would be 0, 1, 0, 1


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
    concat: NDArray[Any]
    W_O: NDArray[Any]
    output: NDArray[Any]

    def __post_init__(self) -> None:
        for name in ("concat", "W_O", "output"):
            object.__setattr__(self, name, read_only(getattr(self, name)))

    def __repr__(self) -> str:
        own = ", ".join(f"{name} {getattr(self, name).shape}" for name in ("concat", "W_O", "output"))
        return f"MultiHeadTrace: {own}; heads: {self.heads!r}"

    @cached_property
    def contributions(self) -> NDArray[Any]:
        """What each head adds to the output through its own rows of W_O, (..., h, n_queries, d_out).

        Their sum over the heads is `output`: concat and W_O are a sum written as one product.
        """
        head_output = self.heads.output  # (..., h, n_queries, d_v)
        n_heads, d_v = head_output.shape[-3], head_output.shape[-1]
        own_rows = self.W_O.reshape(n_heads, d_v, -1)  # (h, d_v, d_out)
        return read_only(head_output @ own_rows)


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

    W_Q: NDArray[Any]
    W_K: NDArray[Any]
    W_V: NDArray[Any]
    W_O: NDArray[Any]

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
        if self.n_heads % self.n_kv_heads:
            raise ValueError(f"n_kv_heads={self.n_kv_heads} does not divide n_heads={self.n_heads}")
        named = {"W_Q": W_Q, "W_K": W_K, "W_V": W_V, "W_O": W_O}
        for name, value in named.items():
            W = np.array(as_tokens(name, value, "(rows, columns)"))  # a copy: later edits must not reach in
            if W.ndim != 2:
                raise ValueError(f"{name} has shape {W.shape}; it needs two axes, heads side by side in one")
            setattr(self, name, read_only(W))
        self.d_k = self._columns_per_head("W_Q", self.n_heads)
        self.d_v = self._columns_per_head("W_V", self.n_kv_heads)
        if self._columns_per_head("W_K", self.n_kv_heads) != self.d_k:
            raise ValueError(
                f"W_K has {self.W_K.shape[1]} columns for {self.n_kv_heads} heads but W_Q has d_k={self.d_k} a head"
            )
        if self.W_V.shape[0] != self.W_K.shape[0]:
            raise ValueError(f"W_V has {self.W_V.shape[0]} rows but W_K has {self.W_K.shape[0]}")
        if self.W_O.shape[0] != self.n_heads * self.d_v:
            raise ValueError(f"W_O has {self.W_O.shape[0]} rows; it needs n_heads * d_v = {self.n_heads * self.d_v}")

    def _columns_per_head(self, name: str, n_heads: int) -> int:
        columns = int(getattr(self, name).shape[1])
        if columns % n_heads:
            raise ValueError(f"{name} has {columns} columns, which {n_heads} heads do not divide")
        return columns // n_heads

    @QUIET
    def __call__(
        self,
        X: ArrayLike,
        context: ArrayLike | None = None,
        mask: ArrayLike | None = None,
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
        X = as_tokens("X", X, "(..., n_queries, d_model)")
        if cache is not None:
            _refuse_unfit_for_cache(X, context, cache)
        source, read = "X", X
        if context is not None:
            source, read = "context", as_tokens("context", context, "(..., n_keys, d_context)")
            refuse_unlike_leading_axes(X=X, context=read)
        refuse_other_width("X", X, "W_Q", self.W_Q)
        refuse_other_width(source, read, "W_K", self.W_K)
        Q = _split(X @ self.W_Q, self.n_heads)  # (..., h, n_queries, d_k)
        K = _split(read @ self.W_K, self.n_kv_heads)  # (..., h_kv, n_keys, d_k)
        V = _split(read @ self.W_V, self.n_kv_heads)  # (..., h_kv, n_keys, d_v)
        if cache is None:
            return self._attend(Q, K, V, mask, is_causal)
        before = len(cache)
        try:
            return self._attend(Q, *cache.append(K, V), mask, is_causal)  # K and V of earlier tokens first
        except BaseException:  # whatever stopped it, the cache is as it was
            cache.truncate(before)
            raise

    def _attend(self, Q: Any, K: Any, V: Any, mask: ArrayLike | None, is_causal: bool) -> MultiHeadTrace:
        if self.n_kv_heads < self.n_heads:
            repeats = self.n_heads // self.n_kv_heads
            K, V = _repeat(K, repeats), _repeat(V, repeats)  # (..., h, n_keys, d)
        heads = attend(Q, K, V, mask, is_causal=is_causal)
        concat = _merge(heads.output)  # (..., n_queries, h*d_v)
        output = concat @ self.W_O  # (..., n_queries, d_out)
        refuse_overflow("output", output)
        return MultiHeadTrace(heads, concat, self.W_O, output)


def _refuse_unfit_for_cache(X: NDArray[Any], context: ArrayLike | None, cache: KVCache) -> None:
    if not isinstance(cache, KVCache):
        raise TypeError(f"cache is a {type(cache).__name__}; it needs a KVCache")
    if context is not None:
        raise ValueError("context and cache are both given; a cache continues X itself, so give one of them")
    if X.ndim != 2:
        raise ValueError(f"X has shape {X.shape}; with a cache it needs (n_new, d_model), one sequence")
