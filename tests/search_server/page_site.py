"""A server with a small collection, for tests that look at its pages in a browser."""
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from running_server import RunningServer, quoted

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "integration" / "pages"))
from browser import Browser  # noqa: E402, for the tests that import this

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
                None)
NASTY = "<img src=x onerror=alert(1)> & \"quotes\" 'n' \u202e\u05d0 moon"
PAGES = ["/", "/?q=moon", "/?q=moon&label=space", "/?q=nothing-has-this", "/document?id=moon-1",
         "/document?id=" + quoted(NASTY), "/document?id=none", "/try",
         "/try?text=a+guitar+on+the+moon", "/explore", "/explore?topic=1&q=moon", "/review",
         "/label", "/label?label=space", "/copies", "/copies?threshold=0.8", "/about",
         "/session?next=/&failed=1"]


class PageSite:
    """Documents with and without tags, one with markup in all that it has, and a near-copy."""

    def __init__(self, program, library, data):
        self.folder = tempfile.TemporaryDirectory(prefix="kindred-pages-")
        self.programs = program, library
        self.restart()
        records = b"".join((pathlib.Path(data) / name).read_bytes()
                           for name in ("topics.jsonl", "unlabeled.jsonl"))
        nasty = {"id": NASTY, "title": NASTY, "text": NASTY, "labels": [NASTY, "space"]}
        copy = dict(json.loads(records.splitlines()[0]), id="moon-1-again")
        for record in (nasty, copy):
            records += json.dumps(record).encode() + b"\n"
        self.server.post("/documents", records, headers={"Content-Type": "application/x-ndjson"})
        self.work("tag", {})
        self.work("train", {"rows": 6, "columns": 7, "count": 4, "seed": 1})

    def restart(self):
        if getattr(self, "server", None):
            self.server.stop()
        self.server = RunningServer(*self.programs, os.path.join(self.folder.name, "db"))

    def work(self, kind, options):
        """Runs a job to its end."""
        job = self.server.post("/jobs/" + kind, options).json()
        while job["state"] in ("queued", "running"):
            time.sleep(0.02)
            job = self.server.get("/jobs/" + job["id"]).json()
        assert job["state"] == "done", job

    def address(self, target):
        return f"http://127.0.0.1:{self.server.port}{target}"

    def close(self):
        self.server.stop()
        self.folder.cleanup()
