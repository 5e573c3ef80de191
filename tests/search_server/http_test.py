#!/usr/bin/env python3
"""HTTP spoken by hand: requests that are right, malformed, too large, slow or left, who may write,
and what is written down. Nothing hangs, and nothing is the server's fault.

usage: http_test.py PROBE_SERVER
"""
import contextlib
import http.client
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

from running_server import Answer, until

TOKEN = "a-token-of-the-tests"
FORM = "Content-Type: application/x-www-form-urlencoded"
ALLOWED = "Authorization: Bearer " + TOKEN
PATIENCE = 20  # seconds; no answer takes so long
PROBE = None


class Client:
    """A connection to the server."""

    def __init__(self, port, test, address="127.0.0.1"):
        self.socket = socket.create_connection((address, port), timeout=PATIENCE)
        self.file = self.socket.makefile("rb")
        test.addCleanup(self.close)

    def send(self, text):
        self.socket.sendall(text if isinstance(text, bytes) else text.encode("utf-8"))

    def answer(self, has_body=True):
        """The next answer; EOFError if the server closes before its end."""
        line = self.file.readline()
        if not line:
            raise EOFError("closed before an answer")
        status = int(line.split()[1])
        headers = {name.lower(): value
                   for name, value in http.client.parse_headers(self.file).items()}
        has_body = has_body and status not in (100, 204, 304)
        size = int(headers["content-length"]) if has_body else 0
        body = self.file.read(size)
        if len(body) < size:
            raise EOFError("closed in a body")
        return Answer(status, headers, body)

    def rest(self):
        """All that comes until the server closes."""
        rest = bytearray()
        with contextlib.suppress(ConnectionResetError):
            while piece := self.file.read1(1 << 20):
                rest += piece
        return rest

    def close(self):
        self.file.close()
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

    def log_text(self):
        with open(self.log.name, encoding="utf-8") as file:
            return file.read()

    def client(self):
        return Client(self.port, self)

    def ask(self, text, has_body=True):
        client = self.client()
        client.send(text)
        answer = client.answer(has_body)
        client.close()
        return answer

    def assert_problem(self, answer, status, kind):
        self.assertEqual(answer.status, status)
        self.assertEqual(answer.headers["content-type"], "application/problem+json")
        problem = answer.json()
        self.assertEqual(problem["type"], "urn:kindred:problem:" + kind)
        self.assertEqual(problem["status"], status)
        self.assertEqual(problem["request_id"], answer.headers["x-request-id"])
        self.assertTrue(problem["title"] and problem["detail"])

    def assert_hosts(self):
        for host, status in [("evil.example", 421), ("localhost:1", 200), ("127.0.0.1:80", 200),
                             ("[::1]:80", 200), ("[::1]", 200), ("[::1", 421), ("[::1]x", 421),
                             ("localhost:x", 421), ("search.example:443", 200), ("SEARCH.example", 200)]:
            text = head("GET", "/json").replace("Host: localhost", "Host: " + host)
            self.assertEqual(self.ask(text).status, status, host)

    def assert_lives(self):
        self.assertEqual(self.ask(head("GET", "/json")).json(), {"ok": True})


