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
    ],
)  # fmt: skip
def test_it_says_what_was_done(name, body, mistake, words):
    result = said(name, body)
    assert result.mistake == mistake
    assert words in result.message


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
