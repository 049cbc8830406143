"""Exported masks and positions, held to transformers: in one file, for it takes five seconds to import."""

import re

import numpy as np
import pytest
from exported_masks import DEAD, MASKS, WITH_DEAD_ROW, D, N, close
from notebook_tools import NOTEBOOKS, read

from attention_lib import (
    causal_mask,
    rotary_positions,
    scaled_dot_product_attention,
)
from attention_lib.examples.minilm import MiniLM, weights_folder
from attention_lib.linear_attention import linear_attention


def for_hugging_face(mask):
    """Return 0 or the lowest finite number, (1, 1, n_queries, n_keys): transformers, masking_utils.py, `eager_mask`."""
    return np.where(mask, 0, np.finfo(np.float32).min).astype(np.float32)[None, None]


TORCH = "torch is not installed (tested with torch 2.13.0)"
TRANSFORMERS = "transformers is not installed (tested with transformers 5.23.0)"


@pytest.fixture
def QKV():
    return np.random.default_rng(0).standard_normal((3, N, D)).astype(np.float32)


@pytest.fixture(params=MASKS, ids=list(MASKS))
def mask(request):
    return MASKS[request.param]


def hugging_face(QKV, additive):
    """The eager attention of transformers' Llama."""
    torch = pytest.importorskip("torch", reason=TORCH)
    llama = pytest.importorskip("transformers.models.llama.modeling_llama", reason=TRANSFORMERS)
    module = torch.nn.Module().eval()
    module.num_key_value_groups = 1
    Q, K, V = torch.from_numpy(QKV)[:, None, None]  # (3, 1, 1, n, d)
    output, weights = llama.eager_attention_forward(module, Q, K, V, torch.from_numpy(additive), scaling=D**-0.5)
    return output[0, :, 0].numpy(), weights[0, 0].numpy()


def test_hugging_face_adds_the_mask(QKV, mask):
    trace = scaled_dot_product_attention(*QKV, mask)
    output, weights = hugging_face(QKV, for_hugging_face(mask))
    close(output, trace.output)
    close(weights, trace.weights)


def test_its_sdpa_backend_takes_true_as_take_part():
    utils = pytest.importorskip("transformers.masking_utils", reason=TRANSFORMERS)
    theirs = utils.sdpa_mask(batch_size=1, q_length=3, kv_length=3, allow_is_causal_skip=False)
    assert np.array_equal(theirs[0, 0].numpy(), causal_mask(3))


def test_hugging_face_dead_row_gives_every_key_the_same_weight(QKV):
    _, weights = hugging_face(QKV, for_hugging_face(WITH_DEAD_ROW))
    assert (weights[DEAD] == np.float32(1) / N).all()


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


@pytest.mark.skipif(weights_folder() is None, reason="the model's weights are not installed")
def test_the_model_of_notebook_07_is_the_bert_of_transformers():
    torch = pytest.importorskip("torch", reason=TORCH)
    transformers = pytest.importorskip("transformers", reason=TRANSFORMERS)
    model = MiniLM()
    n_words = len(model.parts["embeddings.word_embeddings.weight"])
    sizes = dict(vocab_size=n_words, hidden_size=384, num_hidden_layers=6, num_attention_heads=12)
    config = transformers.BertConfig(**sizes, intermediate_size=1536, attn_implementation="eager")
    bert = transformers.BertModel(config).eval()
    bert.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in model.parts.items()}, strict=False)
    run = model.run("The paper was rejected because it was poorly written")
    ids = torch.tensor([model._encode("The paper was rejected because it was poorly written").ids])
    with torch.no_grad():
        found = bert(ids, output_hidden_states=True, output_attentions=True)
    np.testing.assert_allclose(run.hidden, np.concatenate(found.hidden_states), atol=1e-4)
    np.testing.assert_allclose(run.stacked("weights"), np.concatenate(found.attentions), atol=1e-5)
