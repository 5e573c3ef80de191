#!/usr/bin/env python3
"""Drives every route of the server's own description with generated input, good and bad: each
answer has a documented status and a body of its schema, no good input is refused, and no input
makes the server fail or hang. The seeds are fixed.

usage: contract_test.py KINDRED_SERVER LIBKINDRED DATA
"""
import json
import random
import sys
import unittest
import urllib.parse

from json_schema import NASTY, Schemas
from running_server import ServedTest, quoted, until

DATA = None
SETTINGS = '[[values]]\nname = "size"\nslot = 9\nnumber = true\n[log]\nlevel = "warning"\n'
SETTINGS += '[http]\nuser_header = "X-Remote-User"\n'
# What a parameter or member of this name may be, where its schema does not list that.
SENSIBLE = {
    "q": ["moon", "guitar", "bake*", "title:moon", "label:space", "NOT moon", "moon OR soup", ""],
    "filter": ["moon", "label:space", "label:space OR label:music", ""],
    "query": ["moon", "label:space", ""],
    "sort": ["relevance", "newest", "size", "-size"],
    "value.size": ["1", "1..3", "..9", "-1e3.."],
    "lang": ["en"],
    "map": ["title=headline", "labels=tags,lang=language"],
    "terms": [{"moon": 1}],
    "since": ["7d", "2026-11-29"],
    "until": ["2999-01-01T08:30", "1h"],
    "day": ["2026-11-29"],
}
EDIT = {"accept", "reject", "undo", "add", "take_off"}  # the words of one
EXAMPLE = {"id", "docid", "text", "lang", "record"}  # the keys of one, of which it has some
# What a body needs beyond its schema.
NEEDED = {"/classify": {"prototypes": "label:space"}, "/jobs/tune": {"dry_run": True},
          "/undo": {"edit": 1, "dry_run": True}, "/related": {
    "like": [{"text": "moon"}], "like_query": "moon", "unlike_query": "soup"}}


