"""What any right attention keeps, asked of learners' own functions: mistakes that no list holds get a name."""

import re

import numpy as np
import pytest

from attention_lib import scaled_dot_product_attention
from attention_lib.exercises import EXERCISES
from attention_lib.exercises.diagnose import diagnose
from attention_lib.exercises.exercise import compile_function
from attention_lib.exercises.rules_by_running import (
    KEPT,
    Keeps,
    _given,
    _property_not_kept,
    broken_property,
    plain,
    with_mask,
)
from attention_lib.mistakes.properties import OF_ATTENTION, OF_LAYER, Tried, made_up_layer, spread, try_check
from attention_lib.mistakes.recipes import MORE_RECIPES, RECIPES, RIGHT, as_function, attend, multi_head
from attention_lib.mistakes.sentences import MISTAKES

ASKED = [name for name, exercise in EXERCISES.items() if exercise.keeps is not None]
HEAD = "def mended_attention(Q, K, V):\n    scaled = Q @ K.T / np.sqrt(Q.shape[-1])\n"
END = "    exps = np.exp(scaled)\n    return exps / exps.sum(axis=-1, keepdims=True) @ V\n"
STEP = "def mended_step(Q, K, V, K_cache, V_cache):\n    K, V = np.vstack([K_cache, K]), np.vstack([V_cache, V])\n"


def test_the_exercises_that_attend_are_asked():
    assert {"mended_attention", "attention_between", "padded_batch", "mended_step", "packed_heads"} <= set(ASKED)


@pytest.mark.parametrize("name", ASKED)
def test_every_right_answer_keeps_all(name):
    exercise = EXERCISES[name]
    for function in (exercise.reference(), *exercise.others):
        assert broken_property(exercise, function, 5) is None


@pytest.mark.parametrize("name", ASKED)
def test_what_is_kept_can_be_asked_and_has_a_sentence(name):
    keeps = EXERCISES[name].keeps
    assert keeps.names and set(keeps.names) <= set(OF_ATTENTION)
    assert all("{moved}" in MISTAKES["breaks_" + each.replace(" ", "_")].sentence for each in keeps.names)
    right = EXERCISES[name].reference()

    def attend_rightly(Q, K, V, mask):
        answer = EXERCISES[name].play(right, *keeps.arguments(Q, K, V, mask))
        return keeps.answer(answer[0] if isinstance(answer, tuple) else answer)

    Q, K, V, mask = _given(keeps)
    needed = scaled_dot_product_attention(Q, K, V, mask).output
    np.testing.assert_allclose(attend_rightly(Q, K, V, mask), needed)


@pytest.mark.parametrize(
    ("name", "source", "broken"),
    [
        ("mended_attention", HEAD + "    scaled = scaled + 0.1 * np.arange(len(K))\n" + END, "key_order"),
        ("mended_attention", HEAD + "    scaled -= abs(np.subtract.outer(range(len(Q)), range(len(K))))\n" + END,
         "key_order"),
        ("mended_attention", HEAD + "    scaled = (scaled - scaled.mean()) / scaled.std()\n" + END, "one_query"),
        ("mended_attention", HEAD + "    scaled = np.maximum(scaled, 0)\n" + END, "shift"),
        ("mended_attention", HEAD + END.replace("@ V", "@ (V - V.mean(axis=0))"), "row_sums"),
        ("mended_attention", HEAD + "    scaled = scaled + V.sum(axis=-1)\n" + END, "values"),
        ("mended_step", STEP + "    s = Q @ K.T / np.sqrt(Q.shape[1])\n    s = s / abs(s).max()\n"
         "    e = np.where(np.tri(len(Q), len(K), len(K) - len(Q)), np.exp(s), 0)\n"
         "    return e / e.sum(axis=1, keepdims=True) @ V, K, V", "future"),
    ],
    ids=["where a key stands", "how far it stands", "statistics of all", "cut", "values moved", "values in scores",
         "statistics of later words"],
)  # fmt: skip
def test_a_mistake_that_no_list_holds_is_named_by_what_it_breaks(name, source, broken):
    result = diagnose(EXERCISES[name], compile_function(source, name), 5, seed=1)
    assert result.mistake == f"breaks_{broken}", result.message
    assert re.search(r"(moves|off|here) by \d", result.message)


def test_a_known_mistake_keeps_its_own_name():
    exercise = EXERCISES["mended_attention"]
    result = diagnose(exercise, lambda Q, K, V: attend(RECIPES["softmax_over_queries"], Q, K, V), 5, seed=1)
    assert result.mistake == "softmax_over_queries"


@pytest.mark.parametrize(("size", "made"), [("len(Q)", "√n_queries"), ("V.shape[1]", "√d_v")])
def test_another_size_under_the_root_is_said_which(size, made):
    source = HEAD.replace("Q.shape[-1]", size) + END
    result = diagnose(EXERCISES["mended_attention"], compile_function(source, "mended_attention"), 5, seed=1)
    assert result.mistake == "another_size_under_root"
    assert f"scores divided by {made}." in result.message, result.message


