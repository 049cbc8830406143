"""What a teacher can set, all of it from the environment: `make class CLASS_PORT=80 CLASS_NAMES=names.txt`."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

NAME = re.compile(r"[a-z][a-z0-9-]{0,19}")  # what unix, web addresses and JupyterHub all take
LONGEST_FOLDER = 32  # characters: a kernel's sockets are files, and the path of a socket has at most 107

MESSAGES = {
    "number": "{variable} is {text!r}; a whole number of at least {least} is needed.",
    "folder": "CLASS_FOLDER is {folder}: an absolute path of at most {most} characters is needed.",
    "name": "{name!r} cannot be a learner's name: small letters, digits and -, a letter first, at most 20 signs.",
    "twice": "{name!r} stands twice in the list of names.",
    "certificate": "CLASS_CERT and CLASS_KEY belong together: one is missing.",
}


@dataclass(frozen=True)
class Settings:
    """One class. `folder` holds everything that it writes; `memory` is in MB, for one learner."""

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
        """The Python of hub and learners, with the library."""
        return self.folder / "venv"

    @property
    def proxy(self) -> Path:
        """Where npm puts the proxy."""
        return self.folder / "proxy"

    @property
    def course(self) -> Path:
        """What is given out: read-only for learners."""
        return self.folder / "course"

    @property
    def homes(self) -> Path:
        """The learners' folders, each open to its owner alone. They outlive the class."""
        return self.folder / "homes"

    @property
    def runtime(self) -> Path:
        """Sockets and keys of running kernels, a closed folder for each learner."""
        return self.folder / "run"

    @property
    def state(self) -> Path:
        """What the hub keeps, and the passwords: for root alone."""
        return self.folder / "state"

    def home(self, name: str) -> Path:
        """Return a learner's home."""
        return self.homes / name


def read_settings(environment: Mapping[str, str] = os.environ) -> Settings:
    """Return the settings of an environment.

    Raises
    ------
    ValueError
        If one cannot be used; the sentence names it.

    Examples
    --------
    >>> read_settings({"CLASS_LEARNERS": "2"}).names
    ('learner01', 'learner02')
    """
    folder = Path(environment.get("CLASS_FOLDER", "/opt/attention-class"))
    if not folder.is_absolute() or len(str(folder)) > LONGEST_FOLDER:
        raise ValueError(MESSAGES["folder"].format(folder=folder, most=LONGEST_FOLDER))
    certificate = environment.get("CLASS_CERT", ""), environment.get("CLASS_KEY", "")
    if any(certificate) and not all(certificate):
        raise ValueError(MESSAGES["certificate"])
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
    """Return the learners: those of a file, one a line, or learner01 to the number that is asked for."""
    if file := environment.get("CLASS_NAMES"):
        lines = [line.strip() for line in Path(file).read_text("utf-8").splitlines()]
        names = [line for line in lines if line and not line.startswith("#")]
    else:
        names = [f"learner{i:02}" for i in range(1, 1 + _number(environment, "CLASS_LEARNERS", 30))]
    for i, name in enumerate(names):
        if not NAME.fullmatch(name):
            raise ValueError(MESSAGES["name"].format(name=name))
        if name in names[:i]:
            raise ValueError(MESSAGES["twice"].format(name=name))
    return tuple(names)


def _number(environment: Mapping[str, str], variable: str, usual: int, least: int = 1) -> int:
    text = environment.get(variable) or str(usual)
    if not re.fullmatch(r"\d{1,9}", text) or int(text) < least:
        raise ValueError(MESSAGES["number"].format(variable=variable, text=text, least=least))
    return int(text)
