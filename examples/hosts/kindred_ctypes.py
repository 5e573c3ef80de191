"""The C ABI of Kindred for Python, with ctypes alone; hosts import it.

The structs mirror those of kindred/kindred.h, which explains each member. docs/abi.md says which of
them may grow.
"""
import ctypes as c
import json
import os

ABI_VERSION = 1
CREATE, EXPLAIN, NEIGHBORS = 1, 1, 2
BY_ID, BY_DOCID, BY_TEXT, BY_JSON = 1, 2, 3, 4
NOT_FOUND = 2
DEFAULT = -1

u64, size_t = c.c_uint64, c.c_size_t


class String(c.Structure):
    _fields_ = [("data", c.POINTER(c.c_char)), ("size", size_t)]

    @classmethod
    def of(cls, text):
        data = text.encode(errors="surrogateescape")  # bytes of an argument that are no UTF-8
        return cls(c.cast(c.create_string_buffer(data), c.POINTER(c.c_char)), len(data))

    def __str__(self):
        return self.data[:self.size].decode(errors="replace")


Log = c.CFUNCTYPE(None, c.c_void_p, c.c_void_p, size_t)


class Sized(c.Structure):
    """A struct that may grow: it begins with `size`."""

    def __init__(self, **members):
        super().__init__(**{"size": c.sizeof(self), **members})


class OpenOptions(Sized):
    _fields_ = [("size", size_t), ("flags", u64), ("settings_path", String), ("settings", String),
                ("log", Log), ("log_user", c.c_void_p)]


class Status(Sized):
    _fields_ = [("size", size_t), ("documents", u64), ("terms", u64), ("nonzeros", u64),
                ("labels", u64), ("labeled", u64), ("revision", u64), ("bytes", u64),
                ("uuid", c.c_char * 64), ("backend", c.c_char * 16), ("device", c.c_char * 128)]


class Report(Sized):
    _fields_ = [("size", size_t), ("added", u64), ("replaced", u64), ("failed", u64),
                ("tagged", u64), ("pending", u64)]


class Example(c.Structure):
    _fields_ = [("kind", c.c_int32), ("docid", c.c_uint32), ("value", String)]


class RelatedRequest(Sized):
    _fields_ = [("size", size_t), ("like", c.POINTER(Example)), ("like_count", size_t),
                ("unlike", c.POINTER(Example)), ("unlike_count", size_t), ("filter", String),
                ("k", c.c_int64), ("threshold", c.c_double), ("flags", u64),
                ("like_query", String), ("unlike_query", String), ("query_top", c.c_int64),
                ("fold", c.c_double)]


class Term(c.Structure):
    _fields_ = [("term", String), ("contribution", c.c_double)]


class Document(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("similarity", c.c_float), ("id", String),
                ("title", String), ("terms", c.POINTER(Term)), ("term_count", size_t)]


class RelatedResult(c.Structure):
    _fields_ = [("revision", u64), ("documents", c.POINTER(Document)), ("document_count", size_t)]


class ClassifyRequest(Sized):
    _fields_ = [("size", size_t), ("filter", String), ("k", c.c_int64), ("threshold", c.c_double),
                ("max_labels", c.c_int64), ("flags", u64)]


class Tag(c.Structure):
    _fields_ = [("label", String), ("confidence", c.c_double)]


class Neighbor(c.Structure):
    _fields_ = [("docid", c.c_uint32), ("similarity", c.c_float), ("id", String),
                ("labels", c.POINTER(String)), ("label_count", size_t)]


class Classification(c.Structure):
    _fields_ = [("revision", u64), ("tags", c.POINTER(Tag)), ("tag_count", size_t),
                ("best", c.POINTER(Tag)), ("neighbors", c.POINTER(Neighbor)),
                ("neighbor_count", size_t)]


def function(*arguments, result=c.c_int):
    return c.CFUNCTYPE(result, *arguments)


P, Bytes, Handle = c.POINTER, c.c_char_p, c.c_void_p


