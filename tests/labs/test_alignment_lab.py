"""The alignment lab without a browser: its model, then its controls."""

import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import attention_lib as al
from attention_lib.examples import alignment_goals
from attention_lib.examples.alignment_goals import Change, Measure, flat, looks_at, own_words, start_of
from attention_lib.examples.sentence_pairs import SentencePair, load_pairs
from attention_lib.labs.alignment_lab import (
    ARRANGEMENT,
    GOALS,
    HIGH,
    INPUTS,
    LABELS,
    LOW,
    MESSAGES,
    STEP,
    AlignmentLab,
    AlignmentModel,
)
from attention_lib.view.follow import Written
from attention_lib.view.lab import CHANGED
from attention_lib.view.lab import MESSAGES as SAID

LINE = 108  # letters of a line beside the file browser of a window 1280 wide

# -- the model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GOALS)
def test_no_goal_is_reached_at_its_start_and_every_way_reaches_it(name: str) -> None:
    model = AlignmentModel(name)
    assert not model.progress().reached
    assert model.goal_text().startswith("Goal: ")
    model.show_way()
    assert model.progress().reached
    assert model.goal_text().startswith("Goal reached: ")


@pytest.mark.parametrize("name", GOALS)
def test_ways_stay_on_the_sliders_grid(name: str) -> None:
    for change in GOALS[name].way + GOALS[name].start:
        assert LOW <= change.value <= HIGH
        assert change.value / STEP == round(change.value / STEP)


@pytest.mark.parametrize("name", ["last", "article", "half", "to"])
def test_starts_are_the_pairs_of_the_notebook(name: str) -> None:
    pair, model = load_pairs()[GOALS[name].pair], AlignmentModel(name)
    assert np.array_equal(model.trace.weights, pair.trace().weights)


def test_the_broken_projection_is_the_identity_and_no_word_finds_its_own() -> None:
    model = AlignmentModel("mend")
    assert np.array_equal(model.crossing.W_K, np.eye(4))
    assert "0 of 5 words" in model.progress().now


def measured(measure: Measure, name: str) -> tuple[bool, str]:
    state = start_of(name)
    read = Written({"weights": state.trace().weights})
    when, now = measure(state.pair, read)
    return read.holds(when), now


def asked(ask: str, pair: SentencePair, weights: NDArray[Any]) -> bool:
    """What a sentence asks of the weights as they are read, taken from its words alone."""
    read, words, keys = weights.round(2), list(pair.english), list(pair.korean)
    if found := re.match("make “(.+?)”.* read (\\S+) (.+?)(, by|$|\\.$)", ask):
        word, key, how, _ = found.groups()
        row, column = words.index(word), keys.index(key)
        if how == "more than any other word":
            return bool(weights[row, column] > np.delete(weights[row], column).max() + 1e-9)
        return bool(read[row, column] >= float(re.fullmatch("with (.+) or more", how)[1]))  # type: ignore[index]
    if found := re.match("bring every weight between (.+) and (.+)\\.$", ask):
        low, high = map(float, found.groups())
        return bool((read >= low).all() and (read <= high).all())
    found = re.match("make every English word read its own Korean word (most|with (.+?) or more)", ask)
    assert found, ask
    meant = [(i, own) for i, own in enumerate(pair.alignment) if own.any()]
    most = all(weights[i][own].max() > weights[i][~own].max() + 1e-9 for i, own in meant)
    return most and (found[1] == "most" or all(read[i][own].max() >= float(found[2]) for i, own in meant))


@pytest.mark.parametrize("name", GOALS)
def test_a_goal_is_reached_where_its_sentence_says_so(name: str) -> None:
    """Of all states that one number makes of the start and of the end of the way: what is asked, and what is judged."""
    goal, found = GOALS[name], set()
    for begin in (start_of(name), start_of(name).with_edits(goal.way)):
        for panel in INPUTS[:-1]:  # W_V moves no weight
            for row, column in np.ndindex(getattr(begin, panel).shape):
                for value in np.arange(LOW, HIGH + STEP, STEP):
                    state = begin.with_edits((Change(panel, row, column, value),))
                    weights = state.trace().weights
                    when, _ = goal.measure(state.pair, read := Written({"weights": weights}))
                    is_asked = asked(goal.ask, state.pair, weights)
                    assert read.holds(when) == is_asked, (panel, row, column, value, weights.round(3).tolist())
                    found.add(is_asked)
    assert found == {True, False}


