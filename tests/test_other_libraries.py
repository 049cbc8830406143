"""What other libraries make of a mask, as notebook 03 says it, of positions and of models, held to the libraries.

In one file, for transformers takes five seconds to import. What is not installed is skipped and says so.
"""

import re

import numpy as np
import pytest
from notebook_tools import NOTEBOOKS, read

from attention_lib import causal_mask, rotary_positions, scaled_dot_product_attention, sliding_window_mask
from attention_lib.linear_attention import linear_attention

TORCH = "torch is not installed (tested with torch 2.13.0)"
TRANSFORMERS = "transformers is not installed (tested with transformers 5.23.0)"
ONNX = "onnx is not installed (tested with onnx 1.23.2)"
ONNXRUNTIME = "onnxruntime is not installed (tested with onnxruntime 1.31.1)"
N, D = 6, 4
QKV = np.random.default_rng(0).standard_normal((3, N, D)).astype(np.float32)
MASKS = {
    "causal": causal_mask(N),
    "window": sliding_window_mask(N, left=1, right=2),
    "holes": np.random.default_rng(3).random((N, N)) < 0.5,
}
MASKS["holes"][:, 0] = True  # no dead row
DEAD = 2  # the row that `WITH_DEAD_ROW` leaves without a key
WITH_DEAD_ROW = causal_mask(N).copy()
WITH_DEAD_ROW[DEAD] = False
of_each_kind = pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS.keys())


def close(actual, expected):
    np.testing.assert_allclose(actual, expected, atol=2e-6)


@of_each_kind
def test_torch_sdpa_reads_the_mask_as_we_do(mask):
    torch = pytest.importorskip("torch", reason=TORCH)
    expected = scaled_dot_product_attention(*QKV, mask).output
    theirs, opposite = (
        torch.nn.functional.scaled_dot_product_attention(*torch.from_numpy(QKV), attn_mask=torch.from_numpy(given))
        for given in (mask, ~mask)
    )
    close(theirs, expected)
    assert np.abs(opposite.numpy() - expected).max() > 0.1


def torch_mha(mask, **options):
    """One head whose projections are the identity, so that Q, K and V go in as they are."""
    torch = pytest.importorskip("torch", reason=TORCH)
    mha = torch.nn.MultiheadAttention(D, 1, bias=False, batch_first=True).requires_grad_(False)
    mha.in_proj_weight.copy_(torch.eye(D).repeat(3, 1))
    mha.out_proj.weight.copy_(torch.eye(D))
    return mha(*torch.from_numpy(QKV), attn_mask=torch.from_numpy(mask), **options)


@of_each_kind
def test_torch_multihead_attention_wants_the_opposite(mask):
    trace = scaled_dot_product_attention(*QKV, mask)
    output, weights = torch_mha(~mask)
    close(output, trace.output)
    close(weights, trace.weights)
    assert not np.allclose(torch_mha(mask)[0], trace.output, atol=0.1)


def test_torch_multihead_attention_dead_row():
    expected = scaled_dot_product_attention(*QKV, WITH_DEAD_ROW).output
    output, weights = (each.numpy() for each in torch_mha(~WITH_DEAD_ROW))
    assert np.isnan(output[DEAD]).all() and np.isnan(weights[DEAD]).all()
    close(np.delete(output, DEAD, axis=0), np.delete(expected, DEAD, axis=0))
    close(torch_mha(~WITH_DEAD_ROW, need_weights=False)[0], expected)


ATTENTION = """<ir_version: 11, opset_import: ["": 23]> one_node (
    float[b, h, n, d] Q, float[b, h, n, d] K, float[b, h, n, d] V, bool[n, n] mask
) => (float[b, h, n, d] Y) { Y = Attention(Q, K, V, mask) }"""


@of_each_kind
def test_onnx_attention_reads_the_mask_as_we_do_and_gives_0_in_a_dead_row(mask):
    onnx = pytest.importorskip("onnx", reason=ONNX)
    onnxruntime = pytest.importorskip("onnxruntime", reason=ONNXRUNTIME)
    model = onnx.parser.parse_model(ATTENTION).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    given = dict(zip("QKV", QKV[:, None, None]))  # (1, 1, n, d) each
    run = [session.run(None, {**given, "mask": each})[0][0, 0] for each in (mask, ~mask, WITH_DEAD_ROW)]
    expected = scaled_dot_product_attention(*QKV, mask).output
    close(run[0], expected)
    assert not np.allclose(run[1], expected, atol=0.1) and not run[2][DEAD].any()


def hugging_face(mask):
    """The eager attention of transformers' Llama, given 0 or the lowest number, as masking_utils.py, `eager_mask`."""
    torch = pytest.importorskip("torch", reason=TORCH)
    llama = pytest.importorskip("transformers.models.llama.modeling_llama", reason=TRANSFORMERS)
    module = torch.nn.Module().eval()
    module.num_key_value_groups = 1
    Q, K, V = torch.from_numpy(QKV)[:, None, None]  # (3, 1, 1, n, d)
    added = np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32)[None, None]
    output, weights = llama.eager_attention_forward(module, Q, K, V, torch.from_numpy(added), scaling=D**-0.5)
    return output[0, :, 0], weights[0, 0]


