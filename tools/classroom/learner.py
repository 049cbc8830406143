"""A learner of the trial, over HTTP and the kernel's web socket: what a page does, without the page."""

import json
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote, urljoin
from uuid import uuid4

import numpy as np
import requests
import websocket
from numpy.typing import NDArray

PATIENCE = 300.0  # seconds for a server or a cell, while thirty others want the same
LOOK = 0.25  # seconds between two looks whether a server is there
PANELS = {  # of the explorer, with four words
    **dict.fromkeys(["W_Q", "W_K", "W_V", "X", "K", "V"], (4, 4)),
    **dict.fromkeys(["score", "scaled score", "weight"], (4, 1)),
    **dict.fromkeys(["query", "output row"], (1, 4)),
    "weights": (4, 4),
}
SIZES = [rows * columns for rows, columns in PANELS.values()]


def browser() -> requests.Session:
    """Return an empty browser. The proxy closes connections that rest; a real one then asks again."""
    web = requests.Session()
    web.headers["Connection"] = "close"
    return web


class Learner:
    """One name with its password and its cookies, as one browser has them."""

    def __init__(self, hub: str, name: str, password: str) -> None:
        self.hub, self.name, self.password = hub, name, password
        self.home = f"{hub}/user/{name}/"
        self.web = browser()
        self.said = ""  # by the log-in page, where it did not let in

    # -- the hub -----------------------------------------------------------------------------

    def log_in(self) -> int:
        """Type name and password into the hub's page; return the status of its answer: 302 lets in."""
        page = urljoin(self.hub, "/hub/login")
        self.web.get(page, timeout=PATIENCE)
        typed = {"username": self.name, "password": self.password, "_xsrf": self._token("/hub/")}
        answer = self.web.post(page, data=typed, timeout=PATIENCE, allow_redirects=False)
        self.said = answer.text
        return answer.status_code

    def start(self) -> None:
        """Open the page of one's own server, as the hub leads to it, and wait until it stands."""
        end = time.monotonic() + PATIENCE
        answer = self.web.get(f"{self.hub}/hub/spawn", timeout=PATIENCE)
        while "/lab/tree/" not in answer.url or answer.status_code != 200:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name}: no server after {PATIENCE:.0f} s, but {answer.url}")
            if "/hub/login" in answer.url:
                raise PermissionError(f"{self.name} is not logged in")
            time.sleep(LOOK)
            server = self._server()
            if server is None or server["ready"]:  # ended, so press "Start"; or there
                answer = self.web.get(f"{self.hub}/hub/spawn", timeout=PATIENCE)

    def _server(self) -> Any:
        """Return what the hub says of one's server; None if it knows of none."""
        url = f"{self.hub}/hub/api/users/{self.name}"
        return self.web.get(url, headers=self._headers("/hub/"), timeout=PATIENCE).json().get("servers", {}).get("")

    def stop(self) -> None:
        """Press "Stop my server" on the hub's page, and wait until it is gone."""
        url, headers = f"{self.hub}/hub/api/users/{self.name}/server", self._headers("/hub/")
        end = time.monotonic() + PATIENCE
        while self.web.delete(url, headers=headers, timeout=PATIENCE).status_code == 202:
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name}: the server does not stop")
            time.sleep(LOOK)

    def leave(self) -> None:
        """Close the browser: its cookies are gone, and so are its connections."""
        self.web.close()
        self.web = browser()

    # -- one's own server --------------------------------------------------------------------

    def api(self, method: str, path: str, content: Any = None) -> Any:
        """Ask one's own server; return what it says."""
        answer = self.web.request(
            method,
            urljoin(self.home, path),
            json=content,
            headers=self._headers(f"/user/{self.name}/"),
            timeout=PATIENCE,
        )
        answer.raise_for_status()
        return json.loads(answer.content) if answer.content else None

    def read(self, path: str) -> Any:
        """Return a notebook of one's own."""
        return self.api("GET", f"api/contents/{quote(path)}")["content"]

    def save(self, path: str, notebook: Any) -> None:
        """Save a notebook, as the page does."""
        self.api("PUT", f"api/contents/{quote(path)}", {"type": "notebook", "format": "json", "content": notebook})

    def open(self, path: str) -> "Kernel":
        """Open a notebook: a kernel starts for it."""
        asked = {"path": path, "name": Path(path).name, "type": "notebook", "kernel": {"name": "python3"}}
        return Kernel(self, self.api("POST", "api/sessions", asked)["kernel"]["id"])

    def _token(self, path: str) -> str:
        """Return the token that forms and scripts of a page send back, from its cookie."""
        return next(
            (cookie.value or "" for cookie in self.web.cookies if cookie.name == "_xsrf" and cookie.path == path), ""
        )

    def _headers(self, path: str) -> dict[str, str]:
        return {"X-XSRFToken": self._token(path), "Referer": urljoin(self.hub, path)}


