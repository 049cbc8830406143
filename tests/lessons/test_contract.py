"""What every lab keeps to: undo, redo, a fresh start, presets, and the state kept for another day."""

import asyncio
import base64
import io
import subprocess
import sys
from dataclasses import fields, is_dataclass

import ipywidgets
import lab_hands
import pytest
from PIL import Image
from saved_notebooks import WIDGET_VIEW

from attention_lib import _kept, language, lessons
from attention_lib.live import lab as lab_module
from attention_lib.live.controls import NumberSlider
from attention_lib.live.lab import SHARPNESS, same

LABS = lessons.LABS
STARTED_BY_NAME = {"AlignmentLab", "CacheStepper", "CopyingLab", "LearningLab"}
LARGEST = 90_000  # bytes of a stored picture
WIDEST = 900  # pixels of the page


def edit(lab, number=0.7):
    """Change the first number, mask or control that there is, as a hand would; return whether anything changed."""
    before = lab.state
    editable = [(name, panel) for name, panel in (lab.view.panels if lab.view else {}).items() if panel.editable]
    if editable:
        name, panel = editable[0]
        value = 1 - lab.view[name][0, 0] if panel.kind == "mask" else number
        lab_hands.edit(lab, name, 0, 0, value)
    for control in lab._bound:
        if not same(lab.state, before):
            break
        widget = control.widget
        if hasattr(widget, "box"):
            widget.box.value = str(widget.high if widget.value != widget.high else widget.low)
        elif isinstance(getattr(widget, "options", None), tuple):
            widget.value = next(
                (value for _, value in widget.options if value not in (widget.value, None, "")), widget.value
            )
        elif isinstance(widget.value, bool):
            widget.value = not widget.value
        elif isinstance(widget.value, str):
            widget.value = " ".join(reversed(widget.value.split()))
    for button in getattr(lab, "adders", ()):  # the moving point has buttons alone
        if same(lab.state, before):
            button.click()
    return not same(lab.state, before)


@pytest.mark.parametrize("name", LABS)
def test_a_change_is_undone_redone_and_begun_again(name):
    lab = lab_hands.opened(name)
    first = lab.state
    assert is_dataclass(first) and fields(first)
    assert edit(lab), "there is something to change"
    changed = lab.state
    lab.undo()
    assert same(lab.state, first) and not lab.message.text
    assert ["leads-nowhere" in way._dom_classes for way in lab._ways] == [True, False]
    lab.undo()
    assert same(lab.state, first) and lab.message.text == "There is nothing left to undo."
    lab.redo()
    lab.redo()
    assert same(lab.state, changed) and lab.message.text == "There is nothing to redo."
    lab.start_again()
    assert same(lab.state, first)
    lab.start_again()
    assert lab.message.text == "This is where you started."
    lab.undo()
    assert same(lab.state, changed), "a fresh start can be undone too"


@pytest.mark.parametrize("name", sorted({*LABS} - {"MovingPoint"}))
def test_presets_are_shown_and_left(name):
    lab = lab_hands.opened(name)
    assert lab.presets
    for preset, (_, state) in lab.presets.items():
        lab._starts.value = preset
        assert same(lab.state, state) and lab._starts.value == preset and lab.goal.text
        assert edit(lab)
        now = lab._starts.value
        assert same(lab.presets[now][1], lab.state) if now else not same(lab.state, state)
        lab.start_again()
        assert same(lab.state, next(iter(lab.presets.values()))[1] if name in ("CopyingLab", "LearningLab") else state)


@pytest.mark.parametrize("name", LABS)
def test_what_a_learner_leaves_is_offered_another_day(name, monkeypatch, tmp_path):
    monkeypatch.setenv("ATTENTION_PROGRESS", str(tmp_path))
    monkeypatch.setattr(_kept, "_in_a_kernel", lambda: True)
    monkeypatch.setattr(lab_module, "SAVED_AFTER", 0)

    async def use():
        lab = lab_hands.opened(name)
        assert lab._offer.layout.display == "none"
        assert edit(lab)
        await asyncio.sleep(0.01)
        return lab.state

    left = asyncio.run(use())
    lab = lab_hands.opened(name)
    assert not same(lab.state, left), "it opens afresh"
    lab._offer.children[1].click()
    assert same(lab.state, left)
    assert lab._offer.layout.display == "none"
    for path in (tmp_path / "labs").iterdir():
        path.write_text("{damaged")
    assert lab_hands.opened(name)._offer.layout.display == "none"