@of_each_kind
def test_hugging_face_adds_the_mask(mask):
    trace = scaled_dot_product_attention(*QKV, mask)
    output, weights = hugging_face(mask)
    close(output, trace.output)
    close(weights, trace.weights)


def test_its_sdpa_backend_takes_true_as_take_part():
    utils = pytest.importorskip("transformers.masking_utils", reason=TRANSFORMERS)
    theirs = utils.sdpa_mask(batch_size=1, q_length=3, kv_length=3, allow_is_causal_skip=False)
    assert np.array_equal(theirs[0, 0].numpy(), causal_mask(3))


def test_hugging_face_dead_row_gives_every_key_the_same_weight():
    assert (hugging_face(WITH_DEAD_ROW)[1][DEAD].numpy() == np.float32(1) / N).all()


def test_rotary_positions_equal_those_of_llama_once_its_columns_are_paired():
    """As published on Hugging Face, Llama pairs column i with column i + d/2."""
    torch = pytest.importorskip("torch", reason=TORCH)
    llama = pytest.importorskip("transformers.models.llama.modeling_llama", reason=TRANSFORMERS)
    config = llama.LlamaConfig(
        hidden_size=16, num_attention_heads=2, rope_parameters={"rope_type": "default", "rope_theta": 500.0}
    )
    Q, K = np.random.default_rng(0).standard_normal((2, 1, 2, 6, 8)).astype(np.float32)  # (batch, heads, tokens, d)
    positions = torch.arange(4, 10)[None]
    cos, sin = llama.LlamaRotaryEmbedding(config)(torch.from_numpy(Q), positions)
    theirs = llama.apply_rotary_pos_emb(torch.from_numpy(Q), torch.from_numpy(K), cos, sin)
    order = np.arange(8).reshape(2, 4).T.ravel()  # 0, 4, 1, 5, …: what they pair, side by side
    for ours, their in zip((Q, K), theirs, strict=True):
        turned = rotary_positions(ours[..., order], start=4, base=500)
        np.testing.assert_allclose(turned, their.numpy()[..., order], atol=2e-6)


def test_without_eager_attention_there_is_no_map(capsys):
    """The lines of notebook 07 print what stands behind them."""
    pytest.importorskip("torch", reason=TORCH)
    pytest.importorskip("transformers", reason=TRANSFORMERS)
    cells = read(NOTEBOOKS / "07_trained_attention.ipynb").cells
    said = next(cell.source for cell in cells if cell.id == "no-map-say")
    code = re.search(r"```python\n(.*?)```", said, re.DOTALL)[1]
    exec(code, {})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print.*  # (.*)$", code, re.MULTILINE)


def test_the_gated_delta_rule_equals_that_of_qwen3_next():
    torch = pytest.importorskip("torch", reason=TORCH)
    qwen = pytest.importorskip("transformers.models.qwen3_next.modeling_qwen3_next", reason=TRANSFORMERS)
    rng = np.random.default_rng(0)
    Q, K = rng.standard_normal((2, 2, 3, 9, 4)).astype(np.float32)  # (batch, heads, tokens, d_k)
    K /= np.linalg.norm(K, axis=-1, keepdims=True)
    V = rng.standard_normal((2, 3, 9, 5)).astype(np.float32)
    gate, strength = rng.uniform(0.5, 1, (2, 2, 3, 9)).astype(np.float32)
    rows = [torch.from_numpy(array.swapaxes(1, 2)) for array in (Q, K, V, np.log(gate), strength)]  # heads after tokens
    output, state = qwen.torch_recurrent_gated_delta_rule(*rows, output_final_state=True)
    ours = linear_attention(Q / 2, K, V, gate=gate, strength=strength, overwrite=True)  # theirs divides by sqrt(d_k)
    np.testing.assert_allclose(ours.output, output.numpy().swapaxes(1, 2), atol=2e-6)
    np.testing.assert_allclose(ours.states[:, :, -1], state.numpy(), atol=2e-6)


def test_the_model_of_notebook_07_is_the_bert_of_transformers(model):
    torch = pytest.importorskip("torch", reason=TORCH)
    transformers = pytest.importorskip("transformers", reason=TRANSFORMERS)
    n_words = len(model.parts["embeddings.word_embeddings.weight"])
    sizes = dict(vocab_size=n_words, hidden_size=384, num_hidden_layers=6, num_attention_heads=12)
    config = transformers.BertConfig(**sizes, intermediate_size=1536, attn_implementation="eager")
    bert = transformers.BertModel(config).eval()
    bert.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in model.parts.items()}, strict=False)
    run = model.run("The paper was rejected because it was poorly written")
    ids = torch.tensor([model._tokenizer.encode("The paper was rejected because it was poorly written").ids])
    with torch.no_grad():
        found = bert(ids, output_hidden_states=True, output_attentions=True)
    np.testing.assert_allclose(run.hidden, np.concatenate(found.hidden_states), atol=1e-4)
    np.testing.assert_allclose(run.stacked("weights"), np.concatenate(found.attentions), atol=1e-5)
