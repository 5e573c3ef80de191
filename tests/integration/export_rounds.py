"""Export is a backup: three rounds of export and index of records that are hard to write give the same
bytes, and what was handed in.

usage: export_rounds.py KINDRED"""
import csv
import io
import json
import random
import re
import subprocess
import sys
import unicodedata

KINDRED = sys.argv[1]
PIECES = ["\\", "\\\\", "\\x41", "\\xff", ":", "::", "A", "Paris", "Z", "X", "a", "moon", "é", "日本", "\n",
          "\r\n", "\r", "\0", "|", "=", "\"", ",", ";", "'", " ", "\t", "\u2026", "\u2028", "\u202e", "\U0001f600"]
BYTES = ["\udcff", "\udcc3", "\udcfe\udcff"]  # not UTF-8, as os.fsdecode() has them
RANDOM = random.Random(68)


def some_text(pieces, least=1):
    return "".join(RANDOM.choice(pieces) for _ in range(RANDOM.randrange(least, 7)))


def name(pieces):
    """As Kindred keeps a label: composed, without white space at its ends."""
    while True:
        text = some_text(pieces)
        if not re.search("[\udc80-\udcff]", text):
            text = unicodedata.normalize("NFC", text.strip())
        if text:
            return text


def value(pieces, depth=0):
    kind = RANDOM.randrange(9 if depth < 2 else 7)
    if kind < 3:
        return some_text(pieces, 0)
    if kind < 7:
        return [RANDOM.randrange(-10**15, 10**15), RANDOM.random(), RANDOM.random() < 0.5, 3.0][kind - 3]
    texts = [piece for piece in pieces if piece not in BYTES]
    if kind == 7:
        return [value(texts, depth + 1) for _ in range(RANDOM.randrange(4))]
    return {some_text(texts, 0): RANDOM.choice([None, value(texts, depth + 1)])
            for _ in range(RANDOM.randrange(3))} | {"word": None}


def record(number):
    pieces = PIECES + (BYTES if number % 3 == 0 else [])
    made = {"id": f"{number}{some_text(pieces)}", "title": some_text(PIECES, 0), "text": some_text(PIECES, 0)}
    made["labels"] = sorted({name(pieces) for _ in range(RANDOM.randrange(4))}, key=bytes_of)
    if RANDOM.random() < 0.5:
        made["rejected_labels"] = sorted({"no " + name(pieces) for _ in range(1, 4)}, key=bytes_of)
    if not made["labels"] and RANDOM.random() < 0.7:
        made["predicted"] = [{"label": label, "confidence": RANDOM.randrange(1, 999) / 1000}
                             for label in {name(pieces) for _ in range(3)}]
        made["predicted"].sort(key=lambda tag: (-tag["confidence"], bytes_of(tag["label"])))
    if RANDOM.random() < 0.7:
        made["terms"] = {some_text(pieces): RANDOM.randrange(1, 9) for _ in range(4)}
    for key in RANDOM.sample(["note", "a=b", "a_b", "a\nb", "", "label", "sample", "kindred", "Text", "n\\x",
                              "cut", "docid"] + (["k\udcff"] if number % 3 == 0 else []), 4):
        made[key] = value(pieces)
    if RANDOM.random() < 0.3:
        made["lang"] = RANDOM.choice(["de", "pt_BR"])
    return made


def bytes_of(text):
    return text.encode("utf-8", "surrogateescape")


def each_string(item, change):
    if isinstance(item, str):
        return change(item)
    if isinstance(item, dict):
        return {change(key): each_string(inner, change) for key, inner in item.items()}
    return [each_string(inner, change) for inner in item] if isinstance(item, list) else item


def escape(text):
    return re.sub("[\udc80-\udcff]", lambda byte: f"\\x{ord(byte[0]) - 0xdc00:02x}", text.replace("\\", "\\\\"))


def unescape(text):
    return re.sub(r"\\(\\|x([0-9a-f]{2}))",
                  lambda found: chr(0xdc00 + int(found[2], 16)) if found[2] else "\\", text)


def line(made):
    text = json.dumps(made, ensure_ascii=False)
    if re.search("[\udc80-\udcff]", text):
        text = json.dumps({**each_string(made, escape), "escaped_strings": True})
    return text + "\n"


def read(text):
    made = json.loads(text)
    return each_string(made, unescape) if made.pop("escaped_strings", False) else made


def kindred(*arguments, given=""):
    run = subprocess.run([KINDRED, *arguments], input=given.encode(), capture_output=True, check=True)
    return run.stdout.decode()


def undone(cell):
    def one(found):
        kind, digits = found[1][:1], found[1][1:]
        return {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}.get(kind) or chr(int(digits, 16))
    return re.sub(r"\\(\\|[nrt]|x..|u.{4}|U.{8})", one, cell)


def labels_of(cell):
    return [undone(label) for label in cell.removeprefix("'").split("|") if label]


given = [record(number) for number in range(300)]
kindred("index", "--db", "round0.db", "-", given="".join(map(line, given)))
first = kindred("export", "--db", "round0.db")
found = [read(text) for text in first.splitlines()]
assert len(found) == len(given)
for made, back in zip(given, found):
    back.setdefault("predicted", [])
    for key in made:
        if key in ("text", "title", "lang") and not made[key]:
            assert not back.get(key), (key, made, back)
        elif made[key] is not None:
            assert type(back.get(key)) is type(made[key]) and back[key] == made[key], (key, made, back)

for number in range(1, 4):
    kindred("index", "--db", f"round{number}.db", "-", given=first)
    again = kindred("export", "--db", f"round{number}.db")
    assert again == first, f"round {number}: {[(a, b) for a, b in zip(first.split(chr(10)), again.split(chr(10))) if a != b][:1]}"

# CSV has no bytes that are not UTF-8, but all else of ids and labels.
rows = list(csv.DictReader(io.StringIO(kindred("export", "--db", "round0.db", "--csv"), newline="")))
for made, row in zip(given, rows):
    if not re.search("[\udc80-\udcff]", made["id"] + "".join(made["labels"])):
        assert undone(row["id"].removeprefix("'")) == made["id"], (row, made)
        assert labels_of(row["labels"]) == made["labels"], (row, made)
print("as it was")
