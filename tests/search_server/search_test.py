#!/usr/bin/env python3
"""What people find: names first, titles everywhere, both counts of a label, pages to the last one,
lists that are completed by a job, and edits of many documents.

usage: search_test.py KINDRED_SERVER LIBKINDRED RECORDS.jsonl
"""
import sys
import unittest
import urllib.parse

from running_server import ServedTest, quoted, until

NAMES = ["gimp", "git", "nginx", "firefox-esr", "vim"]


class Search(ServedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for name in NAMES:
            cls.add(f"{name}-doc", f"Manual of {name}", f"{name} " * 20, ["doc"])
            cls.add(name, f"The {name} program", "A tool without much to say", ["program"])
        cls.add("untitled", "", "These words stand in for a title " * 9, ["doc"])

    @classmethod
    def add(cls, name, title, text, labels):
        record = {"id": name, "title": title, "text": text, "labels": labels}
        assert cls.server.post("/documents", record).status == 201

    def complete(self, target):
        until(lambda: self.server.get(target).json()["complete"])
        return self.server.get(target).json()

    def test_an_id_or_a_title_finds_its_document_first(self):
        for name in NAMES:
            for query in (name, name.upper(), f"The {name} program", f"the {name} prog"):
                self.assertEqual(self.found(q=query)["documents"][0]["id"], name, query)
            pages = [self.found(q=name, offset=i, limit=1)["documents"] for i in range(4)]
            found = [document["id"] for page in pages for document in page]
            self.assertEqual(found, [name, f"{name}-doc"])
        self.assertEqual(self.found(q="firefox-e")["documents"][0]["id"], "firefox-esr")
        self.assertEqual(self.found(q="gimp", tag="doc")["documents"][0]["id"], "gimp-doc")

    def test_a_misspelled_word_is_put_right_by_the_nearest_then_the_most_frequent_one(self):
        for typed, meant in [("the porgram", "the program"), ("wihtuot", "without"), ("manaul", "manual"),
                             ("progr gimp", None), ("xylophone", None), ("program", None),
                             ("twihtuots OR wihtuot", "twihtuots OR without"),
                             ("twihtuots wihtuot", None),
                             ("label:porgram OR Porgram", "label:porgram OR program")]:
            self.assertEqual(self.found(q=typed)["correction"], meant, typed)

    def test_near_copies_are_folded_over_all_pages(self):
        for i in range(30):
            self.add(f'copy "{i}"', "", "quartz copied word for word " * 5, ["copy"])
        for i in range(3):
            self.add(f"other-{i}", "", f"quartz in another text {i} of topic{i} matter{i} " * 4, ["other"])
        pages = [self.found(q="quartz", fold=0.95, limit=2, offset=offset) for offset in (0, 2, 4)]
        shown = [document["id"] for page in pages for document in page["documents"]]
        self.assertEqual(len(shown), 4)
        self.assertEqual(len([each for each in shown if each.startswith("copy ")]), 1)
        copies = [document["duplicates"] for page in pages for document in page["documents"]
                  if document["duplicates"]]
        self.assertEqual([len(each) for each in copies], [29])
        self.assertEqual({each["similarity"] for each in copies[0]}, {1})
        self.assertEqual((pages[-1]["folded"], pages[-1]["total"]["estimate"]), (29, 33))

    def test_a_document_without_a_title_shows_its_first_words(self):
        title = self.server.get("/documents/untitled").json()["title"]
        self.assertTrue(title.startswith("These words stand in for a title"))
        self.assertLess(len(title), 100)

    def test_a_label_has_both_counts_and_a_page_beyond_the_last_is_empty(self):
        expected = [{"value": "doc", "documents": 6, "predicted": 0},
                    {"value": "program", "documents": 5, "predicted": 0}]
        until(lambda: self.found(limit=0)["facets"]["label"] == expected)  # they follow the index
        self.assertEqual(self.found(offset=10_000_000)["documents"], [])

    def labels(self, **asked):
        answer = self.server.get("/labels?" + urllib.parse.urlencode(asked))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def test_labels_come_in_pages_and_are_found_by_a_part_of_their_name(self):
        many = [f"place {i:03}" for i in range(150)]
        self.add("places", "Places", "Where people live", many + ["Zürich"])
        self.add("west", "West", "Where people live", ["zurich-west", "Zürich"])
        until(lambda: self.labels(query="zurich")["found"] == 2)
        whole = self.labels(limit=1000)
        names = [each["label"] for each in whole["labels"]]
        self.assertEqual((names, whole["next"]), (sorted(names), None))

        first = self.labels()
        self.assertEqual((first["labels"], first["found"], first["next"]),
                         (whole["labels"][:100], len(names), 100))
        last = self.labels(offset=first["next"])
        self.assertEqual(first["labels"] + last["labels"], whole["labels"])
        self.assertEqual(self.labels(offset=5000)["labels"], [])

        found = self.labels(query="ZURICH", sort="documents")
        self.assertEqual([(each["label"], each["documents"]) for each in found["labels"]],
                         [("Zürich", 2), ("zurich-west", 1)])
        some = self.labels(query="place", limit=2, offset=2)
        self.assertEqual(([each["label"] for each in some["labels"]], some["found"], some["next"]),
                         (many[2:4], 150, 4))
        for wrong in ("limit=0", "limit=1001", "offset=-1", "sort=size"):
            self.assertEqual(self.server.get("/labels?" + wrong).status, 400, wrong)
        for name in ("places", "west"):
            self.server.request("DELETE", "/documents/" + name)

    def load(self, text, target="/vocabulary", media="text/csv"):
        return self.server.request("POST", target, text.encode(), {"Content-Type": media})

    def test_labels_have_names_in_the_languages_of_the_reader(self):
        path, german = "/documents/untitled/tags", {"Accept-Language": "fr;q=0.1, de-AT, en;q=0.5"}
        loaded = self.load("id,name,language,synonym,broader\ndoc,Documentation,en,manuals,\n"
                           "doc,Dokumentation,de,,\nunused,Unused subject,en,,doc\n").json()
        self.assertEqual((loaded["terms"], loaded["named"], loaded["mistakes"]), (2, 1, []))
        self.assertEqual(self.server.get("/status").json()["snapshot"]["vocabulary_terms"], 2)

        answer = self.server.get("/documents/untitled", headers=german)
        document = answer.json()
        self.assertEqual((document["labels"], document["names"]), (["doc"], {"doc": "Dokumentation"}))
        self.assertNotIn("ETag", answer.headers)  # a name changes while its document does not
        self.assertEqual(self.labels(query="manual")["labels"][0]["name"], "Documentation")
        facets = self.server.get("/search?q=gimp", headers=german).json()["facets"]["label"]
        self.assertIn(("doc", "Dokumentation"), [(each["value"], each.get("name")) for each in facets])
        self.assertEqual(self.server.get("/labels/Manuals/candidates").status, 200)
        target = "/labels/program/candidates"
        until(lambda: self.server.get(target, headers=german).json()["complete"])
        self.assertEqual(self.server.get(target, headers=german).json()["names"], {"doc": "Dokumentation"})

        # Names are as good as ids, also those that no document has yet.
        edited = self.server.post(path, {"add": ["unused SUBJECT"]}).json()
        self.assertEqual(edited["labels"], ["doc", "unused"])
        self.assertEqual(self.found(q="label:Manuals")["total"], self.found(q="label:doc")["total"])
        slip = self.server.post(path, {"add": ["Documentatoin"]})
        self.assertEqual((slip.status, slip.json()["suggestions"]), (409, ["Documentation"]))
        terms = self.server.get("/vocabulary?query=subj", headers=german).json()
        self.assertEqual((terms["ids"], terms["names"]["doc"], terms["terms"][0]["documents"]),
                         (["unused"], "Dokumentation", 1))
        self.server.post(path, {"take_off": ["unused"]})

        # Mistakes are told with their lines, and change nothing.
        refused = self.load("id,name\ndoc,Other\n,b\ndoc,c\n")
        self.assertEqual((refused.status, [each["line"] for each in refused.json()["mistakes"]]), (400, [3, 4]))
        self.assertEqual(self.labels(query="doc")["labels"][0]["name"], "Documentation")
        skipped = self.load("id,name\ndoc,Other\n,b\n", "/vocabulary?skip_bad=1")
        self.assertEqual((skipped.status, skipped.json()["mistaken"]), (200, 1))
        turtle = '<a:doc> <http://www.w3.org/2004/02/skos/core#prefLabel> "Third" .'
        self.assertEqual(self.load(turtle, "/vocabulary?id_prefix=a:", "text/turtle").json()["named"], 1)
        self.assertEqual(self.load("", media="text/plain").status, 415)
        self.assertEqual(self.server.request("DELETE", "/vocabulary").status, 204)
        self.assertNotIn("name", self.labels(query="doc")["labels"][0])
        self.assertIn("ETag", self.server.get("/documents/untitled").headers)

    def test_lists_are_completed_by_a_job(self):
        for target in ("/suspects", "/duplicates", "/labels/doc/candidates?explain=1"):
            self.complete(target)
        self.assertEqual(self.complete("/duplicates?min_similarity=0.5&limit=1&offset=1000")["groups"], [])

    def test_candidates_of_an_unknown_label_are_an_error_that_names_the_nearest_labels(self):
        answer = self.server.get("/labels/progam/candidates")
        self.assertEqual(answer.status, 404)
        self.assertIn("no document has the label 'progam'; the nearest names are 'program'",
                      answer.json()["detail"])
        self.assertNotIn("like_query", answer.body.decode())

    def test_a_list_without_a_document_that_was_edited_is_another_answer(self):
        target = "/labels/doc/candidates"
        name = self.complete(target)["candidates"][0]["id"]
        etag = self.server.get(target).headers["ETag"]
        path = "/documents/%s/tags" % quoted(name)
        self.assertEqual(self.server.post(path, {"add": ["doc"]}).status, 200)
        again = self.server.get(target, headers={"If-None-Match": etag})
        self.assertEqual(again.status, 200)
        self.assertNotIn(name, [each["id"] for each in again.json()["candidates"]])
        self.server.post(path, {"reject": ["doc"]})

    def test_many_documents_are_edited_in_one_commit_or_in_none(self):
        edits = [{"id": name, "add": ["editor "]} for name in NAMES]
        before = self.server.get("/status").json()["index"]["revision"]
        wrong = self.server.post("/documents/tags", {"edits": edits + [{"id": "none"}]})
        self.assertEqual(wrong.status, 404)
        answer = self.server.post("/documents/tags", {"edits": edits})
        self.assertTrue(all("editor" in each["labels"] for each in answer.json()["documents"]))
        self.assertEqual(self.server.get("/status").json()["index"]["revision"], before + 1)
        self.server.post("/documents/tags", {"edits": [
            {"id": name, "undo": ["editor"]} for name in NAMES]})

    def test_a_label_that_may_be_a_slip_is_asked_about(self):
        path = "/documents/untitled/tags"
        answer = self.server.post(path, {"add": ["progam"]})
        self.assertEqual((answer.status, answer.json()["suggestions"]), (409, ["program"]))
        self.assertEqual(self.server.post(path, {"add": ["progam"], "new": True}).status, 200)
        self.assertEqual(self.server.post(path, {"reject": ["progam"]}).status, 200)

    def test_documents_and_tags_whose_names_are_dots_have_addresses(self):
        for name, address in ((".", "/documents/-?id=."), ("..", "/documents/-?id=.."), ("-", "/documents/-")):
            record = {"id": name, "title": "Dots", "text": "A tool", "labels": [".."]}
            created = self.server.post("/documents", record)
            self.assertEqual((created.status, created.headers["Location"]), (201, address))
            self.assertEqual(self.server.get(address).json()["id"], name)
            tags = address.replace("/-", "/-/tags")
            self.assertEqual(self.server.post(tags, {"add": ["doc"]}).json()["labels"], ["..", "doc"])
            related = self.server.get(address.replace("/-", "/-/related")).json()
            self.assertEqual(related["request"]["like"], [{"id": name}])
        label = self.complete("/labels/-/candidates?label=..&limit=5")
        self.assertEqual(label["label"], "..")
        for name in (".", "..", "-"):
            put = self.server.request("PUT", "/documents/-?id=" + name, {"title": "Dots"})
            self.assertEqual(put.status, 200)
            self.assertEqual(self.server.request("DELETE", "/documents/-?id=" + name).status, 204)

    def test_malformed_text_is_taken_by_put_and_post_alike(self):
        for method, target in (("PUT", "/documents/" + quoted("odd")), ("POST", "/documents")):
            answer = self.server.request(method, target, b'{"id": "odd", "text": "a\xff b"}',
                                         {"Content-Type": "application/json"})
            self.assertIn(answer.status, (200, 201), answer.body)
        self.assertEqual(self.server.request("DELETE", "/documents/odd").status, 204)


if __name__ == "__main__":
    ServedTest.programs = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
