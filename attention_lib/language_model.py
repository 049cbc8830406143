"""A small language model: tokens -> embeddings and positions -> layers of attention -> logits.

Every layer is one `MultiHeadAttention` with a skip connection around it. There
are no MLPs, layer norms, biases or dropout, so that every number can be traced:
each row is embedding + position + what each head of each layer added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._arguments import QUIET, Array, as_count, as_finite_number, as_matrix, as_whole_number, read_only, refuse_overflow
from .attention import softmax
from .kv_cache import KVCache, unchanged_on_error
from .multi_head import MultiHeadAttention, MultiHeadTrace

# Annotations quote np.random, because looking it up would load it together with the library.
OF_A_LAYER = ("W_Q", "W_K", "W_V", "W_O")


@dataclass(frozen=True, eq=False)
class LanguageTrace:
    """Every step of a language model, as read-only arrays."""

    rows: Array  # (n_layers + 1, ..., n, d_model): embedding + position first, then the row after each layer
    layers: tuple[MultiHeadTrace, ...]  # the steps of each layer
    W_U: Array  # (d_model, n_words), turns a row into logits
    logits: Array  # (..., n, n_words): for each token, one number for each word that may come next

    def __post_init__(self) -> None:
        for name in ("rows", "W_U", "logits"):
            vars(self)[name] = read_only(vars(self)[name])

    def __repr__(self) -> str:
        own = ", ".join(f"{name} {getattr(self, name).shape}" for name in ("rows", "W_U", "logits"))
        return f"LanguageTrace: {own}; layers: {len(self.layers)}"

    @property
    def probabilities(self) -> Array:
        """The probability that each word comes next, (..., n, n_words): the softmax of the logits."""
        return softmax(self.logits)


class LanguageModel:
    """Guess the next word from all words so far.

    Parameters
    ----------
    words : sequence of str
        The vocabulary; the id of a word is its place in it.
    W_E : (n_words, d_model) array_like
        The embedding of each word.
    W_P : (n_positions, d_model) array_like
        Added at each position; a text can be no longer than this.
    layers : sequence of MultiHeadAttention
        Each takes rows of d_model and returns rows of d_model.
    W_U : (d_model, n_words) array_like
        Turns a row into logits, one number for each word.

    Raises
    ------
    ValueError, TypeError
        If shapes do not fit each other, a number is NaN or inf, or a word occurs twice in the vocabulary.

    References
    ----------
    .. [1] Radford et al., "Improving Language Understanding by Generative Pre-Training", 2018, section 3.1.
    .. [2] Elhage et al., "A Mathematical Framework for Transformer Circuits", 2021: attention-only models.

    Examples
    --------
    >>> W = np.eye(2)
    >>> layer = MultiHeadAttention(W, W, W, W, n_heads=1)
    >>> model = LanguageModel(("on", "off"), W, np.zeros((4, 2)), [layer], [[0, 1], [1, 0]])
    >>> model(model.ids(["on", "on", "off"])).logits.shape  # one row per token, one column per word that may come next
    (3, 2)
    >>> model.generate(["on"], 3)
    ['on', 'off', 'on', 'off']
    """

    def __init__(
        self, words: Sequence[str], W_E: ArrayLike, W_P: ArrayLike, layers: Sequence[MultiHeadAttention], W_U: ArrayLike
    ) -> None:
        self.words = tuple(words)
        self._places: dict[str, int] = {}
        for i, word in enumerate(self.words):
            if word in self._places:
                raise ValueError(f"words has {word!r} twice; each word needs a place of its own")
            self._places[word] = i
        self.W_E, self.W_P, self.W_U = as_matrix("W_E", W_E), as_matrix("W_P", W_P), as_matrix("W_U", W_U)
        self.layers = tuple(layers)
        self._refuse_unfit()

    def _refuse_unfit(self) -> None:
        d_model, n_words = self.W_E.shape[-1], len(self.words)
        needed = {"W_E": (n_words, d_model), "W_P": (len(self.W_P), d_model), "W_U": (d_model, n_words)}
        for name, shape in needed.items():
            if getattr(self, name).shape != shape:
                raise ValueError(f"{name} has shape {getattr(self, name).shape}; it needs {shape}")
        for i, layer in enumerate(self.layers):
            if not isinstance(layer, MultiHeadAttention):
                raise TypeError(f"layers[{i}] is a {type(layer).__name__}; it needs a MultiHeadAttention")
            shapes = {"W_Q": layer.W_Q.shape[0], "W_K": layer.W_K.shape[0], "W_O": layer.W_O.shape[1]}
            for name, size in shapes.items():
                if size != d_model:
                    raise ValueError(f"{name} of layers[{i}] is made for d_model={size} but W_E has d_model={d_model}")

    def parameters(self) -> dict[str, Array]:
        """Return all learned numbers by name: "W_E", "W_P", "W_U", and "0.W_Q" and so on for each layer."""
        parameters = {"W_E": self.W_E, "W_P": self.W_P, "W_U": self.W_U}
        for i, layer in enumerate(self.layers):
            parameters |= {f"{i}.{name}": getattr(layer, name) for name in OF_A_LAYER}
        return parameters

    def with_parameters(self, parameters: Mapping[str, ArrayLike]) -> "LanguageModel":
        """Return a model with some of its numbers replaced, named as in `parameters()`.

        An unknown name or a shape that does not fit raises ValueError.
        """
        own = self.parameters()
        for name in parameters:
            if name not in own:
                raise ValueError(f"there is no parameter {name!r}; the parameters are {', '.join(own)}")
        new: dict[str, ArrayLike] = {**own, **parameters}
        layers = []
        for i, layer in enumerate(self.layers):
            W_Q, W_K, W_V, W_O = (new[f"{i}.{name}"] for name in OF_A_LAYER)
            layers.append(MultiHeadAttention(W_Q, W_K, W_V, W_O, layer.n_heads, layer.n_kv_heads))
        return LanguageModel(self.words, new["W_E"], new["W_P"], layers, new["W_U"])

    def without_head(self, layer: int, head: int) -> "LanguageModel":
        """Return a model in which one head adds nothing: its rows of W_O are 0.

        A layer or head that does not exist raises ValueError.
        """
        if not 0 <= as_whole_number("layer", layer) < len(self.layers):
            raise ValueError(f"layer is {layer}; it needs 0 to {len(self.layers) - 1}")
        heads = self.layers[layer]
        if not 0 <= as_whole_number("head", head) < heads.n_heads:
            raise ValueError(f"head is {head}; it needs 0 to {heads.n_heads - 1}")
        W_O = heads.W_O.copy()
        W_O[head * heads.d_v : (head + 1) * heads.d_v] = 0
        return self.with_parameters({f"{layer}.W_O": W_O})

    def ids(self, words: Sequence[str]) -> NDArray[np.intp]:
        """Return the id of each word, (n,). A word outside the vocabulary raises ValueError."""
        for word in words:
            if word not in self._places:
                raise ValueError(f"{word!r} is not one of the model's {len(self.words)} words: {', '.join(self.words)}")
        return np.array([self._places[word] for word in words], dtype=np.intp)

    def new_caches(self) -> list[KVCache]:
        """Return one empty cache for each layer, with room for every position."""
        n_positions, dtype = len(self.W_P), self.W_E.dtype
        return [KVCache(n_positions, layer.n_kv_heads, layer.d_k, layer.d_v, dtype) for layer in self.layers]

    @QUIET
    def __call__(
        self,
        ids: ArrayLike,
        caches: Sequence[KVCache] | None = None,
        *,
        positions: ArrayLike | None = None,
    ) -> LanguageTrace:
        """Calculate every row of every layer, and the logits.

        Parameters
        ----------
        ids : (..., n) array_like of int
            With caches: only the new tokens, (n_new,).
        caches : sequence of KVCache, optional
            One for each layer. They take the new keys and values and supply the
            earlier ones. If the call raises, they are unchanged.
        positions : (..., n) array_like of int, optional
            Default: 0, 1, 2 and so on; with caches, they start at the cached length.

        Raises
        ------
        ValueError, TypeError
            If an id or a position is out of range, or the caches do not fit.
        """
        if caches is not None and len(caches) != len(self.layers):
            raise ValueError(f"caches has {len(caches)} entries; it needs {len(self.layers)}, one for each layer")
        ids = _as_places("ids", ids, len(self.words))  # (..., n)
        if positions is None:
            start = len(caches[0]) if caches else 0
            positions = np.arange(start, start + ids.shape[-1])  # (n,)
        positions = _as_places("positions", positions, len(self.W_P))
        rows = [self.W_E[ids] + self.W_P[positions]]  # (..., n, d_model)
        traces = []
        with unchanged_on_error(*caches or ()):  # a later layer may fail when earlier caches have grown already
            for i, layer in enumerate(self.layers):
                trace = layer(rows[-1], is_causal=True, cache=caches[i] if caches else None)
                rows.append(rows[-1] + trace.output)  # (..., n, d_model)
                traces.append(trace)
            logits = rows[-1] @ self.W_U  # (..., n, n_words)
            refuse_overflow("logits", logits)
        return LanguageTrace(np.stack(rows), tuple(traces), self.W_U, logits)

    def generate(
        self,
        prompt: Sequence[str],
        n_new: int,
        *,
        temperature: float = 0.0,
        seed: "int | np.random.Generator | None" = None,
        use_cache: bool = True,
    ) -> list[str]:
        """Return the prompt and `n_new` words after it.

        Parameters
        ----------
        prompt : sequence of str
            At least one word.
        n_new : int
        temperature : float, optional
            0 (default) takes the most likely word. Above 0, words are drawn from
            softmax(logits / temperature); the higher, the more varied.
        seed : int or Generator, optional
            Decides which words are drawn.
        use_cache : bool, optional
            False calculates all rows of every layer again for each new word. The words are the same.

        Raises
        ------
        ValueError, TypeError
            If the prompt is empty or has an unknown word, if there are more words than
            positions, or if the temperature is negative.
        """
        ids, n_positions = self.ids(prompt).tolist(), len(self.W_P)
        if not 0 < len(ids) <= n_positions:
            raise ValueError(f"prompt has {len(ids)} words; it needs 1 to {n_positions}")
        left = n_positions - len(ids)
        if as_count("n_new", n_new) > left:
            raise ValueError(f"n_new is {n_new}; {len(ids)} of {n_positions} positions are used, so {left} are left")
        if as_finite_number("temperature", temperature) < 0:
            raise ValueError(f"temperature is {temperature}; it needs to be at least 0")
        rng = np.random.default_rng(seed)
        caches = self.new_caches() if use_cache else None
        new = ids
        for _ in range(n_new):
            trace = self(new, caches) if use_cache else self(ids)
            new = [choose(trace.logits[-1], temperature, rng)]
            ids = ids + new
        return [self.words[i] for i in ids]


@QUIET
def choose(logits: ArrayLike, temperature: float, rng: "np.random.Generator") -> int:
    """Return the id of the next word: the most likely at temperature 0, otherwise drawn by `rng`.

    It is drawn from softmax(logits / temperature); `logits` has shape (n_words,).

    Examples
    --------
    >>> choose([1.0, 3.0, 2.0], 0.0, np.random.default_rng(0))
    1
    """
    logits = np.asarray(logits, dtype=np.float64)
    if temperature == 0:
        return int(logits.argmax())
    return int(rng.choice(len(logits), p=softmax((logits - logits.max()) / temperature)))


def _as_places(name: str, value: ArrayLike, n: int) -> NDArray[np.intp]:
    """Return `value` as an array of whole numbers from 0 to n - 1 with at least one axis, one entry or more."""
    places = np.asarray(value)
    if places.ndim == 0 or places.shape[-1] == 0:
        raise ValueError(f"{name} has shape {places.shape}; it needs (..., n), n at least 1")
    if places.dtype.kind not in "iu":
        raise TypeError(f"{name} has dtype {places.dtype}; it needs whole numbers")
    if places.min() < 0 or places.max() >= n:
        raise ValueError(f"{name} has {places.min()} to {places.max()}; it needs 0 to {n - 1}")
    return places.astype(np.intp, copy=False)
