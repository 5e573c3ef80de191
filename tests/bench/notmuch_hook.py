#!/usr/bin/env python3
"""The hook of notmuch on a real job: the mail of a corpus that is for training is there and tagged,
then the rest arrives, a day's mail and all at once.

    notmuch_hook.py KINDRED CORPUS.jsonl.gz [--day N]

CORPUS has records {"id", "title", "text", "labels", "split"}, such as 20 Newsgroups by date
(docs/hosts/notmuch.md has figures). Prints seconds, and how many of the auto/ tags are right.
"""
import argparse
import gzip
import json
import os
import pathlib
import subprocess
import tempfile
import time
import urllib.parse

GLUE = pathlib.Path(__file__).resolve().parents[2] / "examples/hosts/notmuch"


def notmuch(*arguments, text=None):
    return subprocess.run(("notmuch",) + arguments, input=text, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def timed(what, action):
    start = time.monotonic()
    result = action()
    print("%7.2f s  %s" % (time.monotonic() - start, what), flush=True)
    return result


def message_id(record):
    return urllib.parse.quote(record["id"], safe="") + "@example.org"


def deliver(records, folder):
    """Writes mail, without the tags."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, record in enumerate(records):
        subject = " ".join(record["title"].split())
        (folder / ("%d:2," % number)).write_text(
            "From: Nobody <nobody@example.org>\nDate: Sat, 01 Jan 2022 00:00:00 +0000\n"
            "MIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\n"
            "Content-Transfer-Encoding: 8bit\nMessage-ID: <%s>\nSubject: %s\n\n%s\n"
            % (message_id(record), subject, record["text"]), encoding="utf-8")


def score(records):
    """Prints how many mails got tags, and how many of the tags are right."""
    tags = {}
    for line in notmuch("dump", "--format=batch-tag", "--include=tags").splitlines():
        given, _, id_ = line.partition(" -- id:")
        names = [urllib.parse.unquote(tag) for tag in given.split()]
        tags[id_] = {name[len("+auto/"):] for name in names if name.startswith("+auto/")}
    given = [(record["labels"], tags[message_id(record)]) for record in records]
    right = sum(len(labels & set(truth)) for truth, labels in given)
    total = sum(len(labels) for _, labels in given)
    print("%d mails: %d have tags; %d of %d tags are right (%.3f), of %d that people gave (%.3f)"
          % (len(given), sum(bool(labels) for _, labels in given), right, total, right / total,
             sum(len(truth) for truth, _ in given), right / sum(len(truth) for truth, _ in given)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kindred")
    parser.add_argument("corpus")
    parser.add_argument("--day", type=int, default=100, help="mails of the first day")
    arguments = parser.parse_args()
    with gzip.open(arguments.corpus, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    old = [record for record in records if record["split"] == "train"]
    new = [record for record in records if record["split"] == "test"]
    with tempfile.TemporaryDirectory() as work:
        mail = pathlib.Path(work) / "mail"
        config = pathlib.Path(work) / "config"
        config.write_text("[database]\npath=%s\n[user]\nname=Nobody\n"
                          "primary_email=nobody@example.org\n[new]\ntags=new\n" % mail)
        os.environ.update(NOTMUCH_CONFIG=str(config), HOME=work, XDG_CONFIG_HOME=work,
                          KINDRED=os.path.abspath(arguments.kindred))
        deliver(old, mail / "old" / "cur")
        timed("notmuch new, %d mails" % len(old), lambda: notmuch("new", "--quiet"))
        notmuch("tag", "--batch", text="".join(
            "-new %s -- id:%s\n" % (" ".join("+" + urllib.parse.quote(label) for label in
                                             record["labels"]), message_id(record))
            for record in old))
        timed("install the hook", lambda: subprocess.run([GLUE / "install.sh"], check=True))
        hook = mail / ".notmuch" / "hooks" / "post-new"
        day = arguments.day
        for name, mails, what in (
                ("day", new[:day], "the hook tunes, and tags %d mails"),
                ("next", new[day:2 * day], "the hook tags %d mails"),
                ("nothing", [], "the hook finds nothing new, %d mails"),
                ("rest", new[2 * day:], "the hook tags %d mails")):
            deliver(mails, mail / name / "cur")
            notmuch("new", "--no-hooks", "--quiet")
            timed(what % len(mails), lambda: subprocess.run([hook], check=True))
        score(new)


if __name__ == "__main__":
    main()
