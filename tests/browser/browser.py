"""A headless Chromium, spoken to over its debugging pipe: nothing but the standard library and the browser."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
WAIT_S = float(os.environ.get("CONFOUND_BROWSER_WAIT", "120"))
KEYS = {"ArrowRight": 39, "ArrowLeft": 37, "ArrowUp": 38, "ArrowDown": 40, "Home": 36, "End": 35, "Escape": 27,
        "Tab": 9, "Enter": 13}


def find():
    """The browser that $CHROMIUM or the path has, None where there is none."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)


class BrowserError(Exception):
    pass


class Browser:
    """One page of one browser. Whatever the page complains of is in `complaints`."""

    def __init__(self, executable):
        self.folder = tempfile.mkdtemp(prefix="confound-browser-")
        self.complaints = []
        self.loaded = False
        self.buffer = b""
        self.number = 0
        self.session = None
        to_read, self.write_end = os.pipe()
        self.read_end, to_write = os.pipe()
        self.log = open(os.path.join(self.folder, "log"), "wb")
        # The browser reads its commands from descriptor 3 and answers on 4. As root, in a container, it has no sandbox.
        command = f'exec "$0" "$@" 3<&{to_read} 4>&{to_write}'
        self.process = subprocess.Popen(
            ["sh", "-c", command, executable, "--headless=new", "--remote-debugging-pipe", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions", "--hide-scrollbars",
             "--disable-background-networking", "--force-color-profile=srgb", "--font-render-hinting=none",
             f"--user-data-dir={self.folder}/profile", "about:blank"],
            pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log,
            env={**os.environ, "HOME": self.folder})
        os.close(to_read)
        os.close(to_write)
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(f"{domain}.enable")

    def close(self):
        for end in (self.write_end, self.read_end):
            os.close(end)
        try:
            self.process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def said(self):
        with open(os.path.join(self.folder, "log"), "rb") as file:
            return file.read()[-2000:].decode("utf-8", "replace")

    # ---- the pipe ----

    def _message(self, until):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.read_end], [], [], max(0, until - time.monotonic()))
            piece = os.read(self.read_end, 1 << 20) if ready else b""
            if not piece:
                raise BrowserError(f"the browser {'ended' if ready else 'did not answer'}: {self.said()}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def _notice(self, message):
        method, told = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            details = told["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and told["type"] in ("error", "warning", "assert"):
            self.complaints.append(" ".join(str(a.get("value", a.get("description"))) for a in told["args"]))
        elif method == "Log.entryAdded" and told["entry"]["level"] in ("error", "warning"):
            self.complaints.append(told["entry"]["text"])

    def send(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + WAIT_S
        while True:
            answer = self._message(until)
            if answer.get("id") != self.number:
                self._notice(answer)
                continue
            if "error" in answer:
                raise BrowserError(f"{method}: {answer['error']}")
            return answer["result"]

    # ---- the page ----

    def open(self, path, width=1280, height=900, dark=False):
        self.complaints.clear()
        self.loaded = False
        self.resize(width, height)
        self.theme(dark)
        self.send("Page.navigate", url="file://" + path)
        until = time.monotonic() + WAIT_S
        while not self.loaded:
            self._notice(self._message(until))

    def resize(self, width, height):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def theme(self, dark, media="screen"):
        self.send("Emulation.setEmulatedMedia", media=media,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def run(self, expression):
        answer = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise BrowserError(details.get("exception", {}).get("description") or details["text"])
        return answer["result"].get("value")

    def wait_for(self, expression):
        """The first true value of expression."""
        until = time.monotonic() + WAIT_S
        while True:
            value = self.run(expression)
            if value:
                return value
            if time.monotonic() > until or any("Error" in text for text in self.complaints):
                raise BrowserError(f"it did not become true: {expression}; the page said {self.complaints}")
            time.sleep(0.05)

    def point_at(self, x, y):
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        self.point_at(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def key(self, name):
        for kind in ("rawKeyDown", "keyUp"):
            self.send("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=KEYS[name])

    def screenshot(self, path, whole=True):
        options = {}
        if whole:
            size = self.send("Page.getLayoutMetrics")["cssContentSize"]
            options = {"captureBeyondViewport": True,
                       "clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}}
        data = self.send("Page.captureScreenshot", format="png", **options)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def pdf(self):
        return base64.b64decode(self.send("Page.printToPDF", printBackground=True)["data"])
