"""The head browser, driven by mouse and keyboard in a real browser."""

import math
from typing import Any

import numpy as np
import pytest

from attention_lib.analysis.measures import strongest_heads
from attention_lib.examples.minilm import MESSAGES as MODEL
from attention_lib.examples.trained_heads import TrainedSentence, load_sentence
from attention_lib.labs.head_model import PRESETS
from attention_lib.view.lab import MESSAGES as SAID
from attention_lib.view.palette import palettes
from attention_lib.view.thumbnails import BROWSER_MESSAGES
from attention_lib.view.typed import MESSAGES as TYPED

CELL = """\
from attention_lib.labs.head_browser import HeadBrowser
browser = HeadBrowser()
browser"""


@pytest.fixture
def notebook(open_notebook: Any) -> Any:
    cells = "1", CELL, "2"  # two around it, to which JupyterLab could go
    page = open_notebook(*cells, height=1300, width=1440)
    open_product(page)
    return page


def open_product(notebook: Any) -> None:
    notebook.page.wait_for_selector('[data-panel="map"] .av-cell')
    notebook.page.get_by_role("button", name="open the product of the pair").click()


def digits(matrix: Any) -> list[list[str]]:
    return [[f"{value:.2f}" for value in row] for row in matrix]


def numbers(notebook: Any) -> list[str]:
    """What stands under the small maps, in the order of the page."""
    return list(notebook.page.locator(".at-number").all_text_contents())


def drawn(notebook: Any) -> Any:
    """The red channel of every small map, in the order of the page: (72, n, n)."""
    pixels = notebook.page.evaluate(
        """() => [...document.querySelectorAll(".at-canvas")].map((canvas) => {
          const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
          return [...data].filter((_, i) => i % 4 === 0);
        })"""
    )
    n = math.isqrt(len(pixels[0]))
    return np.array(pixels).reshape(len(pixels), n, n)


def red_of(weights: Any) -> Any:
    """The red of the colour that stands for each weight."""
    reds = np.array([int(colour[1:3], 16) for colour in palettes()["sequential"][0]])
    return reds[np.rint(255 * weights).astype(int)]


def shows(notebook: Any, sentence: TrainedSentence, layer: int, head: int, query: int, key: int) -> None:
    """The page shows the digits of this head and this pair, and outlines this head alone."""
    trace = sentence.head(layer, head)
    notebook.eventually(lambda: notebook.texts("map"), digits(trace.weights))
    pressed = notebook.page.locator('.at-map[aria-pressed="true"]')
    notebook.eventually(lambda: [each.split(",")[0] for each in labels(pressed)], [f"layer {layer} head {head}"])
    q, k = trace.Q[query].astype(float), trace.K[key].astype(float)
    notebook.page.get_by_text(f"The 32 products sum to the score: {trace.scores[query, key]:.2f}.").first.wait_for()
    for name, half in [("first half", slice(0, 16)), ("second half", slice(16, 32))]:
        shown = notebook.texts(name)
        assert [len(row) for row in shown] == [16, 16, 16]
        for row, values in zip(shown, (q[half], k[half], (q * k)[half]), strict=True):
            assert [float(text) for text in row] == pytest.approx(values.tolist(), abs=0.051)


def labels(buttons: Any) -> list[str]:
    return list(buttons.evaluate_all("(all) => all.map((one) => one.getAttribute('aria-label'))"))


def small_map(notebook: Any, layer: int, head: int) -> Any:
    return notebook.page.get_by_role("button", name=f"layer {layer} head {head},")


def choose(notebook: Any, menu: str, label: str) -> None:
    notebook.page.locator(".head-browser").get_by_label(menu, exact=True).select_option(label=label)


