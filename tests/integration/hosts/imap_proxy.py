"""Between a client of IMAP and a server: hides capabilities, and kills the client, drops the connection
or refuses a command where a test asks for it."""
import base64
import os
import re
import signal
import socket
import threading

COMMAND = re.compile(rb"[A-Z]+\d+ (?:UID )?(\w+)")


class Proxy:
    """hidden: words of capabilities that the client does not see. commands: what it has sent. At the
    command of this number, from 0: kill_before, kill_after it was carried out, drop. refuse: {command:
    what is answered in its place}. tls: a context of ssl; then clients speak TLS."""

    def __init__(self, port):
        self.server = port
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.reset()
        threading.Thread(target=self.accept, daemon=True).start()

    def reset(self, **wanted):
        self.hidden, self.refuse, self.commands, self.client, self.tls = (), {}, [], None, None
        self.kill_before = self.kill_after = self.drop = None
        vars(self).update(wanted)

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                client = self.tls.wrap_socket(client, server_side=True) if self.tls else client
            except OSError:  # it does not trust the certificate
                continue
            server = socket.create_connection(("127.0.0.1", self.server))
            self.awaited = None
            for of in (self.forward, self.answer):
                threading.Thread(target=of, args=(client, server), daemon=True).start()

    def forward(self, client, server):
        for line in client.makefile("rb"):
            command = COMMAND.match(line)
            if command:
                number = len(self.commands)
                self.commands.append(command[1].decode())
                if number == self.kill_before:
                    os.kill(self.client, signal.SIGKILL)
                    break
                if number == self.kill_after:
                    self.awaited = line.split()[0]
                if number == self.drop:
                    break
                if self.commands[-1] in self.refuse:
                    client.sendall(line.split()[0] + b" " + self.refuse[self.commands[-1]] + b"\r\n")
                    continue
            if line.endswith(b"AUTHENTICATE XOAUTH2\r\n"):  # told to the server as a password
                client.sendall(b"+ \r\n")
                token = base64.b64decode(client.recv(4096))
                user, secret = re.fullmatch(rb"user=(.*)\x01auth=Bearer (.*)\x01\x01", token).groups()
                line = b"%s LOGIN %s %s\r\n" % (line.split()[0], user, secret)
            server.sendall(line)
        self.end(client, server)

    def answer(self, client, server):
        try:
            while data := server.recv(1 << 16):
                if self.awaited and b"\n" + self.awaited + b" " in b"\n" + data:
                    os.kill(self.client, signal.SIGKILL)
                    break
                for word in self.hidden:  # as long as before, for the lengths of literals
                    data = data.replace(b" " + word, b" X" + word[1:])
                client.sendall(data)
        except OSError:
            pass
        self.end(client, server)

    @staticmethod
    def end(*connections):
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has ended already
                pass
