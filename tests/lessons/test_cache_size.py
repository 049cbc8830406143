"""Conversations in the memory of a GPU: a guess, the counts of the published shapes, the goal, and odd input."""

import pytest

from attention_lib.lessons.kv_cache.cache_size import (
    MEMORY,
    MODELS,
    MOST_TILES,
    CacheSize,
    shape_of,
)


def test_the_reader_guesses_before_anything_is_counted():
    lab = CacheSize("Llama-2-7B", n_tokens=8192)
    assert lab.goal.text.startswith("How many conversations of 8,192 tokens") and lab.board.value.count("<i>") == 100
    assert lab.heads.layout.display == "none" and "819.2 MiB" in lab.line.text
    lab.guess.box.value = "37"
    assert lab.board.value.count("<i>") == 37 and "size-guess" in lab.board.value
    lab.answer.click()
    assert lab.guess.layout.display == lab.answer.layout.display == "none" and "size-guess" not in lab.board.value
    goal = "There is room for 20; you guessed 37. Make room for 160: move a slider."
    assert lab.goal.text == goal and lab.board.value.count("<i>") == 20
    lab.window.box.value = "4"
    assert lab.goal.text == "40,960 fit, but each forgets too much: keep at least 1,024 of its 8,192 tokens."
    lab.window.box.value = "100000"
    assert "100000 became 8192." in lab.message.text and "is-reached" not in lab.goal._dom_classes
    lab.start_again()
    assert lab.goal.text.startswith("How many")


@pytest.mark.parametrize("name", MODELS)
def test_every_conversation_is_a_tile_as_far_as_tiles_are_told_apart(name):
    lab = CacheSize(name, n_tokens=8192)
    lab.answer.click()
    assert shape_of(lab.state).cache_bytes(8192) == MODELS[name].cache_bytes(8192) and "Make" in lab.goal.text
    for control, value in ((lab.heads, 1), (lab.window.slider, 9)):
        control.value = value
        n = MEMORY // shape_of(lab.state).cache_bytes(lab.state.n_tokens)
        assert lab.board.value.count("<i>") == min(n, MOST_TILES) and f"{n:,}" in lab.goal.text


def test_a_conversation_that_has_no_room_says_so():
    lab = CacheSize("Llama-2-7B", n_tokens=2**17)
    lab.answer.click()
    lab.bytes.value = 4
    assert lab.goal.text.startswith("There is room for 0.") and "size-none" in lab.board.value


def test_a_latent_leaves_no_heads_to_set():
    lab = CacheSize("DeepSeek-V2")
    lab.answer.click()
    assert "60 layers × 4,096 tokens × a latent of 576 × 2 bytes" in lab.line.text
    assert lab.heads.layout.display == "none"
    lab._starts.value = "Llama-3-8B"
    lab.answer.click()
    assert lab.heads.layout.display == ""
    assert [n for _, n in lab.heads.options] == [1, 2, 4, 8, 16, 32] and lab.heads.value == 8
    assert {model.n_heads for model in MODELS.values() if model.latent is None} == {32}


def test_a_pattern_of_layers_keeps_less_the_more_layers_have_the_window():
    lab = CacheSize("Llama-2-7B", n_tokens=8192)
    lab.answer.click()
    lab.window.box.value = "1024"
    rooms = {}
    for full_every in (0, 6, 2):
        lab.patterns.value = full_every
        rooms[full_every] = lab.goal.text
    assert "160 conversations" in rooms[0] and "room for 73." in rooms[6] and "room for 35." in rooms[2]
