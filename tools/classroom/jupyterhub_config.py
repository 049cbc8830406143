"""The class's JupyterHub, on one machine. `make class` starts it; what can be set stands in settings.py."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
from classroom.doors import ClassAuthenticator
from classroom.passwords import class_secret, passwords_of
from classroom.servers import WORK, ClassSpawner
from classroom.settings import read_settings

c = get_config()  # noqa: F821  (JupyterHub gives it)
given = read_settings()

# Who comes in: the names on the list, each with a password of its own. Nobody signs up, nobody is an administrator.
c.JupyterHub.authenticator_class = ClassAuthenticator
c.ClassAuthenticator.passwords = passwords_of(given.names, class_secret(given.state / "secret"))
c.Authenticator.allowed_users = set(given.names)
c.Authenticator.allow_existing_users = False
c.Authenticator.delete_invalid_users = True  # who is taken off the list is out, also with an old cookie

# A server for each, as a unix user of its own, in a home of its own, with a limit of memory.
c.JupyterHub.spawner_class = ClassSpawner
c.ClassSpawner.settings = given
c.Spawner.cmd = [str(given.venv / "bin" / "jupyterhub-singleuser")]
c.Spawner.notebook_dir = f"~/{WORK}"
c.Spawner.default_url = "/lab/tree/notebooks/00_start_here.ipynb"
c.Spawner.environment = {
    "OPENBLAS_NUM_THREADS": "1",  # many learners, few cores
    "JUPYTERHUB_ACTIVITY_INTERVAL": str(
        max(5, min(300, given.idle // 4))
    ),  # seconds: how often a server says it is used
}
c.Spawner.args = [
    "--KernelManager.transport=ipc",  # sockets in a closed folder: a port of this machine is open to all its users
    "--LabApp.extension_manager=readonly",
    *given.arguments,
]
c.Spawner.start_timeout = c.Spawner.http_timeout = 180  # thirty at once on two cores take their time
c.Spawner.poll_interval = 10  # seconds until a server that has died is noticed

# Who is away for an hour gives the memory back. What was saved stays; JupyterLab saves by itself every two minutes.
c.JupyterHub.services = [
    {
        "name": "idle-culler",
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", f"--timeout={given.idle}"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "idle-culler",
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
        "services": ["idle-culler"],
    }
]

# Where it listens: the port that learners open, and two that only this machine can reach.
c.JupyterHub.bind_url = f"http{'s' if given.certificate else ''}://{given.host}:{given.port}"
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{given.port + 1}"
c.JupyterHub.hub_bind_url = f"http://127.0.0.1:{given.port + 2}"
c.ConfigurableHTTPProxy.command = [str(given.proxy / "node_modules" / ".bin" / "configurable-http-proxy")]
if given.certificate:
    c.JupyterHub.ssl_cert, c.JupyterHub.ssl_key = given.certificate

# What it remembers, in a folder of root's: it starts again with the same cookies.
c.JupyterHub.cookie_secret_file = str(given.state / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{given.state / 'hub.sqlite'}"
c.ConfigurableHTTPProxy.pid_file = str(given.state / "proxy.pid")
