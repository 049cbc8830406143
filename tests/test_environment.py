"""The environment check says what is wrong and how to fix it."""

import re
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from attention_lib.environment import NEEDED, check_environment

READY = "Ready: this kernel has everything the notebooks need."


def line_of(python=(3, 13, 0), **versions):
    installed = {"numpy": "2.4.6", "matplotlib": "3.11.2", "ipywidgets": "8.1.9", "anywidget": "0.11.0"}
    installed |= {"ipykernel": "7.4.0"} | versions

    def version_of(package):
        if installed[package] is None:
            raise PackageNotFoundError(package)
        return installed[package]

    return check_environment(version_of, python)


@pytest.mark.parametrize(
    ("kernel", "start"),
    [
        ({}, READY),
        ({"numpy": None}, "numpy is missing. Run: "),
        ({"anywidget": None, "ipywidgets": "7.7.1"}, "anywidget is missing. Run: "),
        ({"numpy": "1.26.4"}, "numpy 1.26.4 is older than 2.1. Run: "),
        ({"ipykernel": "7.3.1"}, "ipykernel 7.3.1 is older than 7.4. Run: "),
        ({"ipykernel": None}, READY),
        ({"numpy": None, "python": (3, 10, 4)}, "This kernel runs Python 3.10.4, but the notebooks need 3.11"),
        ({"matplotlib": "3.10.0", "ipywidgets": "7.7.1"}, READY),  # as in Colab
    ],
)
def test_the_line_names_what_is_wrong_and_the_command_that_fixes_it(kernel, start):
    line = line_of(**kernel)
    assert line.startswith(start)
    assert ("-m pip install -r requirements.txt" in line) == ("Run: " in line)


def test_in_colab_only_what_is_missing_is_installed(monkeypatch):
    """All of requirements.txt would replace the ipywidgets that Colab's pages need."""
    monkeypatch.setitem(sys.modules, "google.colab", sys)
    assert line_of(anywidget=None).endswith("-m pip install 'anywidget>=0.9.18'")


def test_the_least_versions_are_not_above_those_that_are_installed():
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text()
    for package, least in NEEDED.items():
        asked = re.search(rf'"{package}>=([\d.]+)', text)[1]
        assert [int(n) for n in least.split(".")] <= [int(n) for n in asked.split(".")]
