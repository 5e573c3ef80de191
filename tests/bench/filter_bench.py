#!/usr/bin/env python3
"""What a filter costs when it comes for the first time, and when it comes again.

    filter_bench.py path/to/libkindred.so DATABASE QUERY...

Asks for the 10 documents most like one of the database, with each QUERY as the filter: wall time of
the first question, the median and the largest of 50 more, and the median without a filter. Nothing
is written.
"""
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
import kindred  # noqa: E402

ROUNDS = 50


def seconds(db, docid, query):
    start = time.perf_counter()
    db.related(docid, filter=query)
    return time.perf_counter() - start


def main():
    library, database, *queries = sys.argv[1:]
    with kindred.open(database, library=library) as db:
        documents = db.ask("status")["documents"]
        docids = [1 + i * (documents - 1) // ROUNDS for i in range(ROUNDS)]
        plain = [seconds(db, docid, "") for docid in docids * 3][-ROUNDS:]
        print(f"{documents} documents; without a filter {1e3 * statistics.median(plain):.2f} ms")
        for query in queries:
            first = seconds(db, docids[0], query)
            again = [seconds(db, docid, query) for docid in docids]
            print(f"{query}: first {1e3 * first:.2f} ms, again {1e3 * statistics.median(again):.2f} "
                  f"ms, at most {1e3 * max(again):.2f} ms")


main()
