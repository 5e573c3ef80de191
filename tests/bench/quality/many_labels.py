"""Time and quality where labels are many, beside scikit-learn's OneVsRest.

usage: many_labels.py KINDRED COLLECTION.jsonl.gz [--peer] [--suspects] [--names TERMS.tsv.gz]

Records whose key "split" is "train" are learned from, those of "test" are tagged. A row for each
command: processor time, time by the clock, and the most memory in use. Then the quality of what
classify answers, over the documents of the test:

- F1@5: F1 of the five best labels; P@1: whether the best label is true; NDCG: of the first 100;
- R@10: share of the true labels among the ten best.

--names: a vocabulary, ids and names, is loaded before the index is tuned. Then, by the key "lang" of
the records, which share of the labels that no document learned from has, and that have a name, is
among the ten best. --suspects: also all documents whose labels look wrong, which takes longer.
--peer: also linear SVMs (LinearSVC) in a OneVsRest, on TF-IDF of the words, for the labels of five
documents or more.
"""
import argparse
import gzip
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile
import time

BEST = 100


def measured(name, command):
    """Runs a command and prints its row. Returns what it printed."""
    begin = time.monotonic()
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(command, stdout=out)
        _, status, used = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit(f"{command}: status {status}")
        out.seek(0)
        text = out.read().decode()
    print(f"{name:12} {used.ru_utime + used.ru_stime:8.1f} s {time.monotonic() - begin:8.1f} s "
          f"{used.ru_maxrss / 1024:8.0f} MB", flush=True)
    return text


def print_quality(name, truth, found):
    """`found`: of each document, labels, the best first."""
    f1 = right = ndcg = recall = 0
    for labels, ranked in zip(truth, found):
        five = ranked[:5]
        f1 += 2 * len(labels & set(five)) / (len(labels) + max(len(five), 1))
        right += bool(ranked) and ranked[0] in labels
        recall += len(labels & set(ranked[:10])) / len(labels)
        gain = sum(1 / math.log2(i + 2) for i, own in enumerate(ranked[:BEST]) if own in labels)
        ndcg += gain / sum(1 / math.log2(i + 2) for i in range(min(BEST, len(labels))))
    print(f"{name:12} F1@5 {f1 / len(truth):.4f}  P@1 {right / len(truth):.4f}  "
          f"NDCG {ndcg / len(truth):.4f}  R@10 {recall / len(truth):.4f}", flush=True)


def print_unused(train, test, found, path):
    """Of labels that no document of the training has, and that have a name, by language."""
    used = {label for record in train for label in record["labels"]}
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        unused = {line.split("\t")[0] for line in lines} - used
    counts = {}
    for record, ranked in zip(test, found):
        count = counts.setdefault(record.get("lang", ""), [0, 0])
        wanted = set(record["labels"]) & unused
        count[0] += len(wanted & set(ranked[:10]))
        count[1] += len(wanted)
    for language, (right, wanted) in sorted(counts.items()):
        print(f"{'unused':12} {language}: {right / max(wanted, 1):.4f} of {wanted} among the ten best")


def text_of(record):
    return record.get("title", "") + "\n" + record.get("text", "")


def ask_peer(train, test, truth):
    import numpy
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.preprocessing import MultiLabelBinarizer
    from sklearn.svm import LinearSVC

    counts = {}
    for record in train:
        for label in record["labels"]:
            counts[label] = counts.get(label, 0) + 1
    binarizer = MultiLabelBinarizer(classes=sorted(own for own in counts if counts[own] >= 5),
                                    sparse_output=True)
    used = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.monotonic()
    words = TfidfVectorizer(sublinear_tf=True)
    vectors = words.fit_transform(text_of(record) for record in train)
    classes = binarizer.fit_transform(
        [[own for own in record["labels"] if counts[own] >= 5] for record in train])
    peer = OneVsRestClassifier(LinearSVC()).fit(vectors, classes)

    found = []
    asked = words.transform(text_of(record) for record in test)
    for first in range(0, asked.shape[0], 1000):
        values = peer.decision_function(asked[first:first + 1000])
        found += [[binarizer.classes[i] for i in row]
                  for row in numpy.argsort(-values, axis=1)[:, :BEST]]
    after = resource.getrusage(resource.RUSAGE_SELF)
    processor = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    print(f"{'OneVsRest':12} {processor:8.1f} s {time.monotonic() - begin:8.1f} s "
          f"{after.ru_maxrss / 1024:8.0f} MB", flush=True)
    print_quality("OneVsRest", truth, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kindred")
    parser.add_argument("collection")
    parser.add_argument("--peer", action="store_true")
    parser.add_argument("--suspects", action="store_true")
    parser.add_argument("--names")
    arguments = parser.parse_args()
    kindred = str(pathlib.Path(arguments.kindred).resolve())
    names = arguments.names and str(pathlib.Path(arguments.names).resolve())
    with gzip.open(arguments.collection, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]

    train = [record for record in records if record["split"] == "train"]
    test = [record for record in records if record["split"] == "test" and record["labels"]]
    truth = [set(record["labels"]) for record in test]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, some in (("train", train), ("test", test)):
            with open(f"{name}.jsonl", "w", encoding="utf-8") as file:
                for record in some:
                    file.write(json.dumps(record | {"split": ""}) + "\n")
        settings = ["--db", "train.db", "--set", "classify.auto_tune=false", "--json"]
        print(f"{len(train)} documents, {len({own for record in train for own in record['labels']})}"
              f" labels; {len(test)} to tag\n{'':12} processors      clock    memory")
        measured("index", [kindred, "index", "--db", "train.db", "train.jsonl"])
        if names:
            measured("vocabulary", [kindred, "vocabulary", "load", "--db", "train.db", names])
        measured("tune", [kindred, "tune", *settings])
        measured("classify", [kindred, "classify", *settings, "--jsonl", "test.jsonl"])
        measured("evaluate", [kindred, "evaluate", *settings, "--jsonl", "test.jsonl"])
        if arguments.suspects:
            measured("suspects", [kindred, "suspects", *settings])
        answers = measured("100 best", [kindred, "classify", *settings, "--jsonl", "test.jsonl",
                                        "--limit", str(BEST), "--min-confidence", "0"])
    found = [[tag["label"] for tag in json.loads(line)["tags"]] for line in answers.splitlines()]
    print_quality("kindred", truth, found)
    if names:
        print_unused(train, test, found, names)
    if arguments.peer:
        ask_peer(train, test, truth)


main()
