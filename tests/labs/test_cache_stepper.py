"""The cache stepper: its plain model, its controls without a browser, and its still picture."""

import asyncio
import itertools
from types import SimpleNamespace

import numpy as np
import pytest

from attention_lib import KVCache, load_example, plots, sliding_window_mask
from attention_lib.analysis.decoding import AGAIN, NEVER, NEW, NOT_YET, REUSED, row_states, score_states
from attention_lib.examples.decoding import layer_of, steps_of
from attention_lib.labs.cache_stepper import (
    BOUND,
    CATEGORIES,
    FIRST_SHOWN,
    MESSAGES,
    PRESETS,
    CacheStepper,
    StepperModel,
    own_sentence,
    presets,
)
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID


def letters(states):
    return ["".join(CATEGORIES[kind].symbol for kind in row) for row in states]


def test_each_kind_has_its_own_letter():
    assert len({category.symbol for category in CATEGORIES}) == len(CATEGORIES) == 5
    assert [CATEGORIES[kind].symbol for kind in (REUSED, NEW, NEVER, AGAIN, NOT_YET)] == ["R", "N", "x", "A", "·"]


def test_letters_of_a_decoding_step():
    assert letters(row_states(4, before=2, now=3)) == ["xRRx", "xRRx", "NNNN", "····"]
    assert letters(score_states(4, before=2, now=3)) == ["xxx·", "xxx·", "NNN·", "····"]


def test_letters_of_a_prefill():
    assert letters(row_states(4, before=0, now=3)) == ["NNNN"] * 3 + ["····"]
    assert letters(score_states(4, before=0, now=3)) == ["Nxx·", "NNx·", "NNN·", "····"]


def test_letters_with_a_window_of_two():
    assert letters(row_states(4, before=3, now=4, window=2)) == ["xxxx", "xxxx", "xRRx", "NNNN"]
    assert letters(score_states(4, before=3, now=4, window=2)) == ["xxxx", "xxxx", "xxxx", "xxNN"]


def test_letters_without_a_cache():
    assert letters(row_states(3, before=2, now=3, recompute=True)) == ["AAAA", "AAAA", "NNNN"]
    assert letters(score_states(3, before=2, now=3, recompute=True)) == ["Axx", "AAx", "NNN"]


def test_before_the_first_token_nothing_is_there():
    assert letters(row_states(2, 0, 0)) == ["····"] * 2
    assert letters(score_states(2, 0, 0)) == ["··"] * 2


@pytest.mark.parametrize("name", PRESETS)
def test_letters_say_what_the_calculation_does(name):
    """A row is reused where changing it in the cache moves a new output, and not needed where it does not."""
    setting = presets()[name]
    X, layer = layer_of(setting)
    left = None if setting.window is None else setting.window - 1
    for step in steps_of(setting)[1:]:
        mask = sliding_window_mask(step.now - step.before, step.now, left=left)
        states = row_states(len(X), step.before, step.now, setting.window)
        for token in range(step.before):
            for column, name_of in ((1, "_K"), (2, "_V")):
                moved = []
                for change in (0.0, 1.0):
                    cache = KVCache(len(X), layer.n_kv_heads, layer.d_k)
                    if step.before:
                        layer(X[: step.before], cache=cache)
                    getattr(cache, name_of)[:, token] += change * np.arange(1, layer.d_k + 1)
                    moved.append(layer(X[step.before : step.now], mask=mask, cache=cache).output)
                assert np.allclose(*moved) == (states[token, column] == NEVER)
                assert (states[token, column] == REUSED) == (not np.allclose(*moved))


@pytest.mark.parametrize("name", PRESETS)
def test_cached_equals_full_at_every_step(name):
    steps = steps_of(presets()[name])
    assert max(step.gap for step in steps) < BOUND
    assert [step.now for step in steps][-1] == len(presets()[name].tokens)
    assert all(a.now == b.before for a, b in itertools.pairwise(steps))


def test_the_gap_is_measured_and_not_assumed(monkeypatch):
    broken = KVCache.append

    def append(self, K, V):
        return broken(self, np.asarray(K) * 1.001, V)

    monkeypatch.setattr(KVCache, "append", append)
    assert StepperModel("bae").steps[-1].gap > BOUND


def test_the_article_preset_gives_the_numbers_of_the_article_recomputed():
    model = StepperModel("article")
    model.go(3)
    assert np.allclose(model.weights(0)[2].round(3), [0.193, 0.011, 0.795])
    assert np.allclose(model.weights(0), load_example("kv_cache_three_tokens").trace().weights)


