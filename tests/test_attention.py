import re
import subprocess
import sys

import numpy as np
import oracle
import pytest
from _profiles import attention_inputs, close, matrices, repeatable, sizes
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from attention_lib import cross_attention, scaled_dot_product_attention, self_attention, softmax

pytestmark = pytest.mark.filterwarnings("error")  # no numpy warning may reach a learner

STEPS = ["scores", "scaled_scores", "masked_scores", "weights", "output"]


def check_steps(trace, expected):
    for name in STEPS:
        close(getattr(trace, name), expected[name])


@repeatable
@given(matrices(3, 4, largest=50))
def test_softmax_equals_the_oracle_along_either_axis(x):
    close(softmax(x), [oracle.softmax(row) for row in x.tolist()])
    close(softmax(x, axis=0), oracle.transpose([oracle.softmax(row) for row in x.T.tolist()]))


def test_softmax_takes_large_scores_and_the_largest_float():
    assert softmax([1e4, 1e4 - 1]).round(3).tolist() == [0.731, 0.269]
    largest = np.finfo(float).max
    assert softmax([largest, -largest, largest]).tolist() == [0.5, 0, 0.5]
    assert softmax([-largest, -largest]).tolist() == [0.5, 0.5]


def test_softmax_of_a_dead_row_is_zero_and_leaves_the_others_alone():
    inf = np.inf
    assert softmax([[-inf, -inf], [0, -inf], [0, 0]]).tolist() == [[0, 0], [1, 0], [0.5, 0.5]]
    assert softmax(np.zeros((2, 0))).shape == (2, 0)


def test_softmax_of_float16_is_rounded_once_at_the_end():
    x = np.linspace(-3, 3, 200).astype(np.float16)
    half_a_step = np.finfo(np.float16).eps / 2
    np.testing.assert_allclose(softmax(x), softmax(x.astype(float)), rtol=1.05 * half_a_step, atol=6e-8)


@repeatable
@given(attention_inputs(), st.data())
def test_attention_equals_the_oracle(inputs, data):
    Q, K, V = inputs
    shape = len(Q), len(K)
    mask = data.draw(
        st.none() | arrays(bool, shape) | arrays(float, shape, elements=st.floats(-5, 5) | st.just(-np.inf))
    )
    is_causal = data.draw(st.booleans())
    scale = data.draw(st.none() | st.floats(-2, 2))
    trace = scaled_dot_product_attention(Q, K, V, mask, is_causal=is_causal, scale=scale)
    allowed = mask if mask is not None and mask.dtype == bool else np.ones(shape, bool)
    added = mask.tolist() if mask is not None and mask.dtype == float else None
    if is_causal:
        allowed = allowed & oracle.window(*shape, None, 0)
    check_steps(trace, oracle.attention(Q.tolist(), K.tolist(), V.tolist(), allowed.tolist(), added, scale))


@pytest.mark.parametrize("mask", [None, np.eye(3)])
def test_self_attention_is_attention_of_its_projections(mask):
    X, W_Q, W_K, W_V = np.random.default_rng(0).standard_normal((4, 3, 3))
    options = {"scale": 0.25} if mask is None else {"scale": 0.25, "is_causal": True}
    trace = self_attention(X, W_Q, W_K, W_V, mask, **options)
    again = scaled_dot_product_attention(X @ W_Q, X @ W_K, X @ W_V, mask, **options)
    assert mask is not None or (trace.weights > 0).all()
    for (_, one), (_, other) in zip(trace.steps(), again.steps()):
        close(one, other)


@repeatable
@given(st.data(), sizes, sizes, sizes, sizes, sizes, sizes)
def test_cross_attention_equals_the_oracle(data, n_queries, n_keys, d_model, d_context, d_k, d_v):
    X, context = data.draw(matrices(n_queries, d_model)), data.draw(matrices(n_keys, d_context))
    W_Q, W_K = data.draw(matrices(d_model, d_k)), data.draw(matrices(d_context, d_k))
    W_V = data.draw(matrices(d_context, d_v))
    mask = data.draw(arrays(bool, (n_queries, n_keys)))
    Q = oracle.matmul(X.tolist(), W_Q.tolist())
    K, V = oracle.matmul(context.tolist(), W_K.tolist()), oracle.matmul(context.tolist(), W_V.tolist())
    trace = cross_attention(X, context, W_Q, W_K, W_V, mask, scale=0.5)
    close(trace.Q, Q)
    close(trace.K, K)
    close(trace.V, V)
    check_steps(trace, oracle.attention(Q, K, V, mask.tolist(), scale=0.5))


@repeatable
@given(st.data())
def test_scores_of_ten_thousand_stay_finite(data):
    for dtype, largest in ((np.float16, 100), (np.float32, 1e4), (np.float64, 1e4)):
        Q, K = data.draw(matrices(2, 2, dtype=dtype)), data.draw(matrices(3, 2, dtype=dtype))
        Q[0], K[0] = largest, largest / 2  # a score of 1e4 in float16
        trace = scaled_dot_product_attention(Q, K, K, is_causal=True)
        assert trace.scores.max() >= 1e4
        for name, array in trace.steps():
            assert array.dtype == dtype
            assert name == "masked_scores" or np.isfinite(array).all()
        np.testing.assert_allclose(trace.weights.sum(axis=-1, dtype=float), 1, atol=4 * np.finfo(dtype).eps)


def test_float16_products_are_added_up_in_float32():
    ones = np.ones((1, 4096), np.float16)
    assert scaled_dot_product_attention(ones, ones, ones).scores == 4096  # float16 alone stops at 2048


def test_no_queries_or_no_keys_is_an_empty_attention():
    assert scaled_dot_product_attention(np.ones((0, 2)), np.ones((3, 2)), np.ones((3, 4))).output.shape == (0, 4)
    trace = scaled_dot_product_attention(np.ones((2, 2)), np.ones((0, 2)), np.ones((0, 4)), is_causal=True)
    assert trace.output.tolist() == np.zeros((2, 4)).tolist()


def test_a_float_mask_of_large_negative_numbers_forbids_in_float16_too():
    ones = np.ones((2, 1), np.float16)
    assert scaled_dot_product_attention(ones, ones, ones, [[0.0, -1e9]]).weights.tolist() == [[1, 0], [1, 0]]


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize(
    ("n_queries", "n_keys", "dtype"), [(0, 3, np.float64), (1, 3, np.float16), (5, 300, np.float32)]
)
def test_a_number_that_is_not_finite_is_named_even_where_nothing_reads_it(n_queries, n_keys, dtype, odd):
    """The products are what is looked at first, so 0 * inf must not be lost in them, nor behind a mask."""
    for name in "QKV" if n_queries else "KV":
        arrays = {each: np.zeros((n_queries if each == "Q" else n_keys, 70), dtype) for each in "QKV"}
        arrays[name][-1, -1] = odd
        mask = np.arange(n_keys) < n_keys - 1  # the last key has weight 0
        with pytest.raises(ValueError, match=re.escape(f"{name} has {odd} at [{len(arrays[name]) - 1}, 69]; it needs")):
            scaled_dot_product_attention(**arrays, mask=mask)


def test_import_loads_numpy_and_nothing_heavier():
    code = (
        "import sys; before = set(sys.modules); import attention_lib;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {"attention_lib", "numpy"}
