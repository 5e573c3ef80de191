#!/usr/bin/env python3
"""Runs a command with one terminal as its standard output and standard error, and prints what it
writes to either. Exits with its status.

usage: terminal.py COLUMNS COMMAND...
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

columns = int(sys.argv[1])
terminal, side = pty.openpty()
fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
attributes = termios.tcgetattr(side)
attributes[1] &= ~termios.OPOST  # lines end in a newline alone
termios.tcsetattr(side, termios.TCSANOW, attributes)
process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=side, stderr=side)
os.close(side)
while True:
    try:
        data = os.read(terminal, 65536)
    except OSError:  # the last writer has gone
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.stdout.flush()
sys.exit(process.wait())
