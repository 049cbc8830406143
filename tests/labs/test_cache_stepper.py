"""The cache stepper: its tiles against what the calculation needs, its counts, its guesses, and odd input."""

from dataclasses import replace

import numpy as np
import pytest

from attention_lib import KVCache, plots, sliding_window_mask
from attention_lib.labs.cache_stepper import (
    BAE,
    MOST_WORDS,
    PRESETS,
    CacheStepper,
    calculated,
    largest_gap,
    places_of,
    score_table,
    scores_made,
    setting_of,
    tiles_of,
    tiles_so_far,
)
from attention_lib.lessons.kv_cache.decoding import (
    AGAIN,
    NEVER,
    NEW,
    NOT_YET,
    REUSED,
    layer_of,
    row_states,
    score_states,
)

BOUND = 1e-12  # on |cached - full|: some hundred roundings of 1.1e-16, with numbers of about 1
LETTERS = {REUSED: "R", NEW: "N", NEVER: "x", AGAIN: "A", NOT_YET: "·"}


def letters(states):
    return ["".join(LETTERS[kind] for kind in row) for row in states]


def test_what_happens_in_a_step():
    assert letters(row_states(4, 2, 3)) == ["xRRx", "xRRx", "NNNN", "····"]
    assert letters(score_states(4, 0, 3)) == ["Nxx·", "NNx·", "NNN·", "····"]
    assert letters(row_states(4, 3, 4, window=2)) == ["xxxx", "xxxx", "xRRx", "NNNN"]
    assert letters(score_states(3, 2, 3, recompute=True)) == ["Axx", "AAx", "NNN"]
    assert letters(row_states(2, 0, 0)) == ["····"] * 2


@pytest.mark.parametrize("name", PRESETS)
def test_a_tile_is_kept_where_changing_it_moves_the_new_output(name):
    state = replace(PRESETS[name][1], now=len(PRESETS[name][1].sentence.split()), recompute=False)
    setting, (n, before, now, window, _) = setting_of(state), places_of(state)
    X, layer = layer_of(setting)
    mask = sliding_window_mask(now - before, now, left=None if window is None else window - 1)
    for row, cached in ((1, "_K"), (2, "_V")):
        for token in range(before):
            outputs = []
            for change in (0.0, 1.0):
                cache = KVCache(n, layer.n_kv_heads, layer.d_k)
                layer(X[:before], cache=cache)
                getattr(cache, cached)[:, token] += change * np.arange(1, layer.d_k + 1)
                outputs.append(layer(X[before:now], mask=mask, cache=cache).output)
            assert (tiles_of(state)[row, token] == REUSED) == (not np.allclose(*outputs))
    assert largest_gap(state) < BOUND


def test_the_gap_is_measured(monkeypatch):
    append = KVCache.append
    monkeypatch.setattr(KVCache, "append", lambda self, K, V: append(self, np.asarray(K) * 1.001, V))
    assert largest_gap(replace(PRESETS["bae"][1], now=8, sentence="one two three")) > BOUND


def test_a_sentence_is_counted_to_its_end():
    lab = CacheStepper()
    made = {recompute: 3 * 3 * (2 if recompute else 1) for recompute in (False, True)}  # three words: 9, and 3 + 6 + 9
    for _ in range(5):
        lab.next.click()
        for recompute in (False, True):
            made[recompute] += len(calculated(replace(lab.state, recompute=recompute)))
            assert tiles_so_far(lab.state, recompute) == made[recompute]
    assert [count.text for count in lab.counts] == ["24", "108"] and lab.next.disabled
    assert (scores_made(lab.state, False), scores_made(lab.state, True)) == (8, 36)
    assert "24 tiles" in lab.goal.text
    lab.act(lambda state: replace(state, recompute=True))
    assert lab.goal.text == "Without a cache, 8 words take 108 tiles instead of 24."
    assert {tile.description for row in lab.tiles for tile in row} == {"again", "new"}


def test_a_guess_is_judged_and_undone():
    lab = CacheStepper()
    for row, column in ((0, 3), (1, 3), (1, 0)):
        lab.tiles[row][column].click()
    assert [lab.tiles[0][3].description, lab.tiles[1][0].description] == ["?", "?"]
    lab.next.click()
    assert lab.verdict.text == "You found 2 of 3 calculated tiles. Marked, but not calculated: 1."
    assert "tile-judged" in lab.tiles[1][0]._dom_classes
    lab.undo()
    lab.tiles[1][0].click()
    lab.tiles[2][3].click()
    lab.next.click()
    assert lab.verdict.text == "Goal reached: you found 3 of 3 tiles, and marked no others."
    lab.next.click()
    assert lab.verdict.text == ""


@pytest.mark.parametrize("text", ["", "   ", "a " * 100])
def test_a_sentence_that_cannot_be_shown_is_refused(text):
    lab = CacheStepper()
    lab.sentence.value = text
    assert lab.state == PRESETS["bae"][1] and lab.sentence.value == BAE
    assert "The picture stays as it was." in lab.message.text


def test_other_words_and_numbers():
    lab = CacheStepper()
    lab.sentence.value = "오늘 <b>nan</b> internationalism 🙂 1e400"
    assert lab.state.now == 1 and lab.labels[:2] == ["오늘", "<b>nan</b>"] and "<b>nan" not in score_table(lab.state)
    lab.prompt.box.value = "1e400"
    assert (lab.state.prompt, lab.state.now, lab.next.disabled) == (5, 5, True)
    lab.window.box.value = "nan"
    assert lab.state.window == MOST_WORDS
    lab.window.box.value = "2"
    assert letters(tiles_of(replace(lab.state, prompt=1))) == ["xxxxN", "xxxRN", "xxxRN"]
    with pytest.raises(ValueError, match="there is no preset 'mqa'"):
        CacheStepper("mqa")


def test_the_stored_picture_has_a_past():
    figure = CacheStepper("article").still_figure()
    drawn = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert drawn == list("xN·RN·RN·")


def test_a_picture_of_categories_draws_each_kind():
    figure = plots.categories(
        {"a": [[0, 1]], "b": [[1, 1]]}, ["배"], {"a": ["x", "y"], "b": ["x", "y"]},
        names=["old", "new"], symbols=["o", "n"], colours=["#ffffff", "#ff0000"], title="What is new",
        row_axis="token", column_axis="place",
    )  # fmt: skip
    assert figure.description == "What is new. a: 1 old, 1 new. b: 0 old, 2 new."
    assert figure.axes[0].images[0].cmap(figure.axes[0].images[0].norm(1))[:3] == (1, 0, 0)
