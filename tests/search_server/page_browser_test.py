#!/usr/bin/env python3
"""Uses the pages of the search server in a real browser as people do: by mouse, by touch, by keys,
on phones, under dark colors, and without script. What people say about tags stays after a restart.

usage: page_browser_test.py [--shots DIR] KINDRED_SERVER LIBKINDRED DATA_DIR [TEST...]
"""
import html
import http.cookies
import json
import os
import re
import sys
import time
import unittest
import urllib.parse

from page_site import CHROMIUM, NASTY, PAGES, Browser, PageSite
from running_server import TOKEN, quoted

PROGRAM = LIBRARY = DATA = SHOTS = None
PATIENCE = 20  # seconds; what is waited for comes much sooner
SIZES = {"small": (360, 780), "phone": (390, 844), "desk": (1280, 900), "wide": (1920, 1080)}
# Each is true of every page.
PROMISES = {
    "the page is as wide as the screen": "document.documentElement.scrollWidth <= "
                                         "document.documentElement.clientWidth",
    "there is one heading of the first level": "document.querySelectorAll('h1').length === 1",
    "levels of headings are not left out": """[...document.querySelectorAll('h1, h2, h3')]
        .every((e, i, all) => i === 0 || e.tagName[1] - all[i - 1].tagName[1] < 2)""",
    "what is to be touched is large enough": """[...document.querySelectorAll('button, .facet, .filter')]
        .filter((e) => e.offsetParent && !e.matches('.unseen *'))
        .every((e) => e.getBoundingClientRect().height >= 24 && e.getBoundingClientRect().width >= 22)""",
    "what is to be touched has a name": """[...document.querySelectorAll('button, a, input, select, textarea')]
        .every((e) => e.type === 'hidden' || e.textContent.trim() || e.ariaLabel || e.labels?.length)""",
    "nothing lies beside the screen": """[...document.querySelectorAll('main :not(bdi)')]
        .filter((e) => e.offsetParent && !e.closest('.unseen, .box'))
        .every((e) => e.getBoundingClientRect().right <= document.documentElement.clientWidth + 1)""",
    "names of the map are whole": """[...document.querySelectorAll('svg text')].every((e) => {
        const box = e.getBBox(), all = e.ownerSVGElement.viewBox.baseVal;
        return box.width === 0 || (box.x >= all.x - 4 && box.x + box.width <= all.x + all.width + 4); })""",
}


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser(CHROMIUM)
        cls.site = PageSite(PROGRAM, LIBRARY, DATA)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.site.close()

    @property
    def server(self):
        return self.site.server

    def setUp(self):
        self.browser.call("Network.clearBrowserCookies")

    # What a reader does and sees

    def open(self, target, size="desk", scheme="light"):
        width, height = SIZES[size]
        self.browser.open(self.site.address(target), width, height, scheme)

    def until(self, expression, wanted=True):
        end = time.monotonic() + PATIENCE
        while (found := self.ask_of_any_page(expression)) != wanted:
            assert time.monotonic() < end, f"{expression} stays {found!r}, expected {wanted!r}"
        return found

    def ask_of_any_page(self, expression):
        """Asks again if the page is left meanwhile."""
        try:
            return self.browser.ask(expression)
        except RuntimeError as error:
            if "navigated" not in str(error) and "context" not in str(error):
                raise
            return None

    def text(self, selector="main"):
        return self.browser.ask(f"document.querySelector({json.dumps(selector)}).innerText")

    def click(self, selector):
        """By the mouse, on the middle of the element."""
        place = self.browser.ask(f"""(() => {{
            const e = document.querySelector({json.dumps(selector)});
            e.scrollIntoView({{ block: 'center' }});
            const box = e.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; }})()""")
        self.browser.click(*place)

    def address(self):
        return self.browser.ask("location.pathname + location.search")

    def sign_in(self):
        self.open("/session?next=/")
        self.browser.ask("document.getElementById('token').focus()")
        self.browser.write(TOKEN)
        self.click(".sign-in button")
        self.until("location.pathname", "/")
        self.until("document.querySelector('.session button') !== null")

    def document(self, name):
        return self.server.get("/documents/" + quoted(name)).json()

    def predicted(self):
        """Documents with a predicted tag, and that tag."""
        found = self.server.get("/search?limit=100").json()["documents"]
        return [(d["id"], d["predicted"][0]["label"]) for d in found if d["predicted"]]

    def no_faults(self):
        self.assertEqual([f for f in self.browser.faults() if "status of 404" not in f], [])

    # The tests

    def test_every_page_fits_every_screen_in_light_and_dark(self):
        for target in PAGES:
            for size, (width, height) in SIZES.items():
                for scheme in ("light", "dark"):
                    self.open(target, size, scheme)
                    held = self.browser.ask("[" + ", ".join(PROMISES.values()) + "]")
                    broken = [p for p, holds in zip(PROMISES, held) if not holds]
                    self.assertEqual(broken, [], f"{target}, {size}, {scheme}")
                    self.check_colors(scheme)
                    self.no_faults()
                    if SHOTS:
                        name = re.sub(r"\W+", "-", target).strip("-") or "start"
                        self.browser.screenshot(os.path.join(SHOTS, f"{name[:40]}-{size}-{scheme}.png"))

    def check_colors(self, scheme):
        style = "getComputedStyle(document.body)"
        colors = [self.browser.ask(f"{style}.{name}") for name in ("backgroundColor", "color")]
        back, ink = (sum(map(float, re.findall(r"[\d.]+", c)[:3])) / 765 for c in colors)
        self.assertEqual(back > ink, scheme == "light", colors)
        self.assertGreater(abs(back - ink), .6, colors)

    def test_markup_of_documents_is_text(self):
        for target in ("/?q=moon", "/document?id=" + quoted(NASTY), "/label?label=" + quoted(NASTY)):
            self.open(target)
            self.assertIn("<img src=x", self.text())
            self.assertEqual(self.browser.ask("document.querySelectorAll('img').length"), 0)
            self.no_faults()

    def test_search_as_you_type_and_the_way_back(self):
        self.open("/")
        everything = self.text(".found")
        self.browser.press("/")
        self.until("document.activeElement.id", "q")
        self.browser.write("moo")
        self.until("document.querySelectorAll('mark').length > 0")
        self.assertIn("q=moo", self.address())
        self.browser.write("n")
        self.until("new URLSearchParams(location.search).get('q')", "moon")
        self.until("document.title.startsWith('moon')")
        self.assertEqual(self.browser.ask("document.activeElement.id"), "q")
        self.assertIn("document", self.text("#said"))
        same = json.loads(self.server.get(self.browser.ask(
            "document.getElementById('json').getAttribute('href')")).body)
        self.assertEqual([d["id"] for d in same["documents"]], self.browser.ask(
            "[...document.querySelectorAll('.item')].map((e) => e.dataset.item)"))
        self.browser.ask("history.back()")
        self.until("document.querySelector('.found').innerText.split(' ')[0]", everything.split(" ")[0])
        self.assertEqual(self.address(), "/")
        self.no_faults()

    def test_filters_are_set_and_taken_away_by_a_click(self):
        self.open("/?q=moon")
        self.click("#filters .facet")
        self.until("document.querySelectorAll('.filters .filter').length", 1)
        label = urllib.parse.parse_qs(self.address().split("?")[1])["label"][0]
        self.assertIn(label, self.text(".filters"))
        self.click(".filters .filter")
        self.until("document.querySelector('.filters')", None)
        self.assertEqual(self.address(), "/?q=moon")
        self.no_faults()

    def test_a_misspelled_word_leads_to_the_right_one(self):
        self.open("/?q=guitr")
        self.assertIn("Did you mean guitar?", self.text())
        self.click(".correction a")
        self.until("document.querySelectorAll('.item').length > 0")

    def test_a_document_has_related_ones_with_the_words_that_make_them_near(self):
        self.open("/?q=moon")
        self.click(".item h2 a")
        self.until("location.pathname", "/document")
        self.until("document.querySelectorAll('.related-item').length > 0")
        self.assertTrue(self.browser.ask("document.title.startsWith(document.querySelector('h1').innerText)"))
        self.click(".related-item summary")
        self.until("document.querySelectorAll('.related-item details[open] .terms li').length > 0")
        self.click(".related-item a")
        self.until("document.querySelectorAll('.related-item').length > 0")
        self.no_faults()

    def test_tags_are_accepted_and_removed_by_a_click_and_stay_so_after_a_restart(self):
        self.sign_in()
        (first, accepted), (second, removed) = self.predicted()[:2]
        self.open("/document?id=" + quoted(first))
        self.click(f".guess button.accept[value={json.dumps(accepted)}]")
        self.until("document.querySelectorAll('.document-tags .person').length", 1)
        self.assertIn("done", self.text("#said"))
        self.open("/?q=id:" + quoted(second))
        self.click(f".guess button.remove[value={json.dumps(removed)}]")
        self.until("document.querySelectorAll('.guess button').length", 0)
        self.site.restart()
        self.site.work("tag", {"restart": True})
        self.assertEqual(self.document(first)["labels"], [accepted])
        self.assertNotIn(removed, [tag["label"] for tag in self.document(second)["predicted"]])
        self.open("/document?id=" + quoted(first))
        self.assertIn(accepted, self.text(".document-tags .person"))
        self.assertEqual(self.browser.ask("document.querySelectorAll('.document-tags button').length"), 0)
        self.no_faults()

    def test_a_tag_is_added_and_taken_away_again(self):
        self.sign_in()
        self.open("/document?id=moon-2")
        self.browser.ask("document.querySelector('[name=add]').focus()")
        self.browser.write("stones & <b>")
        self.browser.press("Enter")
        self.until("document.querySelector('.document-tags .chips').innerText.includes('stones & <b>')")
        self.assertIn("stones & <b>", self.document("moon-2")["labels"])
        self.click(".document-tags button[value='stones & <b>']")
        self.until("document.querySelector('.document-tags .chips').innerText.includes('stones')", False)
        self.assertNotIn("stones & <b>", self.document("moon-2")["labels"])

    def test_a_text_that_is_dropped_gets_tags_with_reasons(self):
        self.open("/try")
        self.browser.ask("""(() => {
            const data = new DataTransfer();
            data.setData('text/plain', 'Astronauts drove over the dusty surface of the Moon.');
            document.getElementById('trial').dispatchEvent(
                new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); })()""")
        self.until("document.querySelectorAll('.reason').length > 0")
        self.assertIn("space", self.text(".reason h3"))
        self.assertIn("Similar documents that have it", self.text(".reason"))
        self.assertTrue(self.address().startswith("/try?text=Astronauts"))
        self.no_faults()

    def test_a_long_text_and_a_file_are_tried_as_well(self):
        self.open("/try")
        self.browser.ask("""(() => {
            const data = new DataTransfer();
            data.items.add(new File(['the moon and its rocks. '.repeat(200)], 'a.txt'));
            document.getElementById('trial').dispatchEvent(
                new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })); })()""")
        self.until("document.querySelectorAll('.reasons').length > 0")
        self.assertEqual(self.address(), "/try")
        self.no_faults()

    def test_the_map_tells_what_lies_below_the_mouse_and_filters_by_a_click(self):
        self.open("/explore")
        usual = self.text("#readout")
        place = self.browser.ask("""(() => {
            const box = document.querySelector('.region path[data-unit]').getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; })()""")
        self.browser.point(*place)
        self.until(f"document.getElementById('readout').innerText !== {json.dumps(usual)}")
        name = self.browser.ask("document.querySelector('.region.hover').dataset.name")
        self.assertIn(name, self.text("#readout"))
        self.browser.click(*place)
        self.until("location.search.startsWith('?topic=')")
        self.until("document.querySelector('.region.chosen').dataset.name", name)
        self.assertGreater(self.browser.ask("document.querySelectorAll('.map-side .plain-list li').length"), 0)
        self.no_faults()

    def test_the_map_is_used_by_keys_and_keeps_what_is_seen_in_its_address(self):
        self.open("/explore")
        self.browser.ask("document.getElementById('map-box').focus()")
        for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "+"):
            self.browser.press(key)
        self.until("location.hash.startsWith('#view=')")
        seen = self.browser.ask("document.getElementById('map').getAttribute('viewBox')")
        hash_part = self.browser.ask("location.hash")
        self.open("/try")
        self.open("/explore" + hash_part)
        self.assertEqual([round(float(n)) for n in seen.split()],
                         [round(float(n)) for n in self.browser.ask(
                             "document.getElementById('map').getAttribute('viewBox')").split()])
        self.browser.ask("document.getElementById('map-box').focus()")
        self.browser.press("ArrowRight")
        self.browser.press("Enter")
        self.until("location.search.startsWith('?topic=')")
        self.no_faults()

    # By fingers

    def open_map_on_a_phone(self):
        self.browser.call("Emulation.setTouchEmulationEnabled", enabled=True, maxTouchPoints=5)
        self.addCleanup(self.browser.call, "Emulation.setTouchEmulationEnabled", enabled=False)
        self.open("/explore", "phone")

    def seen_of_map(self):
        """What of the map is seen: left, top, width and height in its units."""
        return [float(n) for n in self.browser.ask(
            "document.getElementById('map').getAttribute('viewBox')").split()]

    def middle_of_map(self):
        return self.browser.ask("""(() => {
            const box = document.getElementById('map').getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2]; })()""")

    def place_on_map(self, x, y):
        """The place in the units of the map at a place of the screen."""
        return self.browser.ask(f"""(() => {{
            const at = new DOMPoint({x}, {y}).matrixTransform(
                document.getElementById('map').getScreenCTM().inverse());
            return [at.x, at.y]; }})()""")

    def pinch(self, x, y, distances):
        self.browser.touch([[(x - d, y), (x + d, y)] for d in distances])

    def test_two_fingers_zoom_the_map_about_the_place_between_them(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        x, y = x + 40, y - 30
        everything, below = self.seen_of_map(), self.place_on_map(x, y)
        self.pinch(x, y, range(20, 61, 10))
        self.until("location.hash.startsWith('#view=')")
        zoomed = self.seen_of_map()
        self.assertAlmostEqual(zoomed[2], everything[2] / 3, delta=everything[2] / 50)
        for had, has in zip(below, self.place_on_map(x, y)):
            self.assertAlmostEqual(had, has, delta=everything[2] / 50)
        self.assertEqual(self.browser.ask("visualViewport.scale"), 1)
        self.pinch(x, y, range(60, 9, -10))
        self.until("location.hash", "")
        self.assertEqual(self.seen_of_map(), everything)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_finger_pulls_the_map_where_it_is_zoomed_and_chooses_nothing(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        self.pinch(x, y, range(20, 81, 10))
        zoomed, below = self.seen_of_map(), self.place_on_map(x, y)
        self.browser.touch([[(x + d, y + d / 2)] for d in range(0, 41, 10)])
        self.until("document.getElementById('map').getAttribute('viewBox') !== "
                   + json.dumps(" ".join(f"{n:g}" for n in zoomed)))
        self.assertEqual(self.seen_of_map()[2:], zoomed[2:])
        for had, has in zip(below, self.place_on_map(x + 40, y + 20)):
            self.assertAlmostEqual(had, has, delta=zoomed[2] / 20)
        self.assertEqual(self.browser.ask("scrollY"), 0)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_finger_scrolls_the_page_over_a_map_that_is_not_zoomed(self):
        self.open_map_on_a_phone()
        x, y = self.middle_of_map()
        everything = self.seen_of_map()
        self.browser.touch([[(x, y - d)] for d in range(0, 121, 10)])
        self.until("scrollY > 0")
        self.assertEqual(self.seen_of_map(), everything)
        self.assertEqual(self.address(), "/explore")
        self.no_faults()

    def test_a_tap_on_the_map_chooses_a_topic_zoomed_or_not(self):
        for zoomed in (False, True):
            self.open_map_on_a_phone()
            if zoomed:
                self.pinch(*self.middle_of_map(), range(20, 61, 10))
            x, y, name = self.browser.ask("""(() => {
                const all = [...document.querySelectorAll('.region path[data-unit]')].map((unit) => {
                    const box = unit.getBoundingClientRect();
                    return [box.left + box.width / 2, box.top + box.height / 2,
                            unit.closest('a').dataset.name]; });
                const map = document.getElementById('map-box').getBoundingClientRect();
                return all.find(([x, y]) => Math.abs(x - map.left - map.width / 2) < 60 &&
                                            Math.abs(y - map.top - map.height / 2) < 60); })()""")
            self.browser.tap(x, y)
            self.until("location.search.startsWith('?topic=')")
            self.until("document.querySelector('.region.chosen').dataset.name", name)
            self.no_faults()

    def test_keys_alone_lead_from_the_search_to_a_changed_tag(self):
        self.sign_in()
        name, _ = self.predicted()[-1]
        self.browser.press("Tab")
        self.browser.press("/")
        self.browser.write("id:" + name)
        self.browser.press("Enter")
        self.until("document.querySelectorAll('.item').length", 1)
        self.browser.press("Escape")
        self.browser.press("j")
        self.until("document.activeElement.dataset.item", name)
        before = self.browser.ask("document.querySelectorAll('.guess button.remove').length")
        self.browser.press("r")
        self.until("document.querySelectorAll('.guess button.remove').length", before - 1)
        self.assertEqual(self.browser.ask("document.activeElement.closest('article').dataset.item"), name)
        self.browser.ask("document.activeElement.closest('article').focus()")
        self.browser.press("Enter")
        self.until("location.pathname", "/document")
        self.no_faults()

    def test_suspects_are_worked_through_by_keys(self):
        self.sign_in()
        self.server.post("/documents/moon-3/tags", {"remove": ["space"], "add": ["food"]})
        self.open("/review")
        self.until("document.querySelectorAll('.item').length > 0")
        first = self.browser.ask("document.querySelector('.item').dataset.item")
        proposed = self.browser.ask("document.querySelector('.item [name=change]').value")
        self.browser.press("j")
        self.browser.press("a")
        left = "[...document.querySelectorAll('.item')].filter((e) => e.offsetParent).length"
        self.until(f"document.querySelector('.item').offsetParent === null || {left} === 1")
        self.until("document.querySelector('.pending')", None)
        self.assertIn(proposed, self.document(first)["labels"])
        self.assertNotEqual(self.browser.ask("document.activeElement.dataset.item"), first)
        self.no_faults()

    def test_a_document_that_is_kept_as_it_is_stays_so_for_everybody(self):
        self.sign_in()
        self.server.post("/documents/moon-3/tags", {"remove": ["space"], "add": ["food"]})
        self.open("/review")
        self.until("document.querySelectorAll('.item').length > 0")
        name = self.browser.ask("document.querySelector('.item').dataset.item")
        refused = self.browser.ask("document.querySelector('.item [data-keep]').value")
        labels = self.document(name)["labels"]
        self.browser.ask("document.querySelector('.item [data-keep]').click()")
        self.until(f"document.querySelector('.item')?.dataset.item !== {json.dumps(name)} || "
                   "document.querySelector('.item').offsetParent === null")
        self.until("document.querySelector('.pending')", None)
        self.assertEqual(self.document(name)["labels"], labels)
        tags = self.server.post("/classify", {"id": name}).json()["tags"]
        self.assertNotIn(refused, [tag["label"] for tag in tags])
        suspects = self.server.get("/suspects?limit=51").json()["suspects"]
        self.assertNotIn((name, refused),
                         [(each["id"], each["strongest"]["label"]) for each in suspects])
        self.no_faults()

    def test_a_decision_about_tags_that_changed_meanwhile_is_explained_and_asked_again(self):
        self.sign_in()
        self.open("/document?id=moon-2")
        labels = self.document("moon-2")["labels"]
        self.server.post("/documents/moon-2/tags", {"add": ["by another"]})
        self.browser.ask("document.querySelector('[name=add]').focus()")
        self.browser.write("mine")
        self.browser.press("Enter")
        self.until("document.querySelector('h1').innerText", "The tags have changed meanwhile")
        self.assertIn("Given by people since: by another", self.text())
        self.assertIn("Nothing was done", self.text("#said"))
        self.assertEqual(self.address(), "/document?id=moon-2")
        self.assertEqual(self.document("moon-2")["labels"], sorted([*labels, "by another"]))
        self.click(".conflict .main-button")
        self.until("document.querySelectorAll('.document-tags .person').length", len(labels) + 2)
        self.assertEqual(self.document("moon-2")["labels"], sorted([*labels, "by another", "mine"]))
        self.server.post("/documents/moon-2/tags", {"remove": ["by another", "mine"]})
        self.assertEqual([f for f in self.browser.faults() if "status of 412" not in f], [])

    def test_in_a_list_to_work_through_such_a_decision_is_asked_again_too(self):
        self.sign_in()
        self.server.post("/documents/moon-3/tags", {"remove": ["space"], "add": ["food"]})
        self.open("/review")
        self.until("document.querySelectorAll('.item').length > 0")
        name = self.browser.ask("document.querySelector('.item').dataset.item")
        proposed = self.browser.ask("document.querySelector('.item [name=change]').value")
        self.server.post(f"/documents/{quoted(name)}/tags", {"add": ["by another"]})
        self.click(".item .decide .accept")
        self.until("document.querySelector('h1').innerText", "The tags have changed meanwhile")
        self.assertIn("by another", self.text(".since"))
        self.assertNotIn(proposed, self.document(name)["labels"])
        self.click(".conflict .main-button")
        self.until("document.querySelector('h1').innerText", "Tags to look at again")
        self.assertIn(proposed, self.document(name)["labels"])
        self.server.post(f"/documents/{quoted(name)}/tags", {"remove": ["by another"]})

    def test_without_script_a_form_for_tags_that_changed_meanwhile_is_refused_with_412(self):
        ask = lambda *arguments, **more: self.server.request(*arguments, token=None, **more)
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        signed = ask("POST", "/session", headers=form,
                     body=urllib.parse.urlencode({"token": TOKEN, "next": "/"}).encode())
        cookie = http.cookies.SimpleCookie(signed.headers["Set-Cookie"])
        cookies = {"Cookie": "; ".join(f"{m.key}={m.value}" for m in cookie.values())}
        fields = lambda page: {name: html.unescape(value) for name, value in re.findall(
            r'<input type="hidden" name="(\w+)" value="([^"]*)">', page.body.decode())}
        send = lambda values: ask("POST", "/document/tags", headers={**form, **cookies},
                                  body=urllib.parse.urlencode(values).encode())
        shown = fields(ask("GET", "/document?id=moon-2", headers=cookies))
        self.assertEqual(shown["mark"], self.document("moon-2")["etag"])
        self.server.post("/documents/moon-1/tags", {"add": ["beside"]})  # no conflict
        self.assertEqual(send({**shown, "add": "first"}).status, 303)
        refused = send({**shown, "add": "second"})
        self.assertEqual((refused.status, refused.headers["Content-Type"]),
                         (412, "text/html; charset=utf-8"))
        self.assertIn("<strong><bdi>first</bdi></strong>", refused.body.decode())
        self.assertNotIn("second", self.document("moon-2")["labels"])
        again = fields(refused)
        self.assertEqual((again["add"], again["back"]), ("second", shown["back"]))
        self.assertEqual(send(again).status, 303)
        self.assertIn("second", self.document("moon-2")["labels"])
        self.server.post("/documents/moon-2/tags", {"remove": ["first", "second"]})
        self.server.post("/documents/moon-1/tags", {"remove": ["beside"]})

    def test_long_work_is_started_and_followed(self):
        self.sign_in()
        self.open("/about")
        before = self.browser.ask("document.querySelectorAll('[data-poll] tbody tr').length")
        self.click(".start [value=tag] + button")
        self.until("document.querySelectorAll('[data-poll] tbody tr').length", before + 1)
        self.until("document.querySelector('[data-poll] [data-open]')", None)
        self.assertIn("done", self.text("[data-poll] tbody tr"))
        self.no_faults()

    def test_without_script_links_and_forms_do_the_same(self):
        ask = lambda *arguments, **more: self.server.request(*arguments, token=None, **more)
        self.assertIn('href="/document?id=moon-1"', ask("GET", "/?q=apollo").body.decode())
        name, label = self.predicted()[0]
        fields = {"id": name, "accept": label, "back": "/document?id=" + quoted(name)}
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        send = lambda target, values, headers: ask(
            "POST", target, body=urllib.parse.urlencode(values).encode(), headers={**form, **headers})
        refused = send("/document/tags", fields, {})
        self.assertEqual((refused.status, refused.headers["Location"].split("?")[0]), (303, "/session"))
        signed = send("/session", {"token": TOKEN, "next": "/"}, {})
        self.assertEqual((signed.status, signed.headers["Location"]), (303, "/"))
        cookie = http.cookies.SimpleCookie(signed.headers["Set-Cookie"])
        cookies = {"Cookie": "; ".join(f"{m.key}={m.value}" for m in cookie.values())}
        foreign = send("/document/tags", fields, {**cookies, "Origin": "https://example.org"})
        self.assertEqual(foreign.status, 403)
        changed = send("/document/tags", fields, cookies)
        self.assertEqual((changed.status, changed.headers["Location"]), (303, fields["back"]))
        self.assertIn(label, self.document(name)["labels"])
        tried = send("/try", {"text": "the moon & <b>rocks</b>"}, {})
        self.assertIn("&lt;b&gt;rocks", tried.body.decode())
        self.assertIn('class="reason"', tried.body.decode())

    def test_pages_let_nothing_in_but_their_own_script_and_style(self):
        answer = self.server.get("/")
        policy = dict(part.strip().split(" ", 1) for part in
                      answer.headers["Content-Security-Policy"].split(";") if " " in part.strip())
        self.assertEqual(policy["default-src"], "'none'")
        self.assertEqual(policy["script-src"], "'self'")
        self.assertEqual(policy["style-src"], "'self'")
        for source in re.findall(rb'(?:src|href)="(/assets/[^"]+)"', answer.body):
            asset = self.server.get(source.decode())
            self.assertEqual(asset.status, 200)
            self.assertIn("immutable", asset.headers["Cache-Control"])
            if source.endswith(b".js"):
                self.assertLess(len(asset.body), 40 * 1024)


if __name__ == "__main__":
    if not CHROMIUM:
        print("skipped: chromium is not installed")
        sys.exit(77)
    arguments = sys.argv[1:]
    if arguments[0] == "--shots":
        SHOTS, arguments = arguments[1], arguments[2:]
    PROGRAM, LIBRARY, DATA = arguments[:3]
    unittest.main(argv=[sys.argv[0], *arguments[3:]], verbosity=2)
