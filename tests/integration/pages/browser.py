"""A headless Chromium, driven by the DevTools protocol over a pipe. Standard library only."""
import base64
import fcntl
import json
import os
import subprocess
import tempfile

SIZES = {"desktop": (1280, 900), "phone": (390, 844)}


def high_pipe():
    """A pipe whose ends are none of the file descriptors that the browser expects."""
    ends = os.pipe()
    high = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends)
    for end in ends:
        os.close(end)
    return high


class Browser:
    """Starts the browser and opens one page. Calls block until they are answered."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.to = high_pipe()
        self.source, to_write = high_pipe()
        # It reads commands from file descriptor 3 and answers on 4.
        start = f'exec "$@" 3<&{to_read} 4>&{to_write} {to_read}<&- {to_write}>&-'
        arguments = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio",
                     "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe",
                     "about:blank"]
        self.process = subprocess.Popen(["bash", "-c", start, "bash", *arguments],
                                        pass_fds=(to_read, to_write), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.session = b"", 0, None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def receive(self):
        while b"\0" not in self.rest:
            part = os.read(self.source, 1 << 20)
            if not part:
                raise EOFError("the browser has ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]

    def open(self, url, width, height, scheme):
        """Opens a page at a size in CSS pixels, under the color scheme "light" or "dark"."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url=url)
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.receive())

    def faults(self):
        """What the page's scripts threw, and errors that the browser has logged."""
        def bad(event):
            logged = event.get("params", {}).get("entry", {}).get("level") == "error"
            return logged or event.get("method") == "Runtime.exceptionThrown"
        return [json.dumps(e["params"]) for e in self.events if bad(e)]

    def ask(self, expression):
        """The value of an expression in the page, once the screen shows what was done before."""
        # What a frame has asked for comes after that frame was painted.
        script = ("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
                  f".then(() => ({expression}))")
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True,
                           awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def point(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click(self, x, y):
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def tap(self, x, y):
        self.touch([[(x, y)]])

    def touch(self, steps):
        """Moves fingers over the screen, and lifts them: in each step the place of each, (x, y)."""
        for number, places in enumerate(steps):
            points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
            self.call("Input.dispatchTouchEvent", type="touchMove" if number else "touchStart",
                      touchPoints=points)
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def press(self, key):
        """A named key, a small letter or a sign."""
        codes = {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Tab": 9,
                 "Enter": 13, "Escape": 27}
        code, name = (ord(key.upper()), "Key" + key.upper()) if len(key) == 1 else (codes[key], key)
        typed = {"text": "\r"} if key == "Enter" else {}  # which sends the form of a field
        for kind in ("keyDown" if typed else "rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=name,
                      windowsVirtualKeyCode=code, **(typed if kind == "keyDown" else {}))

    def write(self, text):
        self.call("Input.insertText", text=text)

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))

    def close(self):
        os.close(self.to)  # the end of its commands ends it
        self.process.wait()
        os.close(self.source)
        self.profile.cleanup()
