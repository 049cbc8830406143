"""Give the notebooks out: copy what a learner does not have yet, and touch nothing that is there.

    python giving_out.py COURSE TARGET

It is run as the learner, never as root: a learner may have put a link to anything in its way.
What is in the way stays, whatever it is. To get a notebook afresh, delete or rename one's own;
the course as it was given out stands beside it, in `fresh`, to read.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

COPIED = ("README.md", "LICENSE", "notebooks")  # what is a learner's own
LINKED = {"attention_lib": "attention_lib", "data": "data", "fresh": "notebooks"}  # name -> of the course, to read
LEFT_OUT = {"__pycache__", ".ipynb_checkpoints"}


def give_out(course: Path, target: Path) -> list[str]:
    """Copy and link what is missing in `target`; return the names of what was added.

    Nothing that exists is written to, also when it appears in the very moment: a copy is made
    under another name and then linked to its own, which fails where something is.
    """
    target.mkdir(parents=True, exist_ok=True)
    added = []
    for source in _given(course):
        name = source.relative_to(course)
        place = target / name
        if os.path.lexists(place):
            continue
        with contextlib.suppress(OSError):  # something of the learner's stands where a folder should, or came just now
            place.parent.mkdir(parents=True, exist_ok=True)
            _copy(source, place)
            added.append(str(name))
    for name, of_course in LINKED.items():
        with contextlib.suppress(FileExistsError):
            (target / name).symlink_to(course / of_course)
            added.append(name)
    return added


def _given(course: Path) -> Iterator[Path]:
    """Give the files to copy."""
    for name in COPIED:
        below = sorted((course / name).rglob("*")) if (course / name).is_dir() else [course / name]
        yield from (path for path in below if path.is_file() and not LEFT_OUT & set(path.parts))


def _copy(source: Path, place: Path) -> None:
    handle, whole = tempfile.mkstemp(prefix=".given", dir=place.parent)
    try:
        with open(handle, "wb") as file:
            file.write(source.read_bytes())
        os.link(whole, place)
    finally:
        os.unlink(whole)


if __name__ == "__main__":
    os.umask(0o077)
    for added in give_out(Path(sys.argv[1]), Path(sys.argv[2])):
        print(added)
