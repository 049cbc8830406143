"""What the explorer says and shows of a sentence of one's own is read whole, by measured widths."""

from typing import Any

import pytest
from test_every_lab import LARGE_TYPE, OWN_TYPE, TYPE, present
from test_one_screen import LABS, PLACES

from attention_lib.labs.explorer import ExplorerModel

OWN = "from attention_lib.labs import Explorer\nlab = Explorer('plain')\nlab._sentence.value = {text!r}\nlab"
SENTENCES = [
    "my dog ate it",
    "cat dog extraordinary",
    "internationalism internationalist",
    "supercalifragilisticexpialidocious donaudampfschifffahrt",
    "one two three four five six",
    "extraordinary people read extraordinary newspapers about extraordinary people today",
    "the quick brown fox jumps over the lazy dog again now",
    "a b c d e f g h i j k l",
]
# Cells whose text is wider than they are; those that can be edited, with a minus before the widest of their numbers.
# A closed strip shows no numbers.
WIDER = """() => [...document.querySelectorAll('.attention-lab [data-panel]')].flatMap((panel) => {
    const pen = document.createRange();
    const measured = (cell) => {
        pen.selectNodeContents(cell);
        return pen.getBoundingClientRect().width;
    };
    const seen = (cell) => cell.checkVisibility({ opacityProperty: true, visibilityProperty: true })
        && getComputedStyle(cell).color !== 'rgba(0, 0, 0, 0)';
    const cells = [...panel.querySelectorAll('.av-cell')].filter(seen);
    const numbers = cells.filter((cell) => /\\d/.test(cell.textContent) && cell.querySelector('.av-value'));
    const before = numbers.map((cell) => cell.querySelector('.av-value').textContent);
    const lengths = before.map((text) => text.replace('\u2212', '').length);
    const widest = '0.00000'.slice(0, Math.max(...lengths)); // all digits are of one width
    for (const cell of numbers) cell.querySelector('.av-value').textContent = `\u2212${widest}`;
    const room = (cell) => cell.getBoundingClientRect().width;
    const found = cells.filter((cell) => measured(cell) > room(cell) + 0.3)
        .map((cell) => [panel.dataset.panel, cell.textContent, measured(cell), room(cell)].join(' '));
    numbers.forEach((cell, i) => { cell.querySelector('.av-value').textContent = before[i]; });
    return found.slice(0, 2);
})"""
# Names above columns of the map that reach into each other.
CROWDED = """() => {
    const names = [...document.querySelectorAll('[data-panel="weights"] .av-column-label > span')]
        .map((name) => name.getBoundingClientRect());
    return names.filter(({ left }, i) => i && left < names[i - 1].right - 1).length;
}"""
# Each bar beside its share of the longest, and what of names and values is not inside the box of the bars.
BARS = """() => {
    const box = document.querySelector('.explorer-row').getBoundingClientRect();
    const pen = document.createRange();
    const bars = [...document.querySelectorAll('.explorer-row i')];
    const values = bars.map((bar) => { pen.selectNode(bar.nextSibling); return pen.getBoundingClientRect(); });
    return {
        shares: bars.map((bar) => Number(bar.style.getPropertyValue('--long'))),
        widths: bars.map((bar) => bar.getBoundingClientRect().width),
        cut: values.filter(({ right }) => right > box.right + 0.5).length,
    };
}"""
# What the bars lie over, and what is said lies over.
OVER = """() => {
    const pen = document.createRange();
    const all = (parts) => [...document.querySelectorAll(parts)].map((part) => {
        pen.selectNodeContents(part);
        return (part.matches('.av-title') ? pen : part).getBoundingClientRect(); // its box is wider
    }).filter(({ width, height }) => width && height);
    const meet = (one, other) => Math.min(one.right, other.right) - Math.max(one.left, other.left) > 1
        && Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top) > 1;
    const count = (over, under) => all(over).flatMap((one) => all(under).filter((other) => meet(one, other))).length;
    return {
        bars: count('.explorer-row .widget-html-content > *', '.av-cell, .av-title, .av-column-label'),
        said: count('.lab-message .widget-html-content', '.lab-goal b, .explorer-row b, .av-title, .av-cell, button'),
    };
}"""


