"""A class: its settings, its users and passwords, and what a learner's server does first. No hub is needed."""

import dataclasses
import json
import os
import pwd
import stat
import subprocess
import time
from pathlib import Path

import pytest
from classroom import start
from classroom.settings import LONGEST_FOLDER, read_settings

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("variables", "sentence"),
    [
        ({"CLASS_LEARNERS": "many"}, "CLASS_LEARNERS is 'many'"),
        ({"CLASS_MEMORY_MB": "20"}, "at least 256"),
        ({"CLASS_FOLDER": "here"}, "an absolute path"),
        ({"CLASS_FOLDER": "/" + "x" * LONGEST_FOLDER}, "at most 24 characters"),
        ({"CLASS_CERT": "/a/cert.pem"}, "belong together"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(variables, sentence):
    with pytest.raises(ValueError, match=sentence):
        read_settings(variables)


@pytest.mark.parametrize("name", ["Mira", "../mira", "배", "m" * 21, "mira\nmira"])
def test_a_name_that_cannot_be_a_unix_user_or_comes_twice_is_refused(name, tmp_path):
    file = tmp_path / "names.txt"
    file.write_text(name)
    with pytest.raises(ValueError, match=r"cannot be a learner's name|in the list of names twice"):
        read_settings({"CLASS_NAMES": str(file)})


def test_a_user_of_the_machine_is_never_taken_for_a_learner(tmp_path):
    root = pwd.getpwuid(0).pw_name
    with pytest.raises(ValueError, match="not of this class"):
        start.account(root, tmp_path)
    assert start.account("nobody-has-this-name", tmp_path) is None


def class_in(folder, **variables):
    """A class in a test's folder, whose name is longer than that of a class can be."""
    return dataclasses.replace(read_settings(variables), folder=folder)


def test_passwords_are_drawn_once_and_only_root_can_read_them(tmp_path):
    (tmp_path / "state").mkdir()
    sheets = []
    for learners in ("2", "3"):
        given = class_in(tmp_path, CLASS_LEARNERS=learners)
        sheet = start.write_sheet(given)
        assert stat.S_IMODE(sheet.stat().st_mode) == 0o600
        sheets.append(sheet.read_text().splitlines())
    assert sheets[1][:4] == sheets[0][:4]
    passwords = json.loads((tmp_path / "state" / "passwords.json").read_text())
    assert len(set(passwords.values())) == 3 and sheets[1][4] == f"learner03  {passwords['learner03']}"
    assert stat.S_IMODE((tmp_path / "state" / "passwords.json").stat().st_mode) == 0o600


def test_a_class_that_still_runs_is_not_ended(tmp_path):
    given = class_in(tmp_path)
    (tmp_path / "state").mkdir()
    assert not start.is_running(given)
    (tmp_path / "state" / "hub.pid").write_text(str(os.getpid()))
    assert not start.is_running(given)  # the number belongs to another process by now
    hub = subprocess.Popen(["jupyterhub", "60"], executable="/bin/sleep")
    try:
        (tmp_path / "state" / "hub.pid").write_text(str(hub.pid))
        latest = time.monotonic() + 30
        while not Path(f"/proc/{hub.pid}/cmdline").read_text() and time.monotonic() < latest:
            time.sleep(0.01)  # a process that begins has no name yet
        with pytest.raises(ValueError, match="still running"):
            start.end(given)
    finally:
        hub.kill()
        hub.wait()


@pytest.mark.parametrize(("codes", "removed"), [([8, 8, 0], True), ([6], False)])
def test_a_user_whose_server_still_closes_is_removed_a_little_later(codes, removed, monkeypatch):
    answers = iter(codes)
    monkeypatch.setattr(start.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(
        start.subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, next(answers), "", "busy")
    )
    if removed:
        start.remove_account("mira", start.time.monotonic() + 60)
    else:
        with pytest.raises(ValueError, match="mira could not be removed: busy"):
            start.remove_account("mira", start.time.monotonic() + 60)
    assert list(answers) == []


@pytest.fixture
def course(tmp_path):
    for name in ("notebooks/01.ipynb", "notebooks/images/a.png", "README.md", "LICENSE", "data/x.json"):
        (tmp_path / "course" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "course" / name).write_text(f"course {name}")
    (tmp_path / "course" / "attention_lib").mkdir()
    return tmp_path / "course"


def open_server(course, home, program="true"):
    home.mkdir(exist_ok=True)
    names = {"HOME": home, "CLASS_COURSE": course, "JUPYTER_RUNTIME_DIR": home / ".run", "CLASS_MEMORY_MB": 512}
    command = ["/bin/bash", ROOT / "tools" / "classroom" / "learner_server.sh", "/bin/bash", "-c", program]
    environment = {"PATH": os.environ["PATH"]} | {name: str(value) for name, value in names.items()}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=60).stdout


def test_work_is_never_overwritten_and_what_is_missing_is_added(course, tmp_path):
    attention = tmp_path / "home" / "attention"
    open_server(course, tmp_path / "home")
    (attention / "notebooks" / "01.ipynb").write_text("my work")
    (attention / "README.md").unlink()
    (attention / "README.md").symlink_to(tmp_path / "elsewhere")
    (course / "notebooks" / "01.ipynb").write_text("corrected")
    (course / "notebooks" / "02.ipynb").write_text("new")
    open_server(course, tmp_path / "home")
    assert (attention / "notebooks" / "01.ipynb").read_text() == "my work"
    assert (attention / "notebooks" / "02.ipynb").read_text() == "new"
    assert all(stat.S_IMODE(copy.stat().st_mode) & 0o077 == 0 for copy in attention.rglob("*.ipynb")), "others read it"
    assert (attention / "fresh" / "01.ipynb").read_text() == "corrected"
    assert not (tmp_path / "elsewhere").exists()


def test_the_memory_of_each_process_is_limited(course, tmp_path):
    assert open_server(course, tmp_path / "home", "ulimit -d").strip() == str(512 * 1024)


def test_the_course_has_everything_that_a_class_needs():
    assert all((ROOT / name).exists() for name in [*start.COURSE, *start.SERVER_FILES])
