"""Binder will find Python and the requirements: repo2docker's recipe, rendered without docker."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("repo2docker", reason="repo2docker is not installed: pip install -e '.[tests]'")
from classroom.start import SERVER_FILES
from launch_check import BASE, base_versions, installs, python_of, recipe

ROOT = Path(__file__).parents[2]
PIP = '${KERNEL_PYTHON_PREFIX}/bin/pip install --no-cache-dir -r "requirements.txt"'


@pytest.fixture(scope="module")
def dockerfile():
    return recipe(ROOT)[1]


def test_its_python_is_the_one_of_runtime_txt_and_new_enough(dockerfile):
    python = python_of(dockerfile)
    assert f"python-{python}" == (ROOT / "runtime.txt").read_text().strip()
    least = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"].removeprefix(">=")
    assert tuple(map(int, python.split("."))) >= tuple(map(int, least.split(".")))


def test_requirements_txt_is_installed_and_nothing_else(dockerfile):
    """A second step would put a copy of the library beside this one, and edits of this one would have no effect."""
    assert installs(dockerfile) == [PIP]


def test_it_installs_the_library_in_place():
    assert "-e .[notebooks]" in (ROOT / "requirements.txt").read_text().splitlines()


def test_binders_own_jupyterlab_and_ipywidgets_are_what_the_requirements_ask(dockerfile):
    versions = dict(line.split("==") for line in base_versions(python_of(dockerfile)))
    assert sorted(versions) == sorted(BASE)
    asked = dict(re.findall(r'"(\w+)>=([\d.]+)', (ROOT / "pyproject.toml").read_text()))
    for name in ("jupyterlab", "ipywidgets"):
        assert [int(n) for n in versions[name].split(".")] >= [int(n) for n in asked[name].split(".")]


def test_the_command_for_a_class_is_one_that_repo2docker_takes():
    """The library must lie outside the home folder, which a hub covers with the learner's own."""
    from repo2docker.__main__ import make_r2d

    (line,) = re.findall(
        r"^jupyter-repo2docker (.*)$", (ROOT / "notebooks" / "where_it_runs.md").read_text("utf-8"), re.MULTILINE
    )
    app = make_r2d([*shlex.split(line), "--no-build"])
    assert app.target_repo_dir == "/srv/attention"
    assert "pip install --no-cache-dir nbgitpuller" in app.appendix
    assert "/srv/attention/tools/overrides.json ${NB_PYTHON_PREFIX}/share/jupyter/lab/settings/" in app.appendix
    assert all(f"/srv/attention/{file}" in app.appendix for file in SERVER_FILES)
