"""The backward pass, held to slopes that are measured, and to PyTorch where it is installed."""

import numpy as np
import pytest
from _profiles import close, matrices, repeatable
from hypothesis import given

from attention_lib import causal_mask, scaled_dot_product_attention, self_attention, softmax
from attention_lib.training.gradients import (
    attention_backward,
    finite_differences,
    projection_backward,
    softmax_backward,
)


def draw(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def near(actual, measured):
    np.testing.assert_allclose(actual, measured, rtol=1e-6, atol=1e-8)


@repeatable
@given(matrices(3, 4), matrices(3, 4))
def test_softmax_backward_is_the_measured_slope(scores, d_weights):
    measured = finite_differences(lambda x: float((softmax(x) * d_weights).sum()), scores)
    near(softmax_backward(softmax(scores), d_weights), measured)


MASKS = {"none": None, "causal": causal_mask(3, 4), "dead row": np.arange(3)[:, None] > 0, "float": draw(3, 4, seed=9)}


@pytest.mark.parametrize("scale", [None, 1.0, 0.3])
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())
def test_attention_backward_is_the_measured_slope(mask, scale):
    given_ = {"Q": draw(3, 2), "K": draw(4, 2, seed=1), "V": draw(4, 5, seed=2)}
    d_output = draw(3, 5, seed=3)

    def loss(**changed):
        trace = scaled_dot_product_attention(**(given_ | changed), mask=mask, scale=scale)
        return float((trace.output * d_output).sum())

    found = attention_backward(scaled_dot_product_attention(**given_, mask=mask, scale=scale), d_output, scale=scale)
    for name, array in given_.items():
        near(getattr(found, name), finite_differences(lambda x, name=name: loss(**{name: x}), array))


@pytest.mark.parametrize("leading", [((2,), ()), ((2, 1), (3,)), ((2, 3), (1, 3))])
def test_what_is_broadcast_adds_up(leading):
    of_Q, of_K = leading
    given_ = {"Q": draw(*of_Q, 2, 3), "K": draw(*of_K, 4, 3, seed=1), "V": draw(*of_K, 4, 2, seed=2)}
    trace = scaled_dot_product_attention(**given_)
    d_output = draw(*trace.output.shape, seed=3)
    found = attention_backward(trace, d_output)
    for name, array in given_.items():
        assert getattr(found, name).shape == array.shape

        def loss(x, name=name):
            return float((scaled_dot_product_attention(**(given_ | {name: x})).output * d_output).sum())

        near(getattr(found, name), finite_differences(loss, array))


def test_the_whole_chain_agrees_with_pytorch():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: pip install -e '.[oracles]'")
    X, d_output = draw(2, 3, 6, 4), draw(2, 3, 6, 3, seed=4)
    Ws = [draw(4, 5, seed=1), draw(4, 5, seed=2), draw(4, 3, seed=3)]
    back = attention_backward(self_attention(X, *Ws), d_output)
    parts = [projection_backward(X, W, d) for W, d in zip(Ws, (back.Q, back.K, back.V))]
    t_X, *t_Ws = (torch.tensor(array, requires_grad=True) for array in (X, *Ws))
    q, k, v = (t_X @ W for W in t_Ws)
    torch.nn.functional.scaled_dot_product_attention(q, k, v).backward(torch.tensor(d_output))
    close(sum(part.X for part in parts), t_X.grad.numpy())
    for part, t_W in zip(parts, t_Ws):
        close(part.W, t_W.grad.numpy())
