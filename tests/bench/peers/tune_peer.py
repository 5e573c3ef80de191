#!/usr/bin/python3
"""The searches of a tuning as scikit-learn does them: exact cosine neighbors of documents of an
index among all others, by brute force, in one thread.

usage: tune_peer.py DATABASE [QUERIES [K]]      200 documents and 46 neighbors if not given
Prints one JSON object; processor time without reading the index.
"""
import json
import os
import sys
import time

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np
import xapian
from scipy import sparse
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.neighbors import NearestNeighbors


def read(path):
    """Counts of stemmed terms, a row for each document."""
    numbers, columns, counts, begins = {}, [], [], [0]
    database = xapian.Database(path)
    for posting in database.postlist(""):
        terms = database.get_document(posting.docid).termlist()
        for term in terms:
            if term.term.startswith(b"Z"):
                columns.append(numbers.setdefault(term.term, len(numbers)))
                counts.append(term.wdf)
        begins.append(len(columns))
    shape = (len(begins) - 1, len(numbers))
    return sparse.csr_matrix((np.array(counts, np.float64), columns, begins), shape=shape)


def main():
    wanted = int(sys.argv[2]) if len(sys.argv) > 2 else 200
    k = int(sys.argv[3]) if len(sys.argv) > 3 else 46
    counts = read(sys.argv[1])
    start = time.process_time()
    weights = TfidfTransformer(sublinear_tf=True).fit_transform(counts).astype(np.float32)
    search = NearestNeighbors(n_neighbors=k, metric="cosine", algorithm="brute", n_jobs=1)
    search.fit(weights)
    ready = time.process_time()
    rows = np.random.default_rng(0).choice(weights.shape[0], wanted, replace=False)
    search.kneighbors(weights[np.sort(rows)], return_distance=True)
    taken = time.process_time() - ready
    print(json.dumps({"documents": weights.shape[0], "nonzeros": int(weights.nnz),
                      "queries": wanted, "k": k, "weights_seconds": round(ready - start, 2),
                      "milliseconds_each": round(1000 * taken / wanted, 2)}))


if __name__ == "__main__":
    main()
