#!/usr/bin/env python3
"""kindred-server, and scikit-learn behind a small server, on the same documents in the same run.

    server_peer.py KINDRED KINDRED_SERVER LIBKINDRED TAGGED.jsonl [UNTAGGED.jsonl] [--seconds N]

Of the tagged records, 1,000 are kept back as new ones, and one in ten of the others to ask with;
everything else is the collection. Each server is asked by wrk with four connections, N seconds (10)
for each job, while the other one is idle. Then the records that were kept back ask for related
documents and tags: printed are the share of the related ones with labels that share one with the
record that asks, and micro-F1 of the tags. At last both take up the new documents. sklearn_server.py is the other server.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from server_load import Job, Server, hand_in, memory_mb, wait_until_ready  # noqa: E402


def post(address, path, body):
    request = urllib.request.Request(address + path, json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    return json.loads(urllib.request.urlopen(request).read())


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return str(path)


def example(record):
    return {"title": record["title"], "text": record["text"]}


class KindredServer(Server):
    name = "kindred-server"

    def __init__(self, arguments, records, work):
        database = str(work / "db")
        subprocess.run([arguments.kindred, "index", "--db", database, records], check=True,
                       stdout=subprocess.DEVNULL)
        super().__init__(arguments.server, arguments.library, database)
        while not self.is_tuned():
            time.sleep(0.2)

    def is_tuned(self):
        jobs = json.loads(urllib.request.urlopen(self.address + "/jobs").read())["jobs"]
        return any(job["kind"] == "tune" and job["state"] == "done" for job in jobs)


class SklearnServer(Server):
    name = "scikit-learn"

    def __init__(self, records):
        self.process = subprocess.Popen(
            ["/usr/bin/python3", str(HERE / "sklearn_server.py"), records],
            stdout=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().rstrip("/")
        if not self.address:
            sys.exit("sklearn_server.py has ended")
        wait_until_ready(self.address)


def started(name, start):
    before = time.monotonic()
    server = start()
    print(f"{name}: ready after {time.monotonic() - before:.0f} s, "
          f"{memory_mb(server.process.pid):.0f} MB", flush=True)
    return server


def load(servers, collection, asking, work, seconds):
    ids = [urllib.parse.quote(record["id"], safe="")
           for record in random.Random(1).sample(collection, 500)]
    texts = [json.dumps({"record": example(record)}) for record in asking[:500]]
    examples = [json.dumps({"like": [{"record": example(record)}]}) for record in asking[:500]]
    jobs = [Job("related to a document", work, [one + "/related" for one in ids],
                prefix="/documents/"),
            Job("related to a text", work, examples, "POST", "/related", post=True),
            Job("classify a text", work, texts, "POST", "/classify", post=True)]
    print(f"{'':40} {'requests/s':>10} {'p50 ms':>8} {'p99 ms':>8} {'MB':>6}")
    for job in jobs:
        for server in servers:
            rate, median, most = job.ask(server.address, seconds)
            print(f"{job.name + ', ' + server.name:40} {rate:10.0f} {median:8.2f} {most:8.2f} "
                  f"{server.memory_mb():6.0f}", flush=True)


def measure_related(server, asking, labels):
    shared = found = 0
    for record in asking:
        own = set(record["labels"])
        for one in post(server.address, "/related", {"like": [{"record": example(record)}]})[
                "results"]:
            if not labels.get(one["id"]):
                continue
            found += 1
            shared += bool(own & labels[one["id"]])
    return shared / found


def micro_f1(server, asking):
    right = wrong = missed = 0
    for record in asking:
        answer = post(server.address, "/classify", {"record": example(record)})
        given = {tag["label"] for tag in answer["tags"]}
        own = set(record["labels"])
        right += len(own & given)
        wrong += len(given - own)
        missed += len(own - given)
    return 2 * right / (2 * right + wrong + missed)


def take_up(server, new):
    """Seconds until they are written, or kept, and found."""
    before = time.monotonic()
    hand_in(server.address, [json.dumps(record) + "\n" for record in new])
    last = urllib.parse.quote(new[-1]["id"], safe="")
    urllib.request.urlopen(f"{server.address}/documents/{last}/related").read()
    return time.monotonic() - before


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    for name in ("kindred", "server", "library", "tagged"):
        parser.add_argument(name)
    parser.add_argument("untagged", nargs="?")
    parser.add_argument("--seconds", type=int, default=10)
    arguments = parser.parse_args()
    tagged, untagged = ([json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]
                        if path else [] for path in (arguments.tagged, arguments.untagged))
    random.Random(1).shuffle(tagged)
    new, others = tagged[:1000], tagged[1000:]
    asking, collection = others[::10], [r for i, r in enumerate(others) if i % 10] + untagged
    labels = {record["id"]: set(record.get("labels", [])) for record in collection}
    print(f"{len(collection)} documents, {len(asking)} to ask with, {len(new)} new ones")
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        records = write(work / "records.jsonl", collection)
        servers = [started("kindred-server", lambda: KindredServer(arguments, records, work)),
                   started("scikit-learn", lambda: SklearnServer(records))]
        try:
            load(servers, collection, asking, work, arguments.seconds)
            for server in servers:
                share = measure_related(server, asking, labels)
                print(f"{server.name}: {share:.3f} of the related share a label; micro-F1 of tags "
                      f"{micro_f1(server, asking):.4f}", flush=True)
            for server in servers:
                print(f"{server.name}: 1,000 new documents taken up in {take_up(server, new):.2f} s, "
                      f"{server.memory_mb():.0f} MB", flush=True)
            before = time.monotonic()
            post(servers[1].address, "/refit", {})
            print(f"scikit-learn: they vote after {time.monotonic() - before:.0f} s more")
        finally:
            for server in servers:
                server.stop()


if __name__ == "__main__":
    main()
