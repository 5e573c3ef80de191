#!/usr/bin/env python3
"""Connections that are pipelined, half closed, left or slow, streams, a full pool, and the end of a
server: whoever is entitled to an answer gets it, and nothing hangs.

usage: http_connections_test.py PROBE_SERVER
"""
import re
import select
import signal
import socket
import subprocess
import time
import unittest

from http_client import PATIENCE, PROBE, Client, HttpTest, head, main, with_body


class ConnectionsTest(HttpTest):
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
    main()