def test_what_reads_as_enough_is_enough() -> None:
    model = AlignmentModel("article")
    model.edit("X", 0, 0, 0.881)
    assert model.trace.weights[0, 0] < 0.5
    assert model.goal_text().startswith("Goal reached: ") and "reads 고양이가 with 0.50;" in model.goal_text()


def test_looks_at_wants_the_largest_weight_alone() -> None:
    said = "“raining” reads 비가 with 0.50; its largest weight is 0.50, on 비가, 온다."  # 0.5 and 0.5
    assert measured(looks_at("raining", "비가"), "half") == (False, said)
    assert measured(looks_at("is", "온다"), "half")[0]
    assert not measured(looks_at("is", "온다", 0.74), "half")[0]  # it has 0.73
    assert measured(looks_at("is", "온다", 0.73), "half")[0]


def test_own_words_counts_only_words_with_a_counterpart() -> None:
    said = "4 of 4 words do so; the smallest weight on an own word is 0.71, of “sat”."  # six words, two articles
    assert measured(own_words(), "article") == (True, said)
    assert not measured(own_words(0.75), "article")[0]


def test_a_goal_for_one_number_is_not_reached_with_two() -> None:
    model = AlignmentModel("last")
    model.edit("X", 0, 0, 1.0)
    assert model.goal_text().startswith("Goal: make “last” read 밤에 more than any other word, by changing one number.")
    model.edit("X", 3, 3, 1.0)
    assert not model.progress().reached
    assert model.goal_text().startswith("Reached, but with 2 numbers: make “last” read")
    model.edit("W_V", 0, 0, 2.5)
    assert model.goal_text().startswith("Reached, but with 3 numbers: ")
    for panel, row, column in [("W_V", 0, 0), ("X", 0, 0)]:  # back to what they were
        model.edit(panel, row, column, getattr(start_of("last"), panel)[row, column])
    assert model.progress().reached
    assert model.goal_text().startswith("Goal reached: ")


def test_a_goal_for_projections_alone_is_not_reached_with_changed_words() -> None:
    model = AlignmentModel("sure")
    assert "by changing projections alone." in model.goal_text()
    model.show_way()
    for panel, column, said in [("X", 0, "X is"), ("context", 2, "X and context are")]:
        model.edit(panel, 0, column, 2.25)
        assert not model.progress().reached
        assert model.goal_text().startswith(f"Reached, but {said} changed too: make every")
    model.edit("X", 0, 0, 2.0)  # as it was
    assert model.goal_text().startswith("Reached, but context is changed too: make every")
    model.edit("context", 0, 2, 2.0)
    assert model.progress().reached


def test_flat_looks_at_both_ends() -> None:
    assert measured(flat(0.26, 0.74), "half")[0]  # weights from 0.27 to 0.73
    assert not measured(flat(0.28, 0.74), "half")[0]
    assert not measured(flat(0.26, 0.72), "half")[0]


def test_ends_that_read_alike_are_told_as_one_number() -> None:
    model = AlignmentModel("flat")
    assert "lie between" in model.progress().now
    model.show_way()
    assert model.progress() == (True, "All weights are 0.20.")
    model.edit("W_Q", 0, 0, 0.002)  # not quite alike, and reads so
    assert model.trace.weights.min() < model.trace.weights.max()
    assert model.progress().now == "All weights are 0.20."