class Kernel:
    """The kernel of one open notebook. `models` are the states of its widgets, as the page keeps them."""

    def __init__(self, learner: Learner, id: str) -> None:
        self.learner, self.id, self.session = learner, id, uuid4().hex
        self.models: dict[str, dict[str, Any]] = {}
        self.outputs: list[dict[str, Any]] = []
        self.failed = ""
        path = f"{learner.home}api/kernels/{id}/channels?session_id={self.session}"
        cookie = "; ".join(
            f"{c.name}={c.value}" for c in learner.web.cookies if learner.home.endswith(c.path) or c.path == "/"
        )
        self.socket = websocket.create_connection(
            path.replace("http", "ws", 1), cookie=cookie, timeout=PATIENCE, origin=learner.hub, enable_multithread=True
        )

    def close(self) -> None:
        """Close the page; the kernel goes on."""
        self.socket.close()

    def run(self, source: str) -> list[dict[str, Any]]:
        """Run a cell; return what it put out. What went wrong stands in `failed`."""
        self.outputs, self.failed = [], ""
        content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}}
        asked = self._send("execute_request", {**content, "allow_stdin": False, "stop_on_error": True})
        waiting = {"execute_reply", "idle"}

        def look(message: dict[str, Any]) -> bool:
            if message["parent_header"].get("msg_id") != asked:
                return False
            kind, said = message["msg_type"], message["content"]
            if kind in ("display_data", "execute_result", "stream", "error"):
                self.outputs.append({"output_type": kind, **{k: v for k, v in said.items() if k != "transient"}})
            if kind == "execute_reply":
                self.failed = "" if said["status"] == "ok" else f"{said.get('ename')}: {said.get('evalue')}"
            waiting.discard(said["execution_state"] if kind == "status" else kind)
            return not waiting

        self._until(look)
        return self.outputs

    def value(self, expression: str) -> Any:
        """Return what an expression prints."""
        outputs = self.run(f"import json as _json; print(_json.dumps({expression}))")
        if self.failed:
            raise RuntimeError(f"{expression}: {self.failed}")
        return json.loads("".join(output["text"] for output in outputs if output["output_type"] == "stream"))

    def model(self, fits: Callable[[dict[str, Any]], bool]) -> str:
        """Return the newest widget whose state fits."""
        return [id for id, state in self.models.items() if fits(state)][-1]

    def choose(self, options: str, index: int, button: str) -> None:
        """Choose an answer in the first list that holds an option, and press the first button of that name after it."""
        names = list(self.models)
        entry = next(id for id in names if options in (self.models[id].get("_options_labels") or []))
        later = names[names.index(entry) :]
        commit = next(id for id in later if self.models[id].get("description") == button)
        self._tell(entry, {"method": "update", "state": {"index": index}, "buffer_paths": []})
        self._tell(commit, {"method": "custom", "content": {"event": "click"}})
        self.run("None")  # heard in turn: what was sent before has been acted on

    def drag(self, panel: str, values: list[float], pause: float) -> tuple[list[float], dict[str, NDArray[Any]]]:
        """Drag one cell of the explorer through values, as its page sends them.

        Returns the seconds from each to its answer, and what the panels hold at the end.
        """
        view = self.model(lambda state: "_ack" in state and len(_bytes(state)) == 8 * sum(SIZES))
        name, took = uuid4().hex, []
        for n, value in enumerate(values, start=1):
            edit = {"do": "edit", "panel": panel, "row": 0, "column": 0, "value": value, "gesture": name}
            start = time.perf_counter()
            self._tell(view, {"method": "custom", "content": {**edit, "view": name, "n": n}})
            self._until(lambda message, n=n: self.models[view]["_ack"][:2] == [name, n])
            took.append(time.perf_counter() - start)
            time.sleep(max(0.0, pause - took[-1]))
        numbers = np.split(np.frombuffer(_bytes(self.models[view])), np.cumsum(SIZES)[:-1])
        return took, {name: part.reshape(PANELS[name]) for name, part in zip(PANELS, numbers, strict=True)}

    def _tell(self, widget: str, data: dict[str, Any]) -> None:
        """Send a widget what its page sends it."""
        self._send("comm_msg", {"comm_id": widget, "data": data})

    def _send(self, kind: str, content: dict[str, Any]) -> str:
        id = uuid4().hex
        header = {"msg_id": id, "msg_type": kind, "session": self.session, "username": "", "version": "5.3", "date": ""}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.socket.send(json.dumps({**message, "buffers": []}))
        return id

    def _until(self, look: Callable[[dict[str, Any]], bool]) -> None:
        """Read what the kernel sends, and keep the widgets' states, until what is looked for has come."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = _message(self.socket.recv())
            self._keep(message)
            if look(message):
                return
        raise TimeoutError(f"{self.learner.name}: no answer of the kernel in {PATIENCE:.0f} s")

    def _keep(self, message: dict[str, Any]) -> None:
        content = message["content"]
        if message["msg_type"] in ("comm_open", "comm_msg") and "state" in content["data"]:
            state = content["data"]["state"]
            for path, buffer in zip(content["data"].get("buffer_paths", []), message.get("buffers", []), strict=False):
                if len(path) == 1:
                    state[path[0]] = buffer
            self.models.setdefault(content["comm_id"], {}).update(state)


def _bytes(state: dict[str, Any]) -> bytes:
    values = state.get("_values", b"")
    return values if isinstance(values, bytes) else b""


def _message(raw: str | bytes) -> dict[str, Any]:
    """Return one message of the web socket; one with buffers comes as bytes, offsets first."""
    if isinstance(raw, str):
        message: dict[str, Any] = json.loads(raw)
        return message
    count = int.from_bytes(raw[:4], "big")
    ends = [int.from_bytes(raw[4 * i : 4 * i + 4], "big") for i in range(1, count + 1)] + [len(raw)]
    message = json.loads(raw[ends[0] : ends[1]])
    message["buffers"] = [raw[start:end] for start, end in pairwise(ends[1:])]
    return message
