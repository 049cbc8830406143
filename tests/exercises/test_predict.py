"""Predictions: the plain model, the message tables, and the controls without a browser."""

import numpy as np
import pytest

from attention_lib.exercises import predictions
from attention_lib.exercises.content import CONTENT, content_of
from attention_lib.exercises.memory import Memory
from attention_lib.exercises.numbers import readings
from attention_lib.exercises.predictions import Prediction, Question, as_key, find_question, shuffled, sums_to_one
from attention_lib.exercises.progress import PROGRESS, Progress
from attention_lib.view.predict import PredictControl, as_html, predict, progress

TABLES = {number: content_of(number).QUESTIONS for number in CONTENT}
ALL = [(name, question) for table in TABLES.values() for name, question in table.items()]

CHOICE = Question("axes", "Rows: {answer}.", {"columns": "Columns no."}, {"rows": "each row", "columns": "each column"})
NUMBER = Question("root", "Root.", {"d_k": "That is d_k.", "other": "Count again."}, tolerance=0.1, digits=1)


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(predictions, "_kept", {})
    monkeypatch.setattr(PROGRESS, "entries", {})
    monkeypatch.setattr(PROGRESS, "_watcher", None)
    monkeypatch.setattr(PROGRESS, "_memory", Memory(None))
    monkeypatch.setattr(PROGRESS, "_remembered", None)


# The tables


def test_notebooks_01_to_06_have_a_table():
    assert set(TABLES) >= {"01", "02", "03", "04", "05", "06"}


@pytest.mark.parametrize("number", TABLES)
def test_each_notebook_has_predictions_of_its_own(number):
    assert len(TABLES[number]) >= 4
    assert all(name.startswith(number + ".") for name in TABLES[number])


@pytest.mark.parametrize(("name", "question"), ALL, ids=[name for name, _ in ALL])
def test_every_wrong_choice_has_a_sentence_and_every_sentence_a_choice(name, question):
    assert question.topic
    assert question.right.endswith((".", ")"))
    assert all(sentence.endswith((".", ")")) for sentence in question.wrong.values())
    assert "!" not in question.right + "".join(question.wrong.values())
    if question.choices:
        assert len(question.choices) >= 2
        assert len(set(question.choices) - set(question.wrong)) >= 1, "one choice is right, so it needs no sentence"
        assert set(question.wrong) <= set(question.choices)
    else:
        assert "other" in question.wrong


def test_unknown_name_is_refused_with_a_sentence():
    for name in ("01.nothing", "99.nothing", "", "xx"):
        with pytest.raises(ValueError, match=f"no prediction called '{name}'"):
            find_question(name)


# The model


def model(question, answer, **options):
    return Prediction("test", question, answer, progress=Progress(Memory(None)), **options)


def test_right_choice():
    prediction = model(CHOICE, "rows")
    assert prediction.commit("rows") == "Right: each row. Rows: each row."
    assert prediction.is_right()


def test_wrong_choice_gets_its_own_sentence():
    prediction = model(CHOICE, "rows")
    assert prediction.commit("columns") == "Not this one. Computed: each row. Columns no."
    assert not prediction.is_right()


def test_the_answer_decides_and_not_the_table():
    prediction = model(CHOICE, "columns")
    assert prediction.commit("columns").startswith("Right: each column.")
    prediction = model(CHOICE, "columns")
    assert prediction.feedback() == "Right: each column. Rows: each column."  # kept by name


@pytest.mark.parametrize(
    ("guess", "right"), [("8", True), ("8,05", True), ("7.9", True), ("16/2", True), ("7.8", False)]
)
def test_number_with_tolerance(guess, right):
    prediction = model(NUMBER, np.float64(8.0))
    assert prediction.commit(guess).startswith("Right: 8.0." if right else "Not quite. Computed: 8.0. Count again.")
    assert prediction.is_right() == right


def test_number_of_a_known_confusion():
    assert model(NUMBER, 8.0, confusions={"d_k": 64.0}).commit("64") == "Not quite. Computed: 8.0. That is d_k."


