#!/usr/bin/env python3
"""Checks that what documents have of tables of the program is current: the commands in
docs/reference.md, the settings in docs/settings.md, the questions in docs/json.md, each between the
lines <!-- NAME --> and <!-- end -->, and the names of the questions in plugin/kindred.h. And that
commands and options in the code of all pages exist.

usage: doc_tables_test.py KINDRED SOURCE_DIR [--write]     --write: makes them anew
"""
import re
import subprocess
import sys
import textwrap
from pathlib import Path


def table(*rows):
    return "".join("| %s |\n" % " | ".join(cell.replace("|", "\\|") for cell in row) for row in rows)


def commands_of(program, *path):
    """(command, what it does) as help lists them, those below a command in its place."""
    text = subprocess.run([program, "help", *path], check=True, capture_output=True, text=True).stdout
    listed = re.search(r"^Subcommands:\n((?:  .*\n)*)", text, re.MULTILINE)
    for name, sentence in re.findall(r"^  (\S+) +(.*(?:\n {10,}.*)*)", listed[1], re.MULTILINE):
        below = []
        if name in ("label", "topics"):
            below = list(commands_of(program, *path, name))
        yield from below or [(" ".join([*path, name]), re.sub(r"\s+", " ", sentence))]


def commands(program, _):
    rows = [("`%s`" % name, sentence) for name, sentence in commands_of(program)]
    return table(("command", "what it does"), ("---", "---"), *rows)


def first_sentence(comment):
    """The first sentence of a comment; of a long one, up to a colon or comma if that says enough."""
    sentence = re.split(r"(?<=[\w\")])\.(?: |$)", comment)[0].split(";")[0]
    for mark in (": ", ", "):
        places = [match.start() for match in re.finditer(mark, sentence)]
        enough = [place for place in places if len(sentence[:place].split()) > 4]
        if enough and (mark == ": " or len(sentence.split()) > 12):
            sentence = sentence[:enough[0]]
    return sentence


def settings(_, source):
    rows, section, comment, open_list = [], "", [], None
    for line in (source / "config/kindred.toml").read_text(encoding="utf-8").split("\n"):
        key = re.match(r"([a-z_]+) = (.*)", line)
        if line.startswith("["):
            section, comment = line.strip("[]"), []
        elif line.startswith("#"):
            comment.append(line.lstrip("# "))
        elif key:
            default = "[...]" if key[2] == "[" else key[2]
            if comment:
                meaning = first_sentence(" ".join(comment))
                rows.append(["`%s.%s`" % (section, key[1]), "`%s`" % default, meaning])
            else:  # what the one above says is about both
                rows[-1][0] += ", `%s`" % key[1]
                rows[-1][1] += ", `%s`" % default
            comment = []
        elif not line:
            comment = []
    return table(("setting", "default", "meaning"), ("---", "---", "---"), *rows)


def questions_of(source):
    """(question, what it does) in the order of their table."""
    text = (source / "plugin/ask/questions.txt").read_text(encoding="utf-8")
    return re.findall(r"^question (\w+)(?:, \w+)?: (.*)", text, re.MULTILINE)


def questions(_, source):
    rows = [("`%s`" % name, sentence) for name, sentence in questions_of(source)]
    return table(("question", "what it does"), ("---", "---"), *rows)


def question_names(_, source):
    """As lines of a comment in C."""
    names = ", ".join(name for name, _ in questions_of(source))
    return "".join(" *   %s\n" % line for line in textwrap.wrap(names, 95))


def command_faults(program, source):
    """Where a page shows a command or an option that the program does not have."""
    options = {}
    for name, _ in commands_of(program):
        text = subprocess.run([program, "help", *name.split()], check=True, capture_output=True, text=True)
        options[name] = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", text.stdout))
    for page in (source / "README.md", *source.glob("docs/**/*.md"), *source.glob("examples/**/*.md")):
        code = re.sub(r"\\\n *", " ", page.read_text(encoding="utf-8"))
        for line in re.findall(r"^ {4}.*$", code, re.MULTILINE):
            for shown in re.findall(r"(?:^ +|[|&;$] |www-data  )kindred ([a-z][^|&;#>]*)", line):
                words = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", shown).split()
                name = next((name for name in (" ".join(words[:2]), words[0]) if name in options), None)
                if name is None:
                    yield "%s: there is no command: kindred %s" % (page, shown)
                for word in words if name else ():
                    if word.startswith("-") and word.split("=")[0] not in options[name] | {"-"}:
                        yield "%s: kindred %s has no %s" % (page, name, word)


# What is made, and where it stands: behind one text, and before another.
MADE = (("docs/reference.md", "<!-- commands -->\n\n", "\n<!-- end -->", commands),
        ("docs/settings.md", "<!-- settings -->\n\n", "\n<!-- end -->", settings),
        ("docs/json.md", "<!-- questions -->\n\n", "\n<!-- end -->", questions),
        ("plugin/kindred.h", "docs/json.md has all of them, and what follows is about each:\n *\n",
         " *\n", question_names))


def main():
    program, source = sys.argv[1], Path(sys.argv[2])
    faults = list(command_faults(program, source))
    print("\n".join(faults), end="\n" if faults else "")
    stale = 0
    for name, before, behind, make in MADE:
        page = source / name
        text = page.read_text(encoding="utf-8")
        made = before + make(program, source) + behind
        current, found = re.subn(re.escape(before) + ".*?" + re.escape(behind), lambda _: made, text,
                                 flags=re.DOTALL)
        if found != 1:
            sys.exit("%s: expected one place between %r and %r" % (page, before, behind))
        if current != text:
            stale += 1
            print("%s is not current: cmake --build BUILD --target write_made_files" % page)
            if "--write" in sys.argv:
                page.write_text(current, encoding="utf-8")
    sys.exit(len(faults) > 0 or (stale > 0 and "--write" not in sys.argv))


main()
