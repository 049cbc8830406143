"""The same mask, written the way other libraries want it.

Here True means "may attend". Other libraries agree, mean the opposite, or add
numbers to the scaled scores. A mask that is passed on in the wrong polarity
raises no error: the model then attends to exactly the keys that it should not.
Each conversion is tested against the library itself.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray


def for_torch_sdpa(mask: ArrayLike) -> NDArray[np.bool_]:
    """Return the mask for PyTorch's `scaled_dot_product_attention`: True = may attend, as here.

    References
    ----------
    .. [1] PyTorch documentation, torch.nn.functional.scaled_dot_product_attention, `attn_mask`.

    Examples
    --------
    >>> for_torch_sdpa([[True, False]])
    array([[ True, False]])
    """
    return _as_mask(mask).copy()


def for_torch_multihead_attention(mask: ArrayLike) -> NDArray[np.bool_]:
    """Return the mask for PyTorch's `nn.MultiheadAttention`: True = blocked, the opposite.

    References
    ----------
    .. [1] PyTorch documentation, torch.nn.MultiheadAttention, `attn_mask` and `key_padding_mask`.

    Examples
    --------
    >>> for_torch_multihead_attention([[True, False]])
    array([[False,  True]])
    """
    return ~_as_mask(mask)


def for_hugging_face(mask: ArrayLike, dtype: DTypeLike = np.float32) -> NDArray[Any]:
    """Return the mask that Hugging Face models add to the scaled scores: 0, or the lowest finite number of the dtype.

    Its axes are batch, heads, queries, keys: (1, 1, n_queries, n_keys).

    References
    ----------
    .. [1] Hugging Face transformers, masking_utils.py, `eager_mask`.

    Examples
    --------
    >>> for_hugging_face([[True, False]]).tolist()
    [[[[0.0, -3.4028234663852886e+38]]]]
    """
    return np.where(_as_mask(mask), 0, np.finfo(dtype).min).astype(dtype)[None, None]


@dataclass(frozen=True)
class Target:
    """A library to export to."""

    title: str
    convert: Callable[[ArrayLike], NDArray[Any]]  # (n_queries, n_keys) mask -> the array that the library wants
    meaning: str  # how the library reads the numbers
    dead_row: str  # what the library makes of a row with no allowed key
    code: str  # text to paste; {cells} stands for the rows of the mask
    opposite: bool = False  # whether the cells of the code are those of the opposite mask


TARGETS = {
    "torch_sdpa": Target(
        "PyTorch scaled_dot_product_attention",
        for_torch_sdpa,
        "True = may attend",
        "output 0 (PyTorch 2.5 and later; on Apple's GPU it can be NaN)",
        """import torch
from torch.nn.functional import scaled_dot_product_attention

mask = torch.tensor([  # 1 = may attend; row = query, column = key
{cells}
], dtype=torch.bool)
output = scaled_dot_product_attention(Q, K, V, attn_mask=mask)
""",
    ),
    "torch_multihead_attention": Target(
        "PyTorch nn.MultiheadAttention",
        for_torch_multihead_attention,
        "True = blocked, the opposite",
        "NaN when it returns the weights, which is its default; output 0 with need_weights=False",
        """import torch

blocked = torch.tensor([  # 1 = blocked: the opposite; row = query, column = key
{cells}
], dtype=torch.bool)
output, weights = mha(X, X, X, attn_mask=blocked)  # mha = torch.nn.MultiheadAttention(...)
""",
        opposite=True,
    ),
    "hugging_face": Target(
        "Hugging Face, added to the scaled scores",
        for_hugging_face,
        "0 = may attend; the lowest finite number = blocked",
        "every key gets the same weight, the forbidden ones too",
        """import torch

allowed = torch.tensor([  # 1 = may attend; row = query, column = key
{cells}
], dtype=torch.bool)
attention_mask = torch.where(allowed, 0.0, torch.finfo(torch.float32).min)[None, None]  # (1, 1, n_queries, n_keys)
output = model(inputs_embeds=X, attention_mask=attention_mask)
""",
    ),
    "onnx_attention": Target(
        "ONNX Attention, opset 23 and later",
        for_torch_sdpa,  # the same
        "True = may attend",
        "output 0 (ONNX 1.23 and later)",
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


def own_code(tokens: Sequence[str], inputs: Mapping[str, NDArray[Any]], mask: ArrayLike, comment: str) -> str:
    """Return lines to paste that give the weights of a sentence under a mask, with attention_lib alone.

    `inputs` are X, W_Q, W_K and W_V, and `comment` says how the mask was made.
    """
    arrays = [f"{name} = np.array({array.tolist()!r})" for name, array in inputs.items()]
    lines = ["import numpy as np", "from attention_lib import self_attention", "", f"tokens = {list(tokens)!r}"]
    lines += [*arrays, f"mask = np.array([  # {comment}", mask_lines(mask), "], dtype=bool)"]
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
