#!/usr/bin/env python3
"""Whether axe-core finds faults of accessibility in the pages of the search server: none that is
serious or worse. Skipped where npm cannot install axe-core.

usage: page_axe_test.py KINDRED_SERVER LIBKINDRED DATA_DIR WORK_DIR
"""
import http.cookies
import json
import pathlib
import shutil
import subprocess
import sys
import urllib.parse

from page_site import CHROMIUM, PAGES, Browser, PageSite
from running_server import TOKEN

SIZES = {"small": (360, 780), "phone": (390, 844), "desk": (1280, 900)}
# What only who may write sees, by page: without it, the page would be looked at half empty.
CONTROLS = {
    "/": [".person button.remove"],
    "/?q=moon": [".guess button.accept", ".guess button.remove", ".person button.remove"],
    "/document?id=moon-1": [".person button.remove", "[name=add]"],
    "/review": [".decide .accept", ".decide .remove", ".decide [data-keep]"],
    "/label?label=space": [".decide .accept", ".decide .remove"],
    "/explore": [".session button"],
    "/about": [".start button"],
}


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


def sign_in(browser, site):
    form = urllib.parse.urlencode({"token": TOKEN, "next": "/"}).encode()
    answer = site.server.request("POST", "/session", form, token=None,
                                 headers={"Content-Type": "application/x-www-form-urlencoded"})
    for cookie in http.cookies.SimpleCookie(answer.headers["Set-Cookie"]).values():
        browser.call("Network.setCookie", name=cookie.key, value=cookie.value,
                     url=site.address("/"))


def missing_controls(browser, target):
    """Controls of the page that are not there to be touched."""
    return [one for one in CONTROLS.get(target, []) if not browser.ask(
        f"""[...document.querySelectorAll({json.dumps(one)})].some((e) => {{
            const box = e.getBoundingClientRect();
            return e.offsetParent && box.width > 0 && box.left >= 0 &&
                   box.right <= document.documentElement.clientWidth; }})""")]


def findings(browser, source):
    browser.ask(f"(() => {{ {source}; }})()")
    found = browser.ask("axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations"
                        ".map((v) => [v.impact, v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html)]))")
    return [f for f in found if f[0] in ("serious", "critical")], len(found)


def main():
    if not CHROMIUM:
        skip("chromium is not installed")
    program, library, data, work = sys.argv[1:]
    source = axe_source(pathlib.Path(work))
    site, browser, status = PageSite(program, library, data), Browser(CHROMIUM), 0
    try:
        sign_in(browser, site)
        site.server.post("/documents", {"id": "odd", "labels": ["cooking"],
                                        "text": "The rocket reached orbit around the moon"})
        site.server.post("/documents/moon-2/tags", {"remove": ["space"]})
        for target in PAGES:
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    browser.open(site.address(target), width, height, scheme)
                    missing = missing_controls(browser, target)
                    if missing:
                        print("not on the page:", target, size, scheme, missing)
                        status = 1
                    bad, others = findings(browser, source)
                    print(target, size, scheme, f"{len(bad)} serious, {others - len(bad)} lesser")
                    for finding in bad:
                        print("  " + json.dumps(finding))
                        status = 1
    finally:
        browser.close()
        site.close()
    return status


if __name__ == "__main__":
    sys.exit(main())
