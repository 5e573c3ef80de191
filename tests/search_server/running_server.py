"""kindred-server as a process of a test, and requests to it."""
import http.client
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
import urllib.parse

PATIENCE = 60  # seconds; no answer takes so long
TOKEN = "the-token-of-the-tests-0123456789"


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


def quoted(segment):
    return urllib.parse.quote(segment, safe="")


def until(holds, why=lambda: ""):
    """Waits until holds() is true."""
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            raise TimeoutError(why())
        time.sleep(0.02)


class Connection:
    """One that is kept, and opened again where the server has closed it."""

    def __init__(self, port):
        self.port = port
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)

    def request(self, method, target, body=None, headers=None, token=TOKEN):
        """`body`: bytes, or what becomes JSON. Keeps its connection."""
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = "Bearer " + token
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode("utf-8")
            headers.setdefault("Content-Type", "application/json")
        for attempt in range(2):
            try:
                self.connection.request(method, target, body, headers)
                answer = self.connection.getresponse()
                return Answer(answer.status, dict(answer.getheaders()), answer.read())
            except (http.client.RemoteDisconnected, BrokenPipeError, ConnectionResetError):
                self.close()
                if attempt == 1:
                    raise
        return None

    def get(self, target, **arguments):
        return self.request("GET", target, **arguments)

    def post(self, target, body, **arguments):
        return self.request("POST", target, body, **arguments)

    def close(self):
        self.connection.close()


class RunningServer(Connection):
    """Serves a database, which is made if there is none, at a port that is free."""

    def __init__(self, program, library, database, settings="", token=TOKEN):
        self.folder = tempfile.TemporaryDirectory(prefix="kindred-server-")
        path = os.path.join(self.folder.name, "server.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write("[index]\ndatabase = %s\nlibrary = %s\ncreate = true\n%s"
                       % (json.dumps(database), json.dumps(library), settings))
        self.log = open(os.path.join(self.folder.name, "log"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [program, "--settings", path, "--port", "0"], stdout=subprocess.PIPE, stderr=self.log,
            env={**os.environ, **({"KINDRED_SERVER_TOKEN": token} if token else {})}, text=True)
        address = self.process.stdout.readline()
        if not address:
            raise RuntimeError("the server does not start: " + self.log_text())
        super().__init__(urllib.parse.urlsplit(address.strip()).port)
        until(lambda: self.get("/readyz").status == 200, self.log_text)

    def run_job(self, kind, options):
        """Runs a job to its end, and returns it."""
        path = self.post("/jobs/" + kind, options).headers["Location"]
        until(lambda: self.get(path).json()["state"] != "running")
        return self.get(path).json()

    def log_text(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def swaps(self):
        return self.get("/status").json()["plugin"]["swaps"]

    def swap(self, waits=True):
        """Has the plugin swapped."""
        before = self.swaps()
        self.process.send_signal(signal.SIGHUP)
        if waits:
            until(lambda: self.swaps() > before, self.log_text)

    def stop(self, sent=signal.SIGTERM):
        """Ends gracefully, and returns the exit status."""
        self.process.send_signal(sent)
        return self.ended()

    def kill(self):
        self.process.kill()
        self.ended()

    def ended(self):
        """Waits for the end of the process, and returns its status."""
        self.close()
        status = self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.log.close()
        self.folder.cleanup()
        return status


class ServedTest(unittest.TestCase):
    """A server with an empty database for all tests of a class. `programs`: it and the library."""
    programs = None
    settings = ""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="kindred-test-")
        cls.server = RunningServer(*cls.programs, os.path.join(cls.folder.name, "db"), cls.settings)

    @classmethod
    def tearDownClass(cls):
        status = cls.server.stop()
        cls.folder.cleanup()
        assert status == 0, "exit status %d" % status

    def found(self, **asked):
        """What a search finds."""
        answer = self.server.get("/search?" + urllib.parse.urlencode(asked, True))
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()
