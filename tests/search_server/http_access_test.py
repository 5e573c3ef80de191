#!/usr/bin/env python3
"""Who may write, and what is written down about requests: without secrets.

usage: http_access_test.py PROBE_SERVER
"""
import json
import time

from http_client import TOKEN, HttpTest, head, main, with_body


class AccessTest(HttpTest):
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
        for target in ["//evil", "http://evil", "/%5Cevil", "/a%0D%0AX: y", "/a%7F", "/%C3%A4",
                       "evil", ""]:
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


if __name__ == "__main__":
    main()
