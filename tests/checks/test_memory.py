"""What is remembered: on the learner's own disk, by two kernels at once, damaged, forgotten, or not at all."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from attention_lib import _kept
from attention_lib.checks import predict as view
from attention_lib.checks.memory import FILE, Memory, Record
from attention_lib.checks.predictions import Prediction, Question, find_question
from attention_lib.checks.progress import PROGRESS, Progress

QUESTION = Question("axes", "Rows.", {"columns": "No."}, {"rows": "each row", "columns": "each column"})
OF_1_0 = Path(__file__).with_name("progress_of_1_0.jsonl")  # as version 1.0 wrote it, with answers of each kind
ASKED_ANEW = {"01.shared"}  # another question since: the old answer counts, and the new one is open
NO_LONGER_ASKED = {"05.removed", "10.alike", "11.lens"}
BEFORE = {(line["kind"], line["name"]): line for line in map(json.loads, OF_1_0.read_text("utf-8").splitlines())}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "attention"


@pytest.fixture
def learner(folder, monkeypatch):
    """Return a function that starts a new kernel: nothing is known but what is on the disk."""

    def start():
        monkeypatch.setattr(PROGRESS, "asked", {})
        monkeypatch.setattr(PROGRESS, "_memory", Memory(folder))
        monkeypatch.setattr(PROGRESS, "_records", None)
        return PROGRESS

    return start


def record(name="p", notebook="01", right=True, kind="prediction", state="committed"):
    return Record(kind, name, notebook, state, right, "rows", "2026-01-01T10:00:00+01:00")


def test_no_progress_of_version_1_0_is_lost(learner, folder):
    folder.mkdir(parents=True)
    (folder / FILE).write_bytes(OF_1_0.read_bytes())
    progress = learner()
    assert {key: vars(one) for key, one in progress.records.items()} == BEFORE
    table = view.progress().line.value.replace(f" {view.PADDED}", "")
    assert "<td>1 of 3</td><td>2026-09-01</td>" in table
    assert "<td>2 of 4</td>" in table[table.index("11 a small") :], "one is no longer asked"
    for (kind, name), line in BEFORE.items():
        if kind == "prediction" and name not in NO_LONGER_ASKED:
            question = find_question(name)
            right = next((key for key in question.choices if key not in question.wrong), 0.5)
            prediction = Prediction(name, question, right, progress=progress)
            if name in ASKED_ANEW:
                assert (prediction.state, prediction.guess) == ("open", "")
                continue
            assert (prediction.state, prediction.guess) == (line["state"], line["guess"])
            assert prediction.guess in {"", *question.choices} or prediction.is_number
            assert prediction.feedback()


def test_only_a_kernel_keeps_anything(monkeypatch, tmp_path):
    assert os.environ["ATTENTION_PROGRESS"] == "off" and _kept.own_folder() is None, "tests leave no trace"
    monkeypatch.delenv("ATTENTION_PROGRESS")
    assert _kept.own_folder() is None
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(_kept, "_in_a_kernel", lambda: True)
    assert _kept.own_folder() == tmp_path / "attention"
    monkeypatch.setenv("ATTENTION_PROGRESS", str(tmp_path / "other"))
    assert _kept.own_folder() == tmp_path / "other"
    assert Progress()._memory is None, "a module that is imported asks no disk"


def _write_many(folder, start):
    for i in range(100):
        Memory(Path(folder)).write(record(name=f"p{start + i}"))


def test_two_kernels_that_write_at_once_lose_nothing(folder):
    context = multiprocessing.get_context("spawn")
    kernels = [context.Process(target=_write_many, args=(str(folder), start)) for start in (0, 100)]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join(60)
    assert len(Memory(folder).read()) == 200


@pytest.mark.parametrize(
    "damage", [b"\x00\xff", b"{", b"[]", b"3", b'{"kind": 1}', json.dumps({**vars(record()), "right": "yes"}).encode()]
)
def test_a_damaged_line_is_passed_over_and_stays_in_the_file(folder, damage):
    memory = Memory(folder)
    memory.write(record("a"))
    with open(folder / FILE, "ab") as file:
        file.write(damage + b"\n")
    memory.write(record("b", "02"))
    assert set(memory.read()) == {("prediction", "a"), ("prediction", "b")}
    memory.forget("02")
    assert set(memory.read()) == {("prediction", "a")} and damage in (folder / FILE).read_bytes()


def test_what_is_written_is_read_and_what_is_forgotten_is_not(folder, tmp_path):
    here, there = Memory(folder), Memory(folder)
    for kind in ("prediction", "exercise"):
        here.write(record(kind=kind, right=True))
        here.write(record(kind=kind, right=False))
    assert set(here.read().values()) == {record(right=False), record(kind="exercise", right=True)}, "passed stays so"
    assert [path.name for path in folder.iterdir()] == [FILE]
    here.forget()
    here.write(record("a", "01"))
    there.write(record("b", "02"))
    here.forget("01")
    there.write(record("c", "02"))
    assert set(here.read()) == {("prediction", "b"), ("prediction", "c")}
    (tmp_path / "file").write_text("no folder")
    nowhere = Memory(tmp_path / "file" / "attention")
    nowhere.write(record())
    assert "cannot be written" in nowhere.sentence and nowhere.read() == {}
    nowhere.forget()


def test_answers_come_back_in_the_next_kernel(learner):
    Prediction("01.x", QUESTION, "rows", progress=learner()).commit("columns")
    after = Prediction("01.x", QUESTION, "rows", progress=learner())
    assert (after.state, after.guess) == ("committed", "columns") and after.feedback().endswith("each row. No.")
    assert PROGRESS.summary() == "Predictions: 0 of 1 right. Look again at: axes."
    later = Prediction("01.x", QUESTION, lambda: 1 / 0, progress=learner())
    assert later.feedback().startswith("Your earlier answer: each column."), "it is computed further down"
    later.again()
    assert Prediction("01.x", QUESTION, "rows", progress=learner()).state == "open"
    for right in (True, False):
        learner().meet("exercise", "mended_attention", "Softmax", "01")
        PROGRESS.record("exercise", "mended_attention", right=right)
        assert PROGRESS.summary() == "Exercises: 1 of 1 passed.", "what was passed stays passed"


def test_forgetting_on_the_page_asks_first(learner, folder):
    def shown(line):
        return [button.layout.display is None for button in (line.forget, line.really, line.keep)]

    assert not any(shown(view.progress())), "without a memory there is nothing to forget"
    learner()
    Prediction("01.x", QUESTION, "rows").commit("rows")
    Memory(folder).write(record("y", "02"))
    line = view.progress()
    assert shown(line) == [True, False, False] and line.forget.description == "Forget this notebook"
    line.forget.click()
    assert shown(line) == [False, True, True]
    line.keep.click()
    assert len(Memory(folder).read()) == 2
    line.forget.click()
    line.really.click()
    assert set(Memory(folder).read()) == {("prediction", "y")} and Prediction("01.x", QUESTION, "rows").state == "open"
    learner()
    line = view.progress()  # as in notebook 00
    assert line.forget.description == "Forget everything"
    line.forget.click()
    line.really.click()
    assert Memory(folder).read() == {}
