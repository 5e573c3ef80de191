"""Every answer is valid by the schema of its question, and so is the request that it shows: of a small
index, of a stub of two shards, and of an index as notmuch writes them.

usage: schema_test.py KINDRED LIBRARY
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
HOSTS = os.path.join(HERE, "../../examples/hosts")
sys.path[:0] = [os.path.join(HERE, "../../python"), os.path.join(HERE, "../search_server")]
import kindred  # noqa: E402
from json_schema import Schemas  # noqa: E402

KINDRED, LIBRARY = sys.argv[1:]
DATA = os.path.join(HERE, "../data/topics.jsonl")
NOTMUCH = """[index]
id_prefix = "Q"
read_only = true
[labels]
prefix = "K"
[mirror]
term_prefixes = ["", "XSUBJECT"]
"""
MORE = [("related", {"like_query": "moon", "fold": 0.5, "explain": True}),
        ("related", {"each": [1, 2]}), ("analyze", {"query": "moon landing"}),
        ("classify", {"examples": [{"docid": 1}], "vote": "unit", "voters": True}),
        ("matching", {"query": "moon", "offset": 1, "limit": 1}),
        ("search", {"query": "moon"}), ("tune", {"if_due": True}),
        ("tune", {"remove": True}), ("tune", {"dry_run": True, "changes": True}), ("map", {})]


def run(*words):
    subprocess.run([KINDRED, *words], check=True, stdout=subprocess.DEVNULL)


def small(folder):
    path = os.path.join(folder, "small")
    run("index", "--db", path, DATA)
    return path, ""


def stub(folder):
    shards = [os.path.join(folder, name) for name in ("one", "two")]
    lines = open(DATA, encoding="utf-8").read().splitlines()
    for i, shard in enumerate(shards):
        part = shard + ".jsonl"
        with open(part, "w", encoding="utf-8") as file:
            file.write("\n".join(lines[i::2]))
        run("index", "--db", shard, part)
    path = os.path.join(folder, "stub")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines("auto %s\n" % shard for shard in shards)
    return path, ""


def notmuch(folder):
    """Words without stems, ids and tags under the prefixes of notmuch, some of it not UTF-8."""
    try:
        import xapian
    except ImportError:
        return None
    path = os.path.join(folder, "notmuch")
    database = xapian.WritableDatabase(path, xapian.DB_CREATE)
    for line in open(DATA, encoding="utf-8"):
        record, document = json.loads(line), xapian.Document()
        generator = xapian.TermGenerator()
        generator.set_document(document)
        generator.index_text(record["text"])
        if database.get_doccount():  # the first one has no id
            document.add_boolean_term(b"Q" + record["id"].encode() + b"\xff")
        for label in record["labels"]:
            document.add_boolean_term(b"K" + label.encode("utf-16-le"))
        database.add_document(document)
    database.commit()
    return path, NOTMUCH


def questions(db):
    documents = [d["id"] for d in db.ask("matching", limit=4)["documents"]]
    label = db.ask("labels")["labels"][0]["label"]
    known = dict(zip(("b1", "b2", "n1", "n2", "s2"), documents * 2))
    for line in open(os.path.join(HOSTS, "questions.tsv"), encoding="utf-8"):
        question, request = line.split("\t")
        request = json.loads(request)
        for key in ("like", "example", "examples", "edits"):
            examples = request.get(key, [])
            for example in examples if isinstance(examples, list) else [examples]:
                if "id" in example:
                    example["id"] = known[example["id"]]
        if question in ("candidates", "edit_label"):
            request["label"] = label
        yield question, request
    yield "search", {"ids": documents}
    yield from MORE


def faults(name, db):
    read_only = name == "notmuch"
    allowed = kindred.InvalidArgument, kindred.NotFound, kindred.Unsupported
    for question, request in questions(db):
        schemas = json.loads(subprocess.check_output([KINDRED, "help", "--schema", question]))
        try:
            answer = db.ask(question, **request)
        except kindred.KindredError as error:
            refuses = "read_only" in str(error) or isinstance(error, allowed)
            if not (read_only and refuses) or question == "search":
                yield f"{name}, {question} {request}: {error}"
            continue
        for part, value in (("answer", answer), ("request", answer["request"])):
            for fault in Schemas({}).faults(value, schemas[part]):
                yield f"{name}, {question}, {part}: {fault}"
        if ("shards" in answer) == ("revision" in answer):
            yield f"{name}, {question}: expected either shards or revision"


def main():
    found, asked = [], []
    with tempfile.TemporaryDirectory() as folder:
        for make in (small, stub, notmuch):
            made = make(folder)
            if made is None:
                continue
            with kindred.open(made[0], settings=made[1], library=LIBRARY) as db:
                found += faults(make.__name__, db)
            asked.append(make.__name__)
    print("asked:", *asked)
    sys.exit("\n".join(found) or 0)


if __name__ == "__main__":
    main()