class RequestsTest(HttpTest):
    def test_paths_and_parameters_are_decoded(self):
        shown = self.ask(head("GET", "/show/a%2Fb%20c?x=1&x=%C3%A4+b&=&y")).json()
        self.assertEqual(shown["name"], "a/b c")
        self.assertEqual(shown["query"], [["x", "1"], ["x", "ä b"], ["", ""], ["y", ""]])
        self.assertEqual(self.ask(head("GET", "http://localhost/json")).status, 200)

    def test_what_cannot_be_a_segment_of_a_path_is_a_parameter(self):
        for target, name in [("/show/-?name=..", ".."), ("/show/-?x=1&name=.", "."), ("/show/-", "-"),
                             ("/show/-?name=a%2Fb", "a/b"), ("/show/x?name=y", "x"), ("/show/..", "..")]:
            shown = self.ask(head("GET", target)).json()
            self.assertEqual(shown["name"], name, target)
        self.assertEqual(self.ask(head("GET", "/show/-?x=1&name=.")).json()["query"], [["x", "1"]])

    def test_what_is_not_utf8_is_400(self):
        for target in ["/show/%ff", "/show/%C0%80", "json"]:
            self.assert_problem(self.ask(head("GET", target)), 400, "malformed-path")
        for target in ["/json?a=%ff", "/json?%ed%a0%80=1"]:
            self.assert_problem(self.ask(head("GET", target)), 400, "malformed-parameters")

    def test_unknown_paths_are_404_and_other_methods_405(self):
        for target in ["/", "/jsonn", "/json/", "//json", "/show/", "/show/a/b", "/JSON", "/base"]:
            self.assert_problem(self.ask(head("GET", target)), 404, "no-such-page")
        answer = self.ask(head("POST", "/json", "Content-Length: 0"))
        self.assert_problem(answer, 405, "method-not-allowed")
        self.assertEqual(answer.headers["allow"], "GET, HEAD")
        self.assertEqual(self.ask(head("PATCH", "/write")).headers["allow"], "PUT, DELETE")
        for method in ["BREW", "OPTIONS"]:
            self.assertEqual(self.ask(head(method, "/json")).status, 405)

    def test_the_path_of_a_proxy_is_understood_and_given(self):
        for target in ["/json", "/base/json"]:
            self.assertEqual(self.ask(head("GET", target)).status, 200)
        answer = self.ask(head("POST", "/created", "Content-Length: 0"))
        self.assertEqual(answer.headers["location"], "/base/show/made")

    def test_head_is_get_without_the_body(self):
        client = self.client()
        for target in ["/json", "/big?bytes=5000", "/show/x"]:
            client.send(head("HEAD", target))
            self.assertEqual(client.answer(has_body=False).status, 200)
        client.send(head("GET", "/json"))
        self.assertEqual(client.answer().json(), {"ok": True})

    def test_every_answer_has_the_headers_of_security_and_an_id(self):
        for target in ["/json", "/nothing", "/fails"]:
            headers = self.ask(head("GET", target)).headers
            self.assertIn("default-src 'none'", headers["content-security-policy"])
            self.assertNotIn("unsafe", headers["content-security-policy"])
            self.assertEqual(headers["x-content-type-options"], "nosniff")
            self.assertEqual(headers["cache-control"], "no-store")
        for given, kept in [("a.b-C_1", True), ("x" * 64, True), ("x" * 65, False),
                            ("a b", False), ("<b>", False), ("ä", False)]:
            answer = self.ask(head("GET", "/json", "X-Request-Id: " + given))
            self.assertEqual(answer.headers["x-request-id"] == given, kept, given)

    def test_what_the_client_has_is_not_sent_again(self):
        answer = self.ask(head("GET", "/timed"))
        self.assertEqual(answer.headers["server-timing"], "plugin;dur=500.000")
        tag = answer.headers["etag"]
        for known in [tag, "W/" + tag, '"other", ' + tag, "*"]:
            answer = self.ask(head("GET", "/timed", "If-None-Match: " + known))
            self.assertEqual((answer.status, answer.headers["etag"]), (304, tag))
        self.assertEqual(self.ask(head("GET", "/timed", 'If-None-Match: "x"')).status, 200)

    def test_compressed_bodies_are_refused(self):
        for coding in ["gzip", "br"]:
            answer = self.ask(with_body("POST", "/bytes", b"x", "Content-Encoding: " + coding))
            self.assert_problem(answer, 415, "unsupported-encoding")

    def test_problems_of_handlers_are_told_and_failures_are_not(self):
        answer = self.ask(head("GET", "/problem?x=<b>"))
        self.assert_problem(answer, 409, "already-there")
        self.assertEqual(answer.headers["retry-after"], "7")
        self.assertEqual(answer.json()["instance"], "/problem?x=<b>")
        for target in ["/fails", "/fails-oddly"]:
            self.assert_problem(self.ask(head("GET", target)), 500, "internal-error")
        self.assert_lives()

    # Limits and malformed requests.

    def test_long_targets_are_414_and_long_headers_431(self):
        self.assertEqual(self.ask(head("GET", "/json?" + "x" * 16000)).status, 200)
        self.assertEqual(self.ask(head("GET", "/json?" + "x" * 40000)).status, 414)
        self.assertEqual(self.ask(head("GET", "/json", "X-Long: " + "y" * 40000)).status, 431)
        self.assert_lives()

    def test_endless_and_malformed_heads_are_refused_or_closed(self):
        for text in [b"GET /" + b"x" * 200000, b"GET / HTTP/1.1\r\nX: " + b"y" * 200000,
                     b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 40000, b"x" * 200000, b"\r\n" * 100000,
                     b"GET\r\n\r\n", b"\0\0\0\0\r\n\r\n", b"GET /json HTTP/9.9\r\n\r\n",
                     b"GET /json HTTP/1.1\r\n\r\n", b"GET /json HTTP/1.1\r\nHost\r\n\r\n",
                     b"\x16\x03\x01\x02\r\n\r\n"]:
            client = self.client()
            with contextlib.suppress(EOFError, OSError):  # it does not read so much
                client.send(text)
                client.socket.shutdown(socket.SHUT_WR)
                self.assertIn(client.answer().status, (400, 404, 413, 414, 431, 505), text[:40])
        self.assert_lives()

    def test_a_head_that_could_hide_a_request_is_refused_and_closes(self):
        for headers in [("Content-Length: 4", "Transfer-Encoding: chunked"),
                        ("Content-Length: 4", "Content-Length: 5"),
                        ("Transfer-Encoding: gzip, chunked",), ("Transfer-Encoding: identity",),
                        ("Content-Length: 0x4",), ("Content-Length: -1",), ("Content-Length: +4",),
                        ("Content-Length: 99999999999999999999",)]:
            client = self.client()
            client.send(head("POST", "/bytes", *headers) + head("GET", "/json"))
            self.assertIn(client.answer().status, (400, 413), headers)
            self.assertNotIn(b'"ok"', client.rest(), headers)

    def test_heads_that_rfc_9112_forbids_are_400_and_end_the_connection(self):
        for line in ["Content-Length : 4", "Transfer-Encoding : chunked", "Content-Length:\r\n 4",
                     "X: y\r\n\tContent-Length: 4", "Transfer-Encoding: chunked\0", "X: a\0b",
                     "X: a\rContent-Length: 4", "X: a\nContent-Length: 4", "X y: z", "X\x01: z", ": z",
                     "X: \x7f", "Host: localhost", "\xc3\xa4: z", "Content-Length: ", "X"]:
            for body in ["abcd", "4\r\nabcd\r\n0\r\n\r\n"]:
                client = self.client()
                client.send(head("POST", "/bytes", line) + body + head("GET", "/json"))
                self.assertEqual(client.answer().status, 400, line)
                self.assertEqual(client.rest(), b"", line)
        for chunks in ["4\nabcd\r\n0\r\n\r\n", "4;a=\nabcd\r\n0\r\n\r\n", "4\r\nabcd\r\n0\r\nX y: z\r\n\r\n",
                       "0x4\r\nabcd\r\n0\r\n\r\n", "4\r\nabcd\n0\r\n\r\n", "10000000000000004\r\nabcd\r\n"]:
            client = self.client()
            client.send(head("POST", "/bytes", "Transfer-Encoding: chunked") + chunks + head("GET", "/json"))
            self.assertEqual(client.answer().status, 400, chunks)
            self.assertEqual(client.rest(), b"", chunks)
        self.assert_lives()

    def test_an_error_has_one_head_and_is_a_problem(self):
        for text, status in [(head("POST", "/bytes", "Content-Length: +5"), 400),
                             (head("POST", "/bytes", "Content-Length: 99999999999"), 413),
                             ("GET /json HTTP/1.1\r\n\r\n", 400), ("GET /json HTTP/9.9\r\n\r\n", 505),
                             ("x" * 40000, 414), (head("GET", "/json", "X-Long: " + "y" * 40000), 431),
                             (head("GET", "/json?" + "&".join("a%d=1" % i for i in range(401))), 414)]:
            client = self.client()
            client.send(text)
            answer = client.answer()
            self.assertEqual((answer.status, answer.json()["status"]), (status, status), text[:60])
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(client.rest(), b"", text[:60])
        many = self.ask(head("GET", "/show/x?" + "&".join("a%d=1" % i for i in range(400))))
        self.assertEqual(len(many.json()["query"]), 400)

    def test_an_error_does_not_give_back_all_that_it_got(self):
        answer = self.ask(head("GET", "/problem?" + "(" * 16000))
        self.assertEqual(answer.json()["instance"], "/problem?" + "(" * 291 + "...")
        self.assertLess(len(answer.body), 1000)

    def test_bodies_of_all_sizes_arrive_whole(self):
        client = self.client()
        for size in [0, 1, 4095, 65535, 65536, 65537, 131073, 1 << 20]:
            client.send(with_body("POST", "/bytes", b"x" * size))
            self.assertEqual(client.answer().json(), {"bytes": size})
        for sizes in [[], [1], [1] * 500, [70000, 3, 200000], [65536, 65536]]:
            client.send(head("POST", "/bytes", "Transfer-Encoding: chunked"))
            for size in sizes:
                client.send(b"%x\r\n%s\r\n" % (size, b"x" * size))
            client.send("0\r\nX-Trailer: y\r\n\r\n")
            self.assertEqual(client.answer().json(), {"bytes": sum(sizes)})
        client.send(head("POST", "/bytes", "Content-Length: 3", "Expect: 100-continue"))
        self.assertEqual(client.answer().status, 100)
        client.send("abc")
        self.assertEqual(client.answer().json(), {"bytes": 3})

    def test_malformed_chunks_are_400_or_closed(self):
        for chunks in ["zz\r\n", "-1\r\nx\r\n", "5\r\nabcdeXX", "ffffffffffffffffff\r\nx", "\r\n\r\n"]:
            client = self.client()
            client.send(head("POST", "/bytes", "Transfer-Encoding: chunked") + chunks)
            client.socket.shutdown(socket.SHUT_WR)
            with contextlib.suppress(EOFError, ConnectionError):
                self.assertIn(client.answer().status, (400, 413), chunks)
        self.assert_lives()

    def test_too_large_bodies_are_413(self):
        size = (1 << 20) + 1
        chunked = b"%x\r\n%s\r\n0\r\n\r\n" % (size, b"x" * size)
        for text in [head("POST", "/bytes", "Content-Length: %d" % size, "Expect: 100-continue"),
                     head("POST", "/bytes", "Content-Length: 99999999999"),
                     head("POST", "/bytes", "Transfer-Encoding: chunked").encode() + chunked,
                     with_body("GET", "/json", b"x"), with_body("PUT", "/write", b"x" * 1001, ALLOWED)]:
            self.assert_problem(self.ask(text), 413, "body-too-large")

    def test_an_endless_chunked_body_ends(self):
        client = self.client()
        client.send(head("POST", "/bytes", "Transfer-Encoding: chunked"))
        with self.assertRaises(ConnectionError):
            for _ in range(256):
                client.send(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        self.assert_lives()

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

    def test_a_refused_body_leaves_the_connection_in_step(self):
        client = self.client()
        for _ in range(3):
            client.send(with_body("POST", "/nothing", b"GET /json HTTP/1.1\r\n\r\n" * 100))
            client.send(head("GET", "/json"))
            self.assertEqual([client.answer().status, client.answer().status], [404, 200])

    def test_a_connection_is_kept_until_the_client_wants_it_closed(self):
        client = self.client()
        client.send(head("GET", "/json") + head("GET", "/json", "Connection: close"))
        self.assertEqual([client.answer().status, client.answer().status], [200, 200])
        self.assertEqual(client.rest(), b"")
        client = self.client()
        client.send("GET /json HTTP/1.0\r\n\r\n")
        self.assertEqual(client.answer().json(), {"ok": True})
        self.assertEqual(client.rest(), b"")

    def test_half_closed_connections_get_their_answer(self):
        for text in [head("GET", "/json"), head("GET", "/sleep?ms=100"),
                     with_body("POST", "/bytes", b"x" * 200000), head("GET", "/big?bytes=3000000")]:
            client = self.client()
            client.send(text)
            time.sleep(0.02)
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(client.answer().status, 200)
            self.assertEqual(client.rest(), b"")
        for text in ["GET /json HT", head("GET", "/json")[:-2],
                     head("POST", "/bytes", "Content-Length: 200000") + "x" * 100000]:
            client = self.client()
            client.send(text)
            client.socket.shutdown(socket.SHUT_WR)
            self.assertEqual(client.rest(), b"", text[:60])

    def test_clients_that_leave_do_no_harm(self):
        for text in [head("GET", "/sleep?ms=50"), head("GET", "/big?bytes=30000000"),
                     head("POST", "/bytes", "Content-Length: 500000") + "x" * 200000]:
            for _ in range(8):
                client = self.client()
                client.send(text)
                client.close()
        self.assert_lives()

    def test_clients_that_send_and_take_nothing_are_cut_off(self):
        clients = [self.client() for _ in range(4)]
        for client, text in zip(clients, ["", "GET /json HTTP/1.1\r\nX: ",
                                          head("POST", "/bytes", "Content-Length: 9") + "x",
                                          head("GET", "/big?bytes=30000000")]):
            client.send(text)
        for client in clients[:3]:
            self.assertTrue(select.select([client.socket], [], [], PATIENCE)[0])
            self.assertEqual(client.rest(), b"")
        time.sleep(3)  # more than the two seconds
        self.assertLess(len(clients[3].rest()), 30000000)

    def test_clients_that_trickle_are_cut_off(self):
        began = time.monotonic()
        clients = [self.client() for _ in range(3)]
        for client, text in zip(clients, ["GET", head("GET", "/json")[:-2] + "X: ",
                                          head("POST", "/bytes", "Content-Length: 100000")]):
            client.send(text)
        open_ones = list(clients)
        while open_ones and time.monotonic() < began + PATIENCE:
            time.sleep(0.3)
            for client in list(open_ones):
                try:
                    client.send("x")
                    if select.select([client.socket], [], [], 0)[0]:
                        self.assertEqual(client.rest(), b"")
                        open_ones.remove(client)
                except ConnectionError:
                    open_ones.remove(client)
        self.assertLess(time.monotonic() - began, 6)

    def test_a_body_has_its_time_after_a_connection_was_idle(self):
        client = self.client()
        for _ in range(2):
            time.sleep(1.5)
            client.send(head("POST", "/bytes", "Content-Length: 3"))
            time.sleep(1.2)
            client.send("abc")
            self.assertEqual(client.answer().json(), {"bytes": 3})

    def test_beyond_its_connections_the_server_says_so_and_tells_how_it_is(self):
        slow = [self.client() for _ in range(64)]
        for client in slow:
            client.send("GET /json HTTP/1.1\r\nX: ")
        time.sleep(0.3)
        answer = self.ask(head("GET", "/json"))
        self.assert_problem(answer, 503, "too-many-connections")
        self.assertEqual(answer.headers["connection"], "close")
        late = self.client()
        late.send(head("POST", "/bytes", "Content-Length: 9") + "x")
        self.assertEqual(late.answer().status, 503)
        self.assertEqual(late.rest(), b"")
        for _ in range(30):
            self.assertEqual(self.ask(head("GET", "/healthz")).json(), {"ok": True})
        waiting = [self.client() for _ in range(80)]  # more than are told so: they wait
        waiting[-1].send(head("GET", "/healthz"))
        self.assertEqual(waiting[-1].answer().status, 200)
        for client in slow + waiting:
            client.close()
        time.sleep(0.1)
        self.assert_lives()

    # Work that nobody waits for.

    def assert_works(self, number, patience):
        end = time.monotonic() + patience
        while (found := self.ask(head("GET", "/works")).json()) != number:
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.05)

    def test_work_ends_at_its_deadline(self):
        began = time.monotonic()
        answer = self.ask(head("GET", "/work?ms=9000"))
        self.assert_problem(answer, 503, "too-slow")
        self.assertLess(time.monotonic() - began, 2.5)
        self.assertEqual(self.ask(head("GET", "/work?ms=100")).status, 200)

    def test_work_ends_when_its_client_has_left(self):
        clients = [self.client() for _ in range(20)]
        for client in clients:
            client.send(head("GET", "/work?ms=9000"))
        self.assert_works(20, 1)
        for client in clients:
            client.close()
        self.assert_works(0, 1.8)
        client = self.client()  # one that has said its last word may wait for the answer
        client.send(head("GET", "/work?ms=500"))
        client.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(client.answer().status, 200)

    def test_a_handler_may_take_longer_than_a_client(self):
        self.assertEqual(self.ask(head("GET", "/sleep?ms=3500")).status, 200)

    # Who may write.

    def test_writing_needs_the_token(self):
        for wrong in [None, "Bearer", "Bearer ", "Bearer x", "Bearer " + TOKEN[:-1],
                      "Bearer " + TOKEN + "x", "Basic " + TOKEN, TOKEN, "Bearer  " + TOKEN]:
            headers = [] if wrong is None else ["Authorization: " + wrong]
            answer = self.ask(head("DELETE", "/write?token=" + TOKEN, *headers))
            self.assert_problem(answer, 401, "token-needed")
            self.assertTrue(answer.headers["www-authenticate"].startswith("Bearer "))
        for scheme in ["Bearer", "bearer", "BEARER"]:
            allowed = "Authorization: %s %s" % (scheme, TOKEN)
            self.assertEqual(self.ask(head("DELETE", "/write", allowed)).status, 200)

    def test_a_session_lets_a_page_write(self):
        answer = self.ask(with_body("POST", "/session", b"token=" + TOKEN.encode(), FORM))
        self.assertEqual(answer.status, 204)
        self.assertIn("Path=/base/; HttpOnly; SameSite=Strict", answer.headers["set-cookie"])
        cookie = "Cookie: other=1; " + answer.headers["set-cookie"].split(";")[0]
        self.assertNotIn(TOKEN, cookie)
        self.assertEqual(self.ask(head("DELETE", "/write", cookie)).status, 200)
        shown = self.ask(head("GET", "/show/x", cookie)).json()
        self.assertEqual((shown["may_write"], shown["session"]), (True, True))
        self.assertEqual(self.ask(with_body("POST", "/session/end", b"", FORM, cookie)).status, 204)
        self.assertEqual(self.ask(head("DELETE", "/write", cookie)).status, 401)

    def test_no_session_begins_without_the_token(self):
        for form in [b"token=wrong", b"token=", b""]:
            answer = self.ask(with_body("POST", "/session", form, FORM))
            self.assert_problem(answer, 401, "token-needed")
            self.assertNotIn("set-cookie", answer.headers)
        self.assertEqual(self.ask(with_body("POST", "/session", b"token=x")).status, 415)

    def test_pages_of_other_sites_cannot_write(self):
        for header in ["Origin: http://evil.example", "Origin: null", "Origin: http://localhost:1",
                       "Sec-Fetch-Site: cross-site", "Sec-Fetch-Site: same-site"]:
            self.assert_problem(self.ask(head("DELETE", "/write", ALLOWED, header)), 403,
                                "other-origin")
        for header in ["Origin: http://localhost", "Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: none"]:
            self.assertEqual(self.ask(head("DELETE", "/write", ALLOWED, header)).status, 200)

    def test_the_name_of_the_server_is_held_with_a_token_too(self):
        self.assert_hosts()

    # What is written down.

    def test_the_log_has_a_json_object_a_line_and_no_secrets(self):
        self.ask(head("GET", "/show/q?q=private-words", "X-Request-Id: looked-up", ALLOWED))
        self.ask(head("GET", "/problem?busy=1", "X-Request-Id: looked-up"))

        def looked_up():
            return [json.loads(line) for line in self.log_text().splitlines() if "looked-up" in line]

        # An answer may be read before the server has written its line.
        until(lambda: len(looked_up()) == 3, self.log_text)
        text = self.log_text()
        line = next(line for line in looked_up() if line.get("status") == 200)
        why = next(line for line in looked_up() if line["event"] != "request")
        self.assertEqual((why["level"], why["what"]), ("warning", "It is <there> already."))
        self.assertEqual((line["event"], line["method"], line["route"], line["status"]),
                         ("request", "GET", "/show/{name}", 200))
        self.assertGreater(line["bytes"], 0)
        self.assertNotIn("private-words", text)
        self.assertNotIn(TOKEN, text)

    def test_metrics_are_labelled_by_route(self):
        for target in ["/show/secret", "/timed", "/no-such"]:
            self.ask(head("GET", target))

        counted = [r'kindred_server_requests_total\{method="GET",route="/show/\{name\}",status="200"\} \d',
                   r'kindred_server_request_seconds_count\{[^}]*route="/timed"\} \d',
                   r'kindred_server_plugin_seconds_count\{[^}]*route="/timed"\} \d']
        asked = lambda: self.ask(head("GET", "/metrics"))

        # An answer may be read before the server has counted its request.
        until(lambda: all(re.search(each, asked().body.decode()) for each in counted))
        answer = asked()
        text = answer.body.decode()
        self.assertTrue(answer.headers["content-type"].startswith("text/plain; version=0.0.4"))
        self.assertNotIn("secret", text)
        self.assertNotIn("no-such", text)


