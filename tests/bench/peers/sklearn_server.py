#!/usr/bin/env python3
"""What many people would build instead of kindred-server: scikit-learn behind http.server.

    sklearn_server.py RECORDS.jsonl

Reads records {"id", "title", "text", "labels"} and answers a part of the routes of kindred-server in
the same form: GET /documents/{id}/related, POST /related, POST /classify, POST /documents, /readyz.
Prints its address. Related documents are those of TfidfVectorizer and NearestNeighbors (brute force,
cosine). Tags are those of LinearSVC, one label against the rest, whose margin is positive; all labels
are decided by one product of matrices, which is much faster than OneVsRestClassifier. New documents
get the terms and weights of those before, and vote after POST /refit only.
"""
import json
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import MultiLabelBinarizer
from sklearn.svm import LinearSVC


def text_of(record):
    return record.get("title", "") + "\n" + record.get("text", "")


class Collection:
    """One writes at a time. Readers take `state`, which is replaced as a whole."""

    def __init__(self, records):
        self.writing = threading.Lock()
        self.records = records
        self.fit()

    def fit(self):
        vectorizer = TfidfVectorizer(sublinear_tf=True, stop_words="english", min_df=2,
                                     dtype=np.float32)
        rows = vectorizer.fit_transform(map(text_of, self.records))
        labeled = [i for i, record in enumerate(self.records) if record.get("labels")]
        binarizer = MultiLabelBinarizer(sparse_output=True)
        wanted = binarizer.fit_transform(self.records[i]["labels"] for i in labeled)
        teaching = rows[labeled].astype(np.float64)
        teaching.sort_indices()
        with joblib.parallel_backend("threading", n_jobs=2):
            machines = OneVsRestClassifier(LinearSVC()).fit(teaching, wanted)
        self.vectorizer, self.names = vectorizer, binarizer.classes_
        self.weights = np.ascontiguousarray(
            np.vstack([one.coef_ for one in machines.estimators_]).T, dtype=np.float32)
        self.floor = np.array([one.intercept_[0] for one in machines.estimators_])
        self.take(rows)

    def take(self, rows):
        neighbors = NearestNeighbors(n_neighbors=11, algorithm="brute", metric="cosine").fit(rows)
        places = {record["id"]: i for i, record in enumerate(self.records)}
        self.state = rows, neighbors, places

    def add(self, records):
        with self.writing:
            rows = self.vectorizer.transform(map(text_of, records))
            given = [[] if record.get("labels") else self.tags(row)
                     for record, row in zip(records, rows)]
            self.records = self.records + records
            self.take(sp.vstack([self.state[0], rows], format="csr"))
        return given

    def refit(self):
        with self.writing:
            self.fit()

    def nearest(self, row, itself=-1):
        distances, found = self.state[1].kneighbors(row)
        pairs = [(i, 1 - d) for d, i in zip(distances[0], found[0]) if i != itself and d < 1]
        return [{"id": self.records[i]["id"], "title": self.records[i].get("title", ""),
                 "similarity": float(similarity)} for i, similarity in pairs[:10]]

    def tags(self, row):
        margins = np.asarray(row @ self.weights).ravel() + self.floor
        given = np.flatnonzero(margins > 0)
        return [{"label": self.names[i], "confidence": float(margins[i])}
                for i in given[np.argsort(-margins[given])]]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 1 << 16
    collection = None

    def answer(self, body, status=200):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        parts = urllib.parse.urlsplit(self.path).path.split("/")
        if parts[1] == "readyz":
            return self.answer({})
        rows, _, places = self.collection.state
        place = places.get(urllib.parse.unquote(parts[2]))
        if place is None:
            return self.answer({}, 404)
        return self.answer({"results": self.collection.nearest(rows[place], place)})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/documents":
            given = self.collection.add([json.loads(line) for line in body.splitlines()])
            return self.answer(b"".join(
                json.dumps({"outcome": "added", "predicted": tags}).encode() + b"\n"
                for tags in given))
        if self.path == "/refit":
            self.collection.refit()
            return self.answer({})
        asked = json.loads(body)
        record = (asked["like"][0] if self.path == "/related" else asked)["record"]
        row = self.collection.vectorizer.transform([text_of(record)])
        if self.path == "/related":
            return self.answer({"results": self.collection.nearest(row)})
        return self.answer({"tags": self.collection.tags(row)})

    def log_message(self, *_):
        pass


def main():
    with open(sys.argv[1], encoding="utf-8") as lines:
        Handler.collection = Collection([json.loads(line) for line in lines])
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"http://127.0.0.1:{server.server_port}/", flush=True)
    server.handle_error = lambda *_: None  # of clients that leave
    server.serve_forever()


if __name__ == "__main__":
    main()
