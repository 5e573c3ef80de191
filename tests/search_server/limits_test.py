#!/usr/bin/env python3
"""What a request may cost: time, memory, and the jobs of others; and what it is told when the index
is gone. A library that never ends by itself stands for questions that take long.

usage: limits_test.py KINDRED_SERVER LIBKINDRED SLOW_LIBRARY DATA
"""
import concurrent.futures
import json
import os
import sys
import tempfile
import time
import unittest

from running_server import Connection, RunningServer, until

PROGRAM = LIBRARY = SLOW = DATA = None
NDJSON = {"Content-Type": "application/x-ndjson"}
SLOW_QUESTION = {"like_query": "slow"}


class ServerOfTest(unittest.TestCase):
    library = None
    settings = "[limits]\nrequest_seconds = 1\nstop_seconds = 4\n"

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kindred-limits-")
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.database = os.path.join(self.folder, "db")
        self.server = RunningServer(PROGRAM, self.library or SLOW, self.database, self.settings)
        self.addCleanup(self.end)

    def end(self):
        if self.server.process.returncode is None:
            self.assertEqual(self.server.stop(), 0)

    def assert_problem(self, answer, status, kind):
        self.assertEqual((answer.status, answer.json()["type"]), (status, "urn:kindred:problem:" + kind))
        return answer.json()["detail"]

    def send_slow(self, count, question=None):
        """Requests whose answers nobody reads."""
        connections = [Connection(self.server.port) for _ in range(count)]
        for connection in connections:
            self.addCleanup(connection.close)
            connection.connection.request("POST", "/related", json.dumps(question or SLOW_QUESTION),
                                          {"Content-Type": "application/json"})
        return connections


class DeadlineTest(ServerOfTest):
    def test_a_question_ends_at_its_deadline(self):
        def ended(method, target, body=None):
            client = Connection(self.server.port)
            self.addCleanup(client.close)
            began = time.monotonic()
            return client.request(method, target, body), time.monotonic() - began

        asked = [("POST", "/related", SLOW_QUESTION), ("GET", "/search?q=slow"),
                 ("GET", "/map?q=slow"), ("GET", "/documents/slow"),
                 ("POST", "/classify", {"text": "slow"}),
                 ("POST", "/documents/slow/tags", {"reject": ["a"]})]
        with concurrent.futures.ThreadPoolExecutor(len(asked)) as pool:
            for answer, seconds in pool.map(lambda question: ended(*question), asked):
                self.assert_problem(answer, 503, "too-slow")
                self.assertIn("Retry-After", answer.headers)
                self.assertLess(seconds, 1.5)


class LeavingTest(ServerOfTest):
    settings = "[limits]\nrequest_seconds = 60\nstop_seconds = 4\n"

    def test_a_question_ends_when_its_client_has_left(self):
        for connection in self.send_slow(20):
            connection.close()
        began = time.monotonic()
        until(lambda: self.server.log_text().count('"aborted":true') == 20, self.server.log_text)
        self.assertLess(time.monotonic() - began, 3)

    def test_a_stop_takes_no_longer_than_it_may(self):
        self.send_slow(20)
        self.server.get("/suspects")  # a list that is being made
        time.sleep(0.3)
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 4)

    def test_what_cannot_be_ended_is_cut_off(self):
        self.send_slow(3, {"like_query": "stuck"})
        time.sleep(0.3)
        began = time.monotonic()
        self.assertEqual(self.server.stop(), 0)
        self.assertLess(time.monotonic() - began, 5)


class ListsTest(ServerOfTest):
    """Lists take as long as they may, until somebody cancels them."""

    def jobs(self, **asked):
        return [job for job in self.server.get("/jobs").json()["jobs"]
                if all(job[key] == value for key, value in asked.items())]

    def test_one_list_is_made_at_a_time_and_others_are_told_of_it(self):
        job = self.server.get("/suspects").json()["job"]
        for target in ["/suspects?filter=a", "/duplicates", "/duplicates?filter=b"]:
            answer = self.server.get(target, token=None).json()
            self.assertEqual((answer["job"], answer["complete"]), (job, False))
        self.assertEqual(len(self.jobs(state="running")), 1)
        self.server.request("DELETE", "/jobs/" + job)
        until(lambda: self.server.get("/jobs/" + job).json()["state"] == "canceled")
        self.assertNotEqual(self.server.get("/duplicates").json()["job"], job)

    def test_a_list_grows_while_it_is_made_and_its_job_ends_when_nobody_asks_for_it(self):
        job = "/jobs/" + self.server.get("/suspects").json()["job"]
        until(lambda: self.server.get(job).json()["listed"] == 1200)
        answer = self.server.get("/suspects").json()
        self.assertEqual((answer["complete"], answer["examined"], answer["labeled"]),
                         (False, 1200, 6000))
        began = time.monotonic()
        until(lambda: not self.jobs(state="running"))
        self.assertGreater(time.monotonic() - began, 8)
        self.assertEqual(self.server.get(job).json()["state"], "canceled")
        until(lambda: self.server.get("/suspects").json()["job"] != job[len("/jobs/"):])

    def test_a_list_is_made_at_low_priority(self):
        self.server.get("/suspects")
        tasks = "/proc/%d/task" % self.server.process.pid
        nices = []
        for task in os.listdir(tasks):
            with open(os.path.join(tasks, task, "stat"), encoding="utf-8") as file:
                nices.append(int(file.read().rsplit(")", 1)[1].split()[16]))
        own = os.getpriority(os.PRIO_PROCESS, self.server.process.pid)
        self.assertEqual(sorted(nices)[-2:], [own, min(own + 10, 19)])

    def test_lists_do_not_push_out_the_jobs_of_operators(self):
        mine = self.server.post("/jobs/tune", {}).headers["Location"]
        until(lambda: self.server.get(mine).json()["state"] != "running")
        for i in range(101):  # one more than jobs are remembered
            job = self.server.get("/suspects?filter=x%d" % i, token=None).json()["job"]
            self.server.request("DELETE", "/jobs/" + job)
            until(lambda job=job: self.server.get("/jobs/" + job).json()["state"] != "running")
        self.assertEqual(self.server.get(mine).status, 200)
        self.assertEqual(len(self.jobs(kind="suspects")), 20)


