"""The environment check says what is wrong and how to mend it."""

import re
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from attention_lib.environment import MESSAGES, NEEDED, check_environment

PYTHON = (3, 13, 0)


def kernel(**versions):
    have = {"numpy": "2.4.6", "matplotlib": "3.11.2", "ipywidgets": "8.1.9", "anywidget": "0.11.0"} | versions

    def version_of(package):
        if have[package] is None:
            raise PackageNotFoundError(package)
        return have[package]

    return version_of


def test_this_kernel_is_ready():
    assert check_environment() == MESSAGES["ready"]


@pytest.mark.parametrize("package", NEEDED)
def test_a_missing_package_is_named_with_the_command_that_installs_it(package):
    line = check_environment(kernel(**{package: None}), PYTHON)
    assert line.startswith(f"{package} is missing")
    assert "-m pip install -r requirements.txt" in line


def test_an_old_package_is_named_with_both_versions():
    assert check_environment(kernel(numpy="1.26.4"), PYTHON).startswith("numpy 1.26.4 is older than 2.1")
    assert check_environment(kernel(ipywidgets="7.6.0"), PYTHON).startswith("ipywidgets 7.6.0 is older than 7.7.1")


def test_what_is_older_than_what_is_tested_is_said():
    line = check_environment(kernel(ipywidgets="7.7.1"), PYTHON)
    assert line.startswith("Probably ready: ipywidgets 7.7.1 (every change is tested with 8.1). With ")
    assert "anywidget is missing" in check_environment(kernel(ipywidgets="7.7.1", anywidget=None), PYTHON)


def test_colabs_own_versions_are_both_named():
    line = check_environment(kernel(numpy="2.1.3", matplotlib="3.10.0", ipywidgets="7.7.1", anywidget="0.9.21"), PYTHON)
    assert "matplotlib 3.10.0 (every change is tested with 3.11), ipywidgets 7.7.1" in line


def test_in_colab_only_what_is_missing_is_installed(monkeypatch):
    """All of requirements.txt would replace the ipywidgets that Colab's pages speak to."""
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    line = check_environment(kernel(anywidget=None), PYTHON)
    assert line.endswith("-m pip install 'anywidget>=0.9.18'")


def test_an_old_python_is_said_first():
    assert check_environment(kernel(numpy=None), (3, 10, 4)).startswith("This kernel runs Python 3.10.4")


def test_a_release_candidate_is_read():
    assert check_environment(kernel(numpy="2.5.0rc1"), PYTHON) == MESSAGES["ready"]


def test_the_least_versions_are_not_above_those_that_are_installed():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    for package, (least, _) in NEEDED.items():
        asked = re.search(rf'"{package}>=([\d.]+)', text)[1]
        assert [int(n) for n in least.split(".")] <= [int(n) for n in asked.split(".")]
