"""`make present AT=lab`: the cells have been run, the reveals have not, and the lab is alive and on the screen."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from lab_server import free_port

ROOT = Path(__file__).parents[2]
LIMIT = 180  # seconds


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address that the command prints, its settings and copies in a folder of its own."""
    home = tmp_path_factory.mktemp("present")
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'notebooks' / 'presenting')!r}); import present; "
    code += f"from pathlib import Path; present.BUILD = Path({str(home)!r}); present.main(*sys.argv[1:])"
    flags = ["04", "--at=lab", "--no-browser", "--allow-root", f"--port={free_port()}"]
    server = subprocess.Popen(
        [sys.executable, "-c", code, *flags],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    try:
        yield next(line.removeprefix("Open: ").strip() for line in server.stdout if line.startswith("Open: "))
    finally:
        os.killpg(server.pid, signal.SIGINT)
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            os.killpg(server.pid, signal.SIGKILL)


def test_it_opens_at_a_lab_that_is_alive(browser, address):
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(address.replace("localhost", "127.0.0.1"))  # the tests' browser knows no names
    lab = page.locator(".lab-alignmentlab")
    lab.wait_for(timeout=LIMIT * 1000)
    page.wait_for_function(
        "() => { const top = document.querySelector('.lab-alignmentlab').getBoundingClientRect().top;"
        " return top >= 0 && top < 200; }",
        timeout=60_000,
    )
    assert page.locator(".jp-CodeCell .jp-OutputPlaceholder").count() >= 3, "a reveal is not closed any more"

    large = "[...document.styleSheets].some((one) => one.href?.endsWith('/custom/custom.css') && one.cssRules.length)"
    assert page.evaluate(large), "the page does not know the style of presenting"

    letters = "(lab) => [...lab.querySelectorAll('button, select, .av-cell, .lab-goal')].map("
    letters += "(node) => parseFloat(getComputedStyle(node).fontSize))"
    assert min(lab.evaluate(letters)) >= 17.9, "the letters of the lab do not grow before an audience"

    lab.get_by_role("button", name="Start again").click()
    lab.get_by_text("This is where you started").first.wait_for(timeout=60_000)
    page.close()
