"""A tab of Chromium driven over its bare DevTools socket.

A full driver listens to every network frame of the page, which costs a live picture about as much
as the picture itself. This sends input events and evaluates expressions, and asks for nothing else.
"""

import json
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

import websocket

LIMIT = 60  # seconds
KEY_CODES = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "End": 35, "Home": 36}


class Chromium:
    """A headless Chromium with a DevTools port and a profile of its own."""

    def __init__(self, path: str, flags: list[str], width: int, height: int) -> None:
        self.profile = Path(tempfile.mkdtemp())
        sizes = [f"--window-size={width},{height}", f"--user-data-dir={self.profile}", "--remote-debugging-port=0"]
        command = [path, "--headless=new", *flags, *sizes, "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        told = self.profile / "DevToolsActivePort"
        end = time.monotonic() + LIMIT
        while not told.exists() or not told.read_text().strip():
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise RuntimeError(f"Chromium did not start: it ended, or named no port in {LIMIT} s")
            time.sleep(0.05)
        self.url = f"http://127.0.0.1:{told.read_text().split()[0]}"

    def tab(self) -> "Tab":
        """Open an empty tab."""
        request = urllib.request.Request(self.url + "/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            return Tab(json.load(answer)["webSocketDebuggerUrl"])

    def stop(self) -> None:
        """End the browser and remove its profile."""
        self.process.terminate()
        self.process.wait(15)
        shutil.rmtree(self.profile, ignore_errors=True)  # its helpers may still be leaving


class Tab:
    """One page: evaluate, press keys, move the mouse."""

    def __init__(self, address: str) -> None:
        self.socket = websocket.create_connection(address, timeout=LIMIT, suppress_origin=True)
        self.sent = 0

    def send(self, method: str, **parameters: Any) -> int:
        """Send a command without waiting for its answer; return its number."""
        self.sent += 1
        self.socket.send(json.dumps({"id": self.sent, "method": method, "params": parameters}))
        return self.sent

    def call(self, method: str, **parameters: Any) -> Any:
        """Send a command and return its answer; answers to earlier commands are dropped."""
        number = self.send(method, **parameters)
        while True:
            try:
                answer = json.loads(self.socket.recv())
            except websocket.WebSocketTimeoutException:
                raise TimeoutError(f"waited {LIMIT} s for {method} {str(parameters)[:200]}") from None
            if answer.get("id") == number:
                break
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def evaluate(self, expression: str) -> Any:
        """Return the value of an expression, awaited if it is a promise."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, condition: str, seconds: float = 30) -> None:
        """Look ten times a second whether a condition holds in the page."""
        end = time.monotonic() + seconds
        while not self.evaluate(f"(() => {{ try {{ return Boolean({condition}) }} catch {{ return false }} }})()"):
            if time.monotonic() > end:
                raise TimeoutError(condition)
            time.sleep(0.1)

    def press(self, key: str) -> None:
        """Press and release a key."""
        for kind in ("rawKeyDown", "keyUp"):
            code = KEY_CODES[key]
            self.send("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=code)

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Send one mouse event."""
        self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def close(self) -> None:
        """Close the tab without asking."""
        self.evaluate("window.onbeforeunload = null")
        self.call("Page.close")
        self.socket.close()