class Descriptor(c.Structure):
    _fields_ = [
        ("size", size_t), ("abi_version", u64), ("version", Bytes),
        ("last_error", function(result=Bytes)),
        ("open", function(Bytes, size_t, P(OpenOptions), P(Handle))),
        ("close", function(Handle, result=None)),
        ("get_status", function(Handle, P(Status))),
        ("refresh", function(Handle, P(c.c_int))),
        ("related", function(Handle, P(RelatedRequest), P(P(RelatedResult)))),
        ("related_free", function(P(RelatedResult), result=None)),
        ("classify", function(Handle, P(Example), P(ClassifyRequest), P(P(Classification)))),
        ("classify_batch", function(Handle, P(Example), size_t, P(ClassifyRequest),
                                    P(P(Classification)))),
        ("classification_free", function(P(Classification), result=None)),
        ("ingest", function(Handle, Bytes, size_t, P(Report))),
        ("commit", function(Handle, P(Report))),
        ("end_ingest", function(Handle, P(Report)))]


class KindredError(Exception):
    """A failed call: a `code` to branch on, and a sentence for people."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Kindred:
    """An open database, for any number of threads. Use it in a `with` statement, or call close().

    `settings` is TOML. log(message) may be called from other threads."""
    descriptor = Descriptor

    def __init__(self, library, database, create=False, settings="", log=None):
        plugin = c.CDLL(library).kindred_plugin
        plugin.restype = P(self.descriptor)
        self.api = plugin().contents
        if self.api.abi_version != ABI_VERSION or self.api.size < c.sizeof(self.descriptor):
            raise RuntimeError(f"{library}: {self.api.version.decode()} is not for this host")
        self.handle = Handle()
        self.log = Log(lambda user, text, size: log and log(c.string_at(text, size).decode(errors="replace")))
        path = os.fsencode(database)
        options = OpenOptions(flags=CREATE if create else 0, settings=String.of(settings),
                              log=self.log)
        self.call("open", path, len(path), c.byref(options), c.byref(self.handle),
                  with_handle=False)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def close(self):
        self.api.close(self.handle)
        self.handle = None

    def call(self, name, *arguments, with_handle=True):
        handle = (self.handle,) if with_handle else ()
        code = getattr(self.api, name)(*handle, *arguments)
        if code != 0:
            raise KindredError(code, self.api.last_error().decode(errors="replace"))

    def refresh(self):
        """True if others have written, and it is answered from what they wrote from now on."""
        changed = c.c_int()
        self.call("refresh", c.byref(changed))
        return changed.value != 0

    def status(self):
        status = Status()
        self.call("get_status", c.byref(status))
        return status

    def ingest(self, record):
        data = json.dumps(record).encode()
        self.call("ingest", data, len(data), None)

    def end_ingest(self):
        report = Report()
        self.call("end_ingest", c.byref(report))
        return report

    def related(self, *examples, k=DEFAULT, query="", fold=0, filter="", explain=True):
        """[(id, title, similarity, [(term, contribution)])], most similar first. Also to the best
        documents of a Xapian query. Near-duplicates of this similarity are folded."""
        request = RelatedRequest(like=(Example * len(examples))(*examples),
                                 like_count=len(examples), filter=String.of(filter), k=k,
                                 threshold=DEFAULT, flags=EXPLAIN if explain else 0,
                                 like_query=String.of(query), fold=fold)
        result = P(RelatedResult)()
        self.call("related", c.byref(request), c.byref(result))
        try:
            found = result.contents
            return [(str(d.id), str(d.title), d.similarity,
                     [(str(t.term), t.contribution) for t in d.terms[:d.term_count]])
                    for d in found.documents[:found.document_count]]
        finally:
            self.api.related_free(result)

    def classify(self, example):
        """[(label, confidence)], surest first."""
        result = P(Classification)()
        self.call("classify", c.byref(example), None, c.byref(result))
        try:
            found = result.contents
            return [(str(t.label), t.confidence) for t in found.tags[:found.tag_count]]
        finally:
            self.api.classification_free(result)
