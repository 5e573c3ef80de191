"""kindred-imap with a real Dovecot or, where that is not installed, a real Cyrus.

    imap_mailbox_test.py LIBKINDRED RECORDS.jsonl FOLDER
"""
import collections
import fcntl
import imaplib
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import ssl
import subprocess
import sys
import time
import unittest
import unittest.mock
from email.message import EmailMessage
from email.policy import SMTP

LIBRARY, FOLDER = sys.argv[1], sys.argv[3]
RECORDS = [json.loads(line)
           for line in pathlib.Path(sys.argv[2]).read_text(encoding="utf-8").splitlines()]
HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[2]
sys.path[:0] = [str(HERE), str(TOP / "python")]
os.environ.update(KINDRED_LIBRARY=LIBRARY, PYTHONPATH=str(TOP / "python"))

import kindred  # noqa: E402
import imap_cyrus  # noqa: E402
import imap_dovecot  # noqa: E402
from imap_dovecot import free_port  # noqa: E402
from imap_proxy import Proxy  # noqa: E402

SERVER = ((imap_dovecot.program() and imap_dovecot.Dovecot)
          or (imap_cyrus.program() and imap_cyrus.Cyrus))
PROGRAM = TOP / "examples/hosts/imap/kindred-imap"
loader = importlib.machinery.SourceFileLoader("kindred_imap", str(PROGRAM))
kindred_imap = importlib.util.module_from_spec(importlib.util.spec_from_loader("kindred_imap", loader))
sys.dont_write_bytecode = True
loader.exec_module(kindred_imap)

KITCHEN = "Küche & Co"
KITCHEN_ON_SERVER = '"K&APw-che &- Co"'
BREAD = "bake the bread in a hot oven with flour and dough"
GUITAR = "a guitar chord and a jazz melody"
GOAL = "the team scored a goal in the football league"


def make_certificate():
    """A certificate for localhost that nobody has signed, and its key."""
    certificate, key = pathlib.Path(FOLDER, "certificate"), pathlib.Path(FOLDER, "key")
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
                    "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
    key.chmod(0o644)  # a server has a user of its own
    return certificate, key


def mail(text, id_=None, **headers):
    message = EmailMessage(policy=SMTP)
    message["Subject"] = text[:30]
    if id_:
        message["Message-ID"] = "<%s@example.org>" % id_
    for name, value in headers.items():
        message[name] = value
    message.set_content(text)
    return bytes(message)


class Idling:
    """IMAP4.idle() of Python 3.14, for the versions before it."""

    def __init__(self, imap, duration):
        self.imap, self.duration = imap, duration

    def __enter__(self):
        imaplib.Commands["IDLE"] = ("SELECTED",)
        self.tag = self.imap._command("IDLE")
        self.imap._get_response()
        return self

    def __iter__(self):
        self.imap.sock.settimeout(self.duration)
        yield self.imap._get_line().split()[2].decode(), None

    def __exit__(self, *error):
        self.imap.send(b"DONE\r\n")
        self.imap._command_complete("IDLE", self.tag)


class Program(unittest.TestCase):
    """Runs kindred-imap with settings of its own."""

    proxy = None

    def setUp(self):
        self.user = self.id().rpartition(".")[2]
        self.directory = pathlib.Path(FOLDER, self.user)
        self.directory.mkdir()

    def settings(self, **keys):
        port = self.proxy.port if self.proxy else free_port()
        keys = {"host": "127.0.0.1", "port": port, "user": self.user, "tls": "off",
                "directory": str(self.directory / "state"), "password_command": "echo x",
                "min_confidence": 0.3, **keys}
        self.file = self.directory / "imap.toml"
        self.file.write_text("".join("%s = %s\n" % (key, json.dumps(value))
                                     for key, value in keys.items() if value is not None))

    def start(self, *arguments):
        """The program in a process of its own, which need not start Python again."""
        self.out, self.err = self.directory / "out", self.directory / "err"
        child = os.fork()
        if child == 0:
            for number, file in ((1, self.out), (2, self.err)):
                os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
            sys.stdout, sys.stderr = open(1, "w"), open(2, "w")
            sys.argv[1:] = ["--config", str(self.file), *arguments]
            status = 3
            try:
                kindred_imap.main()
                status = 0
            except SystemExit as end:
                status = end.code
            except BaseException:
                sys.excepthook(*sys.exc_info())
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(status)
        if self.proxy:
            self.proxy.client = child
        return child

    def run_imap(self, *arguments, status=0):
        found = os.waitstatus_to_exitcode(os.waitpid(self.start(*arguments), 0)[1])
        self.said = self.err.read_text()
        self.assertEqual(found, status, self.said)
        return self.out.read_text()


