#!/usr/bin/env python3
"""Compares what Kindred answers under load by a GPU with what it answers by the CPU.

    load.py python DATABASE RECORDS.jsonl SECONDS
    load.py SERVER DATABASE RECORDS.jsonl SECONDS

Opens two copies of DATABASE, one with each backend: by the Python package, or in two processes of
SERVER, a kindred-server. $KINDRED_LIBRARY is libkindred.so.0. Again and again, both take some of
RECORDS in; then the CPU answers the texts of others (tags, related documents, and a search), and many
threads ask the GPU the same until its time is over. Answers have the same bytes but for seconds.
Prints the first ones that differ, and how many there were; exit status 1 if any does.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import threading
import time

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(TOP / "python"), str(TOP / "tests/search_server")]

THREADS = 32
ROUND_SECONDS = 15
ADDED, ASKED = 50, 200  # records of a round

RECORD_KEYS = ("id", "title", "text", "labels")


def questions(record):
    """What is asked about a record, which need not be in the index."""
    text = record["title"] + "\n" + record["text"]
    words = " ".join(re.findall(r"\w+", text.lower())[:4])
    yield "classify", {"text": text}, {"limit": 20, "min_confidence": 0, "explain": True}
    yield "related", {"text": text}, {"limit": 20, "explain": True}
    # Facets may be of a moment ago (plugin/search/facets.h), so none are asked for.
    yield "search", words, {"limit": 10, "facets": 0}


class Package:
    """The Python package."""

    def __init__(self, database, backend):
        import kindred
        self.database = kindred.open(database, settings={"backend.kind": backend})

    def backend(self):
        return self.database.ask("status")["device"]

    def add(self, records):
        report = self.database.ingest(records)
        self.database.refresh()
        return str(report)

    def ask(self, question, about, options):
        key = {"classify": "example", "related": "like", "search": "query"}[question]
        given = {key: [about] if key == "like" else about, **options}
        return json.dumps(self.database.ask(question, **given))

    def close(self):
        self.database.close()


class Server:
    """A process of kindred-server, with a connection for each thread."""

    def __init__(self, program, database, backend):
        from running_server import Connection, RunningServer
        settings = pathlib.Path(database + ".toml")
        settings.write_text(f'[backend]\nkind = "{backend}"\n', encoding="ascii")
        self.connect, self.own = Connection, threading.local()
        self.server = RunningServer(program, os.environ["KINDRED_LIBRARY"], database,
                                    f"kindred_settings = {json.dumps(str(settings))}\n"
                                    "auto_tune = false\n")

    def connection(self):
        if not hasattr(self.own, "connection"):
            self.own.connection = self.connect(self.server.port)
        return self.own.connection

    def backend(self):
        return self.server.get("/status").json()["plugin"]["device"]

    def add(self, records):
        lines = "".join(json.dumps(record) + "\n" for record in records).encode()
        answer = self.server.post("/documents", lines,
                                  headers={"Content-Type": "application/x-ndjson"})
        while self.lags():
            time.sleep(0.01)
        return f"{answer.status} {answer.body.decode()}"

    def lags(self):
        status = self.server.get("/status").json()
        return status["snapshot"]["revision"] != status["index"]["revision"]

    def ask(self, question, about, options):
        from urllib.parse import urlencode
        if question == "search":
            target = "/search?" + urlencode({"q": about, **options})
            answer = self.connection().get(target)
        else:
            given = {"like": [about]} if question == "related" else about
            answer = self.connection().post("/" + question, {**given, **options})
        return f"{answer.status} {answer.body.decode()}"

    def close(self):
        self.server.stop()


def without_seconds(answer):
    return re.sub(r'"(training_)?seconds": ?[^,}]*', "", answer)


class Comparison:
    def __init__(self):
        self.answers, self.differ = 0, 0

    def hold(self, what, expected, found):
        self.answers += 1
        if without_seconds(expected) == without_seconds(found):
            return
        self.differ += 1
        if self.differ <= 3:
            at = len(os.path.commonprefix([expected, found]))
            print(f"DIFFERS {what}:\n cpu  ...{expected[max(0, at - 80):at + 200]}\n"
                  f" cuda ...{found[max(0, at - 80):at + 200]}", flush=True)


def run_round(cuda, cpu, added, asked, end, comparison):
    comparison.hold("what was added", cpu.add(added), cuda.add(added))
    asks = [ask for record in asked for ask in questions(record)]
    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        expected = list(pool.map(lambda ask: cpu.ask(*ask), asks))
        for answers in itertools.count(1):
            for ask, one, other in zip(asks, expected, pool.map(lambda ask: cuda.ask(*ask), asks)):
                comparison.hold(ask[:2], one, other)
            if time.monotonic() > end:
                return answers * len(asks)


def main(program, database, records, seconds):
    with open(records, encoding="utf-8") as lines:
        known = [{key: record[key] for key in RECORD_KEYS if key in record}
                 for record in map(json.loads, lines)]
    make = Package if program == "python" else lambda *rest: Server(program, *rest)
    end = time.monotonic() + float(seconds)
    comparison, rounds = Comparison(), 0
    with tempfile.TemporaryDirectory() as folder:
        copies = {kind: os.path.join(folder, kind) for kind in ("cuda", "cpu")}
        for copy in copies.values():
            shutil.copytree(database, copy)
        cuda, cpu = make(copies["cuda"], "cuda"), make(copies["cpu"], "cpu")
        print(f"{cuda.backend()} and {cpu.backend()}", flush=True)
        while time.monotonic() < end:
            first = rounds * (ADDED + ASKED) % max(1, len(known) - ADDED - ASKED)
            rounds += 1
            run_round(cuda, cpu, known[first:first + ADDED],
                      known[first + ADDED:first + ADDED + ASKED],
                      min(end, time.monotonic() + ROUND_SECONDS), comparison)
        cuda.close()
        cpu.close()
    print(f"{comparison.answers} answers by {program} in {rounds} rounds, {comparison.differ} differ; "
          "the others have the same bytes")
    return 1 if comparison.differ else 0


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