def test_edit_reaches_what_it_should_and_nothing_else() -> None:
    model = AlignmentModel()
    before = model.matrices()

    def moved() -> set[str]:
        return {name for name, now in model.matrices().items() if not np.array_equal(now, before[name])}

    model.edit("W_V", 0, 0, 1.0)
    assert moved() == {"W_V", "V", "output"}
    model.undo()
    model.edit("X", 3, 2, 1.0)
    assert moved() == {"X", "Q", "scores", "scaled scores", "weights", "output"}
    rows = np.flatnonzero((model.trace.weights != before["weights"]).any(axis=1))
    assert rows.tolist() == [3]
    model.undo()
    model.edit("context", 1, 0, 1.0)
    assert moved() == {"context", "K", "V", "scores", "scaled scores", "weights", "output"}
    columns = np.flatnonzero((model.trace.scores != before["scores"]).any(axis=0))
    assert columns.tolist() == [1]


def test_edits_are_clipped_and_leave_the_stored_pair_alone() -> None:
    model = AlignmentModel()
    model.edit("X", 0, 0, 99)
    assert model.crossing.X[0, 0] == HIGH
    assert load_pairs()["chicken"].X[0, 0] == 2
    assert AlignmentModel().crossing.X[0, 0] == 2


def test_one_gesture_is_one_undo() -> None:
    model = AlignmentModel()
    for value in (0.25, 0.5, 0.75):
        model.edit("X", 3, 3, value, gesture="a")
    model.edit("X", 3, 3, 1.0, gesture="b")
    model.edit("X", 3, 3, 1.25)  # no gesture: always one of its own
    model.edit("X", 3, 3, 1.5)
    for expected in (1.25, 1.0, 0.75, -1.0):
        assert model.undo()
        assert model.crossing.X[3, 3] == expected
        assert np.array_equal(model.trace.Q, model.crossing.X @ model.crossing.W_Q)
    assert not model.undo()


def test_what_changes_nothing_is_no_step() -> None:
    model = AlignmentModel()
    model.reset()
    model.start_from(model.goal)
    model.edit("X", 3, 3, 1.0)
    model.edit("X", 3, 3, 1.0)
    model.show_way()  # the same number
    assert model.undo() and model.crossing.X[3, 3] == -1
    assert not model.undo()


def test_a_gesture_after_undo_is_a_new_one() -> None:
    model = AlignmentModel()
    model.edit("X", 3, 3, 0.5, gesture="a")
    model.undo()
    model.edit("X", 3, 3, 0.75, gesture="a")
    assert model.undo()
    assert model.crossing.X[3, 3] == -1.0


def test_reset_load_and_way_can_be_undone() -> None:
    model = AlignmentModel()
    model.edit("X", 3, 3, 0.5)
    model.reset()
    assert model.crossing.X[3, 3] == -1.0
    model.start_from("article")
    model.show_way()
    assert model.undo() and model.undo()
    assert model.goal == "last" and model.crossing.pair.name == "chicken"
    assert model.undo()
    assert model.crossing.X[3, 3] == 0.5


