#!/usr/bin/python3
"""The usual Python way to exact cosine neighbors, on the matrices that knn_bench --dump wrote:
scipy's sparse product of a chunk of queries with all documents, then argpartition. One thread.

usage: knn_peer.py MATRIX.csr FIGURES.json    FIGURES.json: what knn_bench --json wrote
Prints the useful multiply-adds a second of both, and their ratio.
"""
import json
import os
import sys
import time

if __name__ == "__main__":
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[variable] = "1"

import numpy as np
from scipy import sparse

CHUNK, QUERIES = 200, 2000


def read(path):
    with open(path, "rb") as file:
        rows, columns, nonzeros = np.fromfile(file, np.uint64, 3).astype(np.int64)
        row_begin = np.fromfile(file, np.uint64, rows + 1).astype(np.int64)
        column = np.fromfile(file, np.uint32, nonzeros).astype(np.int32)
        count = np.fromfile(file, np.uint16, nonzeros).astype(np.float64)
    return sparse.csr_matrix((count, column, row_begin), shape=(rows, columns))


def weigh(counts):
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.log(counts.shape[0] / np.maximum(df, 1))
    weights = counts.copy()
    weights.data = (1 + np.log(counts.data)) * idf[counts.indices]
    weights.eliminate_zeros()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    return (sparse.diags(1 / np.maximum(lengths, 1e-300)) @ weights).tocsr(), df


def nearest(queries, documents, k):
    for begin in range(0, queries.shape[0], CHUNK):
        scores = queries[begin : begin + CHUNK] @ documents
        for row in range(scores.shape[0]):
            data = scores.data[scores.indptr[row] : scores.indptr[row + 1]]
            best = np.argpartition(-data, min(k, len(data)) - 1)[:k] if len(data) else []
            yield scores.indices[scores.indptr[row] :][best]


def main():
    path, kindred = sys.argv[1], json.load(open(sys.argv[2]))
    name = os.path.basename(path).removesuffix(".csr")
    ours = kindred[name + "_all_pairs"]["useful_per_second"]
    weights, df = weigh(read(path))
    queries = weights[:QUERIES].astype(np.float32)
    documents = weights.T.tocsr().astype(np.float32)
    seconds = []
    for _ in range(3):
        start = time.process_time()
        for _ in nearest(queries, documents, 10):
            pass
        seconds.append(time.process_time() - start)
    theirs = float(df[queries.indices].sum()) / sorted(seconds)[1]
    print(f"{name}: Kindred {ours:.3g}, scipy product + argpartition {theirs:.3g} useful "
          f"multiply-adds/s; ratio {ours / theirs:.1f}")


if __name__ == "__main__":
    main()
