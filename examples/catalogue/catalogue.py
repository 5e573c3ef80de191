#!/usr/bin/env python3
"""Writes the package catalogue of a Debian or Ubuntu machine as JSON Lines for `kindred index`.

usage: apt-cache dumpavail | catalogue.py OUT_DIR [TRANSLATION_FILE...]

OUT_DIR/tagged.jsonl    packages that people have tagged (debtags): id, title, text, labels, section
OUT_DIR/untagged.jsonl  all other packages, without labels

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


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    out, texts = sys.argv[1], long_descriptions(sys.argv[2:])
    seen, counts = set(), {"tagged": 0, "untagged": 0}
    sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    with open(os.path.join(out, "tagged.jsonl"), "w", encoding="utf-8") as tagged, \
            open(os.path.join(out, "untagged.jsonl"), "w", encoding="utf-8") as untagged:
        for fields in stanzas(sys.stdin):
            if "Package" not in fields or fields["Package"] in seen:
                continue  # a second version of the same package
            seen.add(fields["Package"])
            item = record(fields, texts)
            kind = "tagged" if "labels" in item else "untagged"
            print(json.dumps(item, ensure_ascii=False), file=tagged if kind == "tagged" else untagged)
            counts[kind] += 1
    print(f"{counts['tagged']} packages with tags, {counts['untagged']} without")


if __name__ == "__main__":
    main()
