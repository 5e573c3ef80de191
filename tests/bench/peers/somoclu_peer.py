#!/usr/bin/env python3
"""Quantization and topographic error of a map trained by Somoclu's formulas on a Kindred database.

  somoclu_peer.py DATABASE [--side 50] [--epochs 10] [--seed 1]

Somoclu (Wittek et al., Journal of Statistical Software 78(9), 2017; its src/training.cpp and
src/mapDistanceFunctions.cpp), planar and rectangular, defaults of its library, batch rule:
the radius falls linearly from half the shorter side to 1, r(t) = r0 - t (r0 - rN) / (epochs - 1);
h = exp(-d^2 / (2 (r / 2)^2)), the standard deviation being half the radius; weights begin uniform
in [-1/2, 1/2); w_u = sum_n h x_n / sum_n h. Its scale cancels out in that quotient. The same rule
in Kindred, whose radius falls exponentially:

  kindred topics train --db DATABASE --lattice rectangular --rows 50 --columns 50 --start uniform
      --epochs 10 --seed 1

Rows are those that Kindred trains on: ltc weights of length 1, then the terms in two documents and
more. Needs python3-sklearn and python3-xapian. Prints a line of JSON.
"""
import argparse
import json
import time

import numpy as np
import scipy.sparse as sp
from svm_peer import matrix, read, weigh


def training_rows(path):
    vocabulary = {}
    counted, _ = read(path, vocabulary, True)
    # Stems of text; those of titles alone ("ZS...") are not features.
    features = np.flatnonzero([not term[1:2].isupper() for term in vocabulary])
    counts = sp.csr_matrix(matrix(counted, len(vocabulary))[:, features])
    df = np.bincount(counts.indices, minlength=counts.shape[1])
    weights = sp.csr_matrix(weigh(counts, np.log(counts.shape[0] / df)))
    return weights[:, df >= 2].astype(np.float32)


def two_best(rows, weights):
    """The two nearest units of each row, and the distance to the first. weights: [columns, units]."""
    scores = np.einsum("cu,cu->u", weights, weights)[None, :] - 2 * (rows @ weights)
    first = scores.argmin(axis=1)
    at = np.arange(rows.shape[0])
    squared = scores[at, first] + np.asarray(rows.multiply(rows).sum(axis=1)).ravel()
    scores[at, first] = np.inf
    return first, scores.argmin(axis=1), np.sqrt(np.maximum(squared, 0))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("database")
    parser.add_argument("--side", type=int, default=50)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rows = training_rows(options.database)
    side, units = options.side, options.side**2
    place = np.stack(np.divmod(np.arange(units), side), axis=1)
    squared = ((place[:, None, :] - place[None, :, :]) ** 2).sum(axis=2)
    start = time.monotonic()
    weights = np.random.default_rng(options.seed).random((rows.shape[1], units), np.float32) - 0.5
    for epoch in range(options.epochs):
        radius = side / 2 - epoch * (side / 2 - 1) / (options.epochs - 1)
        best = two_best(rows, weights)[0]
        won = sp.csr_matrix((np.ones(len(best), np.float32), (best, np.arange(len(best)))),
                            shape=(units, len(best)))
        h = np.exp(-squared / (2 * (radius / 2) ** 2)).astype(np.float32)
        reached = h @ np.asarray(won.sum(axis=1)).ravel()
        moved = (won @ rows).T @ h
        weights = np.where(reached > 0, moved / np.where(reached > 0, reached, 1), weights)
    first, second, distance = two_best(rows, weights)
    apart = np.abs(place[first] - place[second]).max(axis=1) > 1
    print(json.dumps({
        "documents": rows.shape[0],
        "terms": rows.shape[1],
        "quantization_error": float(distance.mean(dtype=np.float64)),
        "topographic_error": float(apart.mean()),
        "seconds": time.monotonic() - start,
    }))


if __name__ == "__main__":
    main()
