#!/usr/bin/env python3
"""Runs the commands of pages, and compares what they print with what the pages show.

A command stands in an indented block, after "$ ", up to the line that closes its last quote. What
follows it up to the next one is its output, with that of errors. There, [...] stands for anything,
as a line for any lines, and seconds may differ. Each page has a folder of its own, with copies of
tests/data; the commands of a page follow each other.

usage: doc_examples_test.py KINDRED PAGE...
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"


def has_open_quote(command):
    try:
        shlex.split(command)
    except ValueError:
        return True
    return False


def examples_of(page):
    """(line, command, output) of each command of a page."""
    found, is_open = [], False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("    $ "):
            found.append([number, line[6:], ""])
            is_open = True
        elif is_open and has_open_quote(found[-1][1]):
            found[-1][1] += "\n" + line[4:]
        elif is_open and line.startswith("    "):
            found[-1][2] += line[4:] + "\n"
        elif is_open and not line:
            found[-1][2] += "\n"
        else:
            is_open = False
    return found


def pattern_of(shown):
    """The expression that matches an output as a page shows it."""
    pattern = re.escape(re.sub(r"\d+\.\d+ s\b", "SECONDS", shown.strip("\n")))
    pattern = pattern.replace(re.escape("[...]"), ".*").replace("SECONDS", r"\d+\.\d+ s")
    return re.compile(pattern, re.DOTALL)


def main():
    program, pages = Path(sys.argv[1]).resolve(), [Path(page).resolve() for page in sys.argv[2:]]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("KINDRED_")}
    environment.update(PATH="%s:%s" % (program.parent, os.environ["PATH"]), LC_ALL="C.UTF-8")
    failed = tried = 0
    for page in pages:
        with tempfile.TemporaryDirectory() as folder:
            for file in DATA.iterdir():
                shutil.copy(file, folder)
            for number, command, shown in examples_of(page):
                run = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True,
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.STDOUT)
                tried += 1
                if not pattern_of(shown).fullmatch(run.stdout.strip("\n")):
                    failed += 1
                    print("%s:%d: %s\n--- shown\n%s--- printed\n%s" % (page, number, command, shown, run.stdout))
    print("%d examples, %d failed" % (tried, failed))
    sys.exit(failed > 0 or tried == 0)


main()
