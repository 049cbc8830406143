"""Rules that say what an answer is instead: by steps, by other arguments, by the rows in which exp fails."""

import numpy as np
import pytest
from answers import said

from attention_lib.exercises import EXERCISES
from attention_lib.exercises.compare import same_array
from attention_lib.exercises.diagnose import known_outcomes
from attention_lib.exercises.kinds import check_blanks
from attention_lib.exercises.places import place_of
from attention_lib.exercises.rules_by_question import CHANGES, changed
from attention_lib.exercises.rules_by_steps import TABLES
from attention_lib.exercises.rules_of_factors import made_of
from attention_lib.mistakes.said_of_steps import STEP_LINES

STEPS = {
    "mended_score": "score_measures",
    "guess_by_copying": "copy_looks",
    "second_head": "second_attends",
    "turned_pairs": "turns_by",
    "turned_step": "step_turns",
    "previous_token_share": "previous_measures",
    "what_arrives": "arriving_measures",
    "mended_ablation": "ablation_replaces",
    "mended_step": "piece_attends",
    "attend_in_groups": "group_reads",
    "query_gradient": "query_gradient_goes",
    "pad_on_the_left": "left_pads",
    "classifier_gradient": "classifier_goes",
}


def test_every_table_of_steps_is_known_here():
    assert set(STEPS.values()) == set(TABLES)


@pytest.mark.parametrize("name", STEPS)
def test_the_first_way_of_every_step_is_the_right_one(name):
    steps, play = TABLES[STEPS[name]]
    first = {step: next(iter(ways.values())) for step, ways in steps.items()}
    known = known_outcomes(name)
    for case, needed in zip(known.cases, known.expected):
        made = play(*case.arguments, **first)
        parts = made if isinstance(made, tuple) else (made,)
        assert all(same_array(np.asarray(part), right) for part, right in zip(parts, needed.parts))


@pytest.mark.parametrize("name", STEPS)
def test_each_step_has_a_line_with_what_is_asked(name):
    lines = STEP_LINES[STEPS[name]]
    assert set(lines) == set(TABLES[STEPS[name]][0])
    assert all("{way}" in line and "{right}" in line for line in lines.values())


def test_what_differs_is_said_and_nothing_else():
    body = "kept = head_outputs.copy()\n    kept[head] = head_outputs[head].sum(axis=0)\n"
    message = said("mended_ablation", body + "    return np.concatenate(list(kept), axis=-1) @ W_O").message
    assert message.endswith("By: its own sum over the tokens; asked: its own mean over the tokens.")
    assert "In every case" in message


def test_a_way_that_gives_the_right_cases_too_goes_before_one_that_gives_only_the_wrong_ones():
    body = EXERCISES["mended_score"].solution.strip().split("\n    ", 1)[1].replace("np.tri(n,", "np.tri(n, k=-1,")
    message = said("mended_score", body).message
    assert "Keys that count: before the place of the query; asked: up to the place of the query." in message
    assert "In every case" in message


def test_each_change_of_an_argument_has_words():
    made = changed((np.ones((2, 3)), np.ones((2, 3), dtype=bool), 3, 0.5), ("X", "mask", "n", "step"))
    assert {way for _, way, axis in made if axis >= 0} <= set(CHANGES)


@pytest.mark.parametrize(
    ("name", "body", "mistake"),
    [
        ("mended_mask", "mask = mask.T\n    s = np.where(mask, Q @ K.T / Q.shape[1] ** 0.5, -np.inf)\n"
         "    e = np.exp(s - s.max(1, keepdims=True))\n    return e / e.sum(1, keepdims=True) @ V", "another_question"),
        ("scale_scores", "return np.sqrt(d_k)", "no_say"),
        ("divisor_of", "return 2", "same_answer_always"),
        ("divisor_of", "return scores.max() / np.log(weights.max() / weights.min())", "height_has_a_say"),
        ("divisor_of", "return np.ptp(scores) / np.ptp(weights)", "not_by_logarithms"),
        ("divisor_of", "return np.sqrt(np.ptp(scores) / np.ptp(np.log(weights)))", "one_step_more"),
        ("divisor_of", "return np.round(np.ptp(scores) / np.ptp(np.log(weights)) + 0.3)", "on_a_grid"),
        ("divisor_of", "return np.ptp(scores) / np.ptp(np.log2(weights))", "another_base_of_logarithm"),
        ("online_softmax", "for b in blocks:\n        return b.max(), np.exp(b - b.max()).sum()",
         "later_blocks_unread"),
        ("mended_attention", "e = np.exp(Q @ K.T / np.sqrt(K.size))\n    return e / e.sum(1, keepdims=True) @ V",
         "divisor_made_of"),
        ("mended_attention", "e = np.exp(Q @ K.T / 3)\n    return e / e.sum(1, keepdims=True) @ V", "divisor_constant"),
        ("stable_softmax", "e = 2.0 ** (x - x.max(axis, keepdims=True))\n    return e / e.sum(axis, keepdims=True)",
         "exp_of_another_base"),
        ("stable_softmax", "y = x - x.min(axis, keepdims=True)\n    return y / y.sum(axis, keepdims=True)",
         "exp_missing"),
        ("stable_softmax", "e = np.exp(x - np.maximum(x.max(axis, keepdims=True), 0))\n"
         "    return e / e.sum(axis, keepdims=True)", "exps_vanish"),
        ("stable_softmax", "out = np.zeros_like(x)\n    e = np.exp(x - x.max(axis, keepdims=True))\n"
         "    out[...] = e / e.sum(axis, keepdims=True)\n    return out", "whole_part"),
        ("weights_with_dead_rows", "s = np.minimum(scaled_scores, 700)\n    e = np.where(mask, np.exp(s), 0)\n"
         "    t = e.sum(1, keepdims=True)\n    return e / np.where(t == 0, 1, t)", "clipped"),
        ("real_keys", "return np.arange(n_keys) < np.cumsum(lengths)[:, None, None]", "other_counts"),
        ("share_keys", "out = np.zeros((len(K) * n_repeats, *K.shape[1:]))\n    out[::n_repeats] = K\n    return out",
         "left_at_zero"),
        ("share_keys", "return np.repeat(K[:1], n_repeats * len(K), axis=0)", "slices_twice"),
        ("share_keys", "return np.repeat(K, 2, axis=0)", "no_say"),
        ("head_contributions", "h, n, v = head_outputs.shape\n"
         "    return np.stack([head_outputs[i] @ W_O[i:i + v] for i in range(h)])", "W_O_rows_met"),
        ("in_new_order", "return weights[queries][:, keys], output[keys]", "orders_found"),
        ("splits_heads", "assert (split(np.ones((2, 4)), 2).shape == (2, 2, 2), 'shape')", "assert_of_a_tuple"),
    ],
)  # fmt: skip
def test_it_says_what_was_done(name, body, mistake):
    assert said(name, body).mistake == mistake


