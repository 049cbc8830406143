"""One line that says whether this kernel has what the notebooks need, or how to fix it."""

import sys
from collections.abc import Callable
from importlib import metadata

from packaging.version import Version

from ._words import _

NEEDED = {"numpy": "2.1", "matplotlib": "3.10", "ipywidgets": "7.7.1", "anywidget": "0.9.18"}  # as in pyproject.toml
LABS_FAIL_FROM, LABS_WORK_AGAIN = "7.0", "7.4"  # of ipykernel; pyproject.toml says why


def check_environment(
    version_of: Callable[[str], str] = metadata.version, python: tuple[int, ...] = tuple(sys.version_info[:3])
) -> str:
    """Say in one line what is right or wrong with this kernel, and how to fix it.

    `version_of` returns the version of a package, or raises PackageNotFoundError.

    Examples
    --------
    >>> check_environment(lambda package: "99.0", python=(3, 13, 0))
    'Ready: this kernel has everything the notebooks need.'
    """
    if python < (3, 11):
        version = ".".join(map(str, python))
        return _(
            "This kernel runs Python {version}, but the notebooks need 3.11 or newer. "
            "Choose another kernel in the menu under Kernel, Change Kernel."
        ).format(version=version)
    for package, least in {**NEEDED, "ipykernel": LABS_WORK_AGAIN}.items():
        command = _pip_command(package, least)
        try:
            version = version_of(package)
        except metadata.PackageNotFoundError:
            if package == "ipykernel":  # some other kernel runs the notebooks
                continue
            return _("{package} is missing. Run: {command}").format(package=package, command=command)
        is_too_old = Version(version) < Version(least)
        if is_too_old and not (package == "ipykernel" and Version(version) < Version(LABS_FAIL_FROM)):
            return _("{package} {version} is older than {least}. Run: {command}").format(
                package=package, version=version, least=least, command=command
            )
    return _("Ready: this kernel has everything the notebooks need.")


def _pip_command(package: str, least: str) -> str:
    """Return the command that installs what is missing; in Colab it leaves all other versions as they are."""
    what = f"'{package}>={least}'" if "google.colab" in sys.modules else "-r requirements.txt"
    return f"{sys.executable} -m pip install {what}"
