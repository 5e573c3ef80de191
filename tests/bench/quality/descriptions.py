#!/usr/bin/env python3
"""Debian's translated package descriptions as records, with the packages' tags (debtags) as labels.

usage: descriptions.py LISTS LANGUAGE >records.jsonl

LISTS: a folder that this has filled (its subfolder partial must exist):
  apt-get update -o Dir::State::Lists=LISTS -o Acquire::Languages=de,es,fr,ru,pt_BR
LANGUAGE: as there. Packages that have no tag, or no translated description, are left out; of several
with one description, the first is kept. Tags that fewer than 20 records have are left out, too.
"""
import collections
import glob
import json
import os
import subprocess
import sys


def stanzas(path):
    command = ["lz4cat"] if path.endswith(".lz4") else ["zcat", "-f"]
    text = subprocess.run([*command, path], capture_output=True, check=True).stdout.decode()
    for stanza in text.split("\n\n"):
        fields, key = {}, None
        for line in stanza.split("\n"):
            if line[:1] == " ":
                fields[key] += "\n" + line[1:]
            elif ":" in line:
                key, value = line.split(":", 1)
                fields[key] = value.strip()
        yield fields


def main(lists, language):
    name = language.replace("_", "%5f")
    texts = {}
    for path in glob.glob(os.path.join(glob.escape(lists), f"*_i18n_Translation-{name}*")):
        for fields in stanzas(path):
            if "Description-md5" in fields and f"Description-{language}" in fields:
                texts[fields["Description-md5"]] = fields[f"Description-{language}"]
    records, seen = [], set()
    for path in sorted(glob.glob(os.path.join(glob.escape(lists), "*_Packages*"))):
        for fields in stanzas(path):
            md5 = fields.get("Description-md5")
            if md5 not in texts or md5 in seen or "Tag" not in fields:
                continue
            seen.add(md5)
            title, _, text = texts[md5].partition("\n")
            tags = [tag.strip() for tag in fields["Tag"].split(",")]
            records.append({"id": fields["Package"], "title": title, "text": text, "labels": tags,
                            "lang": language[:2]})
    counts = collections.Counter(tag for record in records for tag in record["labels"])
    for record in records:
        record["labels"] = [tag for tag in record["labels"] if counts[tag] >= 20]
        if record["labels"]:
            print(json.dumps(record, ensure_ascii=False))


main(*sys.argv[1:])
