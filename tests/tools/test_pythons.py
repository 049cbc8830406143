"""The tools find a Python that runs, end what does not end, and say so in a sentence."""

import sys

import pytest
from launch_check import step
from pythons import find_python

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """Put a program on a PATH of its own."""
    folders = []

    def put(name, *lines):
        folder = tmp_path / str(len(folders))
        folder.mkdir()
        folders.append(str(folder))
        (folder / name).write_text("\n".join(["#!/bin/sh", *lines]))
        (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", ":".join(folders))
        return str(folder / name)

    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return put


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")
class TestFindPython:
    def test_a_stub_of_a_version_manager_is_passed_over(self, place):
        place(f"python{HERE}", "echo 'pyenv: command not found' >&2", "exit 127")
        runs = place(f"python{HERE}", f'exec {sys.executable} "$@"')
        assert find_python(HERE, None, "make binder BINDER_PYTHON") == runs

    def test_where_none_runs_a_sentence_says_what_was_tried_and_how_to_name_one(self, place):
        stub = place("python9.9", "exit 127")
        with pytest.raises(SystemExit, match=f"{stub}.*make binder BINDER_PYTHON=/path/to/python9.9"):
            find_python("9.9", None, "make binder BINDER_PYTHON")

    def test_where_there_is_none_a_sentence_says_so(self, place):
        with pytest.raises(SystemExit, match="there is none on the PATH"):
            find_python("9.9", None, "make colab COLAB_PYTHON")

    def test_another_version_is_not_taken(self, place):
        other = place("python9.9", f'exec {sys.executable} "$@"')
        with pytest.raises(SystemExit, match="do not run as such"):
            find_python("9.9", other, "make colab COLAB_PYTHON")

    def test_one_that_only_the_manager_knows_is_found(self, place, tmp_path):
        place(f"python{HERE}", "exit 127")
        real = tmp_path / "pyenv" / "versions" / f"{HERE}.7" / "bin" / f"python{HERE}"
        real.parent.mkdir(parents=True)
        real.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"')
        real.chmod(0o755)
        assert find_python(HERE, None, "make binder BINDER_PYTHON") == str(real)


def test_a_step_that_does_not_end_is_ended_with_what_it_said():
    endless = "import time; print('begun', flush=True); time.sleep(600)"
    with pytest.raises(SystemExit, match="an install: not done after 2 s, so it was ended\nbegun"):
        step("an install", [sys.executable, "-c", endless], limit=2)


def test_a_step_that_fails_says_what_it_said():
    with pytest.raises(SystemExit, match="a clone: failed\nno such place"):
        step("a clone", [sys.executable, "-c", "import sys; sys.exit('no such place')"])
