"""The cache stepper: its tiles against what the calculation needs, its counts, its guesses, and odd input."""

from dataclasses import replace

from attention_lib.lessons.kv_cache.cache_stepper import (
    AGAIN,
    DONE,
    NEVER,
    NEW,
    NOT_YET,
    PRESETS,
    REUSED,
    CacheStepper,
    StepperState,
    shown_tiles,
    tiles_of,
    tiles_so_far,
)

LETTERS = {REUSED: "R", NEW: "N", NEVER: "x", AGAIN: "A", NOT_YET: "·", DONE: "o"}


def letters(states):
    return ["".join(LETTERS[kind] for kind in row) for row in states]


def test_what_happens_in_a_step():
    assert letters(tiles_of(StepperState("a b c d", now=3))) == ["xxN·", "RRN·", "RRN·"]
    assert letters(tiles_of(StepperState("a b c d", now=4, window=2))) == ["xxxN", "xxRN", "xxRN"]
    assert letters(tiles_of(StepperState("a b c d", now=3, recompute=True))) == ["AAN·"] * 3
    assert letters(tiles_of(StepperState("a b c d", now=2, prompt=2))) == ["NN··"] * 3
    assert {tiles_so_far(PRESETS["prefill"][1], recompute) for recompute in (False, True)} == {15}


def test_while_the_reader_is_asked_the_tiles_do_not_show_which_are_kept():
    state = CacheStepper().state
    for asked in (state, replace(state, recompute=True), replace(state, window=2)):
        assert letters(shown_tiles(asked)) == ["ooo·····"] * 3
    answered = replace(state, is_asked=False)
    assert letters(shown_tiles(answered)) == ["xxN·····", "RRN·····", "RRN·····"]


def test_a_guess_is_judged_and_undone():
    lab = CacheStepper()
    for row, column in ((0, 3), (1, 3), (1, 0)):
        lab.tiles[row][column].click()
    assert [lab.tiles[0][3].description, lab.tiles[1][0].description] == ["?", "?"]
    lab.next.click()
    assert lab.goal.text == "Not yet: right 2, too many 1, missing 1. Try once more, then Check."
    lab.tiles[1][0].click()
    assert "right 2, too many 1" in lab.goal.text and lab.state.is_asked, "no count follows the second guess"
    lab.tiles[1][0].click()
    lab.next.click()
    assert lab.goal.text == "You found 2 of the 3 calculated tiles. Marked but not needed: 1."
    assert "tile-judged" in lab.tiles[1][0]._dom_classes
    lab.undo()
    lab.tiles[1][0].click()
    lab.tiles[2][3].click()
    lab.next.click()
    assert lab.goal.text == "Goal reached: you found all 3 tiles. Now play the rest, and watch the two counts."
    lab.tiles[0][4].click()
    assert not lab.state.is_asked and "Press Next word" in lab.message.text, "a click on a tile leaves the answer there"
    lab.next.click()
    lab.tiles[0][4].click()
    lab.next.click()
    assert "right 1, too many 0, missing 2" in lab.goal.text, "each word has its own two guesses"


def test_check_gives_no_answer_before_a_tile_is_marked():
    lab = CacheStepper()
    before = lab.state
    lab.next.click()
    assert lab.state == before and lab.message.text.startswith("Click the tiles")
    for row, place in column(lab):
        lab.tiles[row][place].click()
    lab.next.click()
    assert not lab.state.is_asked and lab.message.text == ""


def column(lab):
    return [(row, lab.state.now) for row in range(3)]


def test_the_word_that_is_asked_about_is_explained_and_marked():
    lab = CacheStepper()
    assert lab.goal.text.startswith("Next word: 가 (subject marker).")
    newest = [word.text for word in lab.word_labels if "tile-newest" in word._dom_classes]
    assert newest == ["가"]
    lab.tiles[0][3].click()
    lab.next.click()
    assert [word.text for word in lab.word_labels if "tile-newest" in word._dom_classes] == ["가"]
    assert CacheStepper("article").goal.text.startswith("Next word: 는 (marks the topic).")
    assert CacheStepper("recompute").goal.text.startswith("Another layer follows."), "in the last, a query is enough"
