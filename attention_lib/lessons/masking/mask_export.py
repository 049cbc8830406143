"""The same mask, written the way other libraries want it.

Here True means "may attend". Other libraries agree, mean the opposite, or add
numbers to the scaled scores. A mask that is passed on in the wrong polarity
raises no error: the model then attends to exactly the keys that it should not.
Each conversion is tested against the library itself.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Target(NamedTuple):
    """A library to export to."""

    title: str
    meaning: str  # how the library reads the numbers
    code: str  # text to paste; {cells} stands for the rows of the mask
    from_bool: Callable[[NDArray[np.bool_]], NDArray[Any]] = np.copy  # our mask -> the array that the library wants
    opposite: bool = False  # whether the cells of the code are those of the opposite mask

    def convert(self, mask: ArrayLike) -> NDArray[Any]:
        """Return a mask, (n_queries, n_keys), as the library wants it.

        Examples
        --------
        >>> TARGETS["torch_multihead_attention"].convert([[True, False]])
        array([[False,  True]])
        """
        return self.from_bool(_as_mask(mask))


def lowest_where_blocked(mask: NDArray[np.bool_]) -> NDArray[np.float32]:
    """Return 0 or the lowest finite number, (1, 1, n_queries, n_keys): transformers, masking_utils.py, `eager_mask`."""
    return np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32)[None, None]


TARGETS = {
    # torch.nn.functional.scaled_dot_product_attention, `attn_mask`
    "torch_sdpa": Target(
        "PyTorch scaled_dot_product_attention",
        "True = may attend",
        """import torch
from torch.nn.functional import scaled_dot_product_attention

mask = torch.tensor([  # 1 = may attend; row = query, column = key
{cells}
], dtype=torch.bool)
output = scaled_dot_product_attention(Q, K, V, attn_mask=mask)
""",
    ),
    # torch.nn.MultiheadAttention, `attn_mask` and `key_padding_mask`
    "torch_multihead_attention": Target(
        "PyTorch nn.MultiheadAttention",
        "True = blocked, the opposite",
        """import torch

blocked = torch.tensor([  # 1 = blocked: the opposite; row = query, column = key
{cells}
], dtype=torch.bool)
output, weights = mha(X, X, X, attn_mask=blocked)  # mha = torch.nn.MultiheadAttention(...)
""",
        np.logical_not,
        opposite=True,
    ),
    "hugging_face": Target(
        "Hugging Face, added to the scaled scores",
        "0 = may attend; the lowest finite number = blocked",
        """import torch

allowed = torch.tensor([  # 1 = may attend; row = query, column = key
{cells}
], dtype=torch.bool)
attention_mask = torch.where(allowed, 0.0, torch.finfo(torch.float32).min)[None, None]  # (1, 1, n_queries, n_keys)
output = model(inputs_embeds=X, attention_mask=attention_mask)
""",
        lowest_where_blocked,
    ),
    "onnx_attention": Target(
        "ONNX Attention, opset 23 and later",
        "True = may attend",
        """import numpy as np

attn_mask = np.array([  # 1 = may attend; row = query, column = key
{cells}
], dtype=bool)
# session: a model with the node Attention(Q, K, V, attn_mask)
output = session.run(None, {{"Q": Q, "K": K, "V": V, "attn_mask": attn_mask}})[0]
""",
    ),
}


def export_code(target: str, mask: ArrayLike) -> str:
    """Return lines to paste that rebuild the mask for another library, a key of `TARGETS`, and use it.

    Examples
    --------
    >>> print(export_code("torch_multihead_attention", [[True, False], [True, True]]))
    import torch
    <BLANKLINE>
    blocked = torch.tensor([  # 1 = blocked: the opposite; row = query, column = key
        [0, 1],
        [0, 0],
    ], dtype=torch.bool)
    output, weights = mha(X, X, X, attn_mask=blocked)  # mha = torch.nn.MultiheadAttention(...)
    <BLANKLINE>
    """
    allowed = _as_mask(mask)
    cells = ~allowed if TARGETS[target].opposite else allowed
    return TARGETS[target].code.format(cells=mask_lines(cells))


def own_code(tokens: Sequence[str], inputs: Mapping[str, NDArray[Any]], mask: ArrayLike) -> str:
    """Return lines to paste that give the weights of a sentence under a mask; `inputs` are X, W_Q, W_K and W_V."""
    arrays = [f"{name} = np.array({array.tolist()!r})" for name, array in inputs.items()]
    lines = ["import numpy as np", "from attention_lib import self_attention", "", f"tokens = {list(tokens)!r}"]
    lines += [*arrays, "mask = np.array([  # 1 = may attend", mask_lines(mask), "], dtype=bool)"]
    return "\n".join([*lines, "trace = self_attention(X, W_Q, W_K, W_V, mask)", "print(trace.weights.round(2))", ""])


def mask_lines(mask: ArrayLike) -> str:
    """Return the rows of a mask as lines of code, 1 for True.

    Examples
    --------
    >>> print(mask_lines([[True, False]]))
        [1, 0],
    """
    return "\n".join(f"    {row.astype(int).tolist()}," for row in np.asarray(mask))


def _as_mask(mask: ArrayLike) -> NDArray[np.bool_]:
    array = np.asarray(mask)
    if array.dtype != bool:
        raise TypeError(f"mask has dtype {array.dtype}; it needs bool (True = may attend)")
    return array
