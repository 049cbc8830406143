"""What is remembered: on the learner's own disk, by two kernels at once, damaged, forgotten, or not at all."""

import json
import multiprocessing
import os
from pathlib import Path

import pytest

from attention_lib.exercises import memory as memory_module
from attention_lib.exercises import predictions
from attention_lib.exercises.memory import DAMAGED, FILE, Memory, Record, own_memory
from attention_lib.exercises.predictions import Prediction, Question
from attention_lib.exercises.progress import PROGRESS, Progress
from attention_lib.view import predict as view

QUESTION = Question("axes", "Rows.", {"columns": "No."}, {"rows": "each row", "columns": "each column"})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "data" / "attention"


@pytest.fixture
def learner(folder, monkeypatch):
    """Return a function that starts a new kernel: nothing is known but what is on the disk."""

    def start():
        monkeypatch.setattr(predictions, "_kept", {})
        monkeypatch.setattr(PROGRESS, "entries", {})
        monkeypatch.setattr(PROGRESS, "_watcher", None)
        monkeypatch.setattr(PROGRESS, "_memory", Memory(folder))
        monkeypatch.setattr(PROGRESS, "_remembered", None)
        return PROGRESS

    return start


def record(name="p", notebook="01", right=True, kind="prediction", state="committed"):
    return Record(kind, name, notebook, state, right, "rows", "2026-01-01T10:00:00+01:00")


def test_tests_and_tools_leave_no_trace():
    assert os.environ["ATTENTION_PROGRESS"] == "off"
    assert own_memory().folder is None


def test_outside_of_a_kernel_nothing_is_kept(monkeypatch):
    monkeypatch.delenv("ATTENTION_PROGRESS")
    assert own_memory().folder is None


def test_a_kernel_keeps_it_where_jupyter_keeps_such_data(monkeypatch, tmp_path):
    monkeypatch.delenv("ATTENTION_PROGRESS")
    monkeypatch.setenv("JUPYTER_DATA_DIR", str(tmp_path))
    monkeypatch.setattr(memory_module, "_in_a_kernel", lambda: True)
    assert own_memory().folder == tmp_path / "attention"
    monkeypatch.setenv("ATTENTION_PROGRESS", str(tmp_path / "other"))
    assert own_memory().folder == tmp_path / "other"


def test_what_was_written_is_read(folder):
    Memory(folder).write(record())
    assert Memory(folder).read() == {("prediction", "p"): record()}
    assert len(list(folder.iterdir())) == 2, "the file and its lock"


def test_the_newest_answer_counts_and_an_exercise_that_was_passed_stays_so(folder):
    kept = Memory(folder)
    for kind in ("prediction", "exercise"):
        kept.write(record(kind=kind, right=True))
        kept.write(record(kind=kind, right=False))
    read = kept.read()
    assert (read["prediction", "p"].right, read["exercise", "p"].right) == (False, True)


def _write_many(folder, start):
    kept = Memory(Path(folder))
    for i in range(100):
        kept.write(record(name=f"p{start + i}"))


def test_two_kernels_that_write_at_once_lose_nothing(folder):
    context = multiprocessing.get_context("spawn")
    kernels = [context.Process(target=_write_many, args=(str(folder), start)) for start in (0, 100)]
    for kernel in kernels:
        kernel.start()
    for kernel in kernels:
        kernel.join(60)
    assert len(Memory(folder).read()) == 200


def test_forgetting_in_one_kernel_keeps_what_another_has_written(folder):
    here, there = Memory(folder), Memory(folder)
    here.write(record("a", "01"))
    there.write(record("b", "02"))
    here.forget("01")
    there.write(record("c", "02"))
    assert set(here.read()) == {("prediction", "b"), ("prediction", "c")}


def test_forget_all_leaves_no_answer_on_the_disk(folder):
    kept = Memory(folder)
    kept.write(record())
    (folder / FILE).write_bytes((folder / FILE).read_bytes() + b"damaged")
    kept.read()
    assert list(folder.glob(DAMAGED.format(when="*")))
    kept.forget()
    assert kept.read() == {}
    assert all(not path.read_bytes() for path in folder.iterdir())


@pytest.mark.parametrize(
    "damage",
    [b"\x00\xff", b"{", b"[]", b"3", b'{"kind": 1}', json.dumps({**record().__dict__, "right": "yes"}).encode()],
)
def test_a_damaged_file_is_set_aside_with_a_sentence_and_the_rest_is_kept(folder, damage):
    kept = Memory(folder)
    kept.write(record("a"))
    with open(folder / FILE, "ab") as file:
        file.write(damage + b"\n")
    kept.write(record("b"))
    assert set(kept.read()) == {("prediction", "a"), ("prediction", "b")}
    assert "set aside as" in kept.sentence
    aside = list(folder.glob(DAMAGED.format(when="*")))
    assert len(aside) == 1
    assert damage in aside[0].read_bytes()
    again = Memory(folder)
    assert len(again.read()) == 2
    assert again.sentence == ""


