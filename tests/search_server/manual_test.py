#!/usr/bin/env python3
"""Whether the man page of kindred-server and its completions have the options of its --help: all of
them, and no others.

usage: manual_test.py SERVER
"""
import pathlib
import re
import shutil
import subprocess
import sys

DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "examples/search_server/deploy"


def run(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert not done.stderr, done.stderr
    return done.stdout


def options(text, pattern):
    return set(re.findall(pattern, text, re.M))


def main():
    said = run(sys.argv[1], "--help")
    parsed = options(said, r"^  (?:-\w,)?(--[-a-z]+)")
    assert len(parsed) > 8, said
    page = (DEPLOY / "kindred-server.1").read_text(encoding="utf-8").replace("\\-", "-").replace("\\fR", "")
    asked = page.split(".SH OPTIONS")[1].split(".SH ")[0]
    found = {"the man page": options(asked, r"^\\fB(?:-h, \\fB)?(--[-a-z]+)")}
    folder = DEPLOY / "completion"
    found["bash"] = set(run("bash", "-c", f"source {folder}/kindred-server; COMP_WORDS=(kindred-server --) COMP_CWORD=1; "
                            "_kindred_server; printf '%s\\n' \"${COMPREPLY[@]}\"").split())
    zsh = (folder / "_kindred-server").read_text(encoding="utf-8")
    found["zsh"] = options(zsh, r"^  '(?:\(-h --help\)'\{-h,)?(--[-a-z]+)")
    if shutil.which("zsh"):
        run("zsh", "-n", folder / "_kindred-server")
    if shutil.which("fish"):
        lines = run("fish", "--no-config", "-c", f"source {folder}/kindred-server.fish; complete -C 'kindred-server --'")
        found["fish"] = {line.split("\t")[0] for line in lines.splitlines()}
    for where, these in found.items():
        assert these == parsed, f"{where}: {sorted(these ^ parsed)} are in one of the two only"
    levels = "debug, info, warning, error or off"
    assert levels in said and levels.replace(" or", ",") in asked and levels.replace(" or", "").replace(",", "") in zsh


if __name__ == "__main__":
    main()
