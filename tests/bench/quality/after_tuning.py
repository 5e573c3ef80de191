"""Tags after a tuning, while documents go on coming.

usage: after_tuning.py KINDRED COLLECTION.jsonl.gz...

The first half of the records whose key "split" is "train" is indexed and tuned, then the others are
added, then it is tuned again. Prints the micro F1 of the test part after each.
"""
import gzip
import json
import pathlib
import subprocess
import sys
import tempfile


def records_of(collection, split):
    with gzip.open(collection, "rt", encoding="utf-8") as file:
        return [record for record in map(json.loads, file) if record["split"] == split]


def write(records, path):
    with open(path, "w", encoding="utf-8") as file:
        for record in records:
            file.write(json.dumps({key: record[key] for key in record if key != "split"}) + "\n")
    return path


class Index:
    def __init__(self, kindred, folder):
        self.kindred, self.database = kindred, folder / "db"

    def run(self, command, *arguments):
        done = subprocess.run(
            [self.kindred, command, "--db", self.database, "--json", *arguments,
             "--set", "classify.auto_tune=false"], stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout.splitlines()[-1])

    def micro_f1(self, test):
        return f"{self.run('evaluate', '--jsonl', test)['micro_f1']:.4f}"


def measure(kindred, collection, folder):
    training = records_of(collection, "train")
    half = len(training) // 2
    first = write(training[:half], folder / "first.jsonl")
    others = write(training[half:], folder / "others.jsonl")
    test = write(records_of(collection, "test"), folder / "test.jsonl")

    index = Index(kindred, folder)
    index.run("index", first)
    index.run("tune")
    figures = [index.micro_f1(test)]
    index.run("index", others)
    figures.append(index.micro_f1(test))
    index.run("tune")
    return [*figures, index.micro_f1(test)]


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    print("| collection | tuned with half | the others added | tuned again |\n|---|---|---|---|")
    for collection in map(pathlib.Path, sys.argv[2:]):
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(sys.argv[1], collection, pathlib.Path(folder))
        print(f"| {collection.name.removesuffix('.jsonl.gz')} |", " | ".join(figures), "|", flush=True)


if __name__ == "__main__":
    main()
