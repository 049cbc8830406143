"""What a learner may try from the own notebook to reach another. Its whole text is run in a kernel of the trial.

Every attempt returns what it got; what is refused raises. Beside each stands the same on one's own
things, which must work: else a refusal would say nothing.
"""

import json
import os
import signal
import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any

Attempt = Callable[[], Any]


def read(path: str) -> str:
    """Read the beginning of a file."""
    with open(path, "rb") as file:
        return repr(file.read(40))


def ask(url: str, token: str = "", method: str = "GET") -> str:
    """Ask a server with one's own token."""
    headers = {"Authorization": f"token {token or os.environ['JUPYTERHUB_API_TOKEN']}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers, method=method), timeout=20) as answer:
        if "/hub/login" in answer.url:
            raise PermissionError("sent to the log-in page")
        return str(answer.read(40))


def connect(path: str) -> str:
    """Connect to a kernel's socket."""
    with socket.socket(socket.AF_UNIX) as kernel:
        kernel.connect(path)
    return "connected"


def overwrite(path: str) -> str:
    """Write into a file."""
    with open(path, "ab") as file:
        file.write(b"")
    return "opened to write"


def own(me: dict[str, Any], folder: str) -> dict[str, Attempt]:
    """Return the attempts on one's own things."""
    return {
        "read an own notebook": lambda: read(f"{me['home']}/attention/notebooks/01_self_attention.ipynb"),
        "list the own home": lambda: os.listdir(me["home"]),
        "read the environment of the own server": lambda: read(f"/proc/{me['pid']}/environ"),
        "connect to a socket of the own kernel": lambda: connect(
            f"{folder}/run/{me['name']}/kernel-{me['kernel']}-ipc-1"
        ),
        "ask the own server at its port": lambda: ask(f"http://127.0.0.1:{me['port']}/user/{me['name']}/api/contents"),
        "read the course": lambda: read(f"{folder}/course/notebooks/01_self_attention.ipynb"),
    }


def others(other: dict[str, Any], folder: str, port: int) -> dict[str, Attempt]:
    """Return the attempts on another learner's things, and on those of the class."""
    name, home, pid = other["name"], other["home"], other["pid"]
    server, hub = f"http://127.0.0.1:{other['port']}/user/{name}", f"http://127.0.0.1:{port + 2}/hub"
    return {
        "read another's notebook": lambda: read(f"{home}/attention/notebooks/01_self_attention.ipynb"),
        "list another's home": lambda: os.listdir(home),
        "list all homes": lambda: os.listdir(os.path.dirname(home)),
        "write into another's notebook": lambda: overwrite(f"{home}/attention/notebooks/01_self_attention.ipynb"),
        "read another's progress": lambda: read(f"{home}/.local/share/jupyter/attention/progress.jsonl"),
        "read the keys of another's kernels": lambda: read(f"{folder}/run/{name}/kernel-{other['kernel']}.json"),
        "connect to a socket of another's kernel": lambda: connect(
            f"{folder}/run/{name}/kernel-{other['kernel']}-ipc-1"
        ),
        "read the environment of another's server": lambda: read(f"/proc/{pid}/environ"),
        "end another's server": lambda: os.kill(pid, signal.SIGTERM),
        "ask another's server at its port, with one's own token": lambda: ask(f"{server}/api/contents"),
        "ask another's server at its port, with a made-up token": lambda: ask(f"{server}/api/contents", "0" * 32),
        "ask another's kernels at the port": lambda: ask(f"{server}/api/kernels"),
        "ask the hub about another": lambda: ask(f"{hub}/api/users/{name}"),
        "let the hub stop another's server": lambda: ask(f"{hub}/api/users/{name}/server", method="DELETE"),
        "let the hub make a token of another's": lambda: ask(f"{hub}/api/users/{name}/tokens", method="POST"),
        "let the hub add a user": lambda: ask(f"{hub}/api/users/guest", method="POST"),
        "ask the proxy for its routes": lambda: ask(f"http://127.0.0.1:{port + 1}/api/routes"),
        "read the secret of the class": lambda: read(f"{folder}/state/secret"),
        "read the sheet of passwords": lambda: read(f"{folder}/state/sheet.txt"),
        "read what the hub keeps": lambda: read(f"{folder}/state/hub.sqlite"),
        "change a notebook that is given out": lambda: overwrite(f"{folder}/course/notebooks/01_self_attention.ipynb"),
        "change the program of all servers": lambda: overwrite(f"{folder}/course/tools/classroom/servers.py"),
    }


def tried(attempts: dict[str, Attempt]) -> dict[str, str]:
    """Return what came of each: "refused: ..." or "got: ..."."""
    found = {}
    for what, attempt in attempts.items():
        try:
            found[what] = f"got: {attempt()}"[:120]
        except urllib.error.HTTPError as problem:
            refused = problem.code in (401, 403, 404)
            found[what] = f"{'refused' if refused else 'got'}: {problem.code}"
        except (PermissionError, ProcessLookupError) as problem:
            found[what] = f"refused: {problem}"
        except Exception as problem:
            found[what] = f"unclear: {type(problem).__name__} {problem}"
    return found


def say(me: dict[str, Any], other: dict[str, Any], folder: str, port: int) -> None:
    """Try all and print what came of it."""
    print(json.dumps([tried(own(me, folder)), tried(others(other, folder, port))]))
