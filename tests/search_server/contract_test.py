#!/usr/bin/env python3
"""Drives every route of the server's own description with generated input, good and bad: each
answer has a documented status and a body of its schema, no good input is refused, and no input
makes the server fail or hang. The seeds are fixed.

usage: contract_test.py KINDRED_SERVER LIBKINDRED DATA
"""
import json
import os
import random
import sys
import tempfile
import time
import unittest
import urllib.parse

from json_schema import NASTY, Schemas
from running_server import RunningServer, quoted

PROGRAM = LIBRARY = DATA = None
# What the HTTP face may answer on any route, whatever its description says.
FACE = {400, 401, 403, 404, 405, 408, 411, 413, 414, 421, 431}
SETTINGS = """
[[values]]
name = "size"
slot = 9
number = true
[[values]]
name = "section"
slot = 10
[log]
level = "warning"
"""
WORDS = ["moon", "guitar", "bake*", "title:moon", "label:space", "NOT moon", "moon OR soup", ""]
# Filters that the plugin takes; it is stricter than a search.
FILTERS = ["moon", "label:space", "label:space OR label:music", ""]


class Contract(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kindred-contract-")
        cls.server = RunningServer(PROGRAM, LIBRARY, os.path.join(cls.folder.name, "db"), SETTINGS)
        with open(DATA, "rb") as file:
            records = file.read()
        cls.server.request("POST", "/documents", records,
                           {"Content-Type": "application/x-ndjson"})
        cls.ids = [json.loads(line)["id"] for line in records.splitlines()][:10]
        for text in NASTY:
            record = {"id": "id " + text, "title": text, "text": text + " moon", "labels": [text]}
            cls.server.post("/documents", record)
            cls.ids.append("id " + text)
        cls.train()
        cls.wait_until_tuned()
        cls.description = cls.server.get("/openapi.json").json()
        cls.schemas = Schemas(cls.description)

    @classmethod
    def wait_until_tuned(cls):
        """The labels make a tuning due, which the server begins by itself."""
        while not cls.server.get("/status").json()["snapshot"]["tuned"]:
            time.sleep(0.05)

    @classmethod
    def train(cls):
        job = cls.server.post("/jobs/train", {"rows": 3, "columns": 4, "epochs": 3}).json()
        while cls.server.get("/jobs/" + job["id"]).json()["state"] == "running":
            pass

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        cls.folder.cleanup()
        assert status == 0, "exit status %d" % status

    def operations(self):
        for path, methods in self.description["paths"].items():
            for method, operation in methods.items():
                yield method.upper(), path, operation

    # ---- checks ----

    def check(self, answer, method, path, operation, sent):
        said = "%s %s -> %d %s" % (method, sent, answer.status, answer.body[:400])
        documented = {int(status) for status in operation["responses"]}
        self.assertIn(answer.status, documented | FACE, said)
        if path != "/readyz":
            self.assertLess(answer.status, 500, said)
        media = answer.headers.get("Content-Type", "").split(";")[0]
        if answer.status >= 400 and path != "/readyz":
            self.assertEqual(media, "application/problem+json", said)
            problem = {"$ref": "#/components/schemas/Problem"}
            self.assertEqual(self.schemas.faults(answer.json(), problem), [], said)
        elif method != "HEAD" and answer.body:
            response = self.schemas.resolve(operation["responses"][str(answer.status)])
            self.assertIn(media, response["content"], said)
            self.check_body(answer, response["content"][media], media, said)
        return answer

    def check_body(self, answer, content, media, said):
        if media == "application/json":
            self.assertEqual(self.schemas.faults(answer.json(), content["schema"]), [], said)
        elif media == "application/x-ndjson":
            for line in answer.body.splitlines():
                faults = self.schemas.faults(json.loads(line), content["x-line-schema"])
                self.assertEqual(faults, [], said)

    # ---- requests ----

    def path_of(self, path, draw):
        for name in ("id", "label"):
            known = self.ids if name == "id" else ["space", "music"] + NASTY
            if "/jobs/{id}" in path:
                known = ["no-such-job"]
            path = path.replace("{%s}" % name, quoted(draw.choice(known)))
        return path

    @staticmethod
    def made(draw):
        """The path of a document that other tests do not need."""
        return "/documents/" + quoted("made " + draw.choice(NASTY))

    def value_of(self, parameter, draw):
        name, schema = parameter["name"], parameter["schema"]
        if name == "q":
            return draw.choice(WORDS)
        if name == "filter":
            return draw.choice(FILTERS)
        if name == "sort":
            return draw.choice(["relevance", "newest", "size", "-size", "section"])
        if name == "value.size":
            return draw.choice([["1"], ["2.5", "1..3"], ["..9"], ["-1e3.."]])
        return self.schemas.make(schema, draw, NASTY)

    def query_of(self, operation, draw, share=0.4):
        pairs = []
        for parameter in map(self.schemas.resolve, operation.get("parameters", [])):
            if parameter["in"] != "query" or draw.random() > share:
                continue
            value = self.value_of(parameter, draw)
            for each in value if isinstance(value, list) else [value]:
                pairs.append((parameter["name"], each))
        return pairs

    @staticmethod
    def target(path, pairs):
        return path + ("?" + urllib.parse.urlencode(pairs) if pairs else "")

    def body_of(self, operation, draw):
        if "requestBody" not in operation:
            return None
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = self.schemas.make(schema, draw, NASTY + ["moon"])
        self.make_sensible(body, draw)
        if operation["operationId"] == "addDocuments":
            body["id"] = "posted %d" % draw.randint(1, 5)
        return body

    def make_sensible(self, body, draw):
        """Ids and filters are such that there are documents."""
        for name, member in list(body.items()):
            if name in ("filter", "query"):
                body[name] = draw.choice(FILTERS)
            elif name == "id":
                body[name] = draw.choice(self.ids)
            elif name in ("like", "unlike"):
                for example in member:
                    self.make_sensible(example, draw)
            elif name == "record":
                member.pop("terms", None)
                member.pop("labels", None)
                member.pop("rejected_labels", None)
                member.pop("id", None)
            elif name == "lang":
                body[name] = "en"

    def send(self, method, path, operation, pairs, body=None, headers=None, **arguments):
        sent = self.target(path, pairs)
        answer = self.server.request(method, sent, body, headers, **arguments)
        return self.check(answer, method, operation[0], operation[1], sent + " " + repr(body)[:300])

    # ---- tests ----

    def test_copies_on_a_page_are_folded(self):
        text = "A walrus naps on the floe while the gulls quarrel"
        for name in ("twin 1", "twin (2) AND *"):
            self.server.post("/documents", {"id": name, "text": text})
        self.server.post("/documents", {"id": "other walrus", "text": "A walrus, and no word else"})
        for _ in range(200):  # until the plugin has followed
            found = self.server.get("/search?q=walrus&fold=0.9").json()["documents"]
            if len(found) == 2:
                break
            time.sleep(0.05)
        copies = {document["id"]: document["duplicates"] for document in found}
        self.assertEqual(copies.pop("other walrus"), [])
        (first, folded), = copies.items()
        self.assertEqual({first, folded[0]["id"]}, {"twin 1", "twin (2) AND *"})
        self.assertEqual(folded[0]["similarity"], 1)
        self.assertEqual(len(self.server.get("/search?q=walrus").json()["documents"]), 3)

    def test_good_input_is_answered_as_described(self):
        draw = random.Random(1)
        # Jobs and deletions come last: they change what the others see.
        for method, path, operation in sorted(self.operations(), key=lambda o: o[0] == "DELETE"):
            for _ in range(25 if "/jobs/" not in path else 2):
                with self.subTest(route=method + " " + path):
                    self.send_good(method, path, operation, draw)

    def send_good(self, method, path, operation, draw):
        body = self.body_of(operation, draw)
        full = self.path_of(path, draw)
        if method == "PUT":
            body.pop("id", None)
        if path == "/documents/{id}" and method in ("PUT", "DELETE"):
            full = self.made(draw)
        if path == "/jobs/tune":
            body = {"dry_run": True}
        answer = self.send(method, full, (path, operation), self.query_of(operation, draw), body)
        expected = {200, 201, 202, 204, 304, 409}
        if "{label}" in path or "/jobs/{id}" in path or method == "DELETE":
            expected.add(404)
        if path == "/jobs/tune":
            expected |= {400, 404}
        self.assertIn(answer.status, expected, (method, full, body, answer.body[:300]))
        self.check_again(method, path, full, operation, answer)

    def check_again(self, method, path, full, operation, answer):
        """The same question with the ETag of its answer needs no answer."""
        etag = answer.headers.get("ETag")
        if method != "GET" or not etag or path not in ("/search", "/documents/{id}"):
            return
        again = self.server.get(full, headers={"If-None-Match": etag})
        if path == "/documents/{id}":
            self.assertEqual(again.status, 304, full)

    def test_wrong_parameters_are_refused_by_name(self):
        draw = random.Random(2)
        for method, path, operation in self.operations():
            if path == "/metrics":
                continue
            body = self.body_of(operation, draw)
            full = self.path_of(path, draw)
            with self.subTest(route=method + " " + path):
                answer = self.send(method, full, (path, operation), [("no_such_name", "1")], body)
                if "/jobs" not in path or method == "POST":
                    self.assertEqual(answer.status, 400, answer.body)
                    self.assertIn("no_such_name", answer.json()["detail"])
            for parameter in map(self.schemas.resolve, operation.get("parameters", [])):
                if parameter["in"] == "query":
                    self.send_wrong(method, path, operation, parameter, draw)

    def send_wrong(self, method, path, operation, parameter, draw):
        name, schema = parameter["name"], parameter["schema"]
        wrong = [NASTY[0], "99999999999999999999", "-1", "", "\x00", "x" * 3000]
        numeric = schema.get("type") in ("integer", "number") or "enum" in schema
        for value in wrong:
            with self.subTest(route=path, parameter=name, value=value[:30]):
                answer = self.send(method, self.path_of(path, draw), (path, operation),
                                   [(name, value)])
                if numeric:
                    self.assertEqual(answer.status, 400, answer.body[:200])
                    self.assertIn(name, answer.json()["detail"])
        if schema.get("type") != "array":
            answer = self.send(method, self.path_of(path, draw), (path, operation),
                               [(name, "1"), (name, "1")])
            self.assertEqual(answer.status, 400, path + " " + name)

    def test_wrong_bodies_are_refused(self):
        draw = random.Random(3)
        wrong = [b"", b"{", b"[]", b"null", b"\"text\"", b"\xff\xfe{}", b"{\"a\":" * 500,
                 b"[" * 100000, b"{} {}", b"{\"no_such_member\": 1}", b"1e999", b"\x00"]
        for method, path, operation in self.operations():
            if "requestBody" not in operation:
                continue
            for body in wrong:
                full = self.made(draw) if method == "PUT" else self.path_of(path, draw)
                with self.subTest(route=method + " " + path, body=body[:20]):
                    answer = self.send(method, full, (path, operation), [], body,
                                       {"Content-Type": "application/json"})
                    # A record may have further members, and a job may do without options.
                    free = path.startswith("/documents") and b"no_such" in body and method == "PUT"
                    if not free and not (path.startswith("/jobs") and body == b""):
                        self.assertIn(answer.status, (400, 404, 413), answer.body[:200])
            with self.subTest(route=method + " " + path, type="text/plain"):
                answer = self.send(method, self.path_of(path, draw), (path, operation), [], b"{}",
                                   {"Content-Type": "text/plain"})
                self.assertEqual(answer.status, 415)

    def test_members_of_wrong_types_are_refused_by_name(self):
        draw = random.Random(4)
        for method, path, operation in self.operations():
            if "requestBody" not in operation:
                continue
            schema = self.schemas.resolve(
                operation["requestBody"]["content"]["application/json"]["schema"])
            for name, member in schema["properties"].items():
                for value in (None, {}, [[]], [1], -5, 1e300, True, ["", ""], "x" * 300_000):
                    if self.schemas.faults(value, member, closed=False) == []:
                        continue
                    with self.subTest(route=path, member=name, value=repr(value)[:30]):
                        body = {**self.body_of(operation, draw), name: value}
                        full = self.made(draw) if method == "PUT" else self.path_of(path, draw)
                        answer = self.send(method, full, (path, operation), [], body)
                        # In records a key that is null counts as absent.
                        if value is not None or not path.startswith("/documents"):
                            self.assertIn(answer.status, (400, 404, 413), (name, value, answer.body))

    def test_writing_needs_the_token(self):
        draw = random.Random(5)
        for method, path, operation in self.operations():
            if "security" not in operation:
                continue
            with self.subTest(route=method + " " + path):
                body = self.body_of(operation, draw)
                answer = self.send(method, self.path_of(path, draw), (path, operation), [], body,
                                   token=None)
                self.assertEqual(answer.status, 401)
                self.assertEqual(self.send(method, self.path_of(path, draw), (path, operation), [],
                                           body, token="wrong").status, 401)

    def test_a_stale_if_match_changes_nothing(self):
        path = "/documents/" + quoted(self.ids[0])
        operation = ("/documents/{id}/tags",
                     self.description["paths"]["/documents/{id}/tags"]["post"])
        before = self.server.get(path)
        etag = before.headers["ETag"]
        first = self.send("POST", path + "/tags", operation, [], {"add": ["first"]},
                          {"If-Match": etag})
        self.assertEqual(first.status, 200)
        self.assertIn("first", first.json()["labels"])
        stale = self.send("POST", path + "/tags", operation, [], {"add": ["second"]},
                          {"If-Match": etag})
        self.assertEqual(stale.status, 412)
        self.assertNotIn("second", self.server.get(path).json()["labels"])
        for match in (first.headers["ETag"], "*", "\"x\", " + first.headers["ETag"]):
            again = self.send("POST", path + "/tags", operation, [], {"add": ["first"]},
                              {"If-Match": match})
            self.assertEqual(again.status, 200)
        # Another document's change is no conflict.
        self.server.post("/documents/" + quoted(self.ids[1]) + "/tags", {"add": ["other"]})
        last = self.send("POST", path + "/tags", operation, [], {"remove": ["first"]},
                         {"If-Match": first.headers["ETag"]})
        self.assertEqual(last.status, 200)
        self.assertNotIn("first", last.json()["labels"])

    def test_each_line_of_ndjson_has_its_answer(self):
        lines = [b'{"id":"n1","text":"moon"}', b"", b"nonsense", b'{"text":"no id"}',
                 b'{"id":"n2","text":"guitar chords"}', b'{"id":"n1","text":"moon again"}']
        answer = self.server.request("POST", "/documents", b"\n".join(lines),
                                     {"Content-Type": "application/x-ndjson"})
        self.assertEqual(answer.status, 200)
        outcomes = [json.loads(line) for line in answer.body.splitlines()]
        self.assertEqual([(o["line"], o["id"], o["outcome"]) for o in outcomes],
                         [(1, "n1", "added"), (3, None, "refused"), (4, None, "refused"),
                          (5, "n2", "added"), (6, "n1", "replaced")])
        self.assertTrue(all(o["reason"] for o in outcomes if o["outcome"] == "refused"))
        self.assertIn("again", self.server.get("/documents/n1").json()["text"])

    def test_texts_come_back_as_they_were(self):
        for text in NASTY:
            document = self.server.get("/documents/" + quoted("id " + text)).json()
            flat = text.replace("\n", " ")
            self.assertEqual(document["id"], "id " + text)
            self.assertEqual(document["title"], flat)
            self.assertIn(text, document["labels"])
            found = self.server.get("/search?" + urllib.parse.urlencode({"label": text})).json()
            self.assertIn("id " + text, [each["id"] for each in found["documents"]])


if __name__ == "__main__":
    PROGRAM, LIBRARY, DATA = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
