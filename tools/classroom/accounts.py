"""The unix users of a class: one for each learner, so that the system itself keeps them apart."""

import os
import pwd
import shutil
import subprocess
from pathlib import Path

MESSAGES = {
    "theirs": "This machine has a user {name} who is not of this class (home {home}). Give the learner another name.",
    "tools": "{tool} is missing: this makes and removes the learners' unix users (Debian: apt install passwd).",
    "failed": "{command} failed: {said}",
}


def account(name: str, homes: Path) -> pwd.struct_passwd | None:
    """Return the unix user of a learner; None where there is no user of this name.

    Raises
    ------
    ValueError
        If the name is that of a user of the machine, whose rights a learner would get.
    """
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        return None
    if Path(user.pw_dir) != homes / name or user.pw_uid == 0:
        raise ValueError(MESSAGES["theirs"].format(name=name, home=user.pw_dir))
    return user


def make_account(name: str, homes: Path) -> pwd.struct_passwd:
    """Return the unix user of a learner, made where it is missing: no password, a home for itself alone."""
    user = account(name, homes)
    if user is None:
        home = homes / name
        again = ["--uid", str(home.stat().st_uid)] if home.exists() else []  # work of an earlier class keeps its owner
        run = ["useradd", "--home-dir", str(home), "--create-home", "--shell", "/bin/bash", "--user-group", *again]
        _run([*run, "--comment", "attention class", name])
        user = account(name, homes)
        assert user is not None
    home = Path(user.pw_dir)
    if not home.exists():  # the folder was deleted, and the user stayed
        home.mkdir()
        os.chown(home, user.pw_uid, user.pw_gid)
    home.chmod(0o700)
    return user


def remove_account(name: str, homes: Path) -> None:
    """Remove the unix user of a learner, if it is one of this class; what is in the home stays."""
    if account(name, homes):
        _run(["userdel", name])


def _run(command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        raise ValueError(MESSAGES["tools"].format(tool=command[0]))
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if done.returncode:
        raise ValueError(MESSAGES["failed"].format(command=" ".join(command), said=done.stderr.strip()))
