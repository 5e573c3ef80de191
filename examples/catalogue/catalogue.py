#!/usr/bin/env python3
"""Writes the package catalogue of a Debian or Ubuntu machine as JSON Lines for `kindred index`.

usage: apt-cache dumpavail | catalogue.py OUT_DIR [TRANSLATION_FILE...]

OUT_DIR/tagged.jsonl    packages that people have tagged (debtags): id, title, text, labels, section
OUT_DIR/untagged.jsonl  all other packages, without labels

Where fewer than one package in a hundred is tagged, as in Ubuntu, the section of a package stands for
its tags, and every tenth package is left without.

Long descriptions come from apt's Translation files, and are joined by Description-md5. Without
these files, a package has the description of its own stanza.
"""
import json
import os
import sys


def stanzas(lines):
    """Yields each stanza of a Debian control file as a dict; continuation lines keep their newlines."""
    fields, key = {}, None
    for line in lines:
        line = line.rstrip("\n")
        if not line:
            if fields:
                yield fields
            fields, key = {}, None
        elif line[0] in " \t":
            if key:
                fields[key] += "\n" + line[1:]
        else:
            key, _, value = line.partition(":")
            fields[key] = value.strip()
    if fields:
        yield fields


def description(fields):
    for key, value in fields.items():
        if key.startswith("Description") and key != "Description-md5":
            return value
    return ""


def long_descriptions(paths):
    texts = {}
    for path in paths:
        with open(path, encoding="utf-8", errors="replace") as file:
            for fields in stanzas(file):
                texts[fields.get("Description-md5")] = description(fields)
    return texts


def record(fields, texts):
    text = texts.get(fields.get("Description-md5")) or description(fields)
    title, _, body = text.partition("\n")
    paragraphs = "\n".join("" if line == "." else line for line in body.split("\n"))
    result = {"id": fields["Package"], "title": title, "text": fields["Package"] + "\n" + paragraphs}
    labels = sorted({tag.strip() for tag in fields.get("Tag", "").replace("\n", " ").split(",")} - {""})
    if labels:
        result["labels"] = labels
    if "Section" in fields:
        result["section"] = fields["Section"]
    return result


def packages(lines, texts):
    """The records of all packages, each once, though a catalogue may have several versions."""
    records = {}
    for fields in stanzas(lines):
        if "Package" in fields and fields["Package"] not in records:
            records[fields["Package"]] = record(fields, texts)
    return list(records.values())


def label_by_section(records):
    for i, item in enumerate(records):
        item.pop("labels", None)
        if "section" in item and i % 10 != 9:
            item["labels"] = [item["section"].rpartition("/")[2]]  # universe/python: python


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        for item in records:
            print(json.dumps(item, ensure_ascii=False), file=file)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, texts = sys.argv[1], long_descriptions(sys.argv[2:])
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    records = packages(sys.stdin, texts)
    kind = "tags"
    if 100 * sum("labels" in item for item in records) < len(records):
        kind = "sections"
        label_by_section(records)
    tagged = [item for item in records if "labels" in item]
    untagged = [item for item in records if "labels" not in item]
    write(os.path.join(out, "tagged.jsonl"), tagged)
    write(os.path.join(out, "untagged.jsonl"), untagged)
    print(f"{len(tagged)} packages with {kind}, {len(untagged)} without")


if __name__ == "__main__":
    main()
