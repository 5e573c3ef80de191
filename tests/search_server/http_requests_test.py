#!/usr/bin/env python3
"""Requests and their answers: addresses, methods, heads and bodies that are right, malformed or too
large. Nothing hangs.

usage: http_requests_test.py PROBE_SERVER
"""
import json
import socket

from http_client import TOKEN, HttpTest, head, main, with_body


class RequestsTest(HttpTest):
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
                client.send(b"%x\r\n%s\r\n" % (size, b"x" * size))
            client.send("0\r\nX-Trailer: y\r\n\r\n")
            self.assertEqual(client.answer().json(), {"bytes": sum(sizes)})

    def test_extensions_of_chunks_are_ignored_or_refused(self):
        client = self.client()
        client.send(head("POST", "/bytes", "Transfer-Encoding: chunked") +
                    "1;extension=1\r\nx\r\n0\r\n\r\n" + head("GET", "/json"))
        answer = client.answer()
        if answer.status == 400:  # by libmicrohttpd 1.0.1
            self.assertNotIn(b'"ok"', client.rest())
        else:
            self.assertEqual(answer.json(), {"bytes": 1})
            self.assertEqual(client.answer().status, 200)
        self.assert_lives()

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


if __name__ == "__main__":
    main()
