"""The class's JupyterHub, on one machine. `make class` starts it; settings.py says what a teacher can set."""

import json
import secrets
import sys
from pathlib import Path
from typing import Any

from jupyterhub.auth import Authenticator

sys.path.insert(0, str(Path(__file__).parents[1]))
from classroom.settings import read_settings

c = get_config()  # noqa: F821  (JupyterHub provides it)
given = read_settings()
passwords: dict[str, str] = json.loads((given.state / "passwords.json").read_text())


class ClassAuthenticator(Authenticator):
    """Lets a learner in who knows the password of a name on the list; nobody can sign up.

    The passwords are random and have 59 bits, so it would take centuries to guess one.
    """

    async def authenticate(self, handler: Any, data: dict[str, str]) -> str | None:
        """Return the name if the password belongs to it. Phones add capitals and spaces, which do not matter."""
        name, typed = (data.get(field, "").strip().lower() for field in ("username", "password"))
        right = secrets.compare_digest(passwords.get(name, "").encode(), typed.encode())
        return name if name in passwords and right else None


c.JupyterHub.authenticator_class = ClassAuthenticator
c.Authenticator.allowed_users = set(passwords)
c.Authenticator.allow_existing_users = False
c.Authenticator.delete_invalid_users = True  # whoever is taken off the list is out, even with an old cookie

# Each learner has a server, run by a unix user of their own.
c.JupyterHub.spawner_class = "jupyterhub.spawner.LocalProcessSpawner"
c.Spawner.cmd = [
    "/bin/bash",
    str(given.course / "tools" / "classroom" / "learner_server.sh"),
    str(given.venv / "bin" / "jupyterhub-singleuser"),
]
c.Spawner.notebook_dir = "~/attention"
c.Spawner.default_url = "/lab/tree/notebooks/00_start_here.ipynb"
c.Spawner.environment = {
    "CLASS_COURSE": str(given.course),
    "CLASS_MEMORY_MB": str(given.memory),
    "JUPYTER_RUNTIME_DIR": lambda spawner: str(given.runtime(spawner.user.name)),
    "OPENBLAS_NUM_THREADS": "1",  # there are many learners and few cores
}
c.Spawner.args = [
    "--KernelManager.transport=ipc",  # sockets in a closed folder: a port of this machine is open to all its users
    "--LabApp.extension_manager=readonly",
    *given.arguments,
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180  # thirty servers at once need their time on two cores
c.Spawner.poll_interval = 10  # seconds until the hub notices that a server has died

# A server that nobody uses ends and gives its memory back. JupyterLab saves by itself every two minutes.
c.JupyterHub.services = [
    {"name": "idle-culler", "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={given.idle}"]}
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]

# Learners open the first port. The other two can be reached from this machine alone.
c.JupyterHub.bind_url = f"http{'s' if given.certificate else ''}://{given.host}:{given.port}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{given.port + 1}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{given.port + 2}"
c.ConfigurableHTTPProxy.command = [str(given.proxy / "node_modules" / ".bin" / "configurable-http-proxy")]
if given.certificate:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = given.certificate

# The hub remembers cookies and users in a folder of root's, so it can be started again.
c.JupyterHub.cookie_secret_file = str(given.state / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{given.state / 'hub.sqlite'}"
c.ConfigurableHTTPProxy.pid_file = str(given.state / "proxy.pid")
