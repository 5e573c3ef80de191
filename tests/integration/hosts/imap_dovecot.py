"""A Dovecot for a test: on a port of this machine, with all that it writes below one folder. Each user
has a mailbox, and the password "x". It runs as root and as others, in the versions 2.3 and 2.4. With
a certificate it has STARTTLS."""
import grp
import imaplib
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import time

SETTINGS = {"2.3": """
mail_location = maildir:{top}/mail/%u
disable_plaintext_auth = no
passdb {{
  driver = static
  args = password=x
}}
userdb {{
  driver = static
  args = uid={user} gid={group} home={top}/home/%u
}}
""", "2.4": """
dovecot_config_version = 2.4.0
dovecot_storage_version = 2.4.0
mail_driver = maildir
mail_path = {top}/mail/%{{user}}
mail_home = {top}/home/%{{user}}
mail_uid = {user}
mail_gid = {group}
auth_allow_cleartext = yes
passdb static {{
  password = x
}}
userdb static {{
}}
"""}
BOTH = """
base_dir = {top}/run
state_dir = {top}/run
log_path = {top}/log
protocols = imap
ssl = {ssl}
first_valid_uid = 1
mail_max_userip_connections = 100
mail_fsync = never
auth_failure_delay = 0
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
default_vsz_limit = {no_limit}
service imap-login {{
  chroot =
  {requests}
  inet_listener imap {{
    {address} = 127.0.0.1
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
service imap {{
  process_min_avail = 1
  {requests}
}}
"""
TLS = {"2.3": """
ssl_cert = <{certificate}
ssl_key = <{key}
""", "2.4": """
ssl_server_cert_file = {certificate}
ssl_server_key_file = {key}
"""}


def free_port():
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        return chosen.getsockname()[1]


def program():
    return shutil.which("dovecot", path=os.environ["PATH"] + ":/usr/sbin")


class Dovecot:
    def __init__(self, top, certificate=None, key=None):
        self.top, self.port = pathlib.Path(top), free_port()
        for name in ("mail", "home", "run"):
            (self.top / name).mkdir(parents=True)
        version = subprocess.run([program(), "--version"], capture_output=True, text=True,
                                 check=True).stdout[:3]
        own = pwd.getpwuid(os.getuid())
        names = {"user": own.pw_uid, "group": own.pw_gid, "internal": own.pw_name,
                 "internal_group": grp.getgrgid(own.pw_gid).gr_name, "login": own.pw_name}
        if own.pw_uid == 0:
            mail = pwd.getpwnam("nobody")
            names = {"user": mail.pw_uid, "group": mail.pw_gid, "internal": "dovecot",
                     "internal_group": "dovecot", "login": "dovenull"}
            self.top.chmod(0o755)
            for name in ("mail", "home"):
                os.chown(self.top / name, mail.pw_uid, mail.pw_gid)
        names.update(top=self.top, port=self.port, address="address", no_limit="0",
                     requests="service_count = 0", ssl="yes" if certificate else "no",
                     certificate=certificate, key=key)
        text = BOTH + SETTINGS["2.3"]
        if version == "2.4":  # its first line is its version
            names.update(address="listen", no_limit="unlimited",
                         requests="restart_request_count = unlimited")
            text = SETTINGS["2.4"] + BOTH
        text += TLS[version] if certificate else ""
        file = self.top / "dovecot.conf"
        file.write_text(text.lstrip().format(**names))
        self.process = subprocess.Popen([program(), "-F", "-c", file],
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        for _ in range(100):
            try:
                self.client("nobody").logout()
                return
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError(self.process.stderr.read())
                time.sleep(0.05)
        raise RuntimeError((self.top / "log").read_text())

    def client(self, user):
        client = imaplib.IMAP4("127.0.0.1", self.port)
        client.login(user, "x")
        return client

    def stop(self):
        self.process.terminate()
        self.process.communicate()