@pytest.mark.parametrize("odd", [lambda Q, K, V: None, lambda Q, K, V: V, lambda Q, K, V: Q[9], lambda Q, K, V: "x"])
def test_an_answer_that_cannot_be_asked_gets_no_name_here(odd):
    assert _property_not_kept(EXERCISES["mended_attention"], odd, 5, seed=1) is None


def test_time_is_kept():
    def endless(Q, K, V):
        while True:
            pass

    assert broken_property(EXERCISES["mended_attention"], endless, 0.2) is None


# The checks themselves, on plain functions


def as_layer(recipe):
    return lambda X, W_Q, W_K, W_V, W_O, n_heads: multi_head(recipe, X, W_Q, W_K, W_V, W_O, n_heads)[1]


def test_right_functions_keep_every_check():
    assert all(try_check(name, as_function(RIGHT)).holds for name in [*OF_ATTENTION, "spread"])
    assert all(try_check(name, as_layer(RIGHT)).holds for name in OF_LAYER)


@pytest.mark.parametrize(
    ("mistake", "broken"),
    [
        ("mask_times_zero", {"future", "shift", "dead row"}),
        ("softmax_over_queries", {"row sums", "future", "shift", "one query"}),
        ("softmax_not_stable", {"large scores", "dead row"}),
        ("scaled_by_root_n", {"spread"}),
        ("queries_for_keys", {"key order", "spread"}),
        ("weights_transposed", {"row sums", "future", "one query"}),
        ("finite_fill", {"dead row"}),
    ],
)
def test_each_check_finds_what_breaks_it(mistake, broken):
    function = as_function((RECIPES | MORE_RECIPES)[mistake])
    found = set()
    for name in [*OF_ATTENTION, "spread"]:
        try:
            found |= set() if try_check(name, function).holds else {name}
        except ValueError:  # the product does not exist
            found |= {name}
    assert found >= broken and not found & ({"values"} | {"spread", "large scores"} - broken)


@pytest.mark.parametrize(("mistake", "broken"), [("no_W_O", "W_O"), ("heads_averaged", "heads apart")])
def test_checks_of_heads(mistake, broken):
    layer = as_layer(RECIPES[mistake])
    if mistake == "no_W_O":  # its shape shows it too, where h * d_v is not d_model
        layer = lambda X, W_Q, W_K, W_V, W_O, h: multi_head(RECIPES[mistake], X, W_Q, W_K, W_V, W_O, h)[1][:, :7]  # noqa: E731
    assert [name for name in OF_LAYER if not try_check(name, layer).holds] == [broken]


def test_values_that_enter_the_weights_are_found():
    X, _, _, W_V, W_O, n_heads = made_up_layer()
    exchanged = lambda X, W_Q, W_K, W_V, W_O, h: multi_head(RIGHT, X, W_Q, W_V, W_K, W_O, h)[1]  # noqa: E731
    assert OF_LAYER["values"](exchanged, X, W_V[::-1], -W_V, W_V, W_O, n_heads) > 0.1
    assert OF_LAYER["values"](as_layer(RIGHT), X, W_V[::-1], -W_V, W_V, W_O, n_heads) < 1e-9


def test_a_verdict_says_what_was_seen():
    assert repr(Tried("row sums", 0.0)) == "row sums: holds"
    assert "moves by 0.25" in repr(Tried("row sums", 0.25))
    assert "3 numbers are not finite" in repr(Tried("large scores", 3.0))
    assert "nan" in repr(Tried("dead row", np.inf))
    assert Tried("spread", 0.1).holds and not Tried("row sums", 0.1).holds


def test_a_check_that_does_not_fit_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="no check called 'sums' for this function; there are row sums"):
        try_check("sums", lambda Q, K, V: V)
    with pytest.raises(ValueError, match="future needs a mask"):
        try_check("future", lambda Q, K, V: V)
    with pytest.raises(ValueError, match="there are W_O, heads apart"):
        try_check("row sums", as_layer(RIGHT))


def test_the_spread_of_a_right_function_is_1_whatever_the_numbers(monkeypatch):
    drawn = np.random.default_rng

    def right(Q, K, V, mask):
        return scaled_dot_product_attention(Q, K, V).output

    for seed in range(1, 21):
        monkeypatch.setattr(np.random, "default_rng", lambda _, seed=seed: drawn(seed))
        assert spread(right) < 0.1


def test_adapters_of_plain_functions():
    Q, K, V, mask = _given(Keeps(KEPT, plain, causal=True))
    assert with_mask(Q, K, V, None)[3].all() and with_mask(Q, K, V, mask)[3] is mask
