#!/usr/bin/env python3
"""Tags new mail of notmuch by what similar mail is tagged with: as auto/LABEL, by notmuch itself.

    kindred_notmuch.py                   new mail; what the hook post-new runs
    kindred_notmuch.py --query QUERY     all mail that a search of notmuch finds, old mail too
    kindred_notmuch.py --dry-run         print the lines for 'notmuch tag --batch', and change nothing

Kindred only reads the database, and answers for all mail in one process. An auto/ tag that somebody
takes off stays off. docs/hosts/notmuch.md is the guide. Exit status: 0, or 1 with a message on
standard error.
"""
import argparse
import fcntl
import json
import os
import re
import sqlite3
import subprocess
import sys
import urllib.parse

AUTO = "auto/"
KINDRED = os.environ.get("KINDRED", "kindred")
SETTINGS = """\
# Settings of Kindred for tagging mail; /etc/kindred/kindred.toml and others are not read.
[index]
read_only = true  # the database belongs to notmuch
directory = {folder}
[mirror]
save = "close"    # the next run reads only what has changed
directory = {folder}
"""


def run(*command, text=""):
    """Standard output of a command; its own messages go where those of the hook go."""
    return subprocess.run(command, input=text.encode("utf-8", "surrogateescape"), check=True,
                          stdout=subprocess.PIPE).stdout.decode("utf-8", "surrogateescape")


class Places:
    """Where notmuch keeps its database, and the hook what it needs."""

    def __init__(self):
        top = self.get("database.path")
        hidden = os.path.join(top, ".notmuch", "xapian")
        self.database = hidden if os.path.isdir(hidden) else os.path.join(top, "xapian")
        self.folder = os.path.join(self.get("database.hook_dir"), "kindred")
        self.settings = os.path.join(self.folder, "settings.toml")
        self.state = os.path.join(self.folder, "state.sqlite")
        self.new_tags = set(self.get("new.tags").split("\n")) - {""}
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        if not os.path.exists(self.settings):
            with open(self.settings, "w", encoding="utf-8") as file:
                file.write(SETTINGS.format(folder=json.dumps(self.folder)))

    @staticmethod
    def get(key):
        return run("notmuch", "config", "get", key).rstrip("\n")


class State:
    """What was given to which mail and what was taken off it, and what the database was then.

    A mail without a row was never looked at."""

    def __init__(self, path):
        self.rows = sqlite3.connect(path)
        self.rows.executescript("""
            CREATE TABLE IF NOT EXISTS database (uuid TEXT, revision INTEGER);
            CREATE TABLE IF NOT EXISTS mail (id TEXT PRIMARY KEY, given TEXT, refused TEXT);""")

    def database(self):
        return self.rows.execute("SELECT uuid, revision FROM database").fetchone() or ("", 0)

    def mail(self, id_):
        """(given, refused), two sets; None if the mail was never looked at."""
        row = self.rows.execute("SELECT given, refused FROM mail WHERE id = ?", (id_,)).fetchone()
        return row and tuple(set(json.loads(labels)) for labels in row)

    def set_mail(self, id_, given, refused):
        self.rows.execute("REPLACE INTO mail VALUES (?, ?, ?)",
                          (id_, json.dumps(sorted(given)), json.dumps(sorted(refused))))

    def commit(self, uuid, revision):
        self.rows.execute("DELETE FROM database")
        self.rows.execute("INSERT INTO database VALUES (?, ?)", (uuid, revision))
        self.rows.commit()


class Mail:
    """A mail as a line of 'notmuch dump' has it: '+TAG +TAG -- id:ID'."""

    def __init__(self, line):
        tags, _, self.query = line.partition("-- ")
        tags = {urllib.parse.unquote(tag[1:], errors="surrogateescape") for tag in tags.split()}
        self.id = self.query[len("id:"):]
        if self.id.startswith('"'):
            self.id = self.id[1:-1].replace('""', '"')
        self.auto = {tag[len(AUTO):] for tag in tags if tag.startswith(AUTO)}
        self.others = {tag for tag in tags if not tag.startswith(AUTO)}

    def changed_to(self, labels):
        """The line for 'notmuch tag --batch' that gives it these auto/ tags; "" if it has them."""
        changes = ["+" + encoded(label) for label in sorted(labels - self.auto)]
        changes += ["-" + encoded(label) for label in sorted(self.auto - labels)]
        return " ".join(changes) + " -- " + self.query + "\n" if changes else ""


def encoded(label):
    return urllib.parse.quote(AUTO + label, safe="/+@=.,:", errors="surrogateescape")


