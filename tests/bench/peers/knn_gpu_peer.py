#!/usr/bin/env python3
"""Exact cosine neighbors the ways Python offers, on documents of RCV1's shape: scikit-learn on all
cores; PyTorch's sparse x dense product on a GPU. Figures for docs/quality.md, beside those of
knn_gpu_bench.

usage: knn_gpu_peer.py DIR [--json FILE] [--only NAME] [--share S]

The reference job: 23,149 documents, 781,265 queries, k = 45, ltc weights of unit length; each way
answers a sample, and its time is scaled to the job. S scales the samples (1: about 90 s in all).
Matrices are those that `knn_gpu_bench --dump DIR` wrote.
Inside the clock: queries as sparse rows (on the device, for a GPU) to neighbors; medians. The first
20 answers of each way are checked against sums in double. What is not installed is left out and
named.
"""
import argparse
import json
import os
import sys
import time

import numpy as np
from scipy import sparse

K, JOB_QUERIES, SAMPLE, CHECKED = 45, 781265, 16384, 20


def read(path):
    """A matrix of rcv1_shape.h's write_matrix()."""
    with open(path, "rb") as file:
        rows, columns, nonzeros = (int(n) for n in np.fromfile(file, np.uint64, 3))
        row_begin = np.fromfile(file, np.uint64, rows + 1).astype(np.int64)
        column = np.fromfile(file, np.uint32, nonzeros).astype(np.int32)
        count = np.fromfile(file, np.uint16, nonzeros).astype(float)
    return sparse.csr_matrix((count, column, row_begin), shape=(rows, columns))


def weigh(counts, idf):
    weights = counts.copy()
    weights.data = (1 + np.log(counts.data)) * idf[counts.indices]
    weights.eliminate_zeros()
    lengths = np.sqrt(np.asarray(weights.multiply(weights).sum(axis=1)).ravel())
    unit = (sparse.diags(1 / np.maximum(lengths, 1e-300)) @ weights).tocsr()
    unit.indptr, unit.indices = unit.indptr.astype(np.int32), unit.indices.astype(np.int32)
    return unit


# -- ways to neighbors: each gives (batch, function of a batch's first query) ----------------------
# The function returns similarities and rows, [batch, K]. `tolerance` is what its arithmetic allows.

def sklearn_brute(documents, queries, share):
    from sklearn.neighbors import NearestNeighbors
    batch = max(CHECKED, int(8192 * share))
    index = NearestNeighbors(n_neighbors=K, algorithm="brute", metric="cosine", n_jobs=-1)
    index.fit(documents)

    def answer(first):
        distance, row = index.kneighbors(queries[first : first + batch])
        return 1 - distance, row
    return batch, answer


def device_batches(queries, batch):
    """Batches of queries as torch tensors on the device: row, term, weight of every entry."""
    import torch
    result = []
    for first in range(0, queries.shape[0] - batch + 1, batch):
        part = queries[first : first + batch].tocoo()
        result.append([torch.as_tensor(a, device="cuda") for a in
                       (part.row.astype(np.int64), part.col.astype(np.int64), part.data)])
    return result


