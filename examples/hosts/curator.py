#!/usr/bin/env python3
"""What curator.c does, in Python: labels, doubts, corrections, the map and measures of an index.

    curator.py path/to/libkindred.so DATABASE

DATABASE must not exist. The structs mirror those of kindred/kindred_curation.h.
"""
import contextlib
import ctypes as c
import json
import sys

import kindred_ctypes
from kindred_ctypes import (BY_DOCID, DEFAULT, Bytes, Example, Handle, Kindred, Neighbor, P, Sized,
                            String, Tag, function, size_t, u64)

IDS, PLACES = 16, 32
PER_LABEL, CONFUSION = 1, 2
REMOVE_TAG, ADD_LABEL, CLEAR_LABELS = 1, 5, 7


class Step(c.Structure):
    _fields_ = [("size", size_t), ("done", u64), ("all", u64)]


Progress = c.CFUNCTYPE(c.c_int, c.c_void_p, P(Step))


class Label(c.Structure):
    _fields_ = [("name", String), ("documents", u64), ("predicted", u64), ("rejected", u64)]


class LabelsResult(c.Structure):
    _fields_ = [("revision", u64), ("labels", P(Label)), ("label_count", size_t)]


class MatchingRequest(Sized):
    _fields_ = [("size", size_t), ("query", String), ("flags", u64), ("offset", c.c_int64),
                ("limit", c.c_int64)]


class MatchingResult(c.Structure):
    _fields_ = [("revision", u64), ("found", u64), ("docids", P(c.c_uint32)), ("ids", P(String)),
                ("titles", P(String)), ("count", size_t)]


class Document(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("opted_out", c.c_int32), ("pending", c.c_int32),
                ("id", String), ("title", String), ("labels", P(String)), ("label_count", size_t),
                ("predicted", P(Tag)), ("predicted_count", size_t), ("rejected", P(String)),
                ("rejected_count", size_t)]


class DocumentsResult(c.Structure):
    _fields_ = [("revision", u64), ("documents", P(Document)), ("document_count", size_t)]


class Edit(c.Structure):
    _fields_ = [("edit", c.c_int32), ("id", String), ("label", String)]


class DeleteReport(Sized):
    _fields_ = [("size", size_t), ("deleted", u64), ("unknown", u64)]


class SuspectsRequest(Sized):
    _fields_ = [("size", size_t), ("query", String), ("filter", String), ("limit", c.c_int64),
                ("progress", Progress), ("progress_user", c.c_void_p)]


class Suspect(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("id", String), ("title", String), ("labels", P(String)),
                ("label_count", size_t), ("weakest", Tag), ("strongest", Tag),
                ("margin", c.c_double), ("proposed", P(Tag)), ("proposed_count", size_t),
                ("reasons", c.c_void_p), ("reason_count", size_t), ("neighbors", P(Neighbor)),
                ("neighbor_titles", P(String)), ("neighbor_count", size_t)]


class SuspectsResult(c.Structure):
    _fields_ = [("revision", u64), ("examined", u64), ("found", u64), ("suspects", P(Suspect)),
                ("suspect_count", size_t)]


class TagRequest(Sized):
    _fields_ = [("size", size_t), ("query", String), ("flags", u64), ("progress", Progress),
                ("progress_user", c.c_void_p)]


class TrainRequest(Sized):
    _fields_ = [("size", size_t), ("rows", c.c_int64), ("columns", c.c_int64),
                ("epochs", c.c_int64), ("seed", c.c_int64), ("count", c.c_int64),
                ("lattice", String), ("flags", u64), ("progress", c.c_void_p),
                ("progress_user", c.c_void_p)]


class MapRequest(Sized):
    _fields_ = [("size", size_t), ("flags", u64), ("query", String)]


class Unit(c.Structure):
    _fields_ = [("x", c.c_double), ("y", c.c_double), ("topic", c.c_uint32),
                ("documents", c.c_uint32), ("height", c.c_double), ("label", String)]


class Place(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("unit", c.c_uint32), ("topic", c.c_uint32)]


class MapResult(c.Structure):
    _fields_ = [("revision", u64), ("index_revision", u64), ("stamp", String),
                ("rows", c.c_uint32), ("columns", c.c_uint32), ("hexagonal", c.c_int32),
                ("toroidal", c.c_int32), ("units", P(Unit)), ("unit_count", size_t),
                ("places", P(Place)), ("place_ids", P(String)), ("place_count", size_t)]


class Json(c.Structure):
    _fields_ = [("json", String)]


class AnalyzeRequest(Sized):
    _fields_ = [("size", size_t), ("text", String), ("language", String)]


class Word(c.Structure):
    _fields_ = [("word", String), ("term", String), ("position", c.c_uint32),
                ("stop_word", c.c_int32), ("joined", P(String)), ("joined_count", size_t)]


