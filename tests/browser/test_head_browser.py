"""The head browser, driven by mouse and keyboard in a real browser."""

from typing import Any

import pytest

from attention_lib.trained import TrainedSentence, load_sentence
from attention_lib.widgets.head_browser import MESSAGES

pytestmark = pytest.mark.browser

CELL = """\
from attention_lib.widgets.head_browser import HeadBrowser
browser = HeadBrowser()
browser"""


@pytest.fixture
def notebook(open_notebook: Any) -> Any:
    page = open_notebook(CELL, height=1500, width=1440)
    page.page.wait_for_selector('[data-panel="map"] .av-cell')
    return page


def wait_for(notebook: Any, panel: str, expected: list[list[str]]) -> None:
    """Wait until a panel shows these texts."""
    for _ in range(100):
        if notebook.texts(panel) == expected:
            return
        notebook.page.wait_for_timeout(50)
    pytest.fail(f"{panel} shows {notebook.texts(panel)}, not {expected}")


def digits(matrix: Any, n: int = 2) -> list[list[str]]:
    return [[f"{value:.{n}f}" for value in row] for row in matrix]


def shows(notebook: Any, sentence: TrainedSentence, layer: int, head: int, query: int, key: int) -> None:
    """The page shows the digits of this head and this pair."""
    trace = sentence.head(layer, head)
    wait_for(notebook, "map", digits(trace.weights))
    q, k = trace.Q[query].astype(float), trace.K[key].astype(float)
    for name, half in [("first half", slice(0, 16)), ("second half", slice(16, 32))]:
        shown = notebook.texts(name)
        assert [len(row) for row in shown] == [16, 16, 16]
        for row, values in zip(shown, (q[half], k[half], (q * k)[half]), strict=True):
            assert [float(text) for text in row] == pytest.approx(values.tolist(), abs=0.051)
    score = trace.scores[query, key]
    notebook.page.get_by_text(f"The 32 products sum to the score: {score:.2f}.").first.wait_for()


def test_the_browser_follows_clicks_keys_and_menus(notebook: Any, shots: Any) -> None:
    paper, lab = load_sentence("paper"), notebook.page.locator(".head-browser")
    wait_for(notebook, "heads", digits(paper.statistics()["pair"]))
    shows(notebook, paper, 4, 4, 6, 2)
    notebook.page.screenshot(path=shots / "head_browser.png")

    notebook.cell("heads", 0, 2).click()  # by mouse: another head
    shows(notebook, paper, 0, 2, 6, 2)
    notebook.page.keyboard.press("ArrowRight")  # by keyboard: the one beside it
    shows(notebook, paper, 0, 3, 6, 2)
    notebook.cell("map", 8, 9).click()
    shows(notebook, paper, 0, 3, 8, 9)
    wait_for(notebook, "heads", digits(paper.statistics(8, 9)["pair"]))

    lab.get_by_label("measure", exact=True).select_option(label="weight on the previous token")
    shows(notebook, paper, 0, 2, 8, 9)
    wait_for(notebook, "heads", digits(paper.statistics()["previous"]))
    notebook.page.get_by_role("button", name="smaller ▶", exact=True).click()
    notebook.page.get_by_text("number 2 of 72 by weight on the previous token").first.wait_for()

    wide = load_sentence("animal_wide")
    lab.get_by_label("sentence", exact=True).select_option(label=wide.text)
    shows(notebook, wide, 0, 2, wide.query, wide.key)
    notebook.page.screenshot(path=shots / "head_browser_wide.png")
    for _ in range(6):
        notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, paper, 4, 4, 6, 2)
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    notebook.page.get_by_text(MESSAGES["nothing to undo"]).first.wait_for()

    own = lab.get_by_label("own sentence", exact=True)
    own.fill("   ")
    own.press("Enter")
    notebook.page.get_by_text(MESSAGES["type first"]).first.wait_for()
    shows(notebook, paper, 4, 4, 6, 2)
