"""Each exported polarity, held to the library itself.

What is needed is named beside each test. Where a library is not installed the
test is skipped and says so.
"""

import numpy as np
import pytest
from exported_masks import DEAD, MASKS, WITH_DEAD_ROW, D, N, close

from attention_lib import causal_mask, scaled_dot_product_attention
from attention_lib.analysis.mask_export import (
    TARGETS,
    export_code,
    for_hugging_face,
    for_torch_multihead_attention,
    for_torch_sdpa,
)

TORCH = "torch is not installed (tested with torch 2.13.0)"
ONNX = "onnx is not installed (tested with onnx 1.23.2)"
ONNXRUNTIME = "onnxruntime is not installed (tested with onnxruntime 1.31.1)"


@pytest.fixture
def QKV():
    return np.random.default_rng(0).standard_normal((3, N, D)).astype(np.float32)


@pytest.fixture(params=MASKS, ids=list(MASKS))
def mask(request):
    return MASKS[request.param]


# -- PyTorch, scaled_dot_product_attention ------------------------------------------------------


def torch_sdpa(QKV, mask):
    torch = pytest.importorskip("torch", reason=TORCH)
    Q, K, V = torch.from_numpy(QKV)
    return torch.nn.functional.scaled_dot_product_attention(Q, K, V, attn_mask=torch.from_numpy(mask)).numpy()


def test_torch_sdpa_reads_the_mask_as_we_do(QKV, mask):
    expected = scaled_dot_product_attention(*QKV, mask).output
    close(torch_sdpa(QKV, for_torch_sdpa(mask)), expected)
    assert np.abs(torch_sdpa(QKV, for_torch_multihead_attention(mask)) - expected).max() > 0.1  # the opposite fails


def test_torch_sdpa_dead_row_is_zero(QKV):
    output = torch_sdpa(QKV, for_torch_sdpa(WITH_DEAD_ROW))
    assert TARGETS["torch_sdpa"].dead_row.startswith("output 0")
    assert (output[DEAD] == 0).all()
    close(output, scaled_dot_product_attention(*QKV, WITH_DEAD_ROW).output)


# -- PyTorch, nn.MultiheadAttention -------------------------------------------------------------


def torch_mha(QKV, mask, need_weights=True):
    """One head whose projections are the identity, so that Q, K and V go in as they are."""
    torch = pytest.importorskip("torch", reason=TORCH)
    mha = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True)
    with torch.no_grad():
        mha.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
        mha.out_proj.weight.copy_(torch.eye(D))
        output, weights = mha(*torch.from_numpy(QKV), attn_mask=torch.from_numpy(mask), need_weights=need_weights)
    return output.numpy(), weights if weights is None else weights.numpy()


def test_torch_multihead_attention_wants_the_opposite(QKV, mask):
    trace = scaled_dot_product_attention(*QKV, mask)
    output, weights = torch_mha(QKV, for_torch_multihead_attention(mask))
    close(output, trace.output)
    close(weights, trace.weights)
    assert not np.allclose(torch_mha(QKV, for_torch_sdpa(mask))[0], trace.output, atol=0.1)


def test_torch_multihead_attention_dead_row(QKV):
    blocked = for_torch_multihead_attention(WITH_DEAD_ROW)
    expected = scaled_dot_product_attention(*QKV, WITH_DEAD_ROW).output
    output, weights = torch_mha(QKV, blocked)
    assert np.isnan(output[DEAD]).all() and np.isnan(weights[DEAD]).all()
    close(np.delete(output, DEAD, axis=0), np.delete(expected, DEAD, axis=0))
    close(torch_mha(QKV, blocked, need_weights=False)[0], expected)
    assert "NaN" in TARGETS["torch_multihead_attention"].dead_row


# -- ONNX ---------------------------------------------------------------------------------------


def onnx_model(opset):
    onnx = pytest.importorskip("onnx", reason=ONNX)
    helper, kinds = onnx.helper, onnx.TensorProto
    node = helper.make_node("Attention", ["Q", "K", "V", "attn_mask"], ["Y"])
    inputs = [helper.make_tensor_value_info(name, kinds.FLOAT, None) for name in "QKV"]
    inputs.append(helper.make_tensor_value_info("attn_mask", kinds.BOOL, None))
    outputs = [helper.make_tensor_value_info("Y", kinds.FLOAT, None)]
    graph = helper.make_graph([node], "attention", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11)


def onnx_reference(opset):
    reference = pytest.importorskip("onnx.reference", reason=ONNX)
    return reference.ReferenceEvaluator(onnx_model(opset))


