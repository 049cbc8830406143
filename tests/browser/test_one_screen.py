"""The labs on one screen: under the settings of a presentation, and on a narrow page, where wide panels scroll."""

from typing import Any

import present
import pytest

MASK = """\
import numpy as np
from attention_lib.labs import MaskWorkbench
X, W_Q = np.random.default_rng(0).integers(0, 3, (8, 4)), np.eye(4)
MaskWorkbench("the fluffy blue creature roamed the verdant forest".split(), X, W_Q, np.eye(4), np.eye(4))"""
LABS = {
    name: f"from attention_lib.labs import {name}\n{name}()"
    for name in ("Explorer", "ScalingLab", "LearningLab", "MistakeLab", "HeadBrowser", "CopyingLab")
}
LABS |= {"MaskWorkbench": MASK}
LABS |= {
    f"TurningLab, {name}": f"from attention_lib.labs import TurningLab\nTurningLab({name!r})"
    for name in ("one", "four")
}
TYPE = present.SETTINGS["@jupyterlab/apputils-extension:themes"]["overrides"]
BOXES = """() => {
    const all = (selector) => [...document.querySelectorAll(`.attention-lab ${selector}`)];
    const lab = document.querySelector('.attention-lab').getBoundingClientRect();
    return {
        height: lab.height,
        seen: document.querySelector('.jp-WindowedPanel-outer').clientHeight,
        outside: all('[data-panel]').filter((panel) => panel.getBoundingClientRect().right > lab.right + 1)
            .map((panel) => panel.dataset.panel),
        cut: all('[data-panel]').filter((panel) => panel.scrollWidth > panel.clientWidth + 1
            && getComputedStyle(panel).overflowX !== 'auto' && panel.getBoundingClientRect().left + panel.scrollWidth
            > lab.right + 1).map((panel) => panel.dataset.panel),
    };
}"""


@pytest.mark.parametrize("name", LABS)
def test_a_lab_stands_on_one_screen_before_an_audience_and_scrolls_on_a_narrow_page(
    name: str, open_notebook: Any, shots: Any
) -> None:
    notebook = open_notebook(LABS[name], height=660)
    for variable, size in TYPE.items():
        notebook.page.evaluate(
            "([name, size]) => document.documentElement.style.setProperty(name, size)", [f"--jp-{variable}", size]
        )
    notebook.page.locator(".attention-lab [data-panel]").first.wait_for()
    notebook.settle()
    boxes = notebook.page.evaluate(BOXES)
    notebook.page.screenshot(path=shots / f"audience_{name}.png")
    assert boxes["height"] <= boxes["seen"]
    assert (boxes["outside"], boxes["cut"]) == ([], [])

    notebook.page.set_viewport_size({"width": 800, "height": 900})
    notebook.settle()
    boxes = notebook.page.evaluate(BOXES)
    notebook.page.screenshot(path=shots / f"narrow_{name}.png")
    assert (boxes["outside"], boxes["cut"]) == ([], [])
