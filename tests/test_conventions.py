"""Rules for every function of the math at once: dtypes and inputs stay, results are read-only, and faults are named."""

import dataclasses

import numpy as np
import pytest

from attention_lib import (
    KVCache,
    LanguageModel,
    MultiHeadAttention,
    causal_mask,
    combine_masks,
    cross_attention,
    merge_heads,
    padding_mask,
    repeat_kv,
    rotary_positions,
    scaled_dot_product_attention,
    self_attention,
    sinusoidal_positions,
    sliding_window_mask,
    softmax,
    split_heads,
)
from attention_lib.layers import layer_norm
from attention_lib.linear_attention import linear_attention
from attention_lib.training.gradients import projection_backward

pytestmark = pytest.mark.filterwarnings("error")

I = np.eye(2)
HEADS = I[None]  # (h, n, d)
MHA = MultiHeadAttention(I, I, I, I, n_heads=1)

#: What can be called with arrays, and arguments that it takes.
WITH_ARRAYS = {
    "softmax": (softmax, {"x": I}),
    "attention": (scaled_dot_product_attention, {"Q": I, "K": I, "V": I}),
    "self-attention": (self_attention, {"X": I, "W_Q": I, "W_K": I, "W_V": I}),
    "cross-attention": (cross_attention, {"X": I, "context": I, "W_Q": I, "W_K": I, "W_V": I}),
    "without softmax": (linear_attention, {"Q": I, "K": I, "V": I}),
    "split": (lambda X: split_heads(X, 1), {"X": I}),
    "merge": (merge_heads, {"X": HEADS}),
    "repeat": (lambda K: repeat_kv(K, 2), {"K": HEADS}),
    "rotary positions": (rotary_positions, {"X": I}),
    "layer norm": (layer_norm, {"X": I}),
    "back through a product": (projection_backward, {"X": I, "W": I, "d_projected": I}),
    "heads": (lambda **W: MultiHeadAttention(**W, n_heads=1), {"W_Q": I, "W_K": I, "W_V": I, "W_O": I}),
    "a layer": (MHA, {"X": I, "context": I}),
    "a cache": (lambda **KV: KVCache(2, 1, 2).append(**KV), {"K": HEADS, "V": HEADS}),
    "a model": (lambda **W: LanguageModel("ab", layers=[MHA], **W), {"W_E": I, "W_P": I, "W_U": I}),
}


def arrays_of(result):
    """Every array of a result: an array, a trace, a cache's keys and values, or the matrices of a layer or a model."""
    if isinstance(result, np.ndarray):
        return [result]
    parts = result if isinstance(result, tuple) else vars(result).values()
    return [array for part in parts if hasattr(part, "__dict__") or hasattr(part, "dtype") for array in arrays_of(part)]


@pytest.mark.parametrize("name", WITH_ARRAYS)
def test_dtypes_stay_and_inputs_are_neither_changed_nor_kept(name):
    call, arguments = WITH_ARRAYS[name]
    for dtype in (np.float16, np.float32, np.float64):
        given = {argument: array.astype(dtype) for argument, array in arguments.items()}
        results = arrays_of(call(**given))
        if name not in ("a layer", "a cache"):  # which have a dtype of their own
            assert {array.dtype for array in results} == {np.dtype(dtype)}
        for argument, array in given.items():
            assert np.array_equal(array, arguments[argument])
            assert not any(np.shares_memory(array, result) for result in results), argument
    for array in arrays_of(call(**{argument: array.tolist() for argument, array in arguments.items()})):
        assert array.dtype == np.float64


@pytest.mark.parametrize("name", ["attention", "self-attention", "cross-attention", "a layer", "heads", "a model"])
def test_nobody_writes_into_a_trace_a_layer_or_a_model(name):
    call, arguments = WITH_ARRAYS[name]
    made = call(**arguments)
    trace = made([1]) if name == "a model" else made
    arrays = [*arrays_of(made), *arrays_of(trace)]
    if name == "a model":
        arrays += made.parameters().values()
    if name == "a layer":
        arrays += [trace.contributions]
    if name != "heads":
        with pytest.raises(dataclasses.FrozenInstanceError):
            trace.output = 0
    assert hash(made) and hash(trace)  # as one of a set, which arrays could not be
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_a_trace_is_printed_as_its_shapes():
    heads = "AttentionTrace: Q (1, 2, 2), K (1, 2, 2), V (1, 2, 2), scores (1, 2, 2)"
    assert repr(MHA(I)).startswith(f"MultiHeadTrace: concat (2, 2), W_O (2, 2), output (2, 2); heads: {heads}, scaled")
    trace = WITH_ARRAYS["a model"][0](W_E=I, W_P=I, W_U=I)([1])
    assert repr(trace) == "LanguageTrace: rows (2, 1, 2), W_U (2, 2), logits (1, 2); layers: 1"