class Analysis(c.Structure):
    _fields_ = [("language", String), ("prefix", String), ("words", P(Word)),
                ("word_count", size_t)]


class EvaluateRequest(Sized):
    _fields_ = [("size", size_t), ("folds", c.c_int64), ("seed", c.c_int64), ("flags", u64),
                ("how", c.c_void_p), ("progress", Progress), ("progress_user", c.c_void_p)]


class Descriptor(kindred_ctypes.Descriptor):
    """Goes on where that of kindred_ctypes.py ends. Functions that are not used here are pointers."""
    _fields_ = [
        ("tag_documents", function(Handle, P(TagRequest), c.c_void_p)),
        ("edit_tag", c.c_void_p),
        ("train_topics", function(Handle, P(TrainRequest), c.c_void_p)),
        *[(name, c.c_void_p) for name in (
            "topics", "topics_free", "topic_of", "assign_topics", "tune", "tune_free", "duplicates",
            "duplicates_free", "documents_changed", "save_mirror", "candidates", "candidates_free",
            "store_related")],
        ("labels", function(Handle, P(P(LabelsResult)))),
        ("labels_free", function(P(LabelsResult), result=None)),
        ("matching", function(Handle, P(MatchingRequest), P(P(MatchingResult)))),
        ("matching_free", function(P(MatchingResult), result=None)),
        ("documents", function(Handle, P(Example), size_t, P(P(DocumentsResult)))),
        ("documents_free", function(P(DocumentsResult), result=None)),
        ("edit_tags", function(Handle, P(Edit), size_t, P(P(DocumentsResult)))),
        ("delete_documents", function(Handle, P(String), size_t, P(DeleteReport))),
        ("suspects", function(Handle, P(SuspectsRequest), P(P(SuspectsResult)))),
        ("suspects_free", function(P(SuspectsResult), result=None)),
        ("map", function(Handle, P(MapRequest), P(P(MapResult)))),
        ("map_free", function(P(MapResult), result=None)),
        ("json_free", function(P(Json), result=None)),
        ("evaluate", function(Handle, P(EvaluateRequest), P(P(Json)))),
        ("class_geometry", function(Handle, Progress, c.c_void_p, P(P(Json)))),
        ("get_settings", function(Handle, P(P(Json)))),
        ("analyze", function(Handle, P(AnalyzeRequest), P(P(Analysis)))),
        ("analysis_free", function(P(Analysis), result=None))]


def listed(pointer, count):
    return [str(item) if isinstance(item, String) else item for item in pointer[:count]]


class Curator(Kindred):
    """An open database, with what people need who look after it."""
    descriptor = Descriptor

    @contextlib.contextmanager
    def result(self, kind, free, name, *arguments):
        """Calls a function whose last argument is a result, and frees that in the end."""
        result = P(kind)()
        self.call(name, *arguments, c.byref(result))
        try:
            yield result.contents
        finally:
            getattr(self.api, free)(result)

    def labels(self):
        """[(name, documents, predicted)]"""
        with self.result(LabelsResult, "labels_free", "labels") as found:
            return [(str(label.name), label.documents, label.predicted)
                    for label in found.labels[:found.label_count]]

    def suspects(self, limit, tell):
        """[(id, title, label in doubt, label of the neighbors, [titles of neighbors])]"""
        request = SuspectsRequest(limit=limit, progress=tell)
        with self.result(SuspectsResult, "suspects_free", "suspects", c.byref(request)) as found:
            return [(str(s.id), str(s.title), str(s.weakest.label), str(s.strongest.label),
                     listed(s.neighbor_titles, s.neighbor_count))
                    for s in found.suspects[:found.suspect_count]]

    def matching(self, query, limit):
        """The docids of documents that match a query."""
        request = MatchingRequest(query=String.of(query), limit=limit)
        with self.result(MatchingResult, "matching_free", "matching", c.byref(request)) as found:
            return found.docids[:found.count]

    def documents(self, docids):
        """[(id, title, labels, [(predicted tag, confidence)], refused tags)]"""
        examples = (Example * len(docids))(*[Example(BY_DOCID, docid) for docid in docids])
        with self.result(DocumentsResult, "documents_free", "documents", examples,
                         len(docids)) as found:
            return self.told(found)

    def edit(self, *edits):
        """Changes of tags, (edit, id, label) each, in one commit; the documents as documents()."""
        list_ = (Edit * len(edits))(*[Edit(edit, String.of(id_), String.of(label))
                                      for edit, id_, label in edits])
        with self.result(DocumentsResult, "documents_free", "edit_tags", list_,
                         len(edits)) as found:
            return self.told(found)

    @staticmethod
    def told(found):
        return [(str(d.id), str(d.title), listed(d.labels, d.label_count),
                 [(str(tag.label), tag.confidence) for tag in d.predicted[:d.predicted_count]],
                 listed(d.rejected, d.rejected_count))
                for d in found.documents[:found.document_count]]

    def tag(self, tell):
        self.call("tag_documents", c.byref(TagRequest(progress=tell)), None)

    def train(self, rows, columns):
        self.call("train_topics", c.byref(TrainRequest(
            rows=rows, columns=columns, epochs=DEFAULT, seed=DEFAULT, count=DEFAULT)), None)

    def map(self):
        """(rows, columns, [(id, unit)])"""
        request = MapRequest(flags=PLACES | IDS)
        with self.result(MapResult, "map_free", "map", c.byref(request)) as found:
            ids = listed(found.place_ids, found.place_count)
            units = [place.unit for place in found.places[:found.place_count]]
            return found.rows, found.columns, list(zip(ids, units))

    def measured(self, name, *arguments):
        with self.result(Json, "json_free", name, *arguments) as found:
            return json.loads(str(found.json))

    def analyze(self, text):
        """The language, and [(word, term of the index)]"""
        request = AnalyzeRequest(text=String.of(text))
        with self.result(Analysis, "analysis_free", "analyze", c.byref(request)) as found:
            return str(found.language), [(str(each.word), str(each.term))
                                         for each in found.words[:found.word_count]]

    def delete(self, *ids):
        """How many documents were deleted, and how many ids no document had."""
        report = DeleteReport()
        self.call("delete_documents", (String * len(ids))(*map(String.of, ids)), len(ids),
                  c.byref(report))
        return report.deleted, report.unknown


