"""A Cyrus for a test, as imap_dovecot.py has a Dovecot. Only root can start it."""
import imaplib
import os
import pathlib
import shutil
import subprocess
import time

from imap_dovecot import free_port

IMAPD = """
configdirectory: {top}/lib
proc_path: {top}/run/proc
mboxname_lockpath: {top}/run/lock
defaultpartition: default
partition-default: {top}/mail
admins: cyrus
altnamespace: yes
unixhierarchysep: yes
allowplaintext: yes
sasl_pwcheck_method: auxprop
sasl_auxprop_plugin: sasldb
sasl_sasldb_path: {top}/sasldb
sasl_mech_list: PLAIN
idlesocket: {top}/run/idle
notifysocket: {top}/run/notify
"""
TLS = """
allowstarttls: yes
tls_server_cert: {certificate}
tls_server_key: {key}
"""
CYRUS = """
START {{
  recover cmd="ctl_cyrusdb -C {top}/imapd.conf -r"
  idled cmd="idled -C {top}/imapd.conf"
}}
SERVICES {{
  imap cmd="imapd -C {top}/imapd.conf" listen="127.0.0.1:{port}" prefork=1 maxchild=20
}}
"""


def program():
    return shutil.which("cyrmaster", path="/usr/sbin:/usr/lib/cyrus/bin") if os.getuid() == 0 else None


class Cyrus:
    def __init__(self, top, certificate=None, key=None):
        self.top, self.port = pathlib.Path(top), free_port()
        for name in ("lib/socket", "run/proc", "run/lock", "mail"):
            (self.top / name).mkdir(parents=True)
        settings = IMAPD + (TLS if certificate else "")
        for name, text in (("imapd.conf", settings), ("cyrus.conf", CYRUS)):
            (self.top / name).write_text(text.format(top=self.top, port=self.port,
                                                     certificate=certificate, key=key))
        self.add_user("cyrus")
        subprocess.run(["chown", "-R", "cyrus:mail", self.top], check=True)
        self.process = subprocess.Popen(
            [program(), "-D", "-C", self.top / "imapd.conf", "-M", self.top / "cyrus.conf",
             "-p", self.top / "run/pid"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(200):
            try:
                imaplib.IMAP4("127.0.0.1", self.port).logout()
                return
            except (OSError, imaplib.IMAP4.error):
                time.sleep(0.05)
        raise RuntimeError("Cyrus does not answer")

    def add_user(self, user):
        subprocess.run(["saslpasswd2", "-p", "-c", "-f", self.top / "sasldb", user], input=b"x", check=True)

    def client(self, user):
        self.add_user(user)
        for name in ("cyrus", user):
            client = imaplib.IMAP4("127.0.0.1", self.port)
            client.login(name, "x")
            if name == "cyrus":
                client.create("user/" + user)
                client.logout()
        return client

    def stop(self):
        self.process.terminate()
        self.process.communicate()