class WithoutTokenTest(HttpTest):
    arguments = ["--no-token"]

    def test_programs_of_this_machine_may_write_and_others_may_not(self):
        self.assertEqual(self.ask(head("DELETE", "/write")).status, 200)
        for name in ["X-Forwarded-For", "x-forwarded-for", "Forwarded", "X-Real-IP", "Via", "X-Forwarded-Host",
                     "X-Forwarded-Proto", "X-Forwarded-Server", "X-Forwarded-Prefix", "CF-Connecting-IP", "CF-Ray",
                     "True-Client-IP", "X-Client-IP", "X-Cluster-Client-IP", "X-Original-URL",
                     "X-Original-Forwarded-For", "Front-End-Https", "X-Envoy-External-Address", "X-ProxyUser-Ip",
                     "X-Azure-ClientIP", "Fastly-Client-IP", "Fly-Client-IP", "X-Remote-Addr", "CDN-Loop",
                     "X-Appengine-User-IP", "X-Amz-Cf-Id", "X-ARR-ClientIP", "Proxy-Connection"]:
            header = name + ": 192.0.2.1"
            self.assert_problem(self.ask(head("DELETE", "/write", header)), 403, "read-only")
            self.assertFalse(self.ask(head("GET", "/show/x", header)).json()["may_write"], name)
        for name in ["X-Request-Id", "User-Agent", "Accept-Language", "Traceparent", "DNT", "Priority",
                     "Sec-CH-UA", "X-Requested-With", "Cookie", "Origin-Agent-Cluster"]:
            self.assertEqual(self.ask(head("DELETE", "/write", name + ": x")).status, 200, name)

    def test_hosts_that_are_not_ours_are_421(self):
        self.assert_hosts()


