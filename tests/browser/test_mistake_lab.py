"""The mistake lab in a real browser: choose a mistake, read the digits and the verdicts."""

import numpy as np
import pytest

from attention_lib.labs.mistake_lab import KINDS, LABELS, MESSAGES, PRESETS, SENTENCE, SHOWN_TEXTS, STATES
from attention_lib.mistakes.invariants import follow, make_setup
from attention_lib.mistakes.recipes import MISTAKES, RECIPES, RIGHT


@pytest.fixture
def notebook(open_notebook):
    page = open_notebook(
        "from attention_lib.labs.mistake_lab import MistakeLab\nlab = MistakeLab()\nlab", width=1400, height=1100
    )
    page.page.wait_for_selector(".attention-mistakes-table table")
    page.settle()
    return page


def numbers(texts):
    return [[float(text) for text in row] for row in texts]


def choose(notebook, label, option):
    notebook.page.get_by_label(label, exact=True).select_option(label=option)
    notebook.settle()


def test_digits_of_a_mistake_chosen_by_hand(notebook, shots):
    choose(notebook, LABELS["switch"], MISTAKES["softmax_over_queries"].title)
    setup = make_setup(SENTENCE.split(), "causal")
    shown = {name: numbers(notebook.texts(name)) for name in ("right", "wrong")}
    choose(notebook, "show", SHOWN_TEXTS["differences"])
    shown["difference"] = numbers(notebook.texts("difference"))
    choose(notebook, "show", SHOWN_TEXTS["maps"])
    right, wrong = (follow(recipe, setup).weights[0] for recipe in (RIGHT, RECIPES["softmax_over_queries"]))
    np.testing.assert_allclose(shown["right"], right, atol=0.0051)
    np.testing.assert_allclose(shown["wrong"], wrong, atol=0.0051)
    np.testing.assert_allclose(shown["difference"], wrong - right, atol=0.0051)
    assert notebook.page.locator(".attention-mistakes-table b").all_inner_texts() == ["catches it"] * 4
    notebook.page.locator(".attention-mistakes").screenshot(path=shots / "mistake_lab.png")


def test_a_mistake_that_nothing_catches_under_another_mask(notebook):
    choose(notebook, LABELS["switch"], MISTAKES["causal_top_left"].title)
    choose(notebook, "mask", KINDS["padding"])
    assert notebook.page.locator(".attention-mistakes-table b").count() == 0
    assert MESSAGES["not caught"] in notebook.page.locator(".attention-mistakes-said").inner_text()


def test_a_sentence_typed(notebook, shots):
    box = notebook.page.get_by_label("sentence", exact=True)
    notebook.type_into(box, "")
    notebook.page.get_by_text("this one has 0").first.wait_for()
    notebook.type_into(box, "the cat sat")
    notebook.settle()
    assert len(notebook.texts("right")) == 3
    choose(notebook, LABELS["switch"], MISTAKES["transpose_missing"].title)
    assert MESSAGES["no map"] not in notebook.page.locator(".attention-mistakes-said").inner_text()
    notebook.page.locator(".attention-mistakes").screenshot(path=shots / "mistake_lab_three_words.png")


@pytest.mark.parametrize("name", ["cache", "hidden", "visible"])
def test_presets(notebook, shots, name):
    choose(notebook, "start from", PRESETS[name])
    state = STATES[name]
    notebook.page.get_by_role("button", name="tell me").click()
    notebook.settle()
    setup = make_setup(state.sentence.split(), state.kind)
    right, wrong = (follow(recipe, setup).weights[state.head] for recipe in (RIGHT, RECIPES[state.mistake]))
    np.testing.assert_allclose(numbers(notebook.texts("right")), right, atol=0.0051)
    np.testing.assert_allclose(numbers(notebook.texts("wrong")), wrong, atol=0.0051)
    assert notebook.page.get_by_label("sentence", exact=True).input_value() == state.sentence
    assert notebook.page.locator(".attention-mistakes-said").inner_text().startswith(MISTAKES[state.mistake].title)
    notebook.page.locator(".attention-mistakes").screenshot(path=shots / f"mistake_lab_{name}.png")


# The names in a menu that are wider than what it shows of them, its arrow aside.
CUT = """(menu) => {
    const pen = document.createElement('canvas').getContext('2d');
    const { font, paddingLeft } = getComputedStyle(menu);
    pen.font = font;
    const room = menu.clientWidth - parseFloat(paddingLeft) - 20;
    return [...menu.options].map(({ text }) => text).filter((text) => pen.measureText(text).width > room);
}"""


def test_names_in_menus_and_the_sentence_are_whole(notebook):
    for label in ("start from", "mask", "show"):
        assert notebook.page.get_by_label(label, exact=True).evaluate(CUT) == []
    box = notebook.page.get_by_label("sentence", exact=True)
    for width in (1400, 390):
        notebook.page.set_viewport_size({"width": width, "height": 900})
        notebook.settle()
        assert box.evaluate("(box) => box.scrollWidth - box.clientWidth") <= 0


def test_a_guess_stays_in_its_menu_and_can_be_taken_back(notebook):
    guess = notebook.page.get_by_label(LABELS["guess"], exact=True)
    choose(notebook, LABELS["guess"], MISTAKES["not_scaled"].title)
    notebook.page.locator(".lab-message", has_text=MESSAGES["maps"]).wait_for()
    assert guess.input_value() != ""
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    notebook.settle()
    assert guess.input_value() == ""


def test_keys_on_the_closed_menu_of_guesses_open_it_and_guess_nothing(notebook):
    guess, press = notebook.page.get_by_label(LABELS["guess"], exact=True), notebook.page.keyboard.press
    is_open = "(menu) => menu.matches(':open')"
    notebook.settle()  # what Python still says of the test before may write the menu anew, which closes it
    for key in ("ArrowDown", "ArrowUp", "End", MISTAKES["not_scaled"].title[0]):
        guess.focus()
        press(key)
        notebook.eventually(lambda: guess.evaluate(is_open), True, what=f"the menu to open at {key}")
        press("Escape")
        notebook.eventually(lambda: guess.evaluate(is_open), False, what="the menu to close")
        notebook.settle()
        assert (guess.input_value(), notebook.python("lab.model.state.guess")) == ("", None), key
    for key in ("Escape", "Enter"):
        press("ArrowDown")
        notebook.eventually(lambda: guess.evaluate(is_open), True, what="the menu to open")
        press("ArrowDown")
        press(key)
        if key == "Escape":
            notebook.eventually(lambda: guess.evaluate(is_open), False, what="the menu to close")
            notebook.eventually(guess.input_value, "", what="the menu to show no guess")
            notebook.settle()
            assert notebook.python("lab.model.state.guess") is None, "an entry was marked, and not taken"
    notebook.settle()
    assert notebook.python("lab.model.state.guess") == next(iter(RECIPES))
