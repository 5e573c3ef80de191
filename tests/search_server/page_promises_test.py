#!/usr/bin/env python3
"""What the pages promise to people: names find themselves, nothing is lost by a click, lists ask the
right question, and so on, in a real browser.

usage: page_promises_test.py KINDRED_SERVER LIBKINDRED DATA_DIR [TEST...]
"""
import json
import time

from page_site import PageTest, main
from running_server import TOKEN, quoted, until


class Promises(PageTest):
    # Names find themselves

    def test_what_is_typed_is_found_first_if_it_is_an_id_or_a_title_or_begins_one(self):
        for typed, first in (("harbor", "harbor"), ("Moon rocks", "moon-2"), ("moon ro", "moon-2"),
                             ("pottery-7", "pottery-7"), ("telescope-1", "telescope-1")):
            self.open("/?q=" + quoted(typed))
            self.assertEqual(self.ask("document.querySelector('.item').dataset.item"), first, typed)

    # Nothing is lost by a click

    def test_x_is_seen_where_a_tag_is_pointed_at_and_a_removed_tag_comes_back_by_undo(self):
        self.open("/document?id=moon-1")
        self.browser.point(1, 1)
        seen = "getComputedStyle(document.querySelector('.chips .buttons')).opacity"
        self.assertEqual(self.ask(seen), "0")
        self.point(".chips .chip")
        self.assertEqual(self.ask(seen), "1")
        self.decide(".chips .chip", "reject")
        self.until("document.querySelector('#toast').innerText.includes('Rejected space')")
        self.assertNotIn("space", self.document("moon-1")["labels"])
        self.click("#toast .act")
        self.until("document.querySelector('.chips').innerText.includes('space')")
        self.assertEqual(self.document("moon-1")["labels"], ["space"])
        self.no_faults()

    def test_a_predicted_tag_is_accepted_or_taken_off_and_comes_back_as_it_was(self):
        name, label = next((d["id"], d["predicted"][0]["label"]) for d in self.server.get(
            "/search?limit=100&sort=newest").json()["documents"] if d["predicted"])
        for kind, has in (("accept", [label]), ("reject", [])):
            before = self.document(name)
            self.open("/document?id=" + quoted(name))
            self.decide(".chips .guess", kind)
            self.until("document.querySelectorAll('#toast .act').length", 1)
            self.assertEqual(self.document(name)["labels"], has)
            self.assertNotIn(label, [tag["label"] for tag in self.document(name)["predicted"]])
            self.browser.press("u")
            self.until("document.querySelectorAll('.chips .guess').length > 0")
            for part in ("labels", "predicted"):
                self.assertEqual(self.document(name)[part], before[part])
        self.no_faults()

    def test_the_message_goes_after_ten_seconds_unless_it_is_pointed_at(self):
        self.open("/document?id=mars-1")
        self.ask("window.patience = setTimeout")
        self.ask("window.setTimeout = (act, wait) => window.patience(act, wait / 100)")
        self.decide(".chips .chip", "reject")
        self.until("document.querySelector('.toast') !== null")
        self.until("document.querySelector('.toast')", None)
        self.server.post("/documents/mars-1/tags", {"add": ["space"]})

    def test_tags_that_somebody_else_changed_are_shown_and_nothing_is_done(self):
        self.open("/document?id=mars-2")
        self.server.post("/documents/mars-2/tags", {"add": ["sport"], "new": True})
        self.decide(".chips .chip", "reject")
        self.until("document.querySelector('#toast').innerText.includes('Please look again')")
        self.assertIn("sport", self.text(".chips"))
        self.assertIn("space", self.document("mars-2")["labels"])
        self.no_faults()

    def test_with_a_finger_tags_are_edited_in_a_mode(self):
        self.open("/document?id=long", "phone")
        self.assertLess(self.number(".chips .chip"), 21)
        self.click("button.edit")
        self.until("document.querySelectorAll('.chips .chip').length", 21)
        self.until("document.querySelector('.editing .reject').getBoundingClientRect().width >= 24")
        self.assertEqual(self.ask("getComputedStyle(document.querySelector('.buttons')).opacity"), "1")

    def test_hidden_buttons_of_tags_take_no_focus_but_in_the_mode_of_editing(self):
        self.open("/document?id=moon-1")
        takes = "(e => { e.focus(); return document.activeElement === e; })" \
            "(document.querySelector('.chips .reject'))"
        self.assertFalse(self.ask(takes))
        self.click("button.edit")
        self.until(takes)

    # Suggestions

    def test_ten_suggested_tags_have_names_ids_and_how_sure_they_are_and_are_decided_by_keys(self):
        terms = b"id,name\nspace,Outer space\nv1,Glaze and slip\n"
        self.server.request("POST", "/vocabulary", terms, {"Content-Type": "text/csv"})
        self.addCleanup(self.server.request, "DELETE", "/vocabulary")
        self.server.post("/documents", {"id": "jar", "labels": ["letter"], "text":
                         "The glaze is a slip of clay"})
        self.addCleanup(self.server.request, "DELETE", "/documents/jar")
        self.open("/document?id=jar")
        listed = self.server.post("/classify", {"id": "jar", "limit": 10, "min_confidence": 0}).json()
        sure = listed["tags"]
        self.assertEqual(self.ask("[...document.querySelectorAll('.suggestion')].map((e) => "
                                  "e.dataset.item)"), ["tag " + tag["label"] for tag in sure])
        named = self.text(".suggestion:has(.chip.named)")
        for part in ("Glaze and slip", "v1", "% sure", "no document has it"):
            self.assertIn(part, named)
        widths = self.ask("[...document.querySelectorAll('.suggestion .chip.guess')].map((e) => "
                          "Number(e.style.getPropertyValue('--sure')))")
        self.assertEqual(widths, sorted(widths, reverse=True))

        self.browser.press("j")
        chosen = self.ask("document.activeElement.dataset.item").removeprefix("tag ")
        self.browser.press("a")
        self.until("document.querySelector('#toast').innerText.includes('Accepted')")
        self.assertIn(chosen, self.document("jar")["labels"])
        self.browser.press("u")
        self.until("document.querySelectorAll('.suggestion .accept').length", len(sure))
        self.assertNotIn(chosen, self.document("jar")["labels"])
        self.browser.press("r")
        self.until("document.querySelector('#toast').innerText.includes('Not ')")
        self.until("document.querySelectorAll('.suggestion .accept').length", len(sure) - 1)
        self.no_faults()

    def test_a_key_that_does_nothing_here_says_so_and_the_footer_has_only_keys_that_do_something(self):
        self.open("/?q=mars-1")
        self.browser.press("a")
        self.until("document.querySelector('#toast').innerText.includes('Choose something')")
        self.browser.press("j")
        self.browser.press("a")
        self.until("document.querySelector('#toast').innerText.includes('nothing to accept')")
        self.assertNotIn("accept", self.text("footer"))
        self.open("/review")
        for word in ("next", "accept", "reject", "undo", "open"):
            self.assertIn(word, self.text("footer"))

    def test_tags_that_tell_most_come_first(self):
        self.server.post("/documents", {"id": "zoo", "text": "Zebras", "labels": ["space", "zebra"]})
        self.open("/document?id=zoo")
        self.assertEqual([t.split("\n")[-1] for t in self.texts(".chips .chip a")], ["zebra", "space"])
        self.server.request("DELETE", "/documents/zoo")

    # Review asks the right question

    def test_a_document_that_lacks_two_tags_is_in_the_list_once(self):
        self.open("/review")
        self.until("(() => { document.querySelector('.progress button')?.click(); "
                   "return document.querySelectorAll('.progress').length; })()", 0)
        while not (flat := self.server.get("/suspects?limit=1000").json())["complete"]:
            time.sleep(0.05)
        joined = self.server.get("/suspects?limit=1000&by_document=1").json()["missing"]
        suspects = joined["suspects"]
        self.assertEqual(len({item["id"] for item in suspects}), len(suspects))
        self.assertEqual(joined["documents"], len(suspects))
        self.assertEqual(sorted((s["id"], s["label"]) for item in suspects
                                for s in [item, *item["more"]]),
                         sorted((s["id"], s["label"]) for s in flat["missing"]["suspects"]))
        items = self.ask("[...document.querySelectorAll('.work .item')].map((e) => e.dataset.item)")
        self.assertEqual(items, [item["id"] for item in suspects[:20]])
        self.assertEqual(self.number("[data-item=pottery-0] .question"), 2)
        self.click("[data-item=pottery-0] > details summary")
        self.until("document.querySelectorAll('[data-item=pottery-0] .suggestion').length > 2")
        self.no_faults()

    def test_missing_tags_are_added_in_place_and_taken_back(self):
        self.open("/review")
        self.assertIn("Missing tags", self.text("nav[aria-label=Lists] [aria-current]"))
        item = ".work .item"
        name, place = self.ask(f"(e => [e.dataset.item, e.getBoundingClientRect().top])"
                               f"(document.querySelector('{item}'))")
        label = self.text(item + " .accept").removeprefix("Accept ")
        self.click(item + " .accept")
        self.until(f"document.querySelector('{item} .question.done') !== null")
        self.assertIn(label, self.document(name)["labels"])
        self.assertEqual(self.ask(f"document.querySelector('{item}').getBoundingClientRect().top"),
                         place, "the list stays where it is")
        self.click("#toast .act")
        self.until(f"document.querySelector('{item} .question.done')", None)
        self.assertNotIn(label, self.document(name)["labels"])
        self.no_faults()

    def test_tags_that_look_wrong_are_apart_and_all_missing_ones_that_are_clear_are_added(self):
        while not (found := self.server.get("/suspects?limit=100").json())["complete"]:
            time.sleep(0.05)  # a job looks at all documents
        self.open("/review?list=wrong")
        for part in (found["missing"], found["wrong"]):  # documents that changed are not counted
            self.assertEqual(part["found"], len(part["suspects"]))
        wrong = found["wrong"]["suspects"]
        self.assertLess(len(wrong), 10)
        self.assertEqual(self.number(".work .item"), len(wrong))
        self.assertTrue(wrong or "No tag looks wrong." in self.text())
        self.open("/review")
        clear = found["missing"]["clear"]
        self.assertIn(f"Accept all {clear} that", self.text("nav[aria-label=Lists]"))
        lacking = [(s["id"], s["label"]) for s in found["missing"]["suspects"]
                   if s["confidence"] >= .95]
        self.click("nav[aria-label=Lists] button")
        self.until(f"document.querySelector('#toast').innerText.includes('Accepted {clear} tag')")
        self.assertTrue(all(label in self.document(name)["labels"] for name, label in lacking))
        self.click("#toast .act")
        self.until("document.querySelector('#said').innerText", "Undone")
        self.assertFalse(any(label in self.document(name)["labels"] for name, label in lacking))
        self.no_faults()

    def test_review_shows_more_rows_as_a_job_finds_them_when_people_ask_for_them(self):
        self.open("/")
        self.ask("""(() => { const real = window.fetch; let examined = 300;
          window.fetch = async (...asked) => {
            const job = { id: "x", kind: "suspects", state: "running", listed: 1200, error: null,
              progress: { doing: "suspects: 41 so far", done: 3000, of: 6000 } };
            if (asked[0].startsWith("jobs/x")) return Response.json(job);
            const got = await real(...asked), all = await got.clone().json().catch(() => ({}));
            if (!all.wrong) return got;
            const answer = { ...all, complete: false, job: "x", examined };
            const { suspects } = answer.missing;
            answer.missing.suspects = suspects.slice(0, examined === 300 ? 1 : 2);
            examined = 1200;
            return Response.json(answer);
        }; })()""")
        self.click("header nav a[href=review]")
        self.until("document.querySelectorAll('.work .item').length", 1)
        self.until("document.querySelector('.progress')?.innerText.replace(/\\s+/g, ' ').trim()",
                   "3,000 of 6,000 looked at, 41 so far Show these")
        self.assertIn("so far", self.text("nav[aria-label=Lists]"))
        self.click(".progress button")
        self.until("document.querySelectorAll('.work .item').length", 2)
        self.until("document.querySelector('.progress button')", None)
        self.no_faults()

    def test_review_begins_with_the_list_that_has_something(self):
        self.open("/")
        self.ask("""(() => { const real = window.fetch; window.fetch = async (...asked) => {
            const got = await real(...asked), all = await got.clone().json().catch(() => ({}));
            if (!all.wrong) return got;
            const wrong = { ...all.missing, suspects: all.missing.suspects.map((each) =>
                ({ ...each, rival: { label: each.label, confidence: 1 } })) };
            return Response.json({ ...all, wrong, missing: { found: 0, clear: 0, suspects: [] } });
        }; })()""")
        self.click("header nav a[href=review]")
        self.until("document.querySelectorAll('.work .item').length > 0")
        self.assertIn("look wrong", self.text("nav[aria-label=Lists] [aria-current]"))

    # Documents without titles, and with texts

    def test_a_document_without_a_title_shows_its_first_words_everywhere(self):
        words = "Which guitar strings sound warm"
        for page in ("/?q=guitar+strings+warm", "/document?id=untitled-0", "/copies?min_similarity=0.8",
                     "/try?text=" + quoted("guitar strings in winter"), "/explore?q=guitar+strings"):
            self.open(page)
            self.assertTrue(any(words in title for title in self.texts("main .title, main h1")), page)
            self.assertFalse(any("untitled" in title for title in self.texts("main .title")), page)

    def test_the_document_page_shows_the_text_and_cuts_it_after_a_word(self):
        self.open("/document?id=long", "phone")
        self.assertRegex(self.text(".text"), r"(harbor|sleeps|evening|the|under|tide\.|quiet)\u2026$")
        self.assertLess(self.ask("document.querySelector('.text').getBoundingClientRect().top"), 500)
        self.click(".text + button")
        self.until("document.querySelector('.text').innerText.length > 8000")

    def test_documents_and_tags_whose_names_are_dots_open(self):
        for name in (".", ".."):
            record = {"id": name, "title": "Two dots", "text": "The moon", "labels": ["..", "space"]}
            self.server.post("/documents", record)
            self.open("/label?label=..")
            self.until("document.querySelectorAll('.lead, .empty-head').length", 1)
            self.open("/document?id=" + name)
            self.assertEqual(self.text("h1"), "Two dots")
            self.decide(".chips .chip", "reject")
            self.until("document.querySelectorAll('#toast .act').length", 1)
            self.server.request("DELETE", "/documents/-?id=" + name)
        self.no_faults()

    # Slow lists

    def test_the_page_of_a_tag_answers_at_once_and_then_completes(self):
        self.open("/label?label=pottery")
        self.until("document.querySelectorAll('.work .item').length > 0")
        self.assertIn("pottery-0", self.ask(
            "[...document.querySelectorAll('.item')].map((e) => e.dataset.item)"))
        # A list that somebody may be reading is replaced when they say so.
        self.until("(() => { document.querySelector('.progress button')?.click(); "
                   "return document.querySelectorAll('.progress').length; })()", 0)
        self.no_faults()

    def test_the_list_of_tags_has_pages_and_an_order_and_finds_by_name(self):
        tags = [f"stored tag {i:02}" for i in range(60)]
        self.server.post("/documents", {"id": "stored", "text": "All tags", "labels": tags})
        until(lambda: self.server.get("/labels?query=stored").json()["found"] == len(tags))
        self.open("/label?find=stored+tag&sort=name")
        self.assertTrue(self.texts("#all-tags li")[0].startswith(tags[0]))
        self.assertEqual(self.number("#all-tags li"), 50)
        self.click("[aria-label='Pages of tags'] a")
        self.until("document.querySelectorAll('#all-tags li').length", 10)
        self.assertIn("find=stored", self.ask("location.search"))

        self.open("/label")
        self.type("main input[type=search]", "STORED tag 07")
        self.until("document.querySelectorAll('#all-tags li').length", 1)
        self.assertTrue(self.texts("#all-tags li")[0].startswith(tags[7]))
        self.assertIn("find=STORED", self.ask("location.search"))
        self.server.request("DELETE", "/documents/stored")
        self.no_faults()

    def test_status_calls_lists_by_plain_words(self):
        self.server.get("/suspects?filter=moon")
        self.open("/about")
        self.assertIn("List of Review", self.text())
        self.assertNotIn("suspects", self.text())

    # Tags are one thing

    def test_facets_count_both_kinds_and_a_switch_leaves_those_of_people(self):
        self.open("/?q=moon")
        both = self.texts("#filters section:first-of-type .entry")[0]
        self.assertIn("--people", self.ask("document.querySelector('#filters .bar').style.cssText"))
        self.click("#filters [role=switch]")
        self.until("location.search.includes('people=1')")
        self.settled()
        self.assertNotEqual(self.texts("#filters section:first-of-type .entry")[0], both)
        self.click("#filters .entry")
        self.until("new URLSearchParams(location.search).has('tag')")
        self.settled()
        self.assertEqual(self.number("[aria-label='Filters in use'] .filter"), 1)
        self.click("[aria-label='Filters in use'] .filter")
        self.until("new URLSearchParams(location.search).has('tag')", False)

    def test_tags_take_one_line_and_the_rest_is_behind_a_number(self):
        self.open("/?q=long")
        line = "document.querySelector('[data-item=long] .chips').getBoundingClientRect().height"
        self.assertLess(self.ask(line), 36)
        self.assertRegex(self.text("[data-item=long] .more"), r"^\+\d+")
        self.click("[data-item=long] .more")
        self.until("document.querySelectorAll('[data-item=long] .chip').length", 21)
        self.open("/?sort=newest")
        whole = self.ask("[...document.querySelectorAll('.item')].filter((e) => "
                         "e.getBoundingClientRect().bottom <= innerHeight).length")
        self.assertGreaterEqual(whole, 6)

    # Home, map

    def test_the_home_page_says_what_this_is_and_its_queries_find_something(self):
        self.open("/")
        self.assertIn(f"{self.server.get('/status').json()['index']['documents']} documents",
                      self.text(".lead"))
        self.assertIn("given by people", self.text(".legend"))
        self.assertGreater(self.number(".home-map path"), 30)
        queries = self.ask("[...document.querySelectorAll('.tries a')].map((a) => a.href)")
        self.assertEqual(len(queries), 3)
        for query in queries:
            self.open("/" + query.split("/")[-1])
            self.assertGreater(self.number(".item"), 0, query)

    def test_the_map_shows_units_where_results_lie_in_colors_that_differ_from_the_neighbors(self):
        hits = self.server.get("/map?q=moon").json()["hits"]
        self.open("/explore?q=moon")
        strong = '.map path[data-unit]:not([fill-opacity="0.12"])'
        self.assertEqual(sorted(self.ask(f"[...document.querySelectorAll({json.dumps(strong)})]"
                                         ".map((e) => Number(e.dataset.unit))")),
                         sorted(hit["unit"] for hit in hits))
        units = self.server.get("/map").json()["units"]
        color = dict(self.ask("[...document.querySelectorAll('.region')].map((e) => "
                              "[Number(e.dataset.topic), e.style.getPropertyValue('--its')])"))
        counts = self.texts(".explore .side .entry .figure")
        self.assertTrue(counts and "0" not in counts, counts)
        for a in units:
            for b in units:
                if a["topic"] != b["topic"] and abs(a["x"] - b["x"]) + abs(a["y"] - b["y"]) < 1.4:
                    self.assertNotEqual(color[a["topic"]], color[b["topic"]])

    def test_the_map_says_what_to_do_where_documents_have_no_place(self):
        self.assertEqual(self.server.get("/map?q=plugh").json()["hits"], [])
        self.open("/explore?q=plugh")
        self.assertIn("kindred topics assign", self.text(".readout"))

    def test_the_map_tells_what_is_pointed_at_grows_and_leads_to_a_topic(self):
        self.open("/explore")
        self.point(".map path[data-unit]")
        self.until("document.querySelector('.readout').innerText.includes('here')")
        self.click(".explore .row button")
        self.until("document.querySelector('.map-box').scrollWidth > "
                   "document.querySelector('.map-box').clientWidth")
        self.click(".explore .side .entry")
        self.until("location.search.startsWith('?topic=')")
        self.settled()
        self.assertGreater(self.number(".plain li"), 0)
        self.no_faults()

    # Tune, new tags, try

    def test_tune_shows_before_and_after_and_asks(self):
        self.open("/about")
        before = self.server.get("/status").json()["index"]["revision"]
        self.click("button.start")
        self.until("document.querySelector('.notice') !== null")
        self.assertRegex(self.text(".notice"), r"right for \d+ of 100 documents \(\d+ of 100 today\)\. "
                         r"Tags of [\d,]+ documents? would change\.")
        self.assertEqual(self.server.get("/status").json()["index"]["revision"], before)
        self.click(".notice button:not(.main-button)")
        self.until("document.querySelector('.notice')", None)
        self.no_faults()

    def test_tags_are_shown_and_added_by_their_names(self):
        terms = b"id,name\nspace,Outer space\nunused,Never used\n"
        loaded = self.server.request("POST", "/vocabulary", terms, {"Content-Type": "text/csv"})
        self.assertEqual(loaded.status, 200, loaded.body)
        self.open("/document?id=moon-1")
        self.assertIn("Outer space", self.text(".chips"))
        self.assertEqual(self.ask("document.querySelector('.chips a').title"), "space")
        self.click("button.edit")
        self.type("#new-tag", "never")
        self.until("[...document.querySelectorAll('#labels option')].some((o) => o.value === 'unused')")
        self.type("#new-tag", " USED")
        self.browser.press("Enter")
        self.until("document.querySelector('.chips').innerText.includes('Never used')")
        self.assertEqual(self.document("moon-1")["labels"], ["space", "unused"])
        self.server.post("/documents/moon-1/tags", {"take_off": ["unused"]})
        self.open("/review")
        self.no_faults()
        self.server.request("DELETE", "/vocabulary")

    def test_the_tree_of_the_vocabulary_is_on_the_page_of_a_tag_and_where_tags_are_chosen(self):
        terms = b"id,name,broader\nspace,Outer space,nature\nnature,Nature,\nstars,Stars,space\n"
        self.server.request("POST", "/vocabulary", terms, {"Content-Type": "text/csv"})
        self.addCleanup(self.server.request, "DELETE", "/vocabulary")
        self.open("/label?label=space")
        self.assertIn("Broader\nNature", self.text("main"))
        self.assertIn("Narrower\nStars", self.text("main"))
        self.click("main section a[href*=narrower]")
        self.until("document.querySelectorAll('.item').length > 3")

        self.open("/document?id=moon-1")
        self.until("document.querySelector('.suggestions').innerText.includes('in Nature')")
        self.click("button.edit")
        self.type("#new-tag", "Star")
        self.until("document.querySelector('#labels').innerHTML.includes('Stars, in Outer space')")
        self.no_faults()

    def test_a_slip_is_no_new_tag(self):
        self.open("/document?id=soup-1")
        self.click("button.edit")
        self.type("#new-tag", "coking")
        self.browser.press("Enter")
        self.until("document.querySelector('form [role=status]').innerText.includes('Did you mean')")
        self.assertIn("cooking", self.text("form [role=status]"))
        self.assertNotIn("coking", self.document("soup-1")["labels"])
        self.click("form [role=status] button:last-child")
        self.until("document.querySelector('.chips').innerText.includes('coking')")
        self.click("#toast .act")
        self.until("document.querySelector('.chips').innerText.includes('coking')", False)
        self.no_faults()

    def test_try_lists_tags_with_reasons_and_those_that_are_accepted(self):
        self.open("/try")
        self.click("form.trial button:not(.main-button)")
        self.until("document.querySelector('.side ol') !== null")
        self.open("/try?text=" + quoted("Astronauts drove over the dusty surface of the Moon."))
        self.assertIn("space", self.text(".suggestions .chip"))
        self.assertIn("would be given", self.text(".suggestion"))
        self.browser.press("j")
        self.browser.press("a")
        self.until("document.querySelector('.accepted').textContent", "Accepted: space")
        self.browser.press("Enter")
        self.until("document.querySelector('.reason-body .figure').innerText.includes('of the vote')")
        self.no_faults()

    def test_a_text_that_is_too_long_for_an_address_is_tried_too(self):
        self.open("/try")
        self.type("#text", "the moon and its rocks. " * 200)
        self.click(".trial .main-button")
        self.until("location.pathname + location.search", "/try?long=1")
        self.until("document.querySelector('.side ol') !== null")


class WithToken(PageTest):
    token = TOKEN

    def test_the_pages_are_read_only_until_somebody_signs_in(self):
        self.open("/document?id=moon-1")
        self.assertEqual(self.number(".buttons, #new-tag"), 0)
        self.click("#session")
        self.type("#token", "not-the-token-of-the-tests")
        self.browser.press("Enter")
        self.until("document.querySelector('#sign-in-trouble').innerText.includes('not the token')")
        self.ask("document.querySelector('#token').value = ''")
        self.type("#token", TOKEN)
        self.browser.press("Enter")
        self.until("document.querySelectorAll('.buttons').length > 0")
        self.until("document.querySelector('#session').innerText", "Sign out")
        self.click("#session")
        self.until("document.querySelectorAll('.buttons').length", 0)
        self.open("/review")
        self.click(".decide button")
        self.until("document.querySelector('#sign-in').open")
        self.no_faults()


if __name__ == "__main__":
    main()
