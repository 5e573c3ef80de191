#!/usr/bin/python3
"""Kills ingest, tag, topics train, tune and mirror with SIGKILL at random moments, and looks at what
is left; ingest, tag, topics assign, related and mirror also of a stub of three shards.

usage: kills.py PROGRAM [--kills N] [--seed S]      PROGRAM: the path of kindred; N kills of each

After every kill the database, or each of its shards, passes xapian-check, the program opens it, every document that was
reported as committed is there once, a tuning or a map beside it is whole or absent, and answers are
the same with and without the saved mirror, which all of these commands keep. The same command is
then run to its end, and must leave what a run that nobody killed leaves. Prints a line
a command, and ends with status 1 at the first thing that is not so.
"""
import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

try:
    import xapian
except ImportError:
    print("skipped: python3-xapian is not installed")
    sys.exit(77)

SETTINGS = '[index]\nbatch = 50\n[backend]\nkind = "cpu"\nthreads = 2\n'
SAVING = SETTINGS + '[mirror]\nsave = "close"\nfollow = "poll"\nmax_staleness_ms = 10\n'
SHARDS = 3
SUBJECTS = ["sea", "music", "garden", "space", "rivers"]


def write_records(path, first, count, labeled):
    """Records on five subjects whose words overlap a little."""
    draw = random.Random(first)
    with open(path, "w", encoding="utf-8") as out:
        for number in range(first, first + count):
            subject = number % len(SUBJECTS)
            words = ["%s%d" % (SUBJECTS[subject], draw.randrange(60)) for _ in range(20)]
            words += ["shared%d" % draw.randrange(80) for _ in range(15)]
            record = {"id": "d%d" % number, "title": words[0], "text": " ".join(words)}
            if labeled:
                record["labels"] = [SUBJECTS[subject]]
            print(json.dumps(record), file=out)


class Wrong(Exception):
    pass


def expect(holds, what):
    if not holds:
        raise Wrong(what)


