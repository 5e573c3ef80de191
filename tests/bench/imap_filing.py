#!/usr/bin/env python3
"""kindred-imap on a real job: mails of a corpus are in folders named after their labels, others come
into the inbox. With a Dovecot of its own.

    imap_filing.py LIBKINDRED CORPUS.jsonl.gz [--old 50] [--new 100] [--split train|test] [--list-id]

CORPUS has records {"id", "title", "text", "labels", "split"}, such as 20 Newsgroups by date
(docs/hosts/imap.md has figures). Of each label the first --old of the split train are old, and new
are the next --new, or the first ones of the split test. Mails have made-up writers, and references
where subjects are the same; no header tells the label unless --list-id. Prints seconds, and how many
mails are filed right.
"""
import argparse
import collections
import gzip
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
from email.message import EmailMessage
from email.policy import SMTP

TOP = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TOP / "tests/integration/hosts"))

from imap_dovecot import Dovecot  # noqa: E402


def mail_of(record, label, has_list_id, threads):
    """threads: {(label, subject): the first Message-ID}"""
    mail = EmailMessage(policy=SMTP)
    mail["From"] = "person%d@example.net" % (int(hashlib.md5(record["id"].encode()).hexdigest(), 16) % 97)
    mail["To"] = "me@example.org"
    mail["Subject"] = " ".join(record["title"].split())[:200]
    mail["Message-ID"] = "<%s@example.org>" % record["id"].replace("/", ".")
    mail["X-Label"] = label
    subject = re.sub(r"^(re: *)+", "", mail["Subject"].lower())
    first = threads.setdefault((label, subject), mail["Message-ID"])
    if first != mail["Message-ID"]:
        mail["References"] = first
    if has_list_id:
        mail["List-Id"] = "<%s.example.org>" % label
    mail.set_content(record["text"], cte="8bit")
    return bytes(mail)


def mails_of(arguments):
    """(label, whether it is new, mail)"""
    seen, threads = collections.Counter(), {}
    for record in map(json.loads, gzip.open(arguments.corpus, "rt", encoding="utf-8")):
        label, split = record["labels"][0], record["split"]
        seen[label, split] += 1
        number = seen[label, split]
        is_old = split == "train" and number <= arguments.old
        begin = arguments.old if arguments.split == "train" else 0
        is_new = split == arguments.split and begin < number <= begin + arguments.new
        if is_old or is_new:
            yield label.replace(".", "-"), not is_old, mail_of(
                record, label, arguments.list_id, threads)


def run(what, *command):
    start = time.monotonic()
    subprocess.run((TOP / "examples/hosts/imap/kindred-imap", *command), check=True,
                   stdout=subprocess.DEVNULL)
    print("%7.2f s  %s" % (time.monotonic() - start, what), flush=True)


def score(client, old, new):
    filed = right = 0
    for line in client.list()[1]:
        folder = re.search(rb'"?([^" ]+)"?$', line)[1].decode()
        if folder != "INBOX" and client.select(folder, readonly=True):
            rows = client.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (X-Label)])")[1]
            labels = [row[1].decode().split()[1].replace(".", "-") for row in rows if isinstance(row, tuple)]
            filed += len(labels) - old[folder]
            right += labels.count(folder) - old[folder]
    print("%d of %d filed, %.1f %% of them right" % (filed, new, 100 * right / max(1, filed)))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("library")
    parser.add_argument("corpus")
    parser.add_argument("--old", type=int, default=50)
    parser.add_argument("--new", type=int, default=100)
    parser.add_argument("--split", default="train")
    parser.add_argument("--list-id", action="store_true")
    parser.add_argument("--confidence", type=float, default=0.95)
    arguments = parser.parse_args()
    os.environ.update(KINDRED_LIBRARY=arguments.library, PYTHONPATH=str(TOP / "python"))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        server = Dovecot(folder + "/dovecot")
        settings = pathlib.Path(folder, "imap.toml")
        settings.write_text('host = "127.0.0.1"\nport = %d\nuser = "me"\ntls = "off"\naction = "file"\n'
                            'password_command = "echo x"\nmin_confidence = %s\ndirectory = "%s/state"\n'
                            % (server.port, arguments.confidence, folder))
        client, old, new = server.client("me"), collections.Counter(), []
        for label, is_new, mail in mails_of(arguments):
            if is_new:
                new.append(mail)
            else:
                client.create(label)
                client.append(label, None, None, mail)
                old[label] += 1
        run("the first run: %d mails in %d folders" % (sum(old.values()), len(old)),
            "--config", settings, "run")
        for mail in new:
            client.append("INBOX", None, None, mail)
        run("%d new mails" % len(new), "--config", settings, "run")
        score(client, old, len(new))
        run("what was filed is read", "--config", settings, "run")
        run("nothing new", "--config", settings, "run")
        server.stop()


if __name__ == "__main__":
    main()
