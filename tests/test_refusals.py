"""What the math refuses, and the sentence that names it; test_conventions.py has what every function refuses."""

import numpy as np
import pytest

from attention_lib import (
    KVCache,
    LanguageModel,
    MultiHeadAttention,
    combine_masks,
    cross_attention,
    merge_heads,
    padding_mask,
    repeat_kv,
    rotary_positions,
    self_attention,
    sinusoidal_positions,
    softmax,
    split_heads,
)
from attention_lib import scaled_dot_product_attention as attention
from attention_lib.layers import layer_norm
from attention_lib.linear_attention import linear_attention
from attention_lib.training.gradients import attention_backward, finite_differences, projection_backward

ONE, EYE, PAIR = [[1.0]], np.eye(2), [[0.5, 0.5]]
MHA = MultiHeadAttention(*[EYE] * 4, n_heads=1)


def ones(*shape):
    return np.ones(shape)


def half(number, *shape):
    return np.full(shape, number, np.float16)


def layer(W_Q=(2, 4), W_K=(2, 4), W_V=(2, 6), W_O=(6, 1), n_heads=2, n_kv_heads=None):
    return MultiHeadAttention(*map(np.ones, (W_Q, W_K, W_V, W_O)), n_heads, n_kv_heads)


def tiny(words=("a", "b"), W_E=EYE, W_P=EYE, layers=(MHA,), W_U=EYE):
    return LanguageModel(words, W_E, W_P, layers, W_U)


def traced(largest=10.0):
    Q = np.array([[0.1, 0.2], [0.3, 0.4]])
    return attention(Q, Q, largest * Q)


