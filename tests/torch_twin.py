"""The small language model once more, in PyTorch."""

import pytest


def twin_logits(model, W, ids):
    """Its logits after each word, from its parameters as tensors by their names."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e '.[oracles]'")

    def heads(x, n):
        return x.unflatten(-1, (n, -1)).transpose(-2, -3)  # (batch, h, n, d)

    x = torch.nn.functional.embedding(torch.from_numpy(ids), W["W_E"]) + W["W_P"][: ids.shape[-1]]
    for i, layer in enumerate(model.layers):
        q, k, v = (x @ W[f"{i}.{name}"] for name in ("W_Q", "W_K", "W_V"))
        q, k, v = heads(q, layer.n_heads), heads(k, layer.n_kv_heads), heads(v, layer.n_kv_heads)
        attended = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + attended.transpose(-2, -3).flatten(-2) @ W[f"{i}.W_O"]
    return x @ W["W_U"]
