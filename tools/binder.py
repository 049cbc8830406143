"""What Binder does with this repository: repo2docker's recipe, read without docker."""

import contextlib
import importlib.resources
import re
from pathlib import Path
from typing import Any

#: What Binder's own environment has that the notebooks meet, by the names pip knows. It is there
#: before requirements.txt is installed, in versions that repo2docker fixes.
BASE = ["jupyterlab", "notebook", "jupyter_server", "ipykernel", "ipywidgets", "jupyterlab_widgets"]


def recipe(root: Path) -> tuple[Any, str]:
    """Return the build pack that repo2docker picks for a repository, and its Dockerfile."""
    from repo2docker.app import Repo2Docker

    app = Repo2Docker()
    with contextlib.chdir(root):  # it looks at the current folder
        packs = (pack(app.base_image) for pack in app.buildpacks)
        pack = next(pack for pack in packs if pack.detect())
        pack.platform = "linux/amd64"
        return pack, pack.render({"NB_UID": "1000"})


def python_of(dockerfile: str) -> str:
    """Return the version of Python, from the name of the environment that the recipe copies."""
    named = dockerfile.replace("-2d", "-").replace("-2e", ".")  # as repo2docker writes - and . in file names
    return re.findall(r"environment\.py-(\d+\.\d+)-linux-64\.lock", named)[0]


def installs(dockerfile: str) -> list[str]:
    """Return what is run after the repository was copied, in order."""
    _, copied, after = dockerfile.partition("src/ ${REPO_DIR}/\n")
    return re.findall(r"^RUN (.*)$", after if copied else "", re.MULTILINE)


def base_versions(python: str) -> list[str]:
    """Return the packages of Binder's own environment as requirements for pip."""
    folder = importlib.resources.files("repo2docker") / "buildpacks" / "conda"
    lock = (folder / f"environment.py-{python}-linux-64.lock").read_text()
    found = dict(re.findall(r"/([a-z][a-z0-9_-]*)-(\d[^-/]*)-[^/]*\.conda", lock))
    return [f"{name}=={found[name]}" for name in BASE]
