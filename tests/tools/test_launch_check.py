"""The tools find a Python that runs, end what does not end, and say so in a sentence."""

import sys

import pytest
from launch_check import find_python

HERE = f"{sys.version_info.major}.{sys.version_info.minor}"


def put(folder, name, *lines):
    folder.mkdir()
    (folder / name).write_text("\n".join(["#!/bin/sh", *lines]))
    (folder / name).chmod(0o755)
    return str(folder / name)


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")
def test_a_python_that_runs_is_found_and_where_there_is_none_a_sentence_says_what_was_tried(tmp_path, monkeypatch):
    put(tmp_path / "stubs", f"python{HERE}", "echo 'pyenv: command not found' >&2", "exit 127")
    runs = put(tmp_path / "real", f"python{HERE}", f'exec "{sys.executable}" "$@"')
    stub = put(tmp_path / "other", "python9.9", f'exec "{sys.executable}" "$@"')  # of another version
    monkeypatch.setenv("PATH", f"{tmp_path / 'stubs'}:{tmp_path / 'real'}:{tmp_path / 'other'}")
    assert find_python(HERE, None, "make binder BINDER_PYTHON") == runs
    with pytest.raises(SystemExit, match=f"{stub}.*make binder BINDER_PYTHON=/path/to/python9.9"):
        find_python("9.9", None, "make binder BINDER_PYTHON")
    with pytest.raises(SystemExit, match="there is none on the PATH"):
        find_python("9.8", None, "make colab COLAB_PYTHON")
