#!/usr/bin/env python3
"""Looks at reports in a real browser as people do, at desktop and phone width, under light and dark
colors: nothing is wider than the screen, labels stay in one line, heads of tables stay in sight,
drawings can be read. A page with suspects is worked through by keyboard.

  report_pages.py CHROMIUM PAGE.html... [--shots DIR]

DIR gets a picture of each whole page at each size, as PAGE-SIZE-COLORS.png.
"""
import base64
import json
import pathlib
import re
import signal
import sys

from browser import SIZES, Browser

# Each is true of every page.
PROMISES = {
    "the page is as wide as the screen": "document.documentElement.scrollWidth <= document.documentElement.clientWidth",
    "names stay in one line":
        "[...document.querySelectorAll('.name')].every((e) => e.getBoundingClientRect().height < 30)",
    "turned heads stay in one line":
        "[...document.querySelectorAll('.turned')].every((e) => e.getBoundingClientRect().width < 30)",
    "turned heads are upright columns":
        "[...document.querySelectorAll('.turned')].every((e) => e.textContent.length < 4 || "
        "e.getBoundingClientRect().height > e.getBoundingClientRect().width)",
    "turned heads lie on their side, in any script":
        "[...document.querySelectorAll('.turned')].every((e) => getComputedStyle(e).textOrientation === 'sideways')",
    "names are whole where there is room":
        "[...document.querySelectorAll('tr:not(:has(> :nth-child(3))) .name')]"
        ".every((e) => e.scrollWidth <= e.clientWidth)",
    "colors stay with their words":
        "[...document.querySelectorAll('.keyed')].every((e) => e.getClientRects().length < 2)",
    "heads stand where the content does": """[...document.querySelectorAll('table:not(.matrix)')].every((table) => {
        const first = [...table.tBodies[0].rows[0].cells];
        return [...table.tHead.rows[0].cells].every((head, i) => getComputedStyle(head).textAlign ===
            (first[i].matches('th, .text, :has(svg)') ? 'left' : 'right')); })""",
    "text in drawings is whole": """[...document.querySelectorAll('svg text')].every((e) => {
        const box = e.getBBox(), all = e.ownerSVGElement.viewBox.baseVal;
        return box.x >= all.x && box.x + box.width <= all.x + all.width; })""",
    "text in diagrams covers no bar": """[...document.querySelectorAll('figure svg')].every((svg) => {
        const boxes = (what) => [...svg.querySelectorAll(what)].map((e) => e.getBoundingClientRect());
        const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top + 1 || b.bottom <= a.top + 1;
        return boxes('text').every((text) => boxes('.bar, .gap').every((bar) => apart(text, bar))); })""",
    "names of a dendrogram stand at its branches": """[...document.querySelectorAll('.dendrogram')].every((e) => {
        const [names, tree] = ['.leaves', 'svg'].map((part) => e.querySelector(part).getBoundingClientRect());
        return Math.abs(names.top - tree.top) < 1 && Math.abs(names.height - tree.height) < 1 &&
            tree.width > 100 && e.scrollWidth <= e.clientWidth; })""",
    "boxes lie on the screen":
        "[...document.querySelectorAll('.box')].every((e) => e.getBoundingClientRect().right "
        "<= document.documentElement.clientWidth + 1)",
    "text in drawings is large enough":
        "[...document.querySelectorAll('svg text')].every((e) => e.getBoundingClientRect().height > 9)",
    "what is to be touched is large enough":
        "[...document.querySelectorAll('button:not([hidden]), .choice')]"
        ".every((e) => e.getBoundingClientRect().height >= 24)",
    "heads stay in sight": """[...document.querySelectorAll('.box:has(table)')].every((box) => {
        box.scrollTop = box.scrollLeft = 1e6;
        const at = box.getBoundingClientRect(), head = box.querySelector('thead th').getBoundingClientRect();
        box.scrollTop = box.scrollLeft = 0;
        return Math.abs(head.left - at.left) < 2 && Math.abs(head.top - at.top) < 2; })""",
}


def check_colors(browser, page, scheme):
    style = "getComputedStyle(document.body)"
    back, ink = (browser.ask(f"{style}.{name}") for name in ("backgroundColor", "color"))
    lightness = [sum(map(float, re.findall(r"[\d.]+", c)[:3])) / 765 for c in (back, ink)]
    assert (lightness[0] > lightness[1]) == (scheme == "light"), (page, back, ink)
    assert abs(lightness[0] - lightness[1]) > .6, (page, back, ink)


def shoot(browser, path, width):
    """A picture of the whole page, on a screen of its height. Boxes stay as high as they were."""
    browser.ask("document.querySelectorAll('.box').forEach((box) => "
                "{ box.style.maxHeight = getComputedStyle(box).maxHeight; })")
    height = min(browser.ask("document.documentElement.scrollHeight"), 8000)
    browser.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 600)
    browser.ask("0")  # the screen has changed
    path.write_bytes(base64.b64decode(browser.call("Page.captureScreenshot")["data"]))


def work_through(browser, url):
    """The first suspect gets other labels, and is seen. It stands below the line of progress. The
    address keeps all this."""
    for key in "jas":
        browser.press(key)
    assert browser.ask("document.activeElement === document.querySelector('article') && "
                       "document.activeElement.getBoundingClientRect().top >= "
                       "document.getElementById('progress').getBoundingClientRect().bottom")
    progress = "document.getElementById('progress').textContent"
    assert browser.ask(progress).startswith("1 of "), browser.ask(progress)
    lines = browser.ask("document.getElementById('lines').value")
    assert lines.endswith("\n") and set(json.loads(lines)) == {"id", "labels"}, lines
    address = browser.ask("location.hash")
    browser.open("about:blank", 1280, 900, "light")
    browser.open(url + address, 1280, 900, "light")
    assert browser.ask(progress).startswith("1 of "), browser.ask(progress)
    assert browser.ask("document.getElementById('lines').value") == lines
    assert not browser.faults(), browser.faults()


def look(browser, page, shots):
    url = page.resolve().as_uri()
    for size, (width, height) in SIZES.items():
        for scheme in ("light", "dark"):
            print(page.name, size, scheme)
            browser.open(url, width, height, scheme)
            if shots:
                shoot(browser, shots / f"{page.stem}-{size}-{scheme}.png", width)
                browser.open(url, width, height, scheme)
            check_colors(browser, page, scheme)
            held = browser.ask("[" + ", ".join(PROMISES.values()) + "]")
            broken = [promise for promise, holds in zip(PROMISES, held) if not holds]
            assert not broken, f"{page}, {size}, {scheme}: not so: {'; '.join(broken)}"
            assert not browser.faults(), (page, browser.faults())
    if browser.ask("document.querySelector('article .seen') !== null"):
        work_through(browser, url)


def main():
    signal.alarm(300)
    program, *pages = sys.argv[1:]
    shots = None
    if "--shots" in pages:
        at = pages.index("--shots")
        shots = pathlib.Path(pages[at + 1])
        pages = pages[:at]
    browser = Browser(program)
    try:
        for page in pages:
            look(browser, pathlib.Path(page), shots)
    finally:
        browser.close()


if __name__ == "__main__":
    main()
