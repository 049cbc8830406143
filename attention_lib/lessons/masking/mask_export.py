"""The same mask, as other libraries want it.

Here True means "may attend". Other libraries agree, mean the opposite, or add
numbers to the scaled scores. A mask that is passed on in the wrong polarity
raises no error: the model then attends to exactly the keys that it should not.
Each conversion is tested against the library itself.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Target(NamedTuple):
    """A library that reads masks."""

    title: str
    meaning: str  # how the library reads the numbers
    from_bool: Callable[[NDArray[np.bool_]], NDArray[Any]] = np.copy  # our mask -> the array that the library wants

    def convert(self, mask: ArrayLike) -> NDArray[Any]:
        """Return a mask of bool, (n_queries, n_keys), as the library wants it.

        Examples
        --------
        >>> TARGETS["torch_multihead_attention"].convert([[True, False]])
        array([[False,  True]])
        """
        array = np.asarray(mask)
        if array.dtype != bool:
            raise TypeError(f"mask has dtype {array.dtype}; it needs bool (True = may attend)")
        return self.from_bool(array)


def lowest_where_blocked(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return 0 or the lowest finite number, (1, 1, n_queries, n_keys): transformers, masking_utils.py, `eager_mask`."""
    return np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32)[None, None]


TARGETS = {
    # torch.nn.functional.scaled_dot_product_attention, `attn_mask`
    "torch_sdpa": Target("PyTorch scaled_dot_product_attention", "True = may attend"),
    # torch.nn.MultiheadAttention, `attn_mask` and `key_padding_mask`
    "torch_multihead_attention": Target(
        "PyTorch nn.MultiheadAttention", "True = blocked, the opposite", np.logical_not
    ),
    "hugging_face": Target(
        "Hugging Face, eager",
        "numbers that are added: 0 = may attend, the lowest finite number = blocked",
        lowest_where_blocked,
    ),
    "onnx_attention": Target("ONNX Attention", "True = may attend"),
}