def test_seventy_two_maps_are_drawn_and_opened(notebook: Any, shots: Any) -> None:
    paper = load_sentence("paper")
    pair = paper.statistics()["pair"].ravel()
    notebook.eventually(lambda: numbers(notebook), [f"{value:.2f}" for value in pair])
    assert labels(small_map(notebook, 4, 4)) == ["layer 4 head 4, 0.76"]
    shows(notebook, paper, 4, 4, 6, 2)
    notebook.settle()
    np.testing.assert_allclose(drawn(notebook), red_of(paper.trace.weights.reshape(72, 11, 11)), atol=1)
    notebook.page.screenshot(path=shots / "head_browser.png")

    small_map(notebook, 0, 2).click()  # by mouse
    shows(notebook, paper, 0, 2, 6, 2)
    for key, layer, head in [("ArrowRight", 0, 3), ("ArrowDown", 1, 3), ("ArrowLeft", 1, 2), ("ArrowUp", 0, 2)]:
        notebook.page.keyboard.press(key)
        shows(notebook, paper, layer, head, 6, 2)
    notebook.page.keyboard.press("ArrowUp")  # nothing is above, and JupyterLab does not leave the cell
    notebook.page.keyboard.press("End")
    shows(notebook, paper, 5, 11, 6, 2)
    assert notebook.page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("layer 5 head 11,")
    small_map(notebook, 3, 1).focus()
    notebook.page.keyboard.press("Enter")
    shows(notebook, paper, 3, 1, 6, 2)

    for _ in range(7):
        notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, paper, 4, 4, 6, 2)
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    notebook.page.get_by_text(SAID["nothing to undo"]).first.wait_for()


def test_pairs_measures_orders_and_sentences(notebook: Any, shots: Any) -> None:
    paper = load_sentence("paper")
    notebook.cell("map", 8, 9).click()
    shows(notebook, paper, 4, 4, 8, 9)
    notebook.eventually(lambda: numbers(notebook), [f"{value:.2f}" for value in paper.trace.weights[:, :, 8, 9].flat])

    choose(notebook, "under each map", "on the previous token")
    shows(notebook, paper, 0, 2, 8, 9)
    previous = paper.statistics()["previous"]
    notebook.eventually(lambda: numbers(notebook), [f"{value:.2f}" for value in previous.flat])
    choose(notebook, "order", "largest first")
    ranked = strongest_heads(previous, 72, digits=12)
    notebook.eventually(lambda: numbers(notebook), [f"{value:.2f}" for _, _, value in ranked])
    notebook.settle()
    places = [f"{layer}.{head}" for layer, head, _ in ranked]
    assert notebook.page.locator(".at-short").all_text_contents() == places
    in_order = np.array([paper.trace.weights[layer, head] for layer, head, _ in ranked])
    np.testing.assert_allclose(drawn(notebook), red_of(in_order), atol=1)
    small_map(notebook, 0, 2).click()
    notebook.page.keyboard.press("ArrowRight")  # the second in this order
    shows(notebook, paper, *ranked[1][:2], 8, 9)
    notebook.page.get_by_text("number 2 of 72.").first.wait_for()

    wide = load_sentence("animal_wide")
    choose(notebook, "sentence", wide.text)
    shows(notebook, wide, 0, 2, wide.query, wide.key)
    notebook.eventually(lambda: drawn(notebook).shape, (72, 14, 14))
    notebook.page.screenshot(path=shots / "head_browser_wide.png")
    small_map(notebook, 3, 1).click()
    shows(notebook, wide, 3, 1, wide.query, wide.key)
    notebook.page.get_by_role("button", name="reset", exact=True).click()  # to the sentence chosen last
    shows(notebook, wide, 0, 2, wide.query, wide.key)
    choose(notebook, "sentence", paper.text)  # the measure stays
    shows(notebook, paper, 0, 2, 6, 2)


def test_a_sentence_of_ones_own_needs_words_and_the_model(notebook: Any) -> None:
    """Both as where it is installed and as where it is not, whatever is so on this machine."""
    folder = "import attention_lib.labs.head_browser as module; module.weights_folder = {}; browser._refresh()"
    own = notebook.page.locator(".head-browser").get_by_label("own sentence", exact=True)
    notebook.python("None", folder.format("lambda: 'there'"))
    before = notebook.texts("map")
    notebook.type_into(own, "   ")
    notebook.page.get_by_text(TYPED["no words"]).first.wait_for()
    assert notebook.texts("map") == before

    notebook.python("None", folder.format("lambda: None"))
    notebook.page.get_by_text(MODEL["missing"]).first.wait_for()
    assert not own.is_visible()
    notebook.python("None", folder.format("__import__('attention_lib').examples.minilm.weights_folder"))


