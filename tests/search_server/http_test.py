#!/usr/bin/env python3
"""Speaks HTTP by hand with probe_server: what is oversized, slow, half closed, pipelined, malformed
or not allowed gets the right answer, and nothing hangs.

usage: http_test.py PROBE_SERVER
"""
import json
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

TOKEN = "a-token-of-the-tests"
PATIENCE = 20  # seconds; no answer takes so long
PROBE = None


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def json(self):
        return json.loads(self.body)


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

    def chunks(self):
        body = b""
        while True:
            size = int(self.until(b"\r\n"), 16)
            body += self.exactly(size)
            self.until(b"\r\n")
            if size == 0:
                return body

    def answer(self, has_body=True):
        """The next answer; EOFError if the server closes before its end."""
        lines = self.until(b"\r\n\r\n").decode("latin-1").split("\r\n")
        status = int(lines[0].split(" ")[1])
        headers = {name.lower(): value for name, value in
                   (line.split(": ", 1) for line in lines[1:])}
        if status == 100 or not has_body or status in (204, 304):
            return Answer(status, headers, b"")
        if headers.get("transfer-encoding") == "chunked":
            return Answer(status, headers, self.chunks())
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
    @classmethod
    def setUpClass(cls):
        cls.log = tempfile.NamedTemporaryFile(suffix=".log")
        cls.server = subprocess.Popen([PROBE, cls.log.name], stdout=subprocess.PIPE)
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
        end = time.monotonic() + PATIENCE
        while True:
            answer = self.ask(head("GET", "/json"))
            if answer.status != 503 or time.monotonic() > end:
                break
            time.sleep(0.05)
        self.assertEqual(answer.json(), {"ok": True})

    # Addresses and methods.

    def test_paths_and_parameters_are_decoded(self):
        shown = self.ask(head("GET", "/show/a%2Fb%20c?x=1&x=%C3%A4+b&=&y")).json()
        self.assertEqual(shown["name"], "a/b c")
        self.assertEqual(shown["query"], [["x", "1"], ["x", "ä b"], ["", ""], ["y", ""]])

    def test_malformed_paths_and_parameters_are_400(self):
        for target in ["/show/%", "/show/%4", "/show/%zz", "/show/%ff", "/show/%C0%80", "json"]:
            self.assert_problem(self.ask(head("GET", target)), 400, "malformed-path")
        for target in ["/json?%", "/json?a=%ff", "/json?%ed%a0%80=1"]:
            self.assert_problem(self.ask(head("GET", target)), 400, "malformed-parameters")
        self.assert_problem(self.ask(head("GET", "/json?" + "&".join("a" * 1001))), 400,
                            "too-many-parameters")

    def test_a_whole_address_is_a_target(self):
        self.assertEqual(self.ask(head("GET", "http://localhost/json")).status, 200)

    def test_unknown_paths_are_404(self):
        for target in ["/", "/jsonn", "/json/", "//json", "/show/", "/show/a/b", "/JSON"]:
            self.assert_problem(self.ask(head("GET", target)), 404, "no-such-page")

    def test_other_methods_are_405_and_told(self):
        answer = self.ask(head("POST", "/json", "Content-Length: 0"))
        self.assert_problem(answer, 405, "method-not-allowed")
        self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.assertEqual(self.ask(head("PATCH", "/write")).headers["allow"], "PUT, DELETE")
        self.assertEqual(self.ask(head("BREW", "/json")).status, 405)
        self.assertEqual(self.ask(head("OPTIONS", "/json")).status, 405)

    def test_head_is_get_without_the_body(self):
        client = self.client()
        for target in ["/json", "/stream?count=3", "/show/x"]:
            client.send(head("HEAD", target))
            self.assertEqual(client.answer(has_body=False).status, 200)
        client.send(head("GET", "/json"))
        self.assertEqual(client.answer().json(), {"ok": True})

    # Headers of answers.

    def test_every_answer_has_the_headers_of_security(self):
        for target in ["/json", "/nothing", "/stream", "/fails"]:
            headers = self.ask(head("GET", target)).headers
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cache-control"], "no-store")

    def test_ids_of_requests_are_kept_if_they_are_well_formed(self):
        for given, kept in [("a.b-C_1", True), ("x" * 64, True), ("x" * 65, False),
                            ("a b", False), ("<b>", False), ("ä", False)]:
            answer = self.ask(head("GET", "/json", "X-Request-Id: " + given))
            self.assertEqual(answer.headers["x-request-id"] == given, kept, given)

    def test_what_the_client_has_is_not_sent_again(self):
        tag = self.ask(head("GET", "/tagged")).headers["etag"]
        for known in [tag, "W/" + tag, '"other", ' + tag, "*"]:
            answer = self.ask(head("GET", "/tagged", "If-None-Match: " + known))
            self.assertEqual((answer.status, answer.headers["etag"]), (304, tag))
        self.assertEqual(self.ask(head("GET", "/tagged", 'If-None-Match: "x"')).status, 200)

    def test_the_times_of_xapian_and_plugin_are_told(self):
        self.assertEqual(self.ask(head("GET", "/timed")).headers["server-timing"],
                         "xapian;dur=250.000, plugin;dur=500.000")

    # Failures of handlers.

    def test_problems_of_handlers_are_told_and_failures_are_not(self):
        answer = self.ask(head("GET", "/problem?x=<b>"))
        self.assert_problem(answer, 409, "already-there")
        self.assertEqual(answer.headers["retry-after"], "7")
        self.assertEqual(answer.json()["instance"], "/problem?x=<b>")
        for target in ["/fails", "/fails-oddly"]:
            self.assert_problem(self.ask(head("GET", target)), 500, "internal-error")
        self.assert_lives()

    # Limits of heads.

    def test_long_targets_are_414_and_long_headers_431(self):
        self.assert_problem(self.ask(head("GET", "/json?" + "x" * 9000)), 414, "target-too-long")
        self.assert_problem(self.ask(head("GET", "/json", "X-Long: " + "y" * 17000)), 431,
                            "headers-too-large")
        many = ["X-%d: %s" % (i, "z" * 20) for i in range(900)]
        self.assertEqual(self.ask(head("GET", "/json", *many)).status, 431)

    def test_endless_heads_are_refused(self):
        for begin in [b"GET /" + b"x" * 200000, b"GET / HTTP/1.1\r\nX: " + b"y" * 200000,
                      b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 40000, b"x" * 200000, b"\r\n" * 100000]:
            client = self.client()
            try:
                client.send(begin)
                self.assertIn(client.answer().status, (400, 413, 414, 431))
            except (EOFError, ConnectionError):
                pass  # it does not read so much
        self.assert_lives()

    def test_malformed_heads_are_400_or_closed(self):
        for text in ["GET\r\n\r\n", "GET /json\r\n\r\n", "\0\0\0\0\r\n\r\n", "GET /json HTTP/9.9\r\n\r\n",
                     "GET /json HTTP/1.1\r\n\r\n", "GET /json HTTP/1.1\r\nHost\r\n\r\n",
                     "GET  /json x HTTP/1.1\r\nHost: a\r\n\r\n", "\x16\x03\x01\x02\r\n\r\n"]:
            client = self.client()
            client.send(text)
            client.socket.shutdown(socket.SHUT_WR)
            try:
                self.assertIn(client.answer().status, (400, 404, 505), text)
            except (EOFError, ConnectionError):
                pass
        self.assert_lives()

    def test_a_head_that_could_hide_a_request_is_refused_and_closes(self):
        for headers in [("Content-Length: 4", "Transfer-Encoding: chunked"),
                        ("Content-Length: 4", "Content-Length: 5"),
                        ("Transfer-Encoding: gzip, chunked",), ("Transfer-Encoding: identity",),
                        ("Content-Length: 0x4",), ("Content-Length: -1",), ("Content-Length: +4",),
                        ("Content-Length: 99999999999999999999",)]:
            client = self.client()
            client.send(head("POST", "/bytes", *headers) + head("GET", "/json"))
            self.assertIn(client.answer().status, (400, 413, 501), headers)
            self.assertNotIn(b'"ok"', client.rest(), headers)

    # Bodies.

    def test_bodies_of_all_sizes_arrive_whole(self):
        client = self.client()
        for size in [0, 1, 4095, 65535, 65536, 65537, 131073, 1 << 20]:
            client.send(with_body("POST", "/bytes", b"x" * size))
            self.assertEqual(client.answer().json(), {"bytes": size})

    def test_chunked_bodies_arrive_whole(self):
        client = self.client()
        for sizes in [[], [1], [1] * 500, [70000, 3, 200000], [65536, 65536]]:
            client.send(head("POST", "/bytes", "Transfer-Encoding: chunked"))
            for size in sizes:
                client.send(b"%x;extension=1\r\n%s\r\n" % (size, b"x" * size))
            client.send("0\r\nX-Trailer: y\r\n\r\n")
            self.assertEqual(client.answer().json(), {"bytes": sum(sizes)})

    def test_malformed_chunks_are_400_or_closed(self):
        for chunks in ["zz\r\n", "-1\r\nx\r\n", "5\r\nabcdeXX", "ffffffffffffffffff\r\nx", "\r\n\r\n"]:
            client = self.client()
            client.send(head("POST", "/bytes", "Transfer-Encoding: chunked") + chunks)
            client.socket.shutdown(socket.SHUT_WR)
            try:
                self.assertIn(client.answer().status, (400, 413), chunks)
            except (EOFError, ConnectionError):
                pass
        self.assert_lives()

    def test_too_large_bodies_are_413(self):
        size = (1 << 20) + 1
        self.assert_problem(self.ask(head("POST", "/bytes", "Content-Length: %d" % size,
                                          "Expect: 100-continue")), 413, "body-too-large")
        self.assert_problem(self.ask(head("POST", "/bytes", "Content-Length: 99999999999")), 413,
                            "body-too-large")
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size)
        self.assert_problem(self.ask(head("POST", "/bytes", "Transfer-Encoding: chunked").encode() +
                                     chunked), 413, "body-too-large")
        self.assert_problem(self.ask(with_body("GET", "/json", b"x")), 413, "body-too-large")
        self.assert_problem(self.ask(with_body("PUT", "/write", b"x" * 1001,
                                               "Authorization: Bearer " + TOKEN)), 413, "body-too-large")

    def test_a_refused_body_leaves_the_connection_in_step(self):
        client = self.client()
        for _ in range(3):
            client.send(with_body("POST", "/nothing", b"GET /json HTTP/1.1\r\n\r\n" * 100))
            client.send(head("GET", "/json"))
            self.assertEqual([client.answer().status, client.answer().status], [404, 200])

    def test_an_ignored_body_leaves_the_connection_in_step(self):
        client = self.client()
        for size in [10, 100000, 1000000]:
            client.send(with_body("POST", "/ignored", b"x" * size) + head("GET", "/json").encode())
            self.assertEqual([client.answer().status, client.answer().status], [200, 200])

    def test_an_endless_chunked_body_ends(self):
        client = self.client()
        client.send(head("POST", "/bytes", "Transfer-Encoding: chunked"))
        sent = 0
        try:
            while sent < 64 << 20:
                client.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
                sent += 65536
        except ConnectionError:
            pass
        self.assertLess(sent, 16 << 20)
        self.assert_lives()

    def test_a_body_without_length_is_411(self):
        self.assert_problem(self.ask(head("POST", "/bytes")), 411, "length-required")

    def test_expect_100_is_answered_before_the_body(self):
        client = self.client()
        client.send(head("POST", "/bytes", "Content-Length: 3", "Expect: 100-continue"))
        self.assertEqual(client.answer().status, 100)
        client.send("abc")
        self.assertEqual(client.answer().json(), {"bytes": 3})

    def test_lines_are_answered_each(self):
        body = b"".join(b"x" * (i % 50) + (b"\r\n" if i % 2 else b"\n") for i in range(20000)) + b"last"
        lines = self.ask(with_body("POST", "/lines", body)).body.decode().splitlines()
        self.assertEqual(len(lines), 20001)
        self.assertEqual(json.loads(lines[41]), {"line": 42, "bytes": 41})
        self.assertEqual(json.loads(lines[-1]), {"line": 20001, "bytes": 4})

    def test_too_long_a_line_is_413_and_named(self):
        answer = self.ask(with_body("POST", "/lines", b"x\n" + b"y" * 1001 + b"\n"))
        self.assert_problem(answer, 413, "line-too-long")
        self.assertIn("Line 2 ", answer.json()["detail"])
        self.assert_problem(self.ask(with_body("POST", "/lines", b"y" * 5000000)), 413, "line-too-long")

    # Connections.

    def test_pipelined_requests_are_answered_in_order(self):
        client = self.client()
        targets = ["/show/%d?ms=%d" % (i, i) if i % 3 else "/sleep?ms=20" for i in range(60)]
        client.send("".join(head("GET", target) for target in targets))
        for i in range(60):
            answer = client.answer()
            self.assertEqual(answer.status, 200)
            if i % 3:
                self.assertEqual(answer.json()["name"], str(i))

    def test_a_connection_is_kept_until_the_client_wants_it_closed(self):
        client = self.client()
        client.send(head("GET", "/json"))
        client.answer()
        client.send(head("GET", "/json", "Connection: close"))
        self.assertEqual(client.answer().status, 200)
        self.assertTrue(client.closed())
        client = self.client()
        client.send("GET /json HTTP/1.0\r\n\r\n")
        self.assertEqual(client.answer().json(), {"ok": True})
        self.assertTrue(client.closed())

    def test_half_closed_connections_get_their_answer(self):
        for text in [head("GET", "/json"), head("GET", "/sleep?ms=100"), head("GET", "/stream?count=3"),
                     with_body("POST", "/bytes", b"x" * 200000), head("GET", "/big?bytes=3000000")]:
            for pause in [0, 0.02]:
                client = self.client()
                client.send(text)
                time.sleep(pause)
                client.socket.shutdown(socket.SHUT_WR)
                self.assertEqual(client.answer().status, 200)
                self.assertTrue(client.closed())

    def test_half_closed_requests_are_dropped(self):
        for text in ["GET /json HT", head("GET", "/json")[:-2],
                     head("POST", "/bytes", "Content-Length: 100") + "x",
                     head("POST", "/bytes", "Content-Length: 200000") + "x" * 100000]:
            client = self.client()
            client.send(text)
            client.socket.shutdown(socket.SHUT_WR)
            self.assertTrue(client.closed(), text[:60])
        self.assert_lives()

    def test_clients_that_leave_do_no_harm(self):
        for text in [head("GET", "/sleep?ms=50"), head("GET", "/stream?count=100000"),
                     head("GET", "/big?bytes=30000000"), with_body("POST", "/bytes", b"x" * 300000),
                     head("POST", "/bytes", "Content-Length: 500000") + "x" * 200000]:
            for _ in range(8):
                client = Client(self.port)
                client.send(text)
                client.close()
        self.assert_lives()

    # Slow clients.

    def test_slow_heads_and_bodies_are_cut_off(self):
        """However little by little they come, and however long it is idle."""
        texts = ["", "GET /json HTTP/1.1\r\nX: " + "y" * 1000,
                 head("POST", "/bytes", "Content-Length: 1000") + "x" * 900,
                 head("POST", "/bytes", "Content-Length: 200000") + "x" * 100000 + "y" * 900]
        clients = []
        for text in texts:
            client = self.client()
            client.send(text[:-900] if len(text) > 900 else text)
            clients.append(client)
        began, open_ones = time.monotonic(), set(range(len(texts)))
        while open_ones and time.monotonic() - began < PATIENCE:
            for i in list(open_ones):
                if select.select([clients[i].socket], [], [], 0)[0] and clients[i].closed():
                    open_ones.remove(i)
                    continue
                try:
                    if i > 0:
                        clients[i].send("x")
                except ConnectionError:
                    open_ones.remove(i)
            time.sleep(0.2)
        self.assertEqual(open_ones, set())
        self.assert_lives()

    def test_clients_that_take_nothing_are_cut_off(self):
        clients = [self.client() for _ in range(2)]
        clients[0].send(head("GET", "/big?bytes=30000000"))
        clients[1].send(head("GET", "/stream?count=1000000"))
        for client in clients:
            client.answered = 0
        # 30 MB are allowed two hours at 4096 bytes a second, a stream is given up after a piece.
        deadline = time.monotonic() + PATIENCE
        open_streams = True
        while open_streams and time.monotonic() < deadline:
            time.sleep(0.5)
            metrics = self.ask(head("GET", "/metrics")).body.decode()
            open_streams = not re.search(r'requests_total\{[^}]*route="/stream"[^}]*\} \d', metrics)
        self.assertFalse(open_streams)

    def test_slow_clients_do_not_keep_others_waiting(self):
        for _ in range(10):  # five times the workers
            self.client().send(head("POST", "/bytes", "Content-Length: 50000") + "x" * 40000)
        self.assert_lives()

    # The pool.

    def test_a_full_pool_is_503_and_what_needs_none_is_answered(self):
        sleepers = [self.client() for _ in range(16)]
        for client in sleepers:
            client.send(head("GET", "/sleep?ms=1000"))
        time.sleep(0.2)
        self.assertEqual(self.ask(head("GET", "/unpooled")).status, 200)
        refused = self.ask(with_body("POST", "/bytes", b"x" * 500000))
        self.assert_problem(refused, 503, "too-busy")
        self.assertEqual(refused.headers["retry-after"], "1")
        answers = [client.answer().status for client in sleepers]
        self.assertEqual(sorted(set(answers)), [200, 503])
        # Two workers and a queue of eight; more if they have answered before the last one asks.
        self.assertGreaterEqual(answers.count(200), 10)

    # Streams.

    def test_streams_come_in_pieces_and_whole(self):
        answer = self.ask(head("GET", "/stream?count=5000"))
        self.assertEqual(answer.body.decode(), "".join("%d\n" % i for i in range(5000)))
        client = self.client()
        client.send(head("GET", "/stream?count=4&ms=400"))
        while b"0\n" not in client.buffer:
            client.more()
        self.assertNotIn(b"3\n", client.buffer)
        self.assertEqual(client.answer().body, b"0\n1\n2\n3\n")

    def test_many_idle_streams_leave_the_pool_free(self):
        streams = [self.client() for _ in range(20)]
        for client in streams:
            client.send(head("GET", "/stream?count=2&ms=1500"))
            while b"0\n" not in client.buffer:
                client.more()
        self.assert_lives()
        for client in streams:
            self.assertEqual(client.answer().body, b"0\n1\n")

    # Who may write.

    def test_writing_needs_the_token(self):
        for wrong in [None, "Bearer", "Bearer ", "Bearer x", "Bearer " + TOKEN[:-1], "Bearer " + TOKEN + "x",
                      "Basic " + TOKEN, TOKEN, "Bearer  " + TOKEN]:
            headers = [] if wrong is None else ["Authorization: " + wrong]
            answer = self.ask(head("DELETE", "/write", *headers))
            self.assert_problem(answer, 401, "token-needed")
            self.assertTrue(answer.headers["www-authenticate"].startswith("Bearer "))
        for scheme in ["Bearer", "bearer", "BEARER"]:
            self.assertEqual(self.ask(head("DELETE", "/write", "Authorization: %s %s" %
                                           (scheme, TOKEN))).status, 200)

    def test_tokens_in_addresses_are_worth_nothing(self):
        for target in ["/write?token=" + TOKEN, "/write?access_token=" + TOKEN]:
            self.assertEqual(self.ask(head("DELETE", target)).status, 401)

    def test_a_session_lets_forms_write(self):
        form = ("token=%s&next=/show/x%%3Fy=1" % TOKEN).encode()
        kind = "Content-Type: application/x-www-form-urlencoded"
        answer = self.ask(with_body("POST", "/session", form, kind))
        self.assertEqual((answer.status, answer.headers["location"]), (303, "/show/x?y=1"))
        self.assertIn("HttpOnly; SameSite=Strict", answer.headers["set-cookie"])
        cookie = "Cookie: other=1; " + answer.headers["set-cookie"].split(";")[0]
        self.assertNotIn(TOKEN, cookie)
        self.assertEqual(self.ask(head("DELETE", "/write", cookie)).status, 200)
        self.assertTrue(self.ask(head("GET", "/show/x", cookie)).json()["may_write"])
        self.assertEqual(self.ask(with_body("POST", "/session/end", b"", kind, cookie)).status, 303)
        self.assertEqual(self.ask(head("DELETE", "/write", cookie)).status, 401)

    def test_a_session_leads_to_this_server_only(self):
        kind = "Content-Type: application/x-www-form-urlencoded"
        for target in ["//evil", "http://evil", "/%5Cevil", "/a%0D%0AX: y", "evil", ""]:
            answer = self.ask(with_body("POST", "/session",
                                        ("token=%s&next=%s" % (TOKEN, target)).encode(), kind))
            self.assertEqual((answer.status, answer.headers["location"]), (303, "/"), target)
        answer = self.ask(with_body("POST", "/session", b"token=wrong&next=/a", kind))
        self.assertEqual(answer.headers["location"], "/session?failed=1&next=%2Fa")
        self.assertNotIn("set-cookie", answer.headers)
        self.assertEqual(self.ask(with_body("POST", "/session", b"token=x")).status, 415)

    def test_pages_of_other_sites_cannot_write(self):
        allowed = "Authorization: Bearer " + TOKEN
        for header in ["Origin: http://evil.example", "Origin: null", "Origin: http://localhost:1",
                       "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]:
            self.assert_problem(self.ask(head("DELETE", "/write", allowed, header)), 403, "other-origin")
        for header in ["Origin: http://localhost", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"]:
            self.assertEqual(self.ask(head("DELETE", "/write", allowed, header)).status, 200)

    # What is written down.

    def test_the_log_has_a_json_object_a_line_and_no_secrets(self):
        self.ask(head("GET", "/show/q?q=private-words", "X-Request-Id: looked-up",
                      "Authorization: Bearer " + TOKEN))
        for _ in range(100):  # a line is written when its answer has gone
            with open(self.log.name, encoding="utf-8") as file:
                text = file.read()
            lines = [json.loads(line) for line in text.splitlines(True) if line.endswith("\n")]
            found = [line for line in lines if line.get("request_id") == "looked-up"]
            if found:
                break
            time.sleep(.05)
        line, = found
        self.assertEqual((line["event"], line["method"], line["route"], line["status"]),
                         ("request", "GET", "/show/{name}", 200))
        self.assertGreater(line["bytes"], 0)
        self.assertNotIn("private-words", text)
        self.assertNotIn(TOKEN, text)

    def test_metrics_are_labelled_by_route(self):
        for i in range(3):
            self.ask(head("GET", "/show/secret-%d" % i))
        self.ask(head("GET", "/timed"))
        self.ask(head("GET", "/no-such-%d" % i))
        answer = self.ask(head("GET", "/metrics"))
        text = answer.body.decode()
        self.assertTrue(answer.headers["content-type"].startswith("text/plain; version=0.0.4"))
        self.assertRegex(text, r'kindred_server_requests_total\{method="GET",route="/show/\{name\}",'
                               r'status="200"\} \d')
        for name in ["request", "xapian", "plugin"]:
            self.assertRegex(text, r'kindred_server_%s_seconds_count\{[^}]*route="/timed"\} \d' % name)
        self.assertNotIn("secret", text)
        self.assertNotIn("no-such", text)


class StopTest(unittest.TestCase):
    def client(self, port):
        client = Client(port)
        self.addCleanup(client.close)
        return client

    def start(self):
        server = subprocess.Popen([PROBE, "/dev/null"], stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.kill)
        return server, int(server.stdout.readline())

    def test_requests_in_flight_end_and_new_ones_find_nobody(self):
        server, port = self.start()
        idle, sleeper, sender = [self.client(port) for _ in range(3)]
        sleeper.send(head("GET", "/sleep?ms=800"))
        sender.send(head("POST", "/bytes", "Content-Length: 10") + "12345")
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        with self.assertRaises(OSError):
            self.client(port)
        sender.send("67890")
        self.assertEqual(sender.answer().json(), {"bytes": 10})
        answer = sleeper.answer()
        self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
        self.assertTrue(idle.closed())
        self.assertEqual(server.wait(timeout=PATIENCE), 0)

    def test_streams_are_sent_to_their_end(self):
        server, port = self.start()
        client = self.client(port)
        client.send(head("GET", "/stream?count=4&ms=300"))
        while b"0\n" not in client.buffer:
            client.more()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(client.answer().body, b"0\n1\n2\n3\n")
        self.assertEqual(server.wait(timeout=PATIENCE), 0)

    def test_endless_streams_do_not_keep_a_server_from_stopping(self):
        server, port = self.start()
        client = self.client(port)
        client.send(head("GET", "/stream?count=-1&ms=10000"))
        while b"0\n" not in client.buffer:
            client.more()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(client.answer().body, b"0\n")
        self.assertEqual(server.wait(timeout=PATIENCE), 0)

    def test_requests_that_do_not_end_are_cut_off(self):
        server, port = self.start()
        client = self.client(port)
        client.send(head("GET", "/sleep?ms=7000"))
        time.sleep(0.2)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=PATIENCE), 1)


if __name__ == "__main__":
    PROBE = sys.argv.pop(1)
    unittest.main()
