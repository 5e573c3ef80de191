"""A linear SVM, one against the rest, on the term counts of two Kindred databases.

usage: svm_peer.py NAME TRAIN_DB TEST_DB

Weights are ltc with the idf of the training part. With one label per document the largest margin
decides, else every label of positive margin is given; accuracy is that of the largest margin.
Prints one row of quality.sh; there is no ECE, as margins are not probabilities.
"""
import sys
import time

import numpy as np
import scipy.sparse as sp
import xapian
from sklearn.metrics import f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC


def read(path, vocabulary, grow):
    database = xapian.Database(path)
    data, columns, begins, labels = [], [], [0], []
    for posting in database.postlist(""):
        own = []
        for item in database.termlist(posting.docid):
            term = item.term
            if term.startswith(b"Z") and not term[1:2].isupper():  # stems, but not of titles
                if grow:
                    vocabulary.setdefault(term, len(vocabulary))
                if term in vocabulary:
                    columns.append(vocabulary[term])
                    data.append(item.wdf)
            elif term.startswith(b"K"):
                own.append(term)
        begins.append(len(columns))
        labels.append(own)
    return (data, columns, begins), labels


def matrix(rows, width):
    data, columns, begins = rows
    return sp.csr_matrix((np.array(data, float), columns, begins), shape=(len(begins) - 1, width))


def weigh(counts, idf):
    weights = counts.copy()
    weights.data = (1 + np.log(counts.data)) * idf[counts.indices]
    length = np.sqrt(np.asarray(weights.multiply(weights).sum(1)).ravel())
    length[length == 0] = 1
    return sp.diags(1 / length) @ weights


def main(name, train_path, test_path):
    vocabulary = {}
    train_rows, train_labels = read(train_path, vocabulary, True)
    test_rows, test_labels = read(test_path, vocabulary, False)
    train, test = (matrix(rows, len(vocabulary)) for rows in (train_rows, test_rows))
    start = time.time()
    df = np.bincount(train.indices, minlength=train.shape[1])
    idf = np.log(train.shape[0] / df)
    names = sorted({label for own in train_labels + test_labels for label in own})
    place = {label: i for i, label in enumerate(names)}
    truth = np.zeros((len(train_labels), len(names)), np.int8)
    wanted = np.zeros((len(test_labels), len(names)), np.int8)
    for table, rows in ((truth, train_labels), (wanted, test_labels)):
        for row, own in enumerate(rows):
            table[row, [place[label] for label in own]] = 1
    known = np.flatnonzero(truth.any(0))
    hard = train.shape[0] > 50000
    model = OneVsRestClassifier(LinearSVC(C=1, tol=1e-2 if hard else 1e-4))
    model.fit(weigh(train, idf), truth[:, known])
    margins = np.full(wanted.shape, -np.inf)
    margins[:, known] = model.decision_function(weigh(test, idf))
    best = margins.argmax(1)
    if (truth.sum(1) == 1).all():
        given = np.zeros_like(wanted)
        given[np.arange(len(best)), best] = 1
    else:
        given = (margins > 0).astype(np.int8)
    used = np.flatnonzero((wanted + given).any(0))
    micro = f1_score(wanted, given, average="micro", zero_division=0)
    macro = f1_score(wanted[:, used], given[:, used], average="macro", zero_division=0)
    accuracy = wanted[np.arange(len(best)), best].mean()
    print(f"{name:20} {'linear SVM':12} {micro:9.4f} {macro:9.4f} {accuracy:9.4f} "
          f"{'-':>7} {'-':>7} {'-':>7} "
          f"{time.time() - start:8.1f}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
