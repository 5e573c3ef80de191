#!/usr/bin/env python3
"""Load on kindred-server, from this host.

    server_load.py KINDRED_SERVER LIBKINDRED DATABASE RECORDS.jsonl [--seconds N]

Serves a copy of DATABASE, which is one of `kindred index`. wrk (Debian's package) asks for the ids
and the words of RECORDS, with four connections, N seconds (5) for each job. Prints requests a second,
median and 99th percentile of their time in ms, which part of the server's time was the plugin's, and
the memory of the server. Then the records are handed in again in bulk, with and
without searches beside.
"""
import argparse
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from urllib.parse import quote

SCRIPT = """
local asked = {%s}
local at = 0
request = function()
  at = at %% #asked + 1
  return wrk.format("%s", %s, {["Content-Type"] = "application/json"}, %s)
end
"""


def quoted(text):
    """A string of Lua."""
    return f"[==[{text}]==]"


def wait_until_ready(address):
    while True:
        try:
            urllib.request.urlopen(address + "/readyz").read()
            return
        except OSError:
            time.sleep(0.1)


def memory_mb(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024


class Server:
    def __init__(self, program, library, database):
        self.process = subprocess.Popen(
            [program, "--database", database, "--library", library, "--port", "0", "--log-level",
             "warning"], stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().rstrip("/")
        wait_until_ready(self.address)

    def memory_mb(self):
        return memory_mb(self.process.pid)

    def seconds(self, what):
        """The sum over all routes of the histogram `what`."""
        text = urllib.request.urlopen(self.address + "/metrics").read().decode()
        return sum(float(value) for value in re.findall(
            rf"^kindred_server_{what}_seconds_sum\S* (\S+)$", text, re.M))

    def stop(self):
        self.process.terminate()
        return self.process.wait()


def milliseconds(text):
    number, unit = re.match(r"([\d.]+)(us|ms|s)", text).groups()
    return float(number) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def percentile(told, percent):
    """Of the times that wrk tells, in ms."""
    return milliseconds(re.search(rf"\n +{percent}% +(\S+)", told)[1])


class Job:
    """Requests of one kind: wrk's script asks for each of `asked` in turn."""

    def __init__(self, name, work, asked, method="GET", prefix="", post=False):
        self.name = name
        self.script = work / f"{re.sub(r'[^a-z]', '', name)}.lua"
        path, body = (quoted(prefix), "asked[at]") if post else (f"{quoted(prefix)} .. asked[at]",
                                                                "nil")
        self.script.write_text(SCRIPT % (", ".join(quoted(one) for one in asked), method, path, body))

    def ask(self, address, seconds):
        """Requests a second, and the median and 99th percentile of their time in ms."""
        told = subprocess.run(
            ["wrk", "-t1", "-c4", f"-d{seconds}s", "--latency", "-s", str(self.script), address],
            check=True, capture_output=True, text=True).stdout
        refused = re.search(r"Non-2xx or 3xx responses: (\d+)", told)
        if refused:
            sys.exit(f"{self.name}: {refused[1]} requests failed")
        return (float(re.search(r"Requests/sec:\s+([\d.]+)", told)[1]),
                percentile(told, 50), percentile(told, 99))

    def run(self, server, seconds):
        before = [server.seconds(what) for what in ("request", "plugin")]
        asked = self.ask(server.address, seconds)
        spent = [server.seconds(what) - then for what, then in zip(("request", "plugin"), before)]
        return (*asked, 100 * spent[1] / spent[0])


def jobs_of(records, work):
    ids = [quote(record["id"], safe="") for record in records]
    words = [quote(" ".join(re.findall(r"\w+", each["title"].lower())[:2])) for each in records]
    texts = [json.dumps({"text": record["text"][:2000]}) for record in records]
    return [Job("search, with facets", work, words, prefix="/search?q="),
            Job("a document", work, ids, prefix="/documents/"),
            Job("related", work, [f"{one}/related?explain=1" for one in ids], prefix="/documents/"),
            Job("classify a text", work, texts, "POST", "/classify", post=True),
            Job("the search page", work, words, prefix="/?q=")]


def hand_in(address, lines):
    """Documents a second."""
    request = urllib.request.Request(address + "/documents", "".join(lines).encode(),
                                     {"Content-Type": "application/x-ndjson"})
    start = time.monotonic()
    told = urllib.request.urlopen(request).read().splitlines()
    if any(json.loads(line)["outcome"] == "refused" for line in told):
        sys.exit("a record was refused")
    return len(told) / (time.monotonic() - start)


def load(server, jobs, lines, seconds):
    print(f"{'':24} {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'plugin':>7} {'MB':>6}")
    for job in jobs:
        rate, median, most, plugin = job.run(server, seconds)
        print(f"{job.name:24} {rate:10.0f} {median:8.2f} {most:8.2f} {plugin:6.0f}% "
              f"{server.memory_mb():6.0f}", flush=True)
    print(f"bulk ingest: {hand_in(server.address, lines):.0f} documents/s")
    searches = subprocess.Popen(
        ["wrk", "-t1", "-c4", "-d600s", "--latency", "-s", str(jobs[0].script), server.address],
        stdout=subprocess.PIPE, text=True)
    rate = hand_in(server.address, lines)
    searches.send_signal(2)  # wrk tells what it has
    told = searches.communicate()[0]
    print(f"bulk ingest beside searches: {rate:.0f} documents/s; "
          f"{float(re.search(r'Requests/sec: +([0-9.]+)', told)[1]):.0f} searches/s, "
          f"p99 {percentile(told, 99):.1f} ms; "
          f"{server.memory_mb():.0f} MB", flush=True)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("files", nargs=4)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    program, library, database, records = options.files
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        shutil.copytree(database, work / "db")
        lines = pathlib.Path(records).read_text().splitlines(keepends=True)
        jobs = jobs_of([json.loads(line) for line in random.Random(1).sample(lines, 500)], work)
        server = Server(program, library, str(work / "db"))
        try:
            load(server, jobs, lines[:10000], options.seconds)
        finally:
            status = server.stop()
    print(f"stopped with status {status}")


if __name__ == "__main__":
    main()
