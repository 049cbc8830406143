"""The pages that need no kernel: whole files, and what they calculate, Python would show and say, to the digit."""

import base64
import functools
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import make_pages
import numpy as np
import pytest

import attention_lib as al
from attention_lib import lessons
from attention_lib.lessons.masking.reach import layers_needed
from attention_lib.live.chain import attention_steps, step
from attention_lib.live.lab import Lab
from attention_lib.live.matrix_view import MatrixView
from attention_lib.live.panel import Panel
from attention_lib.plots import number_text

NODE = shutil.which("node")
in_node = pytest.mark.skipif(NODE is None, reason="no node found: install Node.js to test what the page calculates")
N_EDITS = 10
LARGEST = 240_000  # bytes, as notebooks/where_it_runs.md says
data_of = functools.cache(make_pages.data_of)


def test_every_lab_with_a_chain_is_asked():
    chained = {name for name in lessons.LABS if getattr(lessons, name).chain is not Lab.chain}
    assert {page.lab for page in make_pages.PAGES.values()} == chained


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
        assert all(words[name] in written[name] for words in (make_pages.HOW, make_pages.DO))


def test_the_page_that_the_readme_offers_is_that_of_today():
    """To write it again: python tools/front_picture.py. Only its letters may come from another version of fontTools."""
    stored = (make_pages.ROOT / "notebooks" / "explorer.html").read_text("utf-8")
    ours, theirs = (re.sub("base64,[^)]*", "", page) for page in (make_pages.lab_page("explorer", way=""), stored))
    assert ours == theirs


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


@in_node
@pytest.mark.parametrize("name", make_pages.PAGES)
def test_after_any_edit_the_page_holds_what_python_holds_and_says_nothing_else(name):
    """From every start of the page; all go to one node, since starting it takes longer than its work."""
    starts = data_of(make_pages.PAGES[name])["starts"]
    rounds = [edits_and_what_python_says(name, start, at) for at, start in enumerate(starts)]
    asked = [{"start": start, "edits": [message for message, *_ in steps]} for start, steps in zip(starts, rounds)]
    script = Path(__file__).parent / "js" / "play.js"
    run = subprocess.run([NODE, str(script)], input=json.dumps(asked), capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    for start, steps, answers in zip(starts, rounds, json.loads(run.stdout), strict=True):
        compare(name, start["preset"], answers, steps)


def edits_and_what_python_says(name, start, at):
    """Let a lab in Python hear edits; return each with what it then holds and says."""
    lab, steps = make_pages.PAGES[name].make(), []
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


EVALUATE = Path(__file__).with_name("js") / "evaluate.js"


def as_json(matrix: Any) -> list[list[Any]]:
    """Nested lists in which numbers that JSON has not got are words that JavaScript reads."""
    words = {np.inf: "Infinity", -np.inf: "-Infinity"}
    return [[words.get(value, value) for value in row] for row in np.asarray(matrix, dtype=float).tolist()]


def in_the_page(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Hand chains to the page's evaluator; return its operations, and the texts of each case by name."""
    run = subprocess.run(
        [NODE, str(EVALUATE)], input=json.dumps(cases), capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def texts_of(matrix: Any, digits: int) -> list[list[str]]:
    return [[number_text(value, digits) for value in row] for row in np.asarray(matrix, dtype=float)]


def random_case(rng: np.random.Generator, spread: float) -> tuple[dict[str, Any], al.AttentionTrace]:
    """Attention under a random mask, some of whose rows allow nothing; numbers with few decimals make many ties."""
    n, m, d_k, d_v = rng.integers(1, 9, 4)
    draw = rng.standard_normal if rng.random() < 0.5 else lambda shape: rng.integers(-60, 61, shape) / 20
    Q, K, V = (spread * draw(shape) for shape in [(n, d_k), (m, d_k), (m, d_v)])
    mask = rng.random((n, m)) < rng.random()
    mask[rng.random(n) < 0.3] = False
    *to_scaled_scores, _weights, output = attention_steps(int(d_k))
    masked = step("masked scores", "mask", "scaled scores", "mask")
    chain = [*to_scaled_scores, masked, step("weights", "softmax", "masked scores"), output]
    known = {name: as_json(matrix) for name, matrix in {"Q": Q, "K": K, "V": V, "mask": mask}.items()}
    case = {"chain": chain, "known": known, "sources": ["Q", "K", "mask"], "digits": {"weights": 4}}
    return case, al.scaled_dot_product_attention(Q, K, V, mask)


@in_node
@pytest.mark.parametrize("spread", [1.0, 1e-3, 30.0])
def test_attention_shows_the_digits_of_attention_lib(spread: float) -> None:
    rng = np.random.default_rng(1)
    cases = [random_case(rng, spread) for _ in range(100)]
    for (case, trace), texts in zip(cases, in_the_page([case for case, _ in cases])["answers"]):
        for name in ("scores", "scaled scores", "masked scores", "weights", "output"):
            expected = getattr(trace, name.replace(" ", "_"))
            assert texts[name] == texts_of(expected, case["digits"].get(name, 3)), name
    dead = sum(np.isneginf(trace.masked_scores).all(axis=-1).any() for _, trace in cases)
    assert dead > 25, "hardly any row is dead"


@in_node
def test_scores_that_overflow_exp_and_dead_rows() -> None:
    scores = [[1e308, -1e308, 0.0], [800.0, 799.0, -np.inf], [-np.inf] * 3, [-1e5, -1e5, -1e5]]
    case = {"chain": [step("weights", "softmax", "scores")], "known": {"scores": as_json(scores)}}
    answers = in_the_page([case | {"sources": ["scores"], "digits": {}}])["answers"]
    assert answers[0]["weights"] == texts_of(al.softmax(scores), 3)


def test_the_page_is_told_the_chain_and_what_it_needs() -> None:
    view = MatrixView({"X": Panel([[1.0]])}, chain=[step("Y", "matmul", "X", "W")], given={"W": np.array([[2]])})
    assert (view._chain, view._given) == ([["Y", "matmul", "X", "W"]], {"W": [[2.0]]})
    view.show({"Y": Panel([[1.0]])})
    assert (view._chain, view._given) == ([], {})


@in_node
def test_the_layers_that_each_pair_of_words_needs() -> None:
    mask = np.random.default_rng(0).random((6, 6)) < 0.3
    case = {"chain": [step("needed", "layers", "mask", 4)], "known": {"mask": as_json(mask)}, "sources": ["mask"]}
    (made,) = in_the_page([case | {"digits": {"needed": 0}}])["answers"]
    needed = layers_needed(mask, 4)
    assert made == {"needed": texts_of(np.where(needed, needed, -np.inf), 0)}
