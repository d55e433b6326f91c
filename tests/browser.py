"""A headless Chromium to click in, where one is installed: `with Browser() as browser: browser.open(page)`.

It is driven over a pipe by the DevTools protocol: JSON messages that end in a zero byte, on file descriptors 3 and 4 of
the browser. So a test needs no package and no port. Keys, clicks and the wheel are the browser's own input events, as
a person's are, and everything that a page asks of a network is written down.

*Source:* Chrome DevTools Protocol, domains Target, Page, Runtime, Network and Input.
"""

import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Self

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
TIMEOUT = 60.0  # seconds that an answer may take; the first one waits for the browser to start
WINDOW = "1200,900"
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--mute-audio")

# Gives the browser its two ends of the pipes under the numbers that it expects.
_START = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
_FIRST_FREE = 10  # descriptors from here on cannot be taken for 3 and 4


def chromium() -> str | None:
    """Path of a browser, None if there is none."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


needs_chromium = pytest.mark.skipif(
    chromium() is None, reason="no Chromium is installed; with `apt-get install chromium` this test clicks in one"
)


class Browser:
    """One window with one page at a time."""

    def __enter__(self) -> Self:
        """Start the browser and open an empty window."""
        path = chromium()
        assert path is not None, "no Chromium is installed"
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, _FIRST_FREE) for end in (theirs_in, theirs_out)]
        command = [sys.executable, "-S", "-E", "-c", _START, *map(str, ends), path, *FLAGS]
        command += ["--remote-debugging-pipe", f"--user-data-dir={self._folder.name}", f"--window-size={WINDOW}"]
        self._process = subprocess.Popen(command, pass_fds=ends, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._received, self._number, self._session = b"", 0, ""
        self.requests: list[str] = []  # addresses that the page asked for
        self.faults: list[str] = []  # exceptions and console errors of the page
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self._call(f"{domain}.enable")
        return self

    def __exit__(self, *fault: object) -> None:
        """End the browser."""
        self._session = ""
        self._call("Browser.close")
        self._process.wait(TIMEOUT)
        os.close(self._in)
        os.close(self._out)
        self._folder.cleanup()

    def open(self, page: Path, fragment: str = "") -> None:
        """Show a file, from its beginning, and wait until it is there."""
        self.requests.clear()
        self.faults.clear()
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=page.resolve().as_uri() + fragment)
        deadline = time.monotonic() + TIMEOUT
        while self.evaluate("document.readyState + location.protocol") != "completefile:":
            assert time.monotonic() < deadline, f"{page} is not shown"

    def evaluate(self, expression: str) -> Any:
        """The value of an expression of JavaScript, as JSON has it."""
        answer = self._call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def text(self, selector: str) -> str:
        """What stands in an element."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).textContent")

    def is_shown(self, selector: str) -> bool:
        """Whether an element takes room on the page."""
        return self.evaluate(f"document.querySelector({json.dumps(selector)}).getClientRects().length > 0")

    def click(self, selector: str, x: float = 0.5, y: float = 0.5) -> None:
        """Click an element, at shares of its width and height."""
        box = self._box(selector)
        place = {"x": box["x"] + x * box["width"], "y": box["y"] + y * box["height"], "button": "left"}
        for kind in ("mousePressed", "mouseReleased"):
            self._call("Input.dispatchMouseEvent", type=kind, clickCount=1, buttons=1, **place)

    def turn_wheel(self, selector: str, by: float) -> None:
        """Turn the mouse wheel over an element, downwards by so many pixels."""
        box = self._box(selector)
        place = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
        self._call("Input.dispatchMouseEvent", type="mouseWheel", deltaX=0, deltaY=by, **place)

    def press(self, key: str) -> None:
        """Press and let go a key, by its name in JavaScript: "ArrowLeft"."""
        for kind in ("keyDown", "keyUp"):
            self._call("Input.dispatchKeyEvent", type=kind, key=key, code=key)

    def screenshot(self) -> str:
        """A PNG of the window, in base64: for who wants to look."""
        return self._call("Page.captureScreenshot")["data"]

    def _box(self, selector: str) -> dict[str, float]:
        found = f"document.querySelector({json.dumps(selector)})"
        return self.evaluate(f"{found}.scrollIntoView({{block: 'nearest'}}), {found}.getBoundingClientRect().toJSON()")

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """The answer to a command; events that come before it are looked at."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive(method)
            if answer.get("id") == self._number:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self._look_at(answer)

    def _receive(self, waiting_for: str) -> dict[str, Any]:
        """The next message."""
        while b"\0" not in self._received:
            is_ready, _, _ = select.select([self._in], [], [], TIMEOUT)
            chunk = os.read(self._in, 1 << 20) if is_ready else b""
            if not chunk:
                self._process.kill()
                self._process.wait()
                raise RuntimeError(f"the browser does not answer {waiting_for}")
            self._received += chunk
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def _look_at(self, event: dict[str, Any]) -> None:
        """Remember what a page did."""
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.faults.append(str(parameters["exceptionDetails"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.faults.append(parameters["entry"]["text"])
