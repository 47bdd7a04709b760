"""A real browser: headless Chromium, driven over its DevTools protocol."""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import time

import requests
import websocket

CHROMIUM = next(filter(None, map(shutil.which, ["chromium", "chromium-browser", "google-chrome"])), None)
PATIENCE = 60

# Of all the text on the page, the least contrast to what is behind it.
LEAST_CONTRAST = """
(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const luminance = (color) => {
    const [r, g, b] = channels(color).map((c) => (c /= 255, c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const color = getComputedStyle(element).backgroundColor;
    return channels(color)[3] === 0 ? behind(element.parentElement) : color;
  };
  const contrasts = [...document.querySelectorAll("main *")]
    .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((element) => [luminance(getComputedStyle(element).color), luminance(behind(element))])
    .map(([one, other]) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05));
  return Math.min(...contrasts);
})()
"""
FITS = "document.documentElement.scrollWidth <= innerWidth"


def until(what, condition):
    """The first value of the condition that is true."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        value = condition()
        if value:
            return value
        time.sleep(0.05)
    raise AssertionError(f"in vain we waited for {what}")


class Browser:
    """One tab."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.process = subprocess.Popen(
            [
                CHROMIUM,
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--hide-scrollbars",
                "--remote-debugging-port=0",
                f"--user-data-dir={self.folder}",
                "about:blank",
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(self.folder)},
        )
        port = until("Chromium", self._port)
        tabs = until("a tab", lambda: [tab for tab in self._tabs(port) if tab["type"] == "page"])
        self.socket = websocket.create_connection(
            tabs[0]["webSocketDebuggerUrl"], timeout=PATIENCE, suppress_origin=True
        )
        self.last = 0
        self.call("Page.enable")

    def _port(self):
        file = self.folder / "DevToolsActivePort"
        return file.read_text().split()[0] if file.exists() and file.read_text() else None

    @staticmethod
    def _tabs(port):
        return requests.get(f"http://127.0.0.1:{port}/json/list", timeout=PATIENCE).json()

    def close(self):
        self.socket.close()
        self.process.terminate()
        self.process.wait(PATIENCE)

    def call(self, method, **params):
        """One command of the protocol; events are passed over."""
        self.last += 1
        self.socket.send(json.dumps({"id": self.last, "method": method, "params": params}))
        while True:
            message = json.loads(self.socket.recv())
            if message.get("id") == self.last:
                assert "error" not in message, f"{method}: {message['error']}"
                return message["result"]

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def open(self, url):
        self.call("Page.navigate", url=url)
        self.see("the page", f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def leave(self, url):
        """Opens another page although the one that is open warns that something would be lost. Fails where it does not."""
        self.last += 1
        navigation = self.last
        self.socket.send(json.dumps({"id": navigation, "method": "Page.navigate", "params": {"url": url}}))
        while (message := json.loads(self.socket.recv())).get("method") != "Page.javascriptDialogOpening":
            assert message.get("id") != navigation, "the page did not warn"
        assert message["params"]["type"] == "beforeunload"
        self.call("Page.handleJavaScriptDialog", accept=True)
        self.see("the page", f"document.readyState === 'complete' && location.href === {json.dumps(url)}")

    def see(self, what, expression):
        """Waits for what the expression tells of the page."""

        def seen():
            try:
                return self.evaluate(expression)
            except AssertionError:
                return None  # the page is just changing

        return until(what, seen)

    def text(self):
        return self.evaluate("document.body.innerText")

    def use(self, scheme="light", width=390, height=480, script=True):
        """A phone in light or dark, with script or without."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=True)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def speak(self, language):
        """Asks for pages in a language."""
        self.call("Network.enable")
        self.call("Network.setExtraHTTPHeaders", headers={"Accept-Language": language})

    def sign_in(self, cookie):
        """Shows that cookie, which a log-in has set."""
        self.call("Network.setCookie", name=cookie.name, value=cookie.value, domain="127.0.0.1", path="/")

    def press(self, key, code, text=""):
        common = {"key": key, "code": key if key != " " else "Space", "windowsVirtualKeyCode": code}
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def names(self, role):
        """What a screen reader calls the elements of that role."""
        nodes = self.call("Accessibility.getFullAXTree")["nodes"]
        found = [node for node in nodes if not node.get("ignored") and node["role"]["value"] == role]
        return [node.get("name", {}).get("value", "") for node in found]

    def screenshot(self):
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])
