"""The scaling lab and the overflow slider, driven by mouse and keyboard in a real browser."""

import pytest

from attention_lib.analysis.scaling import ScalingModel, ScalingState

CELLS = [
    "from attention_lib.labs import OverflowLab, ScalingLab\nscaling = ScalingLab()\nscaling",
    "overflow = OverflowLab()\noverflow",
]


@pytest.fixture
def notebook(open_notebook):
    page = open_notebook(*CELLS, height=1300)
    page.page.wait_for_selector('[data-panel="naive"] .av-cell')
    return page


def type_into(page, lab, index, text):
    page.type_into(page.page.locator(f".{lab} .number-box input").nth(index), text)


def wait_for(page, panel, row, column, text):
    """Wait until a cell shows a text."""
    try:
        page.page.wait_for_function(
            "([panel, row, column, text]) => document.querySelectorAll(`[data-panel='${panel}'] .av-grid > .av-line`)"
            "[row + 1].querySelectorAll('.av-cell')[column].textContent === text",
            arg=[panel, row, column, text],
            timeout=20_000,
        )
    except Exception:
        pytest.fail(f"{panel} shows {page.texts(panel)}, and never {text} at row {row}, column {column}")


def shows(page, state):
    """The page shows the digits that the model calculates."""
    comparison = ScalingModel().compare(state)
    wait_for(page, "weights", 0, 0, f"{comparison.one_row()[0, 0]:.2f}")
    bars = page.page.locator(".scaling-lab .bar title")
    shares = [f"{share:.0%}" for share in comparison.shares().flat]
    page.eventually(lambda: [text.split(": ")[1] for text in bars.all_text_contents()], shares)
    page.shows({"weights": [[f"{weight:.2f}" for weight in row] for row in comparison.one_row()]})
    for name, values in comparison.measures().items():
        page.shows({name: [[f"{value:.3f}" for value in row] for row in values]})


def test_the_lab_follows_typing_keys_mouse_and_buttons(notebook, shots):
    page = notebook.page
    shows(notebook, ScalingState())
    type_into(notebook, "scaling-lab", 0, "1024")
    wait_for(notebook, "largest weight", 0, 0, "0.964")
    shows(notebook, ScalingState(d_k=1024))

    type_into(notebook, "scaling-lab", 0, "a lot")
    page.get_by_text("“a lot” is not a number; d_k stays 1024.").first.wait_for()
    shows(notebook, ScalingState(d_k=1024))

    for d_k in (100, 37):  # between two steps of the slider
        type_into(notebook, "scaling-lab", 0, str(d_k))
        wait_for(notebook, "largest weight", 0, 0, f"{largest_weight(d_k):.3f}")
        shows(notebook, ScalingState(d_k=d_k))
    type_into(notebook, "scaling-lab", 0, "1024")
    wait_for(notebook, "largest weight", 0, 0, "0.964")

    handle = page.locator(".scaling-lab .noUi-handle").first
    handle.press("ArrowLeft")  # a tenth of an octave
    wait_for(notebook, "largest weight", 0, 0, f"{largest_weight(2**9.9):.3f}")
    shows(notebook, ScalingState(d_k=round(2**9.9)))

    notebook.settle()
    place, track = handle.bounding_box(), page.locator(".scaling-lab .noUi-base").first.bounding_box()
    notebook.grab(handle)
    page.mouse.move(track["x"] - 20, place["y"] + 5, steps=12)
    page.mouse.up()
    wait_for(notebook, "largest weight", 0, 0, f"{largest_weight(1):.3f}")
    shows(notebook, ScalingState(d_k=1))

    page.locator(".scaling-lab").get_by_role("button", name="reset").click()
    wait_for(notebook, "largest weight", 0, 0, "0.836")
    page.locator(".scaling-lab select").first.select_option(label="d_k = 1024, correlated queries and keys")
    wait_for(notebook, "largest weight", 1, 0, "1.000")
    shows(notebook, ScalingState(d_k=1024, alignment=0.5))
    page.screenshot(path=shots / "scaling_lab.png")
    page.locator(".scaling-lab").get_by_role("button", name="undo").click()
    wait_for(notebook, "largest weight", 1, 0, "0.237")
    shows(notebook, ScalingState())
    page.get_by_role("button", name="show as code").click()
    notebook.eventually(
        lambda: "draw_tokens(64, alignment=0, seed=0)" in page.locator(".scaling-lab textarea").input_value(), True
    )


def largest_weight(d_k):
    return ScalingModel().compare(ScalingState(d_k=round(d_k))).measures()["largest weight"][0, 0]


def test_the_reader_finds_where_exp_breaks(notebook, shots):
    steps = [("11", "1.000"), ("11.1", "NaN"), ("88.7", "1.000"), ("88.8", "NaN"), ("709.7", "1.000"), ("709.8", "NaN")]
    for i, (score, text) in enumerate(steps):
        type_into(notebook, "overflow-lab", 0, score)
        wait_for(notebook, "naive", i // 2, 0, text)
        notebook.shows({"safe": [["1.000", "0.000"]] * 3})
    said = notebook.page.locator(".overflow-said .widget-html-content", has_text="float16: found")
    notebook.eventually(
        said.inner_text,
        "float16: found, works at 11 and breaks at 11.1. float32: found, works at 88.7 and breaks at 88.8. "
        "float64: found, works at 709.7 and breaks at 709.8.",
    )
    notebook.page.screenshot(path=shots / "overflow_slider.png")
