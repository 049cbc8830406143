"""The learning lab in a real JupyterLab: what was strong once is plain when it is no longer so."""

from typing import Any

from test_for_everyone import LABS


def test_only_the_likeliest_meaning_is_bold_after_the_run(open_notebook: Any) -> None:
    notebook = open_notebook(LABS["LearningLab"])
    strong = notebook.page.locator(".attention-bars .strong")
    notebook.page.locator(".training-picture").wait_for()
    notebook.settle()
    notebook.eventually(strong.all_inner_texts, ["ship", "0.34"])
    assert not notebook.page.get_by_role("button", name="play").is_visible(), "a guess comes first"
    notebook.page.get_by_role("button", name="as it halves").click()
    box = notebook.page.locator(".number-box input").first
    notebook.settle()  # Python may write into the box too
    box.fill("150")
    box.press("Enter")
    notebook.eventually(strong.all_inner_texts, ["belly", "1.00"])
