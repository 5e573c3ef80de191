#!/usr/bin/env python3
"""Uses the pages of the search server in a real browser as people do: by mouse, by keys, on every
screen, under dark colors, and without script. What people say about tags stays after a restart.

usage: page_browser_test.py [--shots DIR] KINDRED_SERVER LIBKINDRED DATA_DIR [TEST...]
"""
import http.cookies
import json
import os
import re
import sys
import urllib.parse

from page_reader import SIZES, PageTest, main
from page_site import NASTY, PAGES
from running_server import TOKEN, quoted

SHOTS = None
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


class Pages(PageTest):
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
    ARGUMENTS = sys.argv[1:]
    if ARGUMENTS[0] == "--shots":
        SHOTS, ARGUMENTS = ARGUMENTS[1], ARGUMENTS[2:]
    main(ARGUMENTS)
