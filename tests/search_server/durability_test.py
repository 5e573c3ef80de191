#!/usr/bin/env python3
"""What the server has acknowledged is there afterwards: after a stop and a start, after SIGKILL
under load, and when its plugin is swapped while it writes and answers.

usage: durability_test.py KINDRED_SERVER LIBKINDRED DATA
"""
import http.client
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

from running_server import TOKEN, Connection, RunningServer, quoted, until

PROGRAM = LIBRARY = DATA = None
NDJSON = {"Content-Type": "application/x-ndjson"}


class Load:
    """Clients that add documents, one after the other, and remember what was acknowledged."""

    def __init__(self, port, clients=4):
        self.port = port
        self.acknowledged = set()
        self.refused = []
        self.ended = threading.Event()
        self.threads = [threading.Thread(target=self.add_documents, args=(i,))
                        for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def add_documents(self, client):
        connection = Connection(self.port)
        number = 0
        while not self.ended.is_set():
            number += 1
            # Every third request has several records.
            names = ["load-%d-%d-%d" % (client, number, i) for i in range(5 if number % 3 == 0 else 1)]
            lines = "\n".join(json.dumps({"id": name, "text": "moon and guitar " + name})
                              for name in names)
            try:
                answer = connection.post("/documents", lines.encode(), headers=NDJSON)
                for line in answer.body.splitlines():
                    outcome = json.loads(line)
                    if outcome["outcome"] == "refused":
                        self.refused.append(outcome)
                    else:
                        self.acknowledged.add(outcome["id"])
            except (OSError, http.client.HTTPException, ValueError):
                break  # the server was killed
        connection.close()

    def end(self):
        self.ended.set()
        for thread in self.threads:
            thread.join()


class Durability(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kindred-durability-")
        self.database = os.path.join(self.folder.name, "db")
        # A copy, which may be replaced.
        self.library = os.path.join(self.folder.name, "libkindred.so")
        shutil.copy(LIBRARY, self.library)
        self.server = self.start()

    def tearDown(self):
        self.server.stop()
        self.folder.cleanup()

    def start(self, settings=""):
        return RunningServer(PROGRAM, self.library, self.database, settings)

    def add_collection(self):
        with open(DATA, "rb") as file:
            answer = self.server.post("/documents", file.read(), headers=NDJSON)
        self.assertEqual(answer.status, 200)

    def document(self, name):
        answer = self.server.get("/documents/" + quoted(name))
        self.assertEqual(answer.status, 200, name)
        return answer.json()

    def test_tags_of_people_stay_after_a_restart(self):
        self.add_collection()
        self.server.post("/documents", {"id": "new", "text": "Astronauts on the Moon", "lang": "en"})
        predicted = [tag["label"] for tag in self.document("new")["predicted"]]
        self.assertIn("space", predicted)
        answer = self.server.post("/documents/new/tags", {"accept": ["space"], "add": ["mine"]})
        self.assertEqual(answer.status, 200, answer.body)
        self.server.post("/documents/moon-1/tags", {"reject": ["space"]})
        self.server.request("DELETE", "/documents/moon-2")
        self.assertEqual(self.server.stop(), 0)
        self.server = self.start()
        self.assertEqual(self.document("new")["labels"], ["mine", "space"])
        self.assertNotIn("space", [tag["label"] for tag in self.document("new")["predicted"]])
        self.assertEqual(self.document("moon-1")["labels"], [])
        self.assertEqual(self.server.get("/documents/moon-2").status, 404)
        labels = {each["label"]: each for each in self.server.get("/labels").json()["labels"]}
        self.assertEqual(labels["mine"]["documents"], 1)

    def test_what_is_acknowledged_is_found_at_once(self):
        self.add_collection()
        for i in range(20):
            name = "new-%d" % i
            answer = self.server.post("/documents", {"id": name, "text": "the moon %s" % name})
            self.assertEqual(answer.status, 201, answer.body)
            self.assertEqual(self.server.get("/documents/%s/related" % name).status, 200)
            found = self.server.get("/search?q=new-%d" % i).json()["documents"]
            self.assertIn(name, [each["id"] for each in found])

    def test_people_have_their_turn_while_a_job_writes(self):
        self.add_collection()
        lines = "\n".join(json.dumps({"id": "n%d" % i, "text": "moon word%d" % i}) for i in range(2500))
        self.server.post("/documents", lines.encode(), headers=NDJSON)
        target = "/labels/space/candidates?explain=1&min_confidence=0.00%d"
        with ThreadPoolExecutor(8) as pool:  # they wait for each other
            lists = [each.json() for each in pool.map(lambda i: Connection(self.server.port).get(
                target % i, headers={"Connection": "close"}), range(8))]
        self.assertIn(False, [each["complete"] for each in lists])
        for each in lists:  # it begins with what is near
            self.assertTrue(each["candidates"] and all(c["reason"] for c in each["candidates"]))
        job = self.server.post("/jobs/tag", {"restart": True}).headers["Location"]
        answer = self.server.post("/documents/n2499/tags", {"add": ["mine"], "new": True})
        self.assertEqual(answer.status, 200, answer.body)
        self.assertLess(self.server.get(job).json()["progress"]["done"], 2500)
        until(lambda: self.server.get(job).json()["state"] == "done")
        result = self.server.get(job).json()["result"]
        self.assertEqual(result["examined"], result["matched"])
        self.assertEqual(self.document("n2499")["labels"], ["mine"])

    def add_documents_that_make_a_tuning_due(self):
        draw = random.Random(2)
        lines = []
        for i in range(110):
            label = ["sea", "wood"][i % 2]
            words = ["%s%d" % (label, draw.randrange(60)) for _ in range(20)]
            words += ["both%d" % draw.randrange(60) for _ in range(20)]
            lines.append(json.dumps({"id": str(i), "labels": [label], "text": " ".join(words)}))
        self.server.post("/documents", "\n".join(lines).encode(), headers=NDJSON)

    def test_the_index_is_tuned_by_a_job_once_its_labels_make_that_due(self):
        self.add_documents_that_make_a_tuning_due()
        until(lambda: self.server.get("/status").json()["snapshot"]["tuned"], self.server.log_text)
        kinds = [job["kind"] for job in self.server.get("/jobs").json()["jobs"]]
        self.assertEqual(kinds, ["tune"])
        tags = self.server.post("/classify", {"text": "wood1 wood2 wood3 both1"}).json()["tags"]
        self.assertEqual([tag["label"] for tag in tags], ["wood"])

    def test_a_kill_under_load_loses_no_acknowledged_document(self):
        draw = random.Random(1)
        acknowledged = set()
        for _ in range(4):
            load = Load(self.server.port)
            until(lambda: load.acknowledged)
            time.sleep(0.5 + draw.random())
            self.server.kill()
            load.end()
            self.assertEqual(load.refused, [])
            acknowledged |= load.acknowledged
            self.server = self.start()
            for name in acknowledged:
                self.document(name)

    def test_a_stop_under_load_loses_no_acknowledged_document(self):
        load = Load(self.server.port)
        until(lambda: load.acknowledged)
        self.assertEqual(self.server.stop(), 0)
        load.end()
        self.server = self.start()
        for name in load.acknowledged:
            self.document(name)

    def test_a_stop_ends_what_is_being_handed_in(self):
        def body():
            yield "".join('{"id":"d%d","text":"word%d"}\n' % (i, i % 50) for i in range(2000)).encode()
            time.sleep(0.2)
            self.server.process.send_signal(signal.SIGTERM)
            time.sleep(0.2)
            yield "".join('{"id":"d%d","text":"other"}\n' % i for i in range(2000, 3000)).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("POST", "/documents", body(), {"Authorization": "Bearer " + TOKEN, **NDJSON})
        answer = connection.getresponse()
        self.assertEqual(answer.status, 200)
        self.assertEqual([json.loads(line)["outcome"] for line in answer], ["added"] * 3000)
        connection.close()
        self.assertEqual(self.server.ended(), 0)
        self.server = self.start()
        self.assertEqual(self.server.get("/status").json()["index"]["documents"], 3000)

    def test_the_plugin_is_swapped_while_the_server_writes_and_answers(self):
        self.add_collection()
        load = Load(self.server.port, clients=2)
        self.swap()
        self.swap()
        load.end()
        self.assertEqual(load.refused, [])
        for name in load.acknowledged:
            self.document(name)
        before = self.server.get("/documents/moon-1/related").json()["results"]
        self.swap()
        self.assertEqual(self.server.get("/documents/moon-1/related").json()["results"], before)

    def swap(self):
        """Replaces the library by a new file, as package managers do, and waits for the swap."""
        shutil.copy(LIBRARY, self.library + ".new")
        os.replace(self.library + ".new", self.library)
        before = self.server.swaps()
        self.server.swap(waits=False)
        while self.server.swaps() == before:
            self.assertEqual(self.server.get("/documents/moon-1/related").status, 200)

    def test_what_others_write_is_answered(self):
        self.add_collection()
        other = RunningServer(PROGRAM, self.library, self.database)
        self.server.post("/documents", {"id": "other", "text": "xylophone"})
        like = {"like": [{"text": "xylophone"}]}
        until(lambda: other.post("/related", like).json()["results"])
        self.assertEqual(other.get("/search?q=xylophone").json()["total"]["estimate"], 1)
        self.assertEqual(other.stop(), 0)


if __name__ == "__main__":
    PROGRAM, LIBRARY, DATA = sys.argv[1:4]
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])
