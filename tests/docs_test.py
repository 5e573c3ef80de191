#!/usr/bin/env python3
"""Checks that every relative link of the documents leads to a file and an anchor that exist, that
their prose wraps at 100 columns (tables, code and long links may be longer), and that those which say
where Kindred runs name the same systems.

usage: docs_test.py SOURCE_DIR
"""
import os
import re
import sys
from pathlib import Path

WIDTH = 100


def lines_of(page):
    """(number, line, whether it is code) of a page."""
    fenced = False
    for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), 1):
        if line.startswith("```"):
            fenced = not fenced
        else:
            yield number, line, fenced or line.startswith("    ")


def anchors_of(page):
    """The names that a web host gives to the headings of a page."""
    seen, anchors = {}, set()
    for _, line, is_code in lines_of(page):
        heading = re.match(r"#+ (.*)", line)
        if is_code or not heading:
            continue
        text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[1]).strip().lower().replace("`", "")
        name = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
        again = seen.get(name, 0)
        seen[name] = again + 1
        anchors.add(name if again == 0 else "%s-%d" % (name, again))
    return anchors


def link_faults(page):
    text = "\n".join(re.sub(r"`[^`]*`", "`", line)
                     for _, line, is_code in lines_of(page) if not is_code)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"\w+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = Path(os.path.normpath(page.parent / path)) if path else page
        if not target.exists():
            yield "%s: nothing at %s" % (page, link)
        elif anchor and anchor not in anchors_of(target):
            yield "%s: no such heading: %s" % (page, link)


def width_faults(page):
    for number, line, is_code in lines_of(page):
        may_be_long = is_code or line.startswith("|") or re.search(r"https?://|^!?\[[^\]]*\]\(", line)
        if len(line) > WIDTH and not may_be_long:
            yield "%s:%d: %d columns" % (page, number, len(line))


def system_faults(top):
    said = {page: set(re.findall(r"\b(?:1[2-9]|2\d\.\d\d)\b", line))
            for page in ("README.md", "docs/when-not-to-use-it.md")
            for line in (top / page).read_text(encoding="utf-8").split("\n") if "Debian 12" in line}
    if len({frozenset(releases) for releases in said.values()}) != 1:
        yield "releases of Debian and Ubuntu differ: %s" % said


def main():
    top = Path(sys.argv[1])
    pages = [top / "README.md", top / "CONTRIBUTING.md", *top.glob("docs/**/*.md"),
             *top.glob("examples/**/*.md"), *top.glob("tests/**/*.md")]
    faults = [fault for page in sorted(pages) for fault in (*link_faults(page), *width_faults(page))]
    faults += system_faults(top)
    print("\n".join(faults) or "%d pages" % len(pages))
    sys.exit(1 if faults else 0)


main()
