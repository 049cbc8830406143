"""Predictions: the tables, the plain model, the numbers that people type, and the controls without a browser."""

import numpy as np
import pytest

from attention_lib._numbers import readings
from attention_lib.checks import predictions
from attention_lib.checks.memory import Memory
from attention_lib.checks.predict import PredictControl, as_html, progress
from attention_lib.checks.predictions import Prediction, Question, find_question, shuffled
from attention_lib.checks.progress import Progress
from attention_lib.checks.registry import notebooks

TABLES = {notebook[:2]: predictions.predictions(notebook[:2]) for notebook in notebooks()}
ASKED = {name: find_question(name) for table in TABLES.values() for name in table}
CHOICE = Question("axes", "Rows: {answer}.", {"columns": "Columns no."}, {"rows": "each row", "columns": "each column"})
NUMBER = Question("root", "Root.", {"d_k": "That is d_k.", "other": "Count again."}, tolerance=0.1, digits=1)


@pytest.mark.parametrize("name", ASKED)
def test_every_wrong_choice_has_a_sentence_and_every_sentence_a_choice(name):
    question = ASKED[name]
    sentences = [question.right, *question.wrong.values()]
    assert question.topic and all(sentence.endswith((".", ")", "?")) and "!" not in sentence for sentence in sentences)
    if question.choices:
        assert {*question.wrong, *question.partly} <= {*question.choices}
        assert len(question.choices) >= 2 and set(question.choices) - set(question.wrong), "one of them is right"
    else:
        assert {"other", *question.confusions, *question.partly} <= {*question.wrong}


def test_a_name_begins_with_its_notebook_and_what_is_not_asked_is_refused():
    assert all(name.startswith(f"{number}.") for number, table in TABLES.items() for name in table)
    for name in ("01.nothing", "99.nothing", "", "xx"):
        with pytest.raises(ValueError, match=f"'{name}'"):
            find_question(name)


def test_choices_are_shuffled_the_same_on_every_run_and_the_right_one_seldom_stands_first():
    assert list(shuffled("01.rows_or_columns", dict.fromkeys("abcd"))) == list("cbda")
    last = {list(shuffled(str(i), dict.fromkeys(["nothing", "rows", "columns"])))[-1] for i in range(20)}
    assert last == {"nothing"}, "it refers to those above"
    firsts = [(next(iter(shuffled(name, one.choices))), one) for name, one in ASKED.items() if one.choices]
    assert sum(first not in one.wrong for first, one in firsts) <= len(firsts) / 2


def model(question, answer, **options):
    return Prediction("test", question, answer, progress=Progress(Memory(None)), **options)


NO_NUMBERS = ("", " ", "eight", "1/0", "nan", "inf", "1e999", "--", None, "1,2,3", "9**9**9", "f(3)", "[1]", "True")


