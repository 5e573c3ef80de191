#!/usr/bin/env python3
"""What a filter costs when it comes for the first time, and when it comes again.

    filter_bench.py path/to/libkindred.so DATABASE QUERY...

Asks for the 10 documents most like one of the database, with each QUERY as the filter: wall time of
the first question, the median and the largest of 50 more, and the median without a filter. Nothing
is written.
"""
import ctypes as c
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "examples" / "hosts"))
import host  # noqa: E402

ROUNDS = 50


def seconds(kindred, docid, query):
    example = host.Example(host.BY_DOCID, docid, host.String.of(""))
    request = host.RelatedRequest(like=c.pointer(example), like_count=1, k=10,
                                  threshold=host.DEFAULT, filter=host.String.of(query))
    result = host.P(host.RelatedResult)()
    start = time.perf_counter()
    kindred.call("related", c.byref(request), c.byref(result))
    took = time.perf_counter() - start
    kindred.api.related_free(result)
    return took


def main():
    library, database, *queries = sys.argv[1:]
    with host.Kindred(library, database) as kindred:
        documents = kindred.status().documents
        docids = [1 + i * (documents - 1) // ROUNDS for i in range(ROUNDS)]
        plain = [seconds(kindred, docid, "") for docid in docids * 3][-ROUNDS:]
        print(f"{documents} documents; without a filter {1e3 * statistics.median(plain):.2f} ms")
        for query in queries:
            first = seconds(kindred, docids[0], query)
            again = [seconds(kindred, docid, query) for docid in docids]
            print(f"{query}: first {1e3 * first:.2f} ms, again {1e3 * statistics.median(again):.2f} "
                  f"ms, at most {1e3 * max(again):.2f} ms")


main()
