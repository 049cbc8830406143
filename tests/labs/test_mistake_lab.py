"""The invariants, the mistake lab's model, and its controls without a browser."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import MultiHeadAttention, causal_mask, padding_mask
from attention_lib.analysis.timing import LEAST_TOKENS
from attention_lib.labs.mistake_lab import (
    KINDS,
    MESSAGES,
    MOST_TOKENS,
    PRESETS,
    SENTENCE,
    SHOWN,
    STATES,
    MistakeLab,
    MistakeModel,
    moved_text,
)
from attention_lib.mistakes.invariants import (
    BROKEN,
    CHECK_TEXTS,
    INVARIANTS,
    OF_ATTENTION,
    OF_LAYER,
    SPREAD_LENGTHS,
    SPREAD_MAY_MISS,
    Setup,
    caught_by,
    follow,
    largest,
    make_setup,
    overview,
    own_kind,
    spread_at,
    try_check,
    try_follow,
    values,
    verdicts,
)
from attention_lib.mistakes.recipes import MISTAKES, RECIPES, RIGHT, as_function
from attention_lib.plots import checklist
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID

SENTENCES = [SENTENCE, "The cat sat on the mat", "one two three four five six seven eight nine ten"]
AT_FIRST_NOT_CAUGHT = {  # by shape, row sums, key order, future, padding, shift, large scores and dead row
    *["not_scaled", "scaled_by_d_k", "half_power", "scaled_by_root_d_model", "scaled_by_root_n"],
    *["causal_top_left", "heads_averaged", "no_W_O"],
}


def random_setup(seed=0, n=6, d_model=8, d_v=3, n_heads=2):
    """Draw a setup whose widths all differ."""
    rng = np.random.default_rng(seed)
    X, W_Q, W_K = rng.standard_normal((n, d_model)), *rng.standard_normal((2, d_model, 2 * 5))
    return Setup(
        X, W_Q, W_K, rng.standard_normal((d_model, 2 * d_v)), rng.standard_normal((2 * d_v, 7)), n_heads, n_real=4
    )


def measure(recipe, setup):
    return {verdict.name: verdict.moved for verdict in verdicts(recipe, setup)}


# The invariants


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
    measured = measure(RIGHT, replace(random_setup(seed), kind=kind))
    assert measured.pop("spread") < 0.1  # chance
    assert all(moved is None or moved < 1e-9 for moved in measured.values()), measured


@pytest.mark.parametrize("name", INVARIANTS)
def test_every_invariant_catches_something(name):
    found = overview(make_setup(SENTENCE.split(), "causal"))
    assert any(name in caught for caught in found.values())


@pytest.mark.parametrize("sentence", SENTENCES)
def test_every_mistake_is_caught_and_some_by_the_last_four_checks_alone(sentence):
    found = overview(make_setup(sentence.split(), "causal"))
    first = set(list(INVARIANTS)[:8])
    assert all(found.values())
    assert {mistake for mistake, caught in found.items() if not first & set(caught)} == AT_FIRST_NOT_CAUGHT


@pytest.mark.parametrize("sentence", SENTENCES)
@pytest.mark.parametrize("seed", [None, 1, 2])
def test_what_each_of_the_last_four_checks_catches(sentence, seed):
    setup = make_setup(sentence.split(), "causal") if seed is None else random_setup(seed)
    found = overview(setup)
    for mistake in ("not_scaled", "scaled_by_d_k", "half_power", "scaled_by_root_d_model"):
        assert found[mistake] == ["spread"]
    assert found["scaled_by_root_n"] == ["cache", "spread"]
    assert found["causal_top_left"] == ["cache"]
    assert found["heads_averaged"] == ["heads apart"]
    assert "W_O" in found["no_W_O"]


def test_one_length_is_not_enough_for_the_spread():
    divided_by_root_n = as_function(RECIPES["scaled_by_root_n"])
    misses = [abs(spread_at(divided_by_root_n, n) - 1) for n in SPREAD_LENGTHS]
    assert misses[0] < SPREAD_MAY_MISS < misses[1]
    assert abs(spread_at(divided_by_root_n, 64) - 1) < 0.05  # where √n is √d_k


def test_a_wrong_scale_hides_where_sizes_agree():
    halved = as_function(RECIPES["half_power"])
    assert abs(spread_at(halved, 50, d_k=4) - 1) < 0.1 and spread_at(halved, 50, d_k=64) < 0.3


def test_a_missing_W_O_escapes_the_shape_only_where_widths_agree():
    agree, differ = make_setup(SENTENCE.split(), "causal"), random_setup()
    assert caught_by(RECIPES["no_W_O"], agree) == ["W_O"]
    assert "shape" in caught_by(RECIPES["no_W_O"], differ)


@pytest.mark.parametrize("kind", KINDS)
def test_keys_and_values_exchanged_pass_all_and_values_finds_them(kind):
    setup = replace(make_setup(SENTENCE.split(), "causal"), kind=kind)
    exchanged = MISTAKES["projections_exchanged"].recipe
    assert caught_by(exchanged, setup) == []
    assert values(exchanged, setup) > 0.1 and values(RIGHT, setup) < 1e-9
    assert largest(follow(exchanged, setup).output - follow(RIGHT, setup).output) > 0.1


@pytest.mark.parametrize(
    ("mistake", "caught"),
    [
        ("softmax_over_queries", ["row sums", "future", "shift", "cache"]),
        ("softmax_over_everything", ["row sums", "future", "shift", "cache"]),
        ("mask_ignored", ["future", "dead row", "cache"]),
        ("mask_after_softmax", ["row sums", "future", "cache"]),
        ("mask_times_zero", ["future", "shift", "dead row", "cache"]),
        ("finite_fill", ["dead row"]),
        ("causal_excludes_itself", ["row sums"]),
        ("causal_sees_next", ["future", "cache"]),
        ("pad_rows_masked", ["row sums", "padding"]),
        ("softmax_not_stable", ["large scores", "dead row"]),
        ("reshape_without_transpose", ["key order", "future", "shift", "cache", "heads apart"]),
        ("transpose_missing", ["shape"]),
    ],
)
@pytest.mark.parametrize("sentence", SENTENCES)
def test_what_catches_a_mistake(mistake, caught, sentence):
    assert caught_by(RECIPES[mistake], make_setup(sentence.split(), own_kind(mistake))) == caught


def test_a_missing_transpose_hides_where_n_equals_d_k():
    assert "shape" not in caught_by(RECIPES["transpose_missing"], make_setup(["a", "b", "c"], "causal"))


def test_invariants_that_say_nothing():
    setup = random_setup()
    assert measure(RIGHT, replace(setup, kind="no mask"))["future"] is None
    assert measure(RIGHT, replace(setup, kind="causal"))["padding"] is None
    assert measure(RIGHT, replace(setup, kind="padding"))["future"] is None
    assert measure(RIGHT, replace(setup, kind="padding"))["cache"] is None


def test_largest():
    assert largest(np.array([0.5, -2.0])) == 2.0
    assert largest(np.array([0.5, np.nan])) == np.inf
    assert largest(np.zeros((0, 3))) == 0


# One check on a plain function


def test_right_functions_keep_every_check():
    def layer(X, W_Q, W_K, W_V, W_O, n_heads):
        return follow(RIGHT, Setup(X, W_Q, W_K, W_V, W_O, n_heads, "no mask")).output

    assert not any(try_check(name, as_function(RIGHT)).catches for name in OF_ATTENTION)
    assert not any(try_check(name, layer).catches for name in OF_LAYER)


@pytest.mark.parametrize(
    ("mistake", "broken"),
    [
        ("mask_times_zero", ["future", "shift", "dead row"]),
        ("softmax_over_queries", ["row sums", "future", "shift", "one query"]),
        ("softmax_not_stable", ["large scores", "dead row"]),
        ("scaled_by_root_n", ["spread"]),
        ("finite_fill", ["dead row"]),
    ],
)
def test_what_breaks_a_check_is_caught(mistake, broken):
    function = as_function(RECIPES[mistake])
    assert [name for name in OF_ATTENTION if try_check(name, function).catches] == broken


def test_a_verdict_says_what_was_measured():
    def naive(Q, K, V, mask):
        scores = np.where(mask, Q @ K.T / np.sqrt(Q.shape[-1]), -np.inf)
        exps = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return exps / exps.sum(axis=-1, keepdims=True) @ V

    assert repr(try_check("row sums", naive)) == "row sums: holds"
    assert "A textbook softmax gives nan there too" in repr(try_check("dead row", naive))
    assert repr(try_check("row sums", lambda Q, K, V: 2 * np.ones_like(V))) == "row sums: broken, off by 1"
    assert "numbers are not finite" in repr(try_check("large scores", as_function(RECIPES["softmax_not_stable"])))


def test_a_check_that_does_not_fit_the_function_is_refused():
    with pytest.raises(ValueError, match="no check called 'sums' for this function; there are row sums"):
        try_check("sums", lambda Q, K, V: V)
    with pytest.raises(ValueError, match="'future' needs a mask"):
        try_check("future", lambda Q, K, V: V)
    with pytest.raises(ValueError, match="there are W_O, heads apart"):
        try_check("row sums", lambda X, W_Q, W_K, W_V, W_O, n_heads: X)


# The model


def test_the_same_word_has_the_same_embedding():
    setup = make_setup(["배", "가", "배"], "causal")
    assert (setup.X[0] == setup.X[2]).all()
    assert (setup.X[0] != setup.X[1]).any()


@pytest.mark.parametrize("mistake", RECIPES)
def test_every_mistake_can_be_switched_on(mistake):
    model = MistakeModel()
    model.choose(mistake)
    assert model.state.kind == own_kind(mistake)
    assert model.summary().startswith(MISTAKES[mistake].title)
    caught = [verdict.name for verdict in model.verdicts() if verdict.catches]
    assert caught == overview(model.setup)[mistake]
    assert MESSAGES["not caught"] not in model.summary()
    pictures = model.pictures()
    assert all(np.isfinite(array).all() for array in pictures.values())
    np.testing.assert_allclose(pictures["difference"], pictures["wrong"] - pictures["right"])


def test_pictures_are_those_of_the_recipe():
    model = MistakeModel()
    model.choose("softmax_over_queries")
    model.set_head(1)
    pictures = model.pictures()
    np.testing.assert_allclose(pictures["right"].sum(axis=1), 1)
    np.testing.assert_allclose(pictures["wrong"].sum(axis=0), 1)
    np.testing.assert_allclose(pictures["wrong"], follow(RECIPES["softmax_over_queries"], model.setup).weights[1])


@pytest.mark.parametrize("mistake", ["softmax_not_stable", "finite_fill"])
def test_a_mistake_that_changes_nothing_here_says_so(mistake):
    model = MistakeModel()
    model.choose(mistake)
    assert MESSAGES["same"] in model.summary()


@pytest.mark.parametrize("mistake", ["no_W_O", "heads_averaged"])
def test_a_mistake_in_the_output_alone_is_not_called_nothing(mistake):
    model = MistakeModel()
    model.choose(mistake)
    assert "Weights differ by up to 0.000, outputs by up to " in model.summary()
    assert MESSAGES["same"] not in model.summary()


def test_a_mask_lined_up_at_the_top_left_needs_a_cache_to_show():
    model = MistakeModel()
    model.choose("causal_top_left")
    assert MESSAGES["same"] not in model.summary()
    model.set_kind("causal")
    assert MESSAGES["same"] in model.summary()
    assert MESSAGES["not caught"] not in model.summary()  # the cache is tried under a causal mask too
    model.set_kind("padding")
    assert MESSAGES["not caught"] in model.summary()


def test_a_map_that_does_not_exist_says_so():
    model = MistakeModel()
    model.choose("transpose_missing")
    assert model.wrong is None
    assert MESSAGES["no map"] in model.summary()
    assert model.captions()["wrong"] == MESSAGES["no map"]


def test_numbers_that_are_not_finite_are_counted():
    model = MistakeModel()
    model.choose("softmax_missing")
    model.set_kind("causal")  # -inf stays where a softmax would have made 0
    n = int((~np.isfinite(model.wrong.weights)).sum())
    assert n > 0
    assert f"hold {n} entries" in model.summary()
    assert all(np.isfinite(array).all() for array in model.pictures().values())


def test_with_a_cache_the_last_two_words_ask():
    model = MistakeModel()
    model.set_kind("cache")
    assert model.queries == SENTENCE.split()[-2:]
    assert model.pictures()["right"].shape == (2, 7)


@pytest.mark.parametrize("n", [0, 1, LEAST_TOKENS - 1, MOST_TOKENS + 1, 200])
def test_a_sentence_that_cannot_be_shown_changes_nothing(n):
    model = MistakeModel()
    before = model.state
    with pytest.raises(ValueError, match=f"this one has {n}"):
        model.set_sentence("word " * n)
    assert model.state == before


def test_undo_and_reset():
    model = MistakeModel()
    start = model.state
    model.choose("no_W_O")
    model.set_head(1)
    model.set_sentence("a b c d")
    model.reset()
    assert model.state == start
    for _ in range(4):
        assert model.undo()
    assert model.state == start
    assert not model.undo()


def test_a_guess_is_a_step_that_can_be_taken_back():
    lab = MistakeLab()
    for guess in ("not_scaled", "finite_fill", "scaled_by_d_k"):
        lab._guess.value = guess
    assert lab.model.named
    seen = []
    for _ in range(3):
        lab.buttons["undo"].click()
        seen.append((lab.model.named, lab._guess.value, lab._message.value))
    assert seen == [(False, guess, SAID["undone"]) for guess in ("finite_fill", "not_scaled", None)]
    lab.buttons["tell"].click()
    lab.buttons["undo"].click()
    assert not lab.model.named


SEEN = {shown: MESSAGES[shown] for shown in SHOWN}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", STATES)
def test_what_is_said_of_a_wrong_guess_is_so(name, kind):
    """Every guess in every start and under every mask: what is said to look otherwise does, and nothing else."""
    shown = list(SHOWN)[len(kind) % 3] if kind != STATES[name].kind else "maps"
    model = MistakeModel()
    model._go(replace(STATES[name], kind=kind, shown=shown))
    wrong = try_follow(RECIPES[model.state.mistake], model.setup)
    for guess in RECIPES.keys() - {model.state.mistake}:
        other, said = try_follow(RECIPES[guess], model.setup), model.against(guess)
        if wrong is None or other is None:
            assert said == MESSAGES["stops" if other is None else "runs"] and wrong is not other
            continue
        weights, output = (
            [np.where(np.isfinite(array), array, 0) for array in arrays]  # as the panels show what is no number
            for arrays in ([wrong.weights[0], other.weights[0]], [wrong.output, other.output])
        )
        apart = {"maps": largest(weights[0] - weights[1]), "outputs": largest(output[0] - output[1])}
        apart["differences"] = max(apart.values())
        checks = [
            one.name if one.name == "W_O" else CHECK_TEXTS[one.name][0].lower()
            for one, two in zip(
                verdicts(RECIPES[model.state.mistake], model.setup), verdicts(RECIPES[guess], model.setup)
            )
            if (moved_text(one.moved), one.catches) != (moved_text(two.moved), two.catches)
        ]
        assert (
            said == SEEN[shown]
            if apart[shown] > 0.01
            else said
            in (
                SEEN[shown],
                MESSAGES["other checks"].format(names=", ".join(checks)) if checks else MESSAGES["no other"],
            )
        )
        assert (said == SEEN[shown]) <= (apart[shown] > 1e-9), "what is the same is not said to look otherwise"
        if kind == STATES[name].kind:
            assert said != MESSAGES["no other"], "as a start opens, every wrong guess can be seen to be wrong"


def test_a_guess_that_nothing_tells_apart_here_is_not_said_to_look_otherwise():
    model = MistakeModel()
    model.start_from("waits")
    assert "dead row" in model.against("softmax_not_stable") or "large scores" in model.against("softmax_not_stable")
    model.set_kind("no mask")
    assert model.against("mask_times_zero") == MESSAGES["no other"]
    model.set_kind("causal")
    assert model.against("mask_times_zero") == MESSAGES["maps"]


def test_a_reset_asks_again_what_was_to_be_guessed():
    model = MistakeModel()
    model.start_from("quiet")
    assert model.guess("scaled_by_d_k") and model.named
    model.reset()
    assert not model.named
    told = MistakeModel("no_W_O")
    told.set_head(1)
    told.reset()
    assert told.named


@pytest.mark.parametrize(
    ("name", "mistake", "kind", "n_words", "caught", "said"),
    [
        ("visible", "softmax_over_queries", "causal", 7, ["row sums", "future", "shift", "cache"], "up to 0.857"),
        ("waits", "finite_fill", "causal", 7, ["dead row"], MESSAGES["same"]),
        ("quiet", "scaled_by_d_k", "causal", 7, ["spread"], "Caught by: spread."),
        ("hidden", "transpose_missing", "causal", 3, ["key order", "future", "shift"], "up to 0.224"),
        ("cache", "causal_top_left", "cache", 7, ["cache"], "Caught by: cache."),
    ],
)
def test_a_preset_sets_everything_in_one_step(name, mistake, kind, n_words, caught, said):
    model = MistakeModel()
    model.set_sentence("a b c d")
    model.set_head(1)
    model.start_from(name)
    state = model.state
    assert (state.mistake, state.kind, len(model.words), state.head) == (mistake, kind, n_words, 0)
    assert [verdict.name for verdict in model.verdicts() if verdict.catches] == caught
    model.tell()
    assert said in model.summary()
    assert model.preset == name
    assert model.undo() and model.undo()  # what was told, and the start
    assert (model.state.sentence, model.state.head, model.preset) == ("a b c d", 1, None)


def test_choosing_what_is_chosen_is_no_step():
    model = MistakeModel("no_W_O")
    model.choose("no_W_O")
    assert not model.undo()


def test_code_gives_the_maps_shown():
    model = MistakeModel()
    model.choose("mask_times_zero")
    model.set_head(1)
    space: dict[str, object] = {}
    *lines, last = model.code().splitlines()
    exec("\n".join(lines), space)
    np.testing.assert_array_equal(space["wrong"], model.pictures()["wrong"])
    np.testing.assert_array_equal(space["right"], model.pictures()["right"])
    assert eval(last, space) == [verdict.name for verdict in model.verdicts() if verdict.catches]


def test_every_invariant_has_words():
    assert list(CHECK_TEXTS) == list(INVARIANTS)


def test_rounding_is_written_as_0():
    assert moved_text(BROKEN / 2) == "0"
    assert moved_text(2 * BROKEN) != "0"


# The controls


def test_choosing_moves_everything():
    lab = MistakeLab()
    lab._mistake.value = "pad_rows_masked"
    assert lab._kind.value == "padding"
    np.testing.assert_allclose(lab.view["wrong"], lab.model.pictures()["wrong"], atol=1e-6)
    assert MISTAKES["pad_rows_masked"].title in lab._said.value
    assert lab._table.value.count("<b>catches it</b>") == 2
    assert lab._table.value.rindex("catches it") < lab._table.value.index("passes"), "first, where a class sees it"


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "quiet"])
def test_a_preset_is_shown_with_one_message(name):
    lab = MistakeLab()
    sent = []
    lab.view.comm.send = lambda *args, **kwargs: sent.append(kwargs.get("data", args[0] if args else None))
    lab._preset.value = name
    assert len(sent) == 1
    state = STATES[name]
    assert lab._mistake.value is None and MISTAKES[state.mistake].title not in lab._said.value
    lab.buttons["tell"].click()
    chosen = (lab._mistake.value, lab._kind.value, lab._head.value, lab._sentence.value)
    assert chosen == (state.mistake, state.kind, state.head, state.sentence)
    for panel in SHOWN["maps"]:
        np.testing.assert_allclose(lab.view[panel], lab.model.pictures()[panel], atol=1e-6)


def test_a_guess_comes_before_the_name():
    lab = MistakeLab()
    title = MISTAKES["scaled_by_d_k"].title
    assert title not in lab._said.value and lab._guess.layout.display == ""
    lab._guess.value = "not_scaled"
    assert lab._message.value == MESSAGES["maps"] and title not in lab._said.value
    assert lab._preset.value == "quiet"  # a guess changes nothing of what is shown
    lab._guess.value = "scaled_by_d_k"
    assert title in lab._said.value and lab._mistake.value == "scaled_by_d_k" and lab._guess.layout.display == "none"
    lab._preset.value = "visible"
    assert lab._mistake.value is None and lab._guess.layout.display == ""
    lab.buttons["tell"].click()
    assert MISTAKES["softmax_over_queries"].title in lab._said.value


@pytest.mark.parametrize("shown", SHOWN)
def test_maps_outputs_or_differences_are_shown(shown):
    lab = MistakeLab("heads_averaged")
    lab._show.value = shown
    for panel in SHOWN[shown]:
        np.testing.assert_allclose(lab.view[panel], lab.model.pictures()[panel], atol=1e-6)
    assert lab.view.still_panels == SHOWN[shown] and lab.still_figure() is not None
    lab.buttons["reset"].click()
    assert lab._show.value == "maps"


def test_the_preset_menu_follows():
    assert set(PRESETS) == set(STATES)
    lab = MistakeLab()
    assert lab._preset.value == "quiet"
    lab._head.value = 1
    assert lab._preset.value == CHANGED
    lab._preset.value = "hidden"
    lab._kind.value = "no mask"
    assert lab._preset.value == CHANGED
    lab.buttons["undo"].click()
    assert lab._preset.value == "hidden"
    lab._head.value = 1
    lab.buttons["reset"].click()  # to where the reader began last
    assert lab._preset.value == "hidden"


def test_another_shape_is_shown():
    lab = MistakeLab()
    lab._sentence.value = "a b c d"
    assert lab.view["right"].shape == (4, 4)
    lab._kind.value = "cache"
    assert lab.view["right"].shape == (2, 4)


def test_bad_sentence_gets_a_sentence_and_the_picture_stays():
    lab = MistakeLab()
    before = lab.view["wrong"]
    lab._sentence.value = ""
    assert "this one has 0" in lab._message.value
    np.testing.assert_array_equal(lab.view["wrong"], before)
    lab._sentence.value = "a b c d"
    assert "this one" not in lab._message.value


def test_markup_in_a_sentence_is_only_text():
    lab = MistakeLab()
    lab._sentence.value = "<b>a</b> <script> b"
    assert "<script>" not in lab._said.value + lab._message.value


def test_undo_button_and_reset_button():
    lab = MistakeLab("finite_fill")
    lab._mistake.value = "no_W_O"
    lab.buttons["undo"].click()
    assert lab._mistake.value == "finite_fill"
    lab._sentence.value = "a b c d"
    lab.buttons["reset"].click()
    assert (lab._mistake.value, lab._sentence.value) == ("finite_fill", SENTENCE)
    for _ in range(9):
        lab.buttons["undo"].click()
    assert SAID["nothing to undo"] in lab._message.value


def test_a_lab_that_begins_elsewhere_has_that_as_its_start():
    lab = MistakeLab("causal_top_left")
    assert lab._kind.value == "cache"
    lab.buttons["undo"].click()
    assert lab._mistake.value == "causal_top_left" and SAID["nothing to undo"] in lab._message.value
    lab._sentence.value = "a b c d"
    lab.buttons["reset"].click()
    lab.buttons["undo"].click()  # one click goes out, and one comes back
    assert (lab._mistake.value, lab._sentence.value) == ("causal_top_left", "a b c d")


def test_stable_text_and_picture():
    bundle, _ = MistakeLab()._repr_mimebundle_()
    assert bundle["text/plain"] == "Mistake lab: one step is wrong. Which?"  # no name before a guess
    assert MistakeLab("no_W_O").still_text() == "Mistake lab: W_O is left out"
    assert bundle["image/png"]


def test_the_still_picture_says_what_catches_it_now():
    lab = MistakeLab()
    expected = {"scaled_by_d_k": "spread", "softmax_over_queries": "row sums, future, shift, cache", "no_W_O": "W_O"}
    for mistake, caught in expected.items():
        lab._mistake.value = mistake
        said = " ".join(lab.still_figure().get_suptitle().split())
        assert said.endswith(f"under every check. Caught by: {caught}.")


# The picture


def test_checklist_marks_and_describes():
    marks = [[True, False], [False, False]]
    picture = checklist(marks, ["a", "b"], ["row\nsums", "shift"], title="T", row_axis="m", column_axis="i", mark="yes")
    (axes,) = picture.axes
    np.testing.assert_array_equal(axes.images[0].get_array(), marks)
    assert [text.get_position() for text in axes.texts] == [(0, 0)]
    assert picture.description == "T. a: row sums. b: none."
