# SPDX-License-Identifier: BSD-3-Clause
"""A headless Chromium, driven by its DevTools protocol over a pipe: Python's library is enough."""

import base64
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any, Dict, List, Optional

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
SECONDS = 60
KEYS = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35,
        "Escape": 27, "Enter": 13, " ": 32, "Tab": 9}


class BrowserError(Exception):
    """The browser did not answer, or the page's script failed."""


def program() -> Optional[str]:
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    """One page. What it logs and throws is collected in `complaints`."""

    def __init__(self, folder: Path):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        words = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                 "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
                 "--disable-background-networking", "--user-data-dir=%s" % (folder / "profile"),
                 "about:blank"]

        def connect() -> None:  # the protocol's pipes are descriptors 3 and 4
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(words, preexec_fn=connect, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.session: Optional[str] = None
        self.complaints: List[str] = []
        self.requests: List[str] = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(domain + ".enable")

    def __enter__(self) -> "Browser":
        return self

    def __exit__(self, *_: Any) -> None:
        self.session = None
        try:
            self.ask("Browser.close")
            self.process.wait(10)
        except (BrowserError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)

    # The protocol.

    def ask(self, method: str, **parameters: Any) -> Dict[str, Any]:
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        end = time.monotonic() + SECONDS
        while True:
            answer = self.next_message(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise BrowserError("%s: %s" % (method, answer["error"]["message"]))
                return answer["result"]
            self.note(answer)

    def next_message(self, end: float) -> Dict[str, Any]:
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(end - time.monotonic(), 0))
            piece = os.read(self.read_end, 1 << 20) if ready else b""
            if not piece:
                raise BrowserError("the browser does not answer")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def note(self, event: Dict[str, Any]) -> None:
        parameters = event.get("params", {})
        if event.get("method") == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", "")
                                   or details["text"])
        elif event.get("method") == "Runtime.consoleAPICalled":
            self.complaints.append(str([value.get("value") for value in parameters["args"]]))
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(parameters["entry"]["text"])
        elif event.get("method") == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    # What a reader does.

    def open(self, path: Path) -> None:
        self.complaints, self.requests = [], []
        self.ask("Page.navigate", url=path.as_uri())
        self.until("document.readyState === 'complete' && location.href !== 'about:blank'")

    def size(self, width: int, height: int) -> None:
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)

    def scheme(self, name: str) -> None:
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": name}])

    def value(self, expression: str) -> Any:
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True)
        if "exceptionDetails" in answer:
            raise BrowserError(expression + ": " + str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def until(self, expression: str) -> None:
        end = time.monotonic() + SECONDS
        while not self.value(expression):
            if time.monotonic() > end:
                raise BrowserError("not in %d s: %s" % (SECONDS, expression))
            time.sleep(0.02)

    def middle_of(self, selector: str) -> List[float]:
        found = self.value("(() => { const e = document.querySelector(%s); if (!e) return null;"
                           "e.scrollIntoView({block: 'center', inline: 'center'});"
                           "const b = e.getBoundingClientRect();"
                           "return [b.x + b.width / 2, b.y + b.height / 2]; })()"
                           % json.dumps(selector))
        if found is None:
            raise BrowserError("no element " + selector)
        return found

    def mouse(self, kind: str, place: List[float], **more: Any) -> None:
        self.ask("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], **more)

    def point_at(self, selector: str) -> None:
        self.mouse("mouseMoved", self.middle_of(selector))

    def click(self, selector: str) -> None:
        place = self.middle_of(selector)
        self.mouse("mouseMoved", place)
        self.mouse("mousePressed", place, button="left", clickCount=1)
        self.mouse("mouseReleased", place, button="left", clickCount=1)

    def press(self, key: str) -> None:
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else "")
        code = KEYS.get(key, ord(key[0].upper()))
        self.ask("Input.dispatchKeyEvent", type="keyDown", key=key, text=text,
                 windowsVirtualKeyCode=code)
        self.ask("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path: Path) -> None:
        answer = self.ask("Page.captureScreenshot", format="png")
        path.write_bytes(base64.b64decode(answer["data"]))