def test_right_in_one_matrix_is_not_said_where_another_is_right_too():
    needed = np.arange(24.0).reshape(4, 2, 3) + 1
    found = needed.copy()
    found[[1, 3]] = 0
    assert place_of([(found, needed)], right=True) == ""


def test_a_mask_of_one_row_has_no_diagonal():
    needed = np.array([[[True, False, False]]])
    assert "diagonal" not in place_of([(np.array([[[True, True, True]]]), needed)])


def test_a_number_is_made_of_one_size_before_two():
    sizes = [{"d_k": 4.0, "n": 3.0}, {"d_k": 9.0, "n": 5.0}]
    assert made_of([2.0, 3.0], sizes) == "√d_k"
    assert made_of([2.0, 2.5], sizes) == ""


@pytest.mark.parametrize("name", ["attention_between", "mended_attention", "padded_batch"])
def test_there_are_more_keys_than_d_k_and_fewer(name):
    solution = EXERCISES[name].keeps
    assert solution is not None
    more = set()
    for case in known_outcomes(name).cases:
        arguments = dict(zip(EXERCISES[name].argument_names(), case.arguments))
        K = arguments["K"] if "K" in arguments else arguments["context"] @ arguments["W_K"]
        more.add(np.sign(K.shape[-2] - K.shape[-1]))
    assert {-1, 1} <= more


def test_a_shape_as_text_and_a_word_of_ones_own_are_told_so():
    shapes = {name: str(blank.right) for name, blank in EXERCISES["shapes_of_attention"].blanks.items()}
    assert "'(5, 4)' is not it. It is text." in check_blanks(EXERCISES["shapes_of_attention"], shapes).example
    words = {name: "pads" for name in EXERCISES["mask_for"].blanks}
    assert "none of the words to choose from" in check_blanks(EXERCISES["mask_for"], words).example


BOTH_PARTS = "p = np.exp(output @ W_C)\n    p = p / p.sum(axis=1, keepdims=True) - np.eye(W_C.shape[1])[answers]\n    "


def test_all_parts_of_an_answer_are_those_of_the_steps():
    body = EXERCISES["mended_step"].stub.strip().split("\n    ", 1)[1].replace("[K_cache, K]", "[K, K_cache]")
    message = said("mended_step", body.replace("[V_cache, V]", "[V, V_cache]")).message
    assert "Keys and values: the new rows first; asked: the cache first." in message, message
    assert "Allowed: keys up to the row's number, counted from key 0;" in message


@pytest.mark.parametrize(
    ("returned", "divided"),
    [
        ("p @ W_C.T, output.T @ p / len(p)", "for d_W_C alone"),
        ("p @ W_C.T / len(p), output.T @ p", "for d_output alone"),
    ],
)
def test_no_step_of_a_part_that_is_right_is_said(returned, divided):
    message = said("classifier_gradient", f"{BOTH_PARTS}return {returned}").message
    assert message.endswith(f"for this. Divided: {divided}; asked: by the number of sentences."), message


def test_what_the_bug_counted_and_still_counts_is_said():
    body = EXERCISES["mended_score"].stub.strip().split("\n    ", 1)[1]
    body = body.replace("    counted", "    followed[:, 1:] |= followed[:, :-1].copy()\n    counted")
    message = said("mended_score", body).message
    assert (
        "Counted: these keys, and the copies themselves, as in the function with the bug; asked: these keys" in message
    )


@pytest.mark.parametrize("rows", ["range(1, len(weights))", "range(len(weights) - 1)"])
def test_the_main_diagonal_is_known_without_one_end_too(rows):
    assert said("previous_token_share", f"return np.mean([weights[i, i] for i in {rows}])").mistake == "own_token"
