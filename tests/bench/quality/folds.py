"""Quality of tagging by cross-validation with the tuning inside each fold, for small collections.

usage: folds.py NAME KINDRED RECORDS.jsonl [FOLDS [REPEATS]]

All records are shuffled and dealt into FOLDS parts (10); each part is classified by an index of the
others that was tuned on them alone. Bins of confidence are pooled over the parts, so that every
document counts once a repeat. Prints one row of quality.sh: means over REPEATS (5) shuffles, then
the standard deviation of the calibration errors over them.
"""
import json
import math
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


def run(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def pooled(reports, kind):
    """The bins of all parts together: [documents, sum of confidences, documents that are right]."""
    bins = [[0, 0.0, 0.0] for _ in range(10)]
    for report in reports:
        for into, each in zip(bins, report[kind]):
            into[0] += each["documents"]
            into[1] += each["documents"] * each["confidence"]
            into[2] += each["documents"] * each["accuracy"]
    return bins


def calibration(bins):
    """The calibration error, and the one to be expected of true probabilities."""
    total = sum(n for n, _, _ in bins)
    error = sum(abs(confidence - right) for _, confidence, right in bins) / total
    chance = sum(mean_deviation(n, confidence / n) for n, confidence, _ in bins if n) / total
    return error, chance


def mean_deviation(n, p):
    """E|X - np| of a binomial variable (de Moivre)."""
    if not 0 < p < 1:
        return 0.0
    k = min(int(n * p) + 1, n)
    log_choose = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return 2 * k * math.exp(log_choose + k * math.log(p) + (n - k + 1) * math.log1p(-p))


def cross_validate(kindred, lines, folds, seed):
    """One shuffle: calibration of best labels and of pairs, accuracy, micro and macro F1."""
    order = list(range(len(lines)))
    random.Random(seed).shuffle(order)
    reports = []
    for fold in range(folds):
        held = set(order[fold::folds])
        work = tempfile.mkdtemp()
        write(work + "/train.jsonl", [line for i, line in enumerate(lines) if i not in held])
        write(work + "/test.jsonl", [line for i, line in enumerate(lines) if i in held])
        run(kindred, "index", "--db", work + "/db", work + "/train.jsonl")
        run(kindred, "tune", "--db", work + "/db")
        reports.append(json.loads(run(kindred, "evaluate", "--db", work + "/db", "--jsonl",
                                      work + "/test.jsonl", "--labels", "--json")))
        shutil.rmtree(work)
    best = pooled(reports, "reliability")
    pairs = pooled(reports, "pair_reliability")
    counts = {}
    for report in reports:
        for label in report["per_label"]:
            own = counts.setdefault(label["label"], [0, 0])
            own[0] += label["right"]
            own[1] += label["support"] + label["predicted"]
    micro = 2 * sum(r for r, _ in counts.values()) / sum(t for _, t in counts.values())
    macro = statistics.mean(2 * r / t for r, t in counts.values())
    accuracy = sum(right for _, _, right in best) / len(lines)
    return (*calibration(best), *calibration(pairs)[:1], accuracy, micro, macro)


def main(name, kindred, records, folds=10, repeats=5):
    with open(records, encoding="utf-8") as file:
        lines = file.readlines()
    start = time.time()
    rows = [cross_validate(kindred, lines, int(folds), seed) for seed in range(int(repeats))]
    error, chance, pairs, accuracy, micro, macro = (statistics.mean(c) for c in zip(*rows))
    print(f"{name:20} {f'{folds} folds x {repeats}':12} {micro:9.4f} {macro:9.4f} {accuracy:9.4f} "
          f"{error:7.4f} {chance:7.4f} {pairs:7.4f} {time.time() - start:8.1f}  "
          f"(ECE +- {statistics.pstdev(row[0] for row in rows):.4f})", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
