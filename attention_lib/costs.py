"""What a layer of multi-head attention costs: numbers to learn, and operations of one pass.

A multiplication and an addition count as two operations. What a KV cache
costs is in `cache_costs`.
"""


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
