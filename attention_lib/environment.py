"""One line that says whether this kernel has what the notebooks need, or how to mend it."""

import sys
from collections.abc import Callable
from importlib import metadata

from packaging.version import Version

#: Package, least version, and what it is for. pyproject.toml asks for these or newer ones.
NEEDED = {
    "numpy": ("2.1", "the math"),
    "matplotlib": ("3.10", "the still pictures"),
    "ipywidgets": ("7.7.1", "sliders and buttons"),
    "anywidget": ("0.9.18", "the live matrices"),
}
TESTED_WITH = {"ipywidgets": "8.1", "matplotlib": "3.11"}

MESSAGES = {
    "ready": "Ready: this kernel has everything the notebooks need.",
    "python": "This kernel runs Python {have}; the notebooks need 3.11 or newer. Take another: Kernel, Change Kernel.",
    "missing": "{package} is missing, so there is nothing for {purpose}. Run: {pip}",
    "old": "{package} {have} is older than {least}, needed for {purpose}. Run: {pip}",
    "older": "Probably ready: {packages}. With ipywidgets 7.7.1 and matplotlib 3.10, which Colab has, "
    "the notebooks gave the same numbers, and the explorer followed the hand in a browser.",
    "comma": ", ",
    "one_older": "{package} {have} (every change is tested with {tested})",
}


def check_environment(
    version_of: Callable[[str], str] = metadata.version, python: tuple[int, ...] = tuple(sys.version_info[:3])
) -> str:
    """Say in one line what is right or wrong with this kernel, and how to mend it.

    Parameters
    ----------
    version_of : callable, optional
        Returns the version of a package, or raises PackageNotFoundError.
    python : tuple of int, optional
        The version of Python.

    Returns
    -------
    str

    Examples
    --------
    >>> check_environment(lambda package: "99.0", python=(3, 13, 0))
    'Ready: this kernel has everything the notebooks need.'
    """
    if python < (3, 11):
        return MESSAGES["python"].format(have=".".join(map(str, python)))
    older = []
    for package, (least, purpose) in NEEDED.items():
        told = {"package": package, "purpose": purpose, "least": least, "pip": _mend(package, least)}
        try:
            have = version_of(package)
        except metadata.PackageNotFoundError:
            return MESSAGES["missing"].format(**told)
        if Version(have) < Version(least):
            return MESSAGES["old"].format(have=have, **told)
        tested = TESTED_WITH.get(package, least)
        if Version(have) < Version(tested):
            older.append(MESSAGES["one_older"].format(package=package, have=have, tested=tested))
    return MESSAGES["older"].format(packages=MESSAGES["comma"].join(older)) if older else MESSAGES["ready"]


def _mend(package: str, least: str) -> str:
    """Return the command that mends; in Colab it leaves Colab's own versions of all else as they are."""
    what = f"'{package}>={least}'" if "google.colab" in sys.modules else "-r requirements.txt"
    return f"{sys.executable} -m pip install {what}"