def test_answers_to_the_tasks_of_the_notebook():
    model = StepperModel("bae")
    for step, rows in ((2, ["xRRx", "NNNN"]), (3, ["xRRx", "xRRx", "NNNN"])):
        model.go(step)
        assert letters(model.states()[0])[:step] == rows
    assert not any((score_states(8, n - 1, n) == REUSED).any() for n in range(1, 9))
    model = StepperModel("recompute")
    model.go(8)
    assert [int((states == AGAIN).sum()) for states in model.states()] == [28, 28]
    assert (model.scores_made(True), model.scores_made(False)) == (36, 8)
    model = StepperModel("prefill")
    model.go(1)
    above = np.triu(np.ones((5, 5), dtype=bool), k=1)
    assert above.sum() == 10 and (model.states()[1][:5, :5][above] == NEVER).all()
    model = StepperModel("bae")
    model.change(window=3)
    first = next(n for n in range(1, 9) if (row_states(8, n - 1, n, window=3)[: n - 1, 1] == NEVER).any())
    model.go(8)
    assert (first, model.cache_bytes()) == (4, 384)
    model.change(window=8)
    states, weights, n_bytes = model.states(), model.weights(0), model.cache_bytes()
    model.change(n_kv_heads=1)
    assert all(np.array_equal(a, b) for a, b in zip(states, model.states()))
    assert model.cache_bytes() * 4 == n_bytes and not np.allclose(weights, model.weights(0))


@pytest.mark.parametrize("name", PRESETS)
def test_each_start_opens_at_a_step_from_which_one_can_go_on(name):
    """Where the next letters are to be guessed, there are next letters; and a start leads there from any other step."""
    model, other = StepperModel(name), StepperModel()
    other.go(8)
    other.start_from(name)
    assert model.step == other.step == {"article": 1, "prefill": 1}.get(name, FIRST_SHOWN) < model.last


def test_weights_appear_row_by_row():
    model = StepperModel("prefill")
    model.go(2)
    shown = model.weights(1) > 0
    assert np.array_equal(shown[:6], np.tri(6, 8, dtype=bool)) and not shown[6:].any()


def test_a_window_of_three_gives_weight_to_three_keys():
    model = StepperModel("window")
    model.go(8)
    assert np.array_equal(model.weights(0) > 0, sliding_window_mask(8, left=2))


