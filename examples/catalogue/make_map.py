#!/usr/bin/env python3
"""Has a search server make the map of its collection, as soon as it has read it.

usage: make_map.py ADDRESS
"""
import sys
import time
import urllib.error
import urllib.request

request = urllib.request.Request(sys.argv[1] + "jobs/train", b"{}",
                                 {"Content-Type": "application/json"})
for _ in range(100):
    try:
        urllib.request.urlopen(request)
        break
    except urllib.error.HTTPError as error:
        if error.code != 503:
            raise
        time.sleep(0.1)
else:
    sys.exit("make_map.py: the server does not read its index within ten seconds")
