#!/usr/bin/env python3
"""Whether the quickstart ends with its collection on a page that can be searched in a browser. The
picture of the page in the README is taken on the way, into BUILD or, of a server that runs, FILE.

usage: quickstart_test.py BUILD
       quickstart_test.py ADDRESS WORDS FILE
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

from page_site import CHROMIUM, Browser
from running_server import PATIENCE, until

ROOT = pathlib.Path(__file__).resolve().parents[2]


def run_quickstart(build, work):
    """The address that it prints."""
    told = subprocess.run([ROOT / "examples" / "quickstart.sh"], check=True, text=True,
                          stdout=subprocess.PIPE, timeout=10 * PATIENCE,
                          env={**os.environ, "QUICKSTART_BUILD": build, "QUICKSTART_WORK": work})
    return re.search(r"The catalogue is at (\S+)", told.stdout)[1]


def shows(browser, expression):
    until(lambda: browser.ask(expression), lambda: expression)


def take_picture(browser, address, words, file):
    """Searches by typing, and takes a picture of the results."""
    browser.open(address, 1160, 760, "light")
    shows(browser, "document.title.endsWith('Packages of this machine')")
    browser.press("/")
    browser.write(words)
    shows(browser, "location.search.includes('q=') && document.querySelectorAll('mark').length > 0")
    browser.ask("document.activeElement.blur()")
    browser.screenshot(file)


def use(browser, address):
    """Follows a result, and looks at its related documents and at the map."""
    browser.ask("document.querySelector('.item h2 a').click()")
    shows(browser, "location.pathname === '/document' && "
          "document.querySelectorAll('.related-item').length > 0")
    browser.open(address + "explore", 360, 780, "dark")
    shows(browser, "document.querySelectorAll('.region').length > 0")
    assert browser.faults() == [], browser.faults()


def stop(process):
    """Ends the server, which is no child of this process, and waits for its end."""
    os.kill(process, signal.SIGTERM)
    until(lambda: not pathlib.Path(f"/proc/{process}").exists())


def main():
    if not CHROMIUM:
        print("skipped: chromium is not installed")
        return 77
    browser = Browser(CHROMIUM)
    try:
        if len(sys.argv) > 2:
            take_picture(browser, *sys.argv[1:])
            return 0
        with tempfile.TemporaryDirectory(prefix="kindred-quickstart-") as work:
            address = run_quickstart(sys.argv[1], work)
            try:
                take_picture(browser, address, "moon", pathlib.Path(sys.argv[1], "search-page.png"))
                use(browser, address)
            finally:
                stop(int((pathlib.Path(work) / "server.pid").read_text()))
    finally:
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
