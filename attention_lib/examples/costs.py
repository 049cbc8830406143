"""What a KV cache costs, in bytes."""

from dataclasses import dataclass

from .data import read_data


@dataclass(frozen=True)
class CacheShape:
    """What the size of a KV cache depends on.

    References
    ----------
    .. [1] Ainslie et al., "GQA", 2023, section 2.2; Jiang et al., "Mistral 7B",
       2023, section 2; DeepSeek-AI, "DeepSeek-V2", 2024, section 2.1.4.

    Examples
    --------
    >>> CacheShape(n_layers=32, n_heads=32, n_kv_heads=8, d_k=128, d_v=128).bytes_per_token()
    131072
    """

    n_layers: int
    n_heads: int  # query heads
    n_kv_heads: int  # key/value heads
    d_k: int  # width of a key in one head
    d_v: int  # width of a value in one head
    window: int | None = None  # keys that a token sees, itself included; None = all
    full_every: int = 0  # one layer of so many has no window; 0: each has one
    latent: int | None = None  # numbers stored for a token in one layer in place of keys and values
    bytes_per_number: int = 2
    name: str = ""
    source: str = ""  # where the shape was published
    context: int | None = None  # tokens that the model was published for

    def bytes_per_token(self) -> int:
        """Return the bytes that one token takes, over all layers."""
        numbers = self.n_kv_heads * (self.d_k + self.d_v) if self.latent is None else self.latent
        return self.n_layers * numbers * self.bytes_per_number

    def kept_tokens(self, n_tokens: int) -> float:
        """Return how many of `n_tokens` a layer keeps, in the mean: with a window, older ones are dropped."""
        if self.window is None:
            return n_tokens
        share = 1 / self.full_every if self.full_every else 0
        return share * n_tokens + (1 - share) * min(n_tokens, self.window)

    def cache_bytes(self, n_tokens: int) -> int:
        return round(self.kept_tokens(n_tokens) * self.bytes_per_token())


def kind_of(n_heads: int, n_kv_heads: int) -> str:
    """Name the way in which query heads share keys and values.

    Examples
    --------
    >>> kind_of(8, 8), kind_of(8, 2), kind_of(8, 1)
    ('MHA', 'GQA', 'MQA')
    """
    if n_kv_heads == n_heads:
        return "MHA"
    return "MQA" if n_kv_heads == 1 else "GQA"


def load_model_shapes() -> list[CacheShape]:
    """Load the published shapes of four models, each with its source.

    Examples
    --------
    >>> for model in load_model_shapes():
    ...     print(model.name, model.bytes_per_token())
    Llama-2-7B 524288
    Llama-3-8B 131072
    Mistral-7B-v0.1 131072
    DeepSeek-V2 69120
    """
    return [CacheShape(**shape) for shape in read_data("model_shapes")["models"]]
