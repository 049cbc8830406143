"""The learning layer in a real browser: a prediction, an exercise solved by typing, a loop that does not end."""

import re

import pytest
from harness import PATIENCE

from attention_lib.checks.predictions import find_question

IMPORTS = (
    "import numpy as np\n"
    "from attention_lib.checks import check\n"
    "from attention_lib.checks.predict import predict, progress, reveal"
)
CHOICE = find_question("01.scores_shape")
PREDICT = 'predict("01.scores_shape", answer="pairs")'
NUMBER = """
from attention_lib.checks.predictions import Prediction, Question
from attention_lib.checks.predict import PredictControl
question = Question("root of d_k", "It is the root.", {"d_k": "That divides by d_k.", "other": "Count again."})
PredictControl(Prediction("number", question, 8.0, confusions={"d_k": 64.0}))
"""
RESULT = 'reveal("01.scores_shape")\nprint("It has", "one entry for each pair.")'
COMPARED = 'reveal()\n"It breaks " + "at 11.0."'
BROKEN = "reveal()\n1 / 0"


@pytest.fixture
def notebook(open_notebook):
    page = open_notebook(IMPORTS, PREDICT, NUMBER, "progress()", fresh=True)  # the modules keep what was answered
    page.settle()
    return page


def output(notebook, index):
    return notebook.page.locator(".jp-CodeCell").nth(index).locator(".jp-OutputArea")


def says(locator, text):
    locator.get_by_text(re.compile(text)).first.wait_for(timeout=1000 * PATIENCE)


def test_after_run_all_a_result_waits_for_its_answer(open_notebook):
    before = open_notebook.pages.pop("doc", None)
    if before:  # on a busy machine, a box that it closes late would say once more that the question is answered
        before.close()
    notebook = open_notebook(IMPORTS, PREDICT, RESULT, fresh=True)
    prediction, result = output(notebook, 1), output(notebook, 2)
    text, sentence = (
        result.get_by_text("one entry for each pair"),
        result.get_by_text("Answer the question above"),
    )
    sentence.wait_for()
    notebook.settle()
    assert text.count() == 1 and not text.is_visible()

    prediction.get_by_label(CHOICE.choices["features"]).check()
    prediction.get_by_role("button", name="Commit").click()
    text.wait_for()
    assert not sentence.is_visible()
    notebook.run_cell(RESULT)
    text.wait_for()  # it comes after its answer
    notebook.command("notebook:clear-all-cell-outputs")
    notebook.run_all()
    text.wait_for()  # the answer is remembered

    prediction.get_by_role("button", name="Answer again").click()
    sentence.wait_for()
    assert not text.is_visible()
    result.get_by_role("button", name="Show it anyway").click()
    text.wait_for()
    prediction.get_by_role("button", name="Commit").click()
    says(prediction, "Choose an answer first")
    notebook.settle()
    assert text.is_visible(), "what is shown anyway stays while nothing is answered"


def test_a_result_without_a_question_waits_for_its_button_and_an_error_does_not(open_notebook):
    notebook = open_notebook(IMPORTS, "progress()", COMPARED, BROKEN, fresh=True)
    result = output(notebook, 2)
    result.get_by_text("Try it yourself first.").wait_for()
    text = result.get_by_text("at 11.0")
    assert text.count() == 1 and not text.is_visible()
    result.get_by_role("button", name="Show it anyway").focus()
    notebook.page.keyboard.press("x")  # by which JupyterLab would cut the cell
    notebook.page.keyboard.press("Enter")
    text.wait_for()
    notebook.eventually(lambda: notebook.page.evaluate("document.activeElement.className.includes('jp-Cell')"), True)
    output(notebook, 3).get_by_text("ZeroDivisionError").first.wait_for()


def test_after_an_answer_shift_and_enter_go_on(notebook):
    """The control that had the focus is switched off: the keys are the notebook's again."""
    prediction = output(notebook, 2)
    prediction.get_by_role("textbox").fill("64")
    prediction.get_by_role("textbox").press("Enter")
    look = "jupyterapp.shell.currentWidget.content.activeCellIndex"
    notebook.eventually(lambda: notebook.page.evaluate("document.activeElement.className.includes('jp-Cell')"), True)
    before = notebook.page.evaluate(look)
    notebook.page.keyboard.press("Shift+Enter")
    notebook.eventually(lambda: notebook.page.evaluate(look), before + 1)


def test_arrow_keys_stay_among_the_choices_of_one_question_and_enter_commits(open_notebook):
    notebook = open_notebook(IMPORTS, PREDICT, 'predict("01.edit_values", answer="values")', fresh=True)
    first, second = output(notebook, 1), output(notebook, 2)
    choices = first.get_by_role("radio")
    choices.last.wait_for()
    notebook.eventually(lambda: choices.last.get_attribute("name") is None, False)
    choices.last.focus()
    notebook.page.keyboard.press("ArrowDown")  # from the last choice to the first, and not into the next question
    notebook.eventually(choices.first.is_checked, True)
    assert second.locator("input:checked").count() == 0
    notebook.page.keyboard.press("Enter")
    says(first, "Computed|^Right")
    assert second.get_by_role("button", name="Commit").is_enabled()