VALUES = {
    # one attention
    "x has NaN or +inf; softmax needs finite numbers or -inf": lambda: softmax([np.nan, 1]),
    "x has shape (2,), which has no axis 1": lambda: softmax([1, 2], axis=1),
    "K has d_k=5 but Q has d_k=4": lambda: attention(ones(2, 3, 4), ones(2, 4, 5), ones(2, 4, 1)),
    "V has 2 rows but K has 3; each key needs one value": lambda: attention(ones(2, 4), ones(3, 4), ones(2, 1)),
    "the leading axes of Q (2, 1, 1), K (3, 1, 1), V (1, 1) do not broadcast together": lambda: attention(
        ones(2, 1, 1), ones(3, 1, 1), ONE
    ),
    "W_V has 1 rows but context has 2 columns; each column needs a row": lambda: cross_attention(
        ONE, [[1, 2]], ONE, [[1], [1]], ONE
    ),
    "W_K has 2 columns but W_Q has 1; both need d_k": lambda: self_attention(ONE, ONE, [[1, 2]], ONE),
    "W_K has 1 columns but W_Q has 2; both need d_k": lambda: cross_attention(ONE, ONE, PAIR, ONE, ONE),
    "the leading axes of X (2, 1, 1), W_Q (3, 1, 1) do not": lambda: self_attention(
        ones(2, 1, 1), ones(3, 1, 1), ONE, ONE
    ),
    "W_K has shape (1,); it needs (d_context, d_k)": lambda: cross_attention(ONE, ONE, ONE, [1.0], ONE),
    "W_V has shape (1,); it needs (d_model, d_v)": lambda: self_attention(ONE, ONE, ONE, [1.0]),
    "mask lifts a scaled score out of the range of float16; use smaller numbers": lambda: attention(
        *[half(1, 1, 1)] * 3, [[1e9]]
    ),
    "scale is nan; it needs a finite number": lambda: attention(ONE, ONE, ONE, scale=np.nan),
    "scaled scores left the range of float64": lambda: attention([[1e200]], [[1e100]], ONE, scale=1e100),
    "scores left the range of float16, which ends at 65504; use smaller numbers or a wider dtype": lambda: attention(
        *[half(300, 1, 1)] * 3
    ),
    "output left the range of float16": lambda: attention(half(0, 1, 1), half(0, 27, 1), half(65504, 27, 1)),
    "Q left the range of float64": lambda: self_attention([[1e200]], [[1e200]], ONE, ONE),
    # masks
    "lengths lie between 2 and 4; they need 0 to n_keys=3": lambda: padding_mask([2, 4], 3),
    "lengths lie between -1 and 2; they need 0 to n_keys=3": lambda: padding_mask([-1, 2], 3),
    "lengths has rows of different lengths": lambda: padding_mask([[1], [1, 2]], 3),
    # heads and their cache
    "X has 2 columns, which n_heads=3 does not divide": lambda: split_heads(ones(1, 2), 3),
    "X has shape (1, 2); it needs (..., h, n, d)": lambda: merge_heads(ones(1, 2)),
    "K has shape (1, 2); it needs (..., h_kv, n, d)": lambda: repeat_kv(ones(1, 2), 2),
    "n_kv_heads=2 does not divide n_heads=3": lambda: layer(n_heads=3, n_kv_heads=2),
    "W_Q has 5 columns, which 2 heads do not divide": lambda: layer(W_Q=(2, 5)),
    "W_K has 6 columns for 2 heads, but each head of W_Q has d_k=2": lambda: layer(W_K=(2, 6)),
    "W_V has 3 rows but W_K has 2": lambda: layer(W_V=(3, 6)),
    "W_Q has shape (1, 2, 4); it needs two axes, (rows, columns)": lambda: layer(W_Q=(1, 2, 4)),
    "W_Q has 2 rows but X has 1 columns; each column needs a row": lambda: MHA(ONE),
    "W_K has 3 rows but X has 2 columns; each column needs a row": lambda: layer(W_K=(3, 4), W_V=(3, 6))(ones(1, 2)),
    "W_K has 2 rows but context has 1 columns; each column needs a row": lambda: MHA(PAIR, ONE),
    "the leading axes of X (2, 1, 2), context (3, 1, 2) do not": lambda: MHA(ones(2, 1, 2), ones(3, 1, 2)),
    "scores left the range of float64, which": lambda: MHA([[1e200, 0]]),
    "W_O has 5 rows; it needs n_heads * d_v = 6": lambda: layer(W_O=(5, 1)),
    "K has shape (2, 1, 2); the cache needs (1, n_new, 2)": lambda: layer()(ones(1, 2), cache=KVCache(1, 1, 2, 3)),
    "length is 1, but the cache holds 0 tokens": lambda: KVCache(3, 1, 1).truncate(1),
    # positions
    "d_model is 3; it needs to be even, because columns": lambda: sinusoidal_positions(2, 3),
    "X has 3 columns; it needs an even number": lambda: rotary_positions([[1, 2, 3]]),
    "base is 0.0; it needs a number above 0": lambda: rotary_positions([[1, 2]], base=0),
    "a turned number left the range of float16, which ends at 65504": lambda: rotary_positions(half(60000, 2, 2)),
    "left the range": lambda: rotary_positions(ones(2, 64), start=10**9, base=5e-324),
    # the language model
    "words has 'a' twice; each word needs a place of its own": lambda: tiny(words="aa"),
    "W_U has shape (2, 3); it needs (2, 2)": lambda: tiny(W_U=ones(2, 3)),
    "W_Q of layers[1] is made for d_model=3 but W_E has d_model=2": lambda: tiny(
        layers=[MHA, MultiHeadAttention(*[np.eye(3)] * 4, n_heads=1)]
    ),
    "'c' is not one of the model's 2 words: a, b": lambda: tiny().ids(["a", "c"]),
    "ids has 0 to 2; it needs 0 to 1": lambda: tiny()([0, 2]),
    "ids has shape (0,); it needs (..., n), n at least 1": lambda: tiny()(np.zeros(0, int)),
    "caches has 0 entries; it needs 1, one for each layer": lambda: tiny()([0], []),
    "prompt has 0 words; it needs 1 to 2": lambda: tiny().generate([], 1),
    "temperature is -1; it needs to be at": lambda: tiny().generate("a", 1, temperature=-1),
    "there is no parameter '2.W_Q'; the parameters": lambda: tiny().with_parameters({"2.W_Q": EYE}),
    "head is -1; it needs 0 to 0": lambda: tiny().without_head(0, -1),
    "layer is 1; it needs 0 to 0": lambda: tiny().without_head(1, 0),
    "n_new is 2; 1 of 2 positions are used, so 1 are left": lambda: tiny().generate("a", 2),
    # a norm, and attention without softmax
    "gain has shape (3,); it needs (2,)": lambda: layer_norm([[1, 2]], gain=[1, 2, 3]),
    "bias has NaN or inf": lambda: layer_norm([[1, 2]], bias=[np.inf, 0]),
    "eps is 0": lambda: layer_norm([[1, 2]], eps=0),
    "variance": lambda: layer_norm([[1e200, -1e200]]),
    "Q (2, 3), K (2, 3) and V (3, 3) do not fit": lambda: linear_attention(ones(2, 3), ones(2, 3), ones(3, 3)),
    "Q (2, 2), K (2, 3) and V (2, 3) do not fit": lambda: linear_attention(EYE, ones(2, 3), ones(2, 3)),
    "the leading axes of Q (1, 1), K (2, 1, 1), V (3, 1, 1) do not": lambda: linear_attention(
        ONE, ones(2, 1, 1), ones(3, 1, 1)
    ),
    "state left the range of float16": lambda: linear_attention(*[half(255, 3, 1)] * 3),
    # gradients
    "W has shape (3, 3) but X has d_model=2": lambda: projection_backward(EYE, np.eye(3), EYE),
    "d_projected has shape (1, 2); it needs (2, 2)": lambda: projection_backward(EYE, EYE, PAIR),
    "d_output has shape (1, 2); it needs (2, 2)": lambda: attention_backward(traced(), PAIR),
    "scale is nan; it needs a finite": lambda: attention_backward(traced(), EYE, scale=np.nan),
    "d_weights left the range of float64": lambda: attention_backward(traced(1e200), np.full((2, 2), 1e200)),
    "d_X left the range of float64": lambda: projection_backward(ONE, [[1e200]], [[1e200]]),
    "d_W left the range of float64": lambda: projection_backward([[1e200]], ONE, [[1e200]]),
    "x has nan at [0]": lambda: finite_differences(np.sum, [np.nan]),
}
TYPES = {
    "axis is None; it needs a whole number": lambda: softmax([1, 2], axis=None),
    "x has dtype complex128; it needs real numbers": lambda: softmax([1j]),
    "it needs True or False": lambda: attention(ONE, ONE, ONE, is_causal=ones(2, 2).astype(bool)),
    "x is a masked array; it needs a plain one, and what is forbidden goes into a mask": lambda: softmax(
        np.ma.array([1.0, 2.0], mask=[False, True])
    ),
    "scale is '2'; it needs a number": lambda: attention(ONE, ONE, ONE, scale="2"),
    "lengths has dtype float64; it needs whole numbers": lambda: padding_mask([1.5], 3),
    "mask 2 has dtype int64; it needs bool": lambda: combine_masks(EYE, EYE.astype(int)),
    "cache is a list; it needs a KVCache": lambda: layer()(ones(1, 2), cache=[]),
    "dtype is 'int8'; it needs float16, float32 or float64": lambda: KVCache(1, 1, 1, dtype="int8"),
    "base is '10'; it needs a number": lambda: rotary_positions([[1, 2]], base="10"),
    "layers[0] is a ndarray; it needs a MultiHeadAttention": lambda: tiny(layers=[EYE]),
    "ids has dtype float64; it needs whole numbers": lambda: tiny()([0.0]),
    "trace is a list; it needs an AttentionTrace": lambda: attention_backward(ONE, ONE),
}


@pytest.mark.filterwarnings("error")  # no numpy warning may reach a learner
@pytest.mark.parametrize("sentence", [*VALUES, *TYPES])
def test_bad_input_is_refused_by_name(sentence):
    with pytest.raises(ValueError if sentence in VALUES else TypeError) as error:
        (VALUES | TYPES)[sentence]()
    assert sentence in str(error.value)
