#!/usr/bin/env python3
"""A whole host of the C ABI in Python, with ctypes alone: ingests three notes, and asks.

    host.py path/to/libkindred.so DATABASE

DATABASE is made if it does not exist. kindred_ctypes.py beside this file is the binding.
"""
import sys

from kindred_ctypes import NOT_FOUND, Kindred, KindredError

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
    kindred.end_ingest()
    print(f"ingested: {len(NOTES)} notes")
    status = kindred.ask("status")
    print(f"status: {status['documents']} documents, {status['terms']} terms, "
          f"{status['labels']} labels, on {status['backend']} ({status['device']})")
    request = {"like": [{"id": "host-1"}], "limit": 3, "explain": True}
    for found in kindred.ask("related", request)["results"]:
        why = " ".join(f"{term['term']} {term['contribution']:.3f}" for term in found["terms"])
        print(f"related to host-1: {found['id']} ({found['title']}), "
              f"similarity {found['similarity']:.3f}, by {why}")
    note = {"text": "How long does sourdough bread bake?"}
    for tag in kindred.ask("classify", {"example": note})["tags"]:
        print(f"tag: {tag['label']}, confidence {tag['confidence']:.3f}")
    try:
        kindred.ask("classify", {"example": {"id": "no such id"}})
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
