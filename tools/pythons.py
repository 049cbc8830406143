"""Find a Python of a given version that runs: a version manager puts stubs on the PATH that do not."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

LIMIT = 30  # seconds
VERSION = "import sys, venv, ensurepip; print('%d.%d' % sys.version_info[:2])"


def candidates(version: str) -> Iterator[str]:
    """Give what may be that Python: what is on the PATH, then what version managers have installed."""
    for folder in os.get_exec_path():
        if found := shutil.which(f"python{version}", path=folder):
            yield found
    home = Path.home()
    roots = [Path(os.environ.get("PYENV_ROOT", home / ".pyenv")) / "versions", home / ".local/share/uv/python"]
    for root in roots:
        yield from map(str, sorted(root.glob(f"*{version}.*/bin/python{version}"), reverse=True))


def runs(python: str, version: str) -> bool:
    """Say whether a program is that Python, and can make virtual environments."""
    try:
        told = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, timeout=LIMIT)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return told.returncode == 0 and told.stdout.strip() == version


def find_python(version: str, given: str | None, option: str) -> str:
    """Return the Python that was named, or the first of that version that runs; else end with a sentence.

    `option` is how to name one.
    """
    tried = [given] if given else list(dict.fromkeys(candidates(version)))
    for python in tried:
        if runs(python, version):
            return python
    why = f"these do not run as such: {', '.join(tried)}" if tried else "there is none on the PATH"
    raise SystemExit(f"This needs Python {version} with venv, and {why}. Name one: {option}=/path/to/python{version}")
