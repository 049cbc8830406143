"""A learner of `make classcheck`: what a learner's browser asks of the hub and of a server, without a browser."""

import json
import time
from typing import Any
from uuid import uuid4

import requests
import websocket

NOTEBOOK = "notebooks/01_self_attention.ipynb"
PATIENCE = 300.0  # seconds for a server or a cell, while thirty others want the same


class Learner:
    """A name with its password, and the cookies of its browser."""

    def __init__(self, hub: str, name: str, password: str) -> None:
        self.hub, self.name, self.password = hub, name, password
        self.home = f"{hub}/user/{name}/"
        self.web = self._new_browser()
        self.notebook: Any = None

    @staticmethod
    def _new_browser() -> requests.Session:
        web = requests.Session()
        web.headers["Connection"] = "close"  # the proxy closes connections that rest
        return web

    def hub_answers(self) -> bool:
        """Say whether the hub shows its page."""
        try:
            return self.web.get(f"{self.hub}/hub/login", timeout=10).ok
        except OSError:
            return False

    def is_let_in(self) -> bool:
        """Type name and password into the hub's page, and say whether it lets the learner in."""
        page = f"{self.hub}/hub/login"
        self.web.get(page, timeout=PATIENCE)
        form = {"username": self.name, "password": self.password, "_xsrf": self._xsrf("/hub/")}
        return self.web.post(page, data=form, timeout=PATIENCE, allow_redirects=False).status_code == 302

    def log_in(self) -> None:
        """Log in, and wait for the learner's own server."""
        if not self.is_let_in():
            raise RuntimeError(f"{self.name} was not let in")
        latest = time.monotonic() + PATIENCE
        answer = self.web.get(f"{self.hub}/hub/spawn", timeout=PATIENCE)
        while "/lab/tree/" not in answer.url or not answer.ok:
            if time.monotonic() > latest:
                raise TimeoutError(f"{self.name} has no server after {PATIENCE:.0f} s, but is at {answer.url}")
            time.sleep(0.5)
            answer = self.web.get(f"{self.home}lab/tree/notebooks", timeout=PATIENCE)

    def leave(self) -> None:
        """Stop the server, wait until it is gone, and forget the cookies."""
        latest = time.monotonic() + PATIENCE
        url, headers = f"{self.hub}/hub/api/users/{self.name}/server", self._headers("/hub/")
        while self.web.delete(url, headers=headers, timeout=PATIENCE).status_code == 202:
            if time.monotonic() > latest:
                raise TimeoutError(f"the server of {self.name} does not stop")
            time.sleep(0.5)
        self.web = self._new_browser()

    def can_open(self, home: str) -> bool:
        """Say whether the files of a server are shown to this learner."""
        answer = self.web.get(f"{home}api/contents", timeout=PATIENCE)
        return answer.ok and "/hub/" not in answer.url

    def run_notebook(self) -> None:
        """Open the notebook and run every cell."""
        self.notebook = self._api("GET", f"api/contents/{NOTEBOOK}")["content"]
        session = {"path": NOTEBOOK, "name": NOTEBOOK, "type": "notebook", "kernel": {"name": "python3"}}
        kernel = self._api("POST", "api/sessions", session)["kernel"]["id"]
        cookies = {cookie.name: cookie.value for cookie in self.web.cookies if self.home.endswith(cookie.path)}
        self.socket = websocket.create_connection(
            f"{self.home}api/kernels/{kernel}/channels".replace("http", "ws", 1),
            cookie="; ".join(f"{name}={value}" for name, value in cookies.items()),
            origin=self.hub,
            timeout=PATIENCE,
        )
        for cell in self.notebook["cells"]:
            if cell["cell_type"] == "code":
                error = self.run("".join(cell["source"]))
                if error and "raises-exception" not in cell["metadata"].get("tags", []):
                    raise RuntimeError(f"{self.name}, cell {cell['id']}: {error}")

    def run(self, source: str) -> str:
        """Run code in the kernel; return the name of its error, or nothing."""
        message_id = uuid4().hex
        header = {"msg_id": message_id, "msg_type": "execute_request", "session": self.name, "version": "5.3"}
        content = {"code": source, "silent": False, "allow_stdin": False, "stop_on_error": False}
        message = {"channel": "shell", "header": header, "parent_header": {}, "metadata": {}, "content": content}
        self.socket.send(json.dumps(message))
        while True:
            received = self.socket.recv()
            if isinstance(received, bytes):  # the numbers of a lab
                continue
            reply = json.loads(received)
            if reply["msg_type"] == "execute_reply" and reply["parent_header"].get("msg_id") == message_id:
                return str(reply["content"].get("ename", ""))

    def save_note(self) -> None:
        """Write a cell of the learner's own into the notebook, and save it."""
        note = {"cell_type": "markdown", "id": "own-note", "metadata": {}, "source": f"a note by {self.name}"}
        self.notebook["cells"].append(note)
        content = {"type": "notebook", "format": "json", "content": self.notebook}
        self._api("PUT", f"api/contents/{NOTEBOOK}", content)
        self.socket.close()

    def find_note(self) -> None:
        """Raise if the note is not there."""
        cell = self._api("GET", f"api/contents/{NOTEBOOK}")["content"]["cells"][-1]
        if cell["source"] != f"a note by {self.name}":
            raise RuntimeError(f"{self.name} does not find what was saved")

    def _api(self, method: str, path: str, content: Any = None) -> Any:
        headers = self._headers(f"/user/{self.name}/")
        answer = self.web.request(method, self.home + path, json=content, headers=headers, timeout=PATIENCE)
        answer.raise_for_status()
        return answer.json()

    def _headers(self, path: str) -> dict[str, str]:
        return {"X-XSRFToken": self._xsrf(path), "Referer": self.hub + path}

    def _xsrf(self, path: str) -> str:
        """Return the token that forms and scripts of a page send back, from its cookie."""
        tokens = (cookie.value for cookie in self.web.cookies if cookie.name == "_xsrf" and cookie.path == path)
        return next(tokens, None) or ""
