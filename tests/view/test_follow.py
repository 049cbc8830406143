"""Lines that the page fills in say, to the letter, what Python says of the same numbers."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ipywidgets import HTML

from attention_lib.examples.alignment_goals import GOALS
from attention_lib.labs import AlignmentLab, HeadSurgeryLab, MaskWorkbench
from attention_lib.labs.head_surgery import PRESETS
from attention_lib.view.follow import FUNCTIONS, NUMBERS, Places, Written, as_sent

FILL = Path(__file__).with_name("js") / "fill.js"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="no node found: install Node.js to test what the page calculates")
Edit = tuple[str, int, int, float]  # panel, row, column, value


def in_the_page(cases: list[dict[str, Any]]) -> dict[str, Any]:
    """Let the page's code fill in lines; return the functions that it knows, and what it says in each case."""
    run = subprocess.run(
        [NODE, str(FILL)], input=json.dumps(cases), capture_output=True, text=True, encoding="utf-8", timeout=120
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def parts_of(widget: Any) -> Iterator[Any]:
    yield widget
    for part in getattr(widget, "children", ()):
        yield from parts_of(part)


def as_json(matrix: Any) -> list[list[Any]]:
    """Nested lists in which numbers that JSON has not got are words that JavaScript reads."""
    return [["-Infinity" if value == -np.inf else value for value in row] for row in np.asarray(matrix, float).tolist()]


def as_parsed(line: str) -> str:
    """Quotes mean the same in a page however they are written; no other letter does."""
    return line.replace("&#x27;", "'").replace("&quot;", '"')


def said_by_python(lab: Any, said: dict[str, Any]) -> dict[str, Any]:
    """What Python says and marks now, of what the page has to say."""
    texts = [part for part in parts_of(lab) if isinstance(part, HTML)]
    lines = {where: part.value for part in texts for where in part._dom_classes}
    assert set(said["lines"]) <= set(lines)
    return {
        "lines": {where: as_parsed(lines[where]) for where in said["lines"]},
        "captions": {name: lab.view._captions[name] for name in said["captions"]},
        "marks": {name: lab.view._highlight[name] for name in said["marks"]},
    }


def played(lab: Any, edit: Edit) -> tuple[dict[str, Any], dict[str, Any]]:
    """Play an edit; return what the page knew before it, and what Python says then."""
    view, (panel, row, column, value) = lab.view, edit
    known = {name: as_json(view[name]) for name in view.panels} | view._given
    known[panel][row][column] = value
    case = {"chain": view._chain, "known": known, "sources": [panel], "said": view._lines, "row": row}
    case = json.loads(json.dumps(case))
    view._receive(None, {"do": "edit", **dict(zip(("panel", "row", "column", "value"), edit)), "gesture": ""}, None)
    assert view.last_error is None
    return case, said_by_python(lab, case["said"])


def drawn(lab: Any, rng: np.random.Generator, count: int) -> Iterator[Edit]:
    """Edits of anything that can be edited, each drawn when those before are played."""
    for _ in range(count):
        editable = [(name, panel) for name, panel in lab.view.panels.items() if panel.editable]
        name, panel = editable[rng.integers(len(editable))]
        row, column = (int(rng.integers(side)) for side in panel.array.shape)
        value = float(rng.integers(-40, 41) / 20)
        yield name, row, column, float(not lab.view[name][row, column]) if panel.kind == "mask" else value


def states_of(lab: Any, edits: Iterator[Edit]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [played(lab, edit) for edit in edits]


def towards(lab: AlignmentLab, rng: np.random.Generator) -> Iterator[Edit]:
    """To the goal and past it: where the page first says that it is reached, and by changing more than it allows."""
    yield from (tuple(change) for change in GOALS[lab.model.goal].way)  # type: ignore[misc]
    yield from [("X", 0, 0, 2.25), ("context", 0, 2, 2.25), ("X", 0, 0, 2.0)]
    yield from drawn(lab, rng, 25)


def masked(start: str, n_layers: int, skip: bool) -> MaskWorkbench:
    rng, words = np.random.default_rng(3), ["the", "<b>", "&", "the", "of", "'six"]
    lab = MaskWorkbench(words, *(rng.standard_normal(shape) for shape in [(6, 4), *[(4, 4)] * 3]))
    lab._start_from(start)
    lab._skip.value = skip
    lab._set_layers(n_layers)
    return lab


def surgery(preset: str) -> HeadSurgeryLab:
    lab = HeadSurgeryLab()
    lab._start_from(preset)
    return lab


def steps_back(lab: HeadSurgeryLab, rng: np.random.Generator) -> Iterator[Edit]:
    """Edits that leave the layer as it was made among those that do not."""
    made = lab.view["W_O"]
    for name, row, column, value in drawn(lab, rng, 20):
        yield name, row, column, value
        yield name, row, column, float(made[row, column])
    for row, column in np.ndindex(*made.shape):
        yield "W_O", row, column, 0.0


def compare(states: list[tuple[dict[str, Any], dict[str, Any]]]) -> None:
    for (case, told), said in zip(states, in_the_page([case for case, _ in states])["answers"], strict=True):
        lines = {where: as_parsed(line) for where, line in said["lines"].items()}
        assert said | {"lines": lines} == told, case["sources"]


def test_every_place_and_every_number_can_be_read_by_both() -> None:
    functions = in_the_page([])["functions"]
    assert (sorted(functions["places"]), sorted(functions["numbers"])) == (sorted(FUNCTIONS), sorted(NUMBERS))


@pytest.mark.parametrize("goal", GOALS)
def test_goal_and_readers_of_the_alignment_lab_follow_in_the_page(goal: str) -> None:
    lab = AlignmentLab(goal)
    states = states_of(lab, towards(lab, np.random.default_rng(1)))
    compare(states)
    begins = {told["lines"]["alignment-goal"].removeprefix("<b>").split(":")[0] for _, told in states}
    assert begins >= {"Goal reached", "Goal"}
    assert any(said.startswith("Reached, but") for said in begins) == (goal in ("last", "sure"))


@pytest.mark.parametrize("preset", PRESETS)
def test_what_the_followed_word_is_given_follows_in_the_page(preset: str) -> None:
    lab = surgery(preset)
    states = states_of(lab, steps_back(lab, np.random.default_rng(2)))
    compare(states)
    assert "0 in every column" in states[-1][1]["lines"]["head-surgery-summary"]
    if preset == "made":
        assert any("as it was made.</b>" in told["lines"]["head-surgery-summary"] for _, told in states)


@pytest.mark.parametrize(
    ("start", "n_layers", "skip"), [("causal", 1, False), ("dead", 3, False), ("window", 8, False), ("sink", 4, True)]
)
def test_captions_marks_and_the_row_of_the_mask_workbench_follow_in_the_page(
    start: str, n_layers: int, skip: bool
) -> None:
    lab = masked(start, n_layers, skip)
    rng = np.random.default_rng(4)
    clearing = [("mask", i, j, 0.0) for i in (1, 4) for j in range(6)] + [("mask", i, 2, 0.0) for i in range(6)]
    states = states_of(lab, drawn(lab, rng, 30))
    states += states_of(lab, (edit for edit in clearing if lab.view["mask"][edit[1], edit[2]]))
    states += states_of(lab, drawn(lab, rng, 20))
    compare(states)
    captions = [" ".join(told["captions"].values()) for _, told in states]
    assert {"Nobody reads" in said for said in captions} == {True, False}
    assert {"Dead, no allowed key" in said for said in captions} == {True, False}
    assert any("reads nothing" in told["lines"]["mask-workbench-said"] for _, told in states)


def test_ties_and_numbers_midway_between_two_roundings() -> None:
    read = Places()
    line = " ".join(
        [
            read.listed("top", ("w", 0, None), ["a", "b", "c"]),
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
    case = {"chain": [], "known": {"w": matrix}, "sources": [], "said": as_sent(read, {"line": line})}
    written = Written({"w": np.array(matrix)})
    wanted = [
        written.listed("top", ("w", 0, None), ["a", "b", "c"]),
        written.rank("w", 0, 1),
        written.number("w", 0, 0, 3),
    ]
    wanted += [written.short("w", 1, k) for k in range(3)] + [written.most("w", 0, 2), written.share("w", 2, 0)]
    assert in_the_page([case])["answers"][0]["lines"] == {"line": " ".join(wanted)}
    assert wanted == ["a, b", "1", "0.438", "0.062", "0", "20", "0.44", "0.0000"]


def test_numbers_that_few_lines_hang_on() -> None:
    """A tie that the last bits decide, a row without others, a number that is too high."""
    read, row = Places(), ("w", 0, None)
    low, high = (((("largest", "w", 0, None), least, most),) for least, most in ((None, 0.4), (0.4, None)))
    line = " ".join(
        [
            read.listed("top", row, ["a", "b", "c"]),
            read.value(("lead", "w", 0, [0]), 1),
            read.value(("lead", "w", 0, [0, 1, 2]), 1),
            read.choose((low, "low"), (high, "high"), ((), "neither")),
            read.choose((low, "low")),
        ]
    )
    matrix = [[0.4375 + 1e-15, 0.4375, 0.125]]
    case = {"chain": [], "known": {"w": matrix}, "sources": [], "said": as_sent(read, {"line": line})}
    assert in_the_page([case])["answers"][0]["lines"] == {"line": "a, b 0.0 0.4 high "}
    written = Written({"w": np.array(matrix)})
    assert [written.listed("top", row, ["a", "b", "c"]), written.choose((low, "low"), (high, "high"))] == [
        "a, b",
        "high",
    ]
    assert [written.value(("lead", "w", 0, own), 1) for own in ([0], [0, 1, 2])] == ["0.0", "0.4"]