@pytest.mark.parametrize(
    "guess",
    [
        "",
        "  ",
        "eight",
        "1/0",
        "nan",
        "inf",
        "1e999",
        "--",
        None,
        "1,2,3",
        "x",
        "9**9**9",
        "f(3)",
        "[1]",
        "True",
        "9" * 50,
    ],
)
def test_a_number_that_cannot_be_read_leaves_all_as_it_was(guess):
    prediction = model(NUMBER, 8.0)
    assert prediction.commit(guess) == "Type a number first, such as 8, 0.125, 1/8 or 12 %."
    assert prediction.state == "open"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("8", 8), (" -1.5 ", -1.5), ("0,125", 0.125), ("1/8", 0.125), ("−2", -2), ("1e-3", 0.001), ("0,5", 0.5)],
        *[("4,096", 4096), ("12,345,678", 12345678), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("4 096", 4096)],
        *[("8,05", 8.05), ("84 %", 0.84), ("84%", 0.84), ("12,5 %", 0.125), ("e", np.e), ("1/e", 1 / np.e)],
        *[
            ("√8", 8**0.5),
            ("sqrt(8)", 8**0.5),
            ("8^2", 64),
            ("2**10", 1024),
            ("10³", 1000),
            ("½", 0.5),
            ("ln(2)", np.log(2)),
        ],
        *[("about 3", 3), ("~0.3", 0.3), ("3 times", 3), ("2·8", 16), ("1/2/4", 0.125), ("-e", -np.e), ("pi", np.pi)],
    ],
)
def test_numbers_as_people_type_them(text, number):
    assert readings(text)[0] == pytest.approx(number)


@pytest.mark.parametrize(
    ("answer", "guess", "right"),
    [(84.0, "84 %", True), (0.84, "84 %", True), (0.84, "84", False), (2.718, "2,718", True), (2718.0, "2,718", True)],
)
def test_what_a_number_means_is_decided_by_the_answer(answer, guess, right):
    question = Question("n", "Yes.", {"other": "No."}, tolerance=0.01)
    prediction = model(question, answer)
    prediction.commit(guess)
    assert prediction.is_right() == right


def test_a_confusion_of_the_table_is_met_nearby_and_may_be_right_in_part():
    wrong = {"one": "Nearly all.", "other": "No."}
    question = Question("n", "Yes.", wrong, tolerance=0.1, confusions={"one": 1.0}, partly=("one",))
    assert model(question, 0.84).commit("1.02") == "Right in part. Computed: 0.84. Nearly all."
    other = Question("n", "Yes.", wrong, tolerance=0.1)
    assert Prediction("other", other, 0.84, progress=Progress(Memory(None))).commit("1.02").startswith("Not quite.")


def test_a_choice_may_be_right_besides_the_computed_one():
    question = Question(
        "n", "Yes.", {"b": "No."}, {"a": "A", "b": "B", "cannot tell": "?"}, also_right={"cannot tell": "As {answer}."}
    )
    prediction = model(question, "a")
    assert prediction.commit("cannot tell") == "Right. As A."
    assert prediction.is_right()


# The order of the choices


CHOICES = [(name, question) for name, question in ALL if len(question.choices) > 1]


def test_choices_are_shuffled_the_same_on_every_run():
    assert list(shuffled("01.rows_or_columns", dict.fromkeys("abcd"))) == list("cbda")
    last = [list(shuffled(str(i), dict.fromkeys(["nothing", "rows", "columns"])))[-1] for i in range(20)]
    assert set(last) == {"nothing"}, "it refers to those above"


def test_the_right_choice_stands_first_in_at_most_half():
    first = [next(iter(shuffled(name, question.choices))) not in question.wrong for name, question in CHOICES]
    assert len(first) > 20
    assert sum(first) <= len(first) / 2, f"{sum(first)} of {len(first)}"


def test_tokens_keep_the_order_of_the_sentence():
    assert list(model(Question("maps", "Flat.", {}), "배", choices=["배", "고파서"]).choices) == ["배", "고파서"]


