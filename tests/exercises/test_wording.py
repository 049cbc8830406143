"""The words of a sentence are those of the task, of the answer, and of the case that is shown."""

import pytest
from answers import said

from attention_lib.exercises.wording import OTHERS
from attention_lib.mistakes.sentences import MISTAKES

TIGHT = "mask = np.arange(K.shape[1]) < np.array(lengths)[:, None, None]\n    "
SECOND = (
    "s = words @ before.transpose(0, 2, 1) / np.sqrt(words.shape[-1])\n"
    "    s = np.where(np.tri(s.shape[-1]), s, -np.inf)\n    "
)
GROUP = (
    "out = []\n    for i in range(len(q)):\n        j = {}\n        e = np.exp(K[j] @ q[i] / np.sqrt(q.shape[1]))\n"
    "        out.append(e / e.sum() @ V[j])\n    return np.array(out)"
)
SAID = [
    ("stable_softmax", "e = np.exp(x - x.max(axis=axis, keepdims=True))\n    return e / e.sum()",
     "softmax_over_everything", "sum along `axis`", "last axis"),
    ("stable_softmax", "e = np.exp(x - x.max(axis=axis, keepdims=True))\n    return e / e.sum(axis=axis)",
     "keepdims_missing", "beside its own slice", "axis=-1"),
    ("stable_softmax", "e = np.exp(x)\n    return e / e.sum(axis=axis, keepdims=True)",
     "softmax_not_stable", "of each slice along `axis`", "row"),
    ("weights_with_dead_rows", "e = np.where(mask, np.exp(scaled_scores - scaled_scores.max(axis=0)), 0)\n"
     "    t = e.sum(axis=0)\n"
     "    return e / np.where(t == 0, 1, t)", "softmax_over_queries", "the last axis of the scores", "Q @ K.T"),
    ("second_head", SECOND + "e = np.exp(s)\n    return e / e.sum(axis=-2, keepdims=True) @ words",
     "softmax_over_queries", "the last axis of the scores", "Q @ K.T"),
    ("mended_attention", "s = Q @ K.T / np.sqrt(Q.shape[-1])\n    e = np.exp(s - s.max())\n"
     "    return e / e.sum(axis=0) @ V", "softmax_over_queries", "the last axis of Q @ K.T", "of the scores"),
    ("scale_scores", "return scores / (d_k / 2)", "half_power", "and not its half", "binds"),
    ("scale_scores", "return scores / (d_k ** 1 / 2)", "half_power", "** binds before /", "its half"),
    ("attention_between", "Q, K, V = X @ W_Q, context @ W_K, context @ W_V\n    s = Q @ K.T / (2 * K.shape[-1])\n"
     "    e = np.exp(s - s.max(axis=1, keepdims=True))\n    return e / e.sum(axis=1, keepdims=True) @ V",
     "divided_by_twice_d_k", "and not its double", "binds"),
    ("second_head", "s = words @ before.transpose(0, 2, 1) / np.sqrt(words.shape[-1])\n    e = np.exp(s)\n"
     "    return e / e.sum(axis=-1, keepdims=True) @ words", "mask_ignored", "behind its own place", "Forbidden"),
    ("read_the_source", "K, V = to_kv(X)\n    e = np.exp(np.array([to_q(x) for x in X]) @ K.T / np.sqrt(K.shape[1]))\n"
     "    return e / e.sum(axis=1, keepdims=True) @ V", "keys_from_X", "come from `source`", "context"),
    ("attend_in_groups", GROUP.format("i % len(K)"), "tiled_instead_of_repeated", "reads key head i // r", "np.tile"),
    ("padded_batch", TIGHT + "e = np.exp(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])) * mask\n"
     "    return e / e.sum(axis=-1, keepdims=True) @ V", "softmax_not_stable", "0 / 0 is nan", "inf"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "body", "mistake", "words", "not_these"), SAID)
def test_a_sentence_has_the_words_of_its_task(name, body, mistake, words, not_these):
    result = said(name, body)
    assert result.mistake == mistake, result.message
    assert words in result.message and not_these not in result.message, result.message


def test_other_words_are_for_mistakes_that_are_known():
    assert {mistake for others, _ in OTHERS for mistake in others} <= set(MISTAKES)


def test_overflow_is_said_where_a_number_overflows():
    body = "e = np.exp(Q @ K.T / np.sqrt(Q.shape[-1]))\n    return e / e.sum(axis=-1, keepdims=True) @ V"
    message = said("mended_largest", body).message
    assert "inf / inf is nan" in message, message


def test_what_is_hidden_by_the_answer_itself_is_not_taken_for_0():
    body = (
        TIGHT
        + "with np.errstate(all='ignore'):\n        e = np.exp(Q @ K.swapaxes(-1, -2) / np.sqrt(Q.shape[-1])) * mask\n"
    )
    message = said("padded_batch", body + "        return e / e.sum(axis=-1, keepdims=True) @ V").message
    assert "inf / inf" in message, message