class OpenTest(HttpTest):
    """The server listens for other machines, too. Its own address stands for one."""
    arguments = ["--open"]

    def test_an_address_has_a_part_of_the_connections(self):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
            way.connect(("192.0.2.1", 9))  # sends nothing
            own = way.getsockname()[0]
        clients = [Client(self.port, self, own) for _ in range(8)]
        for client in clients:
            client.send("GET /json HTTP/1.1\r\nX: ")
        time.sleep(0.2)
        with self.assertRaises((EOFError, ConnectionError)):
            late = Client(self.port, self, own)
            late.send(head("GET", "/json"))
            late.answer()
        for _ in range(12):  # nobody counts those of the same machine
            self.assert_lives()


class StopTest(unittest.TestCase):
    def start(self):
        server = subprocess.Popen([PROBE, "/dev/null"], stdout=subprocess.PIPE)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.kill)
        return server, int(server.stdout.readline())

    def test_requests_in_flight_end_and_new_ones_find_nobody(self):
        server, port = self.start()
        idle, sleeper, sender = [Client(port, self) for _ in range(3)]
        sleeper.send(head("GET", "/sleep?ms=800"))
        sender.send(head("POST", "/bytes", "Content-Length: 10") + "12345")
        time.sleep(0.3)
        server.send_signal(signal.SIGTERM)
        time.sleep(0.2)
        with self.assertRaises(OSError):
            Client(port, self)
        sender.send("67890")
        self.assertEqual(sender.answer().json(), {"bytes": 10})
        answer = sleeper.answer()
        self.assertEqual((answer.status, answer.headers["connection"]), (200, "close"))
        self.assertEqual(idle.rest(), b"")
        self.assertEqual(server.wait(timeout=PATIENCE), 0)

    def test_from_half_of_its_time_on_nobody_waits_for_answers(self):
        server, port = self.start()
        clients = [Client(port, self) for _ in range(20)]
        for client in clients:
            client.send(head("GET", "/work?ms=9000"))
        time.sleep(0.3)
        began = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual([client.answer().status for client in clients], [503] * 20)
        self.assertEqual(server.wait(timeout=PATIENCE), 0)
        self.assertLess(time.monotonic() - began, 1.5)  # it has two seconds

    def test_requests_that_do_not_end_are_told(self):
        server, port = self.start()
        Client(port, self).send(head("GET", "/sleep?ms=3000"))
        time.sleep(0.2)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=PATIENCE), 1)


if __name__ == "__main__":
    PROBE = sys.argv[1]
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])
