#!/usr/bin/env python3
"""What questions.c does, in Python.

    questions.py path/to/libkindred.so DATABASE questions.tsv
"""
import json
import sys

from kindred_ctypes import Kindred, KindredError

NOTES = [("b1", "Bread", ["kitchen"], "Knead the dough, let it rise, bake the bread in a hot oven."),
         ("b2", "Rolls", ["kitchen"],
          "Shape the dough into rolls and bake them in the oven until brown."),
         ("s1", "Tides", ["sea"], "The moon pulls the tide; sailors read the harbor tables."),
         ("s2", "Harbor", ["sea"], "Ships wait in the harbor for the tide."),
         ("n1", "Loaf", [], "Bake the dough in a hot oven."),
         ("n2", "Sails", [], "Sailors leave the harbor.")]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    try:
        with Kindred(sys.argv[1], sys.argv[2], create=True) as kindred:
            for id_, title, labels, text in NOTES:
                kindred.ingest({"id": id_, "title": title, "labels": labels, "text": text})
            kindred.end_ingest()
            for line in open(sys.argv[3], encoding="utf-8"):
                question, request = line.split("\t")
                answer = kindred.ask(question, json.loads(request), lambda doing, done, all_: True)
                print(question, json.dumps(answer), sep="\t")
    except (OSError, RuntimeError, KindredError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