def test_no_choice_yet():
    prediction = model(CHOICE, "rows")
    assert prediction.commit(None) == "Choose an answer first."
    assert prediction.commit("diagonals") == "Choose an answer first."
    assert prediction.state == "open"


def test_tokens_in_place_of_the_tables_choices():
    question = Question("maps", "Flat.", {"고파서": "Not trained.", "other": "An accident."})
    prediction = model(question, np.str_("배"), choices=["배", "고파서", "치킨을"])
    assert prediction.commit("고파서") == "Not this one. Computed: 배. Not trained."
    prediction.again()
    assert prediction.commit("치킨을") == "Not this one. Computed: 배. An accident."


def test_an_answer_that_is_no_choice_is_said_plainly():
    assert "none of the choices" in model(CHOICE, "diagonals").commit("rows")


def test_an_answer_that_is_computed_later():
    later = {}
    prediction = model(CHOICE, lambda: later["answer"])
    assert prediction.commit("rows") == "The answer is not computed yet: run the cells above, then this one again."
    assert prediction.reveal() == prediction.commit("rows")
    assert prediction.state == "open"
    later["answer"] = "rows"
    assert prediction.commit("rows").startswith("Right")


def test_reveal_now_shows_the_answer_and_counts_nothing():
    store = Progress(Memory(None))
    prediction = Prediction("test", CHOICE, "rows", progress=store)
    assert prediction.reveal() == "Computed: each row. Rows: each row."
    assert store.summary() == "Predictions: 0 of 1 right."


def test_running_a_cell_twice_keeps_the_answer():
    model(CHOICE, "rows").commit("columns")
    again = model(CHOICE, "rows")
    assert (again.state, again.guess) == ("committed", "columns")
    assert again.feedback() == "Not this one. Computed: each row. Columns no."


def test_as_key():
    assert [as_key(value) for value in (8.0, np.float64(0.5), np.int64(3), "배")] == ["8", "0.5", "3", "배"]


def test_sums_to_one():
    rows = np.array([[0.5, 0.5], [0.9, 0.1]])
    named = [sums_to_one(m) for m in (rows, rows.T, rows / 2, rows * 3)]
    assert named == ["rows", "columns", "everything", "nothing"]


# Progress


def test_progress_counts_and_names_what_to_look_at_again():
    store = Progress(Memory(None))
    for i in range(9):
        store.meet("prediction", f"p{i}", "masks" if i in (3, 4) else f"topic {i}")
    for i in range(9):
        store.record("prediction", f"p{i}", "masks" if i in (3, 4) else f"topic {i}", right=i not in (3, 4))
    assert store.summary() == "Predictions: 7 of 9 right. Look again at: masks."


def test_meeting_again_does_not_forget():
    store = Progress(Memory(None))
    store.record("prediction", "p", "masks", right=True)
    store.meet("prediction", "p", "masks")
    assert store.summary() == "Predictions: 1 of 1 right."


def test_no_progress_yet():
    assert Progress(Memory(None)).summary() == "Nothing to count yet: run the cells above."


# The controls


def control(question, answer, **options):
    return PredictControl(Prediction("test", question, answer, **options))


def test_text_of_a_cell_names_its_choices_and_is_the_same_in_every_state():
    shown = predict("01.scores_shape", answer="pairs")
    text = repr(shown)
    assert text.splitlines()[0] == "predict 01.scores_shape (run the cell to choose)"
    assert [line.removeprefix("  ○ ") for line in text.splitlines()[1:]] == list(shown.prediction.choices.values())
    assert shown._repr_mimebundle_()["text/plain"] == text, "ipywidgets cuts what is longer than 110"
    shown.entry.value = "pairs"
    shown.commit.click()
    assert repr(shown) == text


def test_a_number_is_asked_for_in_one_line():
    assert repr(predict("02.spread", answer=2.0)) == "predict 02.spread (run the cell to type a number)"


def test_nothing_is_chosen_beforehand():
    assert control(CHOICE, "rows").entry.value is None