def torch_spmm(documents, queries, _):
    import torch
    batch = 1024
    parts = (documents.indptr, documents.indices, documents.data)
    product = torch.sparse_csr_tensor(*(torch.as_tensor(part, device="cuda") for part in parts),
                                      size=documents.shape)
    block = torch.zeros(documents.shape[1], batch, device="cuda")
    batches = device_batches(queries, batch)

    def answer(first):
        row, term, weight = batches[first // batch]
        block.zero_()
        block[term, row] = weight
        return torch.topk((product @ block).T.contiguous(), K)
    return batch, answer


# name, what, maker, tolerance, queries timed in a pass
WAYS = [
    ("sklearn_brute", "scikit-learn brute cosine, all cores", sklearn_brute, 1e-5, 8192),
    ("torch_spmm", "PyTorch sparse CSR x dense float32 + topk", torch_spmm, 1e-5, SAMPLE),
]


def host(array):
    return array.cpu().numpy() if hasattr(array, "cpu") else np.asarray(array)


def check(answer, exact, tolerance):
    """Raises if the first answers differ from the exact similarities [CHECKED, documents]."""
    similarity, row = (host(part)[:CHECKED] for part in answer(0))
    wanted = -np.sort(-exact, axis=1)[:, :K]
    given = np.take_along_axis(exact, row.astype(np.int64), axis=1)
    error = max(np.abs(similarity - wanted).max(), np.abs(similarity - given).max())
    if not error <= tolerance or any(len(set(r)) != K for r in row.tolist()):
        raise AssertionError(f"wrong neighbors: similarities differ by {error:.2g}")
    return float(error)


def synchronize():
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        torch.cuda.synchronize()


def time_passes(answer, batch, queries):
    """Seconds of passes over the sample: at least 3, until 3 seconds are over."""
    passes = []
    while len(passes) < 3 or sum(passes) < 3:
        synchronize()
        start = time.perf_counter()
        for first in range(0, queries, batch):
            answer(first)
        synchronize()
        passes.append(time.perf_counter() - start)
    return sorted(passes)


def measure(way, documents, queries, exact, share):
    name, what, make, tolerance, sample = way
    batch, answer = make(documents, queries, share)
    error = check(answer, exact, tolerance)  # also the warm-up
    sample = max(1, int(sample * share) // batch) * batch
    passes = time_passes(answer, batch, sample)
    per_query = passes[len(passes) // 2] / sample
    print(f"{name:20} {1e3 * per_query:10.5f} ms a query ({1e3 * passes[0] / sample:.5f} to "
          f"{1e3 * passes[-1] / sample:.5f}, {len(passes)} passes of {sample}), scaled to "
          f"{JOB_QUERIES}: {per_query * JOB_QUERIES:.2f} s", flush=True)
    return {"what": what, "batch": batch, "queries": sample, "passes": len(passes),
            "ms_a_query": 1e3 * per_query, "ms_a_query_best": 1e3 * passes[0] / sample,
            "ms_a_query_worst": 1e3 * passes[-1] / sample, "largest_error": error,
            "whole_job_seconds_scaled": per_query * JOB_QUERIES}


def collect(folder):
    counts = read(os.path.join(folder, "rcv1.csr"))
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    idf = np.where(df > 0, np.log(counts.shape[0] / np.maximum(df, 1)), 0)
    documents = weigh(counts, idf)
    queries = weigh(read(os.path.join(folder, "rcv1_queries.csr"))[:SAMPLE], idf)
    exact = (queries[:CHECKED] @ documents.T).toarray()
    return documents.astype(np.float32), queries.astype(np.float32), exact


def device_name():
    try:
        import torch
        return torch.cuda.get_device_name(0)
    except Exception:  # no torch, or no device: the ways that need one say so
        return "none"


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--json")
    parser.add_argument("--only")
    parser.add_argument("--share", type=float, default=1)
    options = parser.parse_args()
    documents, queries, exact = collect(options.folder)
    results = {"setting": {"device": device_name(), "cores": os.cpu_count(), "k": K,
                           "documents": documents.shape[0], "nonzeros": int(documents.nnz),
                           "whole_job_queries": JOB_QUERIES}}
    good = True
    for way in WAYS:
        if options.only not in (None, way[0]):
            continue
        try:
            results[way[0]] = measure(way, documents, queries, exact, options.share)
        except ImportError as e:
            print(f"{way[0]:20} left out: {e}")
            results[way[0]] = {"what": way[1], "left_out": str(e)}
        except Exception as e:  # one way's failure must not hide the others' figures
            print(f"{way[0]:20} FAILED: {type(e).__name__}: {e}", file=sys.stderr)
            results[way[0]] = {"what": way[1], "error": str(e)}
            good = False
    if options.json:
        with open(options.json, "w") as file:
            json.dump(results, file, indent=2)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