def test_scores_made_with_and_without_a_cache():
    model = StepperModel("bae")
    for n in range(9):
        model.go(n)
        assert (model.scores_made(False), model.scores_made(True)) == (n, n * (n + 1) // 2)


def test_bytes_follow_heads_and_window():
    model = StepperModel("bae")
    model.go(8)
    assert model.cache_bytes() == 8 * 4 * (2 + 2) * 8 == model.cache_bytes(plain=True)
    _, layer = layer_of(model.state)
    assert model.cache_bytes() == KVCache(8, layer.n_kv_heads, layer.d_k).nbytes
    model.change(n_kv_heads=1, window=3)
    assert (model.step, model.cache_bytes(), model.cache_bytes(plain=True)) == (8, 3 * 1 * 4 * 8, 1024)


def test_gqa_averages_the_heads_of_a_group():
    _, mha = layer_of(presets()["bae"])
    _, gqa = layer_of(presets()["gqa"])
    per_head = mha.W_K.reshape(8, 4, 2)
    assert gqa.n_kv_heads == 2 and np.allclose(gqa.W_K[:, :2], (per_head[:, 0] + per_head[:, 1]) / 2)
    assert np.array_equal(gqa.W_Q, mha.W_Q)


def test_change_keeps_the_place_and_undo_leads_back():
    model = StepperModel("bae")
    model.go(6)
    model.change(prompt=4)
    assert (model.now.now, model.step, model.last) == (6, 3, 5)
    model.change(window=99)
    assert model.state.window is None
    assert model.undo() and not model.undo()  # such a window is none: it changed nothing
    assert (model.state, model.step) == (presets()["bae"], 6)


def test_undo_of_a_start_leads_back_to_where_the_one_before_opens():
    model = StepperModel("article")
    opens = model.step
    model.start_from("bae")
    assert model.undo() and model.step == opens != FIRST_SHOWN


@pytest.mark.parametrize("name", ["article", "bae"])
def test_a_reset_leads_back_to_the_step_where_the_start_opens(name):
    lab = CacheStepper(name)
    opens = lab.model.step
    lab.buttons["forward"].click()
    lab._reset()
    assert (lab.model.step, lab._message.value) == (opens, SAID["began again"])
    lab.model.change(window=2)
    lab.buttons["forward"].click()
    lab._reset()
    assert (lab.model.state, lab.model.step) == (presets()[name], opens)
    assert lab._message.value == SAID["reset"]
    lab._undo()
    assert lab.model.state.window == 2


def test_sizes_are_brought_into_their_range():
    model = StepperModel("bae")
    model.change(prompt=0, window=0)
    assert (model.state.prompt, model.state.window) == (1, 1)
    model.go(-3)
    assert model.step == 0
    model.go(99)
    assert model.step == model.last


@pytest.mark.parametrize("text", ["", "   ", " ".join("abcdefghijklm")])
def test_a_sentence_that_cannot_be_shown_is_refused(text):
    with pytest.raises(ValueError, match=r"Type a sentence|13 tokens"):
        own_sentence(text)


def test_own_sentence_is_the_same_each_time():
    one, other = (layer_of(own_sentence("공부 is 공부"))[0] for _ in range(2))
    assert np.array_equal(one, other) and np.array_equal(one[0], one[2]) and not np.array_equal(one[0], one[1])
    assert own_sentence("🙂 " + "a" * 40).tokens == ("🙂", "a" * 40)


@pytest.mark.parametrize("name", PRESETS)
def test_copied_code_runs(name):
    model = StepperModel(name)
    model.go(3)
    values = {}
    exec(model.code(), values)
    assert len(values["cache"]) == model.now.now
    assert np.array_equal(values["cached"].heads.weights, model.now.weights)


def test_sentences_say_the_numbers():
    model = StepperModel("window")
    model.go(8)
    said = "\n".join(model.lines())
    assert "Tokens whose keys and values are reused: 2; outside the window: 5." in said
    assert "in each head: 3. With a cache 3, recomputing everything 21." in said
    assert "tokens 3 × key/value heads 1 × numbers (2 + 2) × bytes 8 = 96 bytes" in said
    model.change(recompute=True)
    assert "0 bytes. A cache would hold 96 bytes now." in model.lines()[-1]
    model.go(1)
    assert "its row of Q, K and V is calculated. Nothing" in model.sentence()
    model.go(2)
    assert "all 2 rows of Q, K and V are calculated; 1 of them" in model.sentence()


# -- the controls, without a browser -------------------------------------------------------------


def test_controls_move_the_picture():
    lab = CacheStepper()
    assert lab.model.step == lab._step.value == FIRST_SHOWN
    lab._step.slider.value = 5
    assert letters(lab.view["rows"])[:6] == ["xRRx"] * 4 + ["NNNN", "····"]
    assert "Step 5 of 8" in lab._lines.value
    lab.buttons["forward"].click()
    assert lab._step.value == 6 and (lab.view["weights"][5, :6] > 0).all()
    lab._way.value = True
    assert letters(lab.view["rows"])[0] == "AAAA"
    lab._window.box.value = "2"
    assert "window" in lab.model.code() and lab.model.state.window == 2
    lab._undo()
    assert lab._window.value == 8 and lab.model.state.window is None


def test_play_goes_to_the_end_and_then_begins_with_the_empty_cache(monkeypatch):
    lab, waiting = CacheStepper(), []

    def later(seconds, call):
        waiting.append(call)
        return SimpleNamespace(cancel=waiting.clear)

    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_later=later))
    lab.player.button.click()
    assert lab.model.step == lab._step.value == FIRST_SHOWN + 1 and lab.player.plays
    while waiting:
        waiting.pop()()
    assert lab.model.step == lab.model.last and not lab.player.plays
    lab.player.button.click()
    assert lab.model.step == 0 and lab.player.plays
    lab.player.button.click()
    assert not waiting and not lab.player.plays


def test_forward_and_back_stop_at_the_ends():
    lab = CacheStepper("article")
    back, forward = lab.buttons["back"], lab.buttons["forward"]
    for _ in range(9):
        forward.click()
    assert lab.model.step == 3
    for _ in range(9):
        back.click()
    assert lab.model.step == 0 and "The cache is empty" in lab._lines.value


def test_presets_fit_the_controls():
    lab = CacheStepper()
    for name in PRESETS:
        lab._preset.value = name
        setting = lab.model.state
        assert (lab._prompt.value, lab._way.value) == (setting.prompt, setting.recompute)
        assert lab._kv.value == setting.n_kv_heads and lab._window.value == (setting.window or len(setting.tokens))
        assert lab.view["rows"].shape == (len(setting.tokens), 4) and lab._step.high == lab.model.last


def test_an_unknown_preset_is_named():
    with pytest.raises(ValueError, match="there is no preset 'mqa'; the presets are bae, article, "):
        CacheStepper("mqa")


def test_bad_sentence_keeps_the_picture():
    lab = CacheStepper()
    before = lab.view["rows"]
    lab._sentence.value = "a " * 200
    assert "200 tokens" in lab._message.value and np.array_equal(lab.view["rows"], before)
    lab._sentence.value = "오늘 날씨가 좋다"
    assert lab.model.state.tokens == ("오늘", "날씨가", "좋다") and lab._message.value == MESSAGES["own"]
    lab._undo()
    assert lab.model.state.tokens == presets()["bae"].tokens
    lab._undo()
    assert lab._message.value == SAID["nothing to undo"]


