"""`make update`: the newest version comes, and no edited notebook is lost, also where the update fails."""

import subprocess

import pytest
import update

NAME = "notebooks/01_a.ipynb"


def git(folder, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@b"]
    subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, timeout=60)


@pytest.fixture
def clone(tmp_path):
    """A clone of a small course, which has changed since."""
    course, clone = tmp_path / "course", tmp_path / "내 폴더"
    (course / "notebooks").mkdir(parents=True)
    git(course, "init", "--quiet", "--initial-branch=main")
    for version in ("old", "new"):
        for name in (NAME, "notebooks/02_b.ipynb", "library.py"):
            (course / name).write_text(version)
        git(course, "add", ".")
        git(course, "commit", "--quiet", "-m", version)
    git(tmp_path, "clone", "--quiet", str(course), str(clone))
    git(clone, "reset", "--quiet", "--hard", "HEAD~1")
    return clone


def kept(clone):
    return [copy.read_text() for copy in (clone / "notebooks").glob("mine/01_a *.ipynb")]


def test_an_edited_notebook_is_kept_beside_the_newest_one(clone):
    (clone / NAME).write_text("mine")
    assert "01_a.ipynb is kept as notebooks/mine/01_a " in update.update(clone)
    assert [(clone / name).read_text() for name in (NAME, "library.py")] == ["new", "new"] and kept(clone) == ["mine"]
    assert update.update(clone) == "This is the newest version already. Nothing was changed."


def test_where_it_fails_everything_stays(clone):
    (clone / NAME).write_text("mine")
    (clone / "library.py").write_text("edited too")  # which git refuses to overwrite
    with pytest.raises(ValueError, match="bort"):
        update.update(clone)
    assert (clone / NAME).read_text() == "mine" and kept(clone) == []


def test_without_a_clone_it_says_so(tmp_path):
    with pytest.raises(ValueError, match="not made by git clone"):
        update.update(tmp_path)
