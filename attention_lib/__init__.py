"""How attention is calculated, number by number.

The math is numpy alone. Start reading in `attention_lib/attention.py`.
"""

from ._words import language
from .attention import AttentionTrace, cross_attention, scaled_dot_product_attention, self_attention, softmax
from .examples.worked import WorkedExample, example_names, load_example
from .kv_cache import KVCache
from .language_model import LanguageModel, LanguageTrace
from .masks import causal_mask, combine_masks, padding_mask, sliding_window_mask
from .multi_head import MultiHeadAttention, MultiHeadTrace, merge_heads, repeat_kv, split_heads
from .positions import rotary_positions, sinusoidal_positions

__all__ = [
    "AttentionTrace",
    "KVCache",
    "LanguageModel",
    "LanguageTrace",
    "MultiHeadAttention",
    "MultiHeadTrace",
    "WorkedExample",
    "causal_mask",
    "combine_masks",
    "cross_attention",
    "example_names",
    "language",
    "load_example",
    "merge_heads",
    "padding_mask",
    "repeat_kv",
    "rotary_positions",
    "scaled_dot_product_attention",
    "self_attention",
    "sinusoidal_positions",
    "sliding_window_mask",
    "softmax",
    "split_heads",
]

__version__ = "1.0.0"
_LESSONS = __name__ + ".lessons"  # where `checks` finds its questions; it cannot name a room that stands on it
