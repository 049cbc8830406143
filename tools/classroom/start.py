"""Set a class up and start its JupyterHub: `make class`, as root on Linux.

Needs nothing but Python until it has set up the class's own environment, in a folder that learners
can enter and not write to.
"""

import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from classroom.accounts import make_account, remove_account  # noqa: E402
from classroom.limits import make_group, remove_group  # noqa: E402
from classroom.passwords import class_secret, passwords_of, sheet, write_for_root  # noqa: E402
from classroom.settings import Settings, read_settings  # noqa: E402

COURSE = ("attention_lib", "data", "notebooks", "README.md", "LICENSE", "pyproject.toml", "requirements.txt")
SERVER_FILES = {  # of the project -> folder of the environment
    "tools/overrides.json": "share/jupyter/lab/settings",
    "tools/classroom/jupyter_server_config.py": "etc/jupyter",
    "tools/prompt_lab.py": "etc/jupyter",
    "tools/saved_notebooks.py": "etc/jupyter",
}
REQUIREMENTS = ("requirements.txt", "requirements-class.txt", "tools/classroom/package-lock.json", *SERVER_FILES)
LIMIT = 1800  # seconds for one step of the set-up: a first install over a slow network takes minutes
MESSAGES = {
    "linux": "A class needs Linux: each learner is a unix user with a limit of memory.",
    "root": "A class needs root: each learner is a unix user of their own, which only root can make. Without that\n"
    "nothing keeps learners' files and servers apart, so it does not start. Run: sudo make class",
    "python": "Learners cannot run {python} (it stands in a closed folder, is older than 3.11, or has no venv). Name\n"
    "another: make class CLASS_PYTHON=/usr/bin/python3.12 (Debian: apt install python3-venv)",
    "node": "The proxy needs npm and Node.js 20 or newer (https://nodejs.org).",
    "failed": "{command} failed:\n{said}",
    "setting up": "Setting up {folder}, the first time or after a change; a few minutes ...",
    "group": "Memory: {memory} MB a learner, server and kernels together.",
    "no group": "Memory: {memory} MB for each process. This system has no control groups that could hold a learner's\n"
    "processes together, so who opens many notebooks takes a multiple of it.",
    "plain": "Passwords go over the network unencrypted. Fine within a closed room; else set CLASS_CERT and CLASS_KEY.",
    "sheet": "Names and passwords, for root to read and print: {path}",
    "ended": "The learners' unix users are removed. Their work stays in {homes}, for root to read.",
}


def main(asked: Sequence[str]) -> None:
    """Set up what is missing, say what holds, and become the hub. With --end, remove the unix users instead."""
    check_machine()
    try:
        given = read_settings()
        if "--end" in asked:
            end(given)
            return
        check_python(given.python)
        set_up(given)
        passwords = passwords_of(given.names, class_secret(given.state / "secret"))
        for name in given.names:
            make_account(name, given.homes)
    except ValueError as problem:
        sys.exit(str(problem))
    hold = [make_group(name, given.memory) for name in given.names]
    print(MESSAGES["group" if all(hold) else "no group"].format(memory=given.memory))
    if not given.certificate:
        print(MESSAGES["plain"])
    hand_out(given, passwords)
    sys.stdout.flush()
    os.chdir(given.state)
    config = given.course / "tools" / "classroom" / "jupyterhub_config.py"
    hub = [str(given.venv / "bin" / "python"), "-m", "jupyterhub", "-f", str(config)]
    os.execve(hub[0], hub, {**os.environ, "PATH": f"{given.venv / 'bin'}:{os.environ.get('PATH', os.defpath)}"})


def check_machine() -> None:
    """End with a sentence where a class cannot be held."""
    if sys.platform != "linux":
        sys.exit(MESSAGES["linux"])
    if os.geteuid() != 0:
        sys.exit(MESSAGES["root"])
    if not shutil.which("npm") or not shutil.which("node"):
        sys.exit(MESSAGES["node"])


def check_python(python: str) -> None:
    """Refuse a Python that learners could not run, as one in root's own folder: tried as a user without rights."""
    code = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))"
    nobody = 65534
    try:
        run = subprocess.run([python, "-c", code], user=nobody, group=nobody, extra_groups=[], cwd="/", timeout=60)
    except OSError:
        raise ValueError(MESSAGES["python"].format(python=python)) from None
    if run.returncode:
        raise ValueError(MESSAGES["python"].format(python=python))


def set_up(given: Settings) -> None:
    """Make the folders, the course and the environment, as far as they are missing or older than this copy."""
    os.umask(0o022)
    folders = [(given.folder, 0o755), (given.homes, 0o711), (given.runtime, 0o711), (given.state, 0o700)]
    for folder, mode in folders:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(mode)
    put_course(given)
    wanted = hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in REQUIREMENTS)).hexdigest()
    done = given.folder / "installed"
    if done.exists() and done.read_text() == wanted:
        return
    print(MESSAGES["setting up"].format(folder=given.folder), flush=True)
    run([given.python, "-m", "venv", "--clear", given.venv])
    pip = [given.venv / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "-r", "requirements.txt", "-r", ROOT / "requirements-class.txt"], cwd=given.course)
    for source, place in SERVER_FILES.items():
        (given.venv / place).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / source, given.venv / place)
    given.proxy.mkdir(exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copyfile(ROOT / "tools" / "classroom" / name, given.proxy / name)
    run(["npm", "ci", "--no-audit", "--no-fund", "--loglevel=error"], cwd=given.proxy)
    done.write_text(wanted)


def put_course(given: Settings) -> None:
    """Put this copy of the project where learners can read it, in place of an earlier one."""
    new = given.folder / "course.new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir()
    skip = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints", "*.egg-info", "node_modules")
    for name in [*COURSE, "tools/classroom"]:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, new / name, ignore=skip, copy_function=shutil.copyfile)
        else:
            shutil.copyfile(source, new / name)
    for path in [new, *new.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    for built in given.course.glob("*.egg-info"):  # how the environment knows the library
        shutil.copytree(built, new / built.name)
    shutil.rmtree(given.course, ignore_errors=True)
    new.rename(given.course)


def hand_out(given: Settings, passwords: dict[str, str]) -> None:
    """Print the sheet when it is new, and say where it stands: a screen may be shown on the wall."""
    address = f"http{'s' if given.certificate else ''}://{given.host or os.uname().nodename}:{given.port}"
    path, text = given.state / "sheet.txt", sheet(passwords, address)
    if not path.exists() or path.read_text() != text:
        write_for_root(path, text)
        print(f"\n{text}")
    print(MESSAGES["sheet"].format(path=path))


def end(given: Settings) -> None:
    """Remove the unix users and groups of a class; the work stays."""
    for name in given.names:
        remove_account(name, given.homes)
        remove_group(name)
        shutil.rmtree(given.runtime / name, ignore_errors=True)
    print(MESSAGES["ended"].format(homes=given.homes))


def run(command: Sequence[str | Path], **options: Path) -> None:
    """Run one step; raise with what it said if it fails."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=LIMIT, **options)  # type: ignore[call-overload]
    if done.returncode:
        said = done.stdout + done.stderr
        raise ValueError(MESSAGES["failed"].format(command=" ".join(map(str, command)), said=said))


if __name__ == "__main__":
    main(sys.argv[1:])
