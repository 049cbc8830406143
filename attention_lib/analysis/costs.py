"""What attention costs: numbers to learn, operations of a pass and of a decoding step, and bytes of a KV cache.

A multiplication and an addition count as two operations.
"""

from dataclasses import dataclass

KINDS = {"all": "MHA", "some": "GQA", "one": "MQA"}


def parameter_count(d_model: int, n_heads: int, d_head: int, n_kv_heads: int | None = None) -> int:
    """Count the numbers in W_Q, W_K, W_V and W_O: 2 * d_model * d_head * (h + h_kv).

    Parameters
    ----------
    d_model : int
        Width of X and of the output.
    n_heads : int
        h, query heads.
    d_head : int
        d_k = d_v, width of one head.
    n_kv_heads : int, optional
        h_kv, key/value heads. Default: `n_heads`.

    Returns
    -------
    int

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
    .. [2] Ainslie et al., "GQA", 2023, section 2.2, for fewer key/value heads.

    Examples
    --------
    >>> parameter_count(512, 8, 64), parameter_count(512, 1, 512)
    (1048576, 1048576)
    """
    n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
    return 2 * d_model * d_head * (n_heads + n_kv_heads)  # W_Q and W_O have h heads, W_K and W_V have h_kv


def projection_flops(n: int, d_model: int, n_heads: int, d_head: int, n_kv_heads: int | None = None) -> int:
    """Count the operations of the four projections: 2 * n * parameters.

    Parameters
    ----------
    n : int
        Tokens.
    d_model, n_heads, d_head, n_kv_heads : int
        As in `parameter_count`.

    Returns
    -------
    int

    References
    ----------
    .. [1] Kaplan et al., "Scaling Laws for Neural Language Models", 2020, section 2.1, table 1.

    Examples
    --------
    >>> projection_flops(10, 512, 8, 64)
    20971520
    """
    return 2 * n * parameter_count(d_model, n_heads, d_head, n_kv_heads)


def attention_flops(n: int, n_heads: int, d_head: int) -> int:
    """Count the operations of the scores and of weights @ V: 4 * n * n * h * d_head.

    Fewer key/value heads change nothing here: every query head still meets
    every key. Softmax is left out; see `softmax_entries`.

    Parameters
    ----------
    n : int
        Tokens; every one attends to all n.
    n_heads, d_head : int
        As in `parameter_count`.

    Returns
    -------
    int

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, table 1: n^2 * d a layer.

    Examples
    --------
    >>> attention_flops(10, 8, 64), attention_flops(10, 1, 512)
    (204800, 204800)
    """
    return 4 * n * n * n_heads * d_head


def softmax_entries(n: int, n_heads: int) -> int:
    """Count the weights of all maps, one exponential each: h * n * n.

    Parameters
    ----------
    n : int
        Tokens.
    n_heads : int
        h, query heads.

    Returns
    -------
    int

    References
    ----------
    .. [1] Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1.

    Examples
    --------
    >>> softmax_entries(10, 8), softmax_entries(10, 1)
    (800, 100)
    """
    return n_heads * n * n


def decode_flops(n: int, d: int) -> int:
    """Count the operations of one decoding step with a KV cache: one head, d_model = d_k = d_v = d.

    Softmax is left out: it is small beside the products. Recomputing
    everything takes n times as many.

    Parameters
    ----------
    n : int
        Tokens so far, the new one included.
    d : int
        Width.

    Returns
    -------
    int
        Multiplications and additions.

    References
    ----------
    .. [1] Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need",
       2019, section 2.4: incremental attention.

    Examples
    --------
    >>> decode_flops(8, 4)
    224
    """
    projections = 3 * 2 * d * d  # to q, k and v
    return projections + 2 * n * d + 2 * n * d  # scores, and weights @ V


@dataclass(frozen=True)
class CacheShape:
    """What the size of a KV cache depends on.

    Attributes
    ----------
    n_layers, n_heads, n_kv_heads, d_k, d_v : int
        Layers; query heads, key/value heads, and the width of a key and a value in one head.
    window : int or None
        Keys that a token sees, itself included; None = all.
    latent : int or None
        Numbers kept for a token in one layer in place of keys and values; None = keys and values.
    bytes_per_number : int
    name, source : str
        The model, and where its shape was published.
    context : int or None
        Tokens that the model was published for.

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
    n_heads: int
    n_kv_heads: int
    d_k: int
    d_v: int
    window: int | None = None
    latent: int | None = None
    bytes_per_number: int = 2
    name: str = ""
    source: str = ""
    context: int | None = None

    def bytes_per_token(self) -> int:
        """Return the bytes that one token takes, over all layers."""
        numbers = self.n_kv_heads * (self.d_k + self.d_v) if self.latent is None else self.latent
        return self.n_layers * numbers * self.bytes_per_number

    def cache_bytes(self, n_tokens: int) -> int:
        """Return the bytes that `n_tokens` take; tokens before the window are dropped."""
        kept = n_tokens if self.window is None else min(n_tokens, self.window)
        return kept * self.bytes_per_token()


def kind_of(n_heads: int, n_kv_heads: int) -> str:
    """Name the way in which query heads share keys and values.

    Examples
    --------
    >>> kind_of(8, 8), kind_of(8, 2), kind_of(8, 1)
    ('MHA', 'GQA', 'MQA')
    """
    return KINDS["all" if n_kv_heads == n_heads else "one" if n_kv_heads == 1 else "some"]
