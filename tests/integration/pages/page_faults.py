#!/usr/bin/env python3
"""Opens pages in a real browser, and fails if it has anything to complain of, as what a policy blocks.

  page_faults.py CHROMIUM PAGE.html...
"""
import pathlib
import sys

from browser import Browser

browser = Browser(sys.argv[1])
try:
    for page in sys.argv[2:]:
        browser.open(pathlib.Path(page).resolve().as_uri(), 1280, 900, "light")
        assert browser.ask("document.querySelector('h1').textContent"), page
        assert not browser.faults(), (page, browser.faults())
finally:
    browser.close()
