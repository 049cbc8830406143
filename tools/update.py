"""Fetch the newest version and keep the notebooks that you have edited: `make update`.

A notebook changes as soon as it is run, so that a plain `git pull` refuses to replace it. Here each changed notebook
is first copied to notebooks/mine, then all are brought to the newest version. It needs Python and git.
"""

import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIMIT = 300  # seconds, for each step
MINE = Path("notebooks", "mine")


def git(root: Path, *words: str) -> str:
    """Run git in a folder and return what it prints; ValueError with its last line where it fails."""
    done = subprocess.run(
        ["git", "-c", "core.quotepath=off", *words], cwd=root, capture_output=True, text=True, timeout=LIMIT
    )
    if done.returncode:
        reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:]
        raise ValueError(" ".join(reason))
    return done.stdout


def update(root: Path) -> str:
    """Bring a clone to its newest version and say what was done; ValueError, and nothing has changed, if it fails."""
    if not (root / ".git").exists():
        raise ValueError("this folder was not made by git clone. Clone the project, and copy your notebooks there.")
    git(root, "fetch", "--quiet")
    newest = git(root, "rev-parse", "@{upstream}").strip()
    if newest == git(root, "rev-parse", "HEAD").strip():
        return "This is the newest version already. Nothing was changed."
    edited = [Path(name) for name in git(root, "diff", "--name-only", "HEAD", "--", "notebooks/*.ipynb").splitlines()]
    edited = [name for name in edited if (root / name).exists()]
    copies = {name: _copy_of(root, name) for name in edited}
    for name in edited:
        git(root, "checkout", "--quiet", "HEAD", "--", str(name))
    try:
        git(root, "merge", "--quiet", "--ff-only", newest)
    except ValueError:
        for name, copy in copies.items():
            copy.replace(root / name)
        raise
    lines = ["You have the newest version now."]
    lines += [f"Your {name.name} is kept as {copy.relative_to(root).as_posix()}." for name, copy in copies.items()]
    return "\n".join(lines)


def _copy_of(root: Path, name: Path) -> Path:
    """Copy a notebook to a place where nothing stands yet."""
    copy = root / MINE / f"{name.stem} {time.strftime('%Y-%m-%d %H.%M.%S')}.ipynb"
    copy.parent.mkdir(exist_ok=True)
    return Path(shutil.copy2(root / name, copy))


if __name__ == "__main__":
    try:
        print(update(ROOT))
    except (ValueError, OSError, subprocess.TimeoutExpired) as problem:
        sys.exit(f"The update did not work, and nothing was changed: {problem}")