NOTES = [
    {"id": "b1", "title": "Bread", "labels": ["kitchen"],
     "text": "Knead the dough, let it rise, bake the bread in a hot oven."},
    {"id": "b2", "title": "Rolls", "labels": ["kitchen"],
     "text": "Shape the dough into rolls and bake them in the oven until brown."},
    {"id": "s1", "title": "Tides", "labels": ["sea"],
     "text": "The moon pulls the tide; sailors read the harbor tables."},
    {"id": "s2", "title": "Harbor", "labels": ["sea"],
     "text": "Ships wait in the harbor for the tide."},
    {"id": "w1", "title": "Dough", "labels": ["sea"], "text": "Bake the dough in the oven."},
    {"id": "n1", "title": "Loaf", "text": "Bake a loaf of bread in the oven."},
    {"id": "n2", "title": "Sails", "text": "Sailors leave the harbor with the tide."},
]


def show_labels(kindred):
    for name, documents, predicted in kindred.labels():
        print(f"label {name}: {documents} documents, {predicted} predicted")


def show_documents(documents):
    for id_, title, labels, predicted, refused in documents:
        print(" ".join([f"{id_} ({title}): from people", *labels]) +
              " ".join(["; predicted", *[f"{tag} {sure:.2f}" for tag, sure in predicted]]) +
              " ".join(["; refused", *refused]))


def show(kindred):
    for note in NOTES:
        kindred.ingest(note)
    kindred.end_ingest()
    steps = []

    @Progress
    def tell(_, step):
        steps.append(step.contents.done)
        return 0  # any other value cancels

    show_labels(kindred)
    for id_, title, label, better, neighbors in kindred.suspects(1, tell):
        print(f"suspect: {id_} ({title}) has {label}, but its neighbors say {better}, "
              f"first {neighbors[0]}")
    show_documents(kindred.documents(kindred.matching("NOT label:kitchen NOT label:sea", 10)))
    show_documents(kindred.edit((ADD_LABEL, "n1", "kitchen"), (REMOVE_TAG, "n2", "sea"),
                                (CLEAR_LABELS, "w1", ""), (ADD_LABEL, "w1", "kitchen"))[:3])
    kindred.tag(tell)
    assert len(steps) == 2
    show_labels(kindred)
    kindred.train(3, 3)
    rows, columns, places = kindred.map()
    print(f"map: {rows} x {columns} units, {len(places)} documents placed, first {places[0][0]}")
    request = EvaluateRequest(flags=PER_LABEL | CONFUSION)
    for key, result in (("micro_f1", kindred.measured("evaluate", c.byref(request))),
                        ("informativeness",
                         kindred.measured("class_geometry", Progress(), None))):
        print(f"measured {key}: {'yes' if key in result else 'no'}")
    settings = kindred.measured("get_settings")
    print(f"settings: labels have the prefix {settings['labels']['prefix']}")
    text = "the rising tides"
    language, words = kindred.analyze(text)
    print(f"terms of '{text}' ({language}): {' '.join(term or '-' for _, term in words)}")
    deleted, unknown = kindred.delete("s2", "no such id")
    print(f"deleted: {deleted}, unknown: {unknown}")


def main():
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} path/to/libkindred.so DATABASE")
    try:
        with Curator(sys.argv[1], sys.argv[2], create=True) as kindred:
            show(kindred)
    except (OSError, RuntimeError, kindred_ctypes.KindredError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
