#!/usr/bin/env python3
"""Looks around in the page of 'kindred topics map --html' as people do.

  topics_page.py CHROMIUM PAGE.html WORD [SCREENSHOTS_DIR]

WORD is one that the map can be colored by. Hover, touch, keys, search, topics and colors are tried at
desktop and phone width, under light and dark colors.
"""
import json
import pathlib
import re
import signal
import sys

from browser import SIZES, Browser


class Page:
    def __init__(self, browser, data):
        self.browser, self.data = browser, data

    def check(self, expression, expected=True):
        found = self.browser.ask(expression)
        assert found == expected, f"{expression} is {found!r}, expected {expected!r}"

    def place(self, unit):
        """The middle of a unit on the screen, scrolled to if need be."""
        at = f"(units[{unit}].{{0}} + margin) * scale"
        self.browser.ask(f"(window.scrollTo(0, document.getElementById('map').offsetTop + "
                         f"{at.format('y')} - innerHeight / 2), 1)")
        box = "document.getElementById('map').getBoundingClientRect()"
        return (self.browser.ask(f"{box}.left + {at.format('x')}"),
                self.browser.ask(f"{box}.top + {at.format('y')}"))

    def colors(self):
        """What the map shows in each unit, off its middle, where names and marks are rare."""
        return self.browser.ask(
            "units.map((u) => document.getElementById('map').getContext('2d').getImageData("
            "Math.round((u.x + margin) * scale * devicePixelRatio), "
            "Math.round((u.y + margin + .3) * scale * devicePixelRatio), 1, 1).data.join())")

    def tells(self, unit):
        """The panel tells of this unit."""
        row, column = divmod(unit, self.data["columns"])
        self.check("current", unit)
        text = self.browser.ask("document.getElementById('unit').textContent")
        assert f"row {row}, column {column}:" in text, text
        topic = self.data["topics"][self.data["units"][unit]["topic"] - 1]
        self.check("document.querySelector('#unit h2').textContent", topic["name"])
        for identifier, title in self.data["units"][unit]["typical"]:
            assert (title or identifier) in text, text

    def units_with(self, text):
        """The units that a search is to find, told from the data alone."""
        data, found = self.data, set()
        plane = data["planes"].get(str(data["words"].index(text))) if text in data["words"] else None
        at = 0
        for step, level in zip((plane or [])[::2], (plane or [])[1::2]):
            at += step
            if level / 255 > .1:
                found.add(at)
        for number, unit in enumerate(data["units"]):
            texts = [unit["label"], *(data["words"][w] for w in unit["words"])]
            texts += [part for document in unit["typical"] for part in document]
            if any(text in t.lower() for t in texts):
                found.add(number)
        return sorted(found)


def fits(page, width, scheme):
    page.check("document.documentElement.scrollWidth <= innerWidth")
    page.check("document.getElementById('map').getBoundingClientRect().right <= innerWidth")
    page.check("document.getElementById('map').clientWidth > .5 * " + str(min(width, 900)))
    back = page.browser.ask("getComputedStyle(document.body).backgroundColor")
    ink = page.browser.ask("getComputedStyle(document.body).color")
    lightness = [sum(map(float, re.findall(r"[\d.]+", c)[:3])) / 765 for c in (back, ink)]
    assert (lightness[0] > lightness[1]) == (scheme == "light"), (back, ink)
    assert abs(lightness[0] - lightness[1]) > .6, (back, ink)
    page.check("document.title !== ''")
    # What is to be touched is large enough for a finger (WCAG 2.2, 2.5.8).
    page.check("[...document.querySelectorAll('button, select, input:not([type=checkbox])')]"
               ".every((e) => e.getBoundingClientRect().height >= 24)")


def names(page):
    """Those on the map can be read, and the list of topics says what the numbers stand for."""
    smallest = page.browser.ask("Math.min(...names().map(([name, x, y, size]) => size * scale))")
    assert smallest >= 7, f"a name is {smallest} pixels high"
    numbers = page.browser.ask("names().map(([name]) => name).filter((name) => /^[0-9]+$/.test(name))")
    for number in numbers:
        text = page.browser.ask(f"document.querySelectorAll('#topics button')[{number} - 1].textContent")
        assert text.startswith(f"{number} {page.data['topics'][int(number) - 1]['name']}"), (number, text)


