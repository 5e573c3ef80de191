#!/usr/bin/env python3
"""A host for what runs over a whole index now and then: it classifies in bulk, finds near-duplicates
and documents for a label, makes topics and stores them, stores related documents, tunes, and
follows the database. With host.py and curator.py it uses every function of the ABI.

    keeper.py path/to/libkindred.so DATABASE

DATABASE must not exist. It prints what keeper.c prints.
"""
import ctypes as c
import json
import sys

import curator
import kindred_ctypes
from curator import Progress, TrainRequest, listed
from kindred_ctypes import (BY_TEXT, DEFAULT, P, Classification, Example, Handle, Report, Sized,
                            String, function, size_t, u64)

INCLUDE_PREDICTED = 4
OPT_IN = 4
RUN = [("size", size_t), ("revision", u64), ("matched", u64), ("continued", u64),
       ("examined", u64), ("gone", u64), ("written", u64)]


class TuneRequest(Sized):
    _fields_ = [("size", size_t), ("settings", String), ("flags", u64), ("progress", c.c_void_p),
                ("progress_user", c.c_void_p)]


class TuneResult(c.Structure):
    _fields_ = [("json", String)]


class Topic(c.Structure):
    _fields_ = [("number", c.c_uint32), ("name", String), ("documents", u64),
                ("terms", c.c_void_p), ("term_count", size_t)]


class TopicsResult(c.Structure):
    _fields_ = [("revision", u64), ("documents", u64), ("units", u64),
                ("quantization_error", c.c_double), ("topographic_error", c.c_double),
                ("topics", P(Topic)), ("topic_count", size_t)]


class TopicPlace(Sized):
    _fields_ = [("size", size_t), ("topic", c.c_uint32), ("unit", c.c_uint32),
                ("distance", c.c_double), ("novelty", c.c_double), ("revision", u64)]


class AssignRequest(Sized):
    _fields_ = [("size", size_t), ("flags", u64), ("progress", Progress),
                ("progress_user", c.c_void_p)]


class RunReport(Sized):
    _fields_ = RUN


class StoreRelatedRequest(Sized):
    _fields_ = [("size", size_t), ("query", String), ("filter", String), ("k", c.c_int64),
                ("threshold", c.c_double), ("flags", u64), ("progress", Progress),
                ("progress_user", c.c_void_p)]


class Duplicate(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("id", String), ("labels", P(String)),
                ("label_count", size_t)]


class DuplicateGroup(c.Structure):
    _fields_ = [("documents", P(Duplicate)), ("document_count", size_t),
                ("least_similarity", c.c_float), ("greatest_similarity", c.c_float)]


class DuplicatesResult(c.Structure):
    _fields_ = [("revision", u64), ("examined", u64), ("found", u64), ("grouped", u64),
                ("groups", P(DuplicateGroup)), ("group_count", size_t)]


class CandidatesRequest(Sized):
    _fields_ = [("size", size_t), ("label", String), ("filter", String),
                ("min_confidence", c.c_double), ("limit", c.c_int64), ("flags", u64),
                ("progress", c.c_void_p), ("progress_user", c.c_void_p)]


class Candidate(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("id", String), ("title", String),
                ("confidence", c.c_double), ("labels", P(String)), ("label_count", size_t),
                ("predicted", P(String)), ("predicted_count", size_t), ("reason", c.c_void_p)]


class CandidatesResult(c.Structure):
    _fields_ = [("revision", u64), ("examined", u64), ("found", u64),
                ("candidates", P(Candidate)), ("candidate_count", size_t)]


def freeing(result):
    return function(P(result), result=None)


# The functions of the descriptor that curator.py leaves as pointers.
FUNCTIONS = {
    "edit_tag": function(Handle, c.c_char_p, size_t, c.c_int32, c.c_char_p, size_t),
    "topics": function(Handle, P(P(TopicsResult))), "topics_free": freeing(TopicsResult),
    "topic_of": function(Handle, P(Example), P(TopicPlace)),
    "assign_topics": function(Handle, P(AssignRequest), P(RunReport)),
    "tune": function(Handle, P(TuneRequest), P(P(TuneResult))), "tune_free": freeing(TuneResult),
    "duplicates": function(Handle, c.c_void_p, P(P(DuplicatesResult))),
    "duplicates_free": freeing(DuplicatesResult),
    "documents_changed": function(Handle, P(c.c_uint32), size_t, P(c.c_int)),
    "save_mirror": function(Handle),
    "candidates": function(Handle, P(CandidatesRequest), P(P(CandidatesResult))),
    "candidates_free": freeing(CandidatesResult),
    "store_related": function(Handle, P(StoreRelatedRequest), P(RunReport)),
}


class Descriptor(kindred_ctypes.Descriptor):
    _fields_ = [(name, FUNCTIONS.get(name, kind)) for name, kind in curator.Descriptor._fields_]


