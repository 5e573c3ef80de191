"""What a reader of the pages does and sees, in a browser before a server with a small collection."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time
import unittest

from running_server import RunningServer, quoted

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "integration" / "pages"))
from browser import Browser  # noqa: E402, for the tests that import this

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
PATIENCE = 60  # seconds; what is waited for comes much sooner
SIZES = {"phone": (390, 844), "desk": (1280, 800)}
NASTY = "<img src=x onerror=alert(1)> & \"quotes\" 'n' \u202e\u05d0 moon"
PAGES = ["/", "/?q=moon", "/?q=moon&tag=space", "/?q=nothing-has-this", "/?sort=newest",
         "/document?id=moon-1", "/document?id=" + quoted(NASTY), "/document?id=untitled-0",
         "/document?id=none", "/try", "/try?text=a+guitar+on+the+moon", "/explore",
         "/explore?topic=1&q=moon", "/review", "/review?list=wrong", "/label", "/label?label=space",
         "/copies", "/copies?min_similarity=0.8", "/about"]
# Each craft has words of its own; that makes tags sure.
CRAFTS = {"pottery": "clay kiln glaze wheel bowl firing slip", "sailing": "mast rope tide harbor keel "
          "wind jib", "weaving": "loom yarn warp weft shuttle thread cloth", "farming": "barley "
          "plough field harvest tractor soil seed", "banking": "loan interest deposit account credit "
          "branch coin"}


def crafts():
    """Documents with a tag for their craft (of pottery, two), and one of all crafts. The first of each
    lacks the former."""
    for craft, words in CRAFTS.items():
        words = words.split()
        for i in range(48):
            some = " ".join(words[(i * step + step) % 7] for step in (1, 2, 3, 4))
            own = [craft, "earthenware"] if craft == "pottery" else [craft]
            labels = ["work"] if i < 1 else [*own, "work"]
            yield {"id": f"{craft}-{i}", "title": f"{craft.title()}, part {i}", "labels": labels,
                   "text": f"The {some} of chapter {i} are for {words[i % 7]} and {words[(i + 3) % 7]}."}


def collection(data):
    records = [json.loads(line) for name in ("topics.jsonl", "unlabeled.jsonl")
               for line in (pathlib.Path(data) / name).read_text(encoding="utf-8").splitlines()]
    copy = dict(records[0], id="moon-1-again")
    records.append({"id": NASTY, "title": NASTY, "text": NASTY, "labels": [NASTY, "space"]})
    records.append(copy)
    records.extend(crafts())
    records.append({"id": "harbor", "title": "harbor - plans of ports", "text": "Plans of ports."})
    records.append({"id": "long", "title": "A long text", "labels": [f"one of many tags {i}" for i in
                   range(21)], "text": "The quiet harbor sleeps under the evening tide. " * 200})
    for i in range(4):
        records.append({"id": f"untitled-{i}", "text": f"Which guitar strings sound warm in winter, and "
                        f"why do I break the {i + 1}th of them so often that I need new ones?"})
    return records


class PageSite:
    """A server that people use from their own machine: no token is set, unless one is given."""

    def __init__(self, program, library, data, token=""):
        self.folder = tempfile.TemporaryDirectory(prefix="kindred-pages-")
        self.server = RunningServer(program, library, os.path.join(self.folder.name, "db"),
                                    "auto_tune = false\n", token)
        body = b"".join(json.dumps(record).encode() + b"\n" for record in collection(data))
        self.server.post("/documents", body, headers={"Content-Type": "application/x-ndjson"})
        for kind, options in (("tune", {}), ("tag", {}),
                              ("train", {"rows": 8, "columns": 9, "topics": 6, "seed": 1})):
            job = self.server.run_job(kind, options)
            assert job["state"] == "done", job

    def address(self, target):
        return f"http://127.0.0.1:{self.server.port}{target}"

    def close(self):
        self.server.stop()
        self.folder.cleanup()


class PageTest(unittest.TestCase):
    """A browser and a server for all tests of a class. `programs`: the server, the library and the
    folder of its documents."""
    programs = None
    token = ""

    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)
        cls.site = PageSite(*cls.programs, token=cls.token)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.site.close()

    @property
    def server(self):
        return self.site.server

    def open(self, target, size="desk", scheme="light"):
        self.browser.open(self.site.address(target), *SIZES[size], scheme)
        self.settled()

    def settled(self):
        self.until("document.querySelector('main h1') !== null && !document.querySelector("
                   "'main[aria-busy], .progress-place progress')")

    def ask(self, expression):
        return self.browser.ask(expression)

    def until(self, expression, wanted=True):
        end = time.monotonic() + PATIENCE
        while (found := self.ask(expression)) != wanted:
            assert time.monotonic() < end, f"{expression} stays {found!r}, expected {wanted!r}"
        return found

    def text(self, selector="main"):
        return self.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def texts(self, selector):
        return self.ask(f"[...document.querySelectorAll({json.dumps(selector)})]"
                        ".map((e) => e.innerText.trim())")

    def number(self, selector):
        return self.ask(f"document.querySelectorAll({json.dumps(selector)}).length")

    def point(self, selector):
        """Moves the mouse to the middle of the element."""
        place = self.ask(f"""(() => {{
            const e = document.querySelector({json.dumps(selector)});
            if (!e.closest('#toast')) e.scrollIntoView({{ block: 'center' }});
            const box = e.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        self.browser.point(*place)
        return place

    def click(self, selector):
        self.browser.click(*self.point(selector))

    def decide(self, chip, kind):
        """Clicks the button of this kind that is seen while a tag is pointed at."""
        self.point(chip)
        self.click(f"{chip} .{kind}")

    def type(self, selector, text):
        self.ask(f"document.querySelector({json.dumps(selector)}).focus()")
        self.browser.write(text)

    def document(self, name):
        return self.server.get("/documents/" + quoted(name)).json()

    def no_faults(self):
        self.assertEqual([f for f in self.browser.faults()
                          if not any(s in f for s in ("status of 404", "status of 409",
                                                      "status of 412", "status of 401"))], [])


def main():
    """Runs the tests: those that are named, or all."""
    if not CHROMIUM:
        print("skipped: chromium is not installed")
        sys.exit(77)
    PageTest.programs = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]], verbosity=2)
