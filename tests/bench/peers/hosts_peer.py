#!/usr/bin/env python3
"""Ten related documents in Omega and in Django: their own way, and Kindred's, on the same documents.

    hosts_peer.py KINDRED LIBKINDRED CORPUS.jsonl.gz [--questions N] [--omega PROGRAM]

CORPUS has records {"id", "title", "text", "labels"} (docs/hosts has figures). Labels are not
indexed as features; they only tell which results are good: those that share a label with the
document that asks. Prints for each way that share, and the median time of the processor for a
question, in this process and in those that it starts.
"""
import argparse
import gzip
import json
import os
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
HOSTS = HERE.parents[2] / "examples/hosts"
SITE = HERE.parents[1] / "integration/hosts"
sys.path[:0] = [str(SITE), str(HERE.parents[2] / "python"), str(HOSTS / "haystack")]

import kindred  # noqa: E402


def processor_seconds():
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def report(way, asked, records, answer):
    """answer(record) gives the ids of up to ten documents."""
    seconds, shares, found = [], [], []
    for record in asked:
        start = processor_seconds()
        ids = answer(record)
        seconds.append(processor_seconds() - start)
        labels = set(record["labels"])
        found.append(len(ids))
        shares.append(sum(bool(labels & set(records[id_]["labels"])) for id_ in ids) / 10)
    print("%-56s %9.2f ms  %.3f  %4.1f found" % (way, 1000 * statistics.median(seconds),
                                                 statistics.mean(shares), statistics.mean(found)),
          flush=True)


def read_corpus(path):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return {record["id"]: record for record in map(json.loads, lines)}


class Omega:
    """The real omega on an index that Kindred made."""

    def __init__(self, arguments, work):
        self.program = arguments.omega
        self.database = work / "databases/default"
        (work / "databases").mkdir()
        (work / "templates").mkdir()
        (work / "templates/ids").write_text("$hitlist{$field{id}\n}")
        (work / "templates/stored").write_text("$list{$value{7003,$cgi{DOCUMENT}},\n}\n")
        (work / "templates/none").write_text("nothing\n")
        (work / "omega.conf").write_text("database_dir %s/databases\ntemplate_dir %s/templates\n"
                                         "log_dir %s\ncdb_dir %s\n" % (work, work, work, work))
        self.environment = {**os.environ, "OMEGA_CONFIG_FILE": str(work / "omega.conf")}
        for command in (["index", "--db", self.database, self.corpus(arguments, work)],
                        ["related", "--db", self.database, "--all", "--store", "--limit", "10"]):
            subprocess.run([arguments.kindred, *command], check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def corpus(arguments, work):
        path = work / "corpus.jsonl"
        with open(path, "w", encoding="utf-8") as file:
            for record in read_corpus(arguments.corpus).values():
                file.write(json.dumps(record) + "\n")
        return path

    def lines(self, *parameters):
        answer = subprocess.run([self.program, *parameters], env=self.environment, check=True,
                                stdout=subprocess.PIPE).stdout.decode()
        return [line for line in answer.partition("\n\n")[2].splitlines() if line]


def measure_omega(arguments, records, asked):
    with tempfile.TemporaryDirectory() as folder:
        omega = Omega(arguments, pathlib.Path(folder))
        docids = {id_: number for number, id_ in enumerate(records, 1)}
        with kindred.open(omega.database, library=arguments.library) as database:
            def by_kindred(record):
                return [found.id for found in database.related(kindred.Id(record["id"]))]

            def by_omega(record):
                found = omega.lines("FMT=ids", "HITSPERPAGE=11", "MORELIKE=%d" % docids[record["id"]])
                return [id_ for id_ in found if id_ != record["id"]][:10]

            def stored(record):
                return omega.lines("FMT=stored", "DOCUMENT=%d" % docids[record["id"]])

            report("Omega, MORELIKE, a request by CGI", asked, records, by_omega)
            report("Omega, Kindred's as stored, a request by CGI", asked, records, stored)
            report("Omega, a request that asks nothing", asked, records,
                   lambda record: omega.lines("FMT=none") and [])
            report("Kindred, a call of the library", asked, records, by_kindred)


def make_site(arguments, folder, records):
    """Django with the records as notes, in an index of xapian-haystack; returns {id: note}."""
    import django
    from django.conf import settings
    settings.configure(
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": ":memory:"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField", SECRET_KEY="bench",
        INSTALLED_APPS=["haystack", "haystack_site"],
        HAYSTACK_CONNECTIONS={
            "default": {"ENGINE": "kindred_haystack.KindredEngine", "PATH": folder + "/index",
                        "KINDRED_LIBRARY": arguments.library},
            "own": {"ENGINE": "xapian_backend.XapianEngine", "PATH": folder + "/index"}})
    django.setup()
    from django.core.management import call_command
    from haystack_site.models import Note
    call_command("migrate", run_syncdb=True, verbosity=0)
    Note.objects.bulk_create(Note(name=record["id"], title=record["title"][:200],
                                  text=record["text"]) for record in records.values())
    call_command("rebuild_index", interactive=False, verbosity=0, using=["own"], batchsize=5000)
    return {note.name: note for note in Note.objects.all()}


def measure_haystack(arguments, records, asked):
    with tempfile.TemporaryDirectory() as folder:
        notes = make_site(arguments, folder, records)
        names = {note.pk: name for name, note in notes.items()}
        from haystack import connections
        from haystack.query import SearchQuerySet

        def way(using):
            return lambda record: [names[int(result.pk)] for result in
                                   SearchQuerySet(using=using).more_like_this(
                                       notes[record["id"]])[:10]]

        way("default")(asked[0])  # the first question reads the index
        few = asked[:max(1, len(asked) // 10)]
        report("Haystack, its own more_like_this()[:10], %d questions" % len(few), few, records,
               way("own"))
        backend = connections["own"].get_backend()
        report("Haystack, its own backend, asked for ten, the same", few, records,
               lambda record: [names[int(result.pk)] for result in backend.more_like_this(
                   notes[record["id"]], end_offset=10)["results"]])
        report("Haystack, Kindred's more_like_this()[:10], the same", few, records, way("default"))
        report("Haystack, Kindred's more_like_this()[:10], all", asked, records, way("default"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kindred")
    parser.add_argument("library")
    parser.add_argument("corpus")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--omega", default="/usr/lib/cgi-bin/omega/omega")
    arguments = parser.parse_args()
    records = read_corpus(arguments.corpus)
    asked = random.Random(1).sample(sorted(records.values(), key=lambda record: record["id"]),
                                    arguments.questions)
    print("%d documents, %d questions; median time of the processor, share of ten with a label in "
          "common" % (len(records), len(asked)))
    measure_omega(arguments, records, asked)
    measure_haystack(arguments, records, asked)


main()