class Contract(ServedTest):
    settings = SETTINGS

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        with open(DATA, "rb") as file:
            records = file.read()
        cls.server.request("POST", "/documents", records, {"Content-Type": "application/x-ndjson"})
        again = records.replace(b'"id":"', b'"id":"again-') + records.replace(b'"id":"', b'"id":"anew-')
        cls.server.request("POST", "/documents", again, {"Content-Type": "application/x-ndjson"})
        cls.ids = [json.loads(line)["id"] for line in records.splitlines()][:10]
        for text in NASTY:
            record = {"id": "id " + text, "title": text, "text": text + " moon", "labels": [text]}
            cls.server.post("/documents", record)
            cls.ids.append("id " + text)
        cls.server.run_job("train", {"rows": 3, "columns": 4, "epochs": 3})
        until(lambda: cls.server.get("/status").json()["snapshot"]["tuned"])  # by itself
        cls.description = cls.server.get("/openapi.json").json()
        cls.schemas = Schemas(cls.description)

    def operations(self):
        """Deletions and jobs come last: they change what the others see."""
        found = [(method.upper(), path, operation)
                 for path, methods in self.description["paths"].items()
                 for method, operation in methods.items()]
        return sorted(found, key=lambda o: (o[0] == "DELETE", o[1].startswith("/jobs")))

    def send(self, method, path, operation, target, body=None, **arguments):
        content = operation.get("requestBody", {}).get("content", {})
        if "text/csv" in content and "application/json" not in content:
            arguments.setdefault("headers", {"Content-Type": "text/csv"})
        answer = self.server.request(method, target, body, **arguments)
        said = "%s %s %r -> %d %s" % (method, target, body, answer.status, answer.body[:400])
        media = answer.headers.get("Content-Type", "").split(";")[0]
        self.assertIn(str(answer.status), operation["responses"], said)
        response = self.schemas.resolve(operation["responses"][str(answer.status)])
        if path == "/readyz" or answer.status in (204, 304):
            return answer
        self.assertLess(answer.status, 500, said)
        self.assertIn(media, response["content"] if path != "/metrics" else ["text/plain"], said)
        if media == "application/x-ndjson":
            for line in answer.body.splitlines():
                schema = response["content"][media]["x-line-schema"]
                self.assertEqual(self.schemas.faults(json.loads(line), schema), [], said)
        elif media != "text/plain":
            faults = self.schemas.faults(answer.json(), response["content"][media]["schema"])
            self.assertEqual(faults, [], said)
        return answer

    # Input.

    def path_of(self, method, path, draw):
        if path == "/documents/{id}" and method in ("PUT", "DELETE"):
            return "/documents/" + quoted("made " + draw.choice(NASTY))
        label = draw.choice(["space", "music"] + NASTY)
        name = "no-such-job" if path.startswith("/jobs/") else draw.choice(self.ids)
        return path.replace("{label}", quoted(label)).replace("{id}", quoted(name))

    def query_of(self, operation, draw, share=0.4):
        pairs = []
        for parameter in operation["parameters"]:
            if parameter["in"] != "query" or draw.random() > share:
                continue
            value = self.schemas.make(parameter["schema"], draw, NASTY)
            if parameter["name"] in SENSIBLE and "enum" not in parameter["schema"]:
                value = draw.choice(SENSIBLE[parameter["name"]])
            value = str(value).lower() if isinstance(value, bool) else value
            pairs.append((parameter["name"], value))
        return "?" + urllib.parse.urlencode(pairs, doseq=True) if pairs else ""

    def body_of(self, method, operation, draw):
        content = operation.get("requestBody", {}).get("content", {})
        if "text/csv" in content and "application/json" not in content:
            return b"id,name\nspace,Outer space\n"
        if "application/json" not in content:
            return None
        schema = self.schemas.resolve(content["application/json"]["schema"])
        body = self.sensible(self.schemas.make(schema, draw, NASTY + ["moon"]), draw)
        if method == "PUT":
            body.pop("id", None)
        elif "auto_tag" in schema["properties"]:
            body["id"] = "posted %d" % draw.randint(1, 5)
        return body

    def sensible(self, value, draw):
        """Ids and filters are such that there are documents; an example is of one kind."""
        if isinstance(value, list):
            return [self.sensible(each, draw) for each in value]
        if not isinstance(value, dict):
            return value
        found = {name: draw.choice(SENSIBLE[name]) if name in SENSIBLE else self.sensible(each, draw)
                 for name, each in value.items()}
        if EDIT & set(found):  # refused if two words are about a tag, or the document lacks one
            found.pop("take_off", None)
            known = set()
            for name in sorted(EDIT & set(found)):
                found[name] = sorted(set(found[name]) - known)
                known.update(found[name])
        if "auto_tag" not in found:
            for name in ("like", "unlike"):
                found[name] = [{"id": draw.choice(self.ids)}, {"text": "moon"}] if name in found else None
            if "edits" in found:
                found["edits"] = [{"id": draw.choice(self.ids), "reject": ["moon"]}]
            elif EXAMPLE & set(found) and not {"reject", "undo"} & set(found):
                found = {name: each for name, each in found.items() if name not in EXAMPLE}
                found.update(draw.choice([{"id": draw.choice(self.ids)}, {"text": "the moon"},
                                          {"record": {"title": "moon"}}]))
        return {name: each for name, each in found.items() if each is not None}

    # Tests.

    def test_good_input_is_answered_as_described(self):
        draw = random.Random(1)
        for method, path, operation in self.operations():
            for _ in range(25 if "/jobs/" not in path else 2):
                body = self.body_of(method, operation, draw)
                if path == "/classify" and not {"id", "text", "record"} & set(body):
                    body["text"] = "the moon"
                body = {**body, **NEEDED[path]} if path in NEEDED else body
                target = self.path_of(method, path, draw) + self.query_of(operation, draw)
                with self.subTest(route=method + " " + target):
                    answer = self.send(method, path, operation, target, body)
                    missing = ("{label}" in path or path in ("/jobs/{id}", "/undo") or
                               method == "DELETE")
                    expected = {200, 201, 202, 204, 304, 409} | ({404} if missing else set())
                    self.assertIn(answer.status, expected, (body, answer.body[:300]))
                if method == "GET" and "ETag" in answer.headers:
                    etag = answer.headers["ETag"]
                    again = self.server.get(target, headers={"If-None-Match": etag})
                    # A list may have been completed meanwhile, and facets follow the index.
                    is_same = again.headers["ETag"] == etag or path == "/documents/{id}"
                    self.assertEqual(again.status, 304 if is_same else 200, target)

    def test_wrong_parameters_are_refused_by_name(self):
        draw = random.Random(2)
        for method, path, operation in self.operations():
            if path in ("/metrics", "/openapi.json") or path.startswith("/jobs"):
                continue
            wrong = [("no_such_name", "1")]
            for parameter in operation["parameters"]:
                kind = self.schemas.resolve(parameter["schema"]).get("type")
                for value in [NASTY[0], "99999999999999999999", "-1", "", "\x00", "x" * 3000]:
                    if parameter["in"] == "query" and kind in ("integer", "number", "boolean"):
                        wrong.append((parameter["name"], value))
            for pair in wrong:
                target = self.path_of(method, path, draw) + "?" + urllib.parse.urlencode([pair])
                with self.subTest(route=method + " " + target):
                    body = self.body_of(method, operation, draw)
                    answer = self.send(method, path, operation, target, body)
                    self.assertEqual(answer.status, 400, answer.body[:200])
                    self.assertIn(pair[0], answer.json()["detail"])

    def test_wrong_bodies_are_refused(self):
        draw = random.Random(3)
        wrong = [b"", b"{", b"[]", b"null", b"\"text\"", b"\xff\xfe{}", b"{\"a\":" * 500,
                 b"[" * 100000, b"{} {}", b"{\"no_such_member\": 1}", b"1e999", b"\x00"]
        for method, path, operation in self.operations():
            if "requestBody" not in operation:
                continue
            for body in wrong + [b"text"]:
                media = "text/plain" if body == b"text" else "application/json"
                # A record may have further members, and a job may do without options.
                if path.startswith("/jobs") and body == b"" or method == "PUT" and b"no_such" in body:
                    continue
                if path == "/documents" and body == b"[]":
                    continue  # no records
                with self.subTest(route=method + " " + path, body=body[:20]):
                    answer = self.send(method, path, operation, self.path_of(method, path, draw), body,
                                       headers={"Content-Type": media})
                    is_taken = media in operation["requestBody"]["content"]
                    self.assertIn(answer.status, (400, 404, 413) if is_taken else (415,))

    def test_members_of_wrong_types_are_refused(self):
        draw = random.Random(4)
        for method, path, operation in self.operations():
            content = operation.get("requestBody", {}).get("content", {})
            if "application/json" not in content:
                continue
            schema = self.schemas.resolve(content["application/json"]["schema"])
            for name, member in schema["properties"].items():
                for value in ({}, [[]], [1], -5, 1e300, True, "x" * 300_000):
                    if self.schemas.faults(value, member) == []:
                        continue
                    body = {**self.body_of(method, operation, draw), name: value}
                    with self.subTest(route=path, member=name, value=repr(value)[:30]):
                        target = self.path_of(method, path, draw)
                        answer = self.send(method, path, operation, target, body)
                        self.assertIn(answer.status, (400, 404, 413), (name, value, answer.body))

    def test_operations_have_names_and_a_page_shows_them(self):
        names = [operation["operationId"] for _, _, operation in self.operations()]
        self.assertEqual(len(names), len(set(names)))
        self.assertIn("related_to", names)
        page = self.server.get("/docs")
        self.assertEqual((page.status, page.headers["Content-Type"]), (200, "text/html; charset=utf-8"))
        self.assertIn(b"web/docs.js", page.body)
        self.assertEqual(self.server.get("/web/docs.js").status, 200)

    def test_metrics_have_what_the_status_has(self):
        text = self.server.get("/metrics").body.decode()
        gauges = dict(line.rsplit(" ", 1) for line in text.splitlines() if line.startswith("kindred_server_"))
        snapshot = self.server.get("/status").json()["snapshot"]
        for key in ("labels", "bytes", "device_bytes", "vocabulary_terms"):
            self.assertEqual(float(gauges["kindred_server_" + key]), snapshot[key])
        self.assertEqual(gauges["kindred_server_ready"], "1")
        self.assertEqual(gauges["kindred_server_tuned"], "1")
        self.assertGreaterEqual(float(gauges['kindred_server_jobs{state="done"}']), 1)
        self.assertGreaterEqual(float(gauges["kindred_server_lag_seconds"]), 0)

    def test_writing_needs_the_token(self):
        draw = random.Random(5)
        for method, path, operation in self.operations():
            for token in (None, "wrong") if operation["security"] else ():
                with self.subTest(route=method + " " + path):
                    body = self.body_of(method, operation, draw)
                    target = self.path_of(method, path, draw)
                    answer = self.send(method, path, operation, target, body, token=token)
                    self.assertEqual(answer.status, 401)

    def test_jobs_tell_what_they_do_and_end(self):
        job = self.server.post("/jobs/train", {"rows": 20, "columns": 20, "epochs": 1000})
        while job.status == 409:  # another test's is running
            job = self.server.post("/jobs/train", {"rows": 20, "columns": 20, "epochs": 1000})
        path = job.headers["Location"]
        self.assertEqual(self.server.post("/jobs/train", {}).status, 409)
        until(lambda: self.server.get(path).json()["progress"]["done"])
        self.assertEqual(self.server.request("DELETE", path).status, 202)
        while (job := self.server.get(path).json())["state"] == "running":
            pass
        self.assertEqual((job["state"], job["result"], job["error"]), ("canceled", None, None))
        self.assertEqual(self.server.get("/jobs").json()["jobs"][0], job)

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

    def post_records(self, media, body, query=""):
        answer = self.server.request("POST", "/documents" + query, body, {"Content-Type": media})
        if answer.status != 200:
            return answer.json()
        self.assertEqual(answer.headers["Content-Type"], "application/x-ndjson")
        return [json.loads(line) for line in answer.body.splitlines()]

    def test_tables_and_arrays_are_many_records(self):
        table = "\ufeffkey;body;tags;color\r\nt1;\"the moon;\r\na rock\";space|stones;grey\r\n\r\nt2;x;;;\r\n"
        query = "?map=id=key,text=body&map=labels=tags&separator=%7C"
        told = self.post_records("text/csv; charset=utf-8", table.encode(), query)
        self.assertEqual([(o["line"], o["id"], o["outcome"]) for o in told],
                         [(2, "t1", "added"), (5, None, "refused")])
        self.assertIn("expected 4 fields", told[1]["reason"])
        self.assertEqual(told[-1]["unread_keys"], {"color": 1})
        self.assertNotIn("unread_keys", told[0])
        document = self.server.get("/documents/t1").json()
        self.assertEqual((document["labels"], document["text"]), (["space", "stones"], "the moon;\r\na rock"))
        told = self.post_records("text/tab-separated-values", b"id\ttext\nt3\tsoup\n")
        self.assertEqual([(o["line"], o["id"]) for o in told], [(2, "t3")])
        told = self.post_records("application/json", b'[{"id": "t4", "text": "a]"}, 7, {"id": "t5", "a": null}]')
        self.assertEqual([o["outcome"] for o in told], ["added", "refused", "added"])
        for body in (b'[{"id": "t6", "text": "x"}, {"id": "t7"', b'[{"id": "t6", "text": "x"}] 7'):
            self.assertEqual(self.post_records("application/json", body)["status"], 400)
        self.assertEqual(self.server.get("/documents/t6").status, 404)

    def test_records_without_texts_are_refused_with_the_map_that_is_meant(self):
        body = b'{"id":"w1","Body":"moon","lables":["x"]}\n{"id":"w2","Body":"soup"}\n'
        told = self.post_records("application/x-ndjson", body)
        self.assertEqual(told["status"], 400)
        self.assertIn("none of 2 records has title, text or terms", told["detail"])
        self.assertIn("did you mean map=text=Body,labels=lables?", told["detail"])
        self.assertEqual(self.server.get("/documents/w1").status, 404)
        told = self.post_records("application/x-ndjson", body, "?map=text=Body")
        self.assertEqual((told[1]["unread_keys"], told[1]["likely_map"]), ({"lables": 1}, "labels=lables"))
        told = self.post_records("application/x-ndjson", body, "?allow_empty=true")
        self.assertEqual([o["outcome"] for o in told], ["replaced", "replaced"])
        self.assertEqual(told[1]["likely_map"], "text=Body,labels=lables")
        told = self.post_records("application/x-ndjson", b'{"id":"w4","title":"moon","Body":"a","labels":["x"]}\n')
        self.assertEqual(told[-1]["likely_map"], "text=Body")
        one = self.server.post("/documents?map=text=Body", {"id": "w3", "Body": "moon", "color": "red"})
        self.assertEqual((one.status, one.json()["unread_keys"]), (201, {"color": 1}))
        self.assertEqual(self.server.post("/documents?map=text", {"id": "w3"}).status, 400)

    def test_a_stale_if_match_changes_nothing(self):
        path = "/documents/" + quoted(self.ids[0])
        etag = self.server.get(path).headers["ETag"]
        first = self.server.post(path + "/tags", {"add": ["first"]}, headers={"If-Match": etag})
        self.assertEqual(first.status, 200)
        stale = self.server.post(path + "/tags", {"add": ["second"]}, headers={"If-Match": etag})
        self.assertEqual(stale.status, 412)
        self.assertNotIn("second", self.server.get(path).json()["labels"])

    def test_a_document_is_put_or_deleted_only_as_the_client_knows_it(self):
        path, tags = "/documents/preconditions", []

        def put(text, **headers):
            headers = {name.replace("_", "-"): value for name, value in headers.items()}
            status = self.server.request("PUT", path, {"text": text}, headers=headers).status
            tags.append(self.server.get(path).headers.get("ETag"))
            return status

        def delete(tag):
            return self.server.request("DELETE", path, headers={"If-Match": tag}).status

        self.assertEqual((put("of none", If_Match="*"), tags), (412, [None]))
        self.assertEqual(put("new", If_None_Match="*"), 201)
        old = tags[-1]
        self.assertEqual(put("not new", If_None_Match="*"), 412)
        self.assertEqual(put("edited", If_Match=f'"other", {old}'), 200)
        self.assertEqual(put("of who has not seen the edit", If_Match=old), 412)
        self.assertEqual(put("by a weak tag", If_Match="W/" + tags[-1]), 412)
        self.assertEqual(put("of who has an old one", If_None_Match=old), 200)
        self.assertEqual(self.server.get(path).json()["text"], "of who has an old one")
        self.assertEqual([delete(tag) for tag in (old, tags[-1], "*")], [412, 204, 412])

    def test_the_log_names_who_a_proxy_says_and_what_they_did_is_taken_back(self):
        path = "/documents/" + quoted(self.ids[1])
        named = {"headers": {"X-Remote-User": "anna"}}
        self.server.post(path + "/tags", {"add": ["logged"], "new": True}, **named)
        edit = self.server.get("/log?who=anna&label=logged").json()["edits"][0]
        self.assertEqual((edit["id"], edit["how"], edit["steps"]),
                         (self.ids[1], "edit", [{"step": "given", "label": "logged"}]))
        undone = self.server.post("/undo", {"edit": edit["edit"]}, **named).json()
        self.assertEqual((undone["tags"], undone["kept"]), (1, 0))
        self.assertNotIn("logged", self.server.get(path).json()["labels"])
        query = urllib.parse.urlencode({"ids": self.ids[1], "how": "undo"})
        self.assertEqual(self.server.get("/log?" + query).json()["edits"][0]["who"], "anna")

    def test_put_mends_what_post_mends(self):
        headers = {"Content-Type": "application/json"}
        for text in (rb"half \ud83d pair", b"half \xff pair"):
            body = b'{"text": "' + text + b'"}'
            answer = self.server.request("PUT", "/documents/mended", body, headers=headers)
            self.assertIn(answer.status, (200, 201), answer.body)
            self.assertEqual(self.server.get("/documents/mended").json()["text"], "half \ufffd pair")


if __name__ == "__main__":
    ServedTest.programs, DATA = sys.argv[1:3], sys.argv[3]
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