def test_a_long_word_leaves_the_others_their_room():
    lab = CacheStepper()
    lab._sentence.value = "internationalism is long"
    assert lab.view.panels["rows"].rows == ["international…", "is", "long"]
    lab._step.slider.value = 1
    assert "international…" in lab.model.sentence() and "internationalism" not in lab.model.sentence()
    labels = {text.get_text() for axes in lab.still_figure().axes for text in axes.get_yticklabels()}
    assert "international…" in labels


def test_an_own_sentence_and_a_preset_can_be_chosen_again():
    lab = CacheStepper()
    lab._sentence.value = "오늘 날씨가 좋다"
    lab._window.box.value = "2"
    assert (lab._sentence.value, lab._preset.value) == ("오늘 날씨가 좋다", CHANGED)
    lab._preset.value = "recompute"
    assert lab._sentence.value == ""
    lab._sentence.value = "오늘 날씨가 좋다"
    assert lab.model.state.tokens == ("오늘", "날씨가", "좋다")
    lab._undo()
    assert (lab._sentence.value, lab._preset.value) == ("", "recompute")
    lab._way.value = False  # a preset no more, or another one
    assert lab._preset.value == "bae"
    lab._preset.value = "recompute"
    assert lab.model.state.recompute and lab._way.value


def test_a_reset_that_changes_nothing_is_no_step_back():
    lab = CacheStepper("window")
    lab._prompt.box.value = "2"
    for _ in range(3):
        lab._reset()
    lab._undo()
    assert lab.model.state.prompt == 2
    lab._undo()
    assert lab.model.state == presets()["window"] and lab.model.step == FIRST_SHOWN


def test_angle_brackets_in_a_sentence_stay_text():
    lab = CacheStepper()
    lab._sentence.value = "y <b>x</b>"
    assert "<b>x" not in lab._lines.value and "&lt;b&gt;" in lab._lines.value


def test_head_shown():
    lab = CacheStepper()
    lab._head.value = 2
    assert np.array_equal(lab.view["weights"], lab.model.weights(2), equal_nan=True)
    assert np.isnan(lab.view["weights"][3:]).all()  # not there yet: empty cells
    assert not np.array_equal(lab.model.weights(2), lab.model.weights(0))


def test_one_step_is_one_message():
    lab = CacheStepper()
    sent = []
    lab.view.comm.send = lambda *args, **kwargs: sent.append(kwargs or args)
    lab._step.slider.value = 4
    assert len(sent) == 1


def test_still_picture_and_text():
    lab = CacheStepper()
    figure = lab.still_figure()
    assert repr(lab) == lab.still_text() == "CacheStepper. " + lab.model.sentence()
    assert "rows: 4 reused, 4 new, 4 not needed, 20 not yet." in figure.description
    drawn = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert drawn == list("xRRx" * 2 + "NNNN" + "····" * 5 + "xxx·····" * 2 + "NNN·····" + "········" * 5)


def test_a_still_picture_has_a_past_where_the_lab_opens_without_one():
    lab = CacheStepper("article")
    assert "Step 1 of 3" in lab._lines.value and "Step 2 of 3" in lab.still_text()
    assert "rows: 2 reused, 4 new, 2 not needed, 4 not yet." in lab.still_figure().description
    assert lab.model.step == 1


def test_categories_picture_draws_each_kind():
    figure = plots.categories(
        {"a": [[0, 1]], "b": [[1, 1]]}, ["배"], {"a": ["x", "y"], "b": ["x", "y"]},
        names=["old", "new"], symbols=["o", "n"], colours=["#ffffff", "#ff0000"], title="What is new",
    )  # fmt: skip
    assert figure.description == "What is new. a: 1 old, 1 new. b: 0 old, 2 new."
    assert figure.axes[0].images[0].cmap(figure.axes[0].images[0].norm(1))[:3] == (1, 0, 0)
    plots.png(figure)


def test_the_lab_asks_what_comes_next_and_at_the_end_for_the_other_way():
    lab = CacheStepper()
    assert lab._goal.value == f"<b>{MESSAGES['ask']}</b>"
    lab._step_to(lab.model.last)
    assert lab._goal.value == f"<b>{lab.model.question()}</b>"
    assert lab.model.question() == MESSAGES["ask again"].format(way="recompute everything")
    lab._way.value = True
    assert lab.model.question() == MESSAGES["ask reused"].format(way="with a KV cache")
