#!/usr/bin/env python3
"""Whether the server holds while everything happens at once: searches, related documents, texts to
classify, pages, documents and tags that come and go, jobs, and a plugin that is swapped. Every
answer is one that is described, and the server ends with status 0; under a sanitizer that means
that it found nothing.

usage: stress_test.py KINDRED_SERVER LIBKINDRED RECORDS.jsonl [SECONDS]
"""
import collections
import http.client
import json
import os
import random
import sys
import tempfile
import threading
import time
import urllib.parse

from running_server import Connection, RunningServer, quoted

THREADS = 6
SWAP_EVERY = 2.0  # seconds
# Conflicts, and what is busy, are answers that are described.
DESCRIBED = {200, 201, 202, 204, 207, 303, 304, 404, 409, 412, 503}


class Client(threading.Thread):
    """Asks one thing after the other until `end`, by one connection."""

    def __init__(self, number, port, records, end):
        super().__init__()
        self.random = random.Random(number)
        self.port, self.records, self.end = port, records, end
        self.counts = collections.Counter()
        self.faults = []

    def run(self):
        connection = Connection(self.port)
        try:
            while time.monotonic() < self.end:
                method, target, *asked = self.question()
                answer = connection.request(method, target, *asked)
                self.counts[answer.status] += 1
                if answer.status not in DESCRIBED:
                    self.faults.append(f"{method} {target}: {answer.status}")
        except (OSError, http.client.HTTPException) as error:
            self.faults.append(repr(error))
        connection.close()

    def question(self):
        record = self.random.choice(self.records)
        name, words = quoted(record["id"]), urllib.parse.quote(record["title"])
        label = self.random.choice(record.get("labels") or ["space"])
        mine = f"{record['id']}-{self.random.randrange(20)}"
        return self.random.choice([
            lambda: ("GET", f"/search?q={words}&fold=0.9"),
            lambda: ("GET", f"/?q={words}"),
            lambda: ("GET", f"/documents/{name}/related?explain=1"),
            lambda: ("GET", f"/document?id={name}"),
            lambda: ("POST", "/classify", {"text": record["text"]}),
            lambda: ("POST", "/related", {"like": [{"text": record["text"]}], "limit": 5}),
            lambda: ("POST", "/documents", {**record, "id": mine}),
            lambda: ("POST", "/documents", "".join(
                json.dumps({**record, "id": f"{mine}-{i}"}) + "\n" for i in range(20)).encode(),
                {"Content-Type": "application/x-ndjson"}),
            lambda: ("DELETE", f"/documents/{quoted(mine)}"),
            lambda: ("POST", f"/documents/{name}/tags", {"add": [label], "reject": ["odd"]}),
            lambda: ("POST", f"/documents/{name}/tags", {"add": ["odd"]}),
            lambda: ("GET", "/suspects"),
            lambda: ("GET", f"/labels/{quoted(label)}/candidates?explain=1&predicted=1"),
            lambda: ("GET", "/map?places=1" if self.random.random() < .1 else "/topics"),
            lambda: ("GET", self.random.choice(["/labels", "/status", "/metrics", "/jobs",
                                                "/duplicates", "/explore", "/about"])),
            lambda: ("POST", "/jobs/" + self.random.choice(["tag", "tune"]), {}),
            lambda: ("POST", "/jobs/train", {"rows": 3, "columns": 3, "topics": 2}),
        ])()


def stress(server, records, seconds):
    end = time.monotonic() + seconds
    clients = [Client(number, server.port, records, end) for number in range(THREADS)]
    for client in clients:
        client.start()
    while time.monotonic() < end:
        time.sleep(min(SWAP_EVERY, seconds / 3))
        server.swap(waits=False)
    for client in clients:
        client.join()
    return (sum((client.counts for client in clients), collections.Counter()),
            [fault for client in clients for fault in client.faults])


def main():
    program, library, records = sys.argv[1:4]
    seconds = float(sys.argv[4]) if len(sys.argv) > 4 else 6
    with open(records, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    with tempfile.TemporaryDirectory(prefix="kindred-stress-") as folder:
        server = RunningServer(program, library, os.path.join(folder, "db"))
        for record in records:
            server.post("/documents", record)
        counts, faults = stress(server, records, seconds)
        swaps = server.swaps()
        log = server.log_text()
        status = server.stop()
    print(f"answers by status: {dict(sorted(counts.items()))}; {swaps} swaps; ended with {status}")
    told = [line for line in log.splitlines() if not line.startswith("{") or '"error"' in line]
    print("\n".join(faults[:10] + told[:40]))
    return 0 if status == 0 and swaps > 0 and counts[200] and not faults and not told else 1


if __name__ == "__main__":
    sys.exit(main())