def dump(query):
    """The mail that a search finds, one after the other: it may be all there is."""
    lines = run("notmuch", "dump", "--format=batch-tag", "--include=tags", "--", query)
    return (Mail(line) for line in lines.split("\n") if line and not line.startswith("#"))


class LabelTest:
    """Tells tags of people that are labels from those that say in which state a mail is."""

    def __init__(self, places):
        settings = json.loads(run(KINDRED, "settings", "--db", places.database, "--config",
                                  places.settings, "--json"))["toml"]
        found = re.search(r"^system = (\[.*\])$", settings, re.MULTILINE)
        self.system = json.loads(found[1]) if found else []

    def __call__(self, tag):
        return not any(tag.startswith(item[:-1]) if item.endswith("*") else tag == item
                       for item in self.system)


def predictions(places, mails):
    """[(mail, labels)] of the mails that Kindred finds. One process answers for all."""
    if not mails:
        return []
    answer = subprocess.run(
        [KINDRED, "classify", "--db", places.database, "--config", places.settings,
         "--ids-from", "-", "--json"], check=False, stdout=subprocess.PIPE,
        input="".join("id:%s\n" % mail.id for mail in mails).encode("utf-8", "surrogateescape"))
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    if len(lines) != len(mails):  # a mail that has just been deleted has a line, too
        sys.exit("kindred classify: expected %d answers, got %d" % (len(mails), len(lines)))
    return [(mail, {tag["label"] for tag in line["tags"]})
            for mail, line in zip(mails, lines) if "error" not in line]


class Run:
    """One look at the database. `lines` are those for 'notmuch tag --batch'."""

    def __init__(self, places, state):
        self.places, self.state, self.is_label = places, state, LabelTest(places)
        _, self.uuid, self.revision = run("notmuch", "count", "--lastmod", "*").split()
        uuid, revision = state.database()
        self.is_first = uuid == ""
        self.is_same = uuid == self.uuid  # not, if the database was compacted or made anew
        self.changed = "lastmod:%d.." % (revision + 1) if self.is_same else "*"
        self.lines = []

    def notice_changes(self):
        """Learns what people did to mail since the last run. Returns the mail that is new."""
        new = []
        for mail in dump(self.changed):
            seen = self.state.mail(mail.id)
            given, refused = seen or (set(), set())
            if self.is_same:  # a database that was made anew may have lost tags that nobody took off
                refused = refused | (given - mail.auto - mail.others)
            refused = refused - mail.auto
            is_new = self.places.new_tags <= mail.others and not seen and not mail.auto
            if is_new and not self.is_first:
                new.append(mail)
            elif mail.auto and self.has_labels(mail):  # they override guesses
                self.give(mail, set(), refused)
            elif is_new or seen or mail.auto:
                self.give(mail, mail.auto, refused)
        return new

    def has_labels(self, mail):
        return any(map(self.is_label, mail.others))

    def give(self, mail, labels, refused):
        line = mail.changed_to(labels)
        if line:
            self.lines.append(line)
        self.state.set_mail(mail.id, labels, refused)

    def tag(self, mails):
        """Tags mail that has no labels as similar mail is tagged, but for what was taken off."""
        mails = [mail for mail in mails if not self.has_labels(mail)]
        for mail, labels in predictions(self.places, mails):
            _, refused = self.state.mail(mail.id) or (set(), set())
            self.give(mail, labels - refused, refused)

    def finish(self):
        """Writes the tags, then the state: what is in between is found again by the next run."""
        if self.lines:
            run("notmuch", "tag", "--batch", text="".join(self.lines))
        self.state.commit(self.uuid, int(self.revision))


def tag_mail(places, query, dry_run):
    this = Run(places, State(places.state))
    this.tag(this.notice_changes())
    if query:
        this.tag(dump(query))
    elif this.is_first:
        print("kindred: mail that comes from now on is tagged", file=sys.stderr)
    if dry_run:
        sys.stdout.write("".join(this.lines))
    else:
        this.finish()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--query", default="", help="mail that this search of notmuch finds")
    parser.add_argument("--dry-run", action="store_true", help="print what would change")
    arguments = parser.parse_args()
    try:
        places = Places()
        with open(os.path.join(places.folder, "lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two runs of notmuch new may end at once
            tag_mail(places, arguments.query, arguments.dry_run)
    except subprocess.CalledProcessError as error:
        sys.exit("kindred: %s: exit status %d" % (" ".join(error.cmd), error.returncode))
    except FileNotFoundError as error:
        sys.exit("kindred: there is no %s; run install.sh again" % error.filename)
    except (OSError, sqlite3.Error) as error:
        sys.exit("kindred: %s" % error)


if __name__ == "__main__":
    main()