def test_a_folder_that_cannot_be_written_is_said_and_nothing_fails(tmp_path):
    (tmp_path / "file").write_text("no folder")
    kept = Memory(tmp_path / "file" / "attention")
    kept.write(record())
    assert "cannot be written" in kept.sentence
    assert kept.read() == {}
    kept.forget()


def test_a_prediction_comes_back_in_the_next_kernel(learner):
    Prediction("01.x", QUESTION, "rows", progress=learner()).commit("columns")
    after = Prediction("01.x", QUESTION, "rows", progress=learner())
    assert (after.state, after.guess) == ("committed", "columns")
    assert after.feedback() == "Not this one. Computed: each row. No."
    assert PROGRESS.summary() == "Predictions: 0 of 1 right. Look again at: axes."
    after.again()
    assert Prediction("01.x", QUESTION, "rows", progress=learner()).state == "open"


def test_an_answer_that_is_computed_further_down_is_not_shown_yet(learner):
    Prediction("01.x", QUESTION, "rows", progress=learner()).commit("rows")
    later = {}
    after = Prediction("01.x", QUESTION, lambda: later["answer"], progress=learner())
    assert after.feedback().startswith("Answered before: each row. ")
    later["answer"] = "rows"
    assert after.feedback().startswith("Right: each row.")


def test_an_exercise_comes_back_passed_and_a_fresh_stub_does_not_undo_it(learner):
    learner().record("exercise", "mended_attention", "Softmax", right=True, notebook="01")
    progress = learner()
    progress.record("exercise", "mended_attention", "Softmax", right=False, tried=False, notebook="01")
    assert progress.summary() == "Exercises: 1 of 1 passed."


def test_what_is_on_the_disk_does_not_reach_the_stored_text(learner):
    Prediction("01.x", QUESTION, "rows", progress=learner()).commit("rows")
    learner()
    shown = view.PredictControl(Prediction("01.x", QUESTION, "rows"))
    line = view.progress()
    assert "Predictions: 1 of 1 right." in line.line.value
    assert repr(line) == "Predictions: 0 of 1 right."
    assert "each row" in shown.said.value
    assert repr(shown).startswith("predict 01.x (run the cell to choose)")


def test_notebook_00_shows_every_notebook(learner):
    learner().record("exercise", "mended_attention", "Softmax", right=True, notebook="01")
    Prediction("09.wrong_axis", QUESTION, "rows", progress=PROGRESS).commit("rows")
    learner()
    line = view.progress()
    assert "<td>01 self attention</td>" in line.line.value
    assert line.line.value.count("<tr>") == len(view.CONTENT) + 1
    assert "1 of 4" in line.line.value
    assert repr(line) == "progress (run the cell to see how far you are in every notebook)"


def test_another_kernels_answers_show_when_the_cell_runs_again(learner, folder):
    learner()
    view.progress()
    Memory(folder).write(record("mended_attention", "01", kind="exercise", state="tried"))
    assert "1 of 4" in view.progress().line.value


def shown(button):
    return button.layout.display is None


def test_forget_this_notebook_asks_first(learner, folder):
    learner()
    Prediction("01.x", QUESTION, "rows").commit("rows")
    Memory(folder).write(record("y", "02"))
    line = view.progress()
    assert shown(line.forget) and line.forget.description == "Forget this notebook"
    assert not shown(line.really)
    line.forget.click()
    assert shown(line.really) and shown(line.keep) and not shown(line.forget)
    line.keep.click()
    assert len(Memory(folder).read()) == 2
    line.forget.click()
    line.really.click()
    assert set(Memory(folder).read()) == {("prediction", "y")}
    assert "Forgotten." in line.line.value
    assert Prediction("01.x", QUESTION, "rows").state == "open"


def test_forget_everything_stands_in_00(learner, folder):
    learner()
    Memory(folder).write(record("y", "02"))
    line = view.progress()
    assert line.forget.description == "Forget everything"
    line.forget.click()
    line.really.click()
    assert Memory(folder).read() == {}


def test_without_a_memory_there_is_nothing_to_forget(monkeypatch):
    monkeypatch.setattr(PROGRESS, "_memory", Memory(None))
    monkeypatch.setattr(PROGRESS, "_remembered", None)
    monkeypatch.setattr(PROGRESS, "entries", {})
    monkeypatch.setattr(PROGRESS, "_watcher", None)
    assert not shown(view.progress().forget)


def test_a_module_that_is_imported_asks_no_disk():
    assert Progress()._memory is None