@pytest.mark.parametrize(
    ("answer", "guess", "feedback"),
    [
        ("rows", "rows", "Right: each row. Rows: each row."),
        ("rows", "columns", "Not this one. Computed: each row. Columns no."),
        ("columns", "columns", "Right: each column. Rows: each column."),  # the answer decides, and not the table
        ("rows", None, "Choose an answer first."),
        ("rows", "diagonals", "Choose an answer first."),
        ("diagonals", "rows", "Computed: diagonals. None of the choices"),
        (lambda: 1 / 0, "rows", "The answer has not been computed yet."),
        *((8.0, guess, "Right: 8.0. Root.") for guess in ("8", "8,05", "7.9", "16/2")),
        (8.0, "7.8", "Not quite. Computed: 8.0. Count again."),
        (np.float64(8), "64", "Not quite. Computed: 8.0. That is d_k."),
        *((8.0, guess, "Type a number first") for guess in (*NO_NUMBERS, "9" * 50, "__import__('os')")),
    ],
)
def test_a_guess_is_judged_and_gets_its_sentence(answer, guess, feedback):
    prediction = model(NUMBER, answer, confusions={"d_k": 64.0}) if isinstance(answer, float) else model(CHOICE, answer)
    assert prediction.commit(guess).startswith(feedback)
    is_open = "first" in feedback or "yet" in feedback
    assert (prediction.state == "open") == is_open == (prediction.feedback() == "")
    assert is_open or prediction.is_right() == feedback.startswith("Right")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        *[("8", 8), (" -1.5 ", -1.5), ("0,125", 0.125), ("1/8", 0.125), ("−2", -2), ("1e-3", 0.001), ("0,5", 0.5)],
        *[("4,096", 4096), ("12,345,678", 12345678), ("1,234.5", 1234.5), ("1.234,5", 1234.5)],
        *[("8,05", 8.05), ("84 %", 0.84), ("84%", 0.84), ("12,5 %", 0.125), ("e", np.e), ("1/e", 1 / np.e)],
        *[("√8", 8**0.5), ("sqrt(8)", 8**0.5), ("8^2", 64), ("2**10", 1024), ("10³", 1000)],
        *[("2·8", 16), ("1/2/4", 0.125), ("-e", -np.e), ("pi", np.pi)],
    ],
)
def test_numbers_as_people_type_them(text, number):
    assert readings(text)[0] == pytest.approx(number)


def test_a_guess_may_be_right_in_part_and_a_percentage_may_be_meant_as_a_share():
    wrong = {"one": "Nearly all.", "other": "No."}
    partly = Question("n", "Yes.", wrong, tolerance=0.1, confusions={"one": "e^0"}, partly=("one",))
    assert model(partly, 0.84).commit("1.02") == "Partly right. Computed: 0.84. Nearly all."
    for answer, guess in ((84.0, "84 %"), (0.84, "84 %"), (2.718, "2,718"), (2718.0, "2,718"), (0.84, "84")):
        prediction = model(Question("n", "Yes.", {"other": "No."}, tolerance=0.01), answer)
        prediction.commit(guess)
        assert prediction.is_right() == (guess != "84"), "what a number means is decided by the answer"


def control():
    return PredictControl(Prediction("test", CHOICE, "rows"))


def test_wrong_then_right_and_the_line_of_progress_follows():
    line, shown = progress(), control()
    assert shown.entry.value is None, "nothing is chosen beforehand"
    shown.entry.value = "columns"
    shown.commit.click()
    assert "Columns no." in shown.said.value and line.line.value.endswith("0 of 1 right. Look again at: axes.")
    assert shown.entry.disabled and shown.commit.disabled and not shown.again.disabled
    shown.again.click()
    assert (shown.entry.value, shown.said.value, shown.entry.disabled) == (None, "", False)
    shown.entry.value = "rows"
    for _ in range(3):
        shown.commit.click()
        shown.reveal.click()
    assert "Rows: each row." in shown.said.value and line.line.value == "Predictions: 1 of 1 right."
    progress()
    shown.again.click()
    assert line.line.value == "Predictions: 1 of 1 right.", "a newer line takes over"


def test_the_page_can_tell_whose_answer_it_is_and_whether_it_is_there():
    shown = control()
    assert "attention-of-test" in shown._dom_classes and "attention-answered" not in shown._dom_classes
    shown.commit.click()
    assert "attention-answered" not in shown._dom_classes, "nothing was chosen"
    shown.reveal.click()
    assert "attention-answered" in shown._dom_classes
    assert "attention-answered" in control()._dom_classes, "remembered"
    shown.again.click()
    assert "attention-answered" not in shown._dom_classes


def test_sentences_are_escaped():
    assert as_html("1 < 2 and `Q @ K`, only *배가 고파서*, not 2*3*4 and `a *b* c`") == (
        "1 &lt; 2 and <code>Q @ K</code>, only <em>배가 고파서</em>, not 2*3*4 and <code>a *b* c</code>"
    )
