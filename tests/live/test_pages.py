"""The pages that need no kernel: whole files, and after any edit what Python would show and say, or nothing."""

import base64
import functools
import json
import re
import shutil
import subprocess
from pathlib import Path

import make_pages
import numpy as np
import pytest

from attention_lib import lessons
from attention_lib.live.lab import Lab

NODE = shutil.which("node")
N_EDITS = 10
LARGEST = 240_000  # bytes, as notebooks/where_it_runs.md says
data_of = functools.cache(make_pages.data_of)


#: Every lab whose page or view calculates what follows.
CALCULATING = make_pages.PAGES | {"memory": make_pages.Page("MemoryLab", lessons.MemoryLab)}


def test_every_lab_with_a_chain_is_asked():
    chained = {name for name in lessons.LABS if getattr(lessons, name).chain is not Lab.chain}
    assert {page.lab for page in CALCULATING.values()} == chained


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make_pages, "data_of", data_of)
        paths = make_pages.write(tmp_path_factory.mktemp("pages"))
    return {path.stem: path.read_text("utf-8") for path in paths}


def test_each_page_is_one_whole_file_that_loads_nothing(written):
    assert set(written) == {"index", *make_pages.PAGES}
    for name, text in written.items():
        links = re.findall(r'(?:src|href)="([^"]*)"', text)
        assert {link for link in links if link != "data:,"} <= {f"{other}.html" for other in written}, name
        assert not re.search(r"@import|\bimport\s*[({\"']|\bfetch\(|XMLHttpRequest|https?://(?!www\.w3\.org)", text), (
            name
        )
        assert "$" not in re.findall(r"<title>(.*)</title>", text)[0]
        assert len(text.encode()) <= LARGEST, name
    for name in make_pages.PAGES:
        assert f'href="{name}.html"' in written["index"]
        assert all(words[name] in written[name] for words in (make_pages.ONLY, make_pages.DO, make_pages.TOUCH))


def test_a_page_brings_the_hangul_it_shows_and_no_more(written):
    faces = {name: re.search(r"@font-face.*base64,([^)]*)\)", text) for name, text in written.items()}
    assert faces["index"] is None and faces["explorer"] and faces["alignment"]
    assert all(len(base64.b64decode(face[1])) < 30_000 for face in faces.values() if face)


def test_each_start_explains_the_korean_words_it_shows_and_no_others():
    for name, page in make_pages.PAGES.items():
        for start in data_of(page)["starts"]:
            shown = set(make_pages.KOREAN.findall(json.dumps(start | {"gloss": ""}, ensure_ascii=False)))
            assert set(re.findall(r"(\w+) = \w", start["gloss"])) == shown, (name, start["preset"])


def test_a_korean_word_that_nothing_explains_gets_no_page(monkeypatch):
    known = {word: gloss for word, gloss in make_pages.glosses().items() if word != "고파서"}
    monkeypatch.setattr(make_pages, "glosses", lambda: known)
    with pytest.raises(ValueError, match="고파서"):
        make_pages.data_of(make_pages.PAGES["explorer"])


def edits_of(lab, rng):
    """Draw edits of anything that can be edited, the same ones on every machine."""
    editable = [(name, panel) for name, panel in lab.view.panels.items() if panel.editable]
    for i in range(N_EDITS):
        name, panel = editable[rng.integers(len(editable))]
        row, column = (int(rng.integers(side)) for side in panel.array.shape)
        value = round(float(rng.uniform(panel.low, panel.high)), 2)
        if panel.kind == "mask":
            value = float(not lab.view[name][row, column])
        yield {"do": "edit", "panel": name, "row": row, "column": column, "value": value, "gesture": str(i)}


@pytest.mark.skipif(NODE is None, reason="no node found: install Node.js to test the browser's scripts")
@pytest.mark.parametrize("name", CALCULATING)
def test_after_any_edit_the_page_holds_what_python_holds_and_says_nothing_else(name):
    """From every start of the page; all go to one node, since starting it takes longer than its work."""
    starts = data_of(CALCULATING[name])["starts"]
    rounds = [edits_and_what_python_says(name, start, at) for at, start in enumerate(starts)]
    asked = [{"start": start, "edits": [message for message, *_ in steps]} for start, steps in zip(starts, rounds)]
    script = Path(__file__).parent / "js" / "play.js"
    run = subprocess.run([NODE, str(script)], input=json.dumps(asked), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    for start, steps, answers in zip(starts, rounds, json.loads(run.stdout), strict=True):
        compare(name, start["preset"], answers, steps)


def edits_and_what_python_says(name, start, at):
    """Let a lab in Python hear edits; return each with what it then holds and says."""
    lab, steps = CALCULATING[name].make(), []
    if lab.presets:
        state = lab.presets[start["preset"]][1]
        lab.change(state, start=state)
    for message in edits_of(lab, np.random.default_rng(at)):
        lab.view._act(message)
        values = np.concatenate([lab.view[panel].astype(float).ravel() for panel in lab.view.panels])
        steps.append((message, values, lab.view._captions))
    return steps


def compare(name, preset, answers, steps):
    for found, (edit, held, said) in zip(answers, steps, strict=True):
        message = f"{preset}: {edit}"
        values = [float(value.replace("Infinity", "inf")) for value in found["values"]]
        np.testing.assert_allclose(values, held, rtol=0, atol=1e-9, err_msg=message)
        for panel, words in found["_captions"].items():  # Python may have more to say than what still holds
            assert said[panel].startswith(words), message
