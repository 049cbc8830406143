"""A learner's server: a process of the learner's own unix user, with its notebooks and its limit of memory."""

import asyncio
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jupyterhub.spawner import LocalProcessSpawner
from traitlets import Any as Anything

from . import giving_out
from .accounts import account
from .limits import enter, make_group
from .settings import Settings

WORK = "attention"  # the folder of a learner's home that the page shows
PATIENCE = 60  # seconds for the copying
MESSAGES = {
    "unknown": "{name} is not a learner of this class.",
    "not all": "Giving out to {name}: {said}",
}


class ClassSpawner(LocalProcessSpawner):
    """Starts the server of one learner. `settings` are those of the class."""

    settings = Anything().tag(config=True)

    async def start(self) -> Any:
        """Give out what is missing, then start."""
        user = account(self.user.name, self._class.homes)
        if user is None or self.user.name not in self._class.names:
            raise RuntimeError(MESSAGES["unknown"].format(name=self.user.name))
        await self._give_out(user)
        return await super().start()

    @property
    def _class(self) -> Settings:
        settings: Settings = self.settings
        return settings

    def user_env(self, env: dict[str, str]) -> dict[str, str]:
        """Add what is a learner's own: sockets and keys of kernels in a closed folder with a short path."""
        return {**super().user_env(env), "JUPYTER_RUNTIME_DIR": str(self._class.runtime / self.user.name)}

    def make_preexec_fn(self, name: str) -> Callable[[], None]:
        """Return what the new process does before it is the server: take its limits, then become the learner."""
        limited = enter(make_group(name, self._class.memory), self._class.memory)
        become = super().make_preexec_fn(name)

        def go() -> None:
            limited()
            become()
            os.umask(0o077)

        return go

    async def _give_out(self, user: Any) -> None:
        """Copy the notebooks as the learner. What cannot be copied keeps nobody from working: it is logged."""
        runtime = self._class.runtime / self.user.name
        shutil.rmtree(runtime, ignore_errors=True)  # what an earlier server left that had no time to tidy up
        runtime.mkdir(mode=0o700)  # in a folder of root's, so nothing can be in its way
        os.chown(runtime, user.pw_uid, user.pw_gid)
        command = [sys.executable, "-I", giving_out.__file__, self._class.course, Path(user.pw_dir, WORK)]
        as_learner: dict[str, Any] = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        process = await asyncio.create_subprocess_exec(*map(str, command), cwd="/", env={}, **pipes, **as_learner)
        try:
            said, _ = await asyncio.wait_for(process.communicate(), PATIENCE)
        except TimeoutError:
            process.kill()
            said = b"not done in time"
        if process.returncode:
            self.log.warning(MESSAGES["not all"].format(name=self.user.name, said=said.decode(errors="replace")))
