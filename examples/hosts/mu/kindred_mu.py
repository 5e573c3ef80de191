#!/usr/bin/env python3
"""Tags new mail of mu by what similar mail is tagged with: as auto/LABEL, in the header X-Keywords.

    kindred_mu.py                   new mail; to be run after 'mu index'
    kindred_mu.py --query QUERY     mail that a search of mu finds, old mail too
    kindred_mu.py --dry-run         print what would change, and change nothing
    kindred_mu.py --no-add          print the files that changed, and leave it to the caller that mu
                                    reads them again (mu4e holds the database while it runs)

Kindred only reads the database. Mails are changed as mu4e's own command for tags changes them, and
mu reads them again. A tag that somebody takes off stays off. docs/hosts/mu.md is the guide. Exit
status: 0, or 1 with a message on standard error.
"""
import argparse
import fcntl
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

AUTO = "auto/"
KINDRED = os.environ.get("KINDRED", "kindred")
HEADER = re.compile(rb"^x-keywords:[^\n]*\n(?:[ \t][^\n]*\n)*", re.IGNORECASE | re.MULTILINE)
SETTINGS = """\
# Settings of Kindred for tagging mail; /etc/kindred/kindred.toml and others are not read.
[index]
directory = {folder}
[mirror]
save = "close"    # the next run reads only what has changed
directory = {folder}
"""