REACHED = ("Goal reached", "Yes: ", "Answer: ")
SHEETS = sorted(lessons.FOLDER.glob("*/*.css"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda path: path.name)
def test_every_style_sheet_of_a_lesson_is_worn_by_the_lab_it_is_named_after(sheet):
    (name,) = [name for name, module in LABS.items() if module == f"{sheet.parent.name}.{sheet.stem}"]
    assert sheet.read_text("utf-8") in lab_hands.opened(name).children[0].value


def boxes(kind):
    labs = map(lab_hands.opened, LABS)
    found = [(lab, each.widget) for lab in labs for each in lab._bound if isinstance(each.widget, kind)]
    assert found
    return found


def test_what_is_no_number_changes_nothing_and_what_is_too_large_is_exchanged():
    for lab, number in boxes(NumberSlider):
        before = lab.state
        for typed in ("", "nan", "배고파", "word " * 100):
            number.box.value = typed
            assert same(lab.state, before) and number.said.text, (number.label, typed)
        number.box.value = "1e300"
        assert f"1e300 became {number.text_of(number.value)}." in number.said.text, number.label
        lab.start_again()


def test_a_sentence_that_cannot_be_shown_changes_nothing_and_is_answered():
    for lab, box in boxes(ipywidgets.Text):
        before, shown = lab.state, box.value
        for typed in (" ", "  \n", "word " * 100):
            box.value = typed
            assert same(lab.state, before) and lab.message.text, typed
            assert box.value == (typed if typed.strip() else shown), "what is refused can be mended in its box"


@pytest.mark.parametrize("name", sorted(STARTED_BY_NAME))
def test_a_start_that_there_is_not_is_refused_by_name(name):
    with pytest.raises(ValueError, match="'later'"):
        getattr(lessons, name)("later")


@pytest.mark.parametrize("name", LABS)
def test_a_goal_is_marked_where_it_is_reached_and_nowhere_else(name):
    lab = lab_hands.opened(name)
    for start in ["", *lab.presets]:
        if start:
            lab._start_from(start)
        assert ("is-reached" in lab.goal._dom_classes) == lab.goal.text.startswith(REACHED), start


def stored(name):
    """The picture that a lab brings along, its mime bundle's other entries, and what is said of the picture."""
    data, metadata = lab_hands.opened(name)._repr_mimebundle_()
    return base64.b64decode(data.pop("image/png")), data, metadata["image/png"]


@pytest.mark.parametrize("name", LABS)
def test_a_lab_brings_a_small_picture_of_itself_and_its_goal_in_words(name):
    """Beside the live view. tests/browser/test_every_lab.py holds that it is the picture of this lab."""
    picture, data, said = stored(name)
    width, height = Image.open(io.BytesIO(picture)).size
    assert (said["width"], len(picture) < LARGEST) == (pytest.approx(width / SHARPNESS, abs=1), True)
    assert WIDEST / 2 < said["width"] <= WIDEST and height > width / 5
    assert WIDGET_VIEW in data and data["text/plain"] == f"{name}. {lab_hands.opened(name).goal.text}"
    assert said["alt"] == f"This is a picture. Run the notebook from the top to use it. {data['text/plain']}"


def test_in_another_language_a_lab_brings_its_own_picture_or_else_the_english_one():
    english = {name: stored(name)[0] for name in ("Explorer", "CacheStepper")}
    language("ko")
    try:
        assert stored("Explorer")[0] != english["Explorer"] and stored("CacheStepper")[0] == english["CacheStepper"]
    finally:
        language("en")


def test_a_lab_is_shown_without_matplotlib():
    show = "import sys; from attention_lib.lessons import CacheStepper; CacheStepper()._ipython_display_(); "
    asked = subprocess.run([sys.executable, "-c", show + "print('matplotlib' in sys.modules)"], capture_output=True)
    assert asked.stdout.split()[-1] == b"False", asked.stderr.decode()