SPOILED = {  # how an array is spoiled, and what follows its name
    "nan": (lambda array: np.where(np.arange(array.size).reshape(array.shape) == 1, np.nan, array), " has nan at ["),
    "inf": (lambda array: np.where(array == 1, np.inf, array), " has inf at ["),
    "words": (lambda array: array.astype(str), " has dtype <U"),
    "complex numbers": (lambda array: array * 1j, " has dtype complex128; it needs real numbers"),
    "masked": (lambda array: np.ma.array(array), " is a masked array; it needs a plain one"),
    "ragged": (lambda array: [[1.0, 2.0], [3.0]], " has rows of different lengths; it needs rows of one length"),
    "one axis": (lambda array: np.ones(2), " has shape (2,); it needs ("),
    "no columns": (lambda array: array[..., :0], "0); its rows need at least one number"),
}


@pytest.mark.parametrize("name", [name for name in WITH_ARRAYS if name != "softmax"])  # which takes -inf, and one axis
@pytest.mark.parametrize("how", SPOILED)
def test_no_array_is_taken_that_nothing_can_be_calculated_from(name, how):
    call, arguments = WITH_ARRAYS[name]
    spoil, sentence = SPOILED[how]
    call(**arguments)
    for argument, array in arguments.items():
        with pytest.raises((ValueError, TypeError)) as error:
            call(**{**arguments, argument: spoil(array)})
        assert str(error.value).startswith(f"{argument} ") and sentence in str(error.value)


#: What takes a count or a switch, the name of the argument, and the least that it may be.
WITH_COUNTS = [
    (lambda n: causal_mask(n), "n_queries", 0),
    (lambda n: sliding_window_mask(2, left=n), "left", 0),
    (lambda n: padding_mask(np.zeros(1, int), n), "n_keys", 0),
    (lambda n: split_heads(I, n), "n_heads", 1),
    (lambda n: repeat_kv(HEADS, n), "n_repeats", 1),
    (lambda n: MultiHeadAttention(I, I, I, I, n_heads=n), "n_heads", 1),
    (lambda n: MultiHeadAttention(I, I, I, I, n_heads=1, n_kv_heads=n), "n_kv_heads", 1),
    (lambda n: KVCache(n, 1, 1), "capacity", 1),
    (lambda n: KVCache(1, n, 1), "n_kv_heads", 1),
    (lambda n: KVCache(1, 1, 1, d_v=n), "d_v", 1),
    (lambda n: KVCache(1, 1, 1).truncate(n), "length", 0),
    (lambda n: sinusoidal_positions(n, 2), "n", 0),
    (lambda n: sinusoidal_positions(1, n), "d_model", 1),
    (lambda n: rotary_positions(I, start=n), "start", 0),
]


@pytest.mark.parametrize(("call", "argument", "least"), WITH_COUNTS)
def test_a_count_is_a_whole_number_and_not_too_small(call, argument, least):
    with pytest.raises(ValueError, match=f"^{argument} is {least - 1}; it needs to be at least {least}"):
        call(least - 1)
    for odd in (1.0, True, "1"):
        with pytest.raises(TypeError, match=f"^{argument} is {odd!r}; it needs a whole number"):
            call(odd)


MASKED = {
    "attention": lambda mask: scaled_dot_product_attention(I, I, I, mask),
    "self-attention": lambda mask: self_attention(I, I, I, I, mask),
    "cross-attention": lambda mask: cross_attention(I, I, I, I, I, mask),
    "a layer": lambda mask: MHA(I, mask=mask),
    "a combination": lambda mask: combine_masks(I, mask),
}


@pytest.mark.parametrize("name", MASKED)
def test_a_mask_holds_true_and_false_or_numbers_to_be_added(name):
    for odd, sentence in [
        (I.astype(int), " has dtype int64; it needs bool (True = may attend) or float (added)"),
        (I * np.nan, " has NaN or +inf; a float mask needs finite numbers or -inf"),
        (np.where(I == 1, np.inf, I), " has NaN or +inf; a float mask needs finite numbers or -inf"),
        ([[True], [True, False]], " has rows of different lengths"),
        (np.ones((3, 3), bool), "to broadcast" if name != "a combination" else "(2, 2), (3, 3) do not broadcast"),
    ]:
        with pytest.raises((ValueError, TypeError)) as error:
            MASKED[name](odd)
        assert str(error.value).startswith("mask") and sentence in str(error.value)