class State:
    """What was given to which mail, and what was taken off it. A mail without a row is new."""

    def __init__(self, folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        self.settings = os.path.join(folder, "settings.toml")
        if not os.path.exists(self.settings):
            with open(self.settings, "w", encoding="utf-8") as file:
                file.write(SETTINGS.format(folder=json.dumps(folder)))
        self.rows = sqlite3.connect(os.path.join(folder, "state.sqlite"))
        self.rows.execute("CREATE TABLE IF NOT EXISTS mail"
                          " (id TEXT PRIMARY KEY, given TEXT, refused TEXT)")
        self.is_first = self.rows.execute("SELECT count(*) FROM mail").fetchone() == (0,)

    def mail(self, id_):
        """(given, refused), two sets; None if the mail is new."""
        row = self.rows.execute("SELECT given, refused FROM mail WHERE id = ?", (id_,)).fetchone()
        return row and tuple(set(json.loads(labels)) for labels in row)

    def set_mail(self, id_, given, refused):
        self.rows.execute("REPLACE INTO mail VALUES (?, ?, ?)",
                          (id_, json.dumps(sorted(given)), json.dumps(sorted(refused))))


class Mail:
    """A mail as 'mu find --format=json' has it."""

    def __init__(self, found):
        self.id, self.path = found.get(":message-id", ""), found[":path"]
        tags = found.get(":tags") or []
        self.auto = {tag[len(AUTO):] for tag in tags if tag.startswith(AUTO)}
        self.is_tagged = any(not tag.startswith(AUTO) for tag in tags)

    def write(self, labels):
        """Gives it these auto/ tags instead of those that it has, beside its own tags."""
        with open(self.path, "rb") as file:
            head, gap, body = file.read().partition(b"\n\n")
        head += b"\n"
        if b"\r" in head or not gap:
            raise OSError("%s: expected a mail with lines that end in a newline" % self.path)
        header = HEADER.search(head)
        words = header[0].decode("utf-8", "surrogateescape").split(":", 1)[1] if header else ""
        tags = [tag.strip() for tag in words.split(",")]
        tags = [tag for tag in tags if tag and not tag.startswith(AUTO)]
        tags += [AUTO + label for label in sorted(labels)]
        line = "X-Keywords: %s\n" % ", ".join(tags) if tags else ""
        head = HEADER.sub(b"", head) + line.encode("utf-8", "surrogateescape")
        mode = os.stat(self.path).st_mode & 0o777
        folder = os.path.join(os.path.dirname(os.path.dirname(self.path)), "tmp")
        with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
            file.write(head + b"\n" + body)
        os.chmod(file.name, mode)
        os.replace(file.name, self.path)


def find(home, query):
    """The mail that a search of mu finds."""
    answer = subprocess.run(["mu", "find", "--muhome=" + home, "--format=json", query],
                            check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if answer.returncode not in (0, 2, 4):  # 2 and 4: nothing matches
        sys.exit("kindred: mu find: " + answer.stderr.decode("utf-8", "replace"))
    return [Mail(found) for found in json.loads(answer.stdout or b"[]")]


def predictions(database, settings, mails):
    """[(mail, labels)]. One process answers for all."""
    if not mails:
        return []
    answer = subprocess.run(
        [KINDRED, "classify", "--db", database, "--config", settings, "--ids-from", "-", "--json"],
        check=False, stdout=subprocess.PIPE,
        input="".join("msgid:%s\n" % mail.id for mail in mails).encode("utf-8", "surrogateescape"))
    lines = [json.loads(line) for line in answer.stdout.splitlines()]
    if len(lines) != len(mails):
        sys.exit("kindred classify: expected %d answers, got %d" % (len(mails), len(lines)))
    return [(mail, {tag["label"] for tag in line["tags"] if "," not in tag["label"]})
            for mail, line in zip(mails, lines) if "error" not in line]


def changes(state, database, mails, is_asked):
    """[(mail, labels)] of the mails whose auto/ tags are to change. Brings the state up to date."""
    wanted, untagged = [], []
    for mail in mails:
        given, refused = state.mail(mail.id) or (set(), set())
        refused = (refused | given) - mail.auto if state.mail(mail.id) else refused
        is_new = state.mail(mail.id) is None and not state.is_first and not mail.auto
        state.set_mail(mail.id, mail.auto, refused)
        if mail.is_tagged:  # tags of people override guesses
            wanted.append((mail, set()))
        elif is_new or is_asked:
            untagged.append(mail)
    for mail, labels in predictions(database, state.settings, untagged):
        wanted.append((mail, labels - state.mail(mail.id)[1]))
    return [(mail, labels) for mail, labels in wanted if labels != mail.auto]


def tag_mail(arguments, folder):
    database = os.path.join(arguments.muhome, "xapian")
    if not os.path.isdir(database):
        sys.exit("kindred: mu has no database in %s: run 'mu init' and 'mu index' first" % database)
    state = State(folder)
    mails = find(arguments.muhome, arguments.query)
    if state.is_first and not arguments.query:
        print("kindred: mail that comes from now on is tagged", file=sys.stderr)
    changed = changes(state, database, mails, arguments.query != "")
    for mail, labels in changed:
        if arguments.dry_run:
            print("X-Keywords: %s  %s" % (", ".join(AUTO + label for label in sorted(labels)),
                                          mail.path))
            continue
        mail.write(labels)
        refused = state.mail(mail.id)[1]
        state.set_mail(mail.id, labels, refused)
        if arguments.no_add:
            print(mail.path)
    if arguments.dry_run:
        return
    if changed and not arguments.no_add:
        subprocess.run(["mu", "add", "--muhome=" + arguments.muhome]
                       + [mail.path for mail, _ in changed], check=True, stdout=subprocess.DEVNULL)
    state.rows.commit()


def main():
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--muhome", default=os.path.join(cache, "mu"), help="as of mu itself")
    parser.add_argument("--query", default="", help="mail that this search of mu finds")
    parser.add_argument("--dry-run", action="store_true", help="print what would change")
    parser.add_argument("--no-add", action="store_true", help="print what mu is to read again")
    arguments = parser.parse_args()
    folder = os.path.join(data, "kindred-mu")
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        with open(os.path.join(folder, "lock"), "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            tag_mail(arguments, folder)
    except subprocess.CalledProcessError as error:
        sys.exit("kindred: %s: exit status %d" % (" ".join(error.cmd[:3]), error.returncode))
    except (OSError, sqlite3.Error) as error:
        sys.exit("kindred: %s" % error)


if __name__ == "__main__":
    main()
