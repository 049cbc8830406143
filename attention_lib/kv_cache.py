"""The KV cache: keep keys and values of past tokens, so that only new ones are computed."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from ._arguments import FLOATS, Array, as_count, as_tokens, read_only, refuse_non_finite


class KVCache:
    """Room for the keys and values of one sequence, filled from the front.

    The room is allocated once, so appending a token writes one row per head and
    copies nothing. Queries are not kept, because a past query is never used again.

    Parameters
    ----------
    capacity : int
        Tokens that fit.
    n_kv_heads : int
        Key/value heads.
    d_k : int
        Width of a key in one head.
    d_v : int, optional
        Width of a value in one head. Default: `d_k`.
    dtype : dtype, optional
        float16, float32 or float64 (default). What is appended is rounded to it.

    Raises
    ------
    ValueError, TypeError
        If a size is not a whole number of at least 1, or the dtype is not a float.

    References
    ----------
    .. [1] Pope et al., "Efficiently Scaling Transformer Inference", 2022, section 2.

    Examples
    --------
    >>> cache = KVCache(capacity=4, n_kv_heads=1, d_k=2)
    >>> K, V = cache.append([[[1, 2]]], [[[0.5, 1]]])
    >>> len(cache), K.shape, cache.nbytes
    (1, (1, 1, 2), 128)
    """

    def __init__(
        self, capacity: int, n_kv_heads: int, d_k: int, d_v: int | None = None, dtype: DTypeLike = np.float64
    ) -> None:
        self.capacity = as_count("capacity", capacity, least=1)
        n_kv_heads = as_count("n_kv_heads", n_kv_heads, least=1)
        d_k, d_v = as_count("d_k", d_k, least=1), as_count("d_v", d_k if d_v is None else d_v, least=1)
        if np.dtype(dtype) not in FLOATS:
            raise TypeError(f"dtype is {dtype!r}; it needs float16, float32 or float64")
        self._K = np.zeros((n_kv_heads, self.capacity, d_k), dtype)
        self._V = np.zeros((n_kv_heads, self.capacity, d_v), dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def K(self) -> Array:
        """The keys so far, (n_kv_heads, len, d_k): a read-only view."""
        return read_only(self._K[:, : self._length])

    @property
    def V(self) -> Array:
        """The values so far, (n_kv_heads, len, d_v): a read-only view."""
        return read_only(self._V[:, : self._length])

    @property
    def nbytes(self) -> int:
        """Memory held, in bytes, for the whole capacity."""
        return self._K.nbytes + self._V.nbytes

    def append(self, K: ArrayLike, V: ArrayLike) -> tuple[Array, Array]:
        """Add the keys and values of new tokens; return all of them so far.

        Parameters
        ----------
        K : (n_kv_heads, n_new, d_k) array_like
        V : (n_kv_heads, n_new, d_v) array_like

        Returns
        -------
        K : (n_kv_heads, len, d_k) ndarray
        V : (n_kv_heads, len, d_v) ndarray
            Read-only views, not copies.

        Raises
        ------
        ValueError, TypeError
            If a shape is wrong, a number is NaN or inf, or there is no room. The
            cache is then unchanged.

        Examples
        --------
        >>> cache = KVCache(capacity=1, n_kv_heads=1, d_k=1)
        >>> _ = cache.append([[[1]]], [[[2]]])
        >>> cache.append([[[3]]], [[[4]]])
        Traceback (most recent call last):
            ...
        ValueError: the cache holds 1 of 1 tokens; 1 more does not fit
        """
        new_K, new_V = self._checked("K", K, self._K), self._checked("V", V, self._V)
        n_new, start = new_K.shape[1], self._length
        stop = start + n_new
        if new_V.shape[1] != n_new:
            raise ValueError(f"V has {new_V.shape[1]} tokens but K has {n_new}")
        if stop > self.capacity:
            verb = "does" if n_new == 1 else "do"
            raise ValueError(f"the cache holds {start} of {self.capacity} tokens; {n_new} more {verb} not fit")
        self._K[:, start:stop], self._V[:, start:stop] = new_K, new_V
        self._length = stop
        return self.K, self.V

    def truncate(self, length: int) -> None:
        """Keep the first `length` tokens, from 0 to len, and forget the others; any other number raises ValueError.

        New tokens then overwrite the forgotten ones, also in views and traces
        that were taken before. Copy what you want to keep.

        Examples
        --------
        >>> cache = KVCache(capacity=2, n_kv_heads=1, d_k=1)
        >>> _ = cache.append([[[1], [3]]], [[[2], [4]]])
        >>> cache.truncate(1)
        >>> cache.K
        array([[[1.]]])
        """
        length = as_count("length", length)
        if length > self._length:
            raise ValueError(f"length is {length}, but the cache holds {self._length} tokens")
        self._length = length

    def _checked(self, name: str, value: ArrayLike, room: Array) -> Array:
        array = as_tokens(name, value, "(n_kv_heads, n_new, d)")
        n_kv_heads, _, d = room.shape
        if array.ndim != 3 or array.shape[0] != n_kv_heads or array.shape[2] != d:
            raise ValueError(f"{name} has shape {array.shape}; the cache needs ({n_kv_heads}, n_new, {d})")
        if array.dtype == room.dtype:
            return array
        with np.errstate(over="ignore"):
            return refuse_non_finite(f"{name} rounded to {room.dtype}", array.astype(room.dtype))


@contextmanager
def unchanged_on_error(*caches: KVCache | None) -> Iterator[None]:
    """Take back what was appended to the caches if anything stops the block, an interrupt of the kernel included."""
    lengths = [(cache, len(cache)) for cache in caches if cache is not None]
    try:
        yield
    except BaseException:
        for cache, length in lengths:
            cache.truncate(length)
        raise
