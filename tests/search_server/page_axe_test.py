#!/usr/bin/env python3
"""Whether axe-core finds faults of accessibility in the pages of the search server: none. Skipped
where npm cannot install axe-core.

usage: page_axe_test.py KINDRED_SERVER LIBKINDRED DATA_DIR WORK_DIR
"""
import pathlib
import shutil
import subprocess
import sys

from page_site import PAGES, SIZES, PageTest, main


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


def axe_source(work):
    """The script of axe-core, as package-lock.json beside this file names and checks it."""
    if not shutil.which("npm"):
        skip("npm is not installed")
    work.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(pathlib.Path(__file__).parent / "axe" / name, work)
    script = work / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=work,
                              capture_output=True, text=True)
        if done.returncode != 0:
            skip("npm cannot install axe-core: " + done.stderr.strip()[-200:])
    return script.read_text(encoding="utf-8")


class Accessibility(PageTest):
    source = ""

    def findings(self):
        self.ask(f"(() => {{ {self.source}; }})()")
        return self.ask("axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations"
                        ".map((v) => [v.impact, v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html)]))")

    def test_axe_finds_nothing(self):
        for target in PAGES:
            for size in SIZES:
                for scheme in ("light", "dark"):
                    with self.subTest(target, size=size, scheme=scheme):
                        self.open(target, size, scheme)
                        self.assertEqual(self.findings(), [])

    def test_axe_finds_nothing_in_what_opens(self):
        self.open("/document?id=moon-1")
        self.click("button.edit")
        self.click("details.reason summary")
        self.click(".chips .remove")
        self.until("document.querySelector('.toast') !== null")
        self.assertEqual(self.findings(), [])
        self.ask("document.getElementById('sign-in').showModal()")
        self.assertEqual(self.findings(), [])


if __name__ == "__main__":
    Accessibility.source = axe_source(pathlib.Path(sys.argv.pop(4)))
    main()
