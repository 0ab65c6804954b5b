"""A headless Chromium, driven over the DevTools protocol."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

from websockets.sync.client import connect

START_TIMEOUT_SECONDS = 30


class Chromium:
    """A page in a new browser with a temporary profile; leaving the context ends the browser."""

    def __init__(self, program=None):
        self.program = program or os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
        if not self.program:
            raise SystemExit("Chromium was not found; install it (apt-get install chromium) or set CHROMIUM.")
        self.last_call_id = 0
        self.requests = []
        self.problems = []

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="map-test-")
        self.process = subprocess.Popen(
            [self.program, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run",
             "--remote-debugging-port=0", f"--user-data-dir={self.profile}", "about:blank"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            port = self._port()
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=10) as response:
                page = next(target for target in json.load(response) if target["type"] == "page")
            self.connection = connect(page["webSocketDebuggerUrl"], max_size=None).__enter__()
            for domain in ("Page", "Runtime", "Log", "Network", "Accessibility"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if hasattr(self, "connection"):
            self.connection.close()
        self.process.terminate()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    def _port(self):
        """Waits until Chromium has written its port to the profile, and returns the port."""
        file = Path(self.profile, "DevToolsActivePort")
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if file.exists() and file.read_text().strip():
                return int(file.read_text().splitlines()[0])
            if self.process.poll() is not None:
                raise SystemExit(f"{self.program} exited with {self.process.returncode} during its start.")
            time.sleep(0.05)
        raise SystemExit(f"{self.program} did not open its DevTools port within {START_TIMEOUT_SECONDS} s.")

    def call(self, method, **parameters):
        self.last_call_id += 1
        call_id = self.last_call_id
        self.connection.send(json.dumps({"id": call_id, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.connection.recv(timeout=60))
            if message.get("id") == call_id:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._record(message.get("method"), message.get("params", {}))

    def _record(self, method, parameters):
        if method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif method == "Network.webSocketCreated":
            self.requests.append(parameters["url"])
        elif method == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.problems.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.problems.append(parameters["entry"]["text"])

    def open(self, url, *, width=1280, height=800, ratio=1, scheme="light", reduced_motion=False):
        """Loads a page with this screen size and these preferences."""
        self.screen(width, height, ratio)
        self.prefer(scheme, reduced_motion)
        self.call("Page.navigate", url="about:blank")
        self.requests.clear()
        self.problems.clear()
        self.call("Page.navigate", url=url)

    def screen(self, width, height, ratio=1):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=ratio,
                  mobile=width < 700)

    def prefer(self, scheme, reduced_motion=False):
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": scheme},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced_motion else "no-preference"}])

    def run(self, expression):
        """Evaluates a JavaScript expression; if its value is a promise, awaits it."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def wait(self, expression, description, seconds=20):
        """Waits until an expression is truthy and returns its value.

        Retries after exceptions, since the page may be loading.
        """
        deadline = time.monotonic() + seconds
        failure = ""
        while time.monotonic() < deadline:
            try:
                value = self.run(expression)
                failure = ""
            except RuntimeError as error:
                value, failure = None, f" ({error})"
            if value:
                return value
            time.sleep(0.1)
        raise AssertionError(f"not within {seconds} s: {description}{failure}")

    def press(self, key):
        codes = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowLeft": 37, "+": 187, "0": 48}
        for kind in ("keyDown", "keyUp"):
            text = "\r" if key == "Enter" else key if len(key) == 1 else None
            extra = {"text": text} if text and kind == "keyDown" else {}
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes.get(key, 0), **extra)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, path):
        Path(path).write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