def pointer(page, phone):
    units, columns = page.data["units"], page.data["columns"]
    for unit in (0, columns - 1, len(units) // 2, len(units) - 1):
        (page.browser.tap if phone else page.browser.point)(*page.place(unit))
        page.tells(unit)


def keys(page):
    columns, rows = page.data["columns"], page.data["rows"]
    page.browser.ask("(document.getElementById('names').focus(), 1)")
    page.browser.press("Tab")
    page.check("document.activeElement.id", "map")
    page.browser.click(*page.place(0))
    for key, unit in (("ArrowLeft", 0), ("ArrowUp", 0), ("ArrowRight", 1), ("ArrowDown", columns + 1),
                      ("ArrowLeft", columns), ("ArrowUp", 0)):
        page.browser.press(key)
        page.tells(unit)
    for _ in range(rows + 2):
        page.browser.press("ArrowDown")
    for _ in range(columns + 2):
        page.browser.press("ArrowRight")
    page.tells(rows * columns - 1)


def search(page, word):
    browser = page.browser
    browser.ask("(document.getElementById('color').value = 'topics', paint(), 1)")
    browser.ask("(document.getElementById('names').checked = false, draw(), 1)")
    before = page.colors()
    browser.ask("(document.getElementById('find').focus(), 1)")
    browser.write(word.upper())
    expected = page.units_with(word)
    assert 0 < len(expected) < len(before), expected
    page.check("[...found].sort((a, b) => a - b)", expected)
    page.check("document.getElementById('found').textContent",
               f"{len(expected)} of {len(before)} units")
    browser.ask("(document.getElementById('color').value = 'topics', paint(), 1)")
    current = browser.ask("current")
    after = page.colors()
    for unit in set(range(len(before))) - {current}:
        same = before[unit] == after[unit]
        assert same == (unit in expected), (unit, before[unit], after[unit])
    browser.ask("(document.getElementById('find').select(), 1)")
    browser.write("no such word anywhere")
    page.check("found.size", 0)
    browser.ask("(document.getElementById('find').value = '', find(), 1)")
    page.check("found", None)
    page.check("document.getElementById('found').textContent", "")
    page.check("document.querySelector('#color option[data-word]')", None)
    browser.ask("(document.getElementById('names').checked = true, draw(), 1)")


def topics_and_colors(page):
    browser = page.browser
    middle = "document.querySelector('#topics button').getBoundingClientRect()"
    browser.ask("(document.querySelector('#topics button').scrollIntoView({block: 'center'}), 1)")
    at = browser.ask(f"[{middle}.left + 20, {middle}.top + {middle}.height / 2]")
    for pressed in ("true", "false"):
        browser.click(*at)
        page.check("document.querySelector('#topics button').getAttribute('aria-pressed')", pressed)
    for color in browser.ask("[...document.getElementById('color').options].map((o) => o.value)"):
        browser.ask(f"(document.getElementById('color').value = {json.dumps(color)}, "
                    "document.getElementById('color').onchange(), 1)")
        distinct = browser.ask("new Set(colors).size")
        assert distinct > 1, f"one color for all units by {color}"
        page.check("document.getElementById('legend').offsetHeight > 0", color not in ("topics", "labels"))
        page.check("document.getElementById('key').offsetHeight > 0", color == "labels")
        if color == "labels":
            # A key says what each color is.
            page.check("[...document.querySelectorAll('#key li')].map((e) => e.textContent).sort()",
                       sorted({unit["label"] for unit in page.data["units"]} - {""}))
            page.check("new Set([...document.querySelectorAll('#key i')].map((e) => e.style.background)).size"
                       " === document.querySelectorAll('#key i').length")


def main():
    signal.alarm(300)
    program, path, word = sys.argv[1:4]
    shots = pathlib.Path(sys.argv[4]) if len(sys.argv) > 4 else None
    text = pathlib.Path(path).read_text(encoding="utf-8")
    data = json.loads(re.search(r'<script id="data" type="application/json">(.*?)</script>', text,
                                re.S)[1])
    browser = Browser(program)
    try:
        for size, (width, height) in SIZES.items():
            for scheme in ("light", "dark"):
                print(size, scheme)
                browser.open(pathlib.Path(path).resolve().as_uri(), width, height, scheme)
                if shots:
                    browser.screenshot(shots / f"{size}-{scheme}.png")
                page = Page(browser, data)
                fits(page, width, scheme)
                names(page)
                pointer(page, size == "phone")
                keys(page)
                search(page, word)
                topics_and_colors(page)
                assert not browser.faults(), browser.faults()
    finally:
        browser.close()


if __name__ == "__main__":
    main()
