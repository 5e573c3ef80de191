#!/usr/bin/env python3
"""What is true of every page: it fits every screen in light and dark, markup is text, addresses keep
the state, letter keys work, errors say what to do, axe-core finds no fault of accessibility. The
last is left out where npm cannot install axe-core.

usage: [SHOTS=DIR] page_frame_test.py KINDRED_SERVER LIBKINDRED DATA_DIR WORK_DIR [TEST...]
"""
import http.server
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import urllib.request

from page_site import NASTY, PAGES, SIZES, PageTest, main
from running_server import quoted

SHOTS = os.environ.get("SHOTS")  # a folder for pictures of the pages
AXE = ""  # axe-core's script
# Each is true of every page.
PROMISES = {
    "the page is as wide as the screen": "document.documentElement.scrollWidth <= "
                                         "document.documentElement.clientWidth",
    "there is one heading of the first level": "document.querySelectorAll('h1').length === 1",
    "levels of headings are not left out": """[...document.querySelectorAll('main :is(h1, h2, h3, h4)')]
        .every((e, i, all) => i === 0 || e.tagName[1] - all[i - 1].tagName[1] < 2)""",
    "what is to be touched is large enough": """[...document.querySelectorAll('button, .entry, .filter')]
        .filter((e) => e.checkVisibility() && e.getBoundingClientRect().width)
        .every((e) => e.getBoundingClientRect().height >= 24 && e.getBoundingClientRect().width >= 22)""",
    "what is to be touched has a name": """[...document.querySelectorAll('button, a, input, select')]
        .every((e) => e.textContent.trim() || e.ariaLabel || e.labels?.length)""",
    "nothing lies beside the screen": """[...document.querySelectorAll('main :not(bdi)')]
        .filter((e) => e.checkVisibility() && !e.closest('.unseen, .box, svg, .chips'))
        .every((e) => e.getBoundingClientRect().right <= document.documentElement.clientWidth + 1)""",
    "ids are seen beside long titles, too": """[...document.querySelectorAll('.items .item-head .id')]
        .every((e) => e.getBoundingClientRect().width >= Math.min(e.scrollWidth - 1, 180))""",
    "names of the map are whole": """[...document.querySelectorAll('svg text')].every((e) => {
        const box = e.getBBox(), all = e.ownerSVGElement.viewBox.baseVal;
        return box.width === 0 || (box.x >= all.x - 6 && box.x + box.width <= all.x + all.width + 6); })""",
    "nothing jumps": """performance.getEntriesByType('layout-shift').concat(window.shifts || [])
        .reduce((sum, e) => sum + e.value, 0) < .1""",
}
WATCH_SHIFTS = """new PerformanceObserver((list) => { window.shifts = [...window.shifts || [],
    ...list.getEntries().filter((e) => !e.hadRecentInput)]; })
    .observe({ type: 'layout-shift', buffered: true });"""


def axe_source(work):
    """The script of axe-core, as package-lock.json beside this file names and checks it."""
    work.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(pathlib.Path(__file__).parent / "axe" / name, work)
    script = work / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=work, check=True)
    return script.read_text(encoding="utf-8")