def test_commit_by_click():
    shown = control(CHOICE, "rows")
    shown.entry.value = "columns"
    shown.commit.click()
    assert "Not this one. Computed: each row. Columns no." in shown.said.value
    assert shown.entry.disabled
    assert shown.commit.disabled
    assert not shown.again.disabled
    assert progress().line.value == "Predictions: 0 of 1 right. Look again at: axes."


def test_wrong_then_right():
    shown = control(CHOICE, "rows")
    shown.entry.value = "columns"
    shown.commit.click()
    shown.again.click()
    assert (shown.entry.value, shown.said.value, shown.entry.disabled) == (None, "", False)
    shown.entry.value = "rows"
    shown.commit.click()
    assert "Right: each row." in shown.said.value
    assert progress().line.value == "Predictions: 1 of 1 right."


def test_messages_as_a_browser_sends_them():
    shown = control(NUMBER, 8.0)
    shown.entry._handle_msg(
        {"content": {"data": {"method": "update", "state": {"value": "8"}, "buffer_paths": []}}, "buffers": []}
    )
    shown.commit._handle_msg({"content": {"data": {"method": "custom", "content": {"event": "click"}}}, "buffers": []})
    assert "Right: 8.0. Root." in shown.said.value


def test_enter_commits():
    shown = control(NUMBER, 8.0)
    shown.entry.value = "8"
    shown.entry._handle_msg({"content": {"data": {"method": "custom", "content": {"event": "submit"}}}, "buffers": []})
    assert "Right: 8.0. Root." in shown.said.value
    shown.entry.value = "9"
    shown.entry._handle_msg({"content": {"data": {"method": "custom", "content": {"event": "submit"}}}, "buffers": []})
    assert "Right: 8.0. Root." in shown.said.value, "it is committed already"


def test_cleared_box():
    shown = control(NUMBER, 8.0)
    shown.entry.value = ""
    shown.commit.click()
    assert "Type a number first" in shown.said.value
    assert not shown.entry.disabled


def test_reveal_now():
    shown = control(CHOICE, "rows")
    shown.reveal.click()
    assert "Computed: each row. Rows: each row." in shown.said.value
    assert shown.commit.disabled


def test_fast_clicks():
    shown = control(CHOICE, "rows")
    shown.entry.value = "rows"
    for _ in range(5):
        shown.commit.click()
        shown.reveal.click()
    assert progress().line.value == "Predictions: 1 of 1 right."


def test_a_cell_that_runs_again_shows_what_was_committed():
    shown = control(CHOICE, "rows")
    shown.entry.value = "columns"
    shown.commit.click()
    again = control(CHOICE, "rows")
    assert again.entry.value == "columns"
    assert "Not this one. Computed: each row. Columns no." in again.said.value
    number = PredictControl(Prediction("number", NUMBER, 8.0))
    number.entry.value = "7,95"
    number.commit.click()
    assert PredictControl(Prediction("number", NUMBER, 8.0)).entry.value == "7,95"


def test_committed_choice_that_is_gone():
    question = Question("maps", "Flat.", {"other": "An accident."})
    control(question, "배", choices=["배", "고파서"]).prediction.commit("고파서")
    assert control(question, "배", choices=["배", "치킨을"]).entry.value is None


def test_progress_line_follows():
    line = progress()
    shown = control(CHOICE, "rows")
    shown.entry.value = "rows"
    shown.commit.click()
    assert line.line.value == "Predictions: 1 of 1 right."


def test_an_older_progress_line_is_let_go():
    first = progress()
    progress()
    control(CHOICE, "rows")
    assert "Predictions: 0 of 1" not in first.line.value


def test_sentences_are_escaped():
    assert as_html("1 < 2 and `Q @ K`") == "1 &lt; 2 and <code>Q @ K</code>"
    assert as_html("Only *cup* and *배가 고파서*, not 2*3*4 and `a *b* c`") == (
        "Only <em>cup</em> and <em>배가 고파서</em>, not 2*3*4 and <code>a *b* c</code>"
    )
