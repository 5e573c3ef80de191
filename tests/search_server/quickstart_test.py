#!/usr/bin/env python3
"""Whether the quickstart ends with its collection on a page that can be searched in a browser.

usage: quickstart_test.py BUILD
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

from page_site import CHROMIUM, Browser
from running_server import PATIENCE

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_quickstart(build, work):
    """The address that it prints."""
    told = subprocess.run([ROOT / "examples" / "quickstart.sh"], check=True, text=True,
                          stdout=subprocess.PIPE, timeout=10 * PATIENCE,
                          env={**os.environ, "QUICKSTART_BUILD": build, "QUICKSTART_WORK": work})
    return re.search(r"The catalogue is at (\S+)", told.stdout)[1]


def use(browser, address):
    """Searches by typing, follows a result, and looks at its related documents and at the map."""
    def until(expression):
        end = time.monotonic() + PATIENCE
        while not browser.ask(expression):
            assert time.monotonic() < end, expression

    browser.open(address, 1280, 900, "light")
    assert "Packages of this machine" in browser.ask("document.title")
    browser.press("/")
    browser.write("moon")
    until("location.search.includes('q=moon') && document.querySelectorAll('mark').length > 0")
    browser.ask("document.querySelector('.item h2 a').click()")
    until("location.pathname === '/document' && document.querySelector('.related-item') !== null")
    browser.open(address + "explore", 360, 780, "dark")
    until("document.querySelectorAll('.region').length > 0")
    assert browser.faults() == [], browser.faults()


def stop(process):
    """Ends the server, which is no child of this process, and waits for its end."""
    os.kill(process, signal.SIGTERM)
    end = time.monotonic() + PATIENCE
    while pathlib.Path(f"/proc/{process}").exists() and time.monotonic() < end:
        time.sleep(0.02)


def main():
    if not CHROMIUM:
        print("skipped: chromium is not installed")
        return 77
    with tempfile.TemporaryDirectory(prefix="kindred-quickstart-") as work:
        address = run_quickstart(sys.argv[1], work)
        browser = Browser(CHROMIUM)
        try:
            use(browser, address)
        finally:
            browser.close()
            stop(int((pathlib.Path(work) / "server.pid").read_text()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
