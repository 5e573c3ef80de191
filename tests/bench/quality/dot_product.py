#!/usr/bin/env python3
"""The dot product as a weighting beside the cosine, on counts and on learned vectors.

usage: dot_product.py KINDRED RECORDS.jsonl.gz... [--questions N]

Records whose key "split" is "train" are documents. The others ask (--questions: about N of them,
evenly spread) for the ten documents that are most like them: once with their whole text, once with
their title alone, as a question. The figure is the share of the ten that have a label of the record
that asked.

- counts: documents and questions are their stems and how often each occurs ("terms");
- learned: a stem weighs (1 + ln count) times what it tells of the labels of the documents, the root
  of the divergence (docs/scoring.md, "Term weights from labels"), as "vector".

Beside them, a model whose weights are meant for a dot product: a linear support vector machine, one
against the rest, learned from the documents. Each label is a document, and its weights are those of
its classifier less the least of any label, which changes no order; the offset is one more term. The
figure is the accuracy of the nearest label, after that of the model itself.

Needs Xapian's bindings for Python, and scikit-learn.
"""
import argparse
import collections
import gzip
import json
import math
import os
import subprocess
import tempfile

import numpy as np
import scipy.sparse as sp
import xapian
from sklearn.svm import LinearSVC

K = 10
COUNT_LETTERS = ("ltc", "ltn", "ntc", "ntn", "nnc", "nnn")
LEARNED_LETTERS = ("nnc", "nnn")
LARGEST = 600  # of learned weights, below the largest that "vector" takes
OFFSET = "offset of the classifier"
UNIT = 100  # the length of a question to the classifiers


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(path, records):
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps(record) + "\n")


def stems_of(kindred, records):
    """The stems of each record, with their counts, as `kindred index` finds them."""
    with tempfile.TemporaryDirectory() as folder:
        numbered = [{"id": str(i), "title": r.get("title", ""), "text": r.get("text", ""),
                     "lang": r.get("lang", "en")} for i, r in enumerate(records)]
        write(f"{folder}/records.jsonl", numbered)
        run(kindred, "index", "--db", f"{folder}/db", f"{folder}/records.jsonl")
        database = xapian.Database(f"{folder}/db")
        found = [{} for _ in records]
        for item in database.allterms("Z"):
            for posting in database.postlist(item.term):
                found[posting.docid - 1][item.term.decode()[1:]] = posting.wdf
        return found


def divergences(stems, labels):
    """What each stem tells of the labels of the documents that have it."""
    shares, of_stem, holders = (collections.Counter(), collections.defaultdict(collections.Counter),
                                collections.Counter())
    for own, its in zip(stems, labels):
        for label in its:
            shares[label] += 1 / len(its)
        for stem in own:
            holders[stem] += 1
            for label in its:
                of_stem[stem][label] += 1 / len(its)
    total = sum(shares.values())
    prior = {label: share / total for label, share in shares.items()}
    told = {}
    for stem, counts in of_stem.items():
        nats = 0
        for label, p in prior.items():
            q = (counts[label] + p) / (holders[stem] + 1)
            nats += q * math.log(q / p)
        told[stem] = math.sqrt(max(nats, 0)) if holders[stem] > 1 else 0
    return told


def learned(stems, told):
    return {stem: (1 + math.log(count)) * told.get(stem, 0) for stem, count in stems.items()}


def unit_rows(stems, columns, idf):
    """Vectors of length 1, with one more column that is 1 for all."""
    rows = [[(columns[s], (1 + math.log(n)) * idf[columns[s]]) for s, n in own.items()
             if s in columns] for own in stems]
    lengths = [math.sqrt(sum(w * w for _, w in row)) or 1 for row in rows]
    cells = [(i, column, w / length) for i, (row, length) in enumerate(zip(rows, lengths))
             for column, w in row]
    cells += [(i, len(columns), 1) for i in range(len(rows))]
    at, column, weight = zip(*cells)
    return sp.csr_matrix((weight, (at, column)), shape=(len(rows), len(columns) + 1))


