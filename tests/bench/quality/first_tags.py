"""Quality of the first tags: an index of all training documents, of which people labeled a few.

usage: first_tags.py KINDRED COLLECTION.jsonl.gz... [--labeled N,N...] [--draws N] [--vote V]

The documents that have labels are drawn at random, each number from the same order. The test part,
at most 800 documents of it, is tagged as Kindred does it by itself or, with --vote, by that vote
without a tuning. Prints the mean over the draws of accuracy and micro F1, and in the end the mean
over the collections that have as many documents.
"""
import argparse
import gzip
import json
import pathlib
import random
import subprocess
import tempfile

MOST_TESTS = 800


def labels_of(record):
    return record.get("labels") or ([record["label"]] if "label" in record else [])


def write(records, labeled, path):
    with open(path, "w", encoding="utf-8") as file:
        for number, record in enumerate(records):
            line = {key: record[key] for key in record if key not in ("label", "labels", "split")}
            line["id"] = str(number)
            if number in labeled:
                line["labels"] = labels_of(record)
            file.write(json.dumps(line) + "\n")


def measure(kindred, training, labeled, test, vote, folder):
    write(training, labeled, folder / "records.jsonl")
    database = folder / "db"
    subprocess.run([kindred, "index", "--db", database, folder / "records.jsonl"], check=True,
                   stdout=subprocess.DEVNULL)
    command = [kindred, "evaluate", "--db", database, "--jsonl", test, "--json"]
    if vote:
        command += ["--vote", vote]
    run = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    figures = json.loads(run.stdout)
    return figures["accuracy"], figures["micro_f1"]


def mean(figures):
    return [sum(column) / len(figures) for column in zip(*figures)]


def text(figures):
    return " | ".join(f"{figure:.3f}" for figure in figures)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("kindred")
    parser.add_argument("collections", nargs="+", type=pathlib.Path)
    parser.add_argument("--labeled", default="20,50,100,200,500")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--vote")
    options = parser.parse_args()

    of_all = {}
    print("| collection | labeled | accuracy | micro F1 |")
    print("|---|---|---|---|")
    for collection in options.collections:
        with gzip.open(collection, "rt", encoding="utf-8") as file:
            records = [json.loads(line) for line in file]
        training = [record for record in records if record.get("split", "train") == "train"]
        tests = [record for record in records if record.get("split") == "test" and labels_of(record)]
        random.Random(7).shuffle(tests)
        with_labels = [number for number, record in enumerate(training) if labels_of(record)]

        for labeled in map(int, options.labeled.split(",")):
            if labeled > len(with_labels):
                continue
            found = []
            for draw in range(options.draws):
                drawn = random.Random(draw).sample(with_labels, len(with_labels))[:labeled]
                with tempfile.TemporaryDirectory() as name:
                    folder = pathlib.Path(name)
                    test = folder / "test.jsonl"
                    write(tests[:MOST_TESTS], range(len(tests)), test)
                    found.append(measure(options.kindred, training, set(drawn), test, options.vote,
                                         folder))
            figures = mean(found)
            of_all.setdefault(labeled, []).append(figures)
            print(f"| {collection.name.removesuffix('.jsonl.gz')} | {labeled} | {text(figures)} |",
                  flush=True)

    for labeled, figures in of_all.items():
        print(f"| mean of {len(figures)} | {labeled} | {text(mean(figures))} |")


if __name__ == "__main__":
    main()
