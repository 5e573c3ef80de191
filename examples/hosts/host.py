#!/usr/bin/env python3
"""A whole host of the C ABI in Python, with ctypes alone: ingests three notes, and asks.

    host.py path/to/libkindred.so DATABASE

DATABASE is made if it does not exist. kindred_ctypes.py beside this file is the binding.
"""
import sys

from kindred_ctypes import BY_ID, BY_TEXT, NOT_FOUND, Example, Kindred, KindredError, String

NOTES = [
    {"id": "host-1", "title": "Bread", "labels": ["kitchen"],
     "text": "Knead the dough, let it rise, bake the bread in a hot oven."},
    {"id": "host-2", "title": "Tides", "labels": ["sea"],
     "text": "The moon pulls the tide; sailors read the harbor tables."},
    {"id": "host-3", "title": "Rolls",
     "text": "Shape the dough into rolls and bake them until brown."},
]


def show(kindred):
    for note in NOTES:
        kindred.ingest(note)
    report = kindred.end_ingest()
    print(f"ingested: {report.added} added, {report.replaced} replaced, {report.tagged} tagged")
    status = kindred.status()
    print(f"status: {status.documents} documents, {status.terms} terms, {status.labels} labels, "
          f"on {status.backend.decode()} ({status.device.decode()})")
    for id_, title, similarity, terms in kindred.related(Example(BY_ID, 0, String.of("host-1")),
                                                        k=3):
        why = " ".join(f"{term} {part:.3f}" for term, part in terms)
        print(f"related to host-1: {id_} ({title}), similarity {similarity:.3f}, by {why}")
    for id_, title, similarity, _ in kindred.related(query="title:bread", k=3, fold=0.95):
        print(f"related to what 'title:bread' finds: {id_} ({title}), similarity {similarity:.3f}")
    question = Example(BY_TEXT, 0, String.of("How long does sourdough bread bake?"))
    for label, confidence in kindred.classify(question):
        print(f"tag: {label}, confidence {confidence:.3f}")
    try:
        kindred.classify(Example(BY_ID, 0, String.of("no such id")))
    except KindredError as error:
        if error.code != NOT_FOUND:
            raise
        print("as expected:", error)


def print_log(message):
    print("kindred:", message, file=sys.stderr)


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} path/to/libkindred.so DATABASE")
    try:
        with Kindred(sys.argv[1], sys.argv[2], create=True, log=print_log) as kindred:
            show(kindred)
    except (OSError, RuntimeError, KindredError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
