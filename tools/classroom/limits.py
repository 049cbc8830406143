"""How much memory a learner may take. JupyterHub's own spawner knows a limit and does not hold it.

Two limits of the same size. Each process by itself gets a MemoryError, which a notebook shows as
a plain error. All processes of one learner together, a server and its kernels, stand in a control
group: past its limit the system ends the largest of them, and nobody else's.
"""

import os
import resource
from collections.abc import Callable
from pathlib import Path

MB = 2**20
MOST_PROCESSES = 512  # of one learner, threads included: a kernel has about 15
CGROUPS, OURS = Path("/sys/fs/cgroup"), "attention-class"


def controller(cgroups: Path = CGROUPS) -> Path | None:
    """Return the folder in which groups with a limit of memory can be made; None where there is none."""
    v2, v1 = cgroups / "cgroup.controllers", cgroups / "memory" / "memory.limit_in_bytes"
    if v2.exists() and "memory" in v2.read_text().split():
        return cgroups
    return v1.parent if v1.exists() else None


def make_group(name: str, megabytes: int, cgroups: Path = CGROUPS) -> Path | None:
    """Return a learner's group with its limit, made where it is missing; None where the system has or allows none."""
    above = controller(cgroups)
    if above is None:
        return None
    group = above / OURS / name
    try:
        group.mkdir(parents=True, exist_ok=True)
        if (above / "cgroup.subtree_control").exists():  # version 2: each level hands the limit down
            for level in (above, group.parent):
                (level / "cgroup.subtree_control").write_text("+memory")
            limit = group / "memory.max"
        else:
            limit = group / "memory.limit_in_bytes"
        limit.write_text(str(megabytes * MB))
    except OSError:
        return None
    return group


def remove_group(name: str, cgroups: Path = CGROUPS) -> None:
    """Remove a learner's group, and that of the class after the last; one with processes in it stays."""
    if above := controller(cgroups):
        for group in (above / OURS / name, above / OURS):
            try:
                group.rmdir()
            except OSError:
                return


def enter(group: Path | None, megabytes: int) -> Callable[[], None]:
    """Return what a new process does first, still as root: go into the group, take the limit."""

    def go() -> None:
        if group is not None:
            (group / "cgroup.procs").write_text(str(os.getpid()))
        resource.setrlimit(resource.RLIMIT_DATA, (megabytes * MB, megabytes * MB))
        resource.setrlimit(resource.RLIMIT_NPROC, (MOST_PROCESSES, MOST_PROCESSES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return go