class MemoryTest(ServerOfTest):
    settings = "[limits]\nrequest_seconds = 600\n"  # what takes long here may, as long as it is small

    @property
    def library(self):
        return LIBRARY

    def peak(self):
        """The most memory that the process has had since the last call, in MB."""
        with open("/proc/%d/status" % self.server.process.pid, encoding="utf-8") as file:
            peak = next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))
        with open("/proc/%d/clear_refs" % self.server.process.pid, "w", encoding="utf-8") as file:
            file.write("5")
        return peak / 1024

    def test_a_request_holds_a_share_of_memory(self):
        with open(DATA, "rb") as file:
            self.server.post("/documents", file.read(), headers=NDJSON)
        size = (1 << 20) - 100
        keys = b"{" + b",".join(b'"k%d":1' % i for i in range(4900)) + b"}"
        for path, body in [
                ("/related", {"like": [{"id": "moon-1"}] * 40000}),
                ("/related", {"like": [{"text": "moon and guitar"}] * 25000}),
                ("/related", b'{"like":[' + b"{}," * (size // 3 - 10) + b"{}]}"),
                ("/related", b'{"like":[' + b"1," * (size // 2 - 10) + b"1]}"),
                ("/related", b'{"like":' + b"[" * (size // 2) + b"]" * (size // 2) + b"}"),
                ("/related", b'{"like":[' + b",".join([b'{"record":' + keys + b"}"] * 20) + b"]}"),
                ("/related", b"{" + b",".join(b'"k%d":1' % i for i in range(90000)) + b"}"),
                ("/documents", b'{"x":[' + b"{}," * (size // 3 - 10) + b"{}]}"),
                ("/classify", {"text": " ".join("w%x" % i for i in range(150000))})]:
            self.peak()
            before = self.peak()
            answer = self.server.post(path, body, headers={"Content-Type": "application/json"})
            self.assertIn(answer.status, (200, 201, 400), (path, str(body)[:60], answer.body[:300]))
            self.assertLess(len(answer.body), 1 << 20)
            self.assertLess(self.peak() - before, 120, (path, str(body)[:60]))  # megabytes

    def test_large_questions_take_turns(self):
        body = {"like": [{"id": "moon-1"}] * 40000}
        self.server.post("/documents", {"id": "moon-1", "text": "moon"})
        self.server.post("/related", body)
        self.peak()
        before = self.peak()
        clients = [Connection(self.server.port) for _ in range(12)]
        with concurrent.futures.ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda client: client.post("/related", body), clients))
        for client in clients:
            client.close()
        self.assertLessEqual({answer.status for answer in answers}, {200, 400})
        self.assertLess(self.peak() - before, 100 * max(4, os.cpu_count()))

    def test_what_a_body_of_lines_is_answered_with_has_a_limit(self):
        many = self.server.post("/documents", b"x\n" * 100_001, headers=NDJSON)
        self.assert_problem(many, 413, "too-many-records")
        self.peak()
        before = self.peak()
        answer = self.server.post("/documents", b"x\n" * 100_000, headers=NDJSON)
        self.assertEqual((answer.status, answer.body.count(b"\n")), (200, 100_000))
        self.assertLess(len(answer.body), 25 << 20)
        self.assertLess(self.peak() - before, 100)

    def test_a_text_does_not_come_back_in_its_error(self):
        for query in ["(" * 8000, "x" * 8000 + ":", '"' + "y" * 8000, "label:" + "z" * 8000 + "("]:
            answer = self.server.get("/search?q=" + query)
            self.assertLess(len(answer.body), 2000)
        for record in [{"id": "a", "labels": ["y" * 9000]}, {"id": "a", "labels": "y" * 9000}, ["z" * 9000]]:
            line = json.dumps(record).encode()
            self.assertLess(len(self.server.post("/documents", line, headers=NDJSON).body), 2000)


class GoneTest(ServerOfTest):
    settings = ""

    @property
    def library(self):
        return LIBRARY

    def test_a_database_that_is_gone_is_503_and_no_path_is_told(self):
        self.server.post("/documents", {"id": "a", "text": "the moon", "labels": ["space"]})
        os.rename(self.database, self.database + "-moved")
        until(lambda: self.server.get("/readyz").status == 503)
        self.assertEqual(self.server.get("/readyz").json()["status"], "index-unavailable")
        self.assertEqual(self.server.get("/healthz").status, 200)
        answers = [self.server.get("/search?q=moon"), self.server.get("/documents/a"),
                   self.server.get("/map"), self.server.request("DELETE", "/documents/a"),
                   self.server.post("/documents", {"id": "b", "text": "moon"})]
        for answer in answers:
            self.assertNotIn(self.folder.encode(), answer.body)
        for answer in answers[:2] + answers[3:]:
            detail = self.assert_problem(answer, 503, "index-unavailable")
            self.assertIn("'db'", detail)
        until(lambda: self.database in self.server.log_text(), self.server.log_text)
        os.rename(self.database + "-moved", self.database)
        until(lambda: self.server.get("/readyz").status == 200)
        self.assertEqual(self.server.get("/documents/a").status, 200)


if __name__ == "__main__":
    PROGRAM, LIBRARY, SLOW, DATA = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