def onnx_runtime(opset):
    onnxruntime = pytest.importorskip("onnxruntime", reason=ONNXRUNTIME)
    model = onnx_model(opset).SerializeToString()
    return onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])


ENGINES = pytest.mark.parametrize("engine", [onnx_reference, onnx_runtime])


def run_onnx(session, QKV, mask):
    Q, K, V = QKV[:, None, None]  # (1, 1, n, d)
    return session.run(None, {"Q": Q, "K": K, "V": V, "attn_mask": mask})[0][0, 0]


@ENGINES
@pytest.mark.parametrize("opset", [23, 24])
def test_onnx_attention_reads_the_mask_as_we_do(QKV, mask, engine, opset):
    session = engine(opset)
    expected = scaled_dot_product_attention(*QKV, mask).output
    close(run_onnx(session, QKV, TARGETS["onnx_attention"].convert(mask)), expected)
    assert not np.allclose(run_onnx(session, QKV, ~mask), expected, atol=0.1)


@ENGINES
def test_onnx_attention_dead_row_is_zero(QKV, engine):
    output = run_onnx(engine(23), QKV, TARGETS["onnx_attention"].convert(WITH_DEAD_ROW))
    assert (output[DEAD] == 0).all() and TARGETS["onnx_attention"].dead_row.startswith("output 0")


# -- the text to paste --------------------------------------------------------------------------


def run_code(target, mask, **names):
    exec(export_code(target, mask), names)
    return names


def test_torch_sdpa_code_runs(QKV, mask):
    torch = pytest.importorskip("torch", reason=TORCH)
    Q, K, V = torch.from_numpy(QKV)
    names = run_code("torch_sdpa", mask, Q=Q, K=K, V=V)
    close(names["output"], scaled_dot_product_attention(*QKV, mask).output)
    assert (names["mask"].numpy() == for_torch_sdpa(mask)).all()


def test_torch_multihead_attention_code_runs(mask):
    torch = pytest.importorskip("torch", reason=TORCH)
    torch.manual_seed(0)
    mha = torch.nn.MultiheadAttention(D, 1, batch_first=True)
    with torch.no_grad():
        names = run_code("torch_multihead_attention", mask, X=torch.randn(N, D), mha=mha)
    assert (names["blocked"].numpy() == for_torch_multihead_attention(mask)).all()
    assert ((names["weights"].numpy() > 0) == mask).all()  # weight exactly where attending is allowed


def test_hugging_face_code_runs(mask):
    pytest.importorskip("torch", reason=TORCH)
    names = run_code("hugging_face", mask, X=None, model=lambda **inputs: inputs)
    assert (names["attention_mask"].numpy() == for_hugging_face(mask)).all()


def test_onnx_code_runs(QKV, mask):
    Q, K, V = QKV[:, None, None]
    names = run_code("onnx_attention", mask, Q=Q, K=K, V=V, session=onnx_reference(23))
    close(names["output"][0, 0], scaled_dot_product_attention(*QKV, mask).output)


# -- without any other library ------------------------------------------------------------------


def test_the_four_polarities_of_one_small_mask():
    mask = np.array([[True, False], [True, True]])
    lowest = np.finfo(np.float32).min
    assert (for_torch_sdpa(mask) == mask).all() and (TARGETS["onnx_attention"].convert(mask) == mask).all()
    assert (for_torch_multihead_attention(mask) == [[False, True], [False, False]]).all()
    assert (for_hugging_face(mask) == [[[[0, lowest], [0, 0]]]]).all()
    assert for_hugging_face(mask, np.float64)[0, 0, 0, 1] == np.finfo(np.float64).min


def test_exports_are_copies():
    mask = causal_mask(3).copy()
    for target in TARGETS.values():
        exported = target.convert(mask)
        exported[...] = 0
    assert (mask == causal_mask(3)).all()


@pytest.mark.parametrize("target", TARGETS)
def test_odd_masks_are_refused(target):
    with pytest.raises(TypeError, match=r"mask has dtype float64; it needs bool"):
        TARGETS[target].convert(np.zeros((2, 2)))
    with pytest.raises(ValueError, match=r"mask has shape \(2,\); it needs \(n_queries, n_keys\)"):
        TARGETS[target].convert([True, False])
    with pytest.raises(TypeError, match="needs bool"):
        export_code(target, [[1, 0]])


def test_unknown_target_and_dtype_are_refused():
    with pytest.raises(ValueError, match="target is 'jax'; it needs one of torch_sdpa"):
        export_code("jax", causal_mask(2))
    with pytest.raises(TypeError, match="dtype is int64; it needs a float type"):
        for_hugging_face(causal_mask(2), np.int64)