SIGNED = """\
from attention_lib.labs import MistakeLab
lab = MistakeLab()
lab._show.value = "differences"
lab"""
SHOWN = LABS | {"MistakeLab, differences": SIGNED}


@pytest.mark.parametrize("name", SHOWN, scope="module")
def test_no_number_is_wider_than_its_cell(name: str, open_notebook: Any) -> None:
    """Whatever is typed: a minus is as wide as a digit, and pages begin with positive numbers."""
    notebook = open_notebook.look_at(SHOWN[name])
    for width in (860, 940, 1020, 1280, 1440):
        notebook.use_size(width, 900)
        notebook.settle()
        assert (width, notebook.page.evaluate(WIDER)) == (width, [])


@pytest.mark.parametrize(("shell", "widths"), [("lab", [1280]), ("doc", [1280, 940])])
def test_a_sentence_of_ones_own_is_read_whole(shell: str, widths: list[int], open_notebook: Any, shots: Any) -> None:
    notebook = open_notebook(OWN.format(text=SENTENCES[0]), shell=shell, width=widths[0], height=720)
    notebook.page.locator(".lab-message", has_text="Your sentence").wait_for()
    for text in SENTENCES:
        notebook.python("None", f"lab._sentence.value = {text!r}")
        for width in widths:
            notebook.use_size(width, 720)
            notebook.settle()
            notebook.page.screenshot(path=shots / f"own_{shell}_{width}_{len(text)}.png")
            at = (width, text)
            words = notebook.page.locator('[data-panel="weights"] .av-column-label')
            assert words.count() == len(text.split())
            assert notebook.page.evaluate(WIDER) == [], at
            assert notebook.page.evaluate(CROWDED) == 0, at
            assert notebook.page.evaluate(OVER) == {"bars": 0, "said": 0}, at
            bars = notebook.page.evaluate(BARS)
            longest = max(bars["widths"])
            assert longest >= 20 and bars["cut"] == 0, at
            assert bars["widths"] == pytest.approx([max(2, share * longest) for share in bars["shares"]], abs=1), at


def test_before_an_audience_the_bars_stand_beside_the_map(open_notebook: Any, shots: Any) -> None:
    for name in ExplorerModel().presets:
        cell = f"from attention_lib.labs import Explorer\nExplorer({name!r})"
        notebook = open_notebook(cell, height=660)
        sizes = {f"--jp-{variable}": size for variable, size in TYPE.items()}
        notebook.page.evaluate(LARGE_TYPE, sizes)
        style = notebook.page.add_style_tag(content=present.STYLE.read_text("utf-8"))
        notebook.settle()
        notebook.page.screenshot(path=shots / f"audience_{name}.png")
        found = notebook.page.evaluate(OVER)
        style.evaluate("(style) => style.remove()")
        notebook.page.evaluate(OWN_TYPE, list(sizes))
        assert found == {"bars": 0, "said": 0}, name


def test_what_is_said_of_a_sentence_moves_nothing(open_notebook: Any) -> None:
    notebook = open_notebook(OWN.format(text="my dog ate it"), shell="lab", width=1280, height=720)
    notebook.page.locator(".lab-message", has_text="Your sentence").wait_for()
    notebook.settle()
    hint = notebook.page.locator(".explorer-hints .lab-line")
    assert not hint.evaluate("(node) => node.checkVisibility({ visibilityProperty: true })")
    before = notebook.page.evaluate(PLACES)
    notebook.cell("weights", 1, 1).click()
    notebook.settle()
    assert notebook.page.evaluate(PLACES) == before
    assert hint.evaluate("(node) => node.checkVisibility({ visibilityProperty: true })")
