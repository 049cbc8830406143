"""What the page calculates itself is what attention_lib calculates, to the printed digit."""

import json
import shutil
import subprocess
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_lib as al
from attention_lib.lessons import AlignmentLab, Explorer, HeadSurgeryLab, MaskWorkbench, MemoryLab, TurningLab
from attention_lib.lessons.masking.mask_workbench import LATER, LAYERS
from attention_lib.live.chain import attention_steps, step
from attention_lib.live.matrix_view import MatrixView
from attention_lib.live.panel import Panel
from attention_lib.plots import number_text

EVALUATE = Path(__file__).with_name("js") / "evaluate.js"
NODE = shutil.which("node")
in_node = pytest.mark.skipif(NODE is None, reason="no node found: install Node.js to test what the page calculates")


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


def play(view: MatrixView, panel: str, row: int, column: int, value: float, n: int) -> None:
    """Let Python hear an edit."""
    content = {"do": "edit", "view": "v", "n": n, "gesture": f"v-{n}", "panel": panel}
    content |= {"row": row, "column": column, "value": value}
    view._handle_msg({"content": {"data": {"method": "custom", "content": content}}, "buffers": []})
    assert view.last_error is None


def edits_of(lab: Any, rng: np.random.Generator, count: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Play edits; return what the page would calculate with before each, and the texts that Python answers."""
    view: MatrixView = lab.view
    found = []
    for n in range(1, count + 1):
        editable = [name for name, panel in view.panels.items() if panel.editable]
        name = editable[rng.integers(len(editable))]
        panel = view.panels[name]
        row, column = (int(rng.integers(side)) for side in panel.array.shape)
        steps = round((panel.high - panel.low) / panel.step)
        value = round(panel.low + int(rng.integers(steps + 1)) * panel.step, 4)
        if panel.kind == "mask":
            value = float(not view[name][row, column])
        known = {shown: view[shown].astype(float) for shown in view.panels}
        known[name][row, column] = value
        known |= {given: np.array(matrix) for given, matrix in view._given.items()}
        digits = {shown: panel.digits for shown, panel in view.panels.items()}
        case = {"chain": view._chain, "known": {key: as_json(known[key]) for key in known}}
        play(view, name, row, column, value, n)
        found.append((case | {"sources": [name], "digits": digits}, {p: texts_of(view[p], digits[p]) for p in digits}))
    return found


def mask_workbench(task: int) -> MaskWorkbench:
    rng = np.random.default_rng(3)
    lab = MaskWorkbench(list("abcdef"), *(rng.standard_normal(shape) for shape in [(6, 4), *[(4, 4)] * 3]))
    lab.task.value = task
    lab.layers.box.value = "4"
    return lab


def head_surgery(preset: str) -> HeadSurgeryLab:
    lab = HeadSurgeryLab()
    lab._start_from(preset)
    return lab


LABS = {
    **{f"explorer, {name}": partial(Explorer, name) for name in ("bae", "cat", "kv", "paper")},
    "mask workbench": partial(mask_workbench, LATER),
    "mask workbench, layers": partial(mask_workbench, LAYERS),
    **{f"alignment, {name}": partial(AlignmentLab, name) for name in ("last", "sure", "article", "to")},
    "memory": MemoryLab,
    **{f"turning, {name}": partial(TurningLab, name) for name in ("one", "four", "back")},
    **{f"head surgery, {name}": partial(head_surgery, name) for name in ("made", "one_off", "averaged", "needed")},
}


def random_case(rng: np.random.Generator, spread: float) -> tuple[dict[str, Any], al.AttentionTrace]:
    """Attention under a random mask, some of whose rows allow nothing; numbers with few decimals make many ties."""
    n, m, d_k, d_v = rng.integers(1, 9, 4)
    draw = rng.standard_normal if rng.random() < 0.5 else lambda shape: rng.integers(-60, 61, shape) / 20
    Q, K, V = (spread * draw(shape) for shape in [(n, d_k), (m, d_k), (m, d_v)])
    mask = rng.random((n, m)) < rng.random()
    mask[rng.random(n) < 0.3] = False
    chain = attention_steps(int(d_k), "mask")
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


@in_node
def test_only_what_follows_is_calculated() -> None:
    chain = [step("Q", "matmul", "X", "W_Q"), step("K", "matmul", "X", "W_K"), *attention_steps(2)]
    one = [[1.0, 0.0], [0.0, 1.0]]
    case = {"chain": chain, "known": dict.fromkeys(("X", "W_Q", "W_K", "K", "V", "K.T"), one), "digits": {}}
    made = in_the_page([case | {"sources": ["W_Q"]}])["answers"][0]
    assert list(made) == ["Q", "scores", "scaled scores", "weights", "output"]


@in_node
def test_a_sum_of_matrices() -> None:
    case = {"chain": [step("E'", "add", "E", "ΔE")], "known": {"E": [[1, 2]], "ΔE": [[0.25, -3]]}}
    assert in_the_page([case | {"sources": ["ΔE"], "digits": {"E'": 2}}])["answers"] == [{"E'": [["1.25", "−1.00"]]}]


@in_node
def test_pairs_turned_and_products_entry_by_entry() -> None:
    rng = np.random.default_rng(0)
    rows, angles = rng.standard_normal((3, 4)), rng.uniform(-300, 300, (3, 2))
    cos, sin = np.cos(angles), np.sin(angles)
    x, y = rows[:, ::2], rows[:, 1::2]
    turned = np.stack([x * cos - y * sin, x * sin + y * cos], axis=-1).reshape(3, 4)
    chain = [step("turned", "turn", "rows", "angles"), step("twice", "times", "turned", "rows")]
    case = {"chain": chain, "known": {"rows": as_json(rows), "angles": as_json(angles)}, "sources": ["angles"]}
    (made,) = in_the_page([case | {"digits": {"turned": 4, "twice": 4}}])["answers"]
    assert made == {"turned": texts_of(turned, 4), "twice": texts_of(turned * rows, 4)}


@in_node
def test_the_page_rounds_as_python_does() -> None:
    rng = np.random.default_rng(0)
    values = [0.125, 0.375, -0.125, 0.5, 1.5, 2.5, 0.365, 0.335, 1.005, -0.004, -0.0, 1e-9, 12.3456, 1234.5, 0.0625]
    values += [*rng.standard_normal(300), *(rng.integers(-999, 999, 300) / 200), *(rng.integers(-99, 99, 300) / 64)]
    case = {"chain": [step("same", "times", "x", "ones")], "sources": ["x"]}
    case["known"] = {"x": as_json([values]), "ones": [[1.0] * len(values)]}
    answers = in_the_page([case | {"digits": {"same": digits}} for digits in range(4)])["answers"]
    assert [answer["same"] for answer in answers] == [texts_of([values], digits) for digits in range(4)]


def test_the_page_is_told_the_chain_and_what_it_needs() -> None:
    view = MatrixView({"X": Panel([[1.0]])}, chain=[step("Y", "matmul", "X", "W")], given={"W": np.array([[2]])})
    assert (view._chain, view._given) == ([["Y", "matmul", "X", "W"]], {"W": [[2.0]]})
    view.show({"Y": Panel([[1.0]])})
    assert (view._chain, view._given) == ([], {})


@in_node
@pytest.mark.parametrize("name", LABS)
def test_an_edit_of_a_lab_shows_the_digits_that_python_answers(name: str) -> None:
    lab = LABS[name]()
    edits = edits_of(lab, np.random.default_rng(0), 30)
    answers = in_the_page([case for case, _ in edits])["answers"]
    shown = 0
    for (case, answered), texts in zip(edits, answers):
        for panel in set(texts) & set(answered):
            assert texts[panel] == answered[panel], (panel, case["sources"])
            shown += 1
    assert shown >= 30, "hardly anything follows"
