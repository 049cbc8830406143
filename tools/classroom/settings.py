"""What a teacher can set, all of it from the environment: `make class CLASS_PORT=80 CLASS_NAMES=names.txt`."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")  # what Linux, web addresses and JupyterHub all accept
# A kernel's sockets are files in a learner's home, and the path of a socket has at most 107 characters.
LONGEST_FOLDER = 24


@dataclass(frozen=True)
class Settings:
    """One class. `memory` is in MB, for each process of a learner; `idle` is in seconds."""

    folder: Path
    names: tuple[str, ...]
    host: str
    port: int
    memory: int
    idle: int
    certificate: tuple[str, str] | None
    python: str
    arguments: tuple[str, ...]

    @property
    def venv(self) -> Path:
        """The Python of the hub and of all learners."""
        return self.folder / "venv"

    @property
    def proxy(self) -> Path:
        """Where npm puts the proxy."""
        return self.folder / "proxy"

    @property
    def course(self) -> Path:
        """The copy of the project that learners can read and get their notebooks from."""
        return self.folder / "course"

    @property
    def homes(self) -> Path:
        """The learners' folders, each open to its owner alone. They outlive the class."""
        return self.folder / "homes"

    @property
    def state(self) -> Path:
        """What the hub remembers, and the passwords; only root can read it."""
        return self.folder / "state"

    def runtime(self, name: str) -> Path:
        """Return the folder for the sockets and keys of a learner's kernels."""
        return self.homes / name / ".run"


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of an environment.

    Raises
    ------
    ValueError
        If a setting cannot be used; the sentence names it.

    Examples
    --------
    >>> read_settings({"CLASS_LEARNERS": "2"}).names
    ('learner01', 'learner02')
    """
    folder = Path(environment.get("CLASS_FOLDER", "/opt/attention-class"))
    if not folder.is_absolute() or len(str(folder)) > LONGEST_FOLDER:
        raise ValueError(
            f"CLASS_FOLDER is {folder}: an absolute path of at most {LONGEST_FOLDER} characters is needed."
        )
    certificate = environment.get("CLASS_CERT", ""), environment.get("CLASS_KEY", "")
    if any(certificate) and not all(certificate):
        raise ValueError("CLASS_CERT and CLASS_KEY belong together: one of them is missing.")
    return Settings(
        folder=folder,
        names=_names(environment),
        host=environment.get("CLASS_HOST", ""),
        port=_number(environment, "CLASS_PORT", 8000),
        memory=_number(environment, "CLASS_MEMORY_MB", 1024, least=256),
        idle=_number(environment, "CLASS_IDLE_SECONDS", 3600),
        certificate=certificate if any(certificate) else None,
        python=environment.get("CLASS_PYTHON", "/usr/bin/python3"),
        arguments=tuple(environment.get("CLASS_SERVER_ARGUMENTS", "").split()),
    )


def _names(environment: Mapping[str, str]) -> tuple[str, ...]:
    """Return the names in a file, one per line, or learner01 up to the number that is asked for."""
    if file := environment.get("CLASS_NAMES"):
        lines = [line.strip() for line in Path(file).read_text("utf-8").splitlines()]
        names = [line for line in lines if line and not line.startswith("#")]
    else:
        names = [f"learner{i:02}" for i in range(1, 1 + _number(environment, "CLASS_LEARNERS", 30))]
    for i, name in enumerate(names):
        if not NAME.fullmatch(name):
            raise ValueError(
                f"{name!r} cannot be a learner's name: it needs to start with a letter and to have at most 20 small "
                "letters, digits and hyphens."
            )
        if name in names[:i]:
            raise ValueError(f"{name!r} is in the list of names twice.")
    return tuple(names)


def _number(environment: Mapping[str, str], variable: str, usual: int, least: int = 1) -> int:
    text = environment.get(variable) or str(usual)
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
        raise ValueError(f"{variable} is {text!r}; a whole number of at least {least} is needed.")
    return int(text)
