"""Set a class up and start its JupyterHub: `make class`, as root on Linux; with --end, remove the unix users.

This needs nothing but Python until it has set up the class's own environment, in a folder that learners can enter but
not write to.
"""

import hashlib
import json
import os
import pwd
import secrets
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from classroom.settings import Settings, read_settings  # noqa: E402

COURSE = ("attention_lib", "data", "notebooks", "README.md", "LICENSE", "pyproject.toml", "tools/classroom")
SERVER_FILES = {  # file of the project -> folder of the environment
    "tools/overrides.json": "share/jupyter/lab/settings",
    "tools/classroom/jupyter_server_config.py": "etc/jupyter",
    "tools/prompt_lab.py": "etc/jupyter",
    "tools/saved_notebooks.py": "etc/jupyter",
}
PROXY = "configurable-http-proxy@5.3.0"
LIMIT = 1800  # seconds for one step of the set-up: a first install over a slow network takes minutes
CLOSING = 60.0  # seconds for the servers of a class that has just ended
STILL_RUNNING = 8  # how userdel says that processes of the user are running
LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # without i, l, o, 0 and 1, which are easily mistaken for each other


def main(arguments: Sequence[str]) -> None:
    """Set up what is missing, say where the passwords are, and become the hub."""
    if any(word != "--end" for word in arguments):
        sys.exit(f"Nothing was done. {__doc__}")
    check_machine()
    try:
        given = read_settings()
        if "--end" in arguments:
            end(given)
            return
        check_python(given.python)
        set_up(given)
        for name in given.names:
            make_account(name, given.homes)
    except ValueError as problem:
        sys.exit(str(problem))
    print(f"Names and passwords, for root to print and cut into strips: {write_sheet(given)}")
    print(f"Each process of a learner may take {given.memory} MB of memory.")
    if not given.certificate:
        print("Passwords cross the network unencrypted. In an open network, set CLASS_CERT and CLASS_KEY.")
    sys.stdout.flush()
    os.chdir(given.state)
    (given.state / "hub.pid").write_text(str(os.getpid()))
    config = given.course / "tools" / "classroom" / "jupyterhub_config.py"
    hub = [str(given.venv / "bin" / "python"), "-m", "jupyterhub", "-f", str(config)]
    os.execve(hub[0], hub, {**os.environ, "PATH": f"{given.venv / 'bin'}:{os.environ.get('PATH', os.defpath)}"})


def check_machine() -> None:
    """End with a sentence where a class cannot be held."""
    if sys.platform != "linux":
        sys.exit("A class needs Linux, because each learner is a unix user.")
    if os.geteuid() != 0:
        sys.exit(
            "A class needs root, because each learner is a unix user of their own and only root can make users.\n"
            "Without them, nothing would keep learners out of each other's files. Run: sudo make class"
        )
    if not shutil.which("npm"):
        sys.exit("The hub's proxy needs npm and Node.js 20 or newer (https://nodejs.org).")


def check_python(python: str) -> None:
    """Refuse a Python that learners could not run, such as one in root's own folder."""
    code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    nobody = 65534
    try:
        run = subprocess.run([python, "-c", code], user=nobody, group=nobody, extra_groups=[], cwd="/", timeout=60)
        usable = run.returncode == 0
    except OSError:
        usable = False
    if not usable:
        raise ValueError(
            f"Learners cannot run {python}: it is in a closed folder, is older than 3.11, or has no venv. Name\n"
            "another: make class CLASS_PYTHON=/usr/bin/python3.12 (on Debian and Ubuntu: apt install python3-venv)"
        )