class Attack:
    """One command, its untouched database, and the expected result. A database is a folder; one of
    shards has a stub in it (XAPIANDB), and a folder for each shard."""

    def __init__(self, program, folder, name, arguments, prepare, shards=0):
        self.program, self.folder, self.name, self.arguments = program, folder, name, arguments
        self.template = os.path.join(folder, "template")
        self.database = os.path.join(folder, "db")
        self.parts = ["shard%d" % shard for shard in range(shards)] or ["."]
        shutil.rmtree(self.template, ignore_errors=True)
        if shards:
            self.make_stub(self.template)
        prepare(self.template)
        self.restore()
        began = time.monotonic()
        self.finish()
        self.seconds = time.monotonic() - began
        self.wanted = self.state()

    def make_stub(self, path):
        os.mkdir(path)
        for part in self.parts:
            xapian.WritableDatabase(os.path.join(path, part), xapian.DB_CREATE).close()
        with open(os.path.join(path, "XAPIANDB"), "w", encoding="utf-8") as stub:
            stub.writelines("auto %s\n" % part for part in self.parts)

    def restore(self):
        shutil.rmtree(self.database, ignore_errors=True)
        if os.path.isdir(self.template):
            shutil.copytree(self.template, self.database)

    def command(self):
        return [self.program, *self.arguments, "--db", self.database, "--config",
                os.path.join(self.folder, "saving.toml")]

    def ask(self, *arguments):
        """The results that a command prints, without the clock."""
        run = subprocess.run([self.program, *arguments, "--db", self.database, "--config",
                              os.path.join(self.folder, "settings.toml"), "--json"],
                             capture_output=True, text=True, check=False)
        expect(run.returncode == 0, "%s: status %d, %s" % (arguments, run.returncode, run.stderr))
        lines = [json.loads(line) for line in run.stdout.splitlines()]
        return [{key: value for key, value in line.items() if key not in ("revision", "seconds")}
                for line in lines]

    def finish(self):
        run = subprocess.run(self.command(), capture_output=True, text=True, check=False)
        expect(run.returncode == 0, "%s to its end: %s" % (self.name, run.stderr))

    def kill_once(self, after):
        """True if the command was still running."""
        self.restore()
        with tempfile.TemporaryFile() as progress:
            progress_option = [] if self.arguments[0] == "related" else ["--progress", "always"]
            process = subprocess.Popen(self.command() + progress_option,
                                       stdout=subprocess.DEVNULL, stderr=progress)
            time.sleep(after)
            process.kill()
            was_running = process.wait() != 0
            progress.seek(0)
            reported = progress.read().decode()
        self.check_after_kill(reported)
        self.finish()
        expect(self.state() == self.wanted, "a second run does not leave what one run leaves")
        return was_running

    def check_after_kill(self, reported):
        for part in self.parts:
            path = os.path.join(self.database, part)
            if not os.path.exists(os.path.join(path, "iamglass")):
                return  # killed before Xapian had made the database
            check = subprocess.run(["xapian-check", path], capture_output=True, text=True,
                                   check=False)
            expect(check.returncode == 0, "xapian-check: " + check.stdout + check.stderr)
        status = self.ask("status")[0]
        committed = re.findall(r"^committed (\d+) documents$", reported, re.MULTILINE)
        if self.arguments[0] == "ingest" and committed:
            expect(status["documents"] >= int(committed[-1]),
                   "%s reported, %d there" % (committed[-1], status["documents"]))
        if os.path.exists(os.path.join(self.database, "kindred.som")):
            self.ask("topics", "show")
        self.check_mirror()

    def check_mirror(self):
        """Answers do not depend on the saved mirror."""
        question = ["related", "--text", "sea1 music2 shared3 shared4", "--limit", "50"]
        mirror = os.path.join(self.database, "kindred.mirror")
        if not os.path.exists(mirror):
            return
        answers = self.ask(*question)
        os.rename(mirror, mirror + "-away")
        bare = self.ask(*question)
        os.rename(mirror + "-away", mirror)
        expect(answers == bare, "with the saved mirror: %s, without: %s" % (answers, bare))

    def state(self):
        """Everything in the documents, the tuning and the map, except for revisions."""
        documents = []
        database = xapian.Database(self.database)
        for posting in database.postlist(""):
            document = database.get_document(posting.docid)
            terms = [(term.term, term.wdf) for term in document.termlist()]
            values = [(value.num, re.sub(rb'"revision":\d+,', b"", value.value))
                      for value in document.values()]
            if self.arguments[0] == "ingest":  # tags depend on what was there when they were given
                given = (b"XAUTO", b"XTAGGED", b"XUNTAGGED")
                terms = [term for term in terms if not term[0].startswith(given)]
                values = []
            documents.append((terms, values, document.get_data()))
        documents.sort()
        state = {"documents": documents}
        if os.path.exists(os.path.join(self.database, "kindred.som")):
            state["map"] = re.sub(r'"(training_seconds|map_revision)": ?[\d.e+-]+', "",
                                  json.dumps(self.ask("topics", "show")))
        if os.path.exists(os.path.join(self.database, "kindred.tuning")):
            state["tuning"] = self.ask("status")[0]["tuning"]
        leftovers = [name for _, _, names in os.walk(self.database)
                     for name in names if ".new" in name]
        expect(not leftovers, "left behind: %s" % leftovers)
        return state


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="kindred-kills-")
    path = lambda name: os.path.join(folder, name)
    for name, text in (("settings.toml", SETTINGS), ("saving.toml", SAVING)):
        with open(path(name), "w", encoding="utf-8") as out:
            out.write(text)
    write_records(path("labeled.jsonl"), 0, 200, True)
    write_records(path("unlabeled.jsonl"), 200, 350, False)
    program = os.path.abspath(options.program)

    def index(database, *files):
        subprocess.run([program, "index", "--db", database, "--config", path("settings.toml"),
                        *map(path, files)], check=True, stdout=subprocess.DEVNULL)

    both = lambda database: index(database, "labeled.jsonl", "unlabeled.jsonl")
    labeled = lambda database: index(database, "labeled.jsonl")
    ingest = ["ingest", path("unlabeled.jsonl")]
    train = ["topics", "train", "--rows", "6", "--columns", "6"]

    def mapped(database):
        both(database)
        subprocess.run([program, *train, "--db", database, "--config", path("settings.toml")],
                       check=True, stdout=subprocess.DEVNULL)

    attacks = [("ingest", ingest, labeled),
               ("tag", ["tag", "--all"], both),
               ("topics", train, both),
               ("tune", ["tune"], labeled),
               ("mirror", ["mirror"], both),
               ("ingest, shards", ingest, labeled, SHARDS),
               ("tag, shards", ["tag", "--all"], both, SHARDS),
               ("assign, shards", ["topics", "assign"], mapped, SHARDS),
               ("related, shards", ["related", "--all", "--store"], both, SHARDS),
               ("mirror, shards", ["mirror"], both, SHARDS)]
    draw = random.Random(options.seed)
    moment = None
    try:
        for name, *how in attacks:
            attack = Attack(program, folder, name, *how)
            running = 0
            for _ in range(options.kills):
                moment = draw.random() * attack.seconds
                running += attack.kill_once(moment)
            print("%s: %d kills, %d of them while it ran (%.2f s)" %
                  (name, options.kills, running, attack.seconds), flush=True)
        shutil.rmtree(folder)
    except Wrong as wrong:
        print("FAILED: %s, killed after %s s, left in %s: %s" % (name, moment, folder, wrong))
        sys.exit(1)


if __name__ == "__main__":
    main()
