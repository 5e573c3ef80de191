#!/usr/bin/env python3
"""Purity and NMI of k-means with as many clusters as a map has units, and as it has topics: by
mini-batches, and in full (Lloyd's iterations from one k-means++ start until they rest).

  som_peer.py CORPUS.jsonl.gz UNITS TOPICS

Documents with exactly one label count, as in 'kindred topics train'. Weights are scikit-learn's own:
1 + ln tf, idf, cosine, terms in at least two documents, a title three times. Prints a line of JSON.
"""
import gzip
import json
import sys
import time

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import normalized_mutual_info_score


def purity(groups, classes):
    table = np.zeros((groups.max() + 1, classes.max() + 1), dtype=int)
    np.add.at(table, (groups, classes), 1)
    return table.max(axis=1).sum() / len(classes)


def main():
    path, units, topics = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        records = [json.loads(line) for line in lines]
    texts = [" ".join([r.get("title") or ""] * 3 + [r.get("text") or ""]) for r in records]
    single = np.array([len(r["labels"]) == 1 for r in records])
    names = sorted({r["labels"][0] for r in records if len(r["labels"]) == 1})
    classes = np.array([names.index(r["labels"][0]) for r in records if len(r["labels"]) == 1])
    rows = TfidfVectorizer(sublinear_tf=True, min_df=2, stop_words="english").fit_transform(texts)
    report = {"documents": int(single.sum())}
    for name, clusters in (("units", units), ("topics", topics)):
        means = {
            "mini_batch": MiniBatchKMeans(clusters, random_state=1, n_init=1, batch_size=4096),
            "full": KMeans(clusters, random_state=1, n_init=1),
        }
        for kind, method in means.items():
            start = time.monotonic()
            groups = method.fit_predict(rows)
            distinct = np.unique(groups[single], return_inverse=True)[1]
            report[f"{name}_{kind}"] = {
                "clusters": clusters,
                "iterations": method.n_iter_,
                "purity": purity(distinct, classes),
                "nmi": normalized_mutual_info_score(classes, distinct),
                "seconds": time.monotonic() - start,
            }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
