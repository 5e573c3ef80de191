#!/usr/bin/env python3
"""Says when a part of the tree outgrows its ratchet.

A ratchet is no aim, and has air above what is there: it makes growth a decision. Whoever needs more
raises it in the same commit and says there why. Code is what is neither blank nor comment, so that
paragraphs and comments cost nothing.

usage: sizes_test.py SOURCE_DIR
"""

import os
import pathlib
import re
import sys

LIBRARY = ("config", "analyzer", "gpu", "plugin")
SOURCES = (".h", ".hpp", ".c", ".cpp", ".cu", ".cuh")


def files(folders, endings):
    return [path for folder in folders for path in sorted(pathlib.Path(folder).rglob("*"))
            if path.suffix in endings and path.is_file()]


def code(paths):
    """Lines that are neither blank nor comment."""
    count = 0
    for path in paths:
        text = path.read_text(errors="replace")
        mark = "#"
        if path.suffix in SOURCES:
            text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
            mark = "//"
        lines = (line.strip() for line in text.split("\n"))
        count += sum(bool(line) and not line.startswith(mark) for line in lines)
    return count


def lines(paths):
    return sum(path.read_text().count("\n") for path in paths)


def words(paths):
    return sum(len(path.read_text().split()) for path in paths)


def documents():
    """All pages; those of tests and of builds are for others."""
    skipped = {"tests", "build", "shared"}
    return [path for path in sorted(pathlib.Path().rglob("*.md"))
            if path.parts[0] not in skipped and not path.parts[0].startswith(".")]


def named_under(heading):
    """How many files the entry of docs/architecture.md with this heading names."""
    text = pathlib.Path("docs/architecture.md").read_text()
    entry = re.search(rf"^### {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.DOTALL | re.MULTILINE)
    if not entry:
        sys.exit(f"docs/architecture.md: no entry '{heading}'")
    return len(set(re.findall(r"[a-z_]+\.(?:md|h|cpp|txt|tsv|toml)\b", entry.group(1))))


def main():
    status = 0

    def at_most(ratchet, what, size):
        nonlocal status
        if size > ratchet:
            print(f"{size} {what}, the ratchet is at {ratchet}: "
                  "take something out, or raise it and say why in the commit")
            status = 1

    at_most(60_400, "lines of code of the library", code(files(LIBRARY, SOURCES)))
    at_most(42_900, "lines of code of tests", code(files(["tests"], (*SOURCES, ".py", ".sh"))))
    at_most(5_850, "lines of code of the search server",
            code(files(["examples/search_server"], (".h", ".cpp", ".js", ".css", ".html"))))
    at_most(700, "lines of code of kindred-imap",
            code([pathlib.Path("examples/hosts/imap/kindred-imap")]))
    at_most(480, "lines of the C headers", lines(pathlib.Path("plugin").glob("kindred*.h")))
    settings = re.findall(r"^[a-z_]+ *=", pathlib.Path("config/kindred.toml").read_text(), re.MULTILINE)
    at_most(85, "settings", len(settings))
    at_most(34_000, "words of documents", words(documents()))
    at_most(2_700, "words of docs/architecture.md", words([pathlib.Path("docs/architecture.md")]))
    at_most(5_150, "words of docs/scoring.md", words([pathlib.Path("docs/scoring.md")]))
    at_most(5, 'files that "Add a vote" names', named_under("Add a vote"))
    at_most(2, 'files that "Add a key of an answer" names', named_under("Add a key of an answer"))
    at_most(2, 'files that "Add an option" names', named_under("Add an option"))
    at_most(3, 'files that "Add a question" names', named_under("Add a question"))
    at_most(3, 'files that "Add a subcommand" names', named_under("Add a subcommand"))
    return status


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.chdir(sys.argv[1])
    sys.exit(main())