def test_numbers_stay_under_their_maps_on_a_projector(notebook: Any, shots: Any) -> None:
    """In Presentation Mode the type grows; a number that is wider than its map would run into the next."""
    wide = """() => [...document.querySelectorAll(".at-number")].filter((n) => n.scrollWidth > n.clientWidth).length"""
    notebook.page.set_viewport_size({"width": 1280, "height": 720})
    notebook.command("application:toggle-presentation-mode")
    notebook.page.wait_for_selector(".jp-mod-presentationMode")
    notebook.settle()
    notebook.page.screenshot(path=shots / "head_browser_projector.png")
    assert notebook.page.evaluate(wide) == 0
    notebook.command("application:toggle-presentation-mode")


def test_presets(notebook: Any, shots: Any) -> None:
    keys, creature = load_sentence("keys"), load_sentence("creature")
    choose(notebook, "start from", PRESETS["back"])
    shows(notebook, keys, 0, 2, 6, 5)
    ranked = strongest_heads(keys.statistics()["previous"], 72, digits=12)
    notebook.eventually(lambda: numbers(notebook), [f"{value:.2f}" for _, _, value in ranked])
    assert numbers(notebook)[0] == "1.00"
    notebook.page.screenshot(path=shots / "head_browser_preset.png")
    choose(notebook, "start from", PRESETS["creature"])
    shows(notebook, creature, 0, 1, 4, 2)
    notebook.eventually(lambda: numbers(notebook)[0], "0.40")
    notebook.page.get_by_role("button", name="undo", exact=True).click()
    shows(notebook, keys, 0, 2, 6, 5)
    choose(notebook, "start from", PRESETS["paper"])
    shows(notebook, load_sentence("paper"), 4, 4, 6, 2)
    notebook.eventually(lambda: numbers(notebook)[52], "0.76")  # by layer and head again


def test_the_kernel_ends(notebook: Any) -> None:
    notebook.restart_kernel()
    notebook.page.locator(".at-note").get_by_text(BROWSER_MESSAGES["gone"]).first.wait_for()
    before = notebook.texts("map")
    small_map(notebook, 0, 2).click()
    notebook.settle()
    assert notebook.texts("map") == before
    assert labels(notebook.page.locator('.at-map[aria-pressed="true"]')) == ["layer 4 head 4, 0.76"]
    notebook.run_all()
    open_product(notebook)
    shows(notebook, load_sentence("paper"), 4, 4, 6, 2)


def test_the_outline_is_at_once_and_the_focus_stays(notebook: Any) -> None:
    """Before Python's answer, under JupyterLab's letters, at the last map, and while Python changes the order."""
    outlined = small_map(notebook, 5, 11).evaluate("(map) => (map.click(), map.getAttribute('aria-pressed'))")
    assert outlined == "true"
    shows(notebook, load_sentence("paper"), 5, 11, 6, 2)
    notebook.page.keyboard.press("b")  # elsewhere in a notebook: a new cell
    notebook.page.keyboard.press("ArrowRight")  # nothing is right of it or below
    notebook.page.keyboard.press("ArrowDown")
    focused = "document.activeElement.getAttribute('aria-label')"
    assert notebook.page.evaluate(focused).startswith("layer 5 head 11,")
    notebook.python("None", "browser.model.choose_order('largest'); browser._refresh()")
    notebook.page.wait_for_selector(".at-sorted")
    assert (notebook.page.evaluate(focused) or "").startswith("layer 5 head 11,")
    notebook.settle()
    assert notebook.page.evaluate("jupyterapp.shell.currentWidget.content.widgets.length") == 3