def set_up(given: Settings) -> None:
    """Make the folders, the course and the environment where they are missing or older than this copy."""
    os.umask(0o022)
    for folder, mode in [(given.folder, 0o755), (given.homes, 0o711), (given.state, 0o700)]:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
    put_course(given)
    needs = b"".join((ROOT / name).read_bytes() for name in ("pyproject.toml", *SERVER_FILES)) + PROXY.encode()
    version, installed = hashlib.sha256(needs).hexdigest(), given.folder / "installed"
    if installed.exists() and installed.read_text() == version:
        return
    print(f"Setting up {given.folder}, the first time or after a change. This takes a few minutes ...", flush=True)
    run([given.python, "-m", "venv", "--clear", given.venv])
    pip = [given.venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--editable", f"{given.course}[class]"])
    for source, folder in SERVER_FILES.items():
        (given.venv / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, given.venv / folder)
    run(["npm", "install", "--prefix", given.proxy, "--no-audit", "--no-fund", "--loglevel=error", PROXY])
    installed.write_text(version)


def put_course(given: Settings) -> None:
    """Put this copy of the project where learners can read it, in place of an earlier one."""
    new = given.folder / "course.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    skip = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    for name in COURSE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, new / name, ignore=skip, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(ROOT / name, new / name)
    for path in [new, *new.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    shutil.rmtree(given.course, ignore_errors=True)
    new.rename(given.course)


def account(name: str, homes: Path) -> pwd.struct_passwd | None:
    """Return the unix user of a learner, or None where there is none.

    Raises
    ------
    ValueError
        If the machine has a user of this name who is not of the class: a learner would get that user's rights.
    """
    try:
        user = pwd.getpwnam(name)
    except KeyError:
        return None
    if Path(user.pw_dir) != homes / name or user.pw_uid == 0:
        raise ValueError(
            f"This machine has a user {name} who is not of this class: the home is {user.pw_dir}. "
            "Give the learner another name."
        )
    return user


def make_account(name: str, homes: Path) -> None:
    """Make the unix user of a learner where it is missing: without a password, and with a home that is closed."""
    home = homes / name
    if account(name, homes) is None:
        same_owner = ["--uid", home.stat().st_uid] if home.exists() else []  # for work from an earlier class
        command = ["useradd", "--home-dir", home, "--create-home", "--shell", "/bin/bash", "--user-group"]
        run([*command, *same_owner, "--comment", "attention class", name])
    home.chmod(0o700)


def write_sheet(given: Settings) -> Path:
    """Draw a password for each new name and write the sheet; return its path, since a screen may be on the wall."""
    kept = given.state / "passwords.json"
    passwords = json.loads(kept.read_text()) if kept.exists() else {}
    passwords = {name: passwords.get(name) or draw_password() for name in given.names}
    address = f"http{'s' if given.certificate else ''}://{given.host or os.uname().nodename}:{given.port}"
    width = max(map(len, passwords))
    lines = [f"{name:{width}}  {password}" for name, password in passwords.items()]
    sheet = given.state / "sheet.txt"
    for path, text in [(kept, json.dumps(passwords)), (sheet, "\n".join([f"The class at {address}", "", *lines, ""]))]:
        path.touch(mode=0o600)
        path.write_text(text)
    return sheet


def draw_password() -> str:
    """Return a password such as abcd-efgh-jkmn."""
    return "-".join("".join(secrets.choice(LETTERS) for _ in range(4)) for _ in range(3))


def end(given: Settings) -> None:
    """Remove the unix users of a class once their servers have closed; the work stays."""
    if is_running(given):
        raise ValueError(
            "The class is still running. Press Ctrl-C in its terminal, and wait until its servers have closed."
        )
    latest = time.monotonic() + CLOSING
    for name in given.names:
        if account(name, given.homes):
            remove_account(name, latest)
    print(f"The learners' unix users are removed. Their work stays in {given.homes}, for root to read.")


def is_running(given: Settings) -> bool:
    """Say whether the hub that this class started last still runs."""
    try:
        pid = (given.state / "hub.pid").read_text()
        return "jupyterhub" in Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return False


def remove_account(name: str, latest: float) -> None:
    """Remove a unix user. Their server may still be closing, so try again until `latest`."""
    while True:
        done = subprocess.run(["userdel", name], capture_output=True, text=True, timeout=60)
        if done.returncode == 0:
            return
        if done.returncode != STILL_RUNNING or time.monotonic() > latest:
            raise ValueError(f"The unix user {name} could not be removed: {done.stderr.strip()}")
        time.sleep(0.5)


def run(command: Iterable[object], **options: Any) -> None:
    """Run one step; if it fails, raise with what it printed."""
    words = list(map(str, command))
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT, **options)
    except FileNotFoundError:
        raise ValueError(f"{words[0]} is missing (Debian and Ubuntu: apt install passwd npm).") from None
    if done.returncode:
        raise ValueError(f"{' '.join(words)} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main(sys.argv[1:])