def linear_accuracy(kindred, documents, questions, letters):
    """Accuracy of a linear classifier itself, then of its labels as documents. The arguments are
    lists of (stems, labels); the first label counts."""
    (stems, labels), (asked, asked_labels) = zip(*documents), zip(*questions)
    columns = {stem: i for i, stem in enumerate(sorted(set().union(*stems)))}
    df = collections.Counter(columns[stem] for own in stems for stem in own)
    idf = [math.log(len(stems) / df[i]) for i in range(len(columns))]
    learned_from, asking = (unit_rows(rows, columns, idf) for rows in (stems, asked))
    model = LinearSVC(fit_intercept=False).fit(learned_from, [its[0] for its in labels])
    right = np.mean(model.predict(asking) == [its[0] for its in asked_labels])
    weights = model.coef_ - model.coef_.min(axis=0)
    weights *= LARGEST / weights.max()
    names = list(columns) + [OFFSET]
    as_documents = [({"vector": {names[i]: own[i] for i in np.flatnonzero(own >= .005)}}, [label])
                    for own, label in zip(weights, model.classes_)]
    as_questions = [({"vector": {names[i]: w * UNIT for i, w in zip(row.indices, row.data)}}, its)
                    for row, its in zip(asking, asked_labels)]
    return [right] + measure(kindred, as_documents, as_questions, letters, 1)


def share_of_nearest(kindred, folder, letters, k):
    """For the documents in `folder`/db and the questions beside it."""
    lines = run(kindred, "classify", "--db", f"{folder}/db", "--config", f"{folder}/plain.toml",
                "--weighting", letters, "--jsonl", f"{folder}/questions.jsonl", "-k", str(k),
                "--neighbors", "--json").splitlines()
    with open(f"{folder}/asked.json", encoding="utf-8") as file:
        asked = json.load(file)
    shared = sum(not own.isdisjoint(neighbor["labels"])
                 for own, line in zip(map(set, asked), lines)
                 for neighbor in json.loads(line)["neighbors"])
    return shared / (len(asked) * k)


def measure(kindred, documents, questions, letters, k=K):
    """`documents`, `questions`: lists of (features, labels); features as keys of a record."""
    with tempfile.TemporaryDirectory() as folder:
        write(f"{folder}/documents.jsonl",
              [{"id": str(i), "labels": labels, **features}
               for i, (features, labels) in enumerate(documents)])
        write(f"{folder}/questions.jsonl", [features for features, _ in questions])
        with open(f"{folder}/asked.json", "w", encoding="utf-8") as file:
            json.dump([labels for _, labels in questions], file)
        with open(f"{folder}/plain.toml", "w", encoding="utf-8") as file:
            file.write("[classify]\nuse_tuning = false\nauto_tune = false\n")
        run(kindred, "index", "--db", f"{folder}/db", f"{folder}/documents.jsonl")
        return [share_of_nearest(kindred, folder, each, k) for each in letters]


def evenly(records, wanted):
    step = max(1, len(records) // wanted)
    return records[::step]


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1][7:])
    parser.add_argument("kindred")
    parser.add_argument("files", nargs="+")
    parser.add_argument("--questions", type=int, default=1 << 30)
    options = parser.parse_args()
    columns = [*COUNT_LETTERS, *(f"learned {letters}" for letters in LEARNED_LETTERS), "SVM",
               *(f"SVM {letters}" for letters in LEARNED_LETTERS)]
    print("| collection | question | " + " | ".join(columns) + " |\n" +
          "|---|---|" + "---|" * len(columns), flush=True)
    for path in options.files:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        texts = [r for r in records if r["split"] == "train"]
        asking = evenly([r for r in records if r["split"] != "train"], options.questions)
        stems = stems_of(options.kindred, texts)
        told = divergences(stems, [r["labels"] for r in texts])
        scale = LARGEST / max(max(learned(own, told).values(), default=0) for own in stems)

        def vector(own):
            return {stem: weight * scale for stem, weight in learned(own, told).items()}

        for name, questions in (("text", asking),
                                ("title", [{**r, "text": ""} for r in asking if r.get("title")])):
            labels = [r["labels"] for r in questions]
            asked = stems_of(options.kindred, questions)
            sides = ([*zip(stems, (r["labels"] for r in texts))], [*zip(asked, labels)])
            figures = measure(options.kindred,
                              *([({"terms": own}, its) for own, its in side] for side in sides),
                              COUNT_LETTERS)
            figures += measure(options.kindred,
                               *([({"vector": vector(own)}, its) for own, its in side]
                                 for side in sides), LEARNED_LETTERS)
            figures += linear_accuracy(options.kindred, *sides, LEARNED_LETTERS)
            print(f"| {os.path.basename(path).split('.')[0]} | {name} | " +
                  " | ".join(f"{figure:.3f}".lstrip("0") for figure in figures) + " |", flush=True)


if __name__ == "__main__":
    main()
