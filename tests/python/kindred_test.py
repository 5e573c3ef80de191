"""The Python package: answers as dataclasses that agree with the table of questions, pages, errors,
threads, and what ends a call.

usage: kindred_test.py PACKAGES (the folder that has the package) [KINDRED], with $KINDRED_LIBRARY"""

import dataclasses
import datetime
import json
import logging
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import typing
import unittest

sys.path.insert(0, sys.argv[1])
import kindred  # noqa: E402
from kindred import database  # noqa: E402

PROGRAM = sys.argv[2] if len(sys.argv) > 2 else None
HERE = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(HERE, "../data/topics.jsonl"), encoding="utf-8") as data:
    RECORDS = [json.loads(line) for line in data]
def schema_of(question, part):
    return json.loads(subprocess.check_output([PROGRAM, "help", "--schema", question]))[part]


class Test(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "topics.db")
        self.db = kindred.open(self.path, create=True)
        self.db.ingest(RECORDS)

    def tearDown(self):
        self.db.close()
        self.folder.cleanup()

    def test_tags_and_reasons(self):
        plain = self.db.classify("Astronauts on the moon")
        self.assertEqual(plain.tags[0].label, "space")
        self.assertEqual((plain.reasons, plain.voters, plain.id), ([], [], None))
        why = self.db.classify("Astronauts on the moon", why=True)
        self.assertEqual(why.tags, plain.tags)
        self.assertEqual(why.reasons[0].label, "space")
        self.assertIn("moon-1", [voter.id for voter in why.reasons[0].voters])
        self.assertIn("Zmoon", [term.term for term in why.reasons[0].terms])
        self.assertEqual(self.db.classify("moon", limit=1, min_confidence=0.0).tags[0].label, "space")
        many = list(self.db.classify_all(record["text"] for record in RECORDS * 10))
        self.assertEqual(len(many), 400)
        self.assertEqual(many[0].tags, self.db.classify(RECORDS[0]["text"]).tags)

    def test_examples(self):
        by_id = self.db.related(kindred.Id("moon-1"), limit=3)
        self.assertEqual(by_id, self.db.related(1, limit=3))
        self.assertEqual(by_id, self.db.related(self.db.documents("moon-1")[0], limit=3))
        self.assertEqual(self.db.related(by_id[0]), self.db.related(by_id[0].id))
        self.assertEqual(len(self.db.related([1, "a moon", {"text": "rocks"}], unlike=[2])), 10)
        self.assertEqual(self.db.classify(kindred.Id("moon-1")).id, "moon-1")
        self.assertEqual(self.db.classify(1).docid, 1)
        self.assertEqual(self.db.classify({"title": "Moon", "text": "orbit"}).best.label, "space")
        self.assertTrue(self.db.related("moon", why=True)[0].terms)

    def test_documents_and_texts_by_name(self):
        moon = kindred.Id("moon-1")
        self.assertEqual(self.db.related(id="moon-1"), self.db.related(moon))
        self.assertEqual(self.db.related(id=["moon-1", "moon-2"], text="rocks"),
                         self.db.related([moon, kindred.Id("moon-2"), "rocks"]))
        self.assertEqual(self.db.classify(id="moon-1"), self.db.classify(moon))
        self.assertEqual(self.db.classify(text="moon"), self.db.classify("moon"))
        self.assertEqual([answer.id for answer in self.db.classify_all(id=["moon-1", "soup-1"])],
                         ["moon-1", "soup-1"])
        for given in ({}, {"id": "moon-1", "text": "x"}):
            with self.assertRaisesRegex(kindred.InvalidArgument, "one of an example, id= and text="):
                self.db.classify(**given)

    def test_an_id_that_says_nothing_as_a_text_is_refused(self):
        self.db.ingest([{"id": "p0", "text": "The moon"}, {"id": "the moon", "text": "The moon"}])
        self.db.train_topics(rows=2, columns=2)
        for call in (self.db.related, self.db.classify, self.db.topic_of,
                     lambda text: self.db.related(["zzz", text]),
                     lambda text: list(self.db.classify_all(["moon", text]))):
            with self.assertRaisesRegex(kindred.InvalidArgument, "no word of the text 'p0'.*write id='p0'"):
                call("p0")
        self.assertEqual(self.db.related(text="p0"), [])
        self.assertEqual(self.db.related("zzz"), [])
        self.assertEqual(self.db.related("the moon", filter="label:none"), [])
        self.assertEqual(self.db.related(id="p0")[0].id, "the moon")

    def test_a_database_is_a_container_of_documents(self):
        self.assertEqual(len(self.db), len(RECORDS))
        self.assertEqual(list(self.db), [record["id"] for record in RECORDS])
        for inside, given in ((True, "moon-1"), (True, 1), (False, "no"), (False, 999), (False, "")):
            self.assertEqual(given in self.db, inside, given)
        self.assertEqual(self.db["moon-1"], self.db.documents("moon-1")[0])
        self.assertEqual(self.db[1].id, "moon-1")
        with self.assertRaises(KeyError):
            self.db["no"]
        with tempfile.TemporaryDirectory() as folder, kindred.open(folder + "/db", create=True) as none:
            self.assertEqual((len(none), bool(none)), (0, True))

    def test_tuning(self):
        tried = self.db.tune(dry_run=True)
        self.assertEqual((tried.tuned, tried.file), (True, None))
        self.assertIsNone(self.db.ask("status")["tuning"])
        steps = []
        self.assertEqual(self.db.tune(progress=lambda *step: steps.append(step)).tuning.voters, 40)
        self.assertTrue(steps)
        self.assertTrue(self.db.tune(remove=True).removed)

    def test_the_version_is_that_of_the_package(self):
        metadata, = pathlib.Path(kindred.__file__).parent.parent.glob("kindred-*.dist-info/METADATA")
        self.assertIn(f"\nVersion: {kindred.__version__}\n", metadata.read_text("utf-8"))

    def test_notebooks_show_tables_with_text_escaped(self):
        self.db.ingest({"id": "<b>", "title": "<script>", "labels": ["a&b"], "text": "moon"})
        found = self.db.related(text="moon rocks", limit=3)._repr_html_()
        self.assertEqual((found.count("<table>"), found.count("<tr>")), (1, 4))
        self.assertIn("<th>similarity</th>", found)
        for one in (self.db["<b>"], self.db.matching("label:a&b"), self.db.documents(["<b>"])):
            text = one._repr_html_()
            self.assertIn("&lt;script&gt;", text)
            self.assertIn("a&amp;b", text)
            self.assertNotIn("<script>", text)
        why = self.db.classify("moon rocks", why=True)._repr_html_()
        self.assertIn("<th>tags</th><td><table>", why)
        self.assertIn("moon 0.", why)
        self.assertNotIn("Zmoon", why.replace("<td>Zmoon</td>", ""))
        self.assertEqual(kindred.Rows()._repr_html_(), "<p>none</p>")
        self.assertIn("and more", self.db.export()._repr_html_())
        kindred.Rows([kindred.Tag(kindred.Name("\udcff"), 0.5)])._repr_html_().encode()

    def test_pages(self):
        ids = [document.id for document in self.db.export()]
        self.assertEqual(ids, [record["id"] for record in RECORDS])
        self.assertEqual([d.id for d in self.db.export(limit=3)], ids[:3])
        pages = self.db.matching("label:space")
        pages._most = 3
        self.assertEqual(len(list(pages)), 10)
        self.assertEqual(list(pages), list(self.db.matching("label:space")))
        self.assertEqual(len(list(self.db.candidates("space", limit=2, why=True))), 2)
        first = next(iter(self.db.export(terms=True)))
        self.assertEqual((first.fields["year"], first.labels), (1969, ["space"]))
        self.assertIn("moon", first.terms)

    def test_suspects(self):
        self.db.edit("soup-1", add="space")
        found = self.db.suspects(limit=5)
        self.assertEqual(found.examined, 40)
        for one in (found.missing, found.wrong):
            self.assertEqual(len(one.suspects), min(one.found, 5))
        self.assertIsInstance(found.missing.suspects, kindred.Rows)
        self.assertEqual(list(self.db.suspects("label:none").wrong.suspects), [])

    def test_rows_read_well(self):
        self.assertEqual(repr(kindred.Tag("space", 1 / 3)), "Tag('space', 0.3333)")
        row = kindred.RelatedDocument(kindred.Id("a"), 1, 0.5, 0.5, [kindred.Name("x")] * 7, "A title")
        self.assertEqual(repr(row), "RelatedDocument(id='a', docid=1, similarity=0.5, rank_score=0.5,\n"
                         "  labels=['x', 'x', 'x', 'x', 'x', and 2 more], title='A title')")
        self.assertEqual(len(repr(kindred.Rows([row] * 30)).splitlines()), 41)
        self.assertEqual(repr(kindred.Rows()), "[]")
        longest = max(map(len, repr(self.db.classify("moon rocks", why=True)).splitlines()))
        self.assertLessEqual(longest, 100)
        self.assertEqual(repr(self.db), "kindred.open(%r)" % self.path)

    def test_writing(self):
        failed = []
        report = self.db.ingest([{"id": "new", "text": "The moon"}, {"text": "no id"}],
                                lambda record, error: failed.append((record, str(error))))
        self.assertEqual((report.added, report.failed, report.tagged), (1, 1, 1))
        self.assertEqual(failed[0][0], {"text": "no id"})
        with self.assertRaisesRegex(kindred.InvalidArgument, "^id: "):
            self.db.ingest([{"id": "before"}, {"text": "no id"}, {"id": "after"}])
        self.assertEqual([d.id for d in self.db.documents(["new", "before"])], ["new", "before"])
        with self.assertRaises(kindred.NotFound):
            self.db.documents("after")
        self.assertEqual(self.db.edit("new", reject="space").rejected, ["space"])
        self.assertFalse(self.db.edit("new", auto_tag=False).auto_tag)
        self.assertEqual(self.db.edit("new", add=["x", "y"]).labels, ["x", "y"])
        self.assertEqual(self.db.tag(dry_run=True)["tagged"], 0)
        self.assertEqual(self.db.delete(["new", "unknown"]), 1)
        with kindred.open(self.path) as other:
            other.ingest({"id": "other"})
        self.assertTrue(self.db.refresh())
        self.assertFalse(self.db.refresh())

    def write(self, name, text, encoding="utf-8"):
        path = pathlib.Path(self.path).parent / name
        path.write_bytes(text.encode(encoding))
        self.addCleanup(path.unlink, missing_ok=True)
        return path

    def added(self, *given, **how):
        """What is added to a new index: ids with texts and labels."""
        with tempfile.TemporaryDirectory() as folder:
            with kindred.open(os.path.join(folder, "db"), create=True) as db:
                db.ingest(*given, **how)
                return [(d.id, d.fields.get("text"), d.labels) for d in db.export()]

    def test_files_are_records_as_the_program_reads_them(self):
        table = 'body;tags;no\r\n"the moon; and\nmore";a|b;x\r\n\r\nguitar;;\r\n'
        expected = [("t.csv:2", "the moon; and\nmore", ["a", "b"]), ("t.csv:5", "guitar", [])]
        names = {"text": "body", "labels": "tags"}
        for encoding in ("utf-8-sig", "utf-16"):
            path = self.write("t.csv", table, encoding)
            self.assertEqual(self.added(path, map=names, separator="|"), expected)
        self.assertEqual(self.added(str(self.write("a.json", '[{"text": "x"}]'))),
                         [("a.json:1", "x", [])])
        self.assertEqual(self.added(self.write("a.jsonl", '\n{"id": 7, "text": "x"}\n')),
                         [("7", "x", [])])
        with self.assertRaisesRegex(kindred.InvalidArgument, "b.csv:2: expected 2 fields"):
            self.db.ingest(self.write("b.csv", "id,text\n1,2,3\n"))
        with self.assertRaisesRegex(kindred.InvalidArgument, "map: .* found 'x'"):
            self.db.ingest([], map={"x": "text"})
        with self.assertRaisesRegex(kindred.InvalidArgument, "map: expected another key for each"):
            self.db.ingest([], text="body", id="body")

    def test_keys_that_nobody_reads_are_told_with_the_map_that_is_likely_meant(self):
        record = {"id": "k", "Body": "moon", "tags": "a"}
        message = (r"1 record, none with text or labels; unread keys: Body \(1\), tags \(1\); "
                   r"did you mean text='Body', labels='tags'\?")
        with self.assertWarnsRegex(UserWarning, message):
            self.added(record)
        path = self.write("k.json", "[" + json.dumps(record) + "]")
        with self.assertRaisesRegex(kindred.InvalidArgument, "k.json: " + message):
            self.added(path)
        with self.assertWarnsRegex(UserWarning, message):
            self.assertEqual(len(self.added(path, allow_empty=True)), 1)
        with self.assertWarnsRegex(UserWarning, r"none with text; unread keys: Body.*mean text='Body'\?"):
            self.added({"id": "k", "title": "moon", "Body": "moon", "labels": ["a"]})
        for names in ({"text": "Body", "labels": "tags"}, {"map": {"text": "Body", "labels": "tags"}},
                      {"text": "Body", "map": {"text": "title", "labels": "tags"}}):
            self.assertEqual(self.added(record, **names), [("k", "moon", ["a"])])

    def test_records_are_what_json_has(self):
        for key, value, found in (("text", float("nan"), "nan"), ("date", datetime.date(2026, 1, 2), "date"),
                                  ("raw", b"x", "bytes"), ("tags", {"a"}, "set"),
                                  ("labels", ["x", float("inf")], "inf"), ("deep", [{"a": [b"x"]}], "bytes")):
            with self.assertRaises(kindred.InvalidArgument) as raised:
                self.db.ingest({"id": "bad", key: value})
            self.assertRegex(str(raised.exception), rf"^{key}.*: expected .*, found {found}$")
        with self.assertRaisesRegex(kindred.InvalidArgument, r"deep\[0\]\.a\[0\]"):
            self.db.ingest({"id": "bad", "deep": [{"a": [b"x"]}]})
        failed = []
        self.db.ingest([{"id": "bad", "raw": b"x"}], lambda record, error: failed.append(str(error)))
        self.assertEqual(len(failed), 1)
        with self.assertRaisesRegex(kindred.InvalidArgument, "classify.*record.raw"):
            self.db.classify({"raw": b"x"})
        try:
            import numpy
        except ImportError:
            return
        self.assertEqual(self.db.ingest({"id": "n", "a": numpy.float32(1.5), "b": numpy.int64(2)}).added, 1)
        self.assertEqual(self.db.documents("n")[0].fields, {"a": "1.5", "b": "2"})

    def test_rows_of_an_export_are_records(self):
        records = [
            {"id": "C:\\a", "title": "T", "text": "a\nb", "labels": ["\\Inbox", "a|b"], "n": 3,
             "list": [1, {"x": None}], "docid": "mine", "topic": "own", "rejected_labels": ["\\Spam"]},
            {"id": "\udcff", "labels": ["\udcfe\\"], "terms": {"Paris": 2, ":\udcfd": 1}, "k": "\udcfc"},
            {"id": "off", "auto_tag": False, "text": "moon"}]
        with tempfile.TemporaryDirectory() as folder:
            with kindred.open(folder + "/one.db", create=True) as one:
                self.assertEqual(one.ingest(records).added, 3)
                rows = list(one.export(terms=True))
                self.assertEqual([(row.id, row.labels) for row in rows],
                                 [(r["id"], r.get("labels", [])) for r in records])
                self.assertEqual(rows[0].fields, {"text": "a\nb", "n": 3, "list": [1, {"x": None}],
                                                  "docid": "mine", "topic": "own"})
                self.assertEqual((rows[1].terms, rows[1].fields), (records[1]["terms"], {"k": "\udcfc"}))
                self.assertFalse(rows[2].auto_tag)
                self.assertEqual([d.id for d in one.search("", label=["\\Inbox"])], ["C:\\a"])
                self.assertEqual([d.id for d in one.search("", label="a|b", tag="\\Inbox")], ["C:\\a"])
                raw = one.ask("export")["documents"]
            with kindred.open(folder + "/two.db", create=True) as two:
                self.assertEqual(two.ingest(rows).added, 3)
                self.assertEqual(list(two.export(terms=True)), rows)
                self.assertEqual(two.ingest(raw).replaced, 3)
                self.assertEqual(two.ingest(rows[0]).replaced, 1)

    def test_topics(self):
        self.db.ask("train_topics", rows=2, columns=2, topics=2)
        self.assertEqual(len(self.db.topics()), 2)
        places = self.db.topic_of(["the moon", "zzzz"])
        self.assertEqual((places[0].topic in (1, 2), places[1].topic), (True, None))

    def test_labels(self):
        every = self.db.labels()
        self.assertEqual([each.label for each in every], sorted(each.label for each in every))
        self.assertEqual(every.answer["found"], len(every))
        some = self.db.labels(limit=1, offset=1)
        self.assertEqual((some, some.answer["found"]), (every[1:2], len(every)))
        self.assertEqual(self.db.labels(every[0].label.upper(), sort="documents")[0], every[0])
        self.assertEqual(self.db.labels("in no name"), [])

    def test_names_that_are_not_utf8(self):
        for name, written in (("a\\b", "a\\\\b"), ("\udcff\\x41", "\\xff\\\\x41"), ("é", "é")):
            self.assertEqual(kindred.escaped(name), written)
            self.assertEqual(kindred.unescaped(written), name)
        try:
            import xapian
        except ImportError:
            return
        self.db.close()
        raw = xapian.WritableDatabase(self.path)
        document = xapian.Document()
        for term in (b"Q\xff\\", b"K\xfe", b"Zmoon"):
            document.add_term(term)
        raw.add_document(document)
        raw.close()
        with kindred.open(self.path) as db:
            found = db.documents("\udcff\\")[0]
            self.assertEqual((found.id, found.labels), ("\udcff\\", ["\udcfe"]))
            self.assertEqual(os.fsencode(found.id), b"\xff\\")
            self.assertIn("\udcfe", [label.label for label in db.labels()])
            self.assertTrue(db.related(found.id))
            self.assertEqual(db.edit(found.id, add="a\\b").labels, ["a\\b", "\udcfe"])

    def test_errors(self):
        for call, kind, part in (
                (lambda: self.db.classify(kindred.Id("no")), kindred.NotFound, "no"),
                (lambda: self.db.classify("x", neighbors=-1), kindred.InvalidArgument, "classify.neighbors"),
                (lambda: self.db.related(), ValueError, "example"),
                (lambda: self.db.matching("(").__iter__().__next__(), ValueError, "byte"),
                (lambda: self.db.topics(), LookupError, "map"),
                (lambda: kindred.open(self.path + "x"), kindred.NotFound, "topics.dbx"),
                (lambda: kindred.open(__file__), kindred.KindredError, "kindred_test"),
                (lambda: kindred.open(self.path, settings={"classify.kk": 1}), ValueError, "kk"),
                (lambda: kindred.open(self.path, settings="x"), ValueError, "1"),
                (lambda: kindred.open(self.path, library="no.so"), kindred.Unsupported, "no.so"),
                (lambda: kindred.open(self.path, library="libc.so.6"), kindred.Unsupported,
                 "kindred_plugin")):
            with self.assertRaisesRegex(kind, part) as raised:
                call()
            self.assertIsInstance(raised.exception, kindred.KindredError)
        with kindred.open(self.path) as other, self.assertRaises(kindred.DatabaseError):
            other._handle.ingest(b'{"id": "locks"}')
            kindred.open(self.path, settings={"write.wait": 0.0}).delete("moon-1")
        self.db.close()
        self.db.close()
        with self.assertRaisesRegex(kindred.Closed, "closed"):
            self.db.labels()

    def test_what_ends_a_call(self):
        steps = []

        def train(progress):
            return self.db.ask("train_topics", rows=2, columns=2, topics=2, epochs=1000000,
                               progress=progress)

        def cancel(*step):
            steps.append(step)
            return len(steps) < 3

        def fail(*_):
            raise ZeroDivisionError

        with self.assertRaises(kindred.Canceled):
            train(cancel)
        self.assertEqual(len(steps), 3)
        self.assertIn("epoch", " ".join(doing for doing, done, all_ in steps))
        with self.assertRaises(ZeroDivisionError):
            train(fail)
        with self.assertRaisesRegex(kindred.Closed, "callback"):
            train(lambda *step: self.db.close())
        main = threading.get_ident()
        threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
        with self.assertRaises(KeyboardInterrupt):
            train(None)

    def test_threads(self):
        expected, found = self.db.classify("moon rocks"), []

        def ask():
            try:
                while True:
                    found.append(self.db.classify("moon rocks") == expected)
            except kindred.Closed:
                found.append("closed")

        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        while len(found) < 200:
            self.db.refresh()
        self.db.close()  # waits for the calls of the others
        for thread in threads:
            thread.join()
        self.assertEqual((found.count("closed"), found.count(False)), (4, 0))

    def test_exit_beside_daemon_threads(self):
        done = subprocess.run([sys.executable, "-c", """
import sys, threading
sys.path.insert(0, sys.argv[1])
import kindred
db = kindred.open(sys.argv[2])
def ask():
    while True:
        db.classify("moon")
for _ in range(4):
    threading.Thread(target=ask, daemon=True).start()
db.classify("moon")
""", sys.argv[1], self.path], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr.count("Fatal")), (0, 0), done.stderr)

    def test_processes(self):
        again = pickle.loads(pickle.dumps(self.db))
        self.assertEqual(again.classify("moon"), self.db.classify("moon"))
        child = os.fork()
        if child == 0:
            try:
                self.db.labels()
            except kindred.Closed as error:
                os._exit(7 if "fork" in str(error) else 1)
            os._exit(2)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 7)

    def test_the_log_goes_to_logging(self):
        with self.assertLogs("kindred", logging.INFO):
            kindred.open(self.path, settings={"backend.kind": "cpu"}).close()

    def test_data_frames(self):
        try:
            import pandas
        except ImportError:
            return
        frame = kindred.Rows(self.db.classify_all(r["text"] for r in RECORDS)).to_dataframe()
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual((frame["best"][0], frame["tags"][0][0]), ("space", "space"))
        self.assertGreater(frame["best.confidence"][0], 0.5)
        self.assertEqual(len(self.db.matching("label:space").to_dataframe()), 10)

    def test_records_of_data_frames(self):
        try:
            import pandas
        except ImportError:
            return
        frame = pandas.DataFrame({"body": ["moon", None, "soup"], "tags": ["a|b", "c", None],
                                  "day": pandas.to_datetime(["2026-01-02", None, None])}, ["x", "y", "z"])
        names = {"text": "body", "labels": "tags", "separator": "|"}
        self.assertEqual(self.added(frame, **names),
                         [("x", "moon", ["a", "b"]), ("y", None, ["c"]), ("z", "soup", [])])
        frame["tags"] = [["a", "b"], ["d"], ["c"]]
        self.assertEqual(self.added(frame.reset_index(drop=True), text="body", labels="tags"),
                         [("0", "moon", ["a", "b"]), ("1", None, ["d"]), ("2", "soup", ["c"])])
        self.assertEqual([document[0] for document in self.added(frame, id="day", text="body")],
                         ["2026-01-02T00:00:00", "y", "z"])
        self.db.ingest(frame, text="body")
        self.assertEqual(self.db["x"].fields["day"], "2026-01-02T00:00:00")
        exported = pandas.DataFrame([{"id": record["id"], "text": record["text"], "n": i}
                                     for i, record in enumerate(RECORDS)])
        self.assertEqual(self.db.ingest(exported).replaced, len(RECORDS))
        for given, part in ((frame, "frame: 3 records, none with text.*did you mean text='body'"),
                            (frame.set_axis(["x", "x", "z"]), "index without duplicates, found 'x' twice"),
                            (frame.set_axis(["text", "day", "day"], axis=1), "found 'day' 2 times")):
            with self.assertRaisesRegex(kindred.InvalidArgument, part):
                self.db.ingest(given)

    def test_pandas_is_imported_only_by_those_who_have_frames(self):
        code = "import sys; sys.path.insert(0, sys.argv[1]); import kindred; " \
               "kindred.open(sys.argv[2]).ingest({'id': 'x', 'text': 'y'}); " \
               "sys.exit('pandas' in sys.modules)"
        self.assertEqual(subprocess.run([sys.executable, "-c", code, sys.argv[1], self.path]).returncode, 0)

    @unittest.skipUnless(PROGRAM, "there is no program to ask for schemas")
    def test_classes_by_hand_agree_with_the_table(self):
        stored = set(schema_of("documents", "answer")["properties"]["documents"]["items"]["properties"])
        fields = {field.name for field in dataclasses.fields(kindred.StoredDocument)}
        self.assertEqual(stored, fields - {"fields"})
        for question, options, other in (
                ("classify", database.Classify, {"example", "examples", "explain"}),
                ("evaluate", database.Evaluate, {"confusion"}),
                ("search", database.Search, {"query", "ids"}),
                ("tune", database.Tune, set()),
                ("train_topics", database.TrainTopics, set()),
                ("related", database.Neighborhood, {"like", "each", "explain"})):
            asked = set(schema_of(question, "request")["properties"])
            self.assertEqual(asked, set(typing.get_type_hints(options)) | other)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
