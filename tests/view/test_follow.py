"""Lines that the page fills in say, to the letter, what Python says of the same numbers."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attention_lib.labs.explorer import Explorer, ExplorerModel
from attention_lib.labs.explorer_words import ARITHMETIC, STEPS
from attention_lib.view.follow import FUNCTIONS, Places, Written, as_sent

FILL = Path(__file__).with_name("js") / "fill.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node found: install Node.js to test what the page calculates")


def in_the_page(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Let the page's code fill in lines; return the places that it knows, and the lines of each case."""
    run = subprocess.run(
        [NODE, str(FILL)], input=json.dumps(cases), capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def said_by_python(lab: Explorer) -> dict[str, str]:
    lab._follow()
    return {name: getattr(lab, f"_{name.removeprefix('explorer-')}").value for name in lab._sentences()["lines"]}


def states_of(lab: Explorer, rng: np.random.Generator, count: int) -> list[tuple[dict[str, Any], dict[str, str]]]:
    """Edit at random, look at any row and step; return what the page knew before each edit, and what Python says."""
    model, found = lab.model, []
    for _ in range(count):
        model.choose(*(int(i) for i in rng.integers(len(model.tokens), size=2)))
        model.step = int(rng.integers(len(STEPS)))
        panel = ("W_Q", "W_K", "W_V")[rng.integers(3)]
        row, column = (int(rng.integers(side)) for side in model.matrices()[panel].shape)
        known = {name: matrix.tolist() for name, matrix in model.matrices().items()}
        value = float(rng.integers(-40, 41) / 20)
        known[panel][row][column] = value
        case = {"chain": [list(made[:2]) + list(made[2]) for made in lab._chain()], "known": known, "sources": [panel]}
        said = lab._sentences()  # as it stood before the edit: with the places, not with the numbers
        model.edit(panel, row, column, value)
        found.append((json.loads(json.dumps(case | {"said": said})), said_by_python(lab)))
    return found


def test_every_place_can_be_read_by_both() -> None:
    assert sorted(in_the_page([])["places"]) == sorted(FUNCTIONS)


@pytest.mark.parametrize("name", ["bae", "cat", "kv", "paper", "plain", "three_matrices"])
def test_the_page_says_of_an_edit_what_python_says(name: str) -> None:
    lab = Explorer(name)
    states = states_of(lab, np.random.default_rng(0), 60)
    for (case, told), said in zip(states, in_the_page([case for case, _ in states])["answers"]):
        assert said == told, case["sources"]


def test_every_step_of_the_arithmetic_was_among_them() -> None:
    starts = {ARITHMETIC[step][0] for step in STEPS}
    lab = Explorer()
    assert {told["explorer-arithmetic"][0] for _, told in states_of(lab, np.random.default_rng(0), 60)} == starts


def test_a_sentence_of_the_reader_stays_words() -> None:
    lab = Explorer()
    lab.model.say("<img src=x> & {0} {query}")
    (case, told), *_ = states_of(lab, np.random.default_rng(1), 1)
    (said,) = in_the_page([case])["answers"]
    assert said == told
    assert "<img" not in "".join(said.values()) and "&lt;img" in said["explorer-row"]


def test_ties_and_numbers_midway_between_two_roundings() -> None:
    read = Places()
    line = " ".join(
        [
            read.top("w", 0, ["a", "b", "c"]),
            read.rank("w", 0, 1),
            read.number("w", 0, 0, 3),
            read.short("w", 1, 0),
            read.short("w", 1, 1),
            read.short("w", 1, 2),
            read.most("w", 0, 2),
            read.share("w", 2, 0),
        ]
    )
    matrix = [[0.4375, 0.4375 + 1e-15, 0.125], [0.0625, -0.0004, 20.0], [0.0, 0.0, 0.0]]
    case = {"chain": [], "known": {"w": matrix}, "sources": [], "said": as_sent(read, {"line": [(None, line)]})}
    written = Written({"w": np.array(matrix)})
    wanted = [written.top("w", 0, ["a", "b", "c"]), written.rank("w", 0, 1), written.number("w", 0, 0, 3)]
    wanted += [written.short("w", 1, k) for k in range(3)] + [written.most("w", 0, 2), written.share("w", 2, 0)]
    assert in_the_page([case])["answers"] == [{"line": " ".join(wanted)}]
    assert wanted == ["a", "1", "0.438", "0.062", "0", "20", "0.44", "0.0000"]


def test_the_model_needs_no_widget_to_say_it() -> None:
    assert ExplorerModel().goal_text().startswith("Goal: make 배 give")
