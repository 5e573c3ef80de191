#!/usr/bin/env python3
"""An epoch of a batch map as PyTorch offers it on a GPU, on documents of RCV1's shape: a sparse x
dense product for the nearest units, atomic adds for their sums, and a dense product for the
neighborhood. Figures for docs/quality.md, beside those of som_gpu_bench.

usage: som_gpu_peer.py DIR [--json FILE]     DIR: where `knn_gpu_bench --dump DIR` wrote the matrix

The job: 781,265 documents, 47,152 terms, 50 x 50 units, ltc weights of unit length, all on the device
before the clock starts. The nearest units and the sums of 131,072 documents are timed, medians,
and scaled to the job; the neighborhood is timed as it is. The units of 20 documents are checked
against scores in double.
"""
import argparse
import json
import os
import sys
import time

import numpy as np

from knn_peer import read, weigh

DOCUMENTS, SIDE, CHUNK, CHECKED, REPEATS = 781265, 50, 32768, 20, 5
UNITS = SIDE * SIDE


def neighborhood(sigma):
    """exp(-d^2 / (2 sigma^2)) of all pairs of units of a hexagonal lattice."""
    y, x = np.divmod(np.arange(UNITS), SIDE)
    place = np.stack([x + .5 * (y % 2), y * .75 ** .5], axis=1)
    squared = ((place[:, None, :] - place[None, :, :]) ** 2).sum(axis=2)
    return np.exp(-squared / (2 * sigma * sigma))


def median_seconds(work):
    import torch
    seconds = []
    for _ in range(REPEATS + 1):
        torch.cuda.synchronize()
        start = time.perf_counter()
        work()
        torch.cuda.synchronize()
        seconds.append(time.perf_counter() - start)
    return sorted(seconds[1:])[REPEATS // 2]  # the first warms up


def measure(folder):
    import torch
    counts = read(os.path.join(folder, "rcv1_queries.csr"))
    rows, terms = counts.shape
    documents = weigh(counts)[0].astype(np.float32)
    start = documents[np.random.default_rng(1).choice(rows, UNITS, replace=False)].toarray()

    def on_device(part):
        return torch.as_tensor(part, device="cuda")

    codebook = on_device(np.ascontiguousarray(start.T))  # [terms, units]
    squared = (codebook * codebook).sum(dim=0)
    chunks = [documents[first : first + CHUNK] for first in range(0, rows, CHUNK)]
    matrices = [torch.sparse_csr_tensor(on_device(c.indptr.astype(np.int32)),
                                        on_device(c.indices.astype(np.int32)), on_device(c.data),
                                        size=c.shape) for c in chunks]
    coo = documents.tocoo()
    row, term, weight = (on_device(part) for part in
                         (coo.row.astype(np.int64), coo.col.astype(np.int64), coo.data))
    best = torch.zeros(rows, dtype=torch.int64, device="cuda")
    sums = torch.zeros(UNITS * terms, device="cuda")
    spread = on_device(neighborhood(10).astype(np.float32))

    def match():
        for i, matrix in enumerate(matrices):
            scores = squared - 2 * (matrix @ codebook)
            best[i * CHUNK : i * CHUNK + matrix.shape[0]] = scores.argmin(dim=1)

    def accumulate():
        sums.zero_()
        sums.index_add_(0, best[row] * terms + term, weight)

    def update():
        hits = torch.bincount(best, minlength=UNITS).float()
        return (spread @ sums.view(UNITS, terms)) / (spread @ hits)[:, None]

    torch.backends.cuda.matmul.allow_tf32 = False
    seconds = {"match": median_seconds(match) * DOCUMENTS / rows,
               "sums": median_seconds(accumulate) * DOCUMENTS / rows,
               "update": median_seconds(update)}
    exact = (start.astype(float) ** 2).sum(axis=1) - 2 * (documents[:CHECKED].astype(float) @
                                                           start.T.astype(float))
    given = exact[np.arange(CHECKED), best[:CHECKED].cpu().numpy()]
    if not (given - exact.min(axis=1) <= 1e-5).all():
        raise AssertionError("wrong units")
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--json")
    options = parser.parse_args()
    try:
        seconds = measure(options.folder)
    except ImportError as e:
        print(f"som_gpu_peer.py: left out: {e}")
        return 0
    whole = sum(seconds.values())
    print(f"torch epoch    {1e3 * whole:.1f} ms: nearest units {1e3 * seconds['match']:.1f}, sums "
          f"{1e3 * seconds['sums']:.1f}, neighborhood {1e3 * seconds['update']:.1f}")
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"epoch_seconds": whole, **seconds}, file, indent=2)
    return 0


if __name__ == "__main__":
    sys.exit(main())
