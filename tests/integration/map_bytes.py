#!/usr/bin/env python3
"""Prints the bytes of a map's file, which two runs that train the same map share: without the header
and its checksums, the seconds that training took, the revision of the index, and the zeros between
sections.

usage: map_bytes.py FILE
"""
import re
import sys

HEADER = 4096
NUMBERS = {b"gseconds": rb"\xfa.{4}|\xfb.{8}",
           b"hrevision": rb"\x18.|\x19.{2}|\x1a.{4}|\x1b.{8}|[\x00-\x17]"}

with open(sys.argv[1], "rb") as file:
    content = file.read()[HEADER:]
for key, number in NUMBERS.items():
    content, found = re.subn(key + b"(?:" + number + b")", key, content, flags=re.DOTALL)
    if not found:
        sys.exit(f"{sys.argv[1]}: no {key[1:].decode()} in it")
sys.stdout.buffer.write(re.sub(rb"\0{16,}", b"", content))