def test_one_trace_for_each_change(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return al.cross_attention(*arguments)

    monkeypatch.setattr(alignment_goals, "cross_attention", counted)
    lab = AlignmentLab()
    calls.clear()
    edit(lab, "X", 3, 3, 0.5)
    assert len(calls) == 1


def test_reading_names_every_word_and_ties() -> None:
    assert AlignmentModel("half").reading() == "It reads both alike (0.50); is 온다 (0.73); raining both alike (0.50)."
    assert AlignmentModel("article").reading().startswith("The reads all 4 alike (0.25); cat 고양이가 (0.78);")
    assert (
        AlignmentModel("mend").reading().startswith("I reads 2 alike (0.42); ate 밤에 (0.45); chicken 3 alike (0.31);")
    )


@pytest.mark.parametrize("name", GOALS)
def test_code_gives_the_numbers_shown(name: str) -> None:
    model = AlignmentModel(name)
    model.edit("context", 0, 1, 1.25)
    scope: dict[str, Any] = {}
    exec(model.code(), scope)
    assert np.array_equal(scope["trace"].weights, model.trace.weights)
    assert np.array_equal(scope["trace"].output, model.trace.output)
    assert all(np.array_equal(scope[name], getattr(model.crossing, name)) for name in INPUTS)
    assert tuple(scope["korean"]) == model.crossing.pair.korean


def test_an_unknown_goal_is_named() -> None:
    with pytest.raises(ValueError, match="no goal 'x'; the goals are last, sure"):
        AlignmentLab("x")


# -- the lab --------------------------------------------------------------------------------------


def edit(lab: AlignmentLab, panel: str, row: int, column: int, value: float, gesture: str = "g") -> None:
    """Play the message that a browser sends."""
    cell = {"panel": panel, "row": row, "column": column, "value": value}
    lab.view._receive(lab.view, {"do": "edit", "view": "t", "n": 1, "gesture": gesture, **cell}, [])


def select(lab: AlignmentLab, panel: str, row: int, column: int | None) -> None:
    message = {"do": "select", "view": "t", "n": 1, "panel": panel, "row": row, "column": column}
    lab.view._receive(lab.view, message, [])


def said(lab: AlignmentLab) -> str:
    return str(lab._message.value)


@pytest.fixture
def lab() -> AlignmentLab:
    return AlignmentLab()


@pytest.mark.parametrize("name", GOALS)
def test_every_panel_shows_the_trace(name: str) -> None:
    lab = AlignmentLab(name)
    for panel, matrix in lab.model.matrices().items():
        assert np.array_equal(lab.view[panel], matrix), panel


def test_the_chain_is_shown_whole(lab: AlignmentLab) -> None:
    shown = {panel for line in ARRANGEMENT for panel in line}
    assert shown == {*INPUTS, "Q", "K", "V", "scores", "scaled scores", "weights", "output"}
    assert np.allclose(lab.view["scaled scores"], lab.view["scores"] / np.sqrt(4), rtol=0, atol=1e-15)  # d_k = 4
    edit(lab, "W_Q", 0, 0, 2.5)
    assert np.array_equal(lab.view["scaled scores"], lab.model.trace.scaled_scores)


def test_an_edit_moves_every_panel_the_goal_and_the_words(lab: AlignmentLab) -> None:
    edit(lab, "X", 3, 3, 1.0)
    assert lab.view.last_error is None
    assert np.array_equal(lab.view["weights"], lab.model.trace.weights)
    assert lab.view["weights"][3].argmax() == 2
    assert "Goal reached" in lab._goal.said.value
    assert "last 밤에 (0.62)" in str(lab.view._captions["weights"])


def test_an_edit_is_one_message_of_the_view(lab: AlignmentLab, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(lab.view, "_send", lambda message, buffers=None: sent.append(message))
    edit(lab, "X", 3, 3, 1.0)
    assert len(sent) == 1


def test_slider_and_box_follow_the_chosen_cell_and_change_it(lab: AlignmentLab) -> None:
    assert lab._value.slider.disabled  # it does not open at the number that solves it
    select(lab, "X", 3, 3)
    assert (lab._value.slider.value, lab._value.box.value) == (8, "-1")  # the ninth of the steps from -3 up
    assert lab._value.label == "X last, hour"
    select(lab, "context", 1, 0)
    assert (lab._value.slider.value, lab._value.box.value) == (20, "2")
    lab._value.slider.value = 18
    lab._value.slider.value = 16
    assert lab.model.crossing.context[1, 0] == 1.0
    lab._undo()  # both moves of the slider were one gesture
    assert lab.model.crossing.context[1, 0] == 2.0
    lab._value.box.value = "−0.3"
    assert lab.model.crossing.context[1, 0] == -0.3
    assert (lab._value.slider.value, lab.view["context"][1, 0]) == (11, -0.3)  # the nearest step; the number stays
    lab._value.box.value = "0,5"
    assert lab.model.crossing.context[1, 0] == 0.5


def test_sliders_end_at_the_ends(lab: AlignmentLab) -> None:
    select(lab, "X", 3, 3)
    lab._value.slider.value = lab._value.slider.max
    assert lab.model.crossing.X[3, 3] == HIGH
    lab._value.slider.value = lab._value.slider.min
    assert lab.model.crossing.X[3, 3] == LOW


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("", "Type a number; X last, hour stays -1."),
        ("chicken", "“chicken” is not a number; X last, hour stays -1."),
        ("nan", "“nan” is not a number; X last, hour stays -1."),
        ("배" * 300, "“" + "배" * 20 + "” is not a number; X last, hour stays -1."),
    ],
)
def test_bad_input_is_a_sentence_and_changes_nothing(lab: AlignmentLab, typed: str, answer: str) -> None:
    select(lab, "X", 3, 3)
    lab._value.box.value = typed
    assert lab._value.said.value == answer
    assert lab._value.box.value == "-1"
    assert np.array_equal(lab.model.crossing.X, load_pairs()["chicken"].X)


