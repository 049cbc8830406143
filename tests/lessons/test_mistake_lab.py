"""The invariants, the mistake lab's model, and its controls without a browser."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import MultiHeadAttention, causal_mask, padding_mask
from attention_lib.lessons.mistakes.invariants import (
    BROKEN,
    KINDS,
    OF_ATTENTION,
    OF_LAYER,
    Setup,
    caught_by,
    follow,
    make_setup,
    try_check,
    verdicts,
)
from attention_lib.lessons.mistakes.mistake_lab import (
    SENTENCE,
    MistakeLab,
    MistakeState,
    against,
    answers_of,
    guessed,
    named,
    result_of,
    verdicts_of,
    with_next,
)
from attention_lib.lessons.mistakes.recipes import MISTAKES, RECIPES, RIGHT, as_function


def random_setup(seed=0, n=6, d_model=8, d_v=3, n_heads=2):
    """Draw a setup whose widths all differ."""
    rng = np.random.default_rng(seed)
    X, W_Q, W_K = rng.standard_normal((n, d_model)), *rng.standard_normal((2, d_model, 2 * 5))
    return Setup(
        X, W_Q, W_K, rng.standard_normal((d_model, 2 * d_v)), rng.standard_normal((2 * d_v, 7)), n_heads, n_real=4
    )


def lab_of(mistake):
    lab = MistakeLab()
    lab.mistake.value = mistake
    return lab


def title_beside(lab):
    return lab.view.panels["beside"].title


@pytest.mark.parametrize("kind", KINDS)
def test_following_the_right_recipe_is_the_library(kind):
    setup = replace(random_setup(), kind=kind)
    mha = MultiHeadAttention(setup.W_Q, setup.W_K, setup.W_V, setup.W_O, 2)
    masks = {"no mask": None, "causal": causal_mask(6), "padding": padding_mask(4, 6), "cache": causal_mask(2, 6)}
    asks = setup.X[-2:] if kind == "cache" else setup.X
    trace = mha(asks, context=setup.X, mask=masks[kind])
    result = follow(RIGHT, setup)
    np.testing.assert_allclose(result.weights, trace.heads.weights)
    np.testing.assert_allclose(result.output, trace.output)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(5))
def test_the_right_recipe_keeps_every_invariant(kind, seed):
    measured = {verdict.name: verdict.moved for verdict in verdicts(RIGHT, replace(random_setup(seed), kind=kind))}
    assert measured.pop("spread") < 0.1  # chance
    assert all(moved is None or moved < 1e-9 for moved in measured.values()), measured


def test_right_functions_keep_every_check():
    def layer(X, W_Q, W_K, W_V, W_O, n_heads):
        return follow(RIGHT, Setup(X, W_Q, W_K, W_V, W_O, n_heads, "no mask")).output

    assert not any(try_check(name, as_function(RIGHT)).catches for name in OF_ATTENTION)
    assert not any(try_check(name, layer).catches for name in OF_LAYER)


def test_a_verdict_says_what_was_measured():
    def naive(Q, K, V, mask):
        scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[-1]), -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return exps / exps.sum(axis=-1, keepdims=True) @ V

    assert repr(try_check("row sums", naive)) == "row sums: holds"
    assert repr(try_check("dead row", naive)) == "dead row: holds", "nan is a convention there"
    assert repr(try_check("reach", lambda Q, K, V: V)) == "reach: broken, 10 outputs stay that must move"
    assert repr(try_check("row sums", lambda Q, K, V: 2 * np.ones_like(V))) == "row sums: broken, off by 1"
    assert "numbers are not finite" in repr(try_check("large scores", as_function(RECIPES["softmax_not_stable"])))


@pytest.mark.parametrize("mistake", RECIPES)
def test_every_mistake_can_be_switched_on_and_is_caught(mistake):
    lab = lab_of(mistake)
    assert lab.state.kind == MISTAKES[mistake].kind and lab.goal.text == f"This one is: {MISTAKES[mistake].title}."
    assert lab.line.text.startswith(MISTAKES[mistake].sentence[:40])
    assert [one.name for one in verdicts_of(lab.state) if one.catches] == caught_by(
        RECIPES[mistake], make_setup(SENTENCE.split(), MISTAKES[mistake].kind)
    )
    assert "caught" in lab.checks.value
    if "wrong" not in lab.view.panels:
        assert "stops with an error" in lab.line.text and title_beside(lab) == "the right weights"


def test_right_and_wrong_are_subtracted_and_the_output_is_shown_where_it_alone_is_wrong():
    right, wrong = (follow(recipe, make_setup(SENTENCE.split(), "causal")) for recipe in (RIGHT, RECIPES["no_W_O"]))
    lab = lab_of("no_W_O")
    np.testing.assert_allclose(lab.view["wrong"], wrong.output)
    np.testing.assert_allclose(lab.view["beside"], wrong.output - right.output)
    lab = MistakeLab()
    np.testing.assert_allclose(lab.view["beside"], lab.view["wrong"] - right.weights[0])
    assert [lab_of(name).view.panels["beside"].marks for name in ("scaled_by_d_k", "finite_fill")] == [[(2, 2)], []]
    assert {lab_of(name).view.panels["beside"].limit for name in ("scaled_by_d_k", "half_power")} == {1}, "one scale"


def test_every_mistake_comes_and_has_four_answers_it_is_among():
    state, names = MistakeState(), set()
    for _ in RECIPES:
        answers = answers_of(state.mistake)
        assert not state.is_named and state.mistake in answers and len(answers) == 4
        others = [replace(state, guess=answer) for answer in answers if answer != state.mistake]
        assert not any("change nothing" in against(other) for other in others), "each could be it"
        names.add(state.mistake)
        state = with_next(named(state, state.mistake))
    assert names == set(RECIPES)


@pytest.mark.parametrize("name", MistakeLab.presets)
def test_what_is_said_of_a_wrong_guess_is_so(name):
    """Every guess in every start: what is said to look different does."""
    state = MistakeLab.presets[name][1]
    mine = result_of(state, state.mistake)
    for guess in RECIPES.keys() - {state.mistake}:
        its, sentence = result_of(state, guess), against(replace(state, guess=guess))
        assert ("stops with an error" in sentence) == (its is None or mine is None)
        if mine is not None and its is not None:
            right = follow(RIGHT, make_setup(state.sentence.split(), state.kind))
            as_mine, as_right = (
                all(np.allclose(np.nan_to_num(a), np.nan_to_num(b), atol=BROKEN) for a, b in zip(other, its))
                for other in (mine, right)
            )
            assert ("numbers are the same" in sentence) == as_mine
            assert ("change nothing" in sentence) == (as_right and not as_mine)


def test_the_map_comes_first_and_a_wrong_guess_shows_what_it_would_give():
    lab = MistakeLab()
    assert lab.goal.text.startswith("One step") and lab.checks.value == "" and title_beside(lab) != ""
    answers = answers_of(lab.state.mistake)
    wrong, right = answers.index("mask_inverted"), answers.index("mask_after_softmax")
    other = next(i for i in range(4) if i not in (wrong, right))
    for guess in (other, wrong, wrong):
        lab.answers[guess].click()
    assert lab.line.text.startswith("Not this one") and not lab.state.is_named
    assert title_beside(lab) == "what your guess would give" and lab.answers[wrong].description.startswith("✗ ")
    for panel, mistake in (("wrong", "mask_after_softmax"), ("beside", "mask_inverted")):
        np.testing.assert_allclose(lab.view[panel], result_of(lab.state, mistake).weights[0])
    lab.answers[right].click()
    assert lab.goal.text == "Found at guess 3: Masked after the softmax.", "a guess that is repeated counts once"
    assert title_beside(lab).startswith("wrong minus right") and "caught" in lab.checks.value
    assert lab.answers[right].description.startswith("✓ "), "the answers stay where they are"
    assert [i for i, button in enumerate(lab.answers) if not button.disabled] == [right], "the others are over"
    assert guessed(lab.state, wrong) == lab.state, "what is known stays known"
