"""Quality of related documents, beside what Xapian offers, on the same questions in the same run.

usage: related.py KINDRED COLLECTION.jsonl.gz... [--split S] [--teach-every N] [--questions N]

The records whose key "split" is S (default train) are indexed twice:

- documents held out: every N-th document (default 2) keeps its labels, from which weights are
  learned; the others ask.
- labels held out: every N-th label in byte order stays; documents that have one of the others ask,
  and are asked about these.

Each asks for the ten that are most like it, among those that ask. The figure is the share of the
ten that have one of the labels held out in common with the document that asked.

- ltc, lrc: kindred related by that weighting alone, without learned weights and feedback.
- learned: as it comes, by weights learned from neighbors, and with feedback; tuned: the same after
  kindred tune, by its weights.
- ESet: Xapian's expansion, the 40 best terms of the document, weighed by BM25.

Kindred answers --questions of them (default 4000), Xapian a quarter of these, evenly spread. Stems
(prefix Z) are terms. Needs Xapian's bindings for Python.
"""
import argparse
import gzip
import json
import pathlib
import subprocess
import tempfile

import xapian

K = 10
TERMS = 40
READ = 1000  # results of Kindred among which are the ten


class Stems(xapian.ExpandDecider):
    def __call__(self, term):
        return term.startswith(b"Z")


class Among(xapian.MatchDecider):
    def __init__(self, docids):
        super().__init__()
        self.docids = docids

    def __call__(self, document):
        return document.get_docid() in self.docids


def labels_of(record):
    return record.get("labels") or ([record["label"]] if "label" in record else [])


def hold_out(records, what, every, path):
    """Writes the records with the labels that are left. Returns docid -> the labels held out."""
    names = sorted({label for record in records for label in labels_of(record)}, key=str.encode)
    taught, asked = set(names[::every]), {}
    with open(path, "w", encoding="utf-8") as file:
        for docid, record in enumerate(records, 1):
            labels = labels_of(record)
            if what == "documents":
                kept = labels if docid % every == 0 else []
            else:
                kept = [label for label in labels if label in taught]
            if set(labels) - set(kept):
                asked[docid] = set(labels) - set(kept)
            left = {key: record[key] for key in record if key not in ("label", "split")}
            file.write(json.dumps(left | {"id": str(docid), "labels": kept}) + "\n")
    return asked


def eset_terms(database, docid):
    rset = xapian.RSet()
    rset.add_document(docid)
    return [item.term for item in xapian.Enquire(database).get_eset(TERMS, rset, Stems())]


def share(asked, questions, answers):
    shared = 0
    for docid, found in zip(questions, answers):
        others = [other for other in found if other in asked and other != docid][:K]
        shared += sum(not asked[docid].isdisjoint(asked[other]) for other in others)
    return shared / (K * len(questions))


def xapian_answers(database, asked, questions):
    enquire, among = xapian.Enquire(database), Among(asked)
    for docid in questions:
        terms = eset_terms(database, docid)
        enquire.set_query(xapian.Query(xapian.Query.OP_OR, terms) if terms else xapian.Query())
        yield [match.docid for match in enquire.get_mset(0, K + 1, None, among)]


def kindred_answers(command, questions, ids):
    ids.write_text("".join(f"{docid}\n" for docid in questions))
    run = subprocess.run([*command, "--ids-from", str(ids), "--limit", str(READ), "--json"],
                         check=True, stdout=subprocess.PIPE)
    for line in run.stdout.splitlines():
        yield [result["docid"] for result in json.loads(line)["results"]]


def measure(kindred, records, what, options, folder):
    asked = hold_out(records, what, options.teach_every, folder / "records.jsonl")
    path, untuned = folder / "db", folder / "untuned.toml"
    untuned.write_text("[classify]\nuse_tuning = false\nauto_tune = false\n")
    quiet = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run([kindred, "index", "--db", path, folder / "records.jsonl"], **quiet)
    questions = sorted(asked)[::max(1, len(asked) // options.questions)]
    few = questions[::4]
    ids, related = folder / "ids", [kindred, "related", "--db", path]
    untuned_related = [*related, "--config", untuned]
    plain = [*untuned_related, "--no-feedback", "--set", "weighting.lift=false"]

    def of_kindred(command):
        return share(asked, questions, kindred_answers(command, questions, ids))

    shares = [of_kindred([*plain, "--set", "weighting.smart=" + letters])
              for letters in ("ltc", "lrc")]
    shares.append(of_kindred(untuned_related))
    subprocess.run([kindred, "tune", "--db", path], **quiet)
    shares.append(of_kindred(related))
    database = xapian.Database(str(path))
    return len(asked), [*shares, share(asked, few, xapian_answers(database, asked, few))]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kindred")
    parser.add_argument("collections", nargs="+", type=pathlib.Path)
    parser.add_argument("--split", default="train")
    parser.add_argument("--teach-every", type=int, default=2)
    parser.add_argument("--questions", type=int, default=4000)
    options = parser.parse_args()
    print("| collection | held out | asked | ltc | lrc | learned | tuned | ESet |")
    print("|---|---|---|---|---|---|---|---|")
    for collection in options.collections:
        with gzip.open(collection, "rt", encoding="utf-8") as file:
            records = [record for record in map(json.loads, file)
                       if record.get("split", options.split) == options.split]
        for what in ("documents", "labels"):
            with tempfile.TemporaryDirectory() as folder:
                asked, shares = measure(options.kindred, records, what, options,
                                        pathlib.Path(folder))
            print(f"| {collection.name.removesuffix('.jsonl.gz')} | {what} | {asked:,} |",
                  " | ".join(f"{figure:.3f}" for figure in shares), "|", flush=True)


if __name__ == "__main__":
    main()
