#!/usr/bin/env python3
"""Decides about tags in a real browser: by keys alone, from a list of suspects, and after somebody
else has decided meanwhile.

usage: page_decisions_test.py KINDRED_SERVER LIBKINDRED DATA_DIR [TEST...]
"""
import html
import http.cookies
import json
import re
import urllib.parse

from page_reader import PageTest, main
from running_server import TOKEN, quoted


class Decisions(PageTest):
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
        self.server.post("/documents", {"id": "odd-1", "labels": ["cooking"],
                                        "text": "First chords on the guitar"})
        self.open("/review")
        self.until("document.querySelectorAll('.item').length > 0")
        first = self.browser.ask("document.querySelector('.item').dataset.item")
        proposed = self.browser.ask("document.querySelector('.item [name=change]').value")
        self.browser.press("j")
        self.browser.press("a")
        self.until("!document.querySelector('.item')?.offsetParent")
        self.until("document.querySelector('.pending')", None)
        self.assertIn(proposed, self.document(first)["labels"])
        self.assertNotEqual(self.browser.ask("document.activeElement.dataset.item"), first)
        self.no_faults()

    def test_a_document_that_is_kept_as_it_is_stays_so_for_everybody(self):
        self.sign_in()
        self.server.post("/documents", {"id": "odd-2", "labels": ["cooking"],
                                        "text": "The rocket reached orbit around the moon"})
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
        self.server.post("/documents", {"id": "odd-3", "labels": ["cooking"],
                                        "text": "Training for the city marathon"})
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


if __name__ == "__main__":
    main()