class Frame(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH_SHIFTS)

    def test_every_page_fits_every_screen_in_light_and_dark(self):
        for target in PAGES:
            for size in SIZES:
                for scheme in ("light", "dark"):
                    with self.subTest(target, size=size, scheme=scheme):
                        self.check_page(target, size, scheme)

    def check_page(self, target, size, scheme):
        self.open(target, size, scheme)
        held = self.ask("[" + ", ".join(PROMISES.values()) + "]")
        self.assertEqual([p for p, holds in zip(PROMISES, held) if not holds], [])
        self.check_colors(scheme)
        self.no_faults()
        self.check_axe()
        if SHOTS:
            name = re.sub(r"\W+", "-", target).strip("-") or "start"
            self.browser.screenshot(os.path.join(SHOTS, f"{name[:40]}-{size}-{scheme}.png"))

    def check_axe(self):
        """axe-core finds no fault of accessibility."""
        if not AXE:
            return
        self.assertEqual(self.ask(f"(() => {{ {AXE}; }})() || "
                                  "axe.run(document, { resultTypes: ['violations'] }).then((r) => "
                                  "r.violations.map((v) => [v.impact, v.id, v.help, "
                                  "v.nodes.slice(0, 3).map((n) => n.html)]))"), [])

    def test_axe_finds_nothing_in_what_opens(self):
        self.open("/document?id=moon-1")
        self.click("button.edit")
        self.click("details.reason summary")
        self.click(".chips .reject")
        self.until("document.querySelector('.toast') !== null")
        self.check_axe()
        self.ask("document.getElementById('sign-in').showModal()")
        self.check_axe()
        self.server.post("/documents/moon-1/tags", {"add": ["space"]})

    def check_colors(self, scheme):
        colors = self.ask("(({ backgroundColor, color }) => [backgroundColor, color])"
                          "(getComputedStyle(document.body))")
        back, ink = (sum(map(float, re.findall(r"[\d.]+", c)[:3])) / 765 for c in colors)
        self.assertEqual(back > ink, scheme == "light", colors)
        self.assertGreater(abs(back - ink), .6, colors)

    def test_markup_of_documents_is_text(self):
        for target in ("/?q=moon", "/document?id=" + quoted(NASTY), "/label?label=" + quoted(NASTY)):
            self.open(target)
            self.assertIn("<img src=x", self.text())
            self.assertEqual(self.number("img"), 0)
            self.no_faults()

    def test_search_as_you_type_and_the_way_back(self):
        self.open("/")
        self.browser.press("/")
        self.until("document.activeElement.id", "q")
        self.browser.write("moo")
        self.until("document.querySelectorAll('mark').length > 0")
        self.assertIn("q=moo", self.ask("location.search"))
        self.browser.write("n")
        self.until("document.title.startsWith('moon')")
        self.assertEqual(self.ask("document.activeElement.id"), "q")
        self.assertIn("document", self.text("#said"))
        same = self.server.get("/" + self.ask("document.getElementById('json').getAttribute('href')"))
        self.assertEqual([d["id"] for d in same.json()["documents"]], self.ask(
            "[...document.querySelectorAll('.item')].map((e) => e.dataset.item)"))
        self.ask("history.back()")
        self.until("document.querySelector('.home') !== null")
        self.assertEqual(self.ask("location.pathname + location.search"), "/")
        self.no_faults()

    def test_a_slip_in_a_word_that_is_typed_finds_what_is_near(self):
        self.open("/")
        self.type("#q", "guitr")
        self.until("document.querySelector('.notice')?.innerText", "Nothing has guitr. This is what has guitar.")
        self.assertGreater(self.number(".item"), 0)
        self.assertEqual(self.ask("document.querySelector('#q').value"), "guitr")

    def test_below_few_results_documents_follow_that_are_like_the_words(self):
        self.open("/?q=kiln+glaze+moon")
        self.assertEqual(self.number(".item"), 0)
        self.assertIn("Similar to your words", self.text())
        self.assertEqual(self.number(".similar .title"), 10)
        self.assertTrue(self.texts(".similar .id")[0])

    def test_another_page_begins_at_once_with_its_heading_and_gray_rows(self):
        self.open("/?q=moon")
        self.ask("window.fetch = () => new Promise(() => {})")
        for page, heading in (("review", "Review tags"), ("copies", "Near-copies"),
                              ("explore", "Topic map"), ("about", "Status")):
            self.click(f"header nav a[href={page}]")
            self.until("document.querySelector('h1').innerText", heading)
            self.assertEqual(self.text("nav [aria-current]"), self.text(f"nav a[href={page}]"))
            self.assertEqual(self.number(".blanks"), 1)
        self.click("header nav a[href=review]")
        self.until("document.querySelectorAll('nav[aria-label=Lists] a').length", 2)
        self.no_faults()

    def test_a_browser_is_shown_pages_where_something_is_wrong_and_programs_get_json(self):
        self.browser.open(self.site.address("/no/such/page"), *SIZES["desk"], "light")
        self.assertEqual(self.text("h1"), "Not Found")
        self.assertIn("There is nothing at /no/such/page.", self.text())
        self.click("main a")
        self.until("document.querySelector('.home') !== null")
        for target, status in (("/documents/none", 404), ("/search?limit=x", 400),
                               ("/<img%20src=x>", 404)):
            page = self.server.get(target, headers={"Accept": "text/html,*/*;q=0.8"})
            self.assertEqual(page.status, status)
            self.assertTrue(page.headers["Content-Type"].startswith("text/html"))
            self.assertNotIn(b"<img", page.body)
            for accept in ("*/*", "application/json", "application/json, text/html;q=0.5"):
                json_answer = self.server.get(target, headers={"Accept": accept})
                self.assertEqual(json_answer.json()["status"], status)

    def test_the_placeholder_of_the_search_is_whole_on_a_phone(self):
        self.open("/", "phone")
        self.assertTrue(self.ask("""(() => { const e = document.querySelector('#q');
            const style = getComputedStyle(e), pen = document.createElement('canvas').getContext('2d');
            pen.font = getComputedStyle(e, '::placeholder').font;
            return pen.measureText(e.placeholder).width <= e.clientWidth -
                parseFloat(style.paddingLeft) - parseFloat(style.paddingRight); })()"""))

    def test_letter_keys_go_through_results_and_open_them_unless_they_are_off(self):
        self.open("/?q=moon")
        for key in ("j", "j", "k"):
            self.browser.press(key)
        self.until("document.activeElement === document.querySelector('.item')")
        first = self.ask("document.activeElement.dataset.item")
        self.click("#letters")
        self.browser.press("j")
        self.assertNotEqual(self.ask("document.activeElement.className"), "item")
        self.click("#letters")
        self.browser.press("j")
        self.browser.press("Enter")
        self.until("new URLSearchParams(location.search).get('id')", first)

    def test_a_misspelled_word_leads_to_the_right_one_and_nothing_says_what_to_do(self):
        self.open("/?q=guitr")
        self.assertIn("Nothing has guitr. This is what has guitar.", self.text(".notice"))
        self.assertGreater(self.number(".item"), 0)
        self.open("/?q=zzzzzz")
        self.assertIn("Fewer words find more.", self.text(".empty"))
        self.open("/?q=13%22+moon+OR+moon")
        self.assertIn("a quote that is not closed. These have the words.", self.text(".notice"))
        self.assertGreater(self.number(".item"), 0)
        self.open("/?q=nothing-has-this&tag=space")
        self.assertIn("Search without filters", self.text(".empty"))
        self.open("/document?id=none")
        self.assertEqual(self.text("h1"), "Not found")

    def test_a_server_that_is_gone_is_told_and_asked_again(self):
        self.open("/?q=moon")
        self.browser.call("Network.enable")
        offline = dict(offline=True, latency=0, downloadThroughput=-1, uploadThroughput=-1)
        self.browser.call("Network.emulateNetworkConditions", **offline)
        self.ask("document.querySelector('.item .title').click()")
        self.until("document.querySelector('main').innerText.includes('The server does not answer.')")
        self.browser.call("Network.emulateNetworkConditions", **{**offline, "offline": False})
        self.click(".empty button")
        self.until("document.querySelector('.document') !== null")

    def test_without_script_a_sentence_says_what_is_needed(self):
        page = self.server.get("/?q=moon").body.decode()
        self.assertIn("This page needs JavaScript", page)
        self.assertNotRegex(page, r"https?://|<script>|style=|\son\w+=")

    def test_the_pages_work_behind_a_prefix(self):
        upstream = self.site.address("")

        class Proxy(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                assert self.path.startswith("/kindred/"), self.path
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)) or None
                asked = urllib.request.Request(upstream + self.path.removeprefix("/kindred"), body,
                                               {"Content-Type": "application/json"} if body else {})
                with urllib.request.urlopen(asked) as answer:
                    body = answer.read()
                    self.send_response(answer.status)
                    self.send_header("Content-Type", answer.headers["Content-Type"])
                    self.end_headers()
                    self.wfile.write(body)

            do_POST = do_GET

            def log_message(self, *arguments):
                pass

        proxy = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
        self.addCleanup(proxy.server_close)
        self.addCleanup(proxy.shutdown)
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        start = f"http://127.0.0.1:{proxy.server_port}/kindred/"
        self.browser.open(start + "?q=moon", 1280, 800, "light")
        self.until("document.querySelectorAll('.item').length > 0")
        self.click("header nav a:nth-child(3)")
        self.until("location.pathname", "/kindred/explore")
        self.until("document.querySelectorAll('.region').length > 0")
        self.no_faults()


if __name__ == "__main__":
    try:
        AXE = axe_source(pathlib.Path(sys.argv.pop(4)))
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"skipped: what axe-core finds, since npm cannot install it: {error}")
    main()