def test_typed_markup_stays_text(lab: AlignmentLab) -> None:
    select(lab, "X", 3, 3)
    lab._value.box.value = "<b>1</b>"
    assert "&lt;b&gt;" in lab._value.said.value


@pytest.mark.parametrize(("typed", "kept"), [("4", 3), ("-1e300", -3), ("9" * 300, 3), ("inf", 3)])
def test_a_number_out_of_range_becomes_the_nearest(lab: AlignmentLab, typed: str, kept: float) -> None:
    select(lab, "X", 3, 3)
    lab._value.box.value = typed
    assert lab._value.said.value.startswith("X last, hour can be −3 to 3: ")
    assert len(lab._value.said.value) < 80
    assert lab.model.crossing.X[3, 3] == kept


def test_a_computed_cell_or_a_row_cannot_be_set(lab: AlignmentLab) -> None:
    for chosen in [("weights", 0, 0), ("X", 1, None)]:
        select(lab, "X", 3, 3)
        select(lab, *chosen)
        assert lab.view.last_error is None
        assert lab._value.slider.disabled and lab._value.box.disabled
        assert lab._value.label == MESSAGES["no cell"]
        lab._value.slider.value = 20
        lab._value.box.value = "1"
        assert np.array_equal(lab.model.crossing.X, load_pairs()["chicken"].X)
    select(lab, "X", 1, 1)
    assert not lab._value.slider.disabled


def test_a_chosen_word_is_marked_wherever_it_takes_part(lab: AlignmentLab) -> None:
    select(lab, "X", 2, 0)
    assert lab.view._highlight["weights"] == [[2, None]] and lab.view._highlight["output"] == [[2, None]]
    assert "context" not in lab.view._highlight
    select(lab, "context", 3, 0)
    assert lab.view._highlight["weights"] == [[None, 3]] and lab.view._highlight["V"] == [[3, None]]
    assert "X" not in lab.view._highlight
    select(lab, "weights", 2, 3)
    assert lab.view._highlight["weights"] == [[2, 3]]
    assert lab.view._highlight["X"] == [[2, None]] and lab.view._highlight["K"] == [[3, None]]
    select(lab, "W_Q", 0, 0)
    assert lab.view._highlight == {}


def test_what_was_chosen_among_other_words_is_marked_and_named_no_more(lab: AlignmentLab) -> None:
    for chosen in [("X", 3, 3), ("weights", 2, 2)]:
        lab._start_from("last")
        select(lab, *chosen)
        assert lab.view._highlight
        lab._start_from("sure")  # the same words
        assert lab.view._highlight
        lab._start_from("article")
        assert (lab.view._highlight, lab.view.selected) == ({}, None)
        assert lab._value.label == MESSAGES["no cell"] and lab._value.slider.disabled
        select(lab, *chosen)
        lab._undo()
        assert (lab.view._highlight, lab.view.selected) == ({}, None)


