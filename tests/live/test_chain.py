"""What the page calculates itself is what attention_lib calculates, to the printed digit."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import attention_lib as al
from attention_lib.lessons.masking.reach import layers_needed
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
