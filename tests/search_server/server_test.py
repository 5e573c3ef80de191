#!/usr/bin/env python3
"""Starts and stops kindred-server: wrong settings are named, and signals end it.

usage: server_test.py KINDRED_SERVER LIBKINDRED LIBRARY_OF_OTHER_ABI OLD_LIBRARY
"""
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

from running_server import PATIENCE, TOKEN, RunningServer, until

PROGRAM = LIBRARY = OTHER_ABI = OLD = None


class ServerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def settings(self, text=""):
        path = os.path.join(self.folder, "server.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write('[index]\ndatabase = "db"\ncreate = true\n' + text)
        return path

    def start(self):
        return RunningServer(PROGRAM, LIBRARY, os.path.join(self.folder, "db"))

    def run_with(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=PATIENCE)
        return done.returncode, done.stdout, done.stderr

    def test_flags_and_settings_that_are_wrong_are_named(self):
        self.assertEqual(self.run_with("--help")[0], 0)
        self.assertTrue(self.run_with("--version")[1].startswith("kindred-server "))
        self.assertEqual(self.run_with("--prot", "1")[0], 2)
        self.assertEqual(self.run_with("--port", "70000")[0], 2)
        for text, arguments, said in [
                ("", [], "which database?"),
                ("", ["--settings", "/nowhere.toml"], "/nowhere.toml"),
                ("", ["--database", "x", "--token-file", "/nowhere"], "/nowhere"),
                ("[http]\nprot = 1\n", [], "server.toml:5: there is no setting http.prot"),
                ("", ["--databas", "x"], "there is no option '--databas'; did you mean '--database'?"),
                ("", ["x.db"], "expected options only, found 'x.db'"),
                ("[http]\nport = 70000\n", [], "server.toml:5: http.port"),
                ('[http]\nbase_path = "/a/"\n', [], "http.base_path must begin with"),
                ('[http]\nbase_path = "/a b"\n', [], "http.base_path: expected letters"),
                ('[http]\nbase_path = "//x"\n', [], "http.base_path: expected letters"),
                ('[http]\nbase_path = "/x?y"\n', [], "http.base_path: expected letters")]:
            arguments += ["--settings", self.settings(text)] if text else []
            status, _, errors = self.run_with(*arguments, "--check")
            self.assertEqual(status, 2, errors)
            self.assertIn(said, errors)
        self.assertIn("did you mean http.port?", self.run_with("--settings", self.settings("[http]\nprot = 1\n"))[2])

    def test_a_check_opens_what_the_settings_name_and_changes_nothing(self):
        library = 'library = "%s"\n' % LIBRARY
        self.assertEqual(self.run_with("--settings", self.settings(library), "--check"), (0, "", ""))
        self.assertFalse(os.path.exists(os.path.join(self.folder, "db")))
        status, _, errors = self.run_with("--settings", self.settings('library = "%s"\n' % OTHER_ABI), "--check")
        self.assertEqual((status, OTHER_ABI in errors), (1, True), errors)

        missing = os.path.join(self.folder, "missing.db")
        status, _, errors = self.run_with("--database", missing, "--library", LIBRARY, "--check")
        self.assertEqual(status, 1)
        self.assertIn("'kindred index --db %s FILE' makes one" % missing, errors)

        self.start().stop()
        database = os.path.join(self.folder, "db")
        before = sorted(os.listdir(database))
        self.assertEqual(self.run_with("--database", database, "--library", LIBRARY, "--check"), (0, "", ""))
        self.assertEqual(sorted(os.listdir(database)), before)

    def test_files_that_are_none_are_refused_at_once(self):
        fifo, big, dots = [os.path.join(self.folder, name) for name in ("fifo", "big", "dots")]
        os.mkfifo(fifo)
        pathlib.Path(big).write_bytes(b"#" * (2 << 20))
        pathlib.Path(dots).write_text("a" + ".a" * 500_000 + " = 1\n", encoding="ascii")
        for path, said in [("/dev/zero", "regular file"), (fifo, "regular file"), (self.folder, "regular file"),
                           (big, "bytes"), (dots, "a key of more than 20 parts"), ("/dev/full", "regular file")]:
            status, _, errors = self.run_with("--settings", path, "--check")
            self.assertEqual((status, said in errors), (2, True), errors)
            if path != dots:
                status, _, errors = self.run_with("--database", "db", "--token-file", path, "--check")
                self.assertEqual((status, said in errors), (2, True), errors)

    def test_the_log_is_written_into_no_link_folder_pipe_device_or_foreign_file(self):
        def named(name):
            return os.path.join(self.folder, name)

        pathlib.Path(named("victim")).write_text("precious", encoding="ascii")
        os.symlink(named("victim"), named("link"))
        os.symlink(named("link"), named("link-to-link"))
        os.symlink(named("nothing"), named("link-to-nothing"))
        os.mkdir(named("folder"))
        os.mkfifo(named("fifo"))
        refused = ["link", "link-to-link", "link-to-nothing", "folder", "fifo", "/dev/zero"]
        if os.geteuid() == 0:
            shutil.copy(named("victim"), named("foreign"))
            os.chown(named("foreign"), 65534, 65534)
            os.chmod(self.folder, 0o777)
            os.chown(self.folder, 65533, 65533)
            refused.append("foreign")
        for name in refused:
            status, _, errors = self.run_with("--settings", self.settings(), "--log.file", named(name))
            self.assertEqual((status, "expected " in errors), (1, True), name + ": " + errors)
        for name in ("victim", "foreign"):
            if os.path.exists(named(name)):
                self.assertEqual(pathlib.Path(named(name)).read_text(encoding="ascii"), "precious")
        self.assertFalse(os.path.exists(named("nothing")))

    def test_what_cannot_be_is_said_and_ends_the_start(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = str(taken.getsockname()[1])
            status, _, errors = self.run_with("--settings", self.settings(), "--library", LIBRARY,
                                              "--port", port)
        self.assertEqual(status, 1)
        self.assertIn("cannot listen at 127.0.0.1 port " + port, errors)

    def test_a_library_that_is_none_too_old_or_of_another_abi_is_refused_with_the_reason(self):
        for library, reason in [("/no.so", ": cannot read the library"), ("libno-such.so.0", ""),
                                ("libc.so.6", "libc.so.6: expected a library with kindred_plugin()"),
                                (OTHER_ABI, ": expected ABI version 1, found 99"),
                                (OLD, ": version 0.0.1 is older than this server")]:
            status, _, errors = self.run_with("--settings", self.settings(), "--library", library)
            self.assertEqual(status, 1)
            self.assertIn(reason if library == "libc.so.6" else library + reason, errors)

    def test_a_library_that_cannot_be_loaded_leaves_the_old_one(self):
        library = shutil.copy(LIBRARY, self.folder)
        server = RunningServer(PROGRAM, library, os.path.join(self.folder, "db"))
        for content, reason in ((b"no library", "file too short"),
                                (pathlib.Path(OLD).read_bytes(), "older than this server")):
            pathlib.Path(library).write_bytes(content)
            server.swap(waits=False)
            until(lambda: "plugin-not-swapped" in server.log_text() and reason in server.log_text())
            self.assertEqual(server.get("/labels").json()["labels"], [])
        self.assertEqual((server.swaps(), server.stop()), (0, 0))

    def test_either_signal_stops_it(self):
        for sent in [signal.SIGTERM, signal.SIGINT]:
            server = self.start()
            self.assertEqual(server.get("/healthz").status, 200)
            topics = server.get("/topics")
            self.assertEqual(topics.status, 404)
            self.assertNotIn(self.folder, topics.json()["detail"])
            self.assertIn("kindred.som: there is no map", topics.json()["detail"])
            self.assertEqual(server.stop(sent), 0)

    def test_a_second_signal_ends_it_at_once(self):
        server = self.start()
        with socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE) as client:
            client.sendall(b"POST /documents HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n"
                           b"Authorization: Bearer " + TOKEN.encode() + b"\r\n\r\n{")
            time.sleep(0.2)
            server.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
            self.assertIsNone(server.process.poll())
            self.assertEqual(server.stop(), -signal.SIGTERM)


if __name__ == "__main__":
    PROGRAM, LIBRARY, OTHER_ABI, OLD = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1] + sys.argv[5:])
