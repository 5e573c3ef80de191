"""HTTP spoken by hand with probe_server, for http_test.py."""
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from running_server import Answer

TOKEN = "a-token-of-the-tests"
FORM = "Content-Type: application/x-www-form-urlencoded"
PATIENCE = 20  # seconds; no answer takes so long
PROBE = sys.argv[1] if len(sys.argv) > 1 else None


class Client:
    """A connection to the server."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("utf-8"))

    def more(self):
        piece = self.socket.recv(65536)
        self.buffer += piece
        return bool(piece)

    def until(self, end):
        while end not in self.buffer:
            if not self.more():
                raise EOFError("closed after %r" % self.buffer[:200])
        text, self.buffer = self.buffer.split(end, 1)
        return text

    def exactly(self, size):
        while len(self.buffer) < size:
            if not self.more():
                raise EOFError("closed in a body")
        text, self.buffer = self.buffer[:size], self.buffer[size:]
        return text

    def answer(self, has_body=True):
        """The next answer; EOFError if the server closes before its end."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = {name.lower(): value for name, value in
                   (line.split(": ", 1) for line in lines[1:])}
        if status == 100 or not has_body or status in (204, 304):
            return Answer(status, headers, b"")
        return Answer(status, headers, self.exactly(int(headers["content-length"])))

    def closed(self):
        """True once the server has closed and sent nothing more."""
        try:
            return self.buffer == b"" and self.socket.recv(65536) == b""
        except ConnectionResetError:
            return True

    def rest(self):
        """All that comes until the server closes."""
        try:
            while self.more():
                pass
        except ConnectionResetError:
            pass
        return self.buffer

    def close(self):
        self.socket.close()


def head(method, target, *headers):
    return "\r\n".join(["%s %s HTTP/1.1" % (method, target), "Host: localhost", *headers, "", ""])


def with_body(method, target, body, *headers):
    return head(method, target, "Content-Length: %d" % len(body), *headers).encode() + body


class HttpTest(unittest.TestCase):
    """A server for all tests of a class."""
    arguments = []

    @classmethod
    def setUpClass(cls):
        cls.log = tempfile.NamedTemporaryFile(suffix=".log")
        cls.server = subprocess.Popen([PROBE, cls.log.name, *cls.arguments], stdout=subprocess.PIPE)
        cls.port = int(cls.server.stdout.readline())

    @classmethod
    def tearDownClass(cls):
        cls.server.send_signal(signal.SIGTERM)
        status = cls.server.wait(timeout=PATIENCE)
        cls.server.stdout.close()
        cls.log.close()
        assert status == 0, "the server ended with status %d" % status

    def client(self):
        client = Client(self.port)
        self.addCleanup(client.close)
        return client

    def ask(self, text, has_body=True):
        client = self.client()
        client.send(text)
        return client.answer(has_body)

    def assert_problem(self, answer, status, kind):
        self.assertEqual(answer.status, status)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        problem = answer.json()
        self.assertEqual(problem["type"], "urn:kindred:problem:" + kind)
        self.assertEqual(problem["status"], status)
        self.assertEqual(problem["request_id"], answer.headers["x-request-id"])
        self.assertTrue(problem["title"] and problem["detail"])

    def assert_lives(self):
        self.assertEqual(self.ask(head("GET", "/json")).json(), {"ok": True})


def main():
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
