#!/usr/bin/env python3
"""Tags by language: leave-one-out accuracy of an index for each language, under several settings,
and of one index of all languages, whose documents do not say what they are in.

usage: languages.py KINDRED FILE [--tuned] [NAME=TOML...]

FILE: JSON Lines, also gzip, with the keys id, text, labels and lang, as of SIB-200. NAME=TOML: a row
of settings for [analyzer], such as 'none=filters = ["length", "stop_words"]'; '{lang}'
stands for the language. Without one: 'none' (as the defaults, but nothing is stemmed) and 'stem'
(the defaults). Accuracy is the share of documents whose best label is true, without tuning.
--tuned: instead of all that, the micro F1 of each language that kindred tune says. Needs
python3-xapian for the detection, and a build with KINDRED_CLD2."""

import collections
import gzip
import json
import os
import subprocess
import sys
import tempfile

import xapian

UNSTEMMED = ('filters = ["elision", "possessive", "normalize", "length", "stop_words"]')
FIXED = "[index]\npositions = false\n[classify]\nauto_tune = false\n"


def read(path):
    """The records, by their language."""
    opened = gzip.open(path, "rt", encoding="utf-8") if path.endswith(".gz") else open(path)
    records = collections.defaultdict(list)
    with opened as lines:
        for line in lines:
            record = json.loads(line)
            records[record["lang"]].append(record)
    return records


class Index:
    """An index of records under settings for [analyzer]."""

    def __init__(self, kindred, folder, records, settings, names_language=True):
        self.kindred, self.database = kindred, os.path.join(folder, "db")
        self.config = os.path.join(folder, "kindred.toml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(FIXED + "[analyzer]\n" + settings + "\n")
        lines = []
        for record in records:
            kept = ("id", "text", "labels") + (("lang",) if names_language else ())
            lines.append(json.dumps({key: record[key] for key in kept}) + "\n")
        self.run("index", "-", data="".join(lines))

    def run(self, command, *arguments, data=None):
        done = subprocess.run(
            [self.kindred, command, "--db", self.database, "--config", self.config, "--json",
             *arguments], input=data, stdout=subprocess.PIPE, text=True, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    def accuracy(self):
        return self.run("evaluate", "--leave-one-out")["accuracy"]

    def tuned_micro_f1(self):
        return self.run("tune")["tuning"]["scores"]["micro_f1"]

    def languages(self):
        """id -> the language that was found, or ''."""
        database = xapian.Database(self.database)
        found = {}
        for posting in database.postlist(""):
            terms = [t.term.decode() for t in database.get_document(posting.docid).termlist()]
            ids = [t[1:].lstrip(":") for t in terms if t.startswith("Q")]
            found[ids[0]] = next((t[1:] for t in terms if t.startswith("L")), "")
        return found


def measured(kindred, records, settings, tuned):
    with tempfile.TemporaryDirectory() as folder:
        index = Index(kindred, folder, records, settings)
        return index.tuned_micro_f1() if tuned else index.accuracy()


def code(language):
    """What a detector can tell: it knows one Norwegian, and one Chinese."""
    return {"nb": "no", "nn": "no"}.get(language, language.split("-")[0])


def print_separate(kindred, records, rows, tuned):
    names = [name for name, _ in rows]
    print("| language | " + " | ".join(names) + " |\n|---" + "|---" * len(names) + "|")
    sums = collections.Counter()
    for language in sorted(records):
        figures = []
        for name, settings in rows:
            value = measured(kindred, records[language], settings.replace("{lang}", language),
                             tuned)
            sums[name] += value * len(records[language])
            figures.append(f"{value:.4f}".lstrip("0"))
        print(f"| {language} | " + " | ".join(figures) + " |", flush=True)
    count = sum(map(len, records.values()))
    print("| all | " + " | ".join(f"{sums[name] / count:.4f}".lstrip("0") for name in names) + " |")


def print_mixed(kindred, records, settings):
    everything = [record for group in records.values() for record in group]
    with tempfile.TemporaryDirectory() as folder:
        index = Index(kindred, folder, everything, settings, names_language=False)
        print(f"\none index of all: accuracy {index.accuracy():.4f}")
        found = index.languages()
    right = {language: sum(found[r["id"]] == code(language) for r in group) / len(group)
             for language, group in records.items()}
    known = {language: share for language, share in right.items() if share > 0}
    unknown = sorted(set(right) - set(known))
    print(f"detection: {sum(known.values()) / len(known):.4f} of {len(known)} languages; "
          f"never found: {', '.join(unknown) or 'none'}")
    print("the least: " + ", ".join(
        f"{language} {share:.3f}" for language, share in sorted(known.items(), key=lambda x: x[1])[:8]))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    kindred, path, rows = sys.argv[1], sys.argv[2], sys.argv[3:]
    tuned = rows[:1] == ["--tuned"]
    named = rows[1:] if tuned else rows
    rows = [tuple(row.split("=", 1)) for row in named] or [("none", UNSTEMMED), ("stem", "")]
    records = read(path)
    print_separate(kindred, records, rows, tuned)
    if not tuned and not named:
        print_mixed(kindred, records, 'detect = "document"')
        listed = ", ".join(json.dumps(code(language)) for language in sorted(records))
        print_mixed(kindred, records, f'detect = "document"\nlanguages = [{listed}]')


main()
