"""Rules that look at what runs and what raises, at one thing in place of several, and at rows of weights."""

import pytest
from answers import said

ROWS = "z = logits / temperature\n    e = np.exp(z - z.max(axis=-1, keepdims=True))\n    "
MASKED = "s = Q @ K.T / np.sqrt(Q.shape[1])\n    e = np.exp(s - s.max(axis=1, keepdims=True))\n    "
SHARED = "w = e / e.sum(axis=1, keepdims=True)\n    "
FILLED = "from attention_lib import softmax\n    real = np.arange(K.shape[1]) < lengths[:, None, None]\n    "
FILLED += "s = np.where(real, Q @ K.swapaxes(1, 2) / np.sqrt(Q.shape[-1]), np.inf)\n    "
GROUPED = "K, V = np.repeat(K, 2, axis=0), np.repeat(V, 2, axis=0)\n    s = np.einsum('hd,hnd->hn', q, K)\n    "
GROUPED += "e = np.exp(s / np.sqrt(q.shape[1]))\n    return np.einsum('hn,hnv->hv', e / e.sum(1, keepdims=True), V)"


@pytest.mark.parametrize(
    ("name", "body", "mistake", "words"),
    [
        ("shares_at_temperature", ROWS + "return e / e.sum(axis=-1)", "lined_up_with_columns", "keepdims=True"),
        ("attend_in_groups", GROUPED, "runs_only_where", "`q.shape[0]` is twice `K.shape[0]`"),
        ("in_new_order", "return weights[queries][:, keys]", "one_part_of_several", "position 0"),
        ("mended_mask", MASKED + SHARED + "return w * mask @ V", "mask_after_softmax", ""),
        ("mended_mask", MASKED + "return e * mask @ V", "rows_in_proportion", "a row sums to"),
        ("mended_mask", MASKED + "e = e * np.tri(len(Q))\n    " + SHARED + "return w @ V", "no_say", "`mask`"),
        ("what_arrives", "x = np.linalg.norm(V, axis=-1)\n    return weights * (x / x.sum(-1, keepdims=True))[:, None]",
         "shares_do_not_sum", "must sum to 1"),
        ("pad_on_the_left", "m = np.arange(n) >= (n - lengths)[:, None]\n    m = m[:, None] & np.tri(n, dtype=bool)\n"
         "    return np.where(m, 0.0, -np.inf), np.maximum(np.arange(n) - (n - lengths)[:, None], 0)",
         "scores_for_mask", ""),
        ("scale_scores", "return scores / (d_k ^ (1 / 2))", "caret_for_a_power", "A power is **"),
        ("scale_scores", "return scores / d_k ^ 2", "caret_for_a_power", "A power is **"),
        ("stable_softmax", "import math\n    e = np.vectorize(math.exp)(x)\n    return e / e.sum(axis, keepdims=True)",
         "exp_too_large", "Subtract the largest number first"),
        ("divisor_of", "return np.sqrt(len(scores))", "only_sizes_have_a_say", "in `scores`, `weights` your answer"),
        ("attention_from_embeddings", "e = np.exp(X @ X.T / np.sqrt(W_Q.shape[1]))\n"
         "    return e / e.sum(axis=-1, keepdims=True) @ X", "several_have_no_say", "same: `W_Q`, `W_K`, `W_V`."),
    ],
)  # fmt: skip
def test_it_says_what_was_done(name, body, mistake, words):
    result = said(name, body)
    assert result.mistake == mistake
    assert words in result.message


ONE_BY_ONE = "out = []\n    for q, k, v, n in zip(Q, K, V, lengths):\n        s = q @ k[:n].T / np.sqrt(q.shape[-1])\n"
STABLE = (
    "        e = np.exp(s - s.max(axis=-1, keepdims=True))\n        out.append({} @ v[:n])\n    return np.array(out)"
)
ONE_HEAD = """heads = []
    for i in range(n_heads):
        q, k, v = (X @ W[:, i * W.shape[1] // n_heads : (i + 1) * W.shape[1] // n_heads] for W in (W_Q, W_K, W_V))
        e = np.exp(q @ k.T / np.sqrt(k.shape[1]))
        heads.append(e / e.sum(axis=1, keepdims=True) @ v)
    """


@pytest.mark.parametrize(
    ("name", "body", "words", "not_these"),
    [
        ("padded_batch", ONE_BY_ONE + STABLE.format("e / e.sum(axis=-1)"), "`e.sum(axis=-1)` in", "exchanged"),
        ("padded_batch", ONE_BY_ONE + "        w = np.exp(s)\n        w = w / w.sum(axis=-1)\n"
         "        out.append(w @ v[:n])\n"
         "    return np.array(out)", "as many columns as rows", "exchanged"),
        ("packed_heads", ONE_HEAD + "return sum(heads) @ W_O", "`sum(heads)` is (2, 2) and `W_O` is (4, 4)", "Write"),
        ("packed_heads", ONE_HEAD + "return np.sum(heads, axis=0) @ W_O", "`np.sum(heads, axis=0)` is (2, 2)", "Write"),
    ],
)  # fmt: skip
def test_a_product_that_does_not_fit_has_its_shapes_and_a_hint_that_helps(name, body, words, not_these):
    result = said(name, body)
    assert result.mistake == "product_error"
    assert words in result.message and not_these not in result.message, result.message


def test_a_function_of_the_learners_own_is_not_called_again():
    body = "calls = []\n    def heads(x):\n        calls.append(x)\n        assert len(calls) < 2\n"
    result = said("packed_heads", body + "        return x[:, :1]\n    return heads(X) @ W_O")
    assert "Write both shapes down" in result.message, result.message


def test_an_error_about_numbers_is_not_laid_to_sizes():
    result = said("padded_batch", FILLED + "return softmax(s) @ V")
    assert result.mistake == "softmax_given_nan"
    assert "softmax needs finite numbers or -inf" in str(result)


def test_two_matrices_in_one_array_are_not_two_things():
    body = "m = np.arange(n) >= (n - lengths)[:, None]\n    return m[:, None] & np.tri(n, dtype=bool)"
    result = said("pad_on_the_left", body)
    assert (result.mistake, result.inputs[0].tolist()) == ("one_part_of_several", [2, 3])  # a batch of two


def test_an_entry_of_a_batch_is_no_place():
    body = "found = [[t[i + 1] for i in range(len(t) - 1) if t[i] == t[-1]] for t in ids.tolist()]\n    "
    body += "return np.array([f[-1] if f and f[-1] != t[-1] else -1 for f, t in zip(found, ids.tolist())])"
    assert "a guess that is the last word again" in said("guess_by_copying", body).message
