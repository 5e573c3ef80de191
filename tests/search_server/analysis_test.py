#!/usr/bin/env python3
"""Whether the search server finds words under the terms that Kindred gave them: lemmas, words of
scripts without spaces, words without stop words.

usage: analysis_test.py KINDRED_SERVER LIBKINDRED RECORDS.jsonl
"""
import json
import pathlib
import sys
import tempfile
import unittest
import urllib.parse

from running_server import ServedTest

RECORDS = [
    {"id": "geese", "title": "Birds of passage", "text": "The geese went south over the tidal marsh."},
    {"id": "moose", "title": "Forest", "text": "A moose stayed where the river is shallow."},
    {"id": "tokyo", "title": "東京", "text": "言語の研究をしています。" * 20 + "東京大学です。"},
    {"id": "kyoto", "title": "京都", "text": "京都は古い都です。", "labels": ["京都府"]},
    {"id": "odd", "title": "x", "text": "node.js john.doe@example.org AT&T O’Brien's Straße café"},
]
LEMMAS = "goose\tgeese\ngo\twent\ngo\tgone\n"


class Analysis(ServedTest):
    @classmethod
    def setUpClass(cls):
        work = tempfile.TemporaryDirectory(prefix="kindred-analysis-")
        cls.addClassCleanup(work.cleanup)
        lemmas, settings = [pathlib.Path(work.name, name) for name in ("lemmas.tsv", "kindred.toml")]
        lemmas.write_text(LEMMAS, encoding="utf-8")
        settings.write_text(f'analyzer.lemmas = ["en={lemmas}"]\n', encoding="utf-8")
        cls.settings = f"kindred_settings = {json.dumps(str(settings))}\n"
        super().setUpClass()
        for record in RECORDS:
            assert cls.server.post("/documents", record).status < 300

    def ids(self, query):
        return sorted(document["id"] for document in self.found(q=query)["documents"])

    def check_all(self):
        for query, expected in (
                ("goose", ["geese"]), ("geese", ["geese"]), ("goose gone", ["geese"]),
                ("tidal OR shallows", ["geese", "moose"]), ("goose -river", ["geese"]),
                ("the goose and the marsh", ["geese"]), ("\"geese went\"", ["geese"]),
                ("\"goose go\"", []), ("title:bird", ["geese"]), ("mars*", ["geese"]),
                ("大学", ["tokyo"]), ("東京大学", ["tokyo"]), ("\"東京大学\"", ["tokyo"]),
                ("研究 -京都", ["tokyo"]), ("言語の研究", ["tokyo"]), ("label:京都府", ["kyoto"]),
                ("id:moose", ["moose"]), ("Goose", ["geese"]), ("-goose", ["kyoto", "moose", "odd", "tokyo"]),
                ("NOT goose", ["kyoto", "moose", "odd", "tokyo"]), ("-京都", ["geese", "moose", "odd", "tokyo"]),
                ("Node.js", ["odd"]), ("john.doe@example.org", ["odd"]), ("AT&T", ["odd"]),
                ("O'Brien", ["odd"]), ("Straße", ["odd"]), ("CAFÉ", ["odd"])):
            self.assertEqual(self.ids(query), expected, query)

    def test_words_are_found_under_the_terms_of_the_index_also_after_a_swap(self):
        self.check_all()
        self.server.swap()
        self.check_all()

    def test_a_mistake_is_told_and_while_somebody_types_only_words_count(self):
        for query in ('"goose', "(goose", "goose AND", "nofield:goose"):
            path = "/search?q=" + urllib.parse.quote(query)
            self.assertEqual(self.server.get(path).status, 400, query)
        for query in ('"goo', "(goo", "label: goo"):
            answer = self.server.get("/search?partial=1&q=" + urllib.parse.quote(query))
            self.assertEqual(answer.status, 200, query)

    def test_words_that_are_near_are_shown_as_people_write_them(self):
        for query, word in (("goose", "geese"), ("大学", "大学")):
            snippet = self.found(q=query)["documents"][0]["snippet"]
            self.assertEqual([part["text"] for part in snippet if part["hit"]], [word])


if __name__ == "__main__":
    ServedTest.programs = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1], verbosity=2)