class Keeper(curator.Curator):
    """An open database, with what keeps it in order."""
    descriptor = Descriptor

    def commit(self):
        report = Report()
        self.call("commit", c.byref(report))
        return report

    def classify_texts(self, *texts):
        """The best label of each text, in one call."""
        examples = (Example * len(texts))(*[Example(BY_TEXT, 0, String.of(text)) for text in texts])
        results = (P(Classification) * len(texts))()
        self.call("classify_batch", examples, len(texts), None, results)
        labels = [str(result.contents.best.contents.label) for result in results]
        for result in results:
            self.api.classification_free(result)
        return labels

    def candidates(self, label):
        """The ids of documents that the label would suit, best first."""
        request = CandidatesRequest(label=String.of(label), limit=DEFAULT, flags=INCLUDE_PREDICTED)
        with self.result(CandidatesResult, "candidates_free", "candidates",
                         c.byref(request)) as found:
            return [str(each.id) for each in found.candidates[:found.candidate_count]]

    def duplicates(self):
        """Groups of ids of near-duplicates."""
        with self.result(DuplicatesResult, "duplicates_free", "duplicates", None) as found:
            return [listed([each.id for each in group.documents[:group.document_count]],
                           group.document_count) for group in found.groups[:found.group_count]]

    def topics(self):
        """The names of the topics, and how many documents the map has."""
        with self.result(TopicsResult, "topics_free", "topics") as found:
            return [str(topic.name) for topic in found.topics[:found.topic_count]], found.documents

    def topic_of(self, text):
        """The number of a text's topic; 0: none."""
        example, place = Example(BY_TEXT, 0, String.of(text)), TopicPlace()
        self.call("topic_of", c.byref(example), c.byref(place))
        return place.topic

    def assign_topics(self, tell):
        report = RunReport()
        self.call("assign_topics", c.byref(AssignRequest(progress=tell)), c.byref(report))
        return report.written

    def store_related(self, k):
        report = RunReport()
        self.call("store_related", c.byref(StoreRelatedRequest(k=k, threshold=DEFAULT)),
                  c.byref(report))
        return report.written

    def tune(self, **settings):
        """What was found, as `kindred tune --json` prints it."""
        request = TuneRequest(settings=String.of(json.dumps(settings)))
        with self.result(TuneResult, "tune_free", "tune", c.byref(request)) as found:
            return json.loads(str(found.json))

    def allow_tags(self, id_):
        name = id_.encode(errors="surrogateescape")
        self.call("edit_tag", name, len(name), OPT_IN, None, 0)

    def documents_changed(self, *docids):
        """True if it is answered from what was read of these documents from now on."""
        changed = c.c_int()
        self.call("documents_changed", (c.c_uint32 * len(docids))(*docids), len(docids),
                  c.byref(changed))
        return changed.value != 0

    def save_mirror(self):
        self.call("save_mirror")


COPY = {"id": "n1", "title": "Bread", "auto_tag": False,
        "text": "Knead the dough, let it rise, bake the bread in a hot oven."}


def show(kindred):
    for note in curator.NOTES[:4] + [COPY, curator.NOTES[-1]]:
        kindred.ingest(note)
    print(f"committed: {kindred.commit().added} documents")
    kindred.end_ingest()
    texts = ["bake rolls in the oven", "a harbor at low tide"]
    for text, label in zip(texts, kindred.classify_texts(*texts)):
        print(f"{text}: {label}")
    print(f"candidate for sea: {kindred.candidates('sea')[0]}")
    for group in kindred.duplicates():
        print("nearly the same:", *group)
    steps = []

    @Progress
    def tell(_, step):
        steps.append(step.contents.done)
        return 0  # any other value cancels

    kindred.call("train_topics", c.byref(TrainRequest(
        rows=2, columns=2, epochs=DEFAULT, seed=DEFAULT, count=2)), None)
    names, documents = kindred.topics()
    print(f"topics: {len(names)}, of {documents} documents")
    has = "a topic" if kindred.topic_of("knead the dough") else "no topic"
    print(f"knead the dough: has {has}")
    print(f"topics stored: {kindred.assign_topics(tell)}, told of {steps[-1]}")
    print(f"related documents stored: {kindred.store_related(2)}")
    print("tuned:", "yes" if "method" in kindred.tune(documents=10000) else "no")
    kindred.allow_tags("n1")
    print("n1 may be tagged")
    changed = kindred.documents_changed(1) or kindred.refresh()
    kindred.save_mirror()
    print(f"changed since: {'yes' if changed else 'no'}; saved for the next start")


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} path/to/libkindred.so DATABASE")
    try:
        with Keeper(sys.argv[1], sys.argv[2], create=True) as kindred:
            show(kindred)
    except (OSError, RuntimeError, kindred_ctypes.KindredError) as error:
        sys.exit(f"{sys.argv[0]}: {error}")


if __name__ == "__main__":
    main()