def test_goals_change_the_sentences_and_undo_brings_them_back(lab: AlignmentLab) -> None:
    edit(lab, "X", 0, 0, 1.0)
    lab._preset.value = "article"
    assert lab.view["weights"].shape == (6, 4)
    assert said(lab) == SAID["loaded"]
    lab._undo()
    assert lab.view["weights"].shape == (5, 5)
    assert lab._preset.value == CHANGED
    assert lab.view["X"][0, 0] == 1.0
    lab._undo()
    assert lab.view["X"][0, 0] == 2.0
    lab._undo()
    assert said(lab) == SAID["nothing to undo"]


def test_reset_and_way(lab: AlignmentLab) -> None:
    edit(lab, "X", 0, 0, 1.0)
    lab._show_way(None)
    told = said(lab)
    assert told == "One way of many: X last, hour = 1. Undo goes back."
    lab._show_way(None)
    assert said(lab) == told, "what is asked twice is answered alike"
    assert lab.view["X"][0, 0] == 2.0
    lab._reset()
    assert said(lab) == SAID["reset"]
    assert "Goal: " in lab._goal.said.value
    lab._undo()
    lab._undo()
    assert lab.view["X"][0, 0] == 1.0


@pytest.mark.parametrize("name", GOALS)
def test_a_way_is_told_in_one_line(name: str) -> None:
    lab = AlignmentLab(name)
    lab._show_way(None)
    assert len({change.panel for change in GOALS[name].way}) == 1
    assert len(said(lab)) <= LINE
    if name == "sure":
        assert said(lab) == "One way of many: 4 numbers of W_Q. Undo goes back."


def test_what_can_be_done_is_told_in_one_line() -> None:
    assert len(LABELS["hint"]) <= LINE


def test_the_copied_code_follows(lab: AlignmentLab) -> None:
    lab._code.switch.value = True
    assert lab._code.area.layout.display == ""
    edit(lab, "X", 3, 3, 0.5)
    assert "[0.0, 0.0, 2.0, 0.5]" in lab._code.area.value
    lab._code.switch.value = False
    assert lab._code.area.layout.display == "none"


@pytest.mark.parametrize("message", [{"value": "x"}, {"row": 9}, {"panel": "weights"}, {"panel": "nothing"}])
def test_nonsense_from_the_page_keeps_the_last_good_picture(lab: AlignmentLab, message: dict[str, Any]) -> None:
    content = {"do": "edit", "view": "t", "n": 1, "gesture": "g", "panel": "X", "row": 0, "column": 0, "value": 1.0}
    lab.view._receive(lab.view, content | message, [])
    assert lab.view.note
    assert np.array_equal(lab.view["X"], load_pairs()["chicken"].X)
    edit(lab, "X", 0, 0, 1.0)  # and it goes on
    assert lab.view["X"][0, 0] == 1.0


def test_two_labs_do_not_share_anything() -> None:
    one, other = AlignmentLab(), AlignmentLab()
    edit(one, "X", 0, 0, 1.0)
    assert other.view["X"][0, 0] == 2.0


def test_the_still_picture_shows_what_is_changed_what_follows_and_the_goal(lab: AlignmentLab) -> None:
    data, metadata = lab._repr_mimebundle_()
    assert data["text/plain"] == repr(AlignmentLab()) == f"Alignment lab. {lab.model.reading()}"
    assert "I attends most to 나는, 0.70" in metadata["image/png"]["alt"]
    figure = lab.still_figure()
    drawn = [axes.images[0].get_array() for axes in figure.axes]
    pair = lab.model.crossing.pair
    assert all(map(np.array_equal, drawn, [pair.context, pair.W_K, lab.model.trace.weights]))
    assert [axes.images[0].norm.vmax for axes in figure.axes] == [3, 3, 1]  # as the live lab colours them
    edit(lab, "context", 1, 0, 1.0)
    assert lab.still_figure().axes[0].images[0].get_array()[1, 0] == 1
    assert lab.model.goal_text() in lab.still_figure().get_suptitle().replace("\n", " ")


def test_all_inputs_can_be_edited_and_nothing_else(lab: AlignmentLab) -> None:
    assert {name for name, panel in lab.view.panels.items() if panel.editable} == set(INPUTS)