class WithoutServer(Program):
    def test_faults_of_settings_name_file_line_and_key(self):
        for keys, fault in (
                ({"action": "fil"}, r'8: action: expected "none", "mark" or "file", found \'fil\''),
                ({"min_confidence": 2}, r"7: min_confidence: expected a number from 0.0 to 1.0, found 2"),
                ({"acton": "file"}, r"8: acton: unknown; expected one of host, user, "),
                ({"host": "mail.example.org"}, r'4: tls: "off" is for a server on this machine'),
                ({"user": None}, r" user: expected the name for the login, found ''"),
                ({"kindred": None, "not_folders": [1]}, r"8: not_folders: expected a list of patterns")):
            self.settings(**keys)
            self.run_imap("run", status=1)
            self.assertRegex(self.said, "^kindred-imap: .*imap.toml:?%s" % fault)
        self.file.write_text("host = x\n")
        self.run_imap("run", status=1)
        self.assertRegex(self.said, r"imap.toml: Invalid value \(at line 1, column 8\)")

    def test_a_server_that_is_not_there_is_told(self):
        self.settings()
        self.run_imap("run", status=1)
        self.assertRegex(self.said, r"^kindred-imap: 127.0.0.1:\d+: .*Connection refused")


@unittest.skipUnless(SERVER, "neither Dovecot nor Cyrus is installed")
class Mailbox(Program):
    """Each test has a user, with the records as mails in folders named after their labels."""

    @classmethod
    def setUpClass(cls):
        cls.certificate = make_certificate() if shutil.which("openssl") else (None, None)
        cls.server = SERVER(os.path.join(FOLDER, "server"), *cls.certificate)
        cls.proxy = Proxy(cls.server.port)

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def setUp(self):
        super().setUp()
        self.proxy.reset()
        self.fill()

    def fill(self):
        self.imap = self.server.client(self.user)
        self.addCleanup(self.imap.logout)
        for record in RECORDS:
            folder = record["labels"][0]
            self.put(KITCHEN_ON_SERVER if folder == "cooking" else folder,
                     mail(record["text"], record["id"]))
        self.settings()

    def put(self, folder, raw, flags=None):
        if self.imap.append(folder, flags, None, raw)[0] != "OK":
            self.imap.create(folder)
            self.imap.append(folder, flags, None, raw)

    def begin(self, **keys):
        """The first run, and then other settings."""
        self.run_imap("run")
        self.settings(**keys)

    def folder(self, name):
        """{Message-ID or subject: flags} of a folder."""
        found = {}
        if self.imap.select(name, readonly=True)[1] == [b"0"]:
            return found
        for row in self.imap.fetch("1:*", "(FLAGS BODY.PEEK[HEADER.FIELDS (MESSAGE-ID SUBJECT)])")[1]:
            if isinstance(row, tuple):
                key = re.search(rb"<(.*)@example", row[1]) or re.search(rb"Subject: (.*)\r", row[1])
                flags = re.search(rb"FLAGS \((.*?)\)", row[0])[1].decode().replace("\\Recent", "")
                self.assertNotIn(key[1].decode(), found, "twice in " + name)
                found[key[1].decode()] = flags.strip()
        return found

    def change(self, folder, id_, *command):
        """STORE, COPY or MOVE of a mail, as people do."""
        self.imap.select(folder)
        number = self.imap.search(None, "HEADER", "Message-ID", "<%s@" % id_)[1][0].decode()
        self.assertTrue(number, "%s is not in %s" % (id_, folder))
        if command[0] == "MOVE":
            self.imap.copy(number, command[1])
            command = ("STORE", "+FLAGS", "\\Deleted")
        self.imap.store(number, *command[1:])
        self.imap.expunge()

    def labels(self):
        """{title: labels} of the index."""
        with kindred.open(self.directory / "state/index") as index:
            return {row.title: row.labels for row in index.export()}

    def test_only_reads_until_the_settings_say_more(self):
        self.put("INBOX", mail(BREAD, "old"))
        self.begin()
        self.put("INBOX", mail(BREAD, "new"))
        self.assertIn("new mails: 1;", self.run_imap("run"))
        self.assertIn("new mails: 1;", self.run_imap("run"))
        self.assertEqual(self.folder("INBOX"), {"old": "", "new": ""})
        self.assertFalse({"STORE", "COPY", "MOVE", "EXPUNGE"} & set(self.proxy.commands))
        labels = self.labels()
        self.assertEqual(len(labels), len(RECORDS) + 1)
        self.assertEqual(collections.Counter(map(tuple, labels.values()))[(KITCHEN,)], 10)

    def test_a_dry_run_gives_reasons_and_changes_nothing(self):
        self.put("INBOX", mail(GUITAR, "old"))
        self.begin(action="file")
        self.put("INBOX", mail(BREAD, "new"))
        said = self.run_imap("run", "--dry-run")
        self.assertRegex(said, r"INBOX 2  bake the bread.*\n    goes to %s: best is %s, 0\.\d\d\n"
                         r"    because of .*bread.*\n    like %s \d" % ((KITCHEN,) * 3))
        self.assertNotIn("guitar", said)
        self.assertIn("goes to music", self.run_imap("run", "--dry-run", "--all"))
        self.assertEqual(set(self.folder("INBOX")), {"old", "new"})

    def test_files_new_mail_as_similar_mail_was_filed(self):
        self.put("INBOX", mail(GUITAR, "old"))
        self.begin(action="file")
        for text, id_ in ((BREAD, "bread"), (GOAL, "goal"), ("xyzzy", "nonsense")):
            self.put("INBOX", mail(text, id_))
        self.assertIn("goes to sport", self.run_imap("run"))
        self.assertEqual(set(self.folder("INBOX")), {"old", "nonsense"})
        self.assertIn("bread", self.folder(KITCHEN_ON_SERVER))
        self.assertIn("goal", self.folder("sport"))
        self.assertEqual(self.run_imap("run"), "")
        self.run_imap("run", "--all")
        self.assertEqual(set(self.folder("INBOX")), {"nonsense"})

    def test_what_it_filed_votes_when_it_was_seen_or_moved(self):
        self.begin(action="file")
        for text, id_ in ((BREAD, "seen"), (GOAL, "moved"), (GUITAR, "back")):
            self.put("INBOX", mail(text, id_))
        self.run_imap("run")
        self.run_imap("run")
        self.assertEqual([self.labels()[text[:30]] for text in (BREAD, GOAL, GUITAR)], [[], [], []])
        self.change(KITCHEN_ON_SERVER, "seen", "STORE", "+FLAGS", "\\Seen")
        self.change("sport", "moved", "MOVE", "space")
        self.change("music", "back", "MOVE", "INBOX")
        self.run_imap("run")
        self.assertEqual([self.labels()[text[:30]] for text in (BREAD, GOAL, GUITAR)],
                         [[KITCHEN], ["space"], []])
        self.assertEqual(set(self.folder("INBOX")), {"back"})

    def test_marks_are_taken_off_by_people_for_good_and_by_their_folders(self):
        self.begin(action="mark")
        for text, id_ in ((BREAD, "bread"), (GOAL, "goal"), (GUITAR, "guitar")):
            self.put("INBOX", mail(text, id_), "$label1")
        self.run_imap("run")
        mark = "$kindred-K=C3=BCche=20=26=20Co"
        self.assertEqual(self.folder("INBOX"), {
            "bread": "$label1 " + mark, "goal": "$label1 $kindred-sport",
            "guitar": "$label1 $kindred-music"})
        self.change("INBOX", "bread", "STORE", "-FLAGS", mark)
        self.change("INBOX", "goal", "MOVE", "space")
        self.run_imap("run")
        self.assertEqual(self.folder("INBOX"), {"bread": "$label1", "guitar": "$label1 $kindred-music"})
        self.assertEqual(self.folder("space")["goal"], "$label1")

    def test_keywords_of_people_are_labels_and_marks_are_none(self):
        for folder in ("music", "sport"):
            self.imap.select(folder)
            self.imap.store("1:*", "+FLAGS", "(Fun $Junk $kindred-fun)")
        self.begin(action="file")
        self.put("INBOX", mail(GUITAR, "guitar"))
        self.run_imap("run")
        self.assertIn(["keyword:Fun", "music"], self.labels().values())
        self.assertEqual(self.folder("music")["guitar"], "$kindred-keyword:Fun")

    def test_at_most_twenty_marks_and_none_is_too_long(self):
        for n in range(22):
            self.put('"%s %d"' % ("folder" * 9, n), mail("word%dx " % n * 9, "old%d" % n))
        self.begin(action="mark")
        for n in range(22):
            self.put("INBOX", mail("word%dx " % n * 8, "new%d" % n))
        self.run_imap("run")
        marks = {mark for flags in self.folder("INBOX").values() for mark in flags.split()}
        self.assertEqual((len(marks), {len(mark) for mark in marks}), (20, {50}))
        self.assertIn("no mark for", self.said)

    def test_a_server_with_neither_move_nor_uidplus_gets_marks(self):
        self.begin(action="file")
        self.proxy.reset(hidden=(b"MOVE", b"UIDPLUS"))
        self.put("INBOX", mail(BREAD, "bread"))
        self.run_imap("run")
        self.assertIn("neither MOVE nor UIDPLUS", self.said)
        self.assertIn("$kindred-K", self.folder("INBOX")["bread"])

    def check_kills(self, first, *hidden):
        """Whatever command it is killed at, from one on, before it or when it was carried out, the next
        run makes it as if nothing had happened. Returns the commands."""
        self.begin(action="file", not_folders=["music", "space"])
        texts = {"cake": BREAD, "match": GOAL, "nothing": "xyzzy"}
        places = {"cake": KITCHEN_ON_SERVER, "match": "sport", "nothing": "INBOX"}
        moments, commands = [("kill_before", first)], []
        for moment, number in moments:
            name = "%s-%d" % (moment, number)
            self.run_imap("run")  # reads what the last one filed, so that all have the same commands
            for id_, text in texts.items():
                self.put("INBOX", mail(text, id_ + name))
            self.proxy.reset(hidden=hidden, **{moment: number})
            end = os.waitstatus_to_exitcode(os.waitpid(self.start("run"), 0)[1])
            self.assertIn(end, (0, -signal.SIGKILL), self.err.read_text())
            if moment == "kill_before" and end != 0:
                commands.append(self.proxy.commands[number])
                moments.append(("kill_before", number + 1))
                if commands[-1] in ("STORE", "COPY", "MOVE", "EXPUNGE"):
                    moments.append(("kill_after", number))
            self.proxy.reset(hidden=hidden)
            self.run_imap("run")
            for id_, place in places.items():
                found = [folder for folder in places.values() if id_ + name in self.folder(folder)]
                self.assertEqual(found, [place], "%s, %s of %s" % (id_, name, commands))
        return commands

    def test_killed_at_any_command_it_files_each_mail_once(self):
        commands = self.check_kills(0)
        self.assertEqual(commands[-4:], ["SELECT", "MOVE", "MOVE", "LOGOUT"])
        self.user += "_by_copies"
        self.directory = self.directory / "copies"
        self.directory.mkdir()
        self.fill()
        commands = self.check_kills(len(commands) - 4, b"MOVE")
        self.assertEqual(commands, ["SELECT", *["COPY", "STORE", "EXPUNGE"] * 2, "LOGOUT"])

    def test_a_lost_connection_a_full_quota_and_another_run_are_told(self):
        self.begin(action="file")
        self.put("INBOX", mail(BREAD, "bread"))
        self.proxy.reset(drop=8)
        self.run_imap("run", status=1)
        self.assertIn("kindred-imap: 127.0.0.1: ", self.said)
        self.proxy.reset(refuse={"MOVE": b"NO [OVERQUOTA] Quota exceeded"})
        self.run_imap("run", status=1)
        self.assertIn("cannot file in %s: [OVERQUOTA] Quota exceeded" % KITCHEN, self.said)
        self.assertEqual(set(self.folder("INBOX")), {"bread"})
        self.proxy.reset()
        with open(self.directory / "state/lock", "a", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.run_imap("run", status=1)
        self.assertIn("another kindred-imap is at work in %s/state" % self.directory, self.said)
        self.run_imap("run")
        self.assertIn("bread", self.folder(KITCHEN_ON_SERVER))

    def test_a_wrong_password_is_tried_once(self):
        self.settings(password_command="echo wrong")
        self.run_imap("run", status=1)
        self.assertIn("refuses the login", self.said)
        tries = self.proxy.commands.count("AUTHENTICATE")
        for arguments in (["run"], ["watch"]):
            self.run_imap(*arguments, status=1)
            self.assertIn("has just refused this password", self.said)
        self.assertEqual((tries, self.proxy.commands.count("AUTHENTICATE")), (1, 1))
        self.settings()
        self.proxy.reset(refuse={"AUTHENTICATE": b"NO [LIMIT] Too many connections"})
        self.run_imap("run", status=1)
        self.assertIn("refuses the login: [LIMIT]", self.said)
        self.proxy.reset()
        self.run_imap("run")

    def test_a_token_logs_in(self):
        self.settings(password_command=None, token_command="printf x")
        self.assertIn("new mails: 0;", self.run_imap("run"))
        self.settings(password_command=None, token_command="false")
        self.run_imap("run", status=1)
        self.assertIn("imap.toml:7: token_command: expected a line and exit status 0, found 1",
                      self.said)

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_tls_needs_a_certificate_that_is_trusted_and_fits(self):
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(*self.certificate)
        self.proxy.reset(tls=tls)
        refused = "kindred-imap: %s:%d: the certificate of the server is refused: "
        for kind, port in (("tls", self.proxy.port), ("starttls", self.server.port)):
            self.settings(host="localhost", tls=kind, port=port)
            self.run_imap("run", status=1)
            self.assertRegex(self.said, refused % ("localhost", port) + "self.signed certificate")
            with unittest.mock.patch.dict(os.environ, SSL_CERT_FILE=str(self.certificate[0])):
                self.assertIn("new mails: 0;", self.run_imap("run"))
                self.settings(tls=kind, port=port, directory=str(self.directory / "other"))
                self.run_imap("run", status=1)
            self.assertIn(refused % ("127.0.0.1", port) + "IP address mismatch", self.said)

    def test_a_server_without_starttls_hears_no_password(self):
        self.proxy.reset(hidden=(b"STARTTLS",))
        self.settings(tls="starttls")
        self.run_imap("run", status=1)
        self.assertRegex(self.said, r"^kindred-imap: 127.0.0.1:\d+: TLS not supported by server")
        self.proxy.reset(refuse={"STARTTLS": b"NO not today"})
        self.run_imap("run", status=1)
        self.assertIn("Couldn't establish TLS session", self.said)
        self.assertEqual(self.proxy.commands[-1], "STARTTLS")

    def test_folders_that_vanish_and_new_uids_change_labels_alone(self):
        self.begin(action="file")
        self.imap.rename("music", "opera")
        self.imap.delete("sport")
        kept = list(self.folder("space"))
        self.imap.rename("space", "other")
        self.imap.create("space")
        for id_ in kept[:3]:
            self.change("other", id_, "MOVE", "space")
        self.run_imap("run")
        self.assertEqual(self.said, "")
        counts = collections.Counter(sum(self.labels().values(), []))
        self.assertEqual(counts, {KITCHEN: 10, "opera": 10, "space": 3, "other": len(kept) - 3})
        shutil.rmtree(self.directory / "state/index")
        self.put("INBOX", mail(GUITAR, "guitar"))
        self.assertIn("goes to opera", self.run_imap("run"))

    def test_odd_mails_are_read(self):
        self.begin(action="file")
        large = mail(BREAD, "large") + b"\r\n" + b"x" * 50_000_000
        page = EmailMessage(policy=SMTP)
        page["Subject"] = "=?utf-8?q?K=C3=A4se?= and bread"
        page.set_content("<style>guitar</style><p>bake the bread in a hot oven &amp; wait", subtype="html")
        nested = b"Subject: nested\r\n" + b"".join(
            b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (n, n) for n in range(2000))
        for raw in (large, bytes(page), nested, b"Subject: none\r\n\r\n", b"\r\n", b"From: \xff\xfe\r\n"
                    b"Subject: =?no-such?q?=ff?=\r\nContent-Type: multipart/mixed\r\n\r\n--\r\n",
                    b"Content-Type: text/plain; charset=no-such\r\nContent-Transfer-Encoding: base64"
                    b"\r\nSubject: broken\r\n\r\n====\r\n"):
            self.put("INBOX", raw)
        said = self.run_imap("run")
        self.assertEqual(self.said, "")
        self.assertIn("Käse and bread: goes to " + KITCHEN, said)
        self.assertEqual(self.run_imap("run"), "")
        self.assertEqual(len(self.labels()), len(set(self.labels())))

    def test_finds_mails_like_one(self):
        self.begin()
        found = self.run_imap("like", KITCHEN, "1", "--limit", "3").splitlines()
        self.assertEqual(len(found), 3)
        self.assertRegex(found[0], r"^0\.\d\d\d  %s \d+  " % KITCHEN)
        self.run_imap("like", KITCHEN, "99", status=1)
        self.assertIn("%s has no mail 99 that was read" % KITCHEN, self.said)

    def wait_until(self, is_so):
        for _ in range(200):
            if is_so():
                return
            time.sleep(0.05)
        self.fail("waited in vain; commands: %s" % self.proxy.commands)

    def check_watch(self, waits_by=None):
        """waits_by: the command by which it waits; then mail comes in while it waits."""
        child = self.start("watch")
        for id_ in ("one", "two"):
            self.wait_until(lambda: not waits_by or self.proxy.commands[-1:] == [waits_by])
            self.put("INBOX", mail(BREAD, id_))
            self.wait_until(lambda of=id_: of in self.folder(KITCHEN_ON_SERVER))
        os.kill(child, signal.SIGTERM)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), -signal.SIGTERM)
        self.assertEqual(self.folder("INBOX"), {})

    def test_watches_until_it_is_stopped(self):
        self.begin(action="file", every=1)
        self.proxy.reset(hidden=(b"IDLE",))
        self.check_watch()

    def test_mail_that_comes_in_ends_waiting_where_imaplib_has_idle(self):
        self.begin(action="file", every=60)
        if hasattr(imaplib.IMAP4, "idle"):
            self.check_watch("IDLE")
        else:
            with unittest.mock.patch.object(imaplib.IMAP4, "idle", lambda *of, **how: Idling(*of, **how),
                                            create=True):
                self.check_watch("IDLE")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
