"""What other libraries read a mask as, as notebook 03 says it, held to the library itself.

Where a library is not installed the test is skipped and says so.
"""

import numpy as np
import pytest
from exported_masks import DEAD, MASKS, WITH_DEAD_ROW, D, N, close

from attention_lib import scaled_dot_product_attention

TORCH = "torch is not installed (tested with torch 2.13.0)"
ONNX = "onnx is not installed (tested with onnx 1.23.2)"
ONNXRUNTIME = "onnxruntime is not installed (tested with onnxruntime 1.31.1)"


@pytest.fixture
def QKV():
    return np.random.default_rng(0).standard_normal((3, N, D)).astype(np.float32)


@pytest.fixture(params=MASKS, ids=list(MASKS))
def mask(request):
    return MASKS[request.param]


def torch_sdpa(QKV, mask):
    torch = pytest.importorskip("torch", reason=TORCH)
    Q, K, V = torch.from_numpy(QKV)
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.from_numpy(mask)).numpy()


def test_torch_sdpa_reads_the_mask_as_we_do(QKV, mask):
    expected = scaled_dot_product_attention(*QKV, mask).output
    close(torch_sdpa(QKV, mask), expected)
    assert np.abs(torch_sdpa(QKV, ~mask) - expected).max() > 0.1  # the opposite fails


def torch_mha():
    """One head whose projections are the identity, so that Q, K and V go in as they are."""
    torch = pytest.importorskip("torch", reason=TORCH)
    mha = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True).requires_grad_(False)
    mha.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
    mha.out_proj.weight.copy_(torch.eye(D))

    def run(QKV, mask, **options):
        output, weights = mha(*torch.from_numpy(QKV), attn_mask=torch.from_numpy(mask), **options)
        return output.numpy(), weights if weights is None else weights.numpy()

    return run


def test_torch_multihead_attention_wants_the_opposite(QKV, mask):
    trace = scaled_dot_product_attention(*QKV, mask)
    output, weights = torch_mha()(QKV, ~mask)
    close(output, trace.output)
    close(weights, trace.weights)
    assert not np.allclose(torch_mha()(QKV, mask)[0], trace.output, atol=0.1)


def test_torch_multihead_attention_dead_row(QKV):
    blocked = ~WITH_DEAD_ROW
    expected = scaled_dot_product_attention(*QKV, WITH_DEAD_ROW).output
    output, weights = torch_mha()(QKV, blocked)
    assert np.isnan(output[DEAD]).all() and np.isnan(weights[DEAD]).all()
    close(np.delete(output, DEAD, axis=0), np.delete(expected, DEAD, axis=0))
    close(torch_mha()(QKV, blocked, need_weights=False)[0], expected)


def onnx_model(opset):
    onnx = pytest.importorskip("onnx", reason=ONNX)
    helper, kinds = onnx.helper, onnx.TensorProto
    node = helper.make_node("Attention", ["Q", "K", "V", "attn_mask"], ["Y"])
    inputs = [helper.make_tensor_value_info(name, kinds.FLOAT, None) for name in "QKV"]
    inputs.append(helper.make_tensor_value_info("attn_mask", kinds.BOOL, None))
    outputs = [helper.make_tensor_value_info("Y", kinds.FLOAT, None)]
    graph = helper.make_graph([node], "attention", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)


@pytest.mark.parametrize("opset", [23, 24])
def test_onnx_attention_reads_the_mask_as_we_do(QKV, mask, opset):
    onnxruntime = pytest.importorskip("onnxruntime", reason=ONNXRUNTIME)
    inputs = dict(zip("QKV", QKV[:, None, None]))  # (1, 1, n, d) each
    model = onnx_model(opset).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    expected = scaled_dot_product_attention(*QKV, mask).output

    def run(attn_mask):
        return session.run(None, {**inputs, "attn_mask": attn_mask})[0][0, 0]

    close(run(mask), expected)
    assert not np.allclose(run(~mask), expected, atol=0.1)
    if opset == 23:
        assert (run(WITH_DEAD_ROW)[DEAD] == 0).all()
